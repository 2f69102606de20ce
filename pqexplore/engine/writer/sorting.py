"""Puts the records of a file's columns into another order: sort keys, the permutation, columns by record.

Values are compared in their column's order (`format.ordering`). The key columns are read one at a time, the last key first,
because a stable sort by each key in turn sorts by all of them. Levels and physical values are moved as they are, so every bit
of a value is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Array, Int64s
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import dictionary
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.fixed_width import to_variable
from pqexplore.engine.format.nesting.levels import record_starts
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.ordering import Order, column_order, is_float, order_key
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import printable
from pqexplore.engine.writer.statistics import flipped, float_values, int96_values, total_ranks

NAMED = 20
"""Columns that an error lists."""


@dataclasses.dataclass(frozen=True, slots=True)
class SortKey:
    """A column that rows are sorted by."""

    leaf: Leaf
    descending: bool


def sort_order(leaf: Leaf) -> Order:
    """The order in which a column is sorted: its own; INT96 without an order is sorted as a timestamp."""
    order = column_order(leaf)
    return Order.INT96 if order is Order.NONE and leaf.physical_type == Type.INT96 else order


def is_sortable(leaf: Leaf) -> bool:
    """Whether rows can be sorted by a column: it has at most one value for each row, and an order."""
    return not leaf.max_repetition_level and sort_order(leaf) is not Order.NONE


def sort_keys(schema: Schema, sort: Sequence[str]) -> list[SortKey]:
    """The keys that dotted names stand for, a leading "-" for descending. UsageError if rows cannot be sorted by one."""
    if isinstance(sort, str):
        raise UsageError(f"sort is a sequence of columns, not one string; did you mean [{sort!r}]?")
    found: list[SortKey] = []
    for name in sort:
        descending = name not in schema.dotted and name.startswith("-")
        path = name[1:] if descending else name
        leaves = [leaf for leaf in schema.leaves if ".".join(leaf.path) == path]
        if len(leaves) != 1 or not is_sortable(leaves[0]):
            reason = "there is no such column"
            if len(leaves) > 1:
                reason = f"{len(leaves)} columns have this path"
            elif leaves:
                repeated = leaves[0].max_repetition_level
                reason = "it is repeated" if repeated else "its values have no order"
            possible = [".".join(leaf.path) for leaf in schema.leaves if is_sortable(leaf)]
            listed = ", ".join(possible[:NAMED]) or "none"
            raise UsageError(f"sort by {printable(name)!r}: {reason}; possible are {printable(listed)}")
        if any(key.leaf is leaves[0] for key in found):
            raise UsageError(f"sort by {printable(name)!r}: the column is given twice")
        found.append(SortKey(leaves[0], descending))
    return found


Read = Callable[[Leaf], LeafColumn]
"""Reads a column of all rows."""


def permutation(keys: Sequence[SortKey], rows: int, read: Read) -> Int64s:
    """The row of the file that comes first, second, …: int64, shape (rows,).

    The sort is stable. Nulls come last in both directions; a NaN is larger than every number, as in Spark and DuckDB.
    """
    order: Int64s | None = None
    for key in reversed(keys):
        column = read(key.leaf)
        if order is None:  # after a column was read, which refuses rows that its pages do not have
            order = np.arange(rows, dtype=np.int64)
        arrays = _comparable(key.leaf, column.values)
        if key.descending:
            arrays = [~each for each in arrays]
        definition = column.definition_levels
        if definition is not None and len(column.values) < rows:
            present = definition == key.leaf.max_definition_level
            arrays = [~present, *(_spread(each, present) for each in arrays)]
        del column
        for each in reversed(arrays):
            order = order[np.argsort(each[order], kind="stable")]
    assert order is not None  # there is a key
    return order


def ranks(leaf: Leaf, column: LeafColumn) -> Int64s:
    """The rank of each row's value among the different ones, from 0; −1 for a null."""
    arrays = _comparable(leaf, column.values)
    if len(arrays) > 1:
        whole = np.stack([each.astype(np.int64) for each in arrays], axis=1)
        found = np.unique(whole, axis=0, return_inverse=True)[1].ravel()
    else:
        found = np.unique(arrays[0], return_inverse=True)[1]
    definition = column.definition_levels
    if definition is None:
        return found.astype(np.int64)
    every = np.full(len(definition), -1, np.int64)
    every[definition == leaf.max_definition_level] = found
    return every


def _spread(values: Array, present: Array) -> Array:
    whole = np.zeros(len(present), values.dtype)
    whole[present] = values
    return whole


def _comparable(leaf: Leaf, values: pa.Array) -> list[Array]:
    """Arrays of integers, the most significant first, that compare as the values do."""
    order = sort_order(leaf)
    if is_float(leaf):
        floats = float_values(leaf, values)
        if order is Order.FLOAT:  # zeros compare as equal, and so do NaNs
            floats = np.where(np.isnan(floats), floats.dtype.type(np.nan), floats + 0)
        return [total_ranks(floats)]
    if order is Order.INT96:
        stored = int96_values(values)
        return [stored["day"], stored["nanos"]]
    if leaf.physical_type == Type.BOOLEAN:
        return [values.to_numpy(zero_copy_only=False)]
    if leaf.physical_type in (Type.INT32, Type.INT64):
        numbers = values.to_numpy(zero_copy_only=False)
        return [numbers.view(f"u{numbers.itemsize}") if order is Order.UNSIGNED else numbers]
    return [_ranked_bytes(leaf, values, order)]


