"""The values of a column, read within a bound: the evidence that the file's own claims do not give.

Most causes compare what the file says about a row group with what its values would let a good file say. So the values
of as many row groups as the bound allows are read, and ranked by their order keys.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s, Mask
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.format.ordering import Order, is_nan, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

MAX_VALUES = 200_000
"""Values of a column that are read at most, nulls included, over all row groups."""

MAX_BYTES = 16 << 20
"""Bytes of a column's chunks that are read at most, compressed or not, over all row groups."""


@dataclasses.dataclass(frozen=True, slots=True)
class Values:
    """The values of a leaf in some row groups.

    - `groups`: the row groups that were read; `whole` is whether these are all that have rows.
    - `raws`: the distinct values with a place in the order, ascending, as PLAIN bytes; `keys` their order keys.
    - For each value that is not null: `group` is the index of its row group in the file, `page` the number of its data
      page in the chunk, `position` its number among the values of the chunk (nulls included), `rank` its place in
      `raws`, -1 for a NaN. All are int64.
    - `nulls` and `nans` count by row group. `pages` are the values of each data page, nulls included, by row group.
    """

    leaf: Leaf
    order: Order
    groups: tuple[int, ...]
    whole: bool
    raws: list[bytes]
    keys: list[bytes]
    group: Int64s
    page: Int64s
    position: Int64s
    rank: Int64s
    nulls: dict[int, int]
    nans: dict[int, int]
    pages: dict[int, list[int]]

    def of(self, group: int) -> Mask:
        """Which values are those of a row group."""
        mask: Mask = self.group == group
        return mask

    def count(self, group: int) -> int:
        """How many values a row group has, nulls included."""
        return sum(self.pages[group])

    def key_of(self, group: int) -> Int64s:
        """The ranks of a row group's values in their order in the file, NaN left out."""
        ranks: Int64s = self.rank[self.of(group) & (self.rank >= 0)]
        return ranks

    @property
    def remark(self) -> str:
        """The end of a sentence that says which row groups were read; "" if all were."""
        return "" if self.whole else f" (by the values of {len(self.groups):,} row groups)"


def read(file: ParquetFile, leaf: Leaf, order: Order) -> Values | None:
    """The values of a leaf within the bounds, evenly spread over the row groups; None if none can be read.

    The file keeps them for a while, so that the next condition is answered at once.
    """
    key = ("values of a column", leaf.leaf_index, order, MAX_VALUES)
    kept: tuple[Values | None] = file.cache.get(key, lambda: (_within(file, leaf, order),), _size)
    return kept[0]


def _size(kept: tuple[Values | None]) -> int:
    found = kept[0]
    if found is None:
        return 0
    return 4 * found.rank.nbytes + sum(2 * len(raw) + 100 for raw in found.raws)


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
    for index in range(min(len(file.row_groups), MAX_VALUES)):
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
            return some, step == 1 and len(chunks) == len(file.row_groups)
        if len(some) == 1:
            return [], False
        step *= 2


def _fits(chunks: list[ColumnChunk]) -> bool:
    values = sum(chunk.num_values for chunk in chunks)
    stored = sum(
        max(chunk.metadata.total_compressed_size or 0, chunk.metadata.total_uncompressed_size or 0)
        for chunk in chunks
    )
    return values <= MAX_VALUES and stored <= MAX_BYTES


def _read(
    file: ParquetFile, leaf: Leaf, order: Order, chunks: list[ColumnChunk], whole: bool
) -> Values | None:
    arrays: list[pa.Array] = []
    columns: list[list[Int64s]] = [[], [], []]
    nulls: dict[int, int] = {}
    pages: dict[int, list[int]] = {}
    for chunk in chunks:
        try:
            found = _chunk(chunk)
        except LimitExceededError:
            raise
        except ParquetError:
            whole = False
            continue
        index = chunk.row_group.index
        nulls[index], pages[index] = found.nulls, found.pages
        arrays += found.arrays
        columns[0].append(np.full(sum(map(len, found.arrays)), index, np.int64))
        columns[1].append(found.page)
        columns[2].append(found.position)
    if not pages:
        return None
    group, page, position = (
        np.concatenate(one) if one else np.zeros(0, np.int64) for one in columns
    )
    rank, raws, keys = _ranked(leaf, order, arrays)
    if rank is None:
        return None
    lost = group[rank < 0]
    nans = {index: int((lost == index).sum()) for index in pages}
    return Values(
        leaf, order, tuple(pages), whole, raws, keys, group, page, position, rank, nulls, nans,
        pages,
    )  # fmt: skip


@dataclasses.dataclass(slots=True)
class _Chunk:
    arrays: list[pa.Array]
    page: Int64s
    position: Int64s
    nulls: int
    pages: list[int]


def _chunk(chunk: ColumnChunk) -> _Chunk:
    """The values of a chunk: arrays of the physical type, and the page and position of each value."""
    arrays: list[pa.Array] = []
    page: list[Int64s] = []
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
            raise LimitExceededError(
                "the pages have more values than the footer says", address=chunk.address
            )
        arrays.append(values)
        page.append(np.full(len(values), len(sizes), np.int64))
        position.append(before + there.astype(np.int64))
        nulls += count - len(values)
        sizes.append(count)
        before += count
    empty = np.zeros(0, np.int64)
    return _Chunk(
        arrays,
        np.concatenate(page) if page else empty,
        np.concatenate(position) if position else empty,
        nulls,
        sizes,
    )


def _ranked(
    leaf: Leaf, order: Order, arrays: list[pa.Array]
) -> tuple[Int64s | None, list[bytes], list[bytes]]:
    """The rank of each value among the distinct ones, and these as PLAIN bytes and order keys, ascending."""
    if not arrays:
        return np.zeros(0, np.int64), [], []
    encoded = pa.chunked_array(arrays).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = pa.concat_arrays(encoded.chunks)
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        encoded = encoded.view(
            pa.int32() if leaf.physical_type == Type.FLOAT else pa.int64()
        )  # NaNs and zeros as they are stored
        bits = encoded.dictionary_encode()
        width = 4 if leaf.physical_type == Type.FLOAT else 8
        distinct = [
            value.to_bytes(width, "little", signed=True) for value in bits.dictionary.to_pylist()
        ]
    else:
        bits = encoded.dictionary_encode()
        distinct = [stored_bytes(leaf, value) for value in bits.dictionary.to_pylist()]
    try:
        keys = [None if is_nan(leaf, raw) else order_key(leaf, raw, order) for raw in distinct]
    except ParquetError:
        return None, [], []
    known = sorted({key for key in keys if key is not None})
    places = {key: i for i, key in enumerate(known)}
    ranks = np.array([-1 if key is None else places[key] for key in keys], np.int64)
    example = {key: raw for key, raw in zip(keys, distinct, strict=True) if key is not None}
    codes = bits.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    rank: Int64s = ranks[codes] if len(ranks) else np.zeros(0, np.int64)
    return rank, [example[key] for key in known], known
