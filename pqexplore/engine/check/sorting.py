"""Sorting columns: whether the rows are in the order that the row group claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.check.comparable import comparable, nan_mask
from pqexplore.engine.ordering import Order, declared_order, type_order
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.row_group import RowGroup

MOST_ROWS = 2_000_000
"""Rows of a row group that are compared; larger ones are not."""

Ranks = np.ndarray[Any, Any]


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """The first pair of rows that lie the wrong way round. `sound` are the columns that can be read."""
    order = group.metadata.sorting_columns or ()
    rows = group.num_rows
    if not order or not 1 < rows <= MOST_ROWS:
        return
    equal = np.ones(rows - 1, np.bool_)
    """Neighbours that are the same in all columns so far; only for them does the next column matter."""
    for position, column in enumerate(order):
        if structs.missing(column) or column.column_idx not in sound:
            return
        chunk = group.columns[column.column_idx]
        ranks = _ranks(chunk, column, rows)
        if ranks is None:
            return
        before, after = ranks[:-1], ranks[1:]
        wrong = equal & (before > after)
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            yield Finding(
                "not-sorted",
                "error",
                join("footer", group.address, "sorting_columns", position),
                f"the rows are said to be sorted by {'.'.join(chunk.leaf.path)} "
                f"{'descending' if column.descending else 'ascending'}, rows {row - 1:,} and {row:,} are not",
                {"column": ".".join(chunk.leaf.path), "row": row},
                "RowGroup.sorting_columns: If set, specifies a sort ordering of the rows in this RowGroup",
            )
            return
        equal &= before == after


def _ranks(chunk: ColumnChunk, column: structs.SortingColumn, rows: int) -> Ranks | None:
    """A number for each row that ascends where the rows are sorted as claimed; None where that cannot be told.

    NaNs have no place that all writers agree on, so columns with NaN are not judged, nor are lists.
    """
    leaf = chunk.leaf
    if leaf.max_repetition_level:
        return None
    order = declared_order(leaf) or type_order(leaf)
    parts, present = [], []
    for page in chunk.pages:
        if not page.is_data:
            continue
        physical = page.physical
        nan = nan_mask(leaf, physical)
        if nan is not None and nan.any() and order is not Order.TOTAL:
            return None
        keys = comparable(leaf, physical, order)
        if keys is None:
            return None
        parts.append(keys)
        levels = page.definition_levels
        present.append(
            np.ones(page.num_values, np.bool_)
            if levels is None
            else levels == leaf.max_definition_level
        )
    if not parts or len({part.type for part in parts}) > 1:
        return None
    there = np.concatenate(present)
    if len(there) != rows:
        return None
    dense = pc.rank(pa.chunked_array(parts), sort_keys="ascending", tiebreaker="dense").to_numpy(
        zero_copy_only=False
    )
    ranks = np.empty(rows, np.int64)
    largest = len(dense) + 1
    ranks[there] = -dense.astype(np.int64) if column.descending else dense
    ranks[~there] = -largest if column.nulls_first else largest
    return ranks
