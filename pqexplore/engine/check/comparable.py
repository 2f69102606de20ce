"""Finds the smallest and largest of an array of values, in the order of the column.

Arrow compares in its own order of each type, which is not always the column's (`ordering`). So the values become an
array that Arrow orders as the column does, all at once; Arrow then finds minimum, maximum and ranks.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import arrow_numbers, numpy_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.encodings.plain import WIDTHS
from pqexplore.engine.format.fixed_width import byte_rows, to_variable
from pqexplore.engine.format.ordering import Order, is_float, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import physical_value, stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

MAX_ONE_BY_ONE = 100_000
"""Values that are turned into keys one at a time (decimals of variable length); longer arrays have no keys."""

NO_BYTES = b"\0"
"""What a decimal of no bytes is compared as: 0."""

Array = np.ndarray[Any, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Extremes:
    """The smallest and largest of some values: PLAIN bytes and order keys.

    `all_nan`: all values are NaN. NaNs are left out otherwise, and always but under the total order. `low_page` and
    `high_page` are the pages that have them, by their index in the chunk; None if they are not of pages.
    """

    low: bytes
    high: bytes
    low_key: bytes
    high_key: bytes
    all_nan: bool = False
    low_page: int | None = None
    high_page: int | None = None

    def merged(self, other: Extremes | None) -> Extremes:
        """The extremes of both sets of values."""
        if other is None or (other.all_nan and not self.all_nan):
            return self
        if self.all_nan and not other.all_nan:
            return other
        first, last = (min(self, other, key=lambda one: one.low_key), max(self, other, key=lambda one: one.high_key))
        return Extremes(
            first.low, last.high, first.low_key, last.high_key, self.all_nan, first.low_page, last.high_page
        )


def float_values(leaf: Leaf, physical: pa.Array) -> Array:
    """The numbers of a FLOAT, DOUBLE or FLOAT16 column: float32, float64 or float16, shape (values,)."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return byte_rows(physical, 2).view("<f2")[:, 0]
    numbers: Array = numpy_numbers(physical)
    return numbers


def nan_mask(leaf: Leaf, physical: pa.Array) -> Array | None:
    """Which values are NaN: bool, shape (values,); None for types without NaN."""
    return np.isnan(float_values(leaf, physical)) if is_float(leaf) else None


def all_distinct(leaf: Leaf, physical: pa.Array) -> bool:
    """Whether numbers are seen to differ in their bytes, by sorting them, which takes a tenth of `identities`; else False."""
    if leaf.physical_type not in WIDTHS or leaf.physical_type == Type.INT96:
        return False
    numbers = numpy_numbers(physical)
    ordered = np.sort(np.ascontiguousarray(numbers).view(f"i{numbers.dtype.itemsize}"))
    return not bool((ordered[1:] == ordered[:-1]).any())


def identities(leaf: Leaf, physical: pa.Array) -> Array:
    """A number for each value, the same for the same bytes, from 0 by first use: int64, shape (values,)."""
    if is_float(leaf):
        numbers = float_values(leaf, physical)
        physical = arrow_numbers(np.ascontiguousarray(numbers).view(f"i{numbers.dtype.itemsize}"))
    return numpy_numbers(pc.dictionary_encode(physical).indices).astype(np.int64)


def positions(leaf: Leaf, physical: pa.Array, order: Order) -> tuple[int, int, bool] | None:
    """Where the smallest and the largest of the values are first, and whether all values are NaN.

    None without values, or if the order cannot compare them. NaNs are left out, unless all values are NaN and the order
    is the total order.
    """
    if not len(physical) or order is Order.NONE:
        return None
    nan = nan_mask(leaf, physical)
    all_nan = nan is not None and bool(nan.all())
    kept = None
    if nan is not None and nan.any() and not (all_nan and order is Order.TOTAL):
        kept = np.flatnonzero(~nan)
        physical = physical.filter(arrow_numbers(~nan))
        all_nan = False
    if not len(physical):
        return None
    keys = comparable(leaf, physical, order)
    if keys is None:
        return None
    ends = pc.min_max(keys)
    low, high = (pc.index(keys, ends[name]).as_py() for name in ("min", "max"))
    return (low, high, all_nan) if kept is None else (int(kept[low]), int(kept[high]), all_nan)


