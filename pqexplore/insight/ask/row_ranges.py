"""Ranges of rows in a row group: half-open, sorted, not touching. AND intersects them, OR unites them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

RowRange = tuple[int, int]
Ranges = tuple[RowRange, ...]


def whole(num_rows: int) -> Ranges:
    """All rows of a row group."""
    return ((0, num_rows),) if num_rows > 0 else ()


def normal(ranges: Iterable[RowRange]) -> Ranges:
    """The same rows as sorted ranges that do not touch."""
    made: list[RowRange] = []
    for start, end in sorted(one for one in ranges if one[0] < one[1]):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return tuple(made)


def united(all_ranges: Sequence[Ranges]) -> Ranges:
    """The rows in any of them."""
    return normal(one for ranges in all_ranges for one in ranges)


def intersected(a: Ranges, b: Ranges) -> Ranges:
    """The rows in both."""
    made, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        start, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < end:
            made.append((start, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(made)


def count(ranges: Ranges) -> int:
    """How many rows they have."""
    return sum(end - start for start, end in ranges)


def overlaps(ranges: Ranges, start: int, end: int) -> bool:
    """Whether a row from `start` to `end` (exclusive) is in one of them."""
    from bisect import bisect_left

    at = bisect_left(ranges, (start, start))
    if at < len(ranges) and ranges[at][0] < end:
        return start < end
    return at > 0 and ranges[at - 1][1] > start and start < end
