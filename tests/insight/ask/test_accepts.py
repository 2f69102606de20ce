"""Intervals of order keys: the search finds what a look at every interval finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.format.ordering import Order
from pqexplore.insight.ask.accepts import Accepts, Interval

keys = st.integers(0, 30).map(lambda n: bytes([n]))


@st.composite
def disjoint(draw):
    """Sorted intervals that do not overlap; the first and the last one may be unbounded."""
    ends = sorted(draw(st.lists(keys, max_size=12, unique=True)))
    pairs = [(ends[i], ends[i + 1]) for i in range(0, len(ends) - 1, 2)]
    made = [Interval(low, high, draw(st.booleans()), draw(st.booleans())) for low, high in pairs]
    if made and draw(st.booleans()):
        made[0] = Interval(None, made[0].high, high_open=made[0].high_open)
    if made and draw(st.booleans()):
        made[-1] = Interval(made[-1].low, None, low_open=made[-1].low_open)
    return tuple(made)


@given(disjoint(), st.none() | keys, st.none() | keys)
def test_a_range_meets_what_any_interval_meets(intervals, low, high):
    if low is not None and high is not None and low > high:
        low, high = high, low
    accepts = Accepts(Order.BYTES, intervals)
    assert accepts.may(low, high) == any(one.meets(low, high) for one in intervals)
    if low is not None and high is not None:
        assert accepts.surely(low, high) == any(one.covers(low, high) for one in intervals)


@pytest.mark.parametrize(
    ("low", "high", "may", "surely"),
    [
        (b"a", b"a", False, False),  # between the two: both ends are open
        (b"A", b"a", True, False),
        (b"a", b"b", True, False),
        (b"A", b"B", True, True),
        (b"A", b"b", True, False),
        (None, None, True, False),
    ],
)
def test_intervals_that_leave_out_one_key(low, high, may, surely):
    accepts = Accepts(
        Order.BYTES, (Interval(None, b"a", high_open=True), Interval(b"a", None, low_open=True))
    )
    assert accepts.may(low, high) is may
    if low is not None and high is not None:
        assert accepts.surely(low, high) is surely
