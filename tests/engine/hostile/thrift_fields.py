"""Ways to break a Thrift struct: one field, somewhere inside, gets another value, vanishes, occurs twice, has another type.

The bytes are cut into fields and put together again, so what the format does not know or allow can be written, too.
"""

import struct

from pqexplore.engine.format.thrift import struct_spans, wire
from pqexplore.engine.format.thrift.encode import encode_fields, encode_list
from pqexplore.engine.format.varint import varint, zigzag

EDGES = (
    *(0, 1, -1, 2, 3, 4, 7, 8, 9, 12, 15, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000),
    *(5000, 65535, 65536, 1 << 20, 1 << 28),
)
HUGE = ((1 << 31) - 1, 1 << 31, 1 << 32, 1 << 40, 1 << 62, (1 << 63) - 1, (1 << 64) - 1)
NEGATIVE = (-1, -2, -7, -128, -(1 << 31), -(1 << 31) - 1, -(1 << 40), -(1 << 63))
TEXTS = (
    *(b"", b"a", b"element", b"list", b"key_value", b"value", b"metadata", b"x" * 300, b"\0", b"."),
    *(b"<b>", b"\xff\xfe", "ü\u202e".encode(), b"\x1b[31m", b"1", b"\x7f" * 8, b"\x80" * 16),
)
DOUBLES = (0.0, -0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324)


def changed(field, raw, rng):
    """Another value of the same wire type."""
    return [(field.id, *_other(field, raw, rng))]


def removed(field, raw, rng):
    """The field is missing."""
    return []


def duplicated(field, raw, rng):
    """The field occurs twice, the second time perhaps with another value."""
    first = (field.id, field.wire_type, raw)
    return [first, first if rng.random() < 0.5 else (field.id, *_other(field, raw, rng))]


def retyped(field, raw, rng):
    """The field has another wire type; its bytes are a value of it, or what they were."""
    kind = rng.choice([kind for kind in range(1, 14) if kind != field.wire_type])
    return [(field.id, kind, raw if rng.random() < 0.3 else _SOME[kind](rng))]


def renumbered(field, raw, rng):
    """The field has another id."""
    return [(rng.choice((0, field.id + 1, -field.id, 99, 32767)), field.wire_type, raw)]


def huge(field, raw, rng):
    """A number, length or count is huge."""
    if field.wire_type in wire.INTEGERS:
        return [(field.id, field.wire_type, zigzag(rng.choice(HUGE)))]
    if field.wire_type == wire.BINARY:
        return [(field.id, field.wire_type, varint(rng.choice(HUGE)) + raw)]
    if field.wire_type == wire.LIST and raw:
        count = varint(rng.choice((1000, 1 << 20, *HUGE)))
        return [(field.id, field.wire_type, bytes([0xF0 | raw[0] & 15]) + count + raw[1:])]
    return changed(field, raw, rng)


def negative(field, raw, rng):
    """A number is negative, or just below what it was."""
    if field.wire_type not in wire.INTEGERS:
        return changed(field, raw, rng)
    number = rng.choice((*NEGATIVE, field.value - 1 if field.value is not None else -1))
    return [(field.id, field.wire_type, zigzag(number))]


WAYS = (changed, removed, duplicated, retyped, renumbered, huge, negative)


def edited(data, struct_class, rng, way):
    """The bytes of a struct after `way` met one of its fields; the same bytes if it has none."""
    read = struct_spans.read(struct_class, data)
    found = {}
    _collect(read, found)
    fields = [each for each in found.values() if way not in (huge, negative) or _has_number(each[0])]
    if not fields:
        return data
    field = rng.choice(rng.choice(fields))
    new = way(field, data[field.start : field.end], rng)

    def at(span):
        return new if span is field else None

    return _struct(data, read, at) + data[read.end :]


def _has_number(field):
    return field.wire_type in (*wire.INTEGERS, wire.BINARY, wire.LIST)


