"""Checks one column chunk: its metadata, its pages, and everything that describes its values.

The pages are decoded once, in order. Each is compared with its header and with its entries in the page index; their
totals are compared with the chunk's metadata after the last page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check import (
    bloom,
    column_metadata,
    geospatial,
    map_keys,
    page_index,
    pages,
    sections,
    size_statistics,
    statistics,
    values,
)
from pqexplore.engine.check.contents import ChunkContents, PageContents, page_contents
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import counts
from pqexplore.engine.file.chunk_pages import index_findings
from pqexplore.engine.file.chunk_reader import crc_finding
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.referenced_files import absolute
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.ordering import column_order
from pqexplore.engine.format.thrift.structs import CompressionCodec

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

UNREADABLE = frozenset(("unreadable", "unsupported", "locked", "limit", "pages-elsewhere", "file-path-not-relative"))
"""Rules whose findings mean that some values of a chunk could not be read."""
WRONG_SIZES = frozenset(("chunk-size-disagrees", "uncompressed-size-disagrees"))
"""Rules whose findings mean that a size in the ColumnMetaData is wrong."""


def decodable(chunk: ColumnChunk) -> bool:
    """Whether the chunk's codec is known, and its type the schema's. Raises ParquetError if its metadata are damaged."""
    codec, stored = chunk.metadata.codec, chunk.metadata.type
    return codec in tuple(CompressionCodec) and stored == chunk.leaf.physical_type


def findings(chunk: ColumnChunk, chosen: Collection[int] | None = None) -> Iterator[Finding | int]:
    """Yields the findings of a chunk, and the bytes of each page after its findings.

    `chosen` are the indexes of the pages whose bodies are looked at, None for all.
    """
    if chunk.elsewhere:
        yield _elsewhere(chunk)
        return
    if chunk.locked:
        yield Finding("locked", chunk.address, chunk.locked)
        return
    yield from column_metadata.findings(chunk)
    chunk.require_readable()
    if not decodable(chunk):
        return  # a finding says so already, and each page would
    walk = chunk.frames
    if walk.error is not None:
        yield failure(walk.error, chunk.address)
    else:
        yield from column_metadata.against_pages(chunk, walk)
        yield from index_findings(chunk, walk)
        yield from counts.findings(chunk, walk)
    yield from page_index.findings(chunk)
    yield from statistics.declared(chunk)
    with chunk.in_memory() if chosen is None else nullcontext():
        yield from _contents(chunk, walk.error is None, chosen)


def _elsewhere(chunk: ColumnChunk) -> Finding:
    """The finding of a chunk whose file_path is set: an error if it is not relative, else a note."""
    why = absolute(chunk.elsewhere)
    if why:
        return Finding(
            "file-path-not-relative",
            Address.of(chunk.address, "metadata/file_path"),
            f"file_path {chunk.elsewhere!r} is not relative to this file: {why}",
            {"file_path": chunk.elsewhere},
        )
    return Finding(
        "pages-elsewhere",
        chunk.address,
        f"the column chunk lies in another file, {chunk.elsewhere!r}, and was not checked: check that file",
        {"file_path": chunk.elsewhere},
    )


def _contents(chunk: ColumnChunk, all_headers: bool, chosen: Collection[int] | None) -> Iterator[Finding | int]:
    """Decodes page by page. `all_headers`: whether the header of every page could be read."""
    leaf = chunk.leaf
    orders = {column_order(leaf), statistics.order_of(chunk)}
    count_distinct = chunk.metadata.statistics is not None and chunk.metadata.statistics.distinct_count is not None
    total = ChunkContents(chunk, orders, count_distinct)
    total.complete = all_headers
    lost = False
    """Whether a page could not be decoded, so that the rows before the next pages are unknown."""
    changed = False
    """Whether the dictionary's checksum is wrong, so that nothing can be compared with the values."""
    described = _Described(chunk)
    for number, frame in enumerate(chunk.frames.frames):
        page = Page(chunk, number, frame)
        yield from pages.header(page, frame.start)
        if chosen is not None and number not in chosen:
            total.complete, lost = False, lost or page.is_data
            continue
        try:
            wrong = page.crc_ok is False
            if wrong:
                yield crc_finding(page)
                total.complete = False
                lost = lost or page.is_data
                changed = changed or page.kind == "dictionary_page"
            if page.kind == "dictionary_page" or page.is_data:
                yield from sections.findings(page)
            if page.kind == "dictionary_page":
                yield from pages.dictionary_page(page)
            elif page.is_data:
                contents = page_contents(page, orders, None if lost else total.rows)
                if wrong or changed:
                    yield len(page.span)
                    continue
                yield from described.page(page, contents, total.rows)
                if chosen is not None:
                    yield from statistics.beyond(chunk, contents)
                total.add(contents)
        except ParquetError as error:
            total.complete = False
            lost = lost or page.is_data
            yield failure(error, page.address)
        yield len(page.span)
    if total.complete:
        yield from _against_rows(chunk, total)
        yield from statistics.chunk(chunk, total)
        yield from size_statistics.findings(chunk, total)
    else:
        yield from statistics.without_values(chunk)
    yield from described.end(total.complete)


class _Described:
    """Compares the data pages of a chunk, one after the other, with what describes them."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._index = page_index.IndexCheck(chunk)
        self._bloom_filter = bloom.FilterCheck(chunk)
        self._keys = map_keys.KeyCheck(chunk)
        self._geometries = geospatial.GeometryCheck(chunk)

    def page(self, page: Page, contents: PageContents, first_row: int) -> Iterator[Finding]:
        """Findings about the next page."""
        yield from pages.data_page(page, contents)
        yield from statistics.page(page, contents)
        yield from self._index.page(page, contents)
        yield from values.findings(page, contents.physical, first_row)
        self._bloom_filter.add(page, contents)
        self._keys.add(page, contents)
        self._geometries.add(page, contents)

    def end(self, complete: bool) -> Iterator[Finding]:
        """Findings after the last page. `complete`: whether all pages were compared."""
        yield from self._keys.findings()
        yield from self._geometries.findings(complete)
        yield from self._index.end()
        yield from self._bloom_filter.findings()


def _against_rows(chunk: ColumnChunk, total: ChunkContents) -> Iterator[Finding]:
    rows = chunk.row_group.metadata.num_rows
    if rows is not None and rows >= 0 and total.rows != rows:
        yield counts.rows_disagree(chunk.address, total.rows, rows)
