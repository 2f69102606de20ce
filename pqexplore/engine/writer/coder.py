"""Encodes the values of a chunk: with a dictionary until it is too large, then with the fallback encoding.

The dictionary is built from all values at once, with entries in the order of first appearance. So the entries that the
first pages need are a prefix. If the dictionary grows too large, the pages before that keep the prefix that they use,
and the pages after it use the fallback.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.format.encodings import dictionary, plain, value_encoding
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import column_order, order_key
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.options import ColumnOptions

DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)


class Coder:
    """Encodes the values of one chunk. `entries` are those of the dictionary; None without one."""

    def __init__(self, leaf: Leaf, options: ColumnOptions, values: pa.Array) -> None:
        self.leaf = leaf
        self.options = options
        self.values = values
        asked = options.encoding
        if asked is None:
            boolean = leaf.physical_type == Type.BOOLEAN
            asked = Encoding.PLAIN if boolean else Encoding.RLE_DICTIONARY
        self.encoding = int(asked)
        self.fallback = int(options.fallback)
        self.entries: pa.Array | None = None
        self._ids: Any = None
        self._until = 0  # values before it are in the dictionary
        if self.encoding not in DICTIONARIES:
            self.fallback = self.encoding
        elif len(values):
            self.entries, self._ids = self._build()

    def _build(self) -> tuple[pa.Array, Any]:
        """The dictionary of all values, or of the first ones if these already make it too large.

        A column of mostly different values is not hashed to its end: the first stretch has as many values as the
        dictionary can hold, and doubles while few of them repeat.
        """
        limit = self.options.dictionary_bytes
        if limit is not None:
            stretch = int(limit / self._mean_size()) + 1
            while stretch < len(self.values):
                entries, ids = dictionary.build(self.values.slice(0, stretch))
                if _sizes_before(entries)[-1] > limit:
                    return entries, ids
                if 4 * len(entries) < stretch:
                    break
                stretch *= 2
        return dictionary.build(self.values)

    def _mean_size(self) -> float:
        sizes = self._plain_sizes()
        return float(sizes) if np.ndim(sizes) == 0 else float(sizes[-1]) / len(self.values)

    def _fits(self) -> bool:
        """Whether all values are in a dictionary that is not too large."""
        if self.entries is None or len(self._ids) < len(self.values):
            return False
        limit = self.options.dictionary_bytes
        return limit is None or bool(_sizes_before(self.entries)[-1] <= limit)

    def value_sizes(self) -> Any:
        """Bytes of one value (float) if all have the same size, else of all values before each (int64 array)."""
        if self.entries is not None and self._fits():
            return max(len(self.entries) - 1, 1).bit_length() / 8
        return self._plain_sizes()

    def _plain_sizes(self) -> Any:
        if self.leaf.physical_type == Type.BOOLEAN:
            return 1 / 8
        if self.leaf.physical_type != Type.BYTE_ARRAY:
            return max(plain.value_bytes(self.leaf.physical_type, self.leaf.type_length), 1)
        return _sizes_before(self.values)

    def decide(self, page_ends: list[int]) -> None:
        """Keep the dictionary for the pages that end before it grows too large; `page_ends` are value indexes."""
        if self.entries is None:
            return
        self._until = len(self.values)
        limit = self.options.dictionary_bytes
        before = _sizes_before(self.entries)
        if limit is not None and before[-1] > limit:
            fitting = int(np.searchsorted(before, limit, "right")) - 1  # entries that fit
            beyond = np.argmax(self._ids >= fitting)  # ids come in order of first appearance
            self._until = max((end for end in page_ends if end <= beyond), default=0)
            kept = int(self._ids[: self._until].max()) + 1 if self._until else 0
            self.entries = self.entries.slice(0, kept) if kept else None
        if self.entries is not None and self.options.sort_dictionary:
            order = _sorted_order(self.leaf, self.entries)
            self.entries = self.entries.take(pa.array(order))
            new_ids = np.empty(len(order), np.uint32)
            new_ids[order] = np.arange(len(order), dtype=np.uint32)
            self._ids = new_ids[self._ids[: self._until]]

    def distinct(self) -> int:
        """The number of different values, compared by their bytes."""
        if self.entries is not None and self._until == len(self.values):
            return len(self.entries)
        return len(dictionary.build(self.values)[0]) if len(self.values) else 0

    def encode(self, start: int, stop: int) -> tuple[bytes, int]:
        """The values section of values `[start, stop)`, and its encoding."""
        if self.entries is not None and stop <= self._until:
            width = max(len(self.entries) - 1, 0).bit_length()
            return dictionary.encode(self._ids[start:stop], width), self.encoding
        values = self.values.slice(start, stop - start)
        return encode_values(values, self.fallback, self.options), self.fallback


def encode_values(values: pa.Array, encoding: int, options: ColumnOptions) -> bytes:
    """The values section of a physical array under an encoding that needs no dictionary."""
    found = value_encoding(encoding)
    return found.encode(values, *(getattr(options, name) for name in found.options))


def _sizes_before(values: pa.Array) -> Any:
    """PLAIN bytes of all values before each one, and of all of them at the end."""
    sizes = np.zeros(len(values) + 1, np.int64)
    kind = values.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        np.cumsum(numpy_numbers(pc.binary_length(values)) + 4, out=sizes[1:])
    else:
        sizes[1:] = np.arange(1, len(values) + 1) * max(kind.bit_width, 8) // 8
    return sizes


def _sorted_order(leaf: Leaf, entries: pa.Array) -> Any:
    """The permutation that sorts entries in the leaf's order; NaNs and others without a key come last."""
    order = column_order(leaf)
    from_keys = [order_key(leaf, raw, order) for raw in (_plain_of(entries, i) for i in range(len(entries)))]
    keyed = sorted((key is None, key or b"", index) for index, key in enumerate(from_keys))
    return np.array([index for _, _, index in keyed], np.int64)


def _plain_of(entries: pa.Array, index: int) -> bytes:
    value = entries[index]
    if pa.types.is_boolean(entries.type):
        return b"\1" if value.as_py() else b"\0"
    if pa.types.is_binary(entries.type) or pa.types.is_large_binary(entries.type):
        return bytes(value.as_py())
    return plain.encode(entries.slice(index, 1))