def extremes(leaf: Leaf, physical: pa.Array, order: Order, page: int | None = None) -> Extremes | None:
    """The smallest and largest of the physical values of a page; None where `positions` has none."""
    found = positions(leaf, physical, order)
    if found is None:
        return None
    low, high = (stored_bytes(leaf, physical[at].as_py()) for at in found[:2])
    if order is Order.DECIMAL:
        low, high = low or NO_BYTES, high or NO_BYTES
    low_key, high_key = order_key(leaf, low, order), order_key(leaf, high, order)
    if low_key is None or high_key is None:
        return None
    return Extremes(low, high, low_key, high_key, found[2], page, page)


def outside(
    leaf: Leaf, physical: pa.Array, order: Order, side: str, bound: bytes, uses: Array | None = None
) -> int | None:
    """How many of the values are below a minimum (`min`) or above a maximum (`max`); None if the order cannot compare them.

    `bound` has its PLAIN bytes. `uses` says how often each value counts.
    """
    first = pa.array([physical_value(leaf, bound)], physical.type)
    keys = comparable(leaf, pa.concat_arrays([first, physical]), order)
    if keys is None:
        return None
    beyond = (pc.less if side == "min" else pc.greater)(keys[1:], keys[0])
    if uses is None:
        return int(pc.sum(beyond).as_py() or 0)
    return int(numpy_numbers(pc.cast(beyond, pa.uint8())).astype(np.int64) @ uses)


def comparable(leaf: Leaf, physical: pa.Array, order: Order) -> pa.Array | None:
    """An array that Arrow orders as `order` orders the physical values; None if there is no such array.

    For `Order.FLOAT` the caller leaves NaNs out first.
    """
    if order is Order.BOOLEAN:
        return pc.cast(physical, pa.uint8())
    if order is Order.UNSIGNED:
        numbers = numpy_numbers(physical)
        return arrow_numbers(numbers.view(f"u{numbers.dtype.itemsize}"))
    if order is Order.SIGNED:
        return physical
    if order is Order.FLOAT:
        numbers = float_values(leaf, physical)
        return arrow_numbers(numbers.astype(np.float32) if numbers.dtype.itemsize == 2 else numbers)
    if order is Order.TOTAL:
        return arrow_numbers(_total(float_values(leaf, physical)))
    if order is Order.INT96:
        return _int96(physical)
    if order is Order.DECIMAL:
        return _decimal(leaf, physical)
    if order is Order.BYTES:
        return to_variable(physical) if _fixed(physical) else physical
    return None


def _fixed(physical: pa.Array) -> bool:
    return bool(pa.types.is_fixed_size_binary(physical.type))


def _total(numbers: Array) -> Array:
    """Signed integers in IEEE 754 total order: the bits below the sign are inverted in negative numbers."""
    width = numbers.dtype.itemsize
    bits = np.ascontiguousarray(numbers).view(f"i{width}")
    below = np.array((1 << (8 * width - 1)) - 1, bits.dtype)
    ordered: Array = np.where(bits < 0, bits ^ below, bits)
    return ordered


def _binary(rows: Array) -> pa.Array:
    """Rows of bytes as a binary array."""
    width = rows.shape[1]
    kind = pa.binary(width)
    data = pa.py_buffer(np.ascontiguousarray(rows))
    return to_variable(pa.Array.from_buffers(kind, len(rows), [None, data]))


def _int96(physical: pa.Array) -> pa.Array:
    """Day, then nanoseconds, both big-endian with the sign bit inverted."""
    rows = byte_rows(physical, 12)[:, ::-1].copy()
    rows[:, 0] ^= 0x80
    rows[:, 4] ^= 0x80
    return _binary(rows)


def _decimal(leaf: Leaf, physical: pa.Array) -> pa.Array | None:
    if not _fixed(physical):
        if leaf.physical_type != Type.BYTE_ARRAY:
            return physical
        if len(physical) > MAX_ONE_BY_ONE:
            return None
        try:
            keys = [order_key(leaf, one.as_py() or NO_BYTES, Order.DECIMAL) for one in physical]
        except ParquetError:
            return None
        return pa.array(keys, pa.binary())
    width = physical.type.byte_width
    if not width:
        return None
    rows = byte_rows(physical, width).copy()
    rows[:, 0] ^= 0x80
    return _binary(rows)
