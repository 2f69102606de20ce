"""The values of a column, read within a bound: the evidence that the file's own claims do not give.

Most causes compare what the file says about a row group with what its values would let a good file say. So the values
of as many row groups as the bound allows are read, and ranked by their order keys.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Int64s, arrow_numbers, numpy_numbers
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.format.ordering import Order, is_nan, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.accepted_values import Accepts

MAX_VALUES = 3_000_000
"""Values of a column that are read at most, nulls included, over all row groups."""

MAX_BYTES = 32 << 20
"""Bytes of a column's chunks that are read at most, compressed or not, over all row groups."""

MAX_GROUPS = 128
"""Row groups whose values are read at most."""

MAX_PAGES = 2_000
"""Pages that are read at most, over all row groups."""

MAX_ENTRIES = 200_000
"""Distinct values of a type without numbers or text (decimals in bytes, INT96, Float16) that are ranked one by one."""

_NUMBERS = frozenset((Type.BOOLEAN, Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE))


@dataclasses.dataclass(frozen=True, slots=True)
class Values:
    """The values of a leaf in some row groups.

    - `groups`: the row groups that were read; `whole` is whether these are all that have rows.
    - `distinct`: the distinct values with a place in the order, ascending; a rank is a number among them.
    - `rank`: for each value that is not null its rank, -1 for a NaN; `position`: its number among the values of its
      chunk, nulls included. Both are int64. `slices` says where those of each row group are.
    - `nulls` and `nans` count by row group. `pages` are the values of each data page, nulls included, by row group.
    """

    leaf: Leaf
    order: Order
    groups: tuple[int, ...]
    whole: bool
    distinct: Distinct
    rank: Int64s
    position: Int64s
    slices: dict[int, slice]
    nulls: dict[int, int]
    nans: dict[int, int]
    pages: dict[int, list[int]]

    def count(self, group: int) -> int:
        """How many values a row group has, nulls included."""
        return sum(self.pages[group])

    def ranks(self, group: int) -> Int64s:
        """The ranks of a row group's values in their order in the file, NaN left out."""
        ranks: Int64s = self.rank[self.slices[group]]
        return ranks[ranks >= 0] if self.nans[group] else ranks

    def part(self, group: int, start: int, stop: int) -> Int64s:
        """The ranks (-1 for NaN) of values `start` to `stop` of a row group, nulls counted but left out."""
        mine = self.slices[group]
        first, end = np.searchsorted(self.position[mine], (start, stop))
        ranks: Int64s = self.rank[mine][first:end]
        return ranks

    def raw(self, rank: int) -> bytes:
        """The PLAIN bytes of a distinct value."""
        return self.distinct.raw(self.leaf, int(rank))

    def key(self, rank: int) -> bytes:
        """The order key of a distinct value."""
        return order_key(self.leaf, self.raw(rank), self.order) or b""

    def between(self, accepts: Accepts) -> list[tuple[int, int]]:
        """The ranks of the values that can be accepted, as half-open ranges."""
        every = range(len(self.distinct))
        found = []
        for one in accepts.intervals:
            low = high = None
            if one.low is not None:
                low = (bisect_right if one.low_open else bisect_left)(every, one.low, key=self.key)
            if one.high is not None:
                high = (bisect_left if one.high_open else bisect_right)(every, one.high, key=self.key)
            found.append((low or 0, len(every) if high is None else high))
        return [(start, end) for start, end in found if start < end]

    @property
    def remark(self) -> str:
        """The end of a sentence that says which row groups were read; "" if all were."""
        return "" if self.whole else f" (by the values of {plural(len(self.groups), 'row group')})"


class Distinct:
    """Distinct values in ascending order: a numpy array of numbers, or a list of PLAIN bytes, or an Arrow array of them."""

    __slots__ = ("_values",)

    def __init__(self, values: npt.NDArray[Any] | list[bytes] | pa.Array) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def raw(self, leaf: Leaf, rank: int) -> bytes:
        """The PLAIN bytes of the value at a rank."""
        value = self._values[rank]
        if isinstance(value, bytes):
            return value
        if isinstance(value, pa.Scalar):
            raw: bytes = value.as_py()
            return raw
        return stored_bytes(leaf, value.item())


def read(file: ParquetFile, leaf: Leaf, order: Order) -> Values | None:
    """The values of a leaf within the bounds, evenly spread over the row groups; None if none can be read.

    The file keeps them for a while, so that the next condition is answered at once.
    """
    key = ("values of a column", leaf.leaf_index, order, MAX_VALUES)
    kept: tuple[Values | None] = file.cache.get(key, lambda: (_within(file, leaf, order),), _size)
    return kept[0]


def _size(kept: tuple[Values | None]) -> int:
    """Bytes that are held, about."""
    return 0 if kept[0] is None else 4 * kept[0].rank.nbytes


def _within(file: ParquetFile, leaf: Leaf, order: Order) -> Values | None:
    chosen, whole = _choose(file, leaf)
    if not chosen or order is Order.NONE:
        return None
    with file.budget.asking("the causes of what a query reads"):
        try:
            return _read(file, leaf, order, chosen, whole)
        except LimitExceededError:
            return None