def _collect(read, found):
    """Every field below, by struct and name, so that rare fields are met as often as those of each column."""
    for field in read.fields:
        name = read.struct_class.NAME if read.struct_class is not None else ""
        found.setdefault((name, field.name), []).append(field)
        for child in (field, *(field.value if isinstance(field.value, list) else ())):
            if isinstance(child.value, struct_spans.StructSpan):
                _collect(child.value, found)


def _struct(data, read, at):
    fields = []
    for field in read.fields:
        new = at(field)
        fields += [(field.id, field.wire_type, _raw(data, field, at))] if new is None else new
    if read.stop is None:  # damaged already: what follows is kept
        return encode_fields(fields)[:-1] + data[read.end :]
    return encode_fields(fields)


def _raw(data, span, at):
    """The bytes of a value."""
    if isinstance(span.value, struct_spans.StructSpan):
        return _struct(data, span.value, at)
    elements = span.value
    if span.wire_type == wire.LIST and elements and isinstance(elements[0].value, struct_spans.StructSpan):
        return encode_list(elements[0].wire_type, [_raw(data, each, at) for each in elements])
    return data[span.start : span.end]


def _other(field, raw, rng):
    """A wire type and the bytes of another value."""
    kind = field.wire_type
    if kind in (wire.TRUE, wire.FALSE):
        return wire.TRUE + wire.FALSE - kind, b""
    if kind in wire.INTEGERS and rng.random() < 0.5 and field.value is not None:
        return kind, zigzag(field.value + rng.choice((-1, 1, 2, -8, 8, 100, -100)))
    if kind == wire.BINARY and rng.random() < 0.5:
        size = field.end - field.start
        start = field.length[1] - field.start if field.length else 0
        text = bytearray(raw[start:]) + rng.randbytes(rng.choice((0, 0, 1, 7)))
        if text:
            text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        text = text[: rng.choice((size, len(text), len(text) // 2))]
        return kind, varint(len(text)) + bytes(text)
    if kind == wire.LIST and field.value:
        return kind, _list(field, raw, rng)
    return kind, _SOME[kind](rng)


def _list(field, raw, rng):
    """A list with elements fewer, more, or in another order. Elements are cut from `raw`, whose offsets are the field's."""
    parts = [raw[each.start - field.start : each.end - field.start] for each in field.value]
    if any(not part for part in parts):
        return _SOME[wire.LIST](rng)
    way = rng.randrange(5)
    if way == 0:
        del parts[rng.randrange(len(parts))]
    elif way == 1:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(parts))
    elif way == 2:
        rng.shuffle(parts)
    elif way == 3:
        parts = []
    elif field.value[0].wire_type != wire.STRUCT:
        parts[rng.randrange(len(parts))] = _SOME[field.value[0].wire_type](rng)
    else:
        parts = parts[:1] * rng.choice((2, 5, 200))
    return encode_list(field.value[0].wire_type, parts)


def _text(rng):
    text = rng.choice(TEXTS)
    return varint(len(text)) + text


def _number(rng):
    return zigzag(rng.choice(EDGES + HUGE + NEGATIVE))


_SOME = {
    wire.TRUE: lambda rng: b"",
    wire.FALSE: lambda rng: b"",
    wire.I8: lambda rng: rng.randbytes(1),
    **dict.fromkeys(wire.INTEGERS, _number),
    wire.DOUBLE: lambda rng: struct.pack("<d", rng.choice(DOUBLES)),
    wire.BINARY: _text,
    wire.LIST: lambda rng: encode_list(rng.choice((wire.I32, wire.BINARY)), [b"\x00"] * rng.randrange(4)),
    wire.SET: lambda rng: encode_list(wire.I32, [b"\x00"]),
    wire.MAP: lambda rng: rng.choice((b"\x00", b"\x01\x55\x00\x00")),
    wire.STRUCT: lambda rng: rng.choice((b"\x00", b"\x15\x00\x00", b"\x1c" * 40 + b"\x00" * 41)),
    wire.UUID: lambda rng: rng.randbytes(16),
}
"""Bytes of some value of each wire type."""
