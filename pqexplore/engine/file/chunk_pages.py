"""The pages of a chunk as a sequence, by a walk through the page headers or by the offset index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError, ParquetError, located
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_headers import PageFrame, Walk, Window, check_header, read_header
from pqexplore.engine.finding import Finding

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk


Starts = Sequence[int] | Int64s
"""File offsets of pages in order, and the end of the last one."""


class WalkedPages(Sequence[Page]):
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


class IndexedPages(Sequence[Page]):
    """Pages that the offset index locates. A header is read when its page is used."""

    def __init__(self, chunk: ColumnChunk, starts: Starts, first_ordinal: int) -> None:
        self._chunk = chunk
        self._starts = starts
        self._first_ordinal = first_ordinal

    @property
    def starts(self) -> Starts:
        """The file offset of each page, and then the end of the last one."""
        return self._starts

    @property
    def ahead(self) -> int:
        """Pages before the first data page: 1 if there is a dictionary page, else 0."""
        return self._first_ordinal

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> list[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | list[Page]:
        if isinstance(index, slice):
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

    def _read(self, index: int) -> tuple[PageFrame, memoryview | None]:
        """The header of a page and, if the page is so small that it was read whole, its body."""
        chunk, start, end = self._chunk, int(self._starts[index]), int(self._starts[index + 1])
        window = Window(chunk.file.source, start, end, end)
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


def contiguous_starts(
    offsets: Int64s, sizes: Int64s, start: int, end: int
) -> tuple[Starts, int] | None:
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
    """A finding if the offset index and the walk through the page headers disagree."""
    try:
        index = chunk.offset_index
    except ParquetError:
        return []
    if index is None or walk.error is not None:
        return []
    walked = [(frame.start, frame.end - frame.start) for frame in walk.frames if frame.is_data]
    listed = [(place.offset, place.compressed_page_size) for place in index.page_locations or ()]
    if walked == listed:
        return []
    first = next(
        (i for i, (a, b) in enumerate(zip(walked, listed, strict=False)) if a != b),
        min(len(walked), len(listed)),
    )
    return [
        Finding(
            "offset-index-disagrees",
            "error",
            Address.of(chunk.address, "offset_index"),
            f"the offset index lists {len(listed):,} data pages, the page headers give {len(walked):,}; they first "
            f"differ at data page {first}",
            {"offset_index": listed[first : first + 1], "page_headers": walked[first : first + 1]},
            "OffsetIndex.page_locations: one PageLocation for each data page, in the order of the file",
        )
    ]