def _choose(file: ParquetFile, leaf: Leaf) -> tuple[list[ColumnChunk], bool]:
    """Row groups, evenly spaced, whose chunks together are within the bounds; and whether they are all."""
    chunks = []
    count = len(file.row_groups)
    every = -(-count // MAX_GROUPS) or 1
    for index in range(0, count, every):
        try:
            chunk = file.row_groups[index].columns[leaf.leaf_index]
            if chunk.num_values and not chunk.locked:
                chunks.append(chunk)
        except ParquetError:
            continue
    if not chunks:
        return [], False
    step = 1
    while True:
        some = chunks[::step]
        if _fits(some):
            return some, step == 1 and len(chunks) == count
        if len(some) == 1:
            return [], False
        step *= 2


def _fits(chunks: list[ColumnChunk]) -> bool:
    values = sum(chunk.num_values for chunk in chunks)
    stored = sum(
        max(chunk.metadata.total_compressed_size or 0, chunk.metadata.total_uncompressed_size or 0) for chunk in chunks
    )
    return values <= MAX_VALUES and stored <= MAX_BYTES


def _read(file: ParquetFile, leaf: Leaf, order: Order, chunks: list[ColumnChunk], whole: bool) -> Values | None:
    arrays: list[pa.Array] = []
    positions: list[Int64s] = []
    slices: dict[int, slice] = {}
    nulls: dict[int, int] = {}
    pages: dict[int, list[int]] = {}
    before = read = 0
    for chunk in _spread(chunks):
        try:
            read += len(chunk.pages)
            if read > MAX_PAGES:
                whole = False
                break
            found = _chunk(chunk)
        except LimitExceededError:
            raise
        except ParquetError:
            whole = False
            continue
        index = chunk.row_group.index
        nulls[index], pages[index] = found.nulls, found.pages
        arrays += found.arrays
        positions.append(found.position)
        slices[index] = slice(before, before + len(found.position))
        before += len(found.position)
    if not pages:
        return None
    ranked = _ranked(leaf, order, arrays)
    if ranked is None:
        return None
    rank, distinct = ranked
    nans = {index: int((rank[mine] < 0).sum()) for index, mine in slices.items()}
    position = np.concatenate(positions)
    return Values(leaf, order, tuple(sorted(pages)), whole, distinct, rank, position, slices, nulls, nans, pages)


def _spread(chunks: list[ColumnChunk]) -> list[ColumnChunk]:
    """The chunks in an order in which those of each beginning are spread evenly: by multiples of the golden ratio."""
    return sorted(chunks, key=lambda chunk: chunk.row_group.index * 0.6180339887498949 % 1)


@dataclasses.dataclass(slots=True)
class _Chunk:
    arrays: list[pa.Array]
    position: Int64s
    nulls: int
    pages: list[int]


def _chunk(chunk: ColumnChunk) -> _Chunk:
    """The values of a chunk: arrays of the physical type, and the position of each value."""
    arrays: list[pa.Array] = []
    position: list[Int64s] = []
    sizes: list[int] = []
    before = nulls = 0
    highest = chunk.leaf.max_definition_level
    for one in chunk.pages:
        if not one.is_data:
            continue
        values = one.physical
        levels = one.definition_levels
        count = one.num_values
        there = np.arange(len(values)) if levels is None else np.flatnonzero(levels == highest)
        if len(there) != len(values) or before + count > MAX_VALUES:
            raise LimitExceededError("the pages have more values than the footer says", address=chunk.address)
        arrays.append(values)
        position.append(before + there.astype(np.int64))
        nulls += count - len(values)
        sizes.append(count)
        before += count
    empty = np.zeros(0, np.int64)
    return _Chunk(arrays, np.concatenate(position) if position else empty, nulls, sizes)


def _ranked(leaf: Leaf, order: Order, arrays: list[pa.Array]) -> tuple[Int64s, Distinct] | None:
    """The rank of each value among the distinct ones (-1: NaN), and these; None if there are too many, or a bad one."""
    if not any(map(len, arrays)):
        return np.zeros(0, np.int64), Distinct([])
    numbers = leaf.physical_type in _NUMBERS and order in (
        *(Order.SIGNED, Order.UNSIGNED, Order.BOOLEAN, Order.DECIMAL, Order.FLOAT),
    )
    if numbers:
        return _of_numbers(np.concatenate([*map(numpy_numbers, arrays)]), order)
    encoded = pa.concat_arrays(arrays).dictionary_encode()
    codes, entries = numpy_numbers(encoded.indices), encoded.dictionary
    if order is Order.BYTES and leaf.physical_type == Type.BYTE_ARRAY:
        by_value = numpy_numbers(pc.array_sort_indices(entries)).astype(np.int64)
        place = np.empty(len(by_value), np.int64)
        place[by_value] = np.arange(len(by_value))
        return place[codes], Distinct(entries.take(arrow_numbers(by_value)))
    if len(entries) > MAX_ENTRIES:
        return None
    return _by_key(leaf, order, [stored_bytes(leaf, one) for one in entries.to_pylist()], codes)


def _of_numbers(values: npt.NDArray[Any], order: Order) -> tuple[Int64s, Distinct]:
    there = ~np.isnan(values) if order is Order.FLOAT else np.ones(len(values), bool)
    signed = values.dtype
    if order is Order.UNSIGNED:
        values = values.view(signed.str.replace("i", "u"))
    distinct, inverse = np.unique(values[there], return_inverse=True)
    rank = np.full(len(values), -1, np.int64)
    rank[there] = inverse.reshape(-1)
    return rank, Distinct(distinct.view(signed))


def _by_key(leaf: Leaf, order: Order, raws: list[bytes], codes: npt.NDArray[Any]) -> tuple[Int64s, Distinct] | None:
    """Ranks by order keys, one by one."""
    try:
        keys = [None if is_nan(leaf, raw) else order_key(leaf, raw, order) for raw in raws]
    except ParquetError:
        return None
    known = sorted({key for key in keys if key is not None})
    places = {key: i for i, key in enumerate(known)}
    ranks = np.array([-1 if key is None else places[key] for key in keys], np.int64)
    example = {key: raw for key, raw in zip(keys, raws, strict=True) if key is not None}
    return ranks[codes.astype(np.int64)], Distinct([example[key] for key in known])
