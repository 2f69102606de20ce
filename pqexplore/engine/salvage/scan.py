"""Finds all pages of a file without its footer.

Pages follow one another, so the scan hops from page to page. If no page begins where one ends, there is another part
(a Bloom filter, an index, the footer) or damage; then the bytes are searched for the next page that can be proven.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.window import Window
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.metadata_copy import metadata_copy
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.prove import (
    ANY_CODEC,
    PREFERENCE,
    SalvagedPage,
    SearchBudget,
    SearchEnded,
    header_at,
    next_begins,
    prove,
)

Progress = Callable[[int, int], None]

_HEADER = re.compile(rb"\x15[\x00\x04\x06]\x15", re.DOTALL)
"""The beginning of a page header: field 1, its type, an i32; field 2, also an i32."""

HEADER_ROOM = 64 << 10
"""Bytes of a page header that is cut off, at most: statistics in it can be long."""

SEARCH_BYTES = 1 << 20
"""Bytes searched at once."""


@dataclasses.dataclass
class Scan:
    """The pages of a file in file order, and copies of column metadata between them.

    `copies` has (end, metadata) by start. `cut` is the offset and header of a page whose body the file's end cuts off.
    """

    pages: list[SalvagedPage]
    copies: dict[int, tuple[int, structs.ColumnMetaData]]
    cut: tuple[int, structs.PageHeader] | None
    findings: list[Finding]


def scan(source: Source, limits: Limits, progress: Progress | None = None) -> Scan:
    """Every page that can be proven, from byte 4 to the end."""
    size = source.size
    result = Scan([], {}, None, [])
    window = Window(source, 4, size, size)
    budget = SearchBudget(size)
    offset, likely = 4, None
    try:
        while offset < size:
            if progress is not None:
                progress(offset, size)
            limits.check("chunk_pages", len(result.pages) + 1, "the salvage of pages", offset=offset)
            page = _hop(source, window, offset, likely, limits, budget)
            if page is None:
                copy = metadata_copy(window.at(offset, min(1 << 16, size - offset)))
                if copy is not None:
                    end = offset + copy.size
                    result.copies[offset] = end, copy.metadata
                    offset = end
                    continue
                _note_cut(window, offset, size, result)
                page = _search(source, window, offset + 1, likely, limits, budget)
                if page is None:
                    break
            result.pages.append(page)
            if page.codecs and page.codecs != ANY_CODEC:
                likely = next(codec for codec in PREFERENCE if codec in page.codecs)
            offset = page.end
    except SearchEnded:
        result.findings.append(
            Finding(
                "search-ended",
                "",
                f"the search for pages stopped at byte {offset:,}: too many bytes look like a page and are none",
                {"offset": offset},
            )
        )
    if progress is not None:
        progress(size, size)
    return result


def is_cut(source: Source, found: Scan) -> bool:
    """Whether the file ends in a page, or in the header of one."""
    if found.cut is not None or not found.pages:
        return found.cut is not None
    end = found.pages[-1].end
    left = source.size - end
    return 3 <= left < HEADER_ROOM and _HEADER.match(bytes(source.read(end, 3))) is not None


def _hop(
    source: Source, window: Window, offset: int, likely: int | None, limits: Limits, budget: SearchBudget
) -> SalvagedPage | None:
    """The page at `offset`, where one is expected; None if there is none."""
    try:
        frame = header_at(window, offset, source.size, limits, budget)
    except ParquetError:
        return None
    page = prove(source, frame, likely, limits, budget)
    proofs = (*page.proofs, "neighbour") if next_begins(window, frame, source.size, limits, budget) else page.proofs
    if len(proofs) == 1 and not page.codecs:
        return None
    return dataclasses.replace(page, proofs=proofs)


def _search(
    source: Source, window: Window, offset: int, likely: int | None, limits: Limits, budget: SearchBudget
) -> SalvagedPage | None:
    """The next page from `offset` on that has a proof besides its header."""
    size = source.size
    while offset < size:
        length = min(SEARCH_BYTES, size - offset)
        budget.spend(length)
        piece = bytes(source.read(offset, length))
        for match in _HEADER.finditer(piece):
            at = offset + match.start()
            budget.spend(64)
            try:
                frame = header_at(window, at, size, limits, budget)
            except ParquetError:
                continue
            page = prove(source, frame, likely, limits, budget)
            if next_begins(window, frame, size, limits, budget):
                page = dataclasses.replace(page, proofs=(*page.proofs, "neighbour"))
            if len(page.proofs) > 1:
                return page
        offset += length if length < SEARCH_BYTES else length - 2
    return None


def _note_cut(window: Window, offset: int, size: int, result: Scan) -> None:
    """Set `cut` if there is a header at `offset` whose page goes beyond the end of the file."""
    try:
        header, end = fast.decode(structs.PageHeader, window.at(offset, 4096))
    except ParquetError:
        return
    length = header.compressed_page_size
    if structs.missing(header) or length is None or offset + end + length <= size or length > 1 << 30:
        return
    result.cut = (offset, header)
