"""Structs to bytes in Thrift's compact protocol: fields in the order of their ids, absent ones left out.

`encode` writes a struct object. `encode_fields` writes what no object can express, field by field: fields that the format
does not know, wrong wire types, ids out of order; for files that test readers.

Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.declaration import Struct
from pqexplore.engine.format.thrift.wire import BINARY, DOUBLE, EXTENSION_HEADER, FALSE, I8, LIST, STRUCT, TRUE
from pqexplore.engine.format.thrift.wire import expected as expected_wire_type
from pqexplore.engine.format.varint import varint, zigzag

_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def encode(obj: Struct, *, extension: bytes | None = None) -> bytes:
    """The bytes of a struct, stop byte included.

    `extension` is written after all fields, with the header `08 FF FF 01`; if it is None, `obj._extension` is, if that is
    set. Structs inside can have one too. Raises UsageError for a value that its field cannot hold.
    """
    out = bytearray()
    _struct(out, obj, extension)
    return bytes(out)


def encode_fields(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A struct of raw fields `(id, wire type, bytes of the value)`, in the order given, stop byte included."""
    out = bytearray()
    last = 0
    for number, wire, raw in fields:
        _header(out, number, last, wire)
        out += raw
        last = number
    out.append(0)
    return bytes(out)


def encode_list(wire_type: int, elements: Iterable[bytes]) -> bytes:
    """The bytes of a list: the header, then `elements`, each already encoded."""
    parts = list(elements)
    out = bytearray()
    _list_header(out, len(parts), wire_type)
    return bytes(out) + b"".join(parts)


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
        out += varint(count)


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
        out += varint(len(extension))
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
        out += varint(len(raw))
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
            out += zigzag(number)
