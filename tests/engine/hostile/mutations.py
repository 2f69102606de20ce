"""Ways to break a Parquet file: each takes its bytes and a random generator and gives other bytes.

They know just enough of the format to break what matters: a footer that is damaged blindly is refused at once, so most
of them keep the file open and damage what is read afterwards.
"""

import random

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import fast, spans, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.span import FILE

NUMBERS = (
    *(0, 1, -1, 2, 3, 4, 7, 8, 9, 12, 15, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000),
    *(65535, 65536, 1 << 20, 1 << 28, (1 << 31) - 1, -(1 << 31), 1 << 31, 1 << 32, 1 << 40),
    *((1 << 63) - 1, -(1 << 63), 1 << 62, 5000, -7),
)
BYTES = (0x00, 0x01, 0x02, 0x03, 0x19, 0x1C, 0x7F, 0x80, 0x81, 0xFE, 0xFF)


def bits(data, rng):
    """A few bits are flipped, anywhere."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def some_bytes(data, rng):
    """A few bytes in one place become telling ones: zeros, ones, sign bits, Thrift headers."""
    out = bytearray(data)
    place = _place(data, rng)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        out[min(len(out) - 1, place + rng.randrange(12))] = rng.choice(BYTES)
    return bytes(out)


def truncated(data, rng):
    """The end is missing."""
    return data[: rng.randrange(len(data))]


def shortened(data, rng):
    """Some bytes before the footer are missing, so that everything behind them lies elsewhere than the footer says."""
    start = _place(data, rng)
    return data[:start] + data[start + rng.choice((1, 2, 7, 64, 1000)) :]


def lengthened(data, rng):
    """Bytes are inserted."""
    start = _place(data, rng)
    return data[:start] + rng.randbytes(rng.choice((1, 3, 8, 50))) + data[start:]


def swapped(data, rng):
    """Two spans of the layout change places."""
    owners = _layout(data)
    if len(owners) < 2:
        return bits(data, rng)
    (a, b), (c, d) = sorted(rng.sample(owners, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def copied(data, rng):
    """The bytes of one span overwrite those of another."""
    owners = _layout(data)
    if len(owners) < 2:
        return bits(data, rng)
    (a, b), (c, d) = rng.sample(owners, 2)
    size = min(b - a, d - c)
    return data[:c] + data[a : a + size] + data[c + size :]


def footer_field(data, rng):
    """Fields of the footer get other values, or vanish; it is written anew."""
    start = _footer_start(data)
    read = spans.read(structs.FileMetaData, data[start:-8])
    if start < 4 or read.error is not None:
        return some_bytes(data, rng)
    metadata = spans.to_object(read)
    for _ in range(rng.choice((1, 1, 2, 4))):
        _edit(metadata, rng)
    return _with_footer(data[:start], metadata)


def header_field(data, rng):
    """Fields of a page's header get other values, or vanish; what lies behind it moves, and the footer knows."""
    headers = _headers(data)
    if not headers:
        return some_bytes(data, rng)
    start, end = rng.choice(headers)
    try:
        header, _ = fast.decode(structs.PageHeader, data, start)
        for _ in range(rng.choice((1, 1, 2))):
            _edit(header, rng)
        new = encode(header)
    except (ParquetError, ValueError):
        return some_bytes(data, rng)
    footer = _footer_start(data)
    metadata = spans.to_object(spans.read(structs.FileMetaData, data[footer:-8]))
    _shift(metadata, start, len(new) - (end - start))
    return _with_footer(data[:start] + new + data[end:footer], metadata)


def same_length_number(data, rng):
    """A number in the footer becomes another one whose varint is as long, so that nothing moves."""
    start = _footer_start(data)
    numbers = []
    _numbers(spans.read(structs.FileMetaData, data[max(4, start) : -8]), numbers)
    if not numbers:
        return bits(data, rng)
    a, b = rng.choice(numbers)
    new = bytearray(rng.randbytes(b - a))
    for i in range(len(new)):
        new[i] = new[i] | 128 if i < len(new) - 1 else new[i] & 127
    at = max(4, start) + a
    return data[:at] + bytes(new) + data[at + len(new) :]


ALL = (
    *(bits, some_bytes, some_bytes, truncated, shortened, lengthened, swapped, copied),
    *(footer_field, footer_field, header_field, header_field, same_length_number),
)


def mutate(data, seed):
    """`data` broken as `seed` says: the name of the way, and the bytes."""
    rng = random.Random(seed)
    way = rng.choice(ALL)
    broken = way(data, rng)
    if way is not truncated and rng.random() < 0.15:
        broken = bits(broken, rng) if broken else broken
    return way.__name__, broken


