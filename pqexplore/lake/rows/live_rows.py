"""Which rows of a file are live: those that no deletion vector and no delete file of its table deletes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Mask
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.lake.logs.roaring import Positions

if TYPE_CHECKING:
    from pqexplore.lake.logs.table_schema import TableColumn, TableSchema


def without(rows: int, gone: Positions) -> Mask | None:
    """Which of a file's rows are not among the deleted ones, ascending; None for all. CorruptFileError for a row too far."""
    if not len(gone):
        return None
    if gone[-1] >= rows or gone[0] < 0:
        raise CorruptFileError(f"row {int(gone[-1]):,} is deleted, and the file has {rows:,} rows", address="")
    alive = np.ones(rows, bool)
    alive[gone] = False
    return alive


def keys_of(schema: TableSchema, ids: Sequence[int]) -> list[TableColumn]:
    """The columns by which an equality delete file names rows. UnsupportedFeatureError if the table no longer has one."""
    found = [schema.root.by_id.get(number) for number in ids]
    columns = [one for one in found if one is not None and not one.is_nested]
    if not columns or len(columns) < len(found):
        raise UnsupportedFeatureError(
            f"an equality delete file names fields {list(ids)}, and not all are columns of the table now", address=""
        )
    return columns


def not_equal(rows: pa.Table, deleted: pa.Table) -> Mask:
    """Which rows differ from all of the deleted ones; both have the same columns, and null is equal to null."""
    code, known = np.zeros(len(rows), np.int64), np.zeros(len(deleted), np.int64)
    for name in rows.column_names:
        mine, others = rows[name].combine_chunks(), deleted[name].combine_chunks()
        values = others.unique()
        each, every = _codes(mine, values), _codes(others, values)
        # A row that has none of the values has code -1 from now on, and is equal to none.
        count = len(values) + 1
        pairs, known = np.unique(known * count + every, return_inverse=True)
        code = _where(code, each, pairs, count)
    found: Mask = code < 0
    return found


def _codes(array: pa.Array, values: pa.Array) -> Positions:
    """The position of each value among others, which have null if it counts; -1 for none."""
    found: Positions = (
        pc.index_in(array, value_set=values).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    )
    return found


def _where(code: Positions, each: Positions, pairs: Positions, count: int) -> Positions:
    """The code of each row by all columns so far; -1 for a row whose pair of codes no deleted row has."""
    wanted = code * count + each
    at = np.searchsorted(pairs, wanted)
    at = np.minimum(at, max(0, len(pairs) - 1))
    hit = (code >= 0) & (each >= 0) & (len(pairs) > 0)
    if len(pairs):
        hit &= pairs[at] == wanted
    return np.where(hit, at, -1)
