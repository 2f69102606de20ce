"""Builds rows of the tables `pages` and `indexes` from page headers and page indexes, chunk by chunk.

Pages are found from header to header, so little more than the headers is read. If a header is damaged, the pages before
it become rows, and the damage becomes a finding.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_indexes import read_ahead
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page_headers import PageFrame, page_struct
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.variant_bounds import page_doubts
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format import page_index
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order, declared_order, order_key
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundaryOrder, Encoding, PageType
from pqexplore.engine.limits import Limits
from pqexplore.lake.footer_rows.bound_keys import clipped


class Rows(Protocol):
    """Receives the rows: the inspection of a file."""

    @property
    def run_id(self) -> str:
        """The run that the rows belong to."""

    def add_rows(self, table: str, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Add rows of a table. Yields batches when there are many rows."""
        ...

    def note(self, path: str, finding: Finding) -> None:
        """Add a finding."""


def add(inspection: Rows, path: str, source: Source, limits: Limits) -> Iterator[tuple[str, Any]]:
    """Add the pages of a file. Yields full batches. Raises ParquetError if the footer cannot be read."""
    file = ParquetFile(source, limits=limits)
    for chunk in read_ahead(file, _chunks(file), whole=True):
        try:
            pages, index = _rows(inspection, path, chunk)
            yield from inspection.add_rows("pages", pages)
            yield from inspection.add_rows("indexes", index)
        except ParquetError as error:
            inspection.note(path, failure(error, chunk.address))


def _chunks(file: ParquetFile) -> Iterator[ColumnChunk]:
    for group in file.row_groups:
        with contextlib.suppress(ParquetError):  # reported already: they do not match the schema
            yield from group.columns


def _rows(inspection: Rows, path: str, chunk: ColumnChunk) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    common = {
        "run_id": inspection.run_id,
        "path": path,
        "row_group": chunk.row_group.index,
        "leaf": chunk.index,
        "column_name": ".".join(chunk.leaf.path),
    }
    column_index = offset_index = bloom = None
    try:
        column_index, offset_index = chunk.column_index, chunk.offset_index
        bloom = chunk.bloom_filter
    except ParquetError as error:
        inspection.note(path, failure(error, chunk.address))
    walk = chunk.frames
    if walk.error is not None:
        inspection.note(path, failure(walk.error, chunk.address))
    listed = page_index.pages(column_index, offset_index, chunk.leaf, chunk.row_group.num_rows)
    doubts = page_doubts(chunk, len(listed))
    rows = []
    for place, frame in enumerate(walk.frames):
        known = listed[frame.ordinal] if frame.ordinal is not None and frame.ordinal < len(listed) else None
        row = common | _page(place, frame, known)
        if known is not None and not doubts[known.index]:
            row["min_key"], row["max_key"] = _keys(chunk.leaf, known)
        rows.append(row)
    if column_index is None and offset_index is None and bloom is None:
        return rows, []
    index: dict[str, Any] = {"index_pages": page_index.num_pages(column_index, offset_index)}
    if column_index is not None:
        order = column_index.boundary_order
        index["null_pages"] = sum(map(bool, column_index.null_pages or ()))
        index["boundary_order"] = None if order is None else structs.enum_name(BoundaryOrder, order)
        index["has_null_counts"] = column_index.null_counts is not None
    if bloom is not None:
        bits = np.unpackbits(np.frombuffer(bloom.bitset, np.uint8))
        index["bloom_blocks"] = len(bloom.bitset) // 32
        index["bloom_fill"] = float(bits.mean()) if len(bits) else 0.0
    return rows, [common | index]


def _page(place: int, frame: PageFrame, known: page_index.IndexedPage | None) -> dict[str, Any]:
    header, part = frame.header, page_struct(frame.header)
    row: dict[str, Any] = {
        "page": place,
        "page_type": structs.enum_name(PageType, header.type),
        "num_values": getattr(part, "num_values", None),
        "num_rows": getattr(part, "num_rows", None),
        "null_count": getattr(part, "num_nulls", None),
        "page_offset": frame.start,
        "header_bytes": frame.header_end - frame.start,
        "compressed_bytes": frame.end - frame.header_end,
        "uncompressed_bytes": header.uncompressed_page_size,
        "has_crc": header.crc is not None,
        "has_statistics": getattr(part, "statistics", None) is not None,
    }
    encoding = getattr(part, "encoding", None)
    row["encoding"] = None if encoding is None else structs.enum_name(Encoding, encoding)
    if known is not None:
        row["first_row"] = known.first_row
        if row["num_rows"] is None:
            row["num_rows"] = known.rows
        if row["null_count"] is None:
            row["null_count"] = known.null_count
    return row


def _keys(leaf: Leaf, known: page_index.IndexedPage) -> tuple[bytes | None, bytes | None]:
    """Keys of a page's bounds in the column index; None, None if a bound is not trustworthy."""
    order = declared_order(leaf)
    if known.min_raw is None or known.max_raw is None or order is None or order is Order.NONE:
        return None, None
    try:
        low, high = order_key(leaf, known.min_raw, order), order_key(leaf, known.max_raw, order)
    except ParquetError:
        return None, None
    if low is None or high is None or low > high:
        return None, None
    return clipped(low, upper=False), clipped(high, upper=True)
