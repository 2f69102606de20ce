"""Which values a clause accepts, of each type: sound for every reading of a literal, exact where all agree."""

import datetime
import time
from pathlib import Path

import pytest
from insight.ask.typed_columns import DAY, NOON, accepted_values, bound
from table_files import table_rows

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import bound as bounds
from pqexplore.insight.ask.bound import Always, Both, Either, Undecided, columns

TABLES = Path(__file__).parent / "tables" / "binding.txt"

TOMORROW = DAY + datetime.timedelta(1)
FIRST, LAST = -(1 << 63), (1 << 63) - 1
BIG = 1 << 53


@pytest.mark.parametrize(("condition", "values"), table_rows(TABLES, "accepted values"))
def test_the_values_that_a_clause_accepts(condition, values):
    test = bound(condition)
    if values == "two clauses":
        assert isinstance(test, Both)
        assert accepted_values(test.parts[0])[0] == 1
        assert accepted_values(test.parts[1])[-1] == 2
        return
    assert isinstance(test, bounds.Test)
    assert repr([value for value in accepted_values(test) if value == value]) == values


@pytest.mark.parametrize(("condition", "largest", "unordered"), table_rows(TABLES, "NaN, the largest or unordered"))
def test_nan_is_the_largest_value_or_unequal_to_all(condition, largest, unordered):
    accepts = bound(condition).accepts
    assert (str(accepts.nan), str(accepts.nan_unordered)) == (largest, unordered)


@pytest.mark.parametrize(("condition", "points"), table_rows(TABLES, "points"))
def test_points_are_the_plain_bytes_of_every_value_that_can_match(condition, points):
    bounds = bound(condition)
    for test in bounds.parts if isinstance(bounds, Both) else [bounds]:
        found = test.accepts.points
        assert ("None" if found is None else ", ".join(one.hex() for one in found)) == points


@pytest.mark.parametrize(("condition", "exact"), table_rows(TABLES, "exact"))
def test_what_is_read_in_several_ways_is_not_exact(condition, exact):
    assert str(bound(condition).accepts.exact) == exact


@pytest.mark.parametrize(("condition", "parts"), table_rows(TABLES, "errors"))
def test_what_does_not_fit_is_an_error_that_says_what_would(condition, parts):
    with pytest.raises(UsageError) as raised:
        bound(condition)
    for part in parts.split(" & "):
        assert part in str(raised.value)


@pytest.mark.parametrize(("condition", "why", "leaves"), table_rows(TABLES, "undecided"))
def test_what_nothing_decides_says_why_and_which_columns_it_reads(condition, why, leaves):
    found = bound(condition)
    assert isinstance(found, Undecided)
    assert why in found.why
    assert {".".join(leaf.path) for leaf in found.leaves} == set(leaves.split(", "))


@pytest.mark.parametrize(("condition", "column", "repeated"), table_rows(TABLES, "names"))
def test_names_find_their_column(condition, column, repeated):
    test = bound(condition)
    assert isinstance(test, bounds.Test)
    assert (test.column, str(test.repeated)) == (column, repeated)


def test_a_zoneless_timestamp_is_read_in_utc_and_a_remark_says_so():
    condition = "at > TIMESTAMP '2020-01-01 12:00:00'"
    assert "has no time zone, and is read in UTC" in bound(condition).remark
    assert bound(condition, timezone="UTC").remark == ""
    assert bound("at > TIMESTAMP '2020-01-01 12:00:00Z'").remark == ""
    assert bound("clock > TIMESTAMP '2020-01-01 12:00:00'").remark == ""
    assert bound("fine IN (DATE '2020-01-01')").remark == ""
    assert accepted_values(bound("at = TIMESTAMP '2020-01-01 13:00:00'", "Europe/Berlin")) == [
        NOON.replace(tzinfo=datetime.UTC)
    ]


def test_a_timestamp_at_a_change_of_clocks_is_every_instant_that_it_can_mean():
    """In Berlin, 02:30 is twice on 2020-10-25: at 00:30 and at 01:30 UTC."""
    accepts = bound("at = TIMESTAMP '2020-10-25 02:30:00'", "Europe/Berlin").accepts
    early = bound("at = TIMESTAMP '2020-10-25 00:30:00Z'").accepts.intervals[0].low
    late = bound("at = TIMESTAMP '2020-10-25 01:30:00Z'").accepts.intervals[0].low
    assert accepts.takes(early)
    assert accepts.takes(late)
    assert not accepts.exact


def test_a_float_literal_that_engines_read_differently_is_remarked():
    assert "DuckDB compares both as floats" in bound("f = 0.1").remark
    assert bound("f = 0.5").remark == bound("d = 0.1").remark == ""
    assert bound("f = float('0.1')").remark == bound("f = 1e-1").remark == ""


def test_and_or_and_constants_are_kept():
    found = bound("(i32 = 1 OR s = 'a') AND TRUE")
    assert isinstance(found, Both)
    assert isinstance(found.parts[0], Either)
    assert isinstance(found.parts[1], Always)
    assert [leaf.name for leaf in columns(found)] == ["i32", "s"]


def test_ten_thousand_values_are_bound_and_asked_quickly():
    listed = ", ".join(str(3 * n) for n in range(10_000))
    before = time.process_time()
    test = bound(f"i64 IN ({listed})")
    asked = [test.accepts.takes(interval.low) for interval in test.accepts.intervals]
    assert len(asked) == 10_000
    assert all(asked)
    assert bound("i64 = 1").accepts.intervals[0].low not in test.accepts.points
    assert time.process_time() - before < 10
