"""All pages of a file, without its footer: hop from page to page, and search where the hopping ends.

Pages follow one another; where one ends and no other begins there is something else (a Bloom filter, an index, the
footer) or damage. Then the bytes are searched for the next header that can be proven, which nothing but its own bytes
announce.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.limits import Limits
from pqexplore.engine.pages import Window
from pqexplore.engine.salvage.prove import (
    ANY_CODEC,
    PREFERENCE,
    Budget,
    Exhausted,
    SalvagedPage,
    header_at,
    next_begins,
    prove,
)
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import fast, structs
from pqexplore.engine.tree import Finding

Progress = Callable[[int, int], None]

_HEADER = re.compile(rb"\x15[\x00\x04\x06]\x15", re.DOTALL)
"""How a page header begins: field 1, its type, as an i32; field 2, an i32 too."""

PIECE = 1 << 20
"""Bytes searched at once."""


@dataclasses.dataclass
class Scan:
    """What a file was found to hold: pages in the order of their bytes, and copies of column metadata between them.

    `cut` is the place of a page whose header is there and whose body goes on beyond the end of the file.
    """

    pages: list[SalvagedPage]
    copies: dict[int, tuple[int, structs.ColumnMetaData]]
    cut: tuple[int, structs.PageHeader] | None
    findings: list[Finding]


def scan(source: Source, limits: Limits, progress: Progress | None = None) -> Scan:
    """Every page that can be proven, from byte 4 to the end."""
    size = source.size
    found = Scan([], {}, None, [])
    window = Window(source, 4, size, size)
    budget = Budget(size)
    offset, likely = 4, None
    try:
        while offset < size:
            if progress is not None:
                progress(offset, size)
            limits.check("chunk_pages", len(found.pages) + 1, "the salvage of pages", offset=offset)
            page = _hop(source, window, offset, likely, limits, budget)
            if page is None:
                copy = _column_metadata(window, offset, size)
                if copy is not None:
                    found.copies[offset] = copy
                    offset = copy[0]
                    continue
                _note_cut(window, offset, size, found)
                page = _search(source, window, offset + 1, likely, limits, budget)
                if page is None:
                    break
            found.pages.append(page)
            if page.codecs and page.codecs != ANY_CODEC:
                likely = next(codec for codec in PREFERENCE if codec in page.codecs)
            offset = page.end
    except Exhausted:
        found.findings.append(
            Finding(
                "search-ended",
                "warning",
                "",
                f"the search for pages was given up at byte {offset:,}: too much looks like a page and is none",
                {"offset": offset},
            )
        )
    if progress is not None:
        progress(size, size)
    return found


def _hop(
    source: Source, window: Window, offset: int, likely: int | None, limits: Limits, budget: Budget
) -> SalvagedPage | None:
    """The page at `offset`, where one is expected."""
    try:
        frame = header_at(window, offset, source.size, limits, budget)
    except ParquetError:
        return None
    page = prove(source, frame, likely, limits, budget)
    proofs = (
        (*page.proofs, "neighbour")
        if next_begins(window, frame, source.size, limits, budget)
        else page.proofs
    )
    if len(proofs) == 1 and not page.codecs:
        return None
    return dataclasses.replace(page, proofs=proofs)


def _search(
    source: Source, window: Window, offset: int, likely: int | None, limits: Limits, budget: Budget
) -> SalvagedPage | None:
    """The next page from `offset` on that more than its header speaks for."""
    size = source.size
    while offset < size:
        length = min(PIECE, size - offset)
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
        offset += length if length < PIECE else length - 2
    return None


def _note_cut(window: Window, offset: int, size: int, found: Scan) -> None:
    """Remember a header whose page would go on beyond the end of the file."""
    try:
        header, end = fast.decode(structs.PageHeader, window.at(offset, 4096))
    except ParquetError:
        return
    length = header.compressed_page_size
    if (
        structs.missing(header)
        or length is None
        or offset + end + length <= size
        or length > 1 << 30
    ):
        return
    found.cut = (offset, header)


def _column_metadata(
    window: Window, offset: int, size: int
) -> tuple[int, structs.ColumnMetaData] | None:
    """Some writers repeat a chunk's metadata behind its pages: where the copy ends, and what it says."""
    data = window.at(offset, min(1 << 16, size - offset))
    kinds: tuple[Any, ...] = (structs.ColumnMetaData, structs.ColumnChunk)
    for kind in kinds:
        try:
            found, end = fast.decode(kind, data)
        except ParquetError:
            continue
        metadata: Any = found if kind is structs.ColumnMetaData else found.meta_data
        if metadata is not None and not structs.missing(metadata) and metadata.path_in_schema:
            return offset + end, metadata
    return None
