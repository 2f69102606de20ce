"""A Thrift struct, field by field, down to the bits: id, wire type, value, and how each was read from its bytes.

The tree knows where fields lie and what they mean; here their bytes are read once more, as the compact protocol has
them. A field begins with a byte whose upper half is the distance from the id before and whose lower half is the wire
type; whole numbers are zigzag varints; text, bytes and lists have their length in front; a byte 0 ends the struct.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.file import ParquetFile
from pqexplore.engine.thrift import wire
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.tree import Node, Span, parent
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.derivation.parts import (
    Group,
    Part,
    bytes_part,
    little_endian,
    number_part,
    varint,
    varint_groups,
    varint_text,
    zigzag_text,
)
from pqexplore.insight.derivation.plain import value_groups, value_says
from pqexplore.insight.told import clip, hexadecimal
from pqexplore.insight.wording import listing, percent, plural

DRAWN = 120
"""Fields or elements in the picture."""

LISTED = 1_000
"""Fields or elements in the table."""

READ = 1 << 18
"""Bytes of a struct that are looked at bit by bit."""

HEAD = 6
"""Bytes of a value that stand in the picture."""

NAMES = {
    "footer": "FileMetaData",
    "page_header": "PageHeader",
    "column_index": "ColumnIndex",
    "offset_index": "OffsetIndex",
    "bloom_filter_header": "BloomFilterHeader",
    "file_crypto_metadata": "FileCryptoMetaData",
}


@dataclasses.dataclass(slots=True)
class Item:
    """A field of a struct, or an element of a list. Positions are those of the space that the struct lies in."""

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
    before: int = 0
    """The id of the field before."""

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
        return self.id is not None and (
            self.name.startswith("unknown_") or self.name == "extension"
        )


class Bytes:
    """The bytes of a struct, as far as they are looked at, by their position in its space."""

    def __init__(self, file: ParquetFile, span: Span) -> None:
        self.start = span.start
        self.end = min(span.end, span.start + READ)
        self.raw = file.bytes(Span(span.start, self.end, span.space))

    def has(self, start: int, end: int) -> bool:
        """Whether all of `[start, end)` is there."""
        return self.start <= start <= end <= self.end


def answer(file: ParquetFile, node: Node) -> Answer:
    """What the struct at `node` is made of; for a field with a plain value, the struct that it is in.

    Raises ParquetError where the struct is locked.
    """
    holder, chosen = _holder(file, node)
    span = _place(holder)
    data = Bytes(file, span)
    total = sum(child.kind != "module" for child in holder.children[:1])
    total += max(0, len(holder.children) - 1)
    items = _items(holder, data)
    head = _head(holder, data)
    picture = {
        "struct": holder.address,
        "name": clip(_name(holder), 60),
        "start": span.start,
        "end": span.end,
        "space": span.space,
        "items": [_drawn(item, data) for item in items[:DRAWN]],
        "total": total,
        "head": [part.to_json(data.start) for part in head],
        "stop": _stop(holder, span, items, data, total),
        "selected": next((i for i, one in enumerate(items) if one.node.address == chosen), None),
    }
    code = f"f.node({holder.address!r}).facts"
    if not items:
        said = f"{_name(holder)} has no fields: its one byte is the stop byte, 0."
        if holder.state != "ok":
            said = f"{_name(holder)} cannot be read: {holder.reason}"
        return Answer(said, picture, code=code)
    return Answer(
        _sentence(holder, items, span, total), picture, _table(items, span, total), code=code
    )


def _holder(file: ParquetFile, node: Node) -> tuple[Node, str | None]:
    """The node whose parts are shown, and the address of the one that is selected among them."""
    if node.kind != "field" or len(node.children):
        return node, None
    above = file.node(parent(node.address))
    if above.span is None or not any(c.address == node.address for c in above.children[:LISTED]):
        return node, None
    return above, node.address


def _place(holder: Node) -> Span:
    """Where the struct's bytes lie: its span, or, where it is encrypted, what its module decrypts to."""
    span = holder.span
    assert span is not None
    fields = [child.span for child in holder.children[:LISTED] if child.kind != "module"]
    inner = [field for field in fields if field is not None and field.space != span.space]
    if not inner:
        return span
    stop = 1 if holder.state == "ok" else 0
    return Span(0, max(field.end for field in inner) + stop, inner[0].space)


def _items(holder: Node, data: Bytes) -> list[Item]:
    items: list[Item] = []
    before = 0
    for child in holder.children[:LISTED]:
        span = child.span
        if span is None or child.kind == "module":
            continue
        item = Item(child, span.start, span.end)
        facts = {fact.name: fact for fact in child.facts} if child.kind == "field" else {}
        if "field id" in facts:
            item.id, item.type = int(facts["field id"].value), str(facts["type"].value)
            place = facts["field header"].span
            if place is not None:
                item.header = (place.start, place.end)
            item.before, before = before, item.id
            item.note = str(facts["note"].value) if "note" in facts else ""
            if item.header and data.has(*item.header):
                item.wire_type = data.raw[item.header[0] - data.start] & 15
        if "value" in facts:
            item.value, item.meaning = facts["value"].value, facts["value"].meaning
        elif child.kind != "field":
            item.value = child.label.partition(" ")[2]
        items.append(item)
    if items and items[0].id is None:
        element = _element_type(holder, data)
        for item in items:
            item.wire_type = element
            item.type = "" if element is None else wire.name(element)
    return items


