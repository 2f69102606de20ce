"""Bounds and counts of a leaf's values: what lets a query skip a chunk or a page.

`Measure` finds the smallest and the largest value of any stretch of a column, in the column's order; the column is
prepared once, in whatever form numpy or Arrow can compare, and never value by value. Bounds may be cut: a prefix is a
lower bound, and a prefix whose last character is raised an upper one. The two pitfalls of TYPE_ORDER for floating
point numbers, NaN and the zeros, are handled here (specification, `ColumnOrder` in parquet.thrift).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.logical import annotation
from pqexplore.engine.ordering import Order, declared_order, is_float, is_nan, order_key, type_order
from pqexplore.engine.schema import Leaf
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.values import plain_length


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """PLAIN bytes of the smallest and the largest value, and whether they are values that occur."""

    min: bytes
    max: bytes
    min_exact: bool = True
    max_exact: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """What Statistics say beside the bounds; None for what is not said."""

    nulls: int
    nans: int | None = None
    distinct: int | None = None


NOTHING = Counts(0)
"""The counts of what has no values."""


def order_of(leaf: Leaf) -> Order:
    """The order in which bounds of the leaf are found."""
    return declared_order(leaf) or type_order(leaf)


class Measure:
    """Finds bounds in a physical array of a leaf.

    `nans` counts NaNs of a stretch; None for a leaf that has no floating point numbers.
    """

    def __init__(self, leaf: Leaf, physical: pa.Array) -> None:
        self.leaf = leaf
        self.order = order_of(leaf)
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
            self._physical = _flipped(physical)

    def _floats(self, physical: pa.Array) -> None:
        if self.leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
            stored = np.frombuffer(physical.buffers()[1] or b"", "<f2")
            floats = stored[physical.offset : physical.offset + len(physical)]
        else:
            floats = physical.to_numpy(zero_copy_only=False)
        self._keys = floats
        nan = np.isnan(floats)
        self._nan = nan if nan.any() else None

    def nans(self, start: int, stop: int) -> int | None:
        """How many NaNs there are in `[start, stop)`."""
        if not is_float(self.leaf):
            return None
        return 0 if self._nan is None else int(np.count_nonzero(self._nan[start:stop]))

    def bounds(self, start: int, stop: int) -> Bounds | None:
        """The bounds of values `[start, stop)`; None where there are none, or the order has no place for them."""
        if start >= stop or self.order is Order.NONE:
            return None
        if self.order is Order.INT96:
            return self._int96(start, stop)
        if is_float(self.leaf):
            return self._float_bounds(start, stop)
        if self._keys is not None:
            keys = self._keys[start:stop]
            return Bounds(_raw(keys.min()), _raw(keys.max()))
        part = self._physical.slice(start, stop - start)
        if self.order is Order.DECIMAL and self.leaf.physical_type == Type.BYTE_ARRAY:
            values = pc.unique(part).to_pylist()
            keyed = [(order_key(self.leaf, value, self.order) or b"", value) for value in values]
            return Bounds(min(keyed)[1], max(keyed)[1])
        least, most = _extremes(part)
        if self.order is Order.DECIMAL:
            least, most = (bytes([each[0] ^ 0x80]) + each[1:] for each in (least, most))
        return Bounds(least, most)

    def _float_bounds(self, start: int, stop: int) -> Bounds | None:
        keys = self._keys[start:stop]
        total = self.order is Order.TOTAL
        if self._nan is not None:
            numbers = keys[~self._nan[start:stop]]
            if not len(numbers) and not total:
                return None
            keys = numbers if len(numbers) else keys
        if not total:
            low, high = keys.min(), keys.max()
            # A zero bound has to cover both zeros, which compare as equal.
            low = -abs(low) if low == 0 else low
            return Bounds(_raw(low), _raw(abs(high) if high == 0 else high))
        bits = np.ascontiguousarray(keys).view(f"i{keys.dtype.itemsize}")
        # Negative numbers are stored as sign and magnitude: more magnitude is less.
        ranks = np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)
        return Bounds(_raw(keys[ranks.argmin()]), _raw(keys[ranks.argmax()]))

    def _int96(self, start: int, stop: int) -> Bounds:
        part = self._physical.slice(start, stop - start)
        stored = np.frombuffer(part.buffers()[1], [("nanos", "<i8"), ("day", "<i4")])
        stored = stored[part.offset : part.offset + len(part)]
        order = np.lexsort((stored["nanos"], stored["day"]))
        return Bounds(part[int(order[0])].as_py(), part[int(order[-1])].as_py())


def _raw(value: Any) -> bytes:
    raw: bytes = value.tobytes()
    return raw


def _flipped(physical: pa.Array) -> Any:
    """Fixed-length two's complement with the sign bit turned, so that bytes compare as the numbers do."""
    width = physical.type.byte_width
    start = physical.offset * width
    stored = np.frombuffer(physical.buffers()[1] or b"", np.uint8)
    rows = stored[start : start + width * len(physical)].reshape(-1, width).copy()
    if width:
        rows[:, 0] ^= 0x80
    return pa.Array.from_buffers(physical.type, len(rows), [None, pa.py_buffer(rows.tobytes())])