def _ranked_bytes(leaf: Leaf, values: pa.Array, order: Order) -> Array:
    """The rank of each byte array among the different ones."""
    if not len(values):
        return np.zeros(0, np.uint8)
    entries, ids = dictionary.build(values)
    if order is Order.DECIMAL:
        if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
            entries = flipped(entries)
        else:
            keys = [order_key(leaf, value.as_py(), order) for value in entries]
            entries = pa.array(keys, pa.large_binary())
    if pa.types.is_fixed_size_binary(entries.type):
        entries = to_variable(entries)
    # Decimals of different bytes can be the same number, so ranks are dense.
    ranked: Array = pc.rank(entries, sort_keys="ascending", tiebreaker="dense").to_numpy()
    return ranked.astype(np.min_scalar_type(len(ranked)))[ids]


class Records:
    """A column whose records can be taken in any order."""

    def __init__(self, column: LeafColumn) -> None:
        self._column = column
        self._starts: Int64s | None = None
        if column.repetition_levels is not None:
            begins = record_starts(column.repetition_levels)
            self._starts = np.append(begins, len(column.repetition_levels))
        self._before: Int64s | None = None
        definition = column.definition_levels
        if definition is not None and len(column.values) < len(definition):
            self._before = np.cumsum(definition == column.leaf.max_definition_level) - 1
        """The index of each entry's value, where there is one."""

    def take(self, records: Int64s) -> LeafColumn:
        """The records with these indexes, in their order."""
        column, at = self._column, records
        if self._starts is not None:
            begins = self._starts[records]
            counts = self._starts[records + 1] - begins
            ends = np.cumsum(counts)
            at = np.repeat(begins - (ends - counts), counts) + np.arange(counts.sum())
        definition, repetition = (
            None if levels is None else levels[at] for levels in (column.definition_levels, column.repetition_levels)
        )
        if self._before is not None and definition is not None:
            at = self._before[at[definition == column.leaf.max_definition_level]]
        return LeafColumn(column.leaf, definition, repetition, column.values.take(pa.array(at)))


class Shelf:
    """Holds columns in a file until they are written. Their levels and values are stored as Arrow arrays."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._places: list[tuple[int, int, Leaf]] = []

    def put(self, column: LeafColumn) -> int:
        """Store a column; returns its number."""
        levels = [column.definition_levels, column.repetition_levels]
        parts = [column.values, *(pa.nulls(0) if one is None else pa.array(one) for one in levels)]
        arrays = [pa.LargeListArray.from_arrays(pa.array([0, len(part)], pa.int64()), part) for part in parts]  # fmt: skip
        batch = pa.record_batch(arrays, ["values", "definition", "repetition"])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        data = sink.getvalue()
        start = self._out.seek(0, 2)
        self._out.write(data)
        self._places.append((start, data.size, column.leaf))
        return len(self._places) - 1

    def get(self, number: int) -> LeafColumn:
        """A column that was stored."""
        start, size, leaf = self._places[number]
        self._out.seek(start)
        with pa.ipc.open_stream(pa.py_buffer(self._out.read(size))) as stream:
            values, *levels = (each.flatten() for each in stream.read_next_batch().columns)
        definition, repetition = (
            None if pa.types.is_null(one.type) else one.to_numpy(zero_copy_only=False) for one in levels
        )
        return LeafColumn(leaf, definition, repetition, values)


def reordered(
    read: Read, leaf: Leaf, order: Int64s, ranges: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, LeafColumn]]:
    """A column in another order, in parts: the number of records of each, and the records."""
    column = Records(read(leaf))
    for start, stop in ranges:
        yield stop - start, column.take(order[start:stop])


class SortedRows:
    """The rows of a file in another order, cut into row groups at `ranges`; `fill` reads them, `read` one column as it is."""

    def __init__(
        self, read: Read, leaves: Sequence[Leaf], order: Int64s, ranges: Sequence[tuple[int, int]], shelf: Shelf
    ) -> None:
        self.order = order
        self.ranges = ranges
        self.read = read
        self._leaves = leaves
        self._shelf = shelf

    def fill(self) -> Iterator[float]:
        """Read each column, cut it into row groups, and put these on the shelf; yields the share that is done."""
        for done, leaf in enumerate(self._leaves, 1):
            for _, part in reordered(self.read, leaf, self.order, self.ranges):
                self._shelf.put(part)
            yield done / len(self._leaves)

    def groups(self, chosen: Sequence[int]) -> Iterator[tuple[int, Iterable[LeafColumn]]]:
        """Row groups as they are written, by their positions in `ranges`."""
        for at in chosen:
            start, stop = self.ranges[at]
            numbers = range(at, len(self._leaves) * len(self.ranges), len(self.ranges))
            yield stop - start, map(self._shelf.get, numbers)