def _value_start(holder: Node) -> int | None:
    """Where the value of a field begins."""
    fact = next((f for f in holder.facts if f.name == "value"), None)
    return None if fact is None or fact.span is None else fact.span.start


def _element_type(holder: Node, data: Bytes) -> int | None:
    """The wire type of the elements of a list."""
    at = _value_start(holder) if holder.kind == "field" else None
    if at is None or not data.has(at, at + 1):
        return None
    return data.raw[at - data.start] & 15


def _head(holder: Node, data: Bytes) -> list[Part]:
    """What stands before the parts: a field's own header, and how many elements a list has."""
    if holder.kind != "field":
        return []
    facts = {fact.name: fact for fact in holder.facts}
    place = facts["field header"].span if "field header" in facts else None
    if place is None or not data.has(place.start, place.end):
        return []
    wire_type = data.raw[place.start - data.start] & 15
    found = [_header_part(data, place.start, place.end, int(facts["field id"].value), None)]
    if wire_type in (wire.LIST, wire.SET, wire.MAP) and data.has(place.end, place.end + 1):
        found += _container(data, place.end, wire_type)
    return found


def _header_part(data: Bytes, start: int, end: int, id: int, before: int | None) -> Part:
    raw = data.raw[start - data.start : end - data.start]
    delta, kind = raw[0] >> 4, raw[0] & 15
    what = wire.name(kind) + {wire.TRUE: " true", wire.FALSE: " false"}.get(kind, "")
    groups: tuple[Group, ...] = (Group(0, 4, f"type {kind}: {what}", "flag"),)
    at = start - data.start
    if delta:
        groups += (Group(4, 8, f"id + {delta}", "number"),)
        sum_ = f"{id - delta} + {delta} = " if before is None else f"{before} + {delta} = "
        says = f"0x{raw[0]:02x}: upper half {delta}, so the id is {sum_}{id}; lower half {kind}, {what}"
        return Part("field header", at, at + len(raw), at, raw, groups, (says,))
    groups += (Group(4, 8, "0: the id follows", "more"),)
    groups += tuple(
        Group(8 + g.start, 8 + g.end, g.label, g.role) for g in varint_groups(len(raw) - 1, "id")
    )
    says = f"0x{raw[0]:02x}: upper half 0, so the id follows; lower half {kind}, {what}"
    return Part(
        "field header", at, at + len(raw), at, raw, groups, (says, f"id: {zigzag_text(raw[1:])[1]}")
    )


def _container(data: Bytes, start: int, wire_type: int) -> list[Part]:
    at = start - data.start
    if wire_type == wire.MAP:
        return [number_part("number of pairs", data.raw, at, varint(data.raw, at)[1])]
    byte = data.raw[at]
    count, kind = byte >> 4, byte & 15
    element = Group(0, 4, f"type {kind}: {wire.name(kind)}", "flag")
    if count < 15:
        groups = (element, Group(4, 8, f"{plural(count, 'element')}", "number"))
        says = f"0x{byte:02x}: upper half {count}, elements; lower half {kind}, each is {wire.name(kind)}"
        return [Part("list header", at, at + 1, at, data.raw[at : at + 1], groups, (says,))]
    _, end = varint(data.raw, at + 1)
    own = data.raw[at:end]
    long: tuple[Group, ...] = (
        element,
        Group(4, 8, "15: the number follows", "more"),
        *(
            Group(8 + g.start, 8 + g.end, g.label, g.role)
            for g in varint_groups(len(own) - 1, "elements")
        ),
    )
    says = f"0x{byte:02x}: upper half 15, so the number follows; lower half {kind}, each is {wire.name(kind)}"
    return [Part("list header", at, end, at, own, long, (says, varint_text(own[1:])))]


