"""The values that a leaf can have, in order, and the order key and PLAIN bytes of each.

A domain counts in whole units: an INT column in ones, a DECIMAL in its last digit, a TIMESTAMP in its unit. Literals are
exact fractions of that unit, so nothing is rounded. Floats are themselves; text and bytes are bytes.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, column_order, order_key
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

Value: TypeAlias = int | float | bytes


def at_most(one: Value, other: Value) -> bool:
    """Whether a value is not above another of the same domain, whose values are all numbers or all bytes."""
    if isinstance(one, bytes) or isinstance(other, bytes):
        assert isinstance(one, bytes) and isinstance(other, bytes)
        return one <= other
    return one <= other


"""A value of a leaf: int for whole units and booleans, float, bytes."""

Number: TypeAlias = Fraction | float
"""An exact number; float only for the infinities."""

_BITS: dict[int, int] = {Type.INT32: 32, Type.INT64: 64}
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}
_LONGEST = 4_000
"""The most bytes, and digits after the point, of a decimal that is compared."""

_LARGEST = {2: 65504.0, 4: (2.0 - 2.0**-23) * 2.0**127, 8: (2.0 - 2.0**-52) * 2.0**1023}


@dataclasses.dataclass(frozen=True, slots=True)
class Domain:
    """The values of a leaf.

    `kind` is int, float or bytes. `low` and `high` are the smallest and largest int, None if there is none. `width` is
    the bytes of a float. `order` is the leaf's. `error` is the relative error with which numbers are compared.
    """

    leaf: Leaf
    kind: str
    order: Order
    low: int | None = None
    high: int | None = None
    width: int = 0
    error: Fraction = Fraction(0)

    def ceiling(self, number: Number) -> int | float | None:
        """The smallest value that is not below a number; None if every value is."""
        if self.kind == "float":
            return _float_ceiling(number, self.width)
        whole = math.ceil(number)
        if self.high is not None and whole > self.high:
            return None
        return whole if self.low is None else max(self.low, whole)

    def floor(self, number: Number) -> int | float | None:
        """The largest value that is not above a number; None if every value is."""
        if self.kind == "float":
            return -_float_ceiling(-number, self.width)
        whole = math.floor(number)
        if self.low is not None and whole < self.low:
            return None
        return whole if self.high is None else min(self.high, whole)

    def below(self, number: Number) -> int | float | None:
        """The largest value below a number; None if there is none."""
        if self.kind != "float":
            return self.floor(Fraction(math.ceil(number) - 1))
        found = -_float_ceiling(-number, self.width)
        return self.previous(found) if found == number else found

    def beyond(self, number: Number) -> int | float | None:
        """The smallest value above a number; None if there is none."""
        if self.kind != "float":
            return self.ceiling(Fraction(math.floor(number) + 1))
        found = _float_ceiling(number, self.width)
        return self.following(found) if found == number else found

    def previous(self, value: Value) -> int | float | None:
        """The value before a number of the domain; None before the first."""
        if isinstance(value, float):
            return None if value == -math.inf else -above(-value, self.width)
        assert isinstance(value, int)
        return None if value == self.low else value - 1

    def following(self, value: Value) -> int | float | None:
        """The value after a number of the domain; None after the last."""
        if isinstance(value, float):
            return None if value == math.inf else above(value, self.width)
        assert isinstance(value, int)
        return None if value == self.high else value + 1

    def key(self, value: Value, last: bool = False) -> bytes | None:
        """The order key; of zero the first key, or with `last` the last one. None if the leaf has no order."""
        if self.order is Order.NONE:
            return None
        if self.order is Order.BYTES and isinstance(value, bytes):
            return value
        if self.kind == "float" and value == 0 and self.order is Order.TOTAL:
            value = 0.0 if last else -0.0
        return order_key(self.leaf, self.plain(value), self.order)

    def plain(self, value: Value) -> bytes:
        """The PLAIN bytes; a BYTE_ARRAY decimal has its fewest bytes."""
        leaf = self.leaf
        if isinstance(value, bytes):
            return value
        if isinstance(value, float):
            return struct.pack(_FLOATS[self.width], value)
        if leaf.physical_type == Type.BOOLEAN:
            return bytes([value])
        if leaf.physical_type in _BITS:
            size = _BITS[leaf.physical_type] // 8
            return (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        if leaf.physical_type == Type.INT96:
            days, nanos = divmod(value, NANOSECONDS_PER_DAY)
            return struct.pack("<qi", nanos, days + UNIX_EPOCH)
        size = leaf.type_length or 0
        if leaf.physical_type == Type.BYTE_ARRAY:
            size = (value if value >= 0 else ~value).bit_length() // 8 + 1
        return value.to_bytes(size, "big", signed=True)


def domain(leaf: Leaf, error: Fraction = Fraction(0)) -> Domain | None:
    """The domain of a leaf; None for values that no literal is compared with.

    These are INTERVAL, GEOMETRY, unknown types, and decimals of thousands of digits.
    """
    made = _domain(leaf)
    return dataclasses.replace(made, error=error) if made is not None and error else made


def _domain(leaf: Leaf) -> Domain | None:
    logical, physical = meaning(leaf), leaf.physical_type
    order = column_order(leaf)
    name = logical.name
    if physical in (Type.FLOAT, Type.DOUBLE) or name == "FLOAT16":
        width = 2 if name == "FLOAT16" else 4 if physical == Type.FLOAT else 8
        return Domain(leaf, "float", order, width=width)
    if name in ("INTERVAL", "GEOMETRY", "GEOGRAPHY", "UNKNOWN", "unrecognised"):
        return None
    if physical == Type.BOOLEAN:
        return Domain(leaf, "int", order, 0, 1)
    if physical in _BITS:
        bits = _BITS[physical]
        if name == "INTEGER" and not logical.signed:
            return Domain(leaf, "int", order, 0, (1 << bits) - 1)
        return Domain(leaf, "int", order, -(1 << bits - 1), (1 << bits - 1) - 1)
    if physical == Type.INT96:
        day, low, high = NANOSECONDS_PER_DAY, -(1 << 31) - UNIX_EPOCH, (1 << 31) - UNIX_EPOCH
        return Domain(leaf, "int", order, low * day, high * day - 1)
    if name == "DECIMAL" and max(logical.scale, leaf.type_length or 0) > _LONGEST:
        return None
    if name == "DECIMAL" and physical == Type.FIXED_LEN_BYTE_ARRAY:
        half = 1 << max(0, 8 * (leaf.type_length or 0) - 1)
        return Domain(leaf, "int", order, -half, half - 1)
    if name == "DECIMAL":
        return Domain(leaf, "int", order)
    return Domain(leaf, "bytes", order)


def _float_ceiling(number: Number, width: int) -> float:
    """The smallest float of `width` bytes that is not below a number."""
    if isinstance(number, float) and math.isinf(number):
        return number
    largest = _LARGEST[width]
    if number > Fraction(largest):
        return math.inf
    if number <= -Fraction(largest):
        return -largest
    found = nearest(number, width)
    if Fraction(found) < number:
        found = above(found, width)
    return found


def nearest(number: Number, width: int) -> float:
    """The float of `width` bytes that is nearest to a number; infinity beyond the largest."""
    try:
        exact = float(number)
        found: float = struct.unpack(_FLOATS[width], struct.pack(_FLOATS[width], exact))[0]
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    return found


def above(value: float, width: int) -> float:
    """The next larger float of `width` bytes."""
    if value == math.inf:
        return value
    code = {2: "<h", 4: "<i", 8: "<q"}[width]
    if value == 0:
        value = 0.0
    bits = struct.unpack(code, struct.pack(_FLOATS[width], value))[0]
    bits = bits + 1 if value >= 0 else bits - 1
    found: float = struct.unpack(_FLOATS[width], struct.pack(code, bits))[0]
    return found
