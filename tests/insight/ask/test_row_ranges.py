"""Row ranges behave as sets of rows do."""

from hypothesis import given
from hypothesis import strategies as st

from pqexplore.insight.ask import row_ranges

ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6).map(row_ranges.normal)


def rows(found):
    return {row for start, end in found for row in range(start, end)}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6))
def test_normal_keeps_the_rows_in_sorted_ranges_that_do_not_touch(given_ranges):
    found = row_ranges.normal(given_ranges)
    assert rows(found) == rows(given_ranges)
    assert all(a[1] < b[0] for a, b in zip(found, found[1:]))
    assert row_ranges.count(found) == len(rows(given_ranges))


@given(ranges, ranges)
def test_and_or(a, b):
    assert rows(row_ranges.intersected(a, b)) == rows(a) & rows(b)
    assert rows(row_ranges.united([a, b])) == rows(a) | rows(b)
    assert row_ranges.intersected(a, b) == row_ranges.normal(row_ranges.intersected(a, b))


@given(ranges, st.integers(0, 30), st.integers(0, 30))
def test_overlaps(found, start, end):
    assert row_ranges.overlaps(found, start, end) == bool(rows(found) & set(range(start, end)))


def test_whole():
    assert row_ranges.whole(5) == ((0, 5),)
    assert row_ranges.whole(0) == ()
