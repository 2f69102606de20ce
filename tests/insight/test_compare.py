"""Which row group stands out, and for what reason; and whether ranges tell row groups apart."""

import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet

import pqexplore
from pqexplore.insight.compare import compare, outlier, parts


def groups(*columns, **options):
    """A file with a column `x`, a row group for each list of values."""
    sink = io.BytesIO()
    kind = pa.array(next(c for c in columns if c)).type
    schema = pa.schema([("x", kind)])
    with pq.ParquetWriter(sink, schema, **options) as writer:
        for values in columns:
            writer.write_table(pa.table({"x": pa.array(values, kind)}), row_group_size=1 << 20)
    return sink.getvalue()


def told(data):
    with pqexplore.open(data) as file:
        return compare(file, file.schema.leaves[0])


RANDOM = random.Random(7)
FEW = [f"city {RANDOM.randrange(50)}" for _ in range(20_000)]
MANY = [f"{RANDOM.random():.12f}" for _ in range(20_000)]


def test_the_row_group_whose_dictionary_was_given_up():
    data = groups(FEW, FEW, MANY, FEW, dictionary_pagesize_limit=4096)
    made = told(data)
    assert made.sentence.startswith("Row group 2 stands out: 1")
    assert "because its dictionary grew too large and the writer went on in PLAIN" in made.sentence
    assert made.picture["outlier"] == 2


def test_a_row_group_without_pages_has_no_encoding_to_tell():
    data = parquet(pa.table({"x": pa.array([], pa.int64())}), use_dictionary=False)
    assert told(data).sentence.endswith("nothing to compare: 0 B for 0 values.")


def test_nulls_are_a_reason():
    numbers = [RANDOM.random() for _ in range(5000)]
    sparse = [None if i % 10 else n for i, n in enumerate(numbers)]
    made = told(groups(numbers, numbers, sparse, numbers, use_dictionary=False))
    assert "Row group 2 stands out" in made.sentence
    assert "because 90 % of it are null, of the others 0 %" in made.sentence


def test_a_short_last_row_group_does_not_stand_out():
    numbers = [RANDOM.random() for _ in range(5000)]
    made = told(groups(numbers, numbers, numbers[:200], use_dictionary=False))
    assert made.sentence.startswith("3 row groups are alike: 8")


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([(0, 10), (10, 20), (20, 30)], "do not overlap and follow each other"),
        ([(20, 30), (0, 10), (10, 20)], "their ranges do not overlap, so a query can skip by them"),
        ([(0, 30), (0, 30), (0, 30)], "a query that seeks a value reads nearly all"),
        ([(0, 12), (10, 20), (20, 30)], "some of their ranges overlap"),
    ],
)
def test_ranges(ranges, words):
    assert words in told(groups(*[list(range(*r)) for r in ranges])).sentence


def test_without_statistics_there_is_nothing_to_skip_by():
    data = groups([1], [2], write_statistics=False)
    assert "there are no ranges to skip by" in told(data).sentence


def test_one_row_group_has_nothing_to_compare():
    assert told(groups([1, 2])).sentence.startswith("Only one row group, so there is nothing")


def test_no_row_group_at_all():
    sink = io.BytesIO()
    pq.ParquetWriter(sink, pa.schema([("x", pa.int64())])).close()
    made = told(sink.getvalue())
    assert made.picture is None
    assert "no row group" in made.sentence and made.empty


def test_a_row_says_what_the_chunk_says():
    data = groups([1, 2, None], [5, 6, 7], compression="zstd")
    with pqexplore.open(data) as file:
        table = compare(file, file.schema.leaves[0]).table
        for group, row in enumerate(table.rows):
            chunk = file.row_groups[group].columns[0]
            assert row[:3] == (group, 3, chunk.metadata.total_compressed_size)
            assert table.addresses[group] == chunk.address
            assert table.spans[group] == chunk.span
        assert table.column("nulls") == [1, 0]
        assert table.column("min") == ["1", "5"]
        assert table.column("max") == ["2", "7"]
        assert table.column("codec") == ["ZSTD", "ZSTD"]
        assert table.column("pages") == [1, 1]


def test_too_few_known_row_groups_have_no_outlier():
    with pqexplore.open(parquet(pa.table({"x": [1]}))) as file:
        assert outlier(parts(file, file.schema.leaves[0])) is None
