"""Builds the column index and the offset index of a chunk: the bounds and the location of each data page.

If a page has values but no bounds (all NaN under TYPE_ORDER, or a type without an order), the chunk has no column index
(specification, "Page Index", https://parquet.apache.org/docs/file-format/pageindex/).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order, column_order, order_key
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundaryOrder
from pqexplore.engine.writer.chunk_encoding import EncodedChunk
from pqexplore.engine.writer.statistics import cut


def column_index(chunk: EncodedChunk) -> structs.ColumnIndex | None:
    """The ColumnIndex; None if the options exclude it, or the values of a page have no bounds."""
    leaf, options = chunk.leaf, chunk.options
    if not options.column_index or column_order(leaf) is Order.NONE:
        return None
    nulls = [page.counts.nulls for page in chunk.data_pages]
    index = structs.ColumnIndex(null_pages=[], min_values=[], max_values=[], null_counts=nulls)
    for page in chunk.data_pages:
        if page.counts.nulls == page.num_values:
            low = high = b""
        elif page.bounds is None:
            return None
        else:
            bounds = cut(leaf, page.bounds, options.index_bytes)
            low, high = bounds.min, bounds.max
        index.null_pages.append(page.counts.nulls == page.num_values)
        index.min_values.append(low)
        index.max_values.append(high)
    index.boundary_order = int(boundary_order(leaf, index))
    counted = [page.counts.nans for page in chunk.data_pages]
    nans = [count for count in counted if count is not None]
    if len(nans) == len(counted) and ("nan_count" in options.statistics_fields or column_order(leaf) is Order.TOTAL):
        index.nan_counts = nans
    if options.size_statistics:
        if leaf.max_repetition_level:
            index.repetition_level_histograms = _flat(page.repetition_histogram for page in chunk.data_pages)
        if leaf.max_definition_level:
            index.definition_level_histograms = _flat(page.definition_histogram for page in chunk.data_pages)
    return index


def _flat(histograms: Iterable[list[int] | None]) -> list[int]:
    return [count for histogram in histograms for count in histogram or ()]


def boundary_order(leaf: Leaf, index: structs.ColumnIndex) -> int:
    """ASCENDING or DESCENDING if both bounds of the pages are, without null pages; else UNORDERED."""
    order = column_order(leaf)
    keys = [
        (order_key(leaf, low, order) or b"", order_key(leaf, high, order) or b"")
        for null, low, high in zip(index.null_pages, index.min_values, index.max_values, strict=True)
        if not null
    ]
    steps = list(itertools.pairwise(keys))
    if all(a[0] <= b[0] and a[1] <= b[1] for a, b in steps):
        return BoundaryOrder.ASCENDING
    if all(a[0] >= b[0] and a[1] >= b[1] for a, b in steps):
        return BoundaryOrder.DESCENDING
    return BoundaryOrder.UNORDERED


def offset_index(chunk: EncodedChunk, start: int) -> structs.OffsetIndex | None:
    """The OffsetIndex of a chunk that begins at `start`; None if the options exclude it."""
    if not chunk.options.offset_index:
        return None
    locations = []
    position = start
    for page in chunk.pages:
        if page.page.is_data:
            location = structs.PageLocation(
                offset=position, compressed_page_size=page.size, first_row_index=page.first_row
            )
            locations.append(location)
        position += page.size
    counted = [page.byte_array_bytes for page in chunk.data_pages]
    sizes = [size for size in counted if size is not None]
    return structs.OffsetIndex(
        page_locations=locations,
        unencoded_byte_array_data_bytes=sizes if sizes and len(sizes) == len(counted) else None,
    )