def _extremes(part: pa.Array) -> tuple[bytes, bytes]:
    found = pc.min_max(part)
    return found["min"].as_py(), found["max"].as_py()


def merge(leaf: Leaf, parts: Iterable[Bounds | None]) -> Bounds | None:
    """The bounds of all parts together; under the total order NaNs only count where there is nothing else."""
    known = [part for part in parts if part is not None]
    order = order_of(leaf)
    if order is Order.TOTAL:
        known = [part for part in known if not is_nan(leaf, part.min)] or known
    if not known:
        return None
    least = min(known, key=lambda part: order_key(leaf, part.min, order) or b"")
    most = max(known, key=lambda part: order_key(leaf, part.max, order) or b"")
    return Bounds(least.min, most.max, least.min_exact, most.max_exact)


def cut(leaf: Leaf, bounds: Bounds, length: int | None) -> Bounds:
    """The bounds in at most `length` bytes each, where the order is that of bytes; still bounds, but not exact.

    Text stays text: it is cut between characters, and its last character is raised to the next one. An upper bound
    that cannot be raised stays whole.
    """
    if length is None or order_of(leaf) is not Order.BYTES:
        return bounds
    text = leaf.physical_type == Type.BYTE_ARRAY and annotation(leaf).name in _TEXT
    low, high = bounds.min, bounds.max
    min_exact, max_exact = bounds.min_exact, bounds.max_exact
    if len(low) > length:
        low, min_exact = _prefix(low, length, text), False
    if len(high) > length:
        raised = _raised(_prefix(high, length, text), text)
        if raised is not None:
            high, max_exact = raised, False
    return Bounds(low, high, min_exact, max_exact)


_TEXT = frozenset(("STRING", "ENUM", "JSON"))


def _prefix(raw: bytes, length: int, text: bool) -> bytes:
    """At most `length` bytes, of text only whole characters."""
    if text:
        while length and raw[length] & 0xC0 == 0x80:
            length -= 1
    return raw[:length]


def _raised(prefix: bytes, text: bool) -> bytes | None:
    """The smallest thing above everything that begins with the prefix, of its length or shorter; None without one."""
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
            # A character of more bytes than the one it replaces would break the promised length.
            if len(raised) <= len(prefix) - len("".join(characters).encode()):
                return "".join(characters).encode() + raised
    return None


def statistics(
    leaf: Leaf, bounds: Bounds | None, counts: Counts, fields: Sequence[str], length: int | None
) -> structs.Statistics | None:
    """The Statistics with the fields asked for; None where there is nothing to say."""
    made = structs.Statistics()
    if "null_count" in fields:
        made.null_count = counts.nulls
    if "nan_count" in fields or order_of(leaf) is Order.TOTAL:
        made.nan_count = counts.nans
    if "distinct_count" in fields:
        made.distinct_count = counts.distinct
    if bounds is not None and "bounds" in fields:
        shown = cut(leaf, bounds, length)
        made.min_value, made.max_value = shown.min, shown.max
        if "exactness" in fields:
            made.is_min_value_exact = shown.min_exact
            made.is_max_value_exact = shown.max_exact
    if bounds is not None and "legacy" in fields and order_of(leaf) in _LEGACY:
        made.min, made.max = bounds.min, bounds.max
    return made if made != structs.Statistics() else None


_LEGACY = frozenset((Order.BOOLEAN, Order.SIGNED, Order.FLOAT))
"""The orders that the deprecated min and max, compared as signed, agree with."""


def byte_array_bytes(leaf: Leaf, physical: pa.Array) -> int | None:
    """Bytes of all values of a BYTE_ARRAY leaf without their lengths; None for other types."""
    if plain_length(leaf) is not None or leaf.physical_type != Type.BYTE_ARRAY:
        return None
    return int(pc.sum(pc.binary_length(physical)).as_py() or 0)


def histogram(levels: Any, maximum: int, num_values: int) -> list[int]:
    """How many times each level from 0 to `maximum` occurs; without levels, all are 0."""
    if levels is None:
        return [num_values]
    return [int(count) for count in np.bincount(levels, minlength=maximum + 1)]
