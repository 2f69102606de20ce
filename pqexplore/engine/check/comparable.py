"""Values in an order that Arrow can compare: what the smallest and the largest really are.

A column's order is the footer's business (`ordering`), and Arrow knows only its own. So the values are first turned
into an array whose natural order is the column's, all at once; then smallest, largest and rank are Arrow's work.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.ordering import Order, is_float, order_key
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.values import stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

MOST_ONE_BY_ONE = 100_000
"""Values that may be turned into keys one at a time (decimals of variable length); of more, nothing is said."""

Array = np.ndarray[Any, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Extremes:
    """The smallest and largest of some values: PLAIN bytes and order keys.

    `all_nan` says that there was nothing but NaNs, which count under the total order only, and only then.
    """

    low: bytes
    high: bytes
    low_key: bytes
    high_key: bytes
    all_nan: bool = False

    def merged(self, other: Extremes | None) -> Extremes:
        """The extremes of both sets of values."""
        if other is None or (other.all_nan and not self.all_nan):
            return self
        if self.all_nan and not other.all_nan:
            return other
        first, last = (
            min(self, other, key=lambda one: one.low_key),
            max(self, other, key=lambda one: one.high_key),
        )
        return Extremes(first.low, last.high, first.low_key, last.high_key, self.all_nan)


def float_values(leaf: Leaf, physical: pa.Array) -> Array:
    """The numbers of a FLOAT, DOUBLE or FLOAT16 column."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return _records(physical, 2).view("<f2")[:, 0]
    numbers: Array = physical.to_numpy(zero_copy_only=False)
    return numbers


def nan_mask(leaf: Leaf, physical: pa.Array) -> Array | None:
    """Which values are NaN; None for types that have none."""
    return np.isnan(float_values(leaf, physical)) if is_float(leaf) else None


def extremes(leaf: Leaf, physical: pa.Array, order: Order) -> Extremes | None:
    """The smallest and largest of a physical array; None where the order knows none, or there are no values.

    NaNs are left out, but under the total order where nothing else is there.
    """
    if not len(physical) or order is Order.NONE:
        return None
    nan = nan_mask(leaf, physical)
    all_nan = nan is not None and bool(nan.all())
    if nan is not None and nan.any() and not (all_nan and order is Order.TOTAL):
        physical = physical.filter(pa.array(~nan))
        all_nan = False
    if not len(physical):
        return None
    keys = comparable(leaf, physical, order)
    if keys is None:
        return None
    found = pc.min_max(keys)
    sides = []
    for name in ("min", "max"):
        at = pc.index(keys, found[name]).as_py()
        raw = stored_bytes(leaf, physical[at].as_py())
        key = order_key(leaf, raw, order)
        if key is None:
            return None
        sides.append((raw, key))
    (low, low_key), (high, high_key) = sides
    return Extremes(low, high, low_key, high_key, all_nan)


def comparable(leaf: Leaf, physical: pa.Array, order: Order) -> pa.Array | None:
    """An array that Arrow orders as `order` orders the physical values; None where that cannot be had.

    Under the order of floating point numbers the caller leaves NaNs out.
    """
    if order is Order.BOOLEAN:
        return pc.cast(physical, pa.uint8())
    if order is Order.UNSIGNED:
        numbers = physical.to_numpy(zero_copy_only=False)
        return pa.array(numbers.view(f"u{numbers.dtype.itemsize}"))
    if order is Order.SIGNED:
        return physical
    if order is Order.FLOAT:
        numbers = float_values(leaf, physical)
        return pa.array(numbers.astype(np.float32) if numbers.dtype.itemsize == 2 else numbers)
    if order is Order.TOTAL:
        return pa.array(_total(float_values(leaf, physical)))
    if order is Order.INT96:
        return _int96(physical)
    if order is Order.DECIMAL:
        return _decimal(leaf, physical)
    if order is Order.BYTES:
        return pc.cast(physical, pa.binary()) if _fixed(physical) else physical
    return None


def _fixed(physical: pa.Array) -> bool:
    return bool(pa.types.is_fixed_size_binary(physical.type))


def _records(physical: pa.Array, width: int) -> Array:
    """The bytes of a fixed_size_binary array as rows, without a copy."""
    stored = np.frombuffer(physical.buffers()[1] or b"", np.uint8)
    start = physical.offset * width
    return stored[start : start + width * len(physical)].reshape(-1, width)


def _total(numbers: Array) -> Array:
    """IEEE 754 total order as signed integers: the bits below the sign are inverted in negative numbers."""
    width = numbers.dtype.itemsize
    bits = np.ascontiguousarray(numbers).view(f"i{width}")
    below = np.array((1 << (8 * width - 1)) - 1, bits.dtype)
    ordered: Array = np.where(bits < 0, bits ^ below, bits)
    return ordered


def _binary(rows: Array) -> pa.Array:
    """Rows of bytes as a binary array."""
    width = rows.shape[1]
    kind = pa.binary(width)
    made = pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])
    return made.cast(pa.binary())


def _int96(physical: pa.Array) -> pa.Array:
    """Day, then nanoseconds, both big-endian and with the sign inverted."""
    rows = _records(physical, 12)[:, ::-1].copy()
    rows[:, 0] ^= 0x80
    rows[:, 4] ^= 0x80
    return _binary(rows)


def _decimal(leaf: Leaf, physical: pa.Array) -> pa.Array | None:
    if not _fixed(physical):
        if leaf.physical_type != Type.BYTE_ARRAY:
            return physical
        if len(physical) > MOST_ONE_BY_ONE:
            return None
        try:
            keys = [order_key(leaf, one.as_py(), Order.DECIMAL) for one in physical]
        except ParquetError:
            return None
        return pa.array(keys, pa.binary())
    width = physical.type.byte_width
    if not width:
        return None
    rows = _records(physical, width).copy()
    rows[:, 0] ^= 0x80
    return _binary(rows)
