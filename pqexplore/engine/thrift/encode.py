"""Structs to bytes: Thrift's compact protocol, fields in the order of their ids, absent ones left out.

`encode` writes what a struct object says. `encode_fields` writes what no object can say, field by field: fields that
the format does not know, wrong wire types, ids out of order; for files that test what readers do.

Source: Thrift compact protocol specification; "Binary Protocol Extensions".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.thrift.declaration import Struct
from pqexplore.engine.thrift.wire import (
    BINARY,
    DOUBLE,
    EXTENSION_HEADER,
    FALSE,
    I8,
    LIST,
    STRUCT,
    TRUE,
)
from pqexplore.engine.thrift.wire import expected as expected_wire_type

_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def encode(obj: Struct, *, extension: bytes | None = None) -> bytes:
    """The bytes of a struct, stop byte included.

    `extension` is written behind all fields, with the header `08 FF FF 01`; without it, what `obj._extension` holds, if anything. The
    structs inside may hold one, too. Raises `UsageError` for a value that its field cannot hold.
    """
    out = bytearray()
    _struct(out, obj, extension)
    return bytes(out)


def encode_fields(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A struct of raw fields, stop byte included: `(id, wire type, bytes of the value)` each, in the order given."""
    out = bytearray()
    last = 0
    for number, wire, raw in fields:
        _header(out, number, last, wire)
        out += raw
        last = number
    out.append(0)
    return bytes(out)


def encode_list(wire_type: int, elements: Iterable[bytes]) -> bytes:
    """The value of a list field: the header and the elements, which are given as bytes."""
    parts = list(elements)
    out = bytearray()
    _list_header(out, len(parts), wire_type)
    return bytes(out) + b"".join(parts)


def varint(number: int) -> bytes:
    """An unsigned number (ULEB128): seven bits a byte, lowest first."""
    out = bytearray()
    _varint(out, number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    """A signed number as the compact protocol writes i16, i32 and i64: 0, −1, 1, −2 as the varints 0, 1, 2, 3."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _varint(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _header(out: bytearray, number: int, last: int, wire: int) -> None:
    if 0 < number - last < 16:
        out.append((number - last) << 4 | wire)
    else:
        out.append(wire)
        out += zigzag(number)


def _list_header(out: bytearray, count: int, wire: int) -> None:
    if count < 15:
        out.append(count << 4 | wire)
    else:
        out.append(0xF0 | wire)
        _varint(out, count)


def _struct(out: bytearray, obj: Struct, extension: bytes | None = None) -> None:
    last = 0
    for field in obj.FIELDS:
        value = getattr(obj, field.name)
        if value is None:
            continue
        wire = expected_wire_type(field.type)
        if wire == TRUE and not value:
            wire = FALSE
        _header(out, field.id, last, wire)
        last = field.id
        try:
            if wire == LIST:
                _list(out, field.base, value)
            elif wire > FALSE:
                _value(out, wire, field.base, value)
        except (TypeError, ValueError, AttributeError, struct.error) as error:
            if isinstance(error, UsageError):
                raise
            shown = f"{obj.NAME}.{field.name} is {field.type}"
            raise UsageError(f"{shown} and cannot hold {value!r}: {error}") from None
    if extension is None:
        extension = getattr(obj, "_extension", None)
    if extension is not None:
        out += EXTENSION_HEADER
        _varint(out, len(extension))
        out += extension
    out.append(0)


def _list(out: bytearray, base: str, values: list[Any]) -> None:
    wire = expected_wire_type(base)
    _list_header(out, len(values), wire)
    for value in values:
        if wire == TRUE:
            out.append(TRUE if value else FALSE)
        else:
            _value(out, wire, base, value)


def _value(out: bytearray, wire: int, base: str, value: Any) -> None:
    if wire == STRUCT:
        _struct(out, value)
    elif wire == BINARY:
        raw = value.encode() if base == "string" else memoryview(value)
        _varint(out, len(raw))
        out += raw
    elif wire == DOUBLE:
        out += struct.pack("<d", value)
    else:
        bits = _BITS.get(base, 32)
        number = int(value)
        if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
            raise ValueError(f"it takes {bits} bits")
        if wire == I8:
            out.append(number & 255)
        else:
            _varint(out, number << 1 if number >= 0 else (-number << 1) - 1)
