"""Computes bounds and counts of a leaf's values, with which queries skip chunks and pages.

`Measure` finds the smallest and the largest value of any range of a column, in the column's order; it converts the
column once to a form that numpy or Arrow can compare. Bounds may be truncated: a prefix is a lower bound, a prefix
whose last character is raised is an upper bound. NaN and zeros under TYPE_ORDER are handled here (specification,
`ColumnOrder` in parquet.thrift).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Array
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.fixed_width import byte_rows
from pqexplore.engine.format.logical import TEXT, annotation
from pqexplore.engine.format.ordering import Order, column_order, is_float, is_nan, order_key
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import plain_length


@dataclasses.dataclass(frozen=True, slots=True)
class MinMax:
    """PLAIN bytes of the smallest and the largest value; a bound is exact if it is a value that occurs."""

    min: bytes
    max: bytes
    min_exact: bool = True
    max_exact: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class ValueCounts:
    """The counts of Statistics; None for a field that is absent."""

    nulls: int
    nans: int | None = None
    distinct: int | None = None


NOTHING = ValueCounts(0)
"""The counts of no values."""


class Measure:
    """Finds bounds and counts NaNs in ranges of a physical array of a leaf."""

    def __init__(self, leaf: Leaf, physical: pa.Array) -> None:
        self.leaf = leaf
        self.order = column_order(leaf)
        self._physical = physical
        self._keys: Any = None
        self._nan: Any = None
        order = self.order
        if is_float(leaf):
            self._floats(physical)
        elif order in (Order.BOOLEAN, Order.SIGNED) or (
            order is Order.DECIMAL and leaf.physical_type in (Type.INT32, Type.INT64)
        ):
            self._keys = physical.to_numpy(zero_copy_only=False)
        elif order is Order.UNSIGNED:
            stored = physical.to_numpy(zero_copy_only=False)
            self._keys = stored.view(f"u{stored.dtype.itemsize}")
        elif order is Order.DECIMAL and leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
            self._physical = flipped(physical)

    def _floats(self, physical: pa.Array) -> None:
        floats = float_values(self.leaf, physical)
        self._keys = floats
        nan = np.isnan(floats)
        self._nan = nan if nan.any() else None

    def nans(self, start: int, stop: int) -> int | None:
        """The number of NaNs in `[start, stop)`; None for a leaf without floating point numbers."""
        if not is_float(self.leaf):
            return None
        return 0 if self._nan is None else int(np.count_nonzero(self._nan[start:stop]))

    def bounds(self, start: int, stop: int) -> MinMax | None:
        """The bounds of values `[start, stop)`; None without values, or if the order cannot compare them."""
        if start >= stop or self.order is Order.NONE:
            return None
        if self.order is Order.INT96:
            return self._int96(start, stop)
        if is_float(self.leaf):
            return self._float_bounds(start, stop)
        if self._keys is not None:
            keys = self._keys[start:stop]
            return MinMax(_raw(keys.min()), _raw(keys.max()))
        part = self._physical.slice(start, stop - start)
        if self.order is Order.DECIMAL and self.leaf.physical_type == Type.BYTE_ARRAY:
            values = pc.unique(part).to_pylist()
            keyed = [(order_key(self.leaf, value, self.order) or b"", value) for value in values]
            return MinMax(min(keyed)[1], max(keyed)[1])
        low, high = _extremes(part)
        if self.order is Order.DECIMAL:
            low, high = (bytes([each[0] ^ 0x80]) + each[1:] for each in (low, high))
        return MinMax(low, high)

    def _float_bounds(self, start: int, stop: int) -> MinMax | None:
        keys = self._keys[start:stop]
        total = self.order is Order.TOTAL
        if self._nan is not None:
            numbers = keys[~self._nan[start:stop]]
            if not len(numbers) and not total:
                return None
            keys = numbers if len(numbers) else keys
        if not total:
            low, high = keys.min(), keys.max()
            # A bound of zero must cover both zeros, which compare as equal.
            low = -abs(low) if low == 0 else low
            return MinMax(_raw(low), _raw(abs(high) if high == 0 else high))
        ranks = total_ranks(keys)
        return MinMax(_raw(keys[ranks.argmin()]), _raw(keys[ranks.argmax()]))

    def _int96(self, start: int, stop: int) -> MinMax:
        part = self._physical.slice(start, stop - start)
        stored = int96_values(part)
        order = np.lexsort((stored["nanos"], stored["day"]))
        return MinMax(part[int(order[0])].as_py(), part[int(order[-1])].as_py())


def _raw(value: Any) -> bytes:
    raw: bytes = value.tobytes()
    return raw


def float_values(leaf: Leaf, physical: pa.Array) -> Array:
    """The numbers of a FLOAT, DOUBLE or FLOAT16 leaf."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return byte_rows(physical, 2).view("<f2")[:, 0]
    floats: Array = physical.to_numpy(zero_copy_only=False)
    return floats


