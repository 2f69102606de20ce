"""What ranges are worth to a query: how many of them a filter on one value has to read.

Row groups and pages are skipped where their range rules the value out. Ranges that follow one another leave one to
read; ranges that all span the same leave all of them. Between these two lies `reads`: for a value that occurs, drawn
evenly from the range of the part that it is in, the parts whose range holds it, on average.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.insight.axis import Places, Ranks

USELESS = 0.9
"""Where this share of the parts is read for one value, their ranges are useless for skipping."""

SORTED, SEPARATE, OVERLAPPING, USELESS_FOR_SKIPPING, NO_STATISTICS, ALONE = (
    *("sorted", "separate", "overlapping", "useless for skipping", "no statistics", "one part"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Skipping:
    """The verdict on the ranges of some parts.

    `reads` is how many of `parts` a filter on one value reads on average, those of which nothing is known included;
    `known` have a range, `empty` have nulls only, or no values at all, and are always skipped. `direction` is 1 where both bounds ascend
    from part to part, -1 where they descend, 0 where neither.
    """

    verdict: str
    reads: float
    parts: int
    known: int
    empty: int
    direction: int


def skipping(
    low: Places, high: Places, low_rank: Ranks, high_rank: Ranks, weight: Places, empty: int = 0
) -> Skipping:
    """The verdict on parts whose ranges lie between these places of an axis (NaN: no range).

    `weight` is how many values each part has; `empty` of those without a range have only nulls, or nothing.
    """
    parts = len(low)
    usable = (low_rank >= 0) & (high_rank >= 0) & (low_rank <= high_rank)
    known, unknown = int(usable.sum()), parts - int(usable.sum()) - empty
    if not known:
        return Skipping(NO_STATISTICS, float(unknown), parts, 0, empty, 0)
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
    return Skipping(verdict, reads, parts, known, empty, direction)


def _direction(low: Ranks, high: Ranks) -> int:
    if (np.diff(low) >= 0).all() and (np.diff(high) >= 0).all():
        return 1
    return -1 if (np.diff(low) <= 0).all() and (np.diff(high) <= 0).all() else 0


def _covered(low: Places, high: Places, low_rank: Ranks, high_rank: Ranks) -> Places:
    """Over the range of each part, how many ranges lie over a point of it on average."""
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
    """`7`, or `1.4`: as exact as it is of use."""
    return f"{reads:,.0f}" if abs(reads - round(reads)) < 0.05 or reads >= 100 else f"{reads:.1f}"
