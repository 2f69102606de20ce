"""One column chunk: its metadata against its pages, and everything that is said about its values.

The pages are decoded once, in order. Each is held against its header and its entries in the page index while it is in
hand; what they come to together is held against the chunk's metadata in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.check import (
    bloom,
    column_metadata,
    geospatial,
    page_index,
    pages,
    size_statistics,
    statistics,
    values,
)
from pqexplore.engine.check.contents import ChunkContents, page_contents
from pqexplore.engine.chunk_values import crc_finding
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.findings import failure
from pqexplore.engine.ordering import declared_order, type_order
from pqexplore.engine.page import Page
from pqexplore.engine.page_sequence import index_findings
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

UNREADABLE = frozenset(("unreadable", "unsupported", "locked", "limit", "pages-elsewhere"))
"""Rules whose findings mean that not every value of a chunk could be seen."""


def findings(chunk: ColumnChunk) -> Iterator[Finding | int]:
    """Findings of a chunk, and after each page the bytes that it took."""
    if chunk.struct.file_path:
        yield Finding(
            "pages-elsewhere",
            "note",
            chunk.address,
            f"the pages lie in another file, {chunk.struct.file_path!r}: this is a summary file, or a part of one",
            {"file_path": chunk.struct.file_path},
            "ColumnChunk.file_path: File where column data is stored. If not set, assumed to be same file as metadata",
        )
        return
    if chunk.locked:
        yield Finding("locked", "note", chunk.address, chunk.locked)
        return
    yield from column_metadata.findings(chunk)
    chunk.require_readable()
    walk = chunk.frames
    if walk.error is not None:
        yield failure(walk.error, chunk.address)
    else:
        yield from column_metadata.against_pages(chunk, walk)
        yield from index_findings(chunk, walk)
    yield from page_index.findings(chunk)
    yield from statistics.declared(chunk)
    with chunk.in_memory():
        yield from _contents(chunk, walk.error is None)


def _contents(chunk: ColumnChunk, walked: bool) -> Iterator[Finding | int]:
    """Decode page by page."""
    leaf = chunk.leaf
    orders = {declared_order(leaf) or type_order(leaf), statistics.order_of(chunk)}
    told = chunk.statistics
    whole = ChunkContents(leaf, orders, told is not None and told.distinct_count is not None)
    whole.complete = walked
    probe = bloom.Probe(chunk)
    shapes = geospatial.Shapes(chunk)
    index = page_index.Entries(chunk)
    for number, frame in enumerate(chunk.frames.frames):
        page = Page(chunk, number, frame)
        yield from pages.header(page, frame.start)
        try:
            if page.crc_ok is False:
                yield crc_finding(page)
            if page.kind == "dictionary_page":
                yield from pages.dictionary(page)
            elif page.is_data:
                found = page_contents(page, orders)
                yield from pages.contents(page, found)
                yield from statistics.page(page, found)
                yield from index.page(page, found, whole.rows)
                yield from values.findings(page)
                probe.add(page)
                yield from shapes.add(page)
                whole.add(found)
        except ParquetError as error:
            whole.complete = False
            yield failure(error, page.address)
        yield len(page.span)
    if whole.complete:
        yield from _against_rows(chunk, whole)
        yield from statistics.chunk(chunk, whole)
        yield from size_statistics.findings(chunk, whole)
        yield from index.end(whole)
        yield from shapes.end()
    yield from probe.findings()


def _against_rows(chunk: ColumnChunk, whole: ChunkContents) -> Iterator[Finding]:
    rows = chunk.row_group.metadata.num_rows
    if rows is not None and whole.rows != rows:
        yield Finding(
            "rows-disagree",
            "error",
            chunk.address,
            f"the pages hold {whole.rows:,} rows, the row group's num_rows is {rows:,}",
            {"pages": whole.rows, "num_rows": rows},
            "RowGroup.num_rows: Number of rows in this row group",
        )
    said = chunk.metadata.num_values
    if said != whole.num_values:
        yield Finding(
            "num-values-disagree",
            "error",
            join(chunk.address, "metadata/meta_data/num_values"),
            f"num_values is {said:,}, the pages hold {whole.num_values:,}",
            {"num_values": said, "pages": whole.num_values},
            "ColumnMetaData.num_values: Number of values in this column",
        )
