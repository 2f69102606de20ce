"""A Thrift struct by its fields: id, wire type, value, and the bits that say so.

The tree knows where the fields lie and what they mean. The lens reads their bytes once more, to show how the compact
protocol writes each of them: a field begins with a byte, whose upper half is the distance from the previous id and whose lower
half is the wire type; integers are zigzag varints, strings and lists have their length first, a byte 0 ends the struct.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.encodings.plain import value_groups, value_says
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
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.short_text import hexadecimal, shorten
from pqexplore.insight.wire import Shared
from pqexplore.insight.wording import listing, percent, plural

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


DRAWN = 120
"""Fields or elements in the picture."""

LISTED = 1_000
"""Fields or elements in the table."""

HEAD = 6
"""Bytes of a value in the picture."""

NAMES = {
    "footer": "FileMetaData",
    "page_header": "PageHeader",
    "column_index": "ColumnIndex",
    "offset_index": "OffsetIndex",
    "bloom_filter_header": "BloomFilterHeader",
    "file_crypto_metadata": "FileCryptoMetaData",
}
"""The structs that have a node of their own, by the kind of the node."""

CHUNK_METADATA = re.compile(r"/columns/\d+/metadata$")

FIRST = frozenset({"struct", "field", "page_header", "bloom_filter_header", "file_crypto_metadata"})


@dataclasses.dataclass(slots=True)
class Item:
    """A field of the struct, or an element of the list.

    `header` and `body` are bytes: the field header, and the first of the value; `rest` counts the others. `opens` says
    whether there are fields below.
    """

    name: str
    address: str
    id: int | None
    type: str
    value: str
    meaning: str
    note: str
    unknown: bool
    span: Span
    header: list[int]
    body: list[int]
    rest: int
    opens: bool
    parts: list[Part]


@dataclasses.dataclass(slots=True)
class Picture:
    """A struct or list at `struct`: its first fields, their bits, and the stop byte.

    `head` are the parts before its fields: a field header of its own, and the number of elements. `selected` is an
    index into `items`.
    """

    struct: str
    name: str
    span: Span
    items: list[Item]
    total: int
    head: list[Part]
    stop: Span | None
    selected: int | None


def _readable(node: Node) -> bool:
    """Whether the struct's bytes can be read."""
    return node.span is not None and node.state != "locked"


def answer(file: ParquetFile, node: Node) -> Answer:
    """The fields of the struct at `node`; if that is a field without fields of its own, of the struct around it.

    Raises ParquetError if the struct is encrypted and its key is missing.
    """
    shown, chosen = _around(file, node)
    index, of_it = shown.places.get(chosen, (None, ""))
    picture = dataclasses.replace(shown.picture, selected=index)
    sentence = f"{of_it} {shown.sentence}" if of_it else shown.sentence
    code = f"f.node({picture.struct!r}).facts"
    return Answer(sentence, picture, shown.table, code=code)


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """A struct or list as the answers at it and at each of its fields show it; without nodes, which hold the file.

    `places` has the index in the picture, and a sentence, of each field by its address.
    """

    picture: Picture
    sentence: str
    table: Table | None
    places: dict[str, tuple[int, str]]


_shown: Latest[ParquetFile, Shown] = Latest(8)


def _around(file: ParquetFile, node: Node) -> tuple[Shown, str]:
    """The struct at or around a node, and the address of the field in it that is selected, "" if none is."""
    leaf = node.kind == "field" and not len(node.children)
    known = _shown.get(file, Address(node.address).parent) if leaf else None
    if known is not None and node.address in known.places:
        return known, node.address
    holder, chosen = _holder(file, node)
    known = _shown.get(file, holder.address)
    if known is None:
        known = _show(file, holder)
        _shown.put(file, holder.address, known)
    return known, chosen


