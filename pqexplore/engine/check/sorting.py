"""Checks that the rows are sorted as the row group's sorting_columns say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.address import Address
from pqexplore.engine.check.comparable import comparable, nan_mask
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.row_group import RowGroup

MAX_ROWS = 2_000_000
"""Row groups with more rows are not checked."""

Ranks = np.ndarray[Any, Any]


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """A finding for the first two rows in the wrong order. `sound` are the readable columns."""
    order = group.metadata.sorting_columns or ()
    rows = group.num_rows
    if not order or not 1 < rows <= MAX_ROWS:
        return
    equal = np.ones(rows - 1, np.bool_)
    """Whether two neighbours are equal in all columns so far; only then does the next column matter."""
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
                Address.of("footer", group.address, "sorting_columns", position),
                f"sorting_columns say that the rows are sorted by {'.'.join(chunk.leaf.path)} "
                f"{'descending' if column.descending else 'ascending'}, rows {row - 1:,} and {row:,} are not",
                {"column": ".".join(chunk.leaf.path), "row": row},
                "RowGroup.sorting_columns: If set, specifies a sort ordering of the rows in this RowGroup",
            )
            return
        equal &= before == after


def _ranks(chunk: ColumnChunk, column: structs.SortingColumn, rows: int) -> Ranks | None:
    """A rank for each row, ascending if the rows are sorted as claimed: int64, shape (rows,).

    None if the column cannot be compared: lists, and columns with NaN, for which writers do not agree on a position.
    """
    leaf = chunk.leaf
    if leaf.max_repetition_level:
        return None
    order = column_order(leaf)
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
    is_present = np.concatenate(present)
    if len(is_present) != rows:
        return None
    dense = pc.rank(pa.chunked_array(parts), sort_keys="ascending", tiebreaker="dense").to_numpy(
        zero_copy_only=False
    )
    ranks = np.empty(rows, np.int64)
    largest = len(dense) + 1
    ranks[is_present] = -dense.astype(np.int64) if column.descending else dense
    ranks[~is_present] = -largest if column.nulls_first else largest
    return ranks