def total_ranks(floats: Array) -> Array:
    """Integers of the same width that compare as the floats do under IEEE_754_TOTAL_ORDER."""
    bits = np.ascontiguousarray(floats).view(f"i{floats.dtype.itemsize}")
    # A negative number with a larger magnitude is smaller, so its magnitude bits are inverted.
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def int96_values(physical: pa.Array) -> Array:
    """INT96 values as a structured array: `nanos` (int64), `day` (int32, Julian)."""
    return byte_rows(physical, 12).view([("nanos", "<i8"), ("day", "<i4")])[:, 0]


def flipped(physical: pa.Array) -> Any:
    """Fixed-length two's complement with the sign bit inverted, so that bytes compare as the numbers do."""
    width = physical.type.byte_width
    rows = byte_rows(physical, width).copy()
    if width:
        rows[:, 0] ^= 0x80
    return pa.Array.from_buffers(physical.type, len(rows), [None, pa.py_buffer(rows.tobytes())])


def _extremes(part: pa.Array) -> tuple[bytes, bytes]:
    ends = pc.min_max(part)
    return ends["min"].as_py(), ends["max"].as_py()


def merge(leaf: Leaf, parts: Iterable[MinMax | None]) -> MinMax | None:
    """The bounds of all parts. Under the total order NaNs count only if all parts are NaN."""
    known = [part for part in parts if part is not None]
    order = column_order(leaf)
    if order is Order.TOTAL:
        known = [part for part in known if not is_nan(leaf, part.min)] or known
    if not known:
        return None
    low = min(known, key=lambda part: order_key(leaf, part.min, order) or b"")
    high = max(known, key=lambda part: order_key(leaf, part.max, order) or b"")
    return MinMax(low.min, high.max, low.min_exact, high.max_exact)


def cut(leaf: Leaf, bounds: MinMax, length: int | None) -> MinMax:
    """The bounds truncated to at most `length` bytes each, if the order is that of bytes; then they are not exact.

    Text is cut between characters, and the last character of an upper bound is raised to the next one. An upper bound
    that cannot be raised stays whole.
    """
    if length is None or column_order(leaf) is not Order.BYTES:
        return bounds
    text = leaf.physical_type == Type.BYTE_ARRAY and annotation(leaf).name in TEXT
    low, high = bounds.min, bounds.max
    min_exact, max_exact = bounds.min_exact, bounds.max_exact
    if len(low) > length:
        low, min_exact = _prefix(low, length, text), False
    if len(high) > length:
        raised = _raised(_prefix(high, length, text), text)
        if raised is not None:
            high, max_exact = raised, False
    return MinMax(low, high, min_exact, max_exact)


def _prefix(raw: bytes, length: int, text: bool) -> bytes:
    """At most the first `length` bytes; whole characters of text."""
    if text:
        while length and raw[length] & 0xC0 == 0x80:
            length -= 1
    return raw[:length]


def _raised(prefix: bytes, text: bool) -> bytes | None:
    """A value above everything that begins with the prefix, not longer than it; None if there is none."""
    if not text:
        stripped = prefix.rstrip(b"\xff")
        return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
    try:
        characters = list(prefix.decode())
    except UnicodeDecodeError:
        return None
    while characters:
        code = ord(characters.pop()) + 1
        code = 0xE000 if code == 0xD800 else code
        if code <= 0x10FFFF:
            raised = chr(code).encode()
            # A character of more bytes than the one it replaces would exceed the length.
            if len(raised) <= len(prefix) - len("".join(characters).encode()):
                return "".join(characters).encode() + raised
    return None


def statistics(
    leaf: Leaf, bounds: MinMax | None, counts: ValueCounts, fields: Sequence[str], length: int | None
) -> structs.Statistics | None:
    """The Statistics with these fields; None if all are absent."""
    result = structs.Statistics()
    if "null_count" in fields:
        result.null_count = counts.nulls
    if "nan_count" in fields or column_order(leaf) is Order.TOTAL:
        result.nan_count = counts.nans
    if "distinct_count" in fields:
        result.distinct_count = counts.distinct
    if bounds is not None and "bounds" in fields:
        truncated = cut(leaf, bounds, length)
        result.min_value, result.max_value = truncated.min, truncated.max
        if "exactness" in fields:
            result.is_min_value_exact = truncated.min_exact
            result.is_max_value_exact = truncated.max_exact
    if bounds is not None and "legacy" in fields and column_order(leaf) in _LEGACY:
        result.min, result.max = bounds.min, bounds.max
    return result if result != structs.Statistics() else None


_LEGACY = frozenset((Order.BOOLEAN, Order.SIGNED, Order.FLOAT))
"""The orders for which the deprecated min and max, compared as signed, are right."""


def byte_array_bytes(leaf: Leaf, physical: pa.Array) -> int | None:
    """Bytes of all values of a BYTE_ARRAY leaf without length prefixes; None for other types."""
    if plain_length(leaf) is not None or leaf.physical_type != Type.BYTE_ARRAY:
        return None
    return int(pc.sum(pc.binary_length(physical)).as_py() or 0)


def histogram(levels: Any, maximum: int, num_values: int) -> list[int]:
    """How often each level from 0 to `maximum` occurs; without levels, all are 0."""
    if levels is None:
        return [num_values]
    return [int(count) for count in np.bincount(levels, minlength=maximum + 1)]
