"""Nodes of Thrift structs: every field with its bytes, its type and its meaning.

A large struct is read level by level: the structs in its lists are skipped at first, and each is read when its own node is
opened. So the time for a footer of a hundred megabytes depends on what is shown of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format import extension
from pqexplore.engine.format.thrift import struct_spans, structs
from pqexplore.engine.format.thrift.wire import EXTENSION_IDS
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.limits import Limits
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def ground(file: ParquetFile) -> Ground:
    """The footer's bytes, decrypted if necessary. The footer must not be locked."""
    footer = file.footer
    assert footer.raw is not None
    base = footer.raw_start if footer.space == FILE else 0
    return Ground(footer.raw, base, footer.space, file.limits)


def metadata_node(file: ParquetFile) -> Node:
    """The FileMetaData: every field with its bytes."""
    bytes_of = ground(file)
    read = file.cache.get(
        ("footer", "spans"), lambda: bytes_of.read(structs.FileMetaData, 0, len(bytes_of.data)), bytes_of_spans
    )
    return span_node(read, Address("footer"), "footer", bytes_of, kind=Kind.FOOTER)


def column_chunk_node(file: ParquetFile, group: int, index: int, address: Address, label: str) -> Node:
    """The ColumnChunk struct of a column chunk. IndexError if the footer has none of that number."""
    bytes_of = ground(file)
    offsets = file.footer.chunk_offsets[group]
    start = offsets[index]
    # Its end is not known, only where the next one begins: enough to see whether it is large.
    end = offsets[index + 1] if index + 1 < len(offsets) else start
    read = file.cache.get(
        ("footer", "spans", start), lambda: bytes_of.read(structs.ColumnChunk, start, end - start), bytes_of_spans
    )
    return span_node(read, address, label, bytes_of)


LARGE = 8 << 10
"""A struct of more bytes than this is read without the structs in its lists."""

BYTES_A_SPAN = 400
"""Approximate bytes that a field or an element takes in memory."""

UNDECLARED = "a field that the format does not define"


@dataclasses.dataclass(frozen=True, slots=True)
class Ground:
    """Bytes with structs, and their place: byte 0 of `data` is byte `base` of `space`."""

    data: bytes | memoryview
    base: int
    space: str
    limits: Limits

    def place(self, start: int, end: int) -> Span:
        """The span of the bytes `[start, end)` of `data`."""
        return Span(self.base + start, self.base + end, self.space)

    def read(self, struct: type[structs.Struct], start: int, size: int) -> struct_spans.StructSpan:
        """The struct that begins at `start`, of about `size` bytes."""
        opaque: set[str] = set()
        if size > LARGE:
            opaque = {one.struct.NAME for one in struct.FIELDS if one.is_list and one.struct}
        return struct_spans.read(struct, self.data, start, limits=self.limits, opaque=opaque)

    def opened(self, read: struct_spans.StructSpan) -> struct_spans.StructSpan:
        """The struct with its fields, which are read now if they were skipped."""
        if not read.opaque or read.struct_class is None:
            return read
        return self.read(read.struct_class, read.start, read.end - read.start)


def bytes_of_spans(read: struct_spans.StructSpan) -> int:
    """Approximate bytes that a struct's fields take in memory."""
    return BYTES_A_SPAN * _count(read)


def _count(span: struct_spans.StructSpan | struct_spans.ValueSpan) -> int:
    below = span.fields if isinstance(span, struct_spans.StructSpan) else span.children
    return 1 + sum(map(_count, below))


def struct_node(
    struct: type[structs.Struct],
    data: bytes | memoryview,
    offset: int,
    address: Address,
    label: str,
    limits: Limits,
    *,
    base: int = 0,
    space: str = FILE,
    kind: Kind = Kind.STRUCT,
    size: int | None = None,
) -> Node:
    """The struct at `offset` of `data`; byte 0 of `data` is byte `base` of `space`.

    `size` is its approximate size, if that is less than the bytes after `offset`.
    """
    ground = Ground(data, base, space, limits)
    read = ground.read(struct, offset, len(data) - offset if size is None else size)
    return span_node(read, address, label, ground, kind=kind)


def span_node(
    read: struct_spans.StructSpan, address: Address, label: str, ground: Ground, *, kind: Kind = Kind.STRUCT
) -> Node:
    """The node of a struct and its fields."""
    whole = functools.cache(lambda: ground.opened(read)) if read.opaque else None

    def fields() -> Sequence[struct_spans.FieldSpan]:
        return read.fields if whole is None else whole().fields

    def facts() -> Sequence[Fact]:
        return [_fact(field, address, ground) for field in fields()]

    def children() -> Sequence[Node]:
        return [_field_node(field, address, ground) for field in fields()]

    error: ParquetError | None = read.error
    return Node(
        kind,
        label,
        address,
        ground.place(read.start, read.end),
        facts=facts,
        children=children,
        state="ok" if error is None else "corrupt",
        reason="" if error is None else error.message,
    )


def _name(field: struct_spans.FieldSpan) -> str:
    return field.name.replace(" ", "_")


def _meaning(field: struct_spans.FieldSpan) -> str:
    if field.field is not None:
        return field.field.meaning
    if field.id in EXTENSION_IDS:
        return "what a vendor appended to the struct; readers that do not know it skip it"
    return UNDECLARED


def _fact(field: struct_spans.FieldSpan, address: Address, ground: Ground) -> Fact:
    meaning = _meaning(field)
    if field.note:
        meaning = f"{meaning} ({field.note})"
    return Fact(
        field.name,
        field_value(field),
        meaning,
        ground.place(field.header[0], field.end),
        Address.of(address, _name(field)),
    )


