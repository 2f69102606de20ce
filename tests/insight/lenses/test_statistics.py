"""The statistics lens, on files whose answer is known."""

import datetime
import decimal
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.axis import Tick, axis_of
from pqexplore.insight.lenses import finish, statistics
from pqexplore.insight.skipping import skipping
from pqexplore.insight.wire import Chip


def opened(table, **options):
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(**options))
    return pqexplore.open(out.getvalue())


def groups_of(*ranges, kind=pa.int64()):
    """A file of a column `n`, a row group for each pair of bounds (None: nulls only)."""
    values = [v for pair in ranges for v in (pair if pair is not None else (None, None))]
    return opened(pa.table({"n": pa.array(values, kind)}), row_group_rows=2)


def answer_of(file, column=0):
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
        ([(0, 90), (1, 91), (2, 92)], "useless for skipping", 2.97, "each of them has nearly the same range"),
        # the first two share half of their ranges: 1.5, 1.5 and 1 are covered
        ([(0, 10), (5, 15), (40, 50)], "overlapping", 4 / 3, "neighbours share part"),
        ([(40, 50), (0, 10), (5, 15)], "overlapping", 4 / 3, "because the rows are not sorted by this column"),
        ([(0, 9), None, (10, 19)], "sorted", 1.0, "reads 1 of 3"),
        ([(3, 7)], "one part", 1.0, "There is one row group, from 3 to 7"),
        ([None, None], "no statistics", 0.0, "Nulls only"),
    ],
)
def test_row_groups_by_their_ranges_have_a_verdict(ranges, verdict, reads, words):
    answer = answer_of(groups_of(*ranges))
    assert answer.picture.verdict == verdict
    assert answer.picture.reads == pytest.approx(reads, abs=0.02)
    assert words in answer.sentence


def test_eight_row_groups_of_shuffled_rows_are_all_read():
    numbers = np.random.RandomState(1).permutation(8_000)
    file = opened(pa.table({"n": numbers}), row_group_rows=1_000)
    answer = answer_of(file)
    assert answer.picture.reads == pytest.approx(8, abs=0.1)
    assert "reads 8 of 8 on average" in answer.sentence


def test_ranges_of_row_groups_and_pages_lie_on_one_axis():
    lanes = answer_of(groups_of((0, 50), (50, 100))).picture.lanes
    rows = list(zip(lanes.name, lanes.low, lanes.high, lanes.text, strict=True))
    assert rows == [
        ("row group 0", 0.0, 0.5, "0 … 50"),
        ("page 0", 0.0, 0.5, "0 … 50"),
        ("row group 1", 0.5, 1.0, "50 … 100"),
        ("page 0", 0.5, 1.0, "50 … 100"),
    ]
    assert lanes.address[:2] == ["row_groups/0/columns/0", "row_groups/0/columns/0/pages/1"]


def test_text_bounds_lie_at_their_rank():
    answer = answer_of(groups_of(("a", "c"), ("b", "zzz"), kind=pa.string()))
    assert answer.picture.lanes.low[0] == 0.0
    assert answer.picture.lanes.high[0] == pytest.approx(2 / 3, abs=1e-6)
    axis = answer.picture.axis
    assert axis.measured is False and "rank of the distinct bounds" in axis.label
    assert axis.ticks == [Tick(0.0, "a"), Tick(0.333333, "b"), Tick(0.666667, "c"), Tick(1.0, "zzz")]


def test_unsigned_numbers_are_compared_as_unsigned():
    top = 2**64 - 1
    answer = answer_of(groups_of((0, 5), (6, top), kind=pa.uint64()))
    assert answer.picture.verdict == "sorted"
    assert answer.table.column("max")[-1] == top


def test_a_chunk_shows_its_pages(tmp_path):
    write_sample("page-index", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        chunks = file.row_groups[0].columns
        up, mixed = (finish(statistics.of_chunk(chunks[name])) for name in ("up", "mixed"))
        gap = finish(statistics.of_chunk(chunks["gap"]))
    assert up.sentence.startswith("The 10 pages of this chunk are sorted: a filter on one value")
    assert "reads 9.9 of them" in mixed.sentence
    assert up.table.column("part")[:2] == ["row group 0", "  page 0"]
    assert gap.table.column("remark")[4] == "nulls only"
    assert gap.picture.lanes.state[4] == "nulls"


def test_levels_are_named_by_the_schema():
    rows = pa.array([[1, 2], [], None, [None]], pa.list_(pa.int32()))
    answer = answer_of(opened(pa.table({"a": rows})))
    definition, repetition = answer.picture.levels
    assert [(one.name, one.count) for one in definition.rows] == [
        ("a is null", 1),
        ("a is empty", 1),
        ("a.list.element is null", 1),
        ("a.list.element has a value", 2),
    ]
    assert [(one.name, one.count) for one in repetition.rows] == [("a new record", 4), ("a further element of a", 1)]
    assert (definition.of, repetition.of) == (5, 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"statistics": ()}, "because the writer left none for this column"),
        ({"column_order": None}, "the footer names no known column order"),
        ({"statistics_fields": ("null_count",)}, "the writer counted nulls and left minimum and maximum out"),
    ],
)
def test_a_file_without_usable_statistics_says_why(options, words):
    file = opened(pa.table({"s": ["x", "y"]}), column_index=False, **options)
    answer = answer_of(file)
    assert answer.picture.verdict == "no statistics"
    assert answer.sentence.startswith("No statistics that a query can use") and words in answer.sentence