def _parts(item: Item, data: Bytes) -> list[Part]:
    """The bytes of a field or an element, as the compact protocol reads them."""
    found: list[Part] = []
    if item.header is not None and item.id is not None and data.has(*item.header):
        found.append(_header_part(data, *item.header, item.id, item.before))
    start, end, raw = item.body - data.start, item.end - data.start, data.raw
    kind = item.wire_type
    if kind is None or end <= start or not data.has(item.body, min(item.end, item.body + 16)):
        return found
    if kind in wire.INTEGERS:
        found.append(number_part("value", raw, start, end, signed=True))
    elif kind == wire.BINARY:
        _, at = varint(raw, start)
        found.append(number_part("length", raw, start, at))
        shown = "text" if item.type == "string" or isinstance(item.value, str) else "bytes"
        if end > at:
            found.append(bytes_part("value", raw, at, end, (), shown))
    elif kind == wire.I8:
        found.append(little_endian("value", raw, start, 1, signed=True))
    elif kind == wire.DOUBLE and end - start == 8:
        own = raw[start:end]
        groups, says = value_groups(Type.DOUBLE, 8), value_says(Type.DOUBLE, own)
        found.append(Part("value", start, end, start, own, groups, says))
    elif kind in wire.CONTAINERS:
        found += _container(data, item.body, kind)
    elif kind == wire.STRUCT:
        found.append(
            bytes_part("struct", raw, start, end, ("fields of its own, then a stop byte",))
        )
    else:
        found.append(bytes_part("value", raw, start, end))
    return found


def _drawn(item: Item, data: Bytes) -> dict[str, Any]:
    start = item.start - data.start
    body = item.body - data.start
    return {
        "name": clip(item.name, 60),
        "address": item.node.address,
        "id": item.id,
        "type": clip(item.type, 60),
        "value": text(item.value, 80),
        "meaning": item.meaning,
        "note": item.note,
        "unknown": item.unknown,
        "start": item.start,
        "end": item.end,
        "header": list(data.raw[start:body]),
        "body": list(data.raw[body : min(body + HEAD, item.end - data.start)]),
        "rest": max(0, item.end - item.body - HEAD),
        "opens": len(item.node.children) > 0,
        "parts": [part.to_json(data.start) for part in _parts(item, data)],
    }


def text(value: Any, most: int = 200) -> str:
    """A field's value in one line."""
    if value is None:
        return ""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return hexadecimal(bytes(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}" if value.bit_length() < 200 else clip(str(value), most)
    if isinstance(value, list):
        return clip(f"[{', '.join(text(one, 40) for one in value[:20])}]", most)
    return clip(str(value), most)


def _stop(holder: Node, span: Span, items: list[Item], data: Bytes, total: int) -> list[int] | None:
    """The stop byte of a struct that lies at `span`."""
    is_list = bool(items) and items[0].id is None
    if is_list or holder.state != "ok" or total > len(items):
        return None
    last = items[-1].end if items else span.start
    if span.end - last == 1 and data.has(last, span.end) and not data.raw[last - data.start]:
        return [last, span.end]
    return None


def _name(holder: Node) -> str:
    if holder.kind in NAMES:
        return NAMES[holder.kind]
    if holder.kind == "field":
        kind = next((str(f.value) for f in holder.facts if f.name == "type"), "")
        return f"{holder.name} ({kind})" if kind else holder.name
    return holder.label


def _sentence(holder: Node, items: list[Item], span: Span, total: int) -> str:
    size = len(span)
    name = clip(_name(holder), 80)
    if items[0].id is None:
        kind = f" of type {items[0].type}" if items[0].type else ""
        return f"{name}: {plural(total, 'element')}{kind} in {plural(size, 'byte')}, {size / total:,.1f} each."
    headers = sum(one.header[1] - one.header[0] for one in items if one.header)
    values = sum(one.end - one.body for one in items)
    largest = max(items, key=lambda one: one.end - one.start)
    said = (
        f"{name}: {plural(total, 'field')} in {plural(size, 'byte')}: {headers:,} say which fields, {values:,} are their "
        f"values"
    )
    rest = size - headers - values
    said += f", {rest:,} more." if rest > 1 else ", one ends the struct." if rest == 1 else "."
    share = (largest.end - largest.start) / max(1, size)
    if share >= 0.5 and total > 1:
        said += f" {largest.name} takes {percent(share)} of it."
    if any(one.name == "extension" for one in items):
        said += " Its extension is bytes of a vendor's own, which other readers skip."
    unknown = [f"{one.id}" for one in items if one.unknown and one.name != "extension"]
    if unknown:
        said += (
            f" The format does not define the field{'s' * (len(unknown) > 1)} {listing(unknown)}."
        )
    odd = [one for one in items if one.note]
    if odd:
        said += f" {odd[0].name}: {clip(odd[0].note, 200)}."
    if holder.state != "ok":
        said += f" It is damaged: {holder.reason}"
    return said


def _table(items: list[Item], span: Span, total: int) -> Table:
    table = Table(
        (
            Column("id", "id", "number", "the number by which Thrift knows the field"),
            Column("field", "field"),
            Column("type", "type", "code"),
            Column("value", "value"),
            Column("bytes", "bytes", "bytes"),
            Column("meaning", "meaning"),
        ),
        caption="Fields" if items[0].id is not None else "Elements",
        total=total,
    )
    for item in items:
        meaning = f"{item.meaning} ({item.note})" if item.note else item.meaning
        table.add(
            item.id,
            item.name,
            item.type,
            text(item.value),
            item.end - item.start,
            meaning,
            address=item.node.address,
            span=Span(item.start, item.end, span.space),
        )
    return table
