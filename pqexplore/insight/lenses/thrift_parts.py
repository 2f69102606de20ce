"""The bits of one Thrift field: its header, and its value as the compact protocol writes it.

A field begins with a byte. The upper half is the distance from the previous field's id, the lower half the wire type.
Integers are zigzag varints; strings, binaries and lists have their length first; a byte 0 ends the struct. See
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

It is a room of its own because the lens and this together are longer than one file should be.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.encodings.plain_value import value_groups, value_says
from pqexplore.engine.format.explain import (
    Form,
    Group,
    Part,
    bytes_part,
    little_endian,
    number_part,
    varint_groups,
    varint_text,
    zigzag_text,
)
from pqexplore.engine.format.thrift import wire
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.varint import read_varint
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight.wording import plural

READ = 1 << 18
"""Bytes of a struct that are read for its bits."""


@dataclasses.dataclass(slots=True)
class Field:
    """A field of a struct, or an element of a list. Positions are those in the struct's space.

    `header` is the start and end of the field header, None for an element. `previous` is the id of the field before.
    """

    node: Node
    start: int
    end: int
    header: tuple[int, int] | None = None
    id: int | None = None
    type: str = ""
    value: Any = None
    meaning: str = ""
    note: str = ""
    wire_type: int | None = None
    previous: int = 0

    @property
    def name(self) -> str:
        """The field's name, or the element's number."""
        return self.node.name

    @property
    def body(self) -> int:
        """Where the value begins."""
        return self.start if self.header is None else self.header[1]

    @property
    def unknown(self) -> bool:
        """Whether the format does not define the field."""
        return self.id is not None and (self.name.startswith("unknown_") or self.name == "extension")


class Bytes:
    """The first `READ` bytes of a struct, by their position in its space."""

    def __init__(self, file: ParquetFile, span: Span) -> None:
        self.start = span.start
        self.end = min(span.end, span.start + READ)
        self.raw = file.bytes(Span(span.start, self.end, span.space))

    def has(self, start: int, end: int) -> bool:
        """Whether all of `[start, end)` was read."""
        return self.start <= start <= end <= self.end


def header_part(data: Bytes, start: int, end: int, id: int, previous: int | None) -> Part:
    """The field header at `[start, end)`. `previous` is the id of the field before, None if it is not known."""
    raw = data.raw[start - data.start : end - data.start]
    delta, kind = raw[0] >> 4, raw[0] & 15
    what = wire.name(kind) + {wire.TRUE: " true", wire.FALSE: " false"}.get(kind, "")
    groups: tuple[Group, ...] = (Group(0, 4, f"type {kind}: {what}", "flag"),)
    at = start - data.start
    if delta:
        groups += (Group(4, 8, f"id + {delta}", "number"),)
        total = f"{id - delta} + {delta} = " if previous is None else f"{previous} + {delta} = "
        says = f"0x{raw[0]:02x}: upper half {delta}, so the id is {total}{id}; lower half {kind}, {what}"
        return Part("field header", at, at + len(raw), at, raw, groups, (says,))
    groups += (Group(4, 8, "0: the id follows", "more"),)
    groups += tuple(Group(8 + g.start, 8 + g.end, g.label, g.role) for g in varint_groups(len(raw) - 1, "id"))
    says = f"0x{raw[0]:02x}: upper half 0, so the id follows; lower half {kind}, {what}"
    return Part("field header", at, at + len(raw), at, raw, groups, (says, f"id: {zigzag_text(raw[1:])[1]}"))


def container_parts(data: Bytes, start: int, wire_type: int) -> list[Part]:
    """The header of a list, set or map: how many elements, and their wire type."""
    at = start - data.start
    if wire_type == wire.MAP:
        return [number_part("number of pairs", data.raw, at, read_varint(data.raw, at)[1])]
    byte = data.raw[at]
    count, kind = byte >> 4, byte & 15
    element = Group(0, 4, f"type {kind}: {wire.name(kind)}", "flag")
    if count < 15:
        groups = (element, Group(4, 8, f"{plural(count, 'element')}", "number"))
        says = f"0x{byte:02x}: upper half {count}, elements; lower half {kind}, each is {wire.name(kind)}"
        return [Part("list header", at, at + 1, at, data.raw[at : at + 1], groups, (says,))]
    _, end = read_varint(data.raw, at + 1)
    own = data.raw[at:end]
    long: tuple[Group, ...] = (
        element,
        Group(4, 8, "15: the number follows", "more"),
        *(Group(8 + g.start, 8 + g.end, g.label, g.role) for g in varint_groups(len(own) - 1, "elements")),
    )
    says = f"0x{byte:02x}: upper half 15, so the number follows; lower half {kind}, each is {wire.name(kind)}"
    return [Part("list header", at, end, at, own, long, (says, varint_text(own[1:])))]


def parts_of(field: Field, data: Bytes) -> list[Part]:
    """The parts of a field or an element: its header, and its value by its wire type."""
    found: list[Part] = []
    if field.header is not None and field.id is not None and data.has(*field.header):
        found.append(header_part(data, *field.header, field.id, field.previous))
    start, end, raw = field.body - data.start, field.end - data.start, data.raw
    kind = field.wire_type
    if kind is None or end <= start or not data.has(field.body, min(field.end, field.body + 16)):
        return found
    if kind in wire.INTEGERS:
        found.append(number_part("value", raw, start, end, signed=True))
    elif kind == wire.BINARY:
        _, at = read_varint(raw, start)
        found.append(number_part("length", raw, start, at))
        is_text = field.type == "string" or isinstance(field.value, str)
        shown: Form = "text" if is_text else "bytes"
        if end > at:
            found.append(bytes_part("value", raw, at, end, (), shown))
    elif kind == wire.I8:
        found.append(little_endian("value", raw, start, 1, signed=True))
    elif kind == wire.DOUBLE and end - start == 8:
        own = raw[start:end]
        groups, says = value_groups(Type.DOUBLE, 8), value_says(Type.DOUBLE, own)
        found.append(Part("value", start, end, start, own, groups, says))
    elif kind in wire.CONTAINERS:
        found += container_parts(data, field.body, kind)
    elif kind == wire.STRUCT:
        found.append(bytes_part("struct", raw, start, end, ("fields of its own, then a stop byte",)))
    else:
        found.append(bytes_part("value", raw, start, end))
    return found