def _show(file: ParquetFile, holder: Node) -> Shown:
    span = _span_of(holder)
    data = Bytes(file, span)
    total = sum(child.kind != "module" for child in holder.children[:1])
    total += max(0, len(holder.children) - 1)
    fields = _fields(holder, data)
    picture = Picture(
        struct=holder.address,
        name=shorten(_name(holder), 60),
        span=span,
        items=Shared(_item(field, data, span.space) for field in fields[:DRAWN]),
        total=total,
        head=[part.shifted(data.start) for part in _head(holder, data)],
        stop=_stop(holder, span, fields, data, total),
        selected=None,
    )
    if not fields:
        sentence = f"{_name(holder)} has no fields: its one byte is the stop byte, 0."
        if holder.state != "ok":
            sentence = f"{_name(holder)} cannot be read: {holder.reason}"
        return Shown(picture, sentence, None, {})
    places: dict[str, tuple[int, str]] = {}
    for i, one in enumerate(fields):
        places.setdefault(one.node.address, (i, _of_field(one)))
    return Shown(picture, _sentence(holder, fields, span, total), _table(fields, span, total), places)


def _of_field(field: Field) -> str:
    """A sentence on a selected field: its type, its value and its bytes."""
    value = text(field.value, 60)
    known = field.type if not value or value.startswith(field.type) else f"{field.type} {value}"
    return f"{field.name} is {known}, in {plural(field.end - field.start, 'byte')}."


def _holder(file: ParquetFile, node: Node) -> tuple[Node, str]:
    """The node whose fields are shown, and the address of the selected one, "" if none is."""
    if node.kind != "field" or len(node.children):
        return node, ""
    above = file.node(Address(node.address).parent)
    if above.span is None or not any(c.address == node.address for c in above.children[:LISTED]):
        return node, ""
    return above, node.address


def _span_of(holder: Node) -> Span:
    """The struct's bytes; if it is encrypted, those that its module decrypts to."""
    span = holder.span
    assert span is not None
    spans = [child.span for child in holder.children[:LISTED] if child.kind != "module"]
    inner = [one for one in spans if one is not None and one.space != span.space]
    if not inner:
        return span
    stop = 1 if holder.state == "ok" else 0
    return Span(0, max(one.end for one in inner) + stop, inner[0].space)


def _fields(holder: Node, data: Bytes) -> list[Field]:
    """The first fields of a struct, or elements of a list."""
    fields: list[Field] = []
    previous = 0
    for child in holder.children[:LISTED]:
        span = child.span
        if span is None or child.kind == "module":
            continue
        field = Field(child, span.start, span.end)
        facts = {fact.name: fact for fact in child.facts} if child.kind == "field" else {}
        if "field id" in facts:
            field.id, field.type = int(facts["field id"].value), str(facts["type"].value)
            header = facts["field header"].span
            if header is not None:
                field.header = (header.start, header.end)
            field.previous, previous = previous, field.id
            field.note = str(facts["note"].value) if "note" in facts else ""
            if field.header and data.has(*field.header):
                field.wire_type = data.raw[field.header[0] - data.start] & 15
        if "value" in facts:
            field.value, field.meaning = facts["value"].value, facts["value"].meaning
        elif child.kind != "field":
            field.value = child.label.partition(" ")[2]
        fields.append(field)
    if fields and fields[0].id is None:
        element = _element_type(holder, data)
        for field in fields:
            field.wire_type = element
            field.type = "" if element is None else wire.name(element)
    return fields


def _element_type(holder: Node, data: Bytes) -> int | None:
    """The wire type of the elements of a list."""
    if holder.kind != "field":
        return None
    value = next((fact for fact in holder.facts if fact.name == "value"), None)
    if value is None or value.span is None:
        return None
    at = value.span.start
    return data.raw[at - data.start] & 15 if data.has(at, at + 1) else None


def _head(holder: Node, data: Bytes) -> list[Part]:
    """The parts before the fields: a field's own header, and the number of elements of a list."""
    if holder.kind != "field":
        return []
    facts = {fact.name: fact for fact in holder.facts}
    header = facts["field header"].span if "field header" in facts else None
    if header is None or not data.has(header.start, header.end):
        return []
    wire_type = data.raw[header.start - data.start] & 15
    head = [header_part(data, header.start, header.end, int(facts["field id"].value), None)]
    if wire_type in (wire.LIST, wire.SET, wire.MAP) and data.has(header.end, header.end + 1):
        head += container_parts(data, header.end, wire_type)
    return head


