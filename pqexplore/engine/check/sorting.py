"""Checks that the rows are sorted as the row group's sorting_columns say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.check.comparable import comparable, nan_mask
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.ordering import Order, column_order, order_key
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf

MAX_ROWS = 2_000_000
"""Row groups with more rows are not checked."""

Ranks = np.ndarray[Any, Any]


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """A finding for the first two rows in the wrong order. `sound` are the readable columns."""
    order = group.metadata.sorting_columns or ()
    rows = group.num_rows
    if rows > MAX_ROWS and order and order[0].column_idx in sound:
        yield from by_bounds(group.columns[order[0].column_idx])
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
            parts = f"rows {row - 1:,} and {row:,}"
            yield _not_sorted(chunk, position, column, parts, {"row": row})
            return
        equal &= before == after


def by_bounds(chunk: ColumnChunk) -> Iterator[Finding]:
    """A finding if the column index shows that the rows are not sorted by this column first, as claimed.

    Reads the column index only, so it sees pages in the wrong order and not rows. ParquetError if it cannot be read.
    """
    claim = next(iter(chunk.row_group.metadata.sorting_columns or ()), None)
    if claim is None or structs.missing(claim) or claim.column_idx != chunk.index:
        return
    index, leaf = chunk.column_index, chunk.leaf
    if index is None or structs.missing(index) or leaf.max_repetition_level:
        return
    order = column_order(leaf)
    bounds = [
        (page, _key(leaf, low, order), _key(leaf, high, order))
        for page, (null, low, high) in enumerate(
            zip(index.null_pages, index.min_values, index.max_values, strict=False)
        )
        if not null
    ]
    for (first, *a), (second, *b) in pairwise(bounds):
        low, high = (b[0], a[1]) if claim.descending else (a[0], b[1])
        if low is not None and high is not None and low > high:
            yield _not_sorted(chunk, 0, claim, f"the bounds of pages {first:,} and {second:,}", {"page": second})
            return


def _key(leaf: Leaf, bound: bytes, order: Order) -> bytes | None:
    """The order key of a bound; None if it has none, or is no value of the column."""
    try:
        return order_key(leaf, bound, order)
    except CorruptFileError:
        return None


def _not_sorted(
    chunk: ColumnChunk, position: int, column: structs.SortingColumn, parts: str, evidence: dict[str, int]
) -> Finding:
    name = ".".join(chunk.leaf.path)
    return Finding(
        "not-sorted",
        Address.of("footer", chunk.row_group.address, "sorting_columns", position),
        f"sorting_columns say that the rows are sorted by {name} "
        f"{'descending' if column.descending else 'ascending'}, {parts} are not",
        {"column": name, "chunk": str(chunk.address), **evidence},
    )


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
        present.append(np.ones(page.num_values, np.bool_) if levels is None else levels == leaf.max_definition_level)
    if not parts or len({part.type for part in parts}) > 1:
        return None
    is_present = np.concatenate(present)
    if len(is_present) != rows:
        return None
    dense = numpy_numbers(pc.rank(pa.chunked_array(parts), sort_keys="ascending", tiebreaker="dense"))
    ranks = np.empty(rows, np.int64)
    largest = len(dense) + 1
    ranks[is_present] = -dense.astype(np.int64) if column.descending else dense
    ranks[~is_present] = -largest if column.nulls_first else largest
    return ranks
