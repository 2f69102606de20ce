"""The compare lens: which row group stands out and why, whether ranges tell row groups apart, and the bars."""

import random
import re
import statistics

import pyarrow as pa
import pytest
from made import one_column, parquet

import pqexplore
from pqexplore.engine.finding import Finding
from pqexplore.insight.lenses import group_chunks as chunks
from pqexplore.insight.lenses.compare import compare
from pqexplore.insight.lenses.group_chunks import group_chunks, outlier


def groups(*columns, **options):
    """A file with a column `x`, a row group for each list of values."""
    return one_column(pa.array(next(c for c in columns if c)).type, *columns, **options)


def compared(data):
    with pqexplore.open(data) as file:
        return compare(file, file.schema.leaves[0])


RANDOM = random.Random(7)
FEW = [f"city {RANDOM.randrange(50)}" for _ in range(20_000)]
MANY = [f"{RANDOM.random():.12f}" for _ in range(20_000)]


def test_a_row_group_that_fell_back_from_its_dictionary_stands_out():
    data = groups(FEW, FEW, MANY, FEW, dictionary_pagesize_limit=4096)
    answer = compared(data)
    assert answer.sentence.startswith("Row group 2 stands out: 1")
    assert "because its dictionary grew too large and the writer went on in PLAIN" in answer.sentence
    assert answer.picture.outlier == 2


def test_an_empty_row_group_has_no_encoding_in_the_sentence():
    data = parquet(pa.table({"x": pa.array([], pa.int64())}), use_dictionary=False)
    assert compared(data).sentence.endswith("nothing to compare: 0 B for 0 values.")


def test_a_row_group_of_nulls_stands_out_for_its_nulls():
    numbers = [RANDOM.random() for _ in range(5000)]
    sparse = [None if i % 10 else n for i, n in enumerate(numbers)]
    answer = compared(groups(numbers, numbers, sparse, numbers, use_dictionary=False))
    assert "Row group 2 stands out" in answer.sentence
    assert "because 90 % of it are null, of the others 0 %" in answer.sentence


def test_a_short_last_row_group_does_not_stand_out():
    numbers = [RANDOM.random() for _ in range(5000)]
    answer = compared(groups(numbers, numbers, numbers[:200], use_dictionary=False))
    assert answer.sentence.startswith("3 row groups are alike: 8")


@pytest.mark.parametrize(("ranges", "words"), [
    ([(0, 10), (10, 20), (20, 30)], "do not overlap and follow each other"),
    ([(20, 30), (0, 10), (10, 20)], "their ranges do not overlap, so a query can skip by them"),
    ([(0, 30), (0, 30), (0, 30)], "a query that seeks a value reads nearly all"),
    (
        [(0, 12), (10, 20), (20, 30)],
        "some of their ranges overlap, so a query that seeks a value reads 1.1 of 3 on average",
    ),
])  # fmt: skip
def test_the_sentence_says_whether_ranges_overlap(ranges, words):
    assert words in compared(groups(*[list(range(*r)) for r in ranges])).sentence


def test_a_file_without_row_groups_has_no_picture():
    answer = compared(one_column(pa.int64()))
    assert answer.picture is None
    assert "no row group" in answer.sentence and answer.empty


def test_one_row_group_is_no_outlier():
    with pqexplore.open(parquet(pa.table({"x": [1]}))) as file:
        assert outlier(group_chunks(file, file.schema.leaves[0])) is None


def test_row_groups_are_drawn_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(chunks, "LISTED", 3)
    picture = compared(groups([1], [2], [3], [4])).picture
    assert (len(picture.text), picture.groups) == (3, 4)


@pytest.mark.parametrize(
    ("others", "value"), [([4], 4), ([1, 2], 9), ([1, 2, 4], 0), ([1, 2, 4], 3), ([2, 2, 2, 5], 2), ([1, 4, 8, 9], 8)]
)
def test_the_median_of_the_others_leaves_out_one(others, value):
    assert chunks._median_without(sorted([*others, value]), value) == statistics.median(others)


def test_a_bound_that_a_finding_denies_is_not_used_by_what_was_kept():
    with pqexplore.open(groups([1, 2], [5, 7])) as file:
        leaf = file.schema.leaves[0]
        assert "do not overlap" in compare(file, leaf).sentence
        chunk = file.row_groups[1].columns[0]
        place = f"{chunk.address}/metadata/meta_data/statistics/max_value"
        file.note(Finding("statistics-bound", place, "a value is larger"))
        assert "only 1 of them has a range" in compare(file, leaf).sentence


def test_what_a_query_reads_is_what_the_statistics_say():
    parts = [[(i * 37 + k) % 500 for k in range(20)] for i in range(30)]
    with pqexplore.open(groups(*parts)) as file:
        said = file.view("compare", at="schema/1").sentence
        known = file.view("statistics", at="schema/1").sentence
    reads = re.search(r"reads ([\d.]+) of 30 on average", said)
    assert reads and f"reads {reads[1]} of 30 on average" in known
