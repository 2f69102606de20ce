"""Nodes of Thrift structs: every field with its bytes, its type and its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.limits import Limits
from pqexplore.engine.thrift import spans, structs
from pqexplore.engine.tree import FILE, Fact, Node, Span, join

LARGE = 4 << 20
"""A struct of more bytes than this is not taken apart field by field at once."""


def struct_node(
    struct: type[structs.Struct],
    data: bytes | memoryview,
    offset: int,
    address: str,
    label: str,
    limits: Limits,
    *,
    base: int = 0,
    space: str = FILE,
    kind: str = "struct",
) -> Node:
    """The struct at `offset` of `data`; byte 0 of `data` is byte `base` of `space`."""
    read = spans.read(struct, data, offset, limits=limits)
    return span_node(read, address, label, base=base, space=space, kind=kind)


def span_node(
    read: spans.StructSpan, address: str, label: str, *, base: int, space: str, kind: str = "struct"
) -> Node:
    """A struct that was read with its spans."""

    def place(start: int, end: int) -> Span:
        return Span(base + start, base + end, space)

    def facts() -> Sequence[Fact]:
        return [_fact(field, address, place) for field in read.fields]

    def children() -> Sequence[Node]:
        return [_field_node(field, address, base, space) for field in read.fields]

    error: ParquetError | None = read.error
    return Node(
        kind,
        label,
        address,
        place(read.start, read.end),
        facts=facts,
        children=children,
        state="ok" if error is None else "corrupt",
        reason="" if error is None else error.message,
    )


def _name(field: spans.FieldSpan) -> str:
    return field.name.replace(" ", "_")


def _fact(field: spans.FieldSpan, address: str, place: Callable[[int, int], Span]) -> Fact:
    meaning = (
        field.field.meaning
        if field.field is not None
        else "a field that the format does not define"
    )
    if field.note:
        meaning = f"{meaning} ({field.note})"
    return Fact(
        field.name,
        field_value(field),
        meaning,
        place(field.header[0], field.end),
        join(address, _name(field)),
    )


def field_value(field: spans.FieldSpan) -> Any:
    """A field's value for people: enum members by name, structs and lists by what they hold."""
    value = field.value
    declared = field.field
    if isinstance(value, spans.StructSpan):
        if value.struct_class is not None and value.struct_class.UNION and value.fields:
            return value.fields[0].name
        return f"{_struct_name(value)} of {len(value.fields)} fields"
    if isinstance(value, list):
        if declared is not None and declared.enum is not None:
            return [structs.enum_name(declared.enum, item.value) for item in value]
        if value and isinstance(value[0].value, spans.StructSpan):
            return f"{len(value):,} × {_struct_name(value[0].value)}"
        return [item.value for item in value[:100]]
    if declared is not None and declared.enum is not None and isinstance(value, int):
        return structs.enum_name(declared.enum, value)
    return value


def _field_node(field: spans.FieldSpan, address: str, base: int, space: str) -> Node:
    def place(start: int, end: int) -> Span:
        return Span(base + start, base + end, space)

    def facts() -> Sequence[Fact]:
        declared = field.field
        found = [
            Fact(
                "value",
                field_value(field),
                declared.meaning
                if declared is not None
                else "a field that the format does not define",
                place(field.start, field.end),
            ),
            Fact("field id", field.id, "the number by which Thrift knows the field"),
            Fact(
                "type",
                declared.type if declared is not None else field.wire_name,
                "what the format declares" if declared is not None else "what the bytes say",
            ),
            Fact(
                "field header",
                Span(base + field.header[0], base + field.header[1], space),
                "the bytes that give the field's id and wire type",
                place(*field.header),
            ),
        ]
        if field.note:
            found.append(Fact("note", field.note, "what is odd about these bytes"))
        return found

    own = join(address, _name(field))

    def children() -> Sequence[Node]:
        value = field.value
        if isinstance(value, spans.StructSpan):
            return span_node(value, own, field.name, base=base, space=space).children
        if isinstance(value, list):
            return [_element_node(item, own, i, base, space, field) for i, item in enumerate(value)]
        return ()

    return Node(
        "field",
        f"{field.name} = {_clip(field_value(field))}",
        own,
        place(field.header[0], field.end),
        facts=facts,
        children=children,
    )


def _element_node(
    item: Any, address: str, index: int, base: int, space: str, field: spans.FieldSpan
) -> Node:
    own = join(address, index)
    if isinstance(item.value, spans.StructSpan):
        return span_node(item.value, own, _element_label(item.value, index), base=base, space=space)
    value = item.value
    if field.field is not None and field.field.enum is not None:
        value = structs.enum_name(field.field.enum, value)
    return Node(
        "field",
        f"{index} = {_clip(value)}",
        own,
        Span(base + item.start, base + item.end, space),
        facts=[Fact("value", value, "an element of the list")],
    )


def _element_label(read: spans.StructSpan, index: int) -> str:
    """A struct in a list by what names it: a schema element's name, a key, a path."""
    for field in read.fields:
        if field.name in ("name", "key") and isinstance(field.value, str):
            return f"{index} {_clip(field.value)}"
    return f"{index} {_struct_name(read)}"


def _struct_name(read: spans.StructSpan) -> str:
    return "unknown struct" if read.struct_class is None else read.struct_class.NAME


def _clip(value: Any, most: int = 60) -> str:
    text = str(value)
    return text if len(text) <= most else text[: most - 1] + "…"