def _footer_start(data):
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


def _with_footer(body, metadata):
    try:
        footer = encode(metadata)
    except ValueError:
        footer = encode(structs.FileMetaData(version=1, schema=[], num_rows=0, row_groups=[]))
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _layout(data):
    """The spans that a file's layout knows, without the footer's own."""
    try:
        with pqexplore.open(data) as file:
            table = file.layout()
    except ParquetError:
        return []
    return list(zip(table["start"].to_pylist(), table["end"].to_pylist()))[:-3]


def _headers(data):
    try:
        with pqexplore.open(data) as file:
            if file.footer.space != FILE or file.footer.cipher is not None:
                return []
            table = file.layout()
    except ParquetError:
        return []
    rows = zip(*(table[name].to_pylist() for name in ("start", "end", "kind")))
    return [(start, end) for start, end, kind in rows if kind == "page_header"]


def _place(data, rng):
    """A byte where damage tells: the begin of a page, its levels, an index, the footer."""
    owners = _layout(data)
    if owners and rng.random() < 0.7:
        start, end = rng.choice(owners)
        return min(end - 1, start + rng.choice((0, 0, 1, 4, 8, rng.randrange(end - start))))
    return rng.randrange(len(data))


def _edit(struct, rng):
    """One field, somewhere below, gets another value of its type or vanishes."""
    while True:
        there = [f for f in struct.FIELDS if getattr(struct, f.name) is not None]
        if not there or rng.random() < 0.05:
            absent = [
                f for f in struct.FIELDS if f not in there and f.struct is None and not f.is_list
            ]
            if absent:
                field = rng.choice(absent)
                setattr(struct, field.name, _value(field.base, None, rng))
            return
        field = rng.choice(there)
        value = getattr(struct, field.name)
        if rng.random() < 0.1:
            setattr(struct, field.name, None)
            return
        if field.is_list and value and rng.random() < 0.3:
            way = rng.randrange(4)
            if way == 0:
                value.pop(rng.randrange(len(value)))
            elif way == 1:
                value.insert(rng.randrange(len(value) + 1), rng.choice(value))
            elif way == 2:
                rng.shuffle(value)
            else:
                setattr(struct, field.name, [])
            return
        if field.struct is not None:
            if field.is_list:
                if not value:
                    return
                value = rng.choice(value)
            struct = value
            continue
        if field.is_list:
            if value:
                value[rng.randrange(len(value))] = _value(field.base, value[0], rng)
            return
        setattr(struct, field.name, _value(field.base, value, rng))
        return


def _value(base, old, rng):
    if base == "bool":
        return not old
    if base == "double":
        return rng.choice((0.0, -1.0, float("nan"), float("inf"), 1e308))
    if base == "string":
        return rng.choice(("", "a", "element", "x" * 300, "\x00", "<b>", "ü"))
    if base == "binary":
        return rng.choice((b"", b"\xff", rng.randbytes(4), rng.randbytes(8), rng.randbytes(300)))
    width = {"i8": 8, "i16": 16, "i64": 64}.get(base, 32)
    number = rng.choice(NUMBERS)
    if isinstance(old, int) and rng.random() < 0.4:
        number = old + rng.choice((-1, 1, -8, 8, 100, -100))
    if width == 32 and base not in ("i32",) and rng.random() < 0.7:
        number = rng.randrange(-1, 12)  # an enum
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return max(low, min(high, number))


def _shift(metadata, after, by):
    for group in metadata.row_groups or ():
        for chunk in (group and group.columns) or ():
            for struct, names in (
                (chunk, ("column_index_offset", "offset_index_offset")),
                (
                    chunk.meta_data,
                    ("data_page_offset", "dictionary_page_offset", "bloom_filter_offset"),
                ),
            ):
                for name in names:
                    value = getattr(struct, name, None)
                    if value is not None and value > after:
                        setattr(struct, name, value + by)
            inner = chunk.meta_data
            if (
                inner is None
                or inner.data_page_offset is None
                or inner.total_compressed_size is None
            ):
                continue
            first = min(
                inner.data_page_offset, inner.dictionary_page_offset or inner.data_page_offset
            )
            if first <= after < first + inner.total_compressed_size:
                inner.total_compressed_size += by


def _numbers(read, found):
    for field in read.fields:
        _number(field, found)


def _number(span, found):
    if isinstance(span.value, spans.StructSpan):
        _numbers(span.value, found)
    elif isinstance(span.value, list):
        for element in span.value:
            _number(element, found)
    elif type(span.value) is int and span.value and span.wire_type in (4, 5, 6):
        found.append((span.start, span.end))
