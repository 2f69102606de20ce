"""How many row groups or pages a filter on one value has to read, by their ranges.

A part is skipped if its range rules the value out. If ranges follow one another, one part is read; if all ranges are
the same, all parts are. `reads` is the average number: for a value drawn evenly from the range of its part, the number
of parts whose range contains it.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.insight.axis import Places, Ranks

USELESS = 0.9
"""If this share of the parts is read for one value, their ranges are useless for skipping."""

SORTED, SEPARATE, OVERLAPPING, USELESS_FOR_SKIPPING, NO_STATISTICS, ALONE = (
    *("sorted", "separate", "overlapping", "useless for skipping", "no statistics", "one part"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Skipping:
    """The verdict on the ranges of some parts.

    `reads` is how many of `parts` a filter on one value reads on average, parts without a range included. `known` parts
    have a range. `empty` parts have only nulls or no values, and are always skipped. `direction` is 1 if both bounds
    ascend from part to part, -1 if they descend, else 0. `apart`: no two ranges share more than an end.
    """

    verdict: str
    reads: float
    parts: int
    known: int
    empty: int
    direction: int
    apart: bool


def skipping(low: Places, high: Places, low_rank: Ranks, high_rank: Ranks, weight: Places, empty: int = 0) -> Skipping:
    """The verdict on parts whose ranges lie between these places of an axis (NaN: no range).

    `low`, `high` and `weight` are float64, the ranks int64, all of shape (parts,). `weight` is how many values each part
    has; `empty` is how many of the parts without a range have only nulls, or no values.
    """
    parts = len(low)
    usable = (low_rank >= 0) & (high_rank >= 0) & (low_rank <= high_rank)
    known, unknown = int(usable.sum()), parts - int(usable.sum()) - empty
    if not known:
        return Skipping(NO_STATISTICS, float(unknown), parts, 0, empty, 0, True)
    a, b, ra, rb = low[usable], high[usable], low_rank[usable], high_rank[usable]
    weights = np.maximum(weight[usable], 1.0)
    reads = float(np.average(_covered(a, b, ra, rb), weights=weights)) + unknown
    direction = _direction(ra, rb)
    by_low = np.argsort(ra, kind="stable")
    apart = bool((rb[by_low][:-1] <= ra[by_low][1:]).all())
    if parts - empty == 1:
        verdict = ALONE
    elif reads >= USELESS * (parts - empty):
        verdict = USELESS_FOR_SKIPPING
    elif unknown == 0 and apart and direction:
        verdict = SORTED
    elif unknown == 0 and apart:
        verdict = SEPARATE
    else:
        verdict = OVERLAPPING
    return Skipping(verdict, reads, parts, known, empty, direction, apart)


def _direction(low: Ranks, high: Ranks) -> int:
    if (np.diff(low) >= 0).all() and (np.diff(high) >= 0).all():
        return 1
    return -1 if (np.diff(low) <= 0).all() and (np.diff(high) <= 0).all() else 0


def _covered(low: Places, high: Places, low_rank: Ranks, high_rank: Ranks) -> Places:
    """For each part, how many ranges contain a point of its range, on average."""
    starts, ends = np.sort(low), np.sort(high)
    points = np.unique(np.concatenate([low, high]))
    over = np.searchsorted(starts, points, "right") - np.searchsorted(ends, points, "right")
    area = np.concatenate([[0.0], np.cumsum(over[:-1] * np.diff(points))])
    length = high - low
    inside = np.interp(high, points, area) - np.interp(low, points, area)
    at_point = np.searchsorted(np.sort(low_rank), low_rank, "right") - np.searchsorted(
        np.sort(high_rank), low_rank, "left"
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = inside / length
    return np.where(length > 1e-12, np.maximum(mean, 1.0), at_point.astype(np.float64))


def number(reads: float) -> str:
    """`7`, or `1.4`: one digit after the point for a small fraction."""
    return f"{reads:,.0f}" if abs(reads - round(reads)) < 0.05 or reads >= 100 else f"{reads:.1f}"
