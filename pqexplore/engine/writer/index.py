"""The column index and the offset index of a chunk: what is in each data page, and where it is.

A column index that would lie or could not be read is left out: where a page has values but no bounds (nothing but NaNs
under TYPE_ORDER, or a type without an order), the whole chunk has none (specification, "Page Index").
"""

from __future__ import annotations

import itertools
from typing import Any

from pqexplore.engine.ordering import Order, order_key
from pqexplore.engine.schema import Leaf
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import BoundaryOrder
from pqexplore.engine.writer.column import EncodedChunk
from pqexplore.engine.writer.statistics import cut, order_of


def column_index(chunk: EncodedChunk) -> structs.ColumnIndex | None:
    """The ColumnIndex; None where the options do not ask for it, or a page's values have no bounds."""
    leaf, options = chunk.leaf, chunk.options
    if not options.column_index or order_of(leaf) is Order.NONE:
        return None
    index = structs.ColumnIndex(null_pages=[], min_values=[], max_values=[], null_counts=[])
    for page in chunk.data_pages:
        if page.counts.nulls == page.num_values:
            low = high = b""
        elif page.bounds is None:
            return None
        else:
            shown = cut(leaf, page.bounds, options.index_bytes)
            low, high = shown.min, shown.max
        index.null_pages.append(page.counts.nulls == page.num_values)
        index.min_values.append(low)
        index.max_values.append(high)
        index.null_counts.append(page.counts.nulls)
    index.boundary_order = int(boundary_order(leaf, index))
    nans = [page.counts.nans for page in chunk.data_pages]
    if None not in nans and (
        "nan_count" in options.statistics_fields or order_of(leaf) is Order.TOTAL
    ):
        index.nan_counts = nans
    if options.size_statistics:
        if leaf.max_repetition_level:
            index.repetition_level_histograms = _flat(
                page.repetition_histogram for page in chunk.data_pages
            )
        if leaf.max_definition_level:
            index.definition_level_histograms = _flat(
                page.definition_histogram for page in chunk.data_pages
            )
    return index


def _flat(histograms: Any) -> list[int]:
    return [count for histogram in histograms for count in histogram or ()]


def boundary_order(leaf: Leaf, index: structs.ColumnIndex) -> int:
    """ASCENDING or DESCENDING where both bounds of the pages are, pages of nulls aside; else UNORDERED."""
    order = order_of(leaf)
    keys = [
        (order_key(leaf, low, order) or b"", order_key(leaf, high, order) or b"")
        for null, low, high in zip(
            index.null_pages, index.min_values, index.max_values, strict=True
        )
        if not null
    ]
    steps = list(itertools.pairwise(keys))
    if all(a[0] <= b[0] and a[1] <= b[1] for a, b in steps):
        return BoundaryOrder.ASCENDING
    if all(a[0] >= b[0] and a[1] >= b[1] for a, b in steps):
        return BoundaryOrder.DESCENDING
    return BoundaryOrder.UNORDERED


def offset_index(chunk: EncodedChunk, start: int) -> structs.OffsetIndex | None:
    """The OffsetIndex of a chunk that begins at `start`; None where the options do not ask for it."""
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
    sizes = [page.byte_array_bytes for page in chunk.data_pages]
    return structs.OffsetIndex(
        page_locations=locations,
        unencoded_byte_array_data_bytes=sizes if sizes and None not in sizes else None,
    )
