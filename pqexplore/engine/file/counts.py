"""Decides how many values the pages of a chunk hold where the counts of the file disagree.

Four places count: `ColumnMetaData.num_values`, the page headers, the row group's `num_rows`, and the bytes themselves.
Where the rows and the bytes agree on one number, it is read, and a finding names the count that is wrong; readers that
go by rows read the same. Else nothing is changed, and reading raises an error.

The bytes are the pages that fill the chunk by `total_compressed_size`, and in a page the values that its section holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.file.page_headers import PageFrame, Walk, missing_pages, page_struct, part_v2
from pqexplore.engine.file.source import Scratch
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

MAX_VALUES = 1 << 20
"""Values of a chunk up to which its pages are decoded to find the wrong count."""
MAX_BYTES = 64 << 20
"""Bytes of a chunk's decompressed pages up to which that is done."""

GROUP = 8
"""Bits and runs are stored in groups of so many values; the last group is padded."""


def settle(chunk: ColumnChunk, walk: Walk) -> Walk:
    """The walk, or the pages that rows and bytes agree on, if the walk does not agree with the rows.

    It never goes on into another chunk.
    """
    end = chunk.span.end
    repeated = chunk.leaf.max_repetition_level > 0
    rows = None if repeated else chunk.row_group.metadata.num_rows
    counted = sum(_stated(frame) for frame in walk.frames)
    if walk.error is None and (walk.end <= end if rows is None else counted == rows):
        return walk
    own = [frame for frame in walk.frames if frame.end <= end]
    if not own or own[-1].end != end:
        return walk
    if rows is None:
        # Only the levels tell the rows. Pages after the chunk's end are its own, if no other chunk begins there.
        return Walk(own, end, None) if walk.error is not None or _is_followed(chunk) else walk
    counted = sum(_stated(frame) for frame in own)
    try:
        frames = own if counted == rows else _corrected(chunk, own, rows - counted)
    except ParquetError:
        return walk
    if frames is not None:
        return Walk(frames, end, None)
    if walk.end > end and _is_followed(chunk):
        return Walk(own, end, missing_pages(counted, chunk.num_values, end, chunk.address))
    return walk


def _stated(frame: PageFrame) -> int:
    """The values that the header of a data page counts; 0 for other pages."""
    return getattr(page_struct(frame.header), "num_values", 0) or 0 if frame.is_data else 0


def _is_followed(chunk: ColumnChunk) -> bool:
    """Whether another chunk begins where this one ends."""
    columns = chunk.row_group.columns
    groups = chunk.file.row_groups
    if chunk.index + 1 < len(columns):
        following = columns[chunk.index + 1]
    elif chunk.row_group.index + 1 < len(groups):
        following = groups[chunk.row_group.index + 1].columns[0]
    else:
        return False
    return following.start == chunk.span.end


def _corrected(chunk: ColumnChunk, frames: list[PageFrame], more: int) -> list[PageFrame] | None:
    """The frames, with `more` values in the one page whose bytes do not hold what its header counts, but hold so many.

    None if there is no such page, or there are several.
    """
    counts = [_stated(frame) for frame in frames]
    size = sum(frame.header.uncompressed_page_size for frame in frames)
    if max(sum(counts), sum(counts) + more) > MAX_VALUES or size > MAX_BYTES:
        return None
    wrong = [
        index for index, frame in enumerate(frames) if frame.is_data and not _holds(chunk, index, frame, counts[index])
    ]
    if len(wrong) != 1:
        return None
    index = wrong[0]
    count = counts[index] + more
    if count < 0 or not _holds(chunk, index, frames[index], count):
        return None
    return [*frames[:index], dataclasses.replace(frames[index], count=count), *frames[index + 1 :]]


def _holds(chunk: ColumnChunk, index: int, frame: PageFrame, count: int) -> bool:
    """Whether the bytes of a data page can be `count` values, up to the padding of the last group."""
    encoding = frame.encoding
    if encoding in DICTIONARY_ENCODINGS:
        return True  # ids are padded, and need the dictionary: this is not where a count shows
    grouped = chunk.leaf.max_definition_level or chunk.leaf.physical_type == Type.BOOLEAN
    more = GROUP if grouped or encoding == Encoding.RLE else 1
    return _decodes(chunk, index, frame, count) and not _decodes(chunk, index, frame, count + more)


def _decodes(chunk: ColumnChunk, index: int, frame: PageFrame, count: int) -> bool:
    page = Page(chunk, index, dataclasses.replace(frame, count=count), Scratch())
    try:
        return len(page.physical) == page.num_present
    except CorruptFileError:
        return False


def findings(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    """Findings about counts that the page headers contradict, or that the rows and bytes of a page contradict."""
    if walk.error is not None:
        return
    stated = chunk.metadata.num_values
    counted = sum(_stated(frame) for frame in walk.frames)
    held = counted + sum(frame.count - _stated(frame) for frame in walk.frames if frame.count is not None)
    if stated not in (counted, held):
        yield Finding(
            "num-values-disagree",
            Address.of(chunk.address, "metadata/meta_data/num_values"),
            f"num_values is {stated:,}, the pages hold {held:,}",
            {"num_values": stated, "pages": held},
        )
    for index, frame in enumerate(walk.frames):
        if frame.count is not None:
            header = _stated(frame)
            yield Finding(
                "page-num-values-disagree",
                Address.of(chunk.address, "pages", index, "header"),
                f"the page header's num_values is {header:,}; the page's bytes hold {frame.count:,}, and so the chunk has as "
                "many values as its row group has rows; these are read",
                {"num_values": header, "values": frame.count},
            )


def rows_finding(page: Page, rows: int) -> Finding | None:
    """A finding if the header of a V2 page counts other rows than begin in it; None for other pages."""
    if page.header.type != PageType.DATA_PAGE_V2 or part_v2(page.header).num_rows == rows:
        return None
    stated = part_v2(page.header).num_rows
    return Finding(
        "page-rows-disagree",
        page.address,
        f"the page header's num_rows is {stated:,}, the page has {plural(rows, 'row')}",
        {"num_rows": stated, "rows": rows},
    )


def rows_disagree(address: str, held: int, rows: int) -> Finding:
    """The finding about a chunk whose pages hold another number of rows than its row group."""
    return Finding(
        "rows-disagree",
        address,
        f"the pages hold {plural(held, 'row')}, the row group's num_rows is {rows:,}",
        {"pages": held, "num_rows": rows},
    )
