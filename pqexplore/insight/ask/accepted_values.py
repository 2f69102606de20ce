"""The values for which a clause is TRUE, as intervals of order keys.

Order keys (`engine.format.ordering`) are bytes that compare as the values do, so one form serves every type and every
comparison: `x > 10` is one interval, `x <> 10` two, `x IN (1, 5)` two points, `LIKE 'ab%'` the interval from "ab" to
"ac". A clause can be TRUE for a row group or page only if one of its intervals meets the range from min to max.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left

from pqexplore.engine.format.ordering import Order


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """Keys from `low` to `high`; None is no bound on that side. An end is outside if `low_open` or `high_open`."""

    low: bytes | None = None
    high: bytes | None = None
    low_open: bool = False
    high_open: bool = False

    def meets(self, low: bytes | None, high: bytes | None) -> bool:
        """Whether the interval and the closed range from `low` to `high` (None: unbounded) have a key in common.

        True also if only a key between two neighbouring keys could be common: the answer errs towards True.
        """
        above = self.low is None or high is None or self.low < high
        below = self.high is None or low is None or low < self.high
        touches_high = self.low == high and not self.low_open
        touches_low = self.high == low and not self.high_open
        return (above or touches_high) and (below or touches_low)

    def covers(self, low: bytes, high: bytes) -> bool:
        """Whether every key from `low` to `high` is in the interval."""
        starts = self.low is None or self.low < low or (self.low == low and not self.low_open)
        ends = self.high is None or high < self.high or (self.high == high and not self.high_open)
        return starts and ends


EVERY = (Interval(),)
"""The intervals of a clause that is TRUE for every value with a position in the order."""


def _end(interval: Interval) -> tuple[bool, bytes]:
    """An interval's upper end, to sort by."""
    return interval.high is None, interval.high or b""


def point(key: bytes) -> Interval:
    """The interval of one key."""
    return Interval(key, key)


@dataclasses.dataclass(frozen=True, slots=True)
class Accepts:
    """Which values of a leaf make a clause TRUE.

    - `order`: the order of the keys, that of the leaf. With `Order.NONE` there are no keys: no bounds apply.
    - `intervals`: of values with a position in the order, sorted and not overlapping; they may accept too much, never
      too little. `exact` says that they accept neither.
    - `null`: whether the clause is TRUE for null.
    - `nan`: whether the clause is TRUE for NaN where NaN is larger than every number and equal to itself, as in Spark,
      DuckDB and polars; `nan_unordered`: whether it is where NaN is unequal to everything, as in Arrow (IEEE 754).
    - `points`: PLAIN bytes of all values that can make the clause TRUE, to look up in Bloom filters; None if there are
      too many to list. Both zeros are listed if a float is compared with zero.
    """

    order: Order
    intervals: tuple[Interval, ...]
    null: bool = False
    nan: bool = False
    nan_unordered: bool = False
    exact: bool = True
    points: tuple[bytes, ...] | None = None

    def may(self, low: bytes | None, high: bytes | None) -> bool:
        """Whether a value with a key from `low` to `high` (None: unbounded) can be accepted."""
        intervals = self.intervals
        # The first interval that does not end before `low`; its end can be open, so the next one is asked, too.
        first = 0 if low is None else bisect_left(intervals, (False, low), key=_end)
        return any(interval.meets(low, high) for interval in intervals[first : first + 2])

    def surely(self, low: bytes, high: bytes) -> bool:
        """Whether every value with a key from `low` to `high` is accepted."""
        intervals = self.intervals
        first = bisect_left(intervals, (False, low), key=_end)
        return self.exact and any(one.covers(low, high) for one in intervals[first : first + 2])

    def takes(self, key: bytes) -> bool:
        """Whether a value with this key can be accepted."""
        return self.may(key, key)
