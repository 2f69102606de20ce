"""The pages of a chunk as a sequence: found by a walk, or placed by the offset index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pqexplore.engine.errors import CorruptFileError, ParquetError, located
from pqexplore.engine.page import Page
from pqexplore.engine.pages import Frame, Walk, Window, check_header, read_header
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk


class WalkedPages(Sequence[Page]):
    """Pages found by a walk. Where the walk ended in damage, what lies behind it raises."""

    def __init__(self, chunk: ColumnChunk, found: Walk) -> None:
        self._chunk = chunk
        self._found = found

    @property
    def error(self) -> ParquetError | None:
        """What ended the walk before its time."""
        return self._found.error

    def __len__(self) -> int:
        return len(self._found.frames)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> list[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | list[Page]:
        frames = self._found.frames
        if isinstance(index, slice):
            return [Page(self._chunk, i, frames[i]) for i in range(*index.indices(len(frames)))]
        if not -len(frames) <= index < len(frames):
            if self._found.error is not None:
                raise self._found.error
            raise IndexError(f"page {index} of {len(frames)}")
        return Page(self._chunk, index % len(frames), frames[index])


class IndexedPages(Sequence[Page]):
    """Pages whose places the offset index gives; a header is read when its page is touched."""

    def __init__(self, chunk: ColumnChunk, starts: Sequence[int], first_ordinal: int) -> None:
        self._chunk = chunk
        self._starts = starts
        self._first_ordinal = first_ordinal

    @property
    def starts(self) -> Sequence[int]:
        """Where each page begins, and behind them where the last one ends."""
        return self._starts

    @property
    def ahead(self) -> int:
        """Pages before the first data page: 1 where there is a dictionary page, else 0."""
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

        def make() -> Frame:
            nonlocal body
            frame, body = self._read(index)
            return frame

        frame = chunk.file.cache.get((chunk.address, index, "frame"), make, lambda _: 1024)
        return Page(chunk, index, frame, body=body)

    def _read(self, index: int) -> tuple[Frame, memoryview | None]:
        """The header of a page and, where the page is so small that all of it was read, its body."""
        chunk, start, end = self._chunk, int(self._starts[index]), int(self._starts[index + 1])
        window = Window(chunk.file.source, start, end, end)
        with located(join(chunk.address, "pages", index, "header"), start):
            header, body = read_header(window, start, end)
            if body + (header.compressed_page_size or 0) != end:
                raise CorruptFileError(
                    f"the offset index says that the page ends at byte {end:,}, its header that it ends at "
                    f"{body + (header.compressed_page_size or 0):,}",
                    offset=0,
                )
            check_header(header, end - body, chunk.file.limits)
        ordinal = index - self._first_ordinal
        frame = Frame(start, body, end, header, ordinal if ordinal >= 0 else None)
        return frame, window.held(body, end)


def contiguous_starts(
    offsets: Any, sizes: Any, start: int, end: int
) -> tuple[Sequence[int], int] | None:
    """What `page_index.page_starts` gives, from the data pages' offsets and sizes as arrays."""
    ends = offsets + sizes
    if offsets[0] < start or ends[-1] != end or int(sizes.min()) <= 0:
        return None
    if (offsets[1:] != ends[:-1]).any():
        return None
    first = 1 if offsets[0] > start else 0
    starts: Any = np.empty(first + len(offsets) + 1, np.int64)
    starts[0], starts[first:-1], starts[-1] = start, offsets, end
    return starts, first


def index_findings(chunk: ColumnChunk, found: Walk) -> list[Finding]:
    """Where the offset index and the walk through the page headers disagree."""
    try:
        index = chunk.offset_index
    except ParquetError:
        return []
    if index is None or found.error is not None:
        return []
    walked = [(frame.start, frame.end - frame.start) for frame in found.frames if frame.is_data]
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
            join(chunk.address, "offset_index"),
            f"the offset index lists {len(listed):,} data pages, the page headers give {len(walked):,}; they first "
            f"differ at data page {first}",
            {"offset_index": listed[first : first + 1], "page_headers": walked[first : first + 1]},
            "OffsetIndex.page_locations: one PageLocation for each data page, in the order of the file",
        )
    ]
