"""Reads ranges of a remote file before they are asked for, many at the same time.

A read of a store costs a round trip of tens of milliseconds, whatever its size. A reader that knows where it will read
says so (`Source.expecting`). The first of these reads then brings the next ones with it: ranges with few bytes between them
become one request, and up to `AT_ONCE` requests are under way at the same time. A batch has up to `BATCH_RANGES` ranges
and `BATCH_BYTES` bytes, and only the last batch is kept, so memory is bounded.
"""

from __future__ import annotations

import bisect
import contextvars
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from pqexplore.engine.arrays import Int64s

Ranges: TypeAlias = Sequence[tuple[int, int]] | Int64s
"""(start, length) pairs; an array of shape (n, 2)."""

Data: TypeAlias = "bytes | memoryview"
One = TypeVar("One")
Result = TypeVar("Result")

REMOTE_TAIL = 120 << 10
"""Bytes at the end of a remote file that come with its size, in one request: most footers fit."""
NO_TAIL = 8
"""Bytes at the end of a remote file whose footer is not read: they bring its size."""
REMOTE_HEAD = 4 << 10
"""Bytes at the beginning of a remote file that are read at once: the magic and the first page header."""
AT_ONCE = 32
"""Requests that are under way at the same time."""
GAP = 8 << 10
"""Bytes between two ranges up to which they become one request: `hole_size_limit` of Arrow's `CacheOptions::Defaults`.

Source: https://github.com/apache/arrow/blob/main/cpp/src/arrow/io/caching.h."""
SHARE = 400
"""Of so many bytes from the first range to the last, one may be read that is between ranges.

With it, the headers of pages of 20 kB and more cost less than a hundredth of the pages."""
SPARE = 32 << 10
"""Bytes between ranges that may be read in any case."""
MERGED = 4 << 20
"""Bytes of one request that was made of several ranges."""
NEAR = 1 << 20
"""Bytes of a chunk up to which one request brings it with its page headers, where each request brings one range."""
NEAR_PAGE = 64 << 10
"""Bytes of a page, on average, up to which it does so for a chunk of up to `MERGED`.

On S3 as AWS describes it (30 ms, 85 MB/s a request), 1 MB takes as long as 10 ranges with the 10 connections of s3fs; at 10 MB/s
it takes as long as 20 (docs/stores.md). It costs one request, and later reads of the pages cost none."""
BATCH_RANGES = 1024
BATCH_BYTES = 8 << 20


def merged(ranges: Ranges) -> list[tuple[int, int]]:
    """The requests that bring the ranges, in order of their starts: those with few bytes between them are joined.

    The smallest gaps are joined first, up to `GAP` each, and together up to `SPARE` and `SHARE`; a joined request has up to
    `MERGED` bytes. So a few small pages become one request, and large pages are not read.
    """
    if not len(ranges):
        return []
    pairs = np.array(ranges, np.int64)
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    ends = np.maximum.accumulate(pairs.sum(axis=1))
    gaps = np.maximum(pairs[1:, 0] - ends[:-1], 0)
    order = np.argsort(gaps, kind="stable")
    spare = max(SPARE, int(ends[-1] - pairs[0, 0]) // SHARE)
    near = np.zeros(len(gaps), bool)
    near[order[np.cumsum(gaps[order]) <= spare]] = True
    near &= gaps <= GAP
    joined = [(int(pairs[0, 0]), int(ends[0]))]
    for start, end, close in zip(pairs[1:, 0].tolist(), ends[1:].tolist(), near.tolist(), strict=True):
        first, last = joined[-1]
        if start < last or (close and end - first <= MERGED):
            joined[-1] = first, end
        else:
            joined.append((start, end))
    return [(start, end - start) for start, end in joined]


def near(ranges: Int64s) -> Int64s:
    """The ranges of pages, one after the other, as one range if that is cheaper than a request for each."""
    if len(ranges) < 3:
        return ranges
    first, end = int(ranges[:, 0].min()), int(ranges.sum(axis=1).max())
    if end - first > min(MERGED, max(NEAR, NEAR_PAGE * len(ranges))):
        return ranges
    return np.array([[first, end - first]], np.int64)


def together(fetch: Callable[[One], Result], wanted: Sequence[One]) -> list[Result]:
    """What `fetch` gives of each, requested at the same time. Raises the first error; the others are cancelled."""
    if len(wanted) < 2:
        return [fetch(one) for one in wanted]
    from concurrent.futures import ThreadPoolExecutor  # local files do without it

    pool = ThreadPoolExecutor(min(AT_ONCE, len(wanted)), "pqexplore-range")
    try:
        sent = [pool.submit(contextvars.copy_context().run, fetch, one) for one in wanted]
        return [one.result() for one in sent]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Expected:
    """Ranges of a file in the order in which they will be read. Safe to use from several threads.

    Each range is fetched once; a later read of it that is not served any more is an ordinary read. `fetch` gives the bytes
    of several (start, length) pairs.
    """

    def __init__(self, fetch: Callable[[list[tuple[int, int]]], Sequence[Data]], ranges: Int64s) -> None:
        self._fetch = fetch
        self._ranges = ranges
        self._order = np.argsort(ranges[:, 0], kind="stable")
        self._sorted = ranges[self._order, 0]
        self._fetched = np.zeros(len(ranges), bool)
        self._starts: list[int] = []
        self._data: list[memoryview] = []
        self._lock = threading.Lock()

    def at(self, offset: int) -> memoryview | None:
        """The bytes from `offset` on, to the end of what was read at once; None if no range there is expected."""
        with self._lock:
            known = self._at_hand(offset)
            if known is None and (place := self._place(offset)) is not None:
                self._bring(place)
                known = self._at_hand(offset)
            return known

    def _at_hand(self, offset: int) -> memoryview | None:
        place = bisect.bisect_right(self._starts, offset) - 1
        if place < 0 or offset >= self._starts[place] + len(self._data[place]):
            return None
        return self._data[place][offset - self._starts[place] :]

    def _place(self, offset: int) -> int | None:
        """The number of a range that holds the byte at `offset` and was not fetched yet."""
        at = int(np.searchsorted(self._sorted, offset, "right")) - 1
        if at < 0:
            return None
        place = int(self._order[at])
        start, length = self._ranges[place]
        return None if self._fetched[place] or offset >= start + length else place

    def _bring(self, place: int) -> None:
        ahead = slice(place, place + BATCH_RANGES)
        size = np.cumsum(self._ranges[ahead, 1] + GAP)  # GAP: up to as many are read between two
        count = int(np.searchsorted(size, BATCH_BYTES, "right")) or 1
        if self._fetched[ahead][:count].any():
            count = int(np.argmax(self._fetched[ahead]))
        end = place + count
        self._fetched[place:end] = True
        wanted = merged(self._ranges[place:end])
        self._starts, self._data = [], []  # not two batches at the same time
        self._data = [memoryview(one) for one in self._fetch(wanted)]
        self._starts = [start for start, _ in wanted]
