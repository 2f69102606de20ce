"""Rows that meet a condition, and rows in the order of a column: what pyarrow finds, and no row group read in vain."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import rows as lens
from pqexplore.insight.lenses.lens import finish
from pqexplore.insight.lenses.rows.selection import MATCHES, TOP, match_rows, sort_rows
from pqexplore.insight.lenses.rows.summaries import summaries

SIZE = 3_000


def made():
    numbers = range(SIZE)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "city": [None if n % 10 == 3 else ("Oslo", "Lima", "Bern")[n * 7 % 3] for n in numbers],
            "mixed": pa.array([(n * 7_919) % 1_009 - 500 for n in numbers], pa.int32()),
            "score": pa.array([None if n % 5 == 0 else float("nan") if n % 7 == 0 else -n / 3 for n in numbers]),
            "unsigned": pa.array([(n * 1_234_567_891) % 2**32 for n in numbers], pa.uint32()),
            "when": pa.array([datetime.datetime(2020, 1, 1) - datetime.timedelta(n) for n in numbers]),
            "price": pa.array([decimal.Decimal(n % 700 - 50) / 4 for n in numbers], pa.decimal128(9, 2)),
            "tags": [[n] for n in numbers],
        }
    )


@pytest.fixture(scope="module")
def table():
    return made()


@pytest.fixture(scope="module")
def file(table):
    with pqexplore.open(parquet(table, row_group_size=500)) as opened:
        yield opened


def matching(file, where, start=0, stop=SIZE):
    return finish(match_rows(file, where, start, stop))


@pytest.mark.parametrize(("where", "filter_"), [
    ("id >= 2900", pc.field("id") >= 2900),
    ("city = 'Oslo' AND id < 700", (pc.field("city") == "Oslo") & (pc.field("id") < 700)),
    ("city IS NULL AND id > 2000", pc.field("city").is_null() & (pc.field("id") > 2000)),
    ("mixed IN (7, 8) OR id = 0", pc.field("mixed").isin([7, 8]) | (pc.field("id") == 0)),
    ("id < 0", pc.field("id") < 0),
])  # fmt: skip
def test_matching_rows_are_those_of_pyarrow(file, table, where, filter_):
    wanted = table.filter(filter_)["id"].to_pylist()
    found = matching(file, where)
    assert (found.rows, found.next, found.error) == (wanted, None, "")
    noun = "row" if len(wanted) == 1 else "rows"
    assert found.sentence.startswith(f"{len(wanted):,} {noun}: ")


@pytest.mark.parametrize(("where", "words"), [
    ("id >= 2900", "1 row group was read, 5 skipped."),
    ("id >= 2400", "2 row groups were read, 4 skipped."),
    ("id < 0", "0 row groups were read, 6 skipped."),
])  # fmt: skip
def test_row_groups_without_a_match_are_not_read(file, where, words):
    assert words in matching(file, where).sentence


def test_matches_come_in_pages(file):
    first = matching(file, "id >= 100")
    assert first.rows == list(range(100, 100 + MATCHES)) and first.next == 100 + MATCHES
    assert "1,000 rows so far" in first.sentence
    second = matching(file, "id >= 100", first.next)
    assert second.rows[0] == first.next
    last = matching(file, "id >= 100", second.next)
    assert last.rows == list(range(2_100, SIZE)) and last.next is None
    assert "so far" not in last.sentence


def test_a_row_group_finds_its_own_matches(file):
    assert matching(file, "id >= 900", 500, 1000).rows == list(range(900, 1000))


@pytest.mark.parametrize("where", ["nobody = 1", "id >", "lower(city) = 'x' OR"])
def test_a_condition_that_cannot_be_asked_is_an_error(file, where):
    found = matching(file, where)
    assert found.error and not found.rows
    with pytest.raises(UsageError):
        matching(file, " ")


def wanted_order(table, column, largest):
    values = table[column]
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), None, values)
    order = "descending" if largest else "ascending"
    at = pc.sort_indices(values, sort_keys=[("", order)])[:TOP].to_pylist()
    return [values[i].as_py() for i in at if values[i].is_valid]


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("column", [0, 1, 2, 3, 4, 5, 6])
def test_sorted_rows_have_the_values_of_pyarrow(file, table, column, largest):
    found = finish(sort_rows(file, column, largest, 0, SIZE))
    values = table.column(column).take(pa.array(found.rows)).to_pylist()
    assert values == wanted_order(table, table.column_names[column], largest)
    assert len(set(found.rows)) == TOP


@pytest.mark.parametrize(("column", "largest", "words"), [
    (0, False, "The 200 rows with the smallest values of `id`: 1 of 6 row groups read"),
    (0, True, "The 200 rows with the largest values of `id`: 1 of 6 row groups read"),
    (2, True, "6 of 6 row groups read"),
])  # fmt: skip
def test_bounds_spare_row_groups(file, column, largest, words):
    found = finish(sort_rows(file, column, largest, 0, SIZE))
    assert words in found.sentence
    assert ("rule out the others" in found.sentence) == ("1 of 6" in words)


def test_without_statistics_all_row_groups_are_read(table):
    with pqexplore.open(parquet(table, row_group_size=500, write_statistics=False)) as plain:
        found = finish(sort_rows(plain, 0, True, 0, SIZE))
    assert found.rows == list(range(SIZE - 1, SIZE - 1 - TOP, -1))
    assert "6 of 6 row groups read" in found.sentence


def test_much_is_asked_before_it_is_read(file, monkeypatch):
    monkeypatch.setattr("pqexplore.insight.lenses.rows.selection.ASKS_BEYOND", 100)
    asked = finish(sort_rows(file, 2, False, 0, SIZE))
    assert asked.rows == [] and "smallest values of `mixed`, about" in asked.ask
    assert len(finish(sort_rows(file, 2, False, 0, SIZE, True)).rows) == TOP


def test_lists_are_not_sorted(file):
    assert "its rows have lists" in finish(sort_rows(file, 7, False, 0, SIZE)).error
    with pytest.raises(UsageError):
        finish(sort_rows(file, 8, False, 0, SIZE))


def test_these_rows_are_the_rows_of_the_grid(file):
    numbers = [2_999, 0, 700]
    these = lens.read_these(file, numbers, 0).columns.by_name
    assert these["0"] == ["2999", "0", "700"]
    assert these["1"][1] == lens.read(file, 0, 0).columns.by_name["1"][0]
    for rows, column in (([SIZE], 0), ([0] * 51, 0), ([0], 1), ([-1], 0), (["0"], 0)):
        with pytest.raises(UsageError):
            lens.read_these(file, rows, column)


def summary(file, group=None):
    return dict(
        zip(
            [".".join(leaf.path) for leaf in file.schema.leaves], finish(summaries(file, 0, group)).columns, strict=True
        )
    )


def test_summaries_say_bounds_nulls_and_distinct(file):
    found = summary(file)
    assert (found["id"].low, found["id"].high, found["id"].nulls) == ("0", "2999", 0.0)
    assert found["id"].distinct == "at most 3,000 distinct"
    assert [(bar.low, bar.high) for bar in found["id"].bars][:2] == [
        (0.0, round(499 / 2999, 4)),
        (round(500 / 2999, 4), round(999 / 2999, 4)),
    ]
    assert (found["city"].low, found["city"].high) == ("Bern", "Oslo")
    assert found["city"].nulls == pytest.approx(0.1)
    assert found["city"].distinct == "at most 18 distinct"  # 3 in each of 6 dictionaries
    own = summary(file, 5)["id"]
    assert (own.low, own.high, own.bars) == ("2500", "2999", [])
    assert (len(own.counts), sum(own.counts), sum(found["id"].counts)) == (32, 500, 3000)
    assert found["city"].counts == []


def test_a_column_of_which_not_all_values_can_be_counted_has_no_histogram():
    numbers = [float(i) for i in range(100)]
    nan = [*numbers[:99], float("nan")]
    data = bytearray(parquet(pa.table({"whole": numbers, "nan": nan, "damaged": numbers}), use_dictionary=False))
    with pqexplore.open(bytes(data)) as file:
        page = file.row_groups[0].columns["damaged"].pages[0]
        assert sum(summary(file)["damaged"].counts) == 100
    data[page.frame.header_end : page.frame.end] = b"\xff" * (page.frame.end - page.frame.header_end)
    with pqexplore.open(bytes(data)) as file:
        found = summary(file)
    assert sum(found["whole"].counts) == 100
    assert (found["nan"].counts, found["damaged"].counts) == ([], [])


def test_summaries_do_not_say_what_the_file_does_not(table):
    """Near miss: the same file without statistics and dictionaries."""
    data = parquet(table, row_group_size=500, write_statistics=False, use_dictionary=False)
    with pqexplore.open(data) as plain:
        for one in summary(plain).values():
            assert (one.low, one.high, one.nulls, one.distinct, one.bars) == ("", "", None, "", [])


def test_one_row_group_without_bounds_makes_the_range_unknown(table):
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, pa.schema([("x", pa.string())]), write_statistics=True) as writer:
        writer.write_table(pa.table({"x": ["a", "b"]}))
        writer.write_table(pa.table({"x": pa.array([None, None], pa.string())}))
    with pqexplore.open(sink.getvalue().to_pybytes()) as some:
        found = summary(some)["x"]
    assert (found.low, found.high, found.nulls) == ("a", "b", 0.5)


def test_summaries_begin_at_blocks(file):
    for column, group in ((1, None), (16, None), (0, 6), (0, -1)):
        with pytest.raises(UsageError):
            finish(summaries(file, column, group))
