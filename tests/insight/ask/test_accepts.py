"""Intervals of order keys: what they meet, and what they cover."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.format.ordering import Order
from pqexplore.insight.ask.accepted_values import EVERY, Accepts, Interval, point

A, B, C, D = b"a", b"b", b"c", b"d"

MEETS = [
    # interval, from, to, do they have a key in common
    (Interval(B, C), A, B, True),
    (Interval(B, C, low_open=True), A, B, False),
    (Interval(B, C), C, D, True),
    (Interval(B, C, high_open=True), C, D, False),
    (Interval(B, C, low_open=True, high_open=True), B, C, True),
    (Interval(None, B, high_open=True), B, D, False),
    (Interval(None, B), B, D, True),
    (Interval(C, None, low_open=True), A, C, False),
    (Interval(C, None), None, None, True),
    (Interval(C, None, low_open=True), None, C, False),
    (Interval(None, B, high_open=True), B, None, False),
    (point(B), A, A, False),
    (point(B), B, B, True),
    (point(B), None, A, False),
    (point(B), C, None, False),
]


@pytest.mark.parametrize("interval, low, high, expected", MEETS)
def test_meets(interval, low, high, expected):
    assert interval.meets(low, high) is expected


keys = st.integers(0, 6).map(lambda n: bytes([n]))
intervals = st.builds(Interval, st.none() | keys, st.none() | keys, st.booleans(), st.booleans())


def inside(interval, key):
    low = interval.low is None or interval.low < key or (interval.low == key and not interval.low_open)
    high = interval.high is None or key < interval.high or (interval.high == key and not interval.high_open)
    return low and high


@given(intervals, keys, keys)
def test_an_interval_agrees_with_its_keys(interval, a, b):
    low, high = min(a, b), max(a, b)
    common = [key for key in (bytes([n]) for n in range(7)) if low <= key <= high and inside(interval, key)]
    if common:
        assert interval.meets(low, high)
    assert interval.covers(low, high) == (inside(interval, low) and inside(interval, high))


def test_may_and_surely():
    two = Accepts(Order.BYTES, (point(A), Interval(C, None)))
    assert two.may(A, B) and two.may(D, D) and not two.may(B, B)
    assert two.surely(C, D) and not two.surely(A, D)
    assert not Accepts(Order.BYTES, EVERY, exact=False).surely(A, B)
    assert not Accepts(Order.BYTES, ()).may(None, None)


@st.composite
def disjoint(draw):
    """Sorted intervals that do not overlap; the first and the last one may be unbounded."""
    ends = sorted(draw(st.lists(st.integers(0, 30), max_size=12, unique=True)))
    opens = st.booleans()
    made = [
        Interval(bytes([a]), bytes([b]), draw(opens), draw(opens)) for a, b in zip(ends[::2], ends[1::2], strict=False)
    ]
    if made and draw(opens):
        made[0] = Interval(None, made[0].high, high_open=made[0].high_open)
    if made and draw(opens):
        made[-1] = Interval(made[-1].low, None, low_open=made[-1].low_open)
    return tuple(made)


places = st.integers(0, 30).map(lambda n: bytes([n]))


@given(disjoint(), st.none() | places, st.none() | places)
def test_the_search_among_intervals_finds_what_a_look_at_each_finds(made, low, high):
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)
    accepts = Accepts(Order.BYTES, made)
    assert accepts.may(low, high) == any(one.meets(low, high) for one in made)
    if low is not None and high is not None:
        assert accepts.surely(low, high) == any(one.covers(low, high) for one in made)


def test_between_two_open_ends_is_one_key():
    all_but_b = Accepts(Order.BYTES, (Interval(None, B, high_open=True), Interval(B, None, low_open=True)))
    assert not all_but_b.may(B, B)
    assert all_but_b.may(A, B) and all_but_b.may(B, C) and all_but_b.may(A, C)
    assert all_but_b.surely(C, D) and not all_but_b.surely(A, C)