def _item(field: Field, data: Bytes, space: str) -> Item:
    start = field.start - data.start
    body = field.body - data.start
    return Item(
        name=shorten(field.name, 60),
        address=field.node.address,
        id=field.id,
        type=shorten(field.type, 60),
        value=text(field.value, 80),
        meaning=field.meaning,
        note=field.note,
        unknown=field.unknown,
        span=Span(field.start, field.end, space),
        header=list(data.raw[start:body]),
        body=list(data.raw[body : min(body + HEAD, field.end - data.start)]),
        rest=max(0, field.end - field.body - HEAD),
        opens=len(field.node.children) > 0,
        parts=[part.shifted(data.start) for part in parts_of(field, data)],
    )


def text(value: Any, limit: int = 200) -> str:
    """A field's value in one line."""
    if value is None:
        return ""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return hexadecimal(bytes(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}" if value.bit_length() < 200 else shorten(str(value), limit)
    if isinstance(value, list):
        return shorten(f"[{', '.join(text(one, 40) for one in value[:20])}]", limit)
    return shorten(str(value), limit)


def _stop(holder: Node, span: Span, fields: list[Field], data: Bytes, total: int) -> Span | None:
    """The stop byte of a struct at `span`; None if it is a list, damaged, or its fields are not all here."""
    is_list = bool(fields) and fields[0].id is None
    if is_list or holder.state != "ok" or total > len(fields):
        return None
    last = fields[-1].end if fields else span.start
    if span.end - last == 1 and data.has(last, span.end) and not data.raw[last - data.start]:
        return Span(last, span.end, span.space)
    return None


def _name(holder: Node) -> str:
    if holder.kind in NAMES:
        return NAMES[holder.kind]
    if holder.kind == "field":
        kind = next((str(fact.value) for fact in holder.facts if fact.name == "type"), "")
        return f"{holder.name} ({kind})" if kind else holder.name
    return "ColumnChunk" if CHUNK_METADATA.search(holder.address) else holder.label


def _sentence(holder: Node, fields: list[Field], span: Span, total: int) -> str:
    size = len(span)
    name = shorten(_name(holder), 80)
    if fields[0].id is None:
        kind = f" of type {fields[0].type}" if fields[0].type else ""
        return f"{name}: {plural(total, 'element')}{kind} in {plural(size, 'byte')}, {size / total:,.1f} each."
    headers = sum(one.header[1] - one.header[0] for one in fields if one.header)
    values = sum(one.end - one.body for one in fields)
    largest = max(fields, key=lambda one: one.end - one.start)
    sentence = (
        f"{name}: {plural(total, 'field')} in {plural(size, 'byte')}: {headers:,} say which fields, {values:,} are their "
        f"values"
    )
    rest = size - headers - values
    sentence += f", {rest:,} more." if rest > 1 else ", one ends the struct." if rest == 1 else "."
    share = (largest.end - largest.start) / max(1, size)
    if share >= 0.5 and total > 1:
        sentence += f" {largest.name} takes {percent(share)} of it."
    if any(one.name == "extension" for one in fields):
        sentence += " Its extension is bytes of a vendor's own, which other readers skip."
    unknown = [f"{one.id}" for one in fields if one.unknown and one.name != "extension"]
    if unknown:
        sentence += f" The format does not define the field{'s' * (len(unknown) > 1)} {listing(unknown)}."
    noted = next((one for one in fields if one.note), None)
    if noted is not None:
        sentence += f" {noted.name}: {shorten(noted.note, 200)}."
    if holder.state != "ok":
        sentence += f" It is damaged: {holder.reason}"
    return sentence


def _table(fields: list[Field], span: Span, total: int) -> Table:
    table = Table(
        (
            Column("id", "id", "number", "the number by which Thrift knows the field"),
            Column("field", "field"),
            Column("type", "type", "code"),
            Column("value", "value"),
            Column("bytes", "bytes", "bytes"),
            Column("meaning", "meaning"),
        ),
        caption="Fields" if fields[0].id is not None else "Elements",
        total=total,
    )
    for field in fields:
        table.add(
            field.id,
            field.name,
            field.type,
            text(field.value),
            field.end - field.start,
            f"{field.meaning} ({field.note})" if field.note else field.meaning,
            address=field.node.address,
            span=Span(field.start, field.end, span.space),
        )
    return table


LENS = Lens(
    "thrift",
    title="Thrift",
    answer=answer,
    kinds=FIRST | frozenset(NAMES),
    where=_readable,
    first=FIRST,
    picture=Picture,
    figure=(Bars("field", "bytes", "bytes of the field", "bytes"),),
    value_free=("id", "field", "type", "bytes"),
)