def field_value(field: struct_spans.FieldSpan) -> Any:
    """A field's value for people: enums and unions by name, structs by their number of fields, lists by their elements."""
    value = field.value
    declared = field.field
    if isinstance(value, struct_spans.StructSpan):
        if value.struct_class is not None and value.struct_class.UNION and value.fields:
            return value.fields[0].name
        return f"{_struct_name(value)} of {len(value.fields)} fields"
    if isinstance(value, list):
        if declared is not None and declared.enum is not None:
            return [structs.enum_name(declared.enum, item.value) for item in value[:100]]
        if value and isinstance(value[0].value, struct_spans.StructSpan):
            return f"{len(value):,} × {_struct_name(value[0].value)}"
        return [item.value for item in value[:100]]
    if declared is not None and declared.enum is not None and isinstance(value, int):
        return structs.enum_name(declared.enum, value)
    if declared is None and field.id in EXTENSION_IDS and isinstance(value, bytes):
        return extension.describe(extension.recognise(value))
    return value


def _field_node(field: struct_spans.FieldSpan, address: Address, ground: Ground) -> Node:
    def facts() -> Sequence[Fact]:
        declared = field.field
        known = [
            Fact("value", field_value(field), _meaning(field), ground.place(field.start, field.end)),
            Fact("field id", field.id, "the number by which Thrift knows the field"),
            Fact(
                "type",
                declared.type if declared is not None else field.wire_name,
                "what the format declares" if declared is not None else "what the bytes say",
            ),
            Fact(
                "field header",
                ground.place(*field.header),
                "the bytes that give the field's id and wire type",
                ground.place(*field.header),
            ),
        ]
        if field.note:
            known.append(Fact("note", field.note, "what is unusual about these bytes"))
        return known

    own = Address.of(address, _name(field))

    def children() -> Sequence[Node]:
        value = field.value
        if isinstance(value, struct_spans.StructSpan):
            return span_node(value, own, field.name, ground).children
        if isinstance(value, list):
            return LazySequence(len(value), lambda index: _element_node(value[index], own, index, ground, field))
        if field.id in EXTENSION_IDS and isinstance(value, bytes):
            return _extension_nodes(value, field.end - len(value), own, ground)
        return ()

    return Node(
        Kind.FIELD,
        f"{field.name} = {_clip(field_value(field))}",
        own,
        ground.place(field.header[0], field.end),
        facts=facts,
        children=children,
    )


def _extension_nodes(value: bytes, start: int, address: Address, ground: Ground) -> Sequence[Node]:
    """The parts of an extension that can be read; see `extension`."""
    found = extension.recognise(value)
    end = start + len(value)
    identity = end - extension.UUID_SIZE
    parts: list[tuple[str, int, int, object, str]] = []
    if found.flatbuffer is not None:
        trailer = end - extension.TRAILER_SIZE
        numbers = [int.from_bytes(value[i : i + 4], "little") for i in _trailer_places(value)]
        parts = [
            ("flatbuffer", trailer - found.flatbuffer, trailer, found.flatbuffer, "bytes of the flatbuffer"),
            ("crc32", trailer, trailer + 4, f"{numbers[0]:08x}", "CRC32 of the flatbuffer, and right"),
            ("size", trailer + 4, trailer + 8, numbers[1], "bytes of the flatbuffer, read from its end"),
            ("crc32_of_size", trailer + 8, identity, f"{numbers[2]:08x}", "CRC32 of these four bytes, and right"),
        ]
    if found.identity is not None:
        parts.append(("uuid", identity, end, str(found.identity), "tells this extension from others"))
    return [
        Node(
            Kind.FIELD,
            f"{name.replace('_', ' ')} = {shown}",
            Address.of(address, name),
            ground.place(first, last),
            facts=[Fact("value", shown, meaning)],
        )
        for name, first, last, shown, meaning in parts
    ]


def _trailer_places(value: bytes) -> Sequence[int]:
    first = len(value) - extension.TRAILER_SIZE
    return range(first, first + 12, 4)


def _element_node(
    item: struct_spans.ValueSpan, address: Address, index: int, ground: Ground, field: struct_spans.FieldSpan
) -> Node:
    own = Address.of(address, index)
    if isinstance(item.value, struct_spans.StructSpan):
        return span_node(item.value, own, _element_label(item.value, index, ground), ground)
    value = item.value
    if field.field is not None and field.field.enum is not None:
        value = structs.enum_name(field.field.enum, value)
    return Node(
        Kind.FIELD,
        f"{index} = {_clip(value)}",
        own,
        ground.place(item.start, item.end),
        facts=[Fact("value", value, "an element of the list")],
    )


_NAMED = ("name", "key")
"""Fields that name a struct in a list."""


def _element_label(read: struct_spans.StructSpan, index: int, ground: Ground) -> str:
    """The label of a struct in a list: its `name` or `key`, else the name of the struct."""
    declared = () if read.struct_class is None else read.struct_class.FIELDS
    if any(one.name in _NAMED for one in declared):
        for field in ground.opened(read).fields:
            if field.name in _NAMED and isinstance(field.value, str):
                return f"{index} {_clip(field.value)}"
    return f"{index} {_struct_name(read)}"


def _struct_name(read: struct_spans.StructSpan) -> str:
    return "unknown struct" if read.struct_class is None else read.struct_class.NAME


def _clip(value: object, length: int = 60) -> str:
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"
