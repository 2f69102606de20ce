"""What the statistics of a column say, on files whose answer is known."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import statistics
from pqexplore.insight.axis import axis_of
from pqexplore.insight.skipping import skipping
from pqexplore.widget.lenses import finish


def opened(table, **options):
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(**options))
    return pqexplore.open(out.getvalue())


def groups_of(*ranges, kind=pa.int64()):
    """A file of a column `n`, a row group for each pair of bounds (None: nulls only)."""
    values = [v for pair in ranges for v in (pair if pair is not None else (None, None))]
    return opened(pa.table({"n": pa.array(values, kind)}), row_group_rows=2)


def asked(file, column=0):
    return finish(statistics.of_leaf(file, file.schema.leaves[column]))


@pytest.mark.parametrize(
    ("ranges", "verdict", "reads", "words"),
    [
        (
            [(0, 9), (10, 19), (20, 29)],
            "sorted",
            1.0,
            "reads 1 of 3 on average, because their ranges follow one another in ascending order",
        ),
        ([(20, 29), (10, 19), (0, 9)], "sorted", 1.0, "in descending order"),
        ([(10, 19), (0, 9), (20, 29)], "separate", 1.0, "do not overlap"),
        (
            [(0, 90), (1, 91), (2, 92)],
            "useless for skipping",
            2.97,
            "each of them has nearly the same range",
        ),
        # the first two share half of their ranges: 1.5, 1.5 and 1 are covered
        ([(0, 10), (5, 15), (40, 50)], "overlapping", 4 / 3, "neighbours share part"),
        (
            [(40, 50), (0, 10), (5, 15)],
            "overlapping",
            4 / 3,
            "because the rows are not sorted by this column",
        ),
        ([(0, 9), None, (10, 19)], "sorted", 1.0, "reads 1 of 3"),
        ([(3, 7)], "one part", 1.0, "There is one row group, from 3 to 7"),
        ([None, None], "no statistics", 0.0, "Nulls only"),
    ],
)
def test_verdicts(ranges, verdict, reads, words):
    made = asked(groups_of(*ranges))
    assert made.picture["verdict"] == verdict
    assert made.picture["reads"] == pytest.approx(reads, abs=0.02)
    assert words in made.sentence


def test_eight_row_groups_of_shuffled_rows_are_all_read():
    numbers = np.random.RandomState(1).permutation(8_000)
    file = opened(pa.table({"n": numbers}), row_group_rows=1_000)
    made = asked(file)
    assert made.picture["reads"] == pytest.approx(8, abs=0.1)
    assert "reads 8 of 8 on average" in made.sentence


def test_ranges_lie_on_one_axis():
    lanes = asked(groups_of((0, 50), (50, 100))).picture["lanes"]
    rows = list(zip(lanes["name"], lanes["low"], lanes["high"], lanes["text"], strict=True))
    assert rows == [
        ("row group 0", 0.0, 0.5, "0 … 50"),
        ("page 0", 0.0, 0.5, "0 … 50"),
        ("row group 1", 0.5, 1.0, "50 … 100"),
        ("page 0", 0.5, 1.0, "50 … 100"),
    ]
    assert lanes["address"][:2] == [
        "row_groups/0/columns/0",
        "row_groups/0/columns/0/pages/1",
    ]


def test_text_lies_at_its_rank_and_the_axis_says_so():
    made = asked(groups_of(("a", "c"), ("b", "zzz"), kind=pa.string()))
    assert made.picture["lanes"]["low"][0] == 0.0
    assert made.picture["lanes"]["high"][0] == pytest.approx(2 / 3, abs=1e-6)
    axis = made.picture["axis"]
    assert axis["measured"] is False and "rank of the distinct bounds" in axis["label"]
    assert axis["ticks"] == [[0.0, "a"], [0.333333, "b"], [0.666667, "c"], [1.0, "zzz"]]


def test_unsigned_numbers_are_compared_as_such():
    top = 2**64 - 1
    made = asked(groups_of((0, 5), (6, top), kind=pa.uint64()))
    assert made.picture["verdict"] == "sorted"
    assert made.table.column("max")[-1] == top


def test_a_chunk_tells_of_its_pages(tmp_path):
    write_sample("page-index", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        chunks = file.row_groups[0].columns
        up, mixed = (finish(statistics.of_chunk(chunks[name])) for name in ("up", "mixed"))
        gap = finish(statistics.of_chunk(chunks["gap"]))
    assert up.sentence.startswith("The 10 pages of this chunk are sorted: a filter on one value")
    assert "reads 9.9 of them" in mixed.sentence
    assert up.table.column("part")[:2] == ["row group 0", "  page 0"]
    assert gap.table.column("remark")[4] == "nulls only"
    assert gap.picture["lanes"]["state"][4] == "nulls"


def test_levels_have_the_names_of_schema_nodes():
    rows = pa.array([[1, 2], [], None, [None]], pa.list_(pa.int32()))
    made = asked(opened(pa.table({"a": rows})))
    definition, repetition = made.picture["levels"]
    assert definition["rows"] == [
        ["a is null", 1],
        ["a is empty", 1],
        ["a.list.element is null", 1],
        ["a.list.element has a value", 2],
    ]
    assert repetition["rows"] == [["a new record", 4], ["a further element of a", 1]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"statistics": ()}, "because the writer left none for this column"),
        ({"column_order": None}, "the footer names no known column order"),
        (
            {"statistics_fields": ("null_count",)},
            "the writer counted nulls and left minimum and maximum out",
        ),
    ],
)
def test_why_there_are_none(options, words):
    file = opened(pa.table({"s": ["x", "y"]}), column_index=False, **options)
    made = asked(file)
    assert made.picture["verdict"] == "no statistics"
    assert made.sentence.startswith("No statistics that a query can use") and words in made.sentence


def test_int96_has_no_order(tmp_path):
    write_sample("int96-order", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        assert "have no order" in asked(file, 1).sentence
        assert asked(file, 0).picture["verdict"] == "one part"


def test_truncated_bounds_are_said_to_be(tmp_path):
    write_sample("truncated-statistics", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        made = asked(file)
    assert ["bounds", "2 shortened, so no values themselves"] in made.picture["facts"]
    assert made.picture["lanes"]["text"][0] == "≥ abcdefgh … ≤ zzzzzzz{"


def test_infinities_lie_at_the_ends_and_nan_nowhere(tmp_path):
    write_sample("float-order", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        made, nan = asked(file, 0), asked(file, 4)
    assert made.picture["axis"]["ticks"] == [[0.0, "−∞"], [1.0, "+∞"]]
    assert ["NaNs", "5"] in made.picture["facts"]
    assert "the only bounds are NaN" in nan.sentence


def test_bounds_without_an_order_are_shown_and_not_believed():
    made = asked(opened(pa.table({"s": ["x", "y"]}), column_index=False, column_order=None))
    assert made.picture["lanes"]["state"] == ["distrusted"]
    assert made.picture["lanes"]["text"] == ["x … y"]
    assert made.table.column("trusted") == [False]


def test_no_row_groups():
    out = io.BytesIO()
    pq.ParquetWriter(out, pa.schema([("a", pa.int32())])).close()
    with pqexplore.open(out.getvalue()) as file:
        made = asked(file)
    assert made.picture is None and made.empty


def test_bounds_of_the_wrong_length_have_no_place():
    with groups_of((0, 1)) as file:
        axis = axis_of(file.schema.leaves[0], [b"\0" * 8, b"short", None])
    assert axis.rank.tolist() == [0, -1, -1] and np.isnan(axis.place[1:]).all()


def test_parts_without_a_range_are_always_read():
    low, high = np.array([0.0, 1.0, np.nan]), np.array([0.5, 1.0, np.nan])
    ranks = np.array([0, 2, -1]), np.array([1, 2, -1])
    assert skipping(low, high, *ranks, np.ones(3)).reads == 2.0
    assert skipping(low, high, *ranks, np.ones(3), empty=1).reads == 1.0


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([[], [1, 2], [], [3, 4]], "Row groups are sorted: a filter on one value reads 1 of 4"),
        ([[], [1, 2]], "One of 2 row groups has values, from 1 to 2"),
        ([[], []], "There are no values, and nothing that a filter could skip."),
    ],
)
def test_a_row_group_without_rows_costs_no_query_anything(groups, words):
    sink, schema = io.BytesIO(), pa.schema([("x", pa.int64())])
    with pq.ParquetWriter(sink, schema) as writer:
        for values in groups:
            writer.write_table(pa.table({"x": pa.array(values, pa.int64())}))
    with pqexplore.open(sink.getvalue()) as file:
        chunk = file.row_groups[0].columns[0]
        made = finish(statistics.of_chunk(chunk))
    assert words in made.sentence
