"""The statistics lens, on files whose answer is known."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from made import one_column, ours

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.axis import axis_of
from pqexplore.insight.lenses import finish, statistics
from pqexplore.insight.skipping import skipping


def opened(table, **options):
    return pqexplore.open(ours(table, **options))


def groups_of(*ranges, kind=pa.int64()):
    """A file of a column `n`, a row group for each pair of bounds (None: nulls only)."""
    values = [v for pair in ranges for v in (pair if pair is not None else (None, None))]
    return opened(pa.table({"n": pa.array(values, kind)}), row_group_rows=2)


def answer_of(file, column=0):
    return finish(statistics.of_leaf(file, file.schema.leaves[column]))


@pytest.mark.parametrize(("ranges", "verdict", "reads", "words"), [
    ([(0, 9), (10, 19), (20, 29)], "sorted", 1.0,
        "reads 1 of 3 on average, because their ranges follow one another in ascending order"),
    ([(20, 29), (10, 19), (0, 9)], "sorted", 1.0, "in descending order"),
    ([(10, 19), (0, 9), (20, 29)], "separate", 1.0, "do not overlap"),
    ([(0, 90), (1, 91), (2, 92)], "useless for skipping", 2.97, "each of them has nearly the same range"),
    # the first two share half of their ranges: 1.5, 1.5 and 1 are covered
    ([(0, 10), (5, 15), (40, 50)], "overlapping", 4 / 3, "neighbours share part"),
    ([(40, 50), (0, 10), (5, 15)], "overlapping", 4 / 3, "because the rows are not sorted by this column"),
    ([(0, 9), None, (10, 19)], "sorted", 1.0, "reads 1 of 3"),
    ([(3, 7)], "one part", 1.0, "There is one row group, from 3 to 7"),
    ([None, None], "no statistics", 0.0, "Nulls only"),
])  # fmt: skip
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


def test_unsigned_numbers_are_compared_as_unsigned():
    top = 2**64 - 1
    answer = answer_of(groups_of((0, 5), (6, top), kind=pa.uint64()))
    assert answer.picture.verdict == "sorted"
    assert answer.table.column("max")[-1] == top


@pytest.mark.parametrize(("options", "words"), [
    ({"statistics": ()}, "because the writer left none for this column"),
    ({"column_order": None}, "the footer names no known column order"),
    ({"statistics_fields": ("null_count",)}, "the writer counted nulls and left minimum and maximum out"),
])  # fmt: skip
def test_a_file_without_usable_statistics_says_why(options, words):
    file = opened(pa.table({"s": ["x", "y"]}), column_index=False, **options)
    answer = answer_of(file)
    assert answer.picture.verdict == "no statistics"
    assert answer.sentence.startswith("No statistics that a query can use") and words in answer.sentence


def test_bounds_without_an_order_are_shown_as_distrusted():
    answer = answer_of(opened(pa.table({"s": ["x", "y"]}), column_index=False, column_order=None))
    assert answer.picture.lanes.state == ["distrusted"]
    assert answer.picture.lanes.text == ["x … y"]
    assert answer.table.column("trusted") == [False]


def test_a_file_without_row_groups_has_no_picture():
    with pqexplore.open(one_column(pa.int32())) as file:
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


@pytest.mark.parametrize(("groups", "words"), [
    ([[], [1, 2], [], [3, 4]], "Row groups are sorted: a filter on one value reads 1 of 4"),
    ([[], [1, 2]], "One of 2 row groups has values, from 1 to 2"),
    ([[], []], "There are no values, and nothing that a filter could skip."),
])  # fmt: skip
def test_row_groups_without_rows_are_never_read(groups, words):
    with pqexplore.open(one_column(pa.int64(), *groups)) as file:
        chunk = file.row_groups[0].columns[0]
        answer = finish(statistics.of_chunk(chunk))
    assert words in answer.sentence


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
    with pqexplore.open(one_column(pa.int64())) as f:
        columns = statistics.ranges(f, address).columns.by_name
        assert {name: len(values) for name, values in columns.items()} == dict.fromkeys(columns, 0)
