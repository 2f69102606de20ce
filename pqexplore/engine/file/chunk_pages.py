"""The pages of a chunk as a sequence, by a walk through the page headers or by the offset index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError, ParquetError, located
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_headers import PageFrame, Walk, check_header, read_header
from pqexplore.engine.file.prefetch import Ranges, near
from pqexplore.engine.file.window import EXPECTED_HEADER, Window
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.handle import Handle, listing

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk


Starts = Sequence[int] | Int64s
"""File offsets of pages in order, and the end of the last one."""


class WalkedPages(Handle, Sequence[Page]):
    """Pages found by a walk. If the walk ended in damage, an index after the last page raises that error."""

    def __init__(self, chunk: ColumnChunk, walk: Walk) -> None:
        self._chunk = chunk
        self._walk = walk

    @property
    def error(self) -> ParquetError | None:
        """The damage that ended the walk; None if it reached the end."""
        return self._walk.error

    def __len__(self) -> int:
        return len(self._walk.frames)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> list[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | list[Page]:
        frames = self._walk.frames
        if isinstance(index, slice):
            return [Page(self._chunk, i, frames[i]) for i in range(*index.indices(len(frames)))]
        if not -len(frames) <= index < len(frames):
            if self._walk.error is not None:
                raise self._walk.error
            raise IndexError(f"page {index} of {len(frames)}")
        return Page(self._chunk, index % len(frames), frames[index])

    def __repr__(self) -> str:
        return listing(self, "page")


class IndexedPages(Handle, Sequence[Page]):
    """Pages that the offset index locates. A header is read when its page is used.

    On a remote file, an iteration reads all headers at once (see `ahead`): by one request where a server gives several
    ranges, or the chunk is small; else by a request a page, at the same time.
    """

    def __init__(self, chunk: ColumnChunk, starts: Starts, first_ordinal: int) -> None:
        self._chunk = chunk
        self._starts = starts
        self._first_ordinal = first_ordinal

    INTERNAL = frozenset({"ahead", "at_once", "headers", "starts"})

    @property
    def starts(self) -> Starts:
        """The file offset of each page, and then the end of the last one."""
        return self._starts

    @property
    def ahead(self) -> int:
        """Pages before the first data page: 1 if there is a dictionary page, else 0."""
        return self._first_ordinal

    @property
    def headers(self) -> Int64s:
        """Where the page headers are expected, as ranges for `Source.expecting`."""
        starts = np.asarray(self._starts, np.int64)
        return np.stack([starts[:-1], np.minimum(np.diff(starts), EXPECTED_HEADER)], axis=1)

    def at_once(self, index: slice = slice(None)) -> Ranges:
        """What is read for the headers of these pages, as ranges for `Source.expecting`; empty for one, and if a read is no round trip."""
        home, headers = self._chunk.home, self.headers[index]
        if home.local or len(headers) < 2:
            return ()
        if home.gives_many:
            return headers
        starts = np.asarray(self._starts, np.int64)
        pages = near(np.stack([starts[:-1], np.diff(starts)], axis=1)[index])
        return pages if len(pages) == 1 else headers

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[Page]:
        with self._chunk.home.expecting(self.at_once()):
            for index in range(len(self)):
                yield self[index]

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> list[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | list[Page]:
        if isinstance(index, slice):
            with self._chunk.home.expecting(self.at_once(index)):
                return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"page {index} of {len(self)}")
        index %= len(self)
        chunk, body = self._chunk, None

        def make() -> PageFrame:
            nonlocal body
            frame, body = self._read(index)
            return frame

        frame = chunk.file.cache.get((chunk.address, index, "frame"), make, lambda _: 1024)
        return Page(chunk, index, frame, body=body)

    def __repr__(self) -> str:
        return listing(self, "page")

    def _read(self, index: int) -> tuple[PageFrame, memoryview | None]:
        """The header of a page and, if the page is so small that it was read whole, its body."""
        chunk, start, end = self._chunk, int(self._starts[index]), int(self._starts[index + 1])
        window = Window(chunk.home, start, end, end, expected=chunk.home.expects)
        with located(Address.of(chunk.address, "pages", index, "header"), start):
            header, body = read_header(window, start, end)
            if body + (header.compressed_page_size or 0) != end:
                raise CorruptFileError(
                    f"the offset index says that the page ends at byte {end:,}, its header that it ends at "
                    f"{body + (header.compressed_page_size or 0):,}",
                    offset=0,
                )
            check_header(header, end - body, chunk.file.limits)
        ordinal = index - self._first_ordinal
        frame = PageFrame(start, body, end, header, ordinal if ordinal >= 0 else None)
        return frame, window.held(body, end)


def first_header(chunk: ColumnChunk) -> structs.PageHeader | None:
    """The header of the first page, read without those of the others; None if the chunk has no values."""
    if not chunk.num_values:
        return None
    start, room = chunk.start, chunk.room
    chunk.home.keep_head()
    with located(Address.of(chunk.address, "pages", 0, "header"), start):
        window = Window(chunk.home, start, start, room)
        header, body = read_header(window, start, room, chunk.cipher, first=True)
        check_header(header, room - body, chunk.file.limits)
    return header


def contiguous_starts(offsets: Int64s, sizes: Int64s, start: int, end: int) -> tuple[Starts, int] | None:
    """As `page_index.page_starts`, from arrays of the data pages' offsets and sizes."""
    ends = offsets + sizes
    if offsets[0] < start or ends[-1] != end or int(sizes.min()) <= 0:
        return None
    if (offsets[1:] != ends[:-1]).any():
        return None
    first = 1 if offsets[0] > start else 0
    starts = np.empty(first + len(offsets) + 1, np.int64)
    starts[0], starts[first:-1], starts[-1] = start, offsets, end
    return starts, first


def index_findings(chunk: ColumnChunk, walk: Walk) -> list[Finding]:
    """A finding for the first data page for which the offset index and the walk through the page headers disagree."""
    try:
        index = chunk.offset_index
    except ParquetError:
        return []
    if index is None or walk.error is not None or structs.missing(index):
        return []
    frames = [frame for frame in walk.frames if frame.is_data]
    listed = index.page_locations
    address = Address.of(chunk.address, "offset_index", "page_locations")
    counts = f"the offset index lists {len(listed):,} data pages, the page headers give {len(frames):,}"
    also = "" if len(listed) == len(frames) else f"; {counts}"
    for i, (frame, place) in enumerate(zip(frames, listed, strict=False)):
        if structs.missing(place):
            return []
        offset, size, actual = place.offset, place.compressed_page_size, frame.end - frame.start
        if offset != frame.start:
            message = f"the offset of data page {i:,} is {offset:,}, the page begins at byte {frame.start:,}{also}"
            return [_disagrees(Address.of(address, i, "offset"), message, offset, frame.start)]
        if size != actual:
            alone = size == frame.end - frame.header_end
            message = (
                f"the compressed_page_size of data page {i:,} is {size:,}, the page has {actual:,} bytes"
                f"{'; it leaves out the header' if alone else ', its header included'}"
            )
            where = Address.of(address, i, "compressed_page_size")
            return [_disagrees(where, message, size, actual, without_header=alone)]
    return [_disagrees(address, counts, len(listed), len(frames))] if also else []


def _disagrees(address: str, message: str, listed: int, walked: int, without_header: bool = False) -> Finding:
    return Finding(
        "offset-index-disagrees",
        address,
        message,
        {"offset_index": listed, "page_headers": walked, "without_header": without_header},
    )
