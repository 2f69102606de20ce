"""Reads near each other, served from larger reads: a local file by a few hundred bytes, a store by blocks that grow.

A read of a store is a round trip of tens of milliseconds, in which megabytes could come. So where pages are small, blocks
grow, and bring many headers each. Where pages are large, a block is as long as a header.
"""

from __future__ import annotations

from collections.abc import Callable

from pqexplore.engine.file.prefetch import MERGED
from pqexplore.engine.file.source import Source

HEADER_GUESS = 256
"""Bytes that are first read for a header; statistics of long values can make it larger."""
SMALL_CHUNK = 64 << 10
"""A chunk of up to so many bytes is read in one piece."""
REMOTE_WINDOW = 256 << 10
"""Bytes of the first block if each read is a round trip; a longer page counts as large."""
EXPECTED_HEADER = 128
"""Bytes that are read for each header at once, where the offset index says where all of them are.

Writers of an offset index leave the statistics out of the header, or keep them short: of 11,833 such headers by 14 writers,
30 are longer."""
LONG_HEADER = 4 << 10
"""Bytes that are read for a header that is longer than expected."""


class Window:
    """Reads of a source near each other, served from one larger read, or with `expected` from what is read ahead.

    `end` is where the pages end, `room` where they end at the latest. `page` is how long a page is on average, by the
    footer; 0 if unknown. `go_on` is called before each read; it raises to stop.
    """

    def __init__(
        self,
        source: Source,
        start: int,
        end: int,
        room: int,
        *,
        expected: bool = False,
        page: int = 0,
        go_on: Callable[[], None] = lambda: None,
    ) -> None:
        self.source = source
        self._end, self._room = end, room
        self._start, self._data = (start, memoryview(b"")) if source.held is None else source.held
        self._grows = not source.local and not expected
        self._served = 0
        self._go_on = go_on
        self._size = REMOTE_WINDOW if self._grows else HEADER_GUESS
        self.guess = HEADER_GUESS
        if expected:
            self.guess, self._size = EXPECTED_HEADER, LONG_HEADER
        elif self._grows and page:
            self._size = LONG_HEADER if page > REMOTE_WINDOW else MERGED
        if 0 <= start < end and end - start <= SMALL_CHUNK:
            # a look at the last header may reach beyond the chunk: of a local file, these bytes are read at once, too
            beyond = self.guess if source.local else 0
            self._size = max(self._size, end - start + beyond)

    def at(self, offset: int, length: int) -> memoryview:
        """`length` bytes at `offset`; fewer only at the end of the pages' part of the file."""
        length = min(length, self._room - offset)
        inside = offset - self._start
        if inside < 0 or inside + length > len(self._data):
            known = None if self.source.local else self.source.at_hand(offset)
            if known is None or len(known) < length:
                self._go_on()
                take = min(max(length, self._block(offset)), self._room - offset)
                known = memoryview(self.source.read(offset, take))
            self._data, self._start, self._served, inside = known, offset, 0, 0
        self._served += 1
        return self._data[inside : inside + length]

    def _block(self, offset: int) -> int:
        """Bytes to read from `offset` on."""
        if not self._grows:
            return self._size
        if self._served:  # the block before says how long pages are
            large = offset - self._start > self._served * REMOTE_WINDOW
            self._size = LONG_HEADER if large else min(max(2 * self._size, REMOTE_WINDOW), MERGED)
        return min(self._size, self._end - offset) if offset < self._end else LONG_HEADER

    def held(self, start: int, end: int) -> memoryview | None:
        """The bytes `[start, end)` if they were read already; else None."""
        if start < self._start or end > self._start + len(self._data):
            return None
        return self._data[start - self._start : end - self._start]
