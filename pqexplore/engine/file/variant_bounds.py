"""The bounds of column chunks and pages, which inside a Variant need the `value` column beside them.

Specification: "Data Skipping" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import dataclasses
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.statistics import Bounds, bounds
from pqexplore.engine.format.variant.bounds import (
    ENCODED,
    UNKNOWN,
    VALUES,
    WHY,
    doubt,
    inside,
    typed_group,
    value_beside,
)

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk


def chunk_bounds(chunk: ColumnChunk) -> Bounds | None:
    """The chunk's decoded statistics, not trusted if `chunk_doubt` has a reason; None if absent.

    Raises ParquetError as `statistics.bounds` and `ColumnChunk.metadata` do.
    """
    decoded = bounds(chunk.leaf, chunk.metadata.statistics, chunk.file.created_by)
    if decoded is None or not decoded.source:
        return decoded
    reason = chunk_doubt(chunk)
    if not reason:
        return decoded
    why = "; ".join(filter(None, (WHY[reason], decoded.why)))
    return dataclasses.replace(decoded, trusted=False, why=why)


def chunk_doubt(chunk: ColumnChunk) -> str:
    """Why the chunk's bounds do not cover the values of its Variants, as a key of `WHY`.

    Empty if they do, and outside of Variants.
    """
    if not inside(chunk.leaf):
        return ""
    if typed_group(chunk.leaf) is None:
        return ENCODED
    value = _value(chunk)
    if value is None:
        return ""
    try:
        metadata = value.metadata
    except ParquetError:
        return UNKNOWN
    counted = metadata.statistics
    return doubt(None if counted is None else counted.null_count, metadata.num_values)


def page_doubts(chunk: ColumnChunk, pages: int) -> list[str]:
    """The same for each of the `pages` pages of the chunk's column index: what matters are the rows of each page."""
    reason = chunk_doubt(chunk)
    if reason in ("", ENCODED):
        return [reason] * pages
    value = _value(chunk)
    assert value is not None
    try:
        starts = _first_rows(chunk)
        others, index = _first_rows(value), value.column_index
    except ParquetError:
        return [UNKNOWN] * pages
    if starts is None or others is None or index is None:
        return [UNKNOWN] * pages
    null = index.null_pages
    if len(starts) != pages + 1 or null is None or len(others) != len(null) + 1:
        return [UNKNOWN] * pages
    # Pages of `value` up to each one that have values; the difference of two is how many lie between them.
    filled = list(accumulate((not one for one in null), initial=0))
    first = np.searchsorted(others, starts[:-1], "right") - 1
    end = np.searchsorted(others[:-1], starts[1:], "left")
    return [
        VALUES if start < stop and filled[b] > filled[a] else ""
        for a, b, (start, stop) in zip(first.tolist(), end.tolist(), pairwise(starts), strict=True)
    ]


def _value(chunk: ColumnChunk) -> ColumnChunk | None:
    leaf = value_beside(chunk.leaf)
    return None if leaf is None else chunk.row_group.columns[leaf.leaf_index]


def _first_rows(chunk: ColumnChunk) -> list[int] | None:
    """The first row of each page, and the number of rows; None if the offset index does not say, or is damaged."""
    index = chunk.offset_index
    rows = [] if index is None else [one.first_row_index for one in index.page_locations or ()]
    rows.append(chunk.row_group.num_rows)
    if len(rows) < 2 or rows[0] != 0 or None in rows:
        return None
    return rows if all(a <= b for a, b in pairwise(rows)) else None