def test_int96_without_a_declared_order_has_no_statistics(tmp_path):
    write_sample("int96-order", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        assert "have no order" in answer_of(file, 1).sentence
        assert answer_of(file, 0).picture.verdict == "one part"


def test_truncated_bounds_are_marked(tmp_path):
    write_sample("truncated-statistics", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        answer = answer_of(file)
    assert Chip("bounds", "2 marked as not exact") in answer.picture.facts
    assert answer.picture.lanes.text[0] == "≥ abcdefgh … ≤ zzzzzzz{"


def test_infinities_lie_at_the_ends_of_the_axis(tmp_path):
    write_sample("float-order", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        answer, nan = answer_of(file, 0), answer_of(file, 4)
    assert answer.picture.axis.ticks == [Tick(0.0, "−∞"), Tick(1.0, "+∞")]
    assert Chip("NaNs", "5") in answer.picture.facts
    assert "the only bounds are NaN" in nan.sentence


def test_bounds_without_an_order_are_shown_as_distrusted():
    answer = answer_of(opened(pa.table({"s": ["x", "y"]}), column_index=False, column_order=None))
    assert answer.picture.lanes.state == ["distrusted"]
    assert answer.picture.lanes.text == ["x … y"]
    assert answer.table.column("trusted") == [False]


def test_a_file_without_row_groups_has_no_picture():
    out = io.BytesIO()
    pq.ParquetWriter(out, pa.schema([("a", pa.int32())])).close()
    with pqexplore.open(out.getvalue()) as file:
        answer = answer_of(file)
    assert answer.picture is None and answer.empty


def test_bounds_of_the_wrong_length_have_no_place_on_the_axis():
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
def test_row_groups_without_rows_are_never_read(groups, words):
    sink, schema = io.BytesIO(), pa.schema([("x", pa.int64())])
    with pq.ParquetWriter(sink, schema) as writer:
        for values in groups:
            writer.write_table(pa.table({"x": pa.array(values, pa.int64())}))
    with pqexplore.open(sink.getvalue()) as file:
        chunk = file.row_groups[0].columns[0]
        answer = finish(statistics.of_chunk(chunk))
    assert words in answer.sentence


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        ("row_groups/0/columns/0", True),
        ("schema/1", True),
        ("schema/2", False),  # a list, which has leaves below it
        ("row_groups/0", False),
        ("", False),
    ],
)
def test_the_lens_applies_to_chunks_and_leaves(address, applies):
    lists = pa.array([[1], [2]])
    with opened(pa.table({"n": [1, 2], "tags": lists})) as file:
        assert statistics.LENS.applies(file.node(address)) is applies


def test_the_own_row_group_of_a_chunk_leads_to_its_statistics():
    with groups_of((0, 5), (6, 9)) as file:
        picture = finish(statistics.answer(file, file.node("row_groups/1/columns/0"))).picture
        lanes = picture.lanes
        own = lanes.address[lanes.name.index("row group 1")]
        assert picture.mine == 1
        assert own == "row_groups/1/columns/0/metadata/meta_data/statistics"
        assert file.node(own).kind == "field"


def test_many_parts_are_kept_out_of_the_picture():
    with opened(pa.table({"n": np.arange(2_000)}), page_rows=5) as file:
        node = file.node("row_groups/0/columns/0")
        assert finish(statistics.answer(file, node)).picture.lanes is None
        columns = statistics.ranges(file, node.address).columns.by_name
        assert len(columns["low"]) == 401 and columns["text"][1] == "0 … 4"
        file.cache.clear()
        again = statistics.ranges(file, node.address).columns.by_name
        assert again["high"].tolist() == columns["high"].tolist()


def test_an_address_that_names_no_leaf_raises():
    with groups_of((0, 1)) as file, pytest.raises(UsageError, match="not a leaf"):
        statistics.leaf_at(file, "schema/99")


def test_a_column_that_needs_a_key_names_it(tmp_path):
    encryption = pqexplore.Encryption(bytes(16), {"b": bytes(range(16))}, plaintext_footer=True)
    table = pa.table({"a": [1, 2], "b": [3, 4]})
    pqexplore.write(table, tmp_path / "f", pqexplore.WriteOptions(encryption=encryption))
    with pqexplore.open(tmp_path / "f") as file:
        locked, clear = (finish(statistics.answer(file, file.node(f"row_groups/0/columns/{i}"))) for i in (1, 0))
    assert locked.picture.lanes.state == ["locked"]
    assert 'Decryption(column_keys={"b": …})' in locked.sentence
    assert clear.picture.lanes.text[0] == "1 … 2"


def test_bounds_keep_their_nanoseconds_and_long_decimals_their_size_on_the_axis():
    table = pa.table(
        {
            "when": pa.array([1, 1_700_000_000_123_456_789], pa.timestamp("ns", "UTC")),
            "whole": pa.array([0, 1_700_000_000_123_456_000], pa.timestamp("ns", "UTC")),
            "large": pa.array([decimal.Decimal("-1e26"), decimal.Decimal("1e26")], pa.decimal128(38, 10)),
        }
    )  # fmt: skip
    with opened(table) as file:
        when, whole, large = (finish(statistics.answer(file, file.node(f"schema/{i}"))) for i in (1, 2, 3))
    assert when.table.rows[0][1:3] == ("1970-01-01 00:00:00.000000001 UTC", "2023-11-14 22:13:20.123456789 UTC")
    assert isinstance(whole.table.rows[0][2], datetime.datetime)
    assert [tick.text for tick in large.picture.axis.ticks] == ["-1e+26", "-5e+25", "0", "5e+25", "1e+26"]  # fmt: skip


@pytest.mark.parametrize("address", ["schema/1"])
def test_a_column_without_row_groups_has_no_ranges(address):
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, pa.schema([("a", pa.int64())])).close()
    with pqexplore.open(sink.getvalue()) as f:
        columns = statistics.ranges(f, address).columns.by_name
        assert {name: len(values) for name, values in columns.items()} == dict.fromkeys(columns, 0)
