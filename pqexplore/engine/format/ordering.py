"""The order of a column's values, which min and max, page indexes and sorting use.

The footer names an order for each column; TYPE_ORDER means that the logical type, or else the physical type, decides.
Each value has an *order key*: bytes that compare, byte by byte, as the values do. So one comparison serves numbers,
decimals, text and timestamps.

Specification: `ColumnOrder` in https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.field import Order
from pqexplore.engine.format.logical import UNRECOGNISED, annotation, meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import int96_parts, physical_value, plain_length

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

__all__ = ["Order", "column_order", "declared_order", "is_float", "is_nan", "order_key", "type_order"]

_FLIPPED = bytes(number ^ 0x80 for number in range(256))
"""Each byte with its sign bit flipped."""
_BYTES = frozenset(("STRING", "ENUM", "JSON", "BSON", "UUID"))
_UNORDERED = frozenset(("INTERVAL", "GEOMETRY", "GEOGRAPHY", "UNKNOWN", UNRECOGNISED))
_BY_PHYSICAL: dict[int, Order] = {
    Type.BOOLEAN: Order.BOOLEAN,
    Type.INT32: Order.SIGNED,
    Type.INT64: Order.SIGNED,
    Type.FLOAT: Order.FLOAT,
    Type.DOUBLE: Order.FLOAT,
    Type.BYTE_ARRAY: Order.BYTES,
    Type.FIXED_LEN_BYTE_ARRAY: Order.BYTES,
}


def is_float(leaf: Leaf) -> bool:
    """Whether values are floating point numbers: FLOAT, DOUBLE, FLOAT16."""
    return leaf.physical_type in (Type.FLOAT, Type.DOUBLE) or meaning(leaf).name == "FLOAT16"


def type_order(leaf: Leaf) -> Order:
    """The order that the leaf's type defines (TYPE_ORDER); the footer is not asked."""
    if leaf.type_order is None:
        leaf.type_order = _type_order(leaf)
    return leaf.type_order


def _type_order(leaf: Leaf) -> Order:
    logical = meaning(leaf)
    if annotation(leaf).problem is not None or logical.name in _UNORDERED:
        return Order.NONE
    if logical.name in _BYTES:
        return Order.BYTES
    if logical.name == "DECIMAL":
        return Order.DECIMAL
    if logical.name == "FLOAT16":
        return Order.FLOAT
    if logical.name == "INTEGER" and not logical.signed:
        return Order.UNSIGNED
    return _BY_PHYSICAL.get(leaf.physical_type, Order.NONE)


def declared_order(leaf: Leaf) -> Order | None:
    """The order that the footer's `column_orders` declares for the leaf; None if absent or unknown.

    An order that does not fit the type, such as IEEE_754_TOTAL_ORDER on text, gives `Order.NONE`.
    """
    if leaf.declared_order is False:
        leaf.declared_order = _declared_order(leaf)
    return leaf.declared_order


def _declared_order(leaf: Leaf) -> Order | None:
    chosen = structs.union_field(leaf.column_order)
    if chosen is None:
        return None
    name = chosen[0]
    if name == "TYPE_ORDER":
        return type_order(leaf)
    if name == "IEEE_754_TOTAL_ORDER":
        return Order.TOTAL if is_float(leaf) else Order.NONE
    if name == "INT96_TIMESTAMP_ORDER":
        return Order.INT96 if leaf.physical_type == Type.INT96 else Order.NONE
    return None


def column_order(leaf: Leaf) -> Order:
    """The declared order of the leaf, or else the type's."""
    return declared_order(leaf) or type_order(leaf)


def order_key(leaf: Leaf, raw: bytes, order: Order | None = None) -> bytes | None:
    """Bytes that compare as the values do, from the PLAIN bytes of one value (no length prefix).

    `order` is by default the declared one, or else the type's. Returns None if no order is defined, and for a NaN under
    TYPE_ORDER. Compare only keys of the same order; decimals must have the same scale, their physical types can differ.
    Raises CorruptFileError if the number of bytes is not the type's; text-like values of fixed length may be shorter,
    because bounds can be truncated.
    """
    if order is None:
        order = column_order(leaf)
    if order is Order.NONE:
        return None
    if order is Order.BYTES:
        longest = plain_length(leaf)
        if longest is not None and len(raw) > longest:
            raise CorruptFileError(f"a bound of {len(raw):,} bytes for values of {longest:,} bytes")
        return bytes(raw)
    if order is Order.DECIMAL and leaf.physical_type == Type.BYTE_ARRAY:
        return _integer_key(raw)
    if len(raw) != plain_length(leaf):
        physical_value(leaf, raw)  # raises
    if order is Order.BOOLEAN:
        return b"\1" if raw[0] & 1 else b"\0"
    if order is Order.UNSIGNED:
        return raw[::-1]
    if order is Order.DECIMAL:  # the key does not depend on how many bytes store the number
        big_endian = raw if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY else raw[::-1]
        return _integer_key(big_endian) if big_endian else b""
    if order is Order.SIGNED:
        big_endian = raw if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY else raw[::-1]
        return big_endian[:1].translate(_FLIPPED) + big_endian[1:]
    if order is Order.INT96:
        # Nanoseconds beyond a day are legal bits and stay in the day they are stored with.
        day, nanos = int96_parts(raw)
        return struct.pack(">IQ", day + (1 << 31), nanos + (1 << 63))
    return _float_key(raw, order)


def _float_key(raw: bytes, order: Order) -> bytes | None:
    """Bits that ascend with the number: positive numbers get the sign bit, negative ones are inverted."""
    width = 8 * len(raw)
    bits = int.from_bytes(raw, "little")
    sign, magnitude = bits >> (width - 1), bits & (1 << (width - 1)) - 1
    if order is Order.FLOAT:
        exponent_bits = {16: 5, 32: 8, 64: 11}[width]
        infinity = ((1 << exponent_bits) - 1) << (width - 1 - exponent_bits)
        if magnitude > infinity:
            return None
        sign = sign if magnitude else 0
    key = (1 << (width - 1) | magnitude) if not sign else (1 << (width - 1)) - 1 - magnitude
    return key.to_bytes(len(raw), "big")


def _integer_key(raw: bytes) -> bytes:
    """A key of big-endian two's complement of any length: sign, number of significant bytes, these bytes."""
    if not raw:
        raise CorruptFileError("a decimal bound of no bytes; at least one is needed")
    negative = raw[0] >= 0x80
    digits = raw.lstrip(b"\xff" if negative else b"\0")
    length = struct.pack(">I", len(digits))
    if negative:
        return b"\0" + bytes(255 - b for b in length) + digits
    return b"\1" + length + digits


def is_nan(leaf: Leaf, raw: bytes) -> bool:
    """Whether PLAIN bytes are a NaN; False for other types and for a wrong number of bytes."""
    return is_float(leaf) and len(raw) == plain_length(leaf) and _float_key(raw, Order.FLOAT) is None
