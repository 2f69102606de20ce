"""Ways to break a Parquet file: each takes its bytes and a random generator, and gives other bytes.

Some break bytes at any place. Most know the format: they take the file apart (`parts`), break one part, and put it
together again, so that the part reaches what decodes it. A way gives None if the file has no such part.
"""

import copy
import functools

from engine.hostile import payloads, thrift_fields
from engine.hostile.parts import LEVELS, SECTIONS, STRUCTS, Parts
from engine.hostile.payloads import some_bytes as bytes_of
from engine.hostile.schemas import schema_and_statistics

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import struct_spans, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.varint import varint

BYTES = (0x00, 0x01, 0x02, 0x03, 0x19, 0x1C, 0x7F, 0x80, 0x81, 0xFE, 0xFF)


@functools.lru_cache(256)
def parts_of(data, decryption):
    """The parts of a file; None if it does not open."""
    try:
        return Parts(data, decryption)
    except ParquetError:
        return None


def _layout(data):
    """The spans that a file's layout knows, without the footer's own."""
    parts = parts_of(data, None)
    if parts is None:
        return []
    return _spans_of(parts)


@functools.lru_cache(256)
def _spans_of(parts):
    table = parts.file.layout()
    return list(zip(table["start"].to_pylist(), table["end"].to_pylist()))[:-3]


def _place(data, rng):
    """A byte where damage tells: the begin of a page, its levels, an index, the footer."""
    owners = _layout(data)
    if owners and rng.random() < 0.7:
        start, end = rng.choice(owners)
        return min(end - 1, start + rng.choice((0, 0, 1, 4, 8, rng.randrange(end - start))))
    return rng.randrange(len(data))


# Anywhere in the file.


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
    """Some bytes are missing, so that what follows them lies elsewhere than the footer says."""
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


ANYWHERE = (bits, some_bytes, truncated, shortened, lengthened, swapped, copied)


# In one part.


def footer(way):
    """One field of the footer, or a few."""

    def change(raw, rng):
        for _ in range(rng.choice((1, 1, 2))):
            raw = thrift_fields.edited(raw, structs.FileMetaData, rng, way)
        return raw

    return lambda parts, rng: parts.together(footer=lambda raw: change(raw, rng))


def same_length_number(parts, rng):
    """A number in the footer becomes another one whose varint is as long, so that nothing moves."""
    numbers = []
    _numbers(struct_spans.read(structs.FileMetaData, parts.raw).fields, numbers)
    if not numbers:
        return None
    start, end = rng.choice(numbers)
    new = bytearray(byte | 128 for byte in rng.randbytes(end - start))
    new[-1] &= 127
    return parts.together(footer=lambda raw: raw[:start] + bytes(new) + raw[end:])


def _numbers(children, found):
    for span in children:
        if type(span.value) is int and span.value and span.wire_type in (4, 5, 6):
            found.append((span.start, span.end))
        _numbers(span.children, found)


def part(names, change, where=lambda place: True):
    """A way that breaks places of these names, now and then two of them: `change(place, rng)` gives the new bytes."""

    def way(parts, rng):
        there = [place for place in parts.places if place.name in names and where(place)]
        if not there:
            return None
        chosen = rng.sample(there, min(len(there), rng.choice((1, 1, 1, 2))))
        return parts.together({place: change(place, rng) for place in chosen})

    return way


def _fields(place, rng):
    way = rng.choice(thrift_fields.WAYS)
    return thrift_fields.edited(place.data, STRUCTS[place.name], rng, way)


def _levels(place, rng):
    page = place.piece.page
    packed = page.section_encoding(place.name) == Encoding.BIT_PACKED
    if packed:
        return bytes_of(place.data, rng)
    return payloads.levels(place.data, rng, page.header.type == PageType.DATA_PAGE)


def _values(place, rng):
    return payloads.of_values(place.data, place.piece.page, rng)


def _variant(change):
    def new(place, rng):
        return payloads.plain_values(place.data, rng, change)

    return new


def _encoding(place):
    page = place.piece.page
    return page.encoding if page.is_data else Encoding.PLAIN


def _in_variant(*names):
    def where(place):
        leaf = place.piece.chunk.leaf
        field, inside = leaf, False
        while field is not None:
            inside = inside or field.kind == "variant"
            field = field.parent
        return inside and leaf.name in names and _encoding(place) == Encoding.PLAIN

    return where


DELTAS = (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)


def encrypted_column_metadata(parts, rng):
    """A ColumnMetaData that is encrypted for itself."""
    metadata = struct_spans.to_object(struct_spans.read(structs.FileMetaData, parts.raw))
    there = [
        (chunk, metadata.row_groups[group].columns[index])
        for group, handle in enumerate(parts.file.row_groups)
        for index, chunk in enumerate(handle.columns)
        if metadata.row_groups[group].columns[index].encrypted_column_metadata is not None and not chunk.locked
    ]
    if not there:
        return None
    chunk, struct = rng.choice(there)
    way = rng.choice(thrift_fields.WAYS)
    plain = thrift_fields.edited(encode(chunk.metadata), structs.ColumnMetaData, rng, way)
    struct.encrypted_column_metadata = parts.encrypted_metadata(chunk, plain)
    return parts.together(footer=lambda raw: encode(metadata))


MANY = (100_000, 1 << 20, (1 << 20) + 1, 1 << 24, 60_000_000, 67_000_000, 1 << 28)


def long_run(parts, rng):
    """Pages of one run: their levels and ids, their headers and the footer agree on a huge number of values."""
    pages = [piece for piece in parts.pieces if piece.page is not None and piece.page.is_data]
    if not pages:
        return None
    chosen, count = rng.choice(pages), rng.choice(MANY)
    group = chosen.chunk.row_group
    several = {chosen.chunk.index: chosen}
    if rng.random() < 0.5:  # the first page of each chunk
        several = {piece.chunk.index: piece for piece in reversed(pages) if piece.chunk.row_group is group}
    change = {}
    for place in parts.places:
        if place.piece in several.values():
            change[place] = _long(place, count, several[place.piece.chunk.index] is chosen and rng)

    def footer(raw):
        metadata = struct_spans.to_object(struct_spans.read(structs.FileMetaData, raw))
        struct = metadata.row_groups[group.index]
        more = count - chosen.page.num_values
        struct.num_rows += more
        metadata.num_rows += more
        for index, piece in several.items():
            if struct.columns[index].meta_data is not None:
                struct.columns[index].meta_data.num_values += count - piece.page.num_values
        return encode(metadata)

    return parts.together(change, footer)


def _long(place, count, rng):
    """A part of a page that then has `count` values; of all levels 0 unless there is an `rng`."""
    page = place.piece.page
    if place.name == "page_header":
        header = copy.deepcopy(page.header)
        part = header.data_page_header or header.data_page_header_v2
        part.num_values = count
        if header.data_page_header_v2 is not None:
            part.num_rows = count
        return encode(header)
    level = rng.choice((0, 0, 1)) if rng else 0
    if place.name in LEVELS:
        return _runs_of(count, level, prefixed=page.header.data_page_header is not None)
    if page.encoding in payloads.DICTIONARY:
        return place.data[:1] + varint(count << 1) + bytes(place.data[:1] > b"\0")
    if page.encoding == Encoding.RLE:
        return _runs_of(count, 1, prefixed=True)
    return place.data


def _runs_of(count, value, *, prefixed):
    run = varint(count << 1) + bytes([value])
    return len(run).to_bytes(4, "little") + run if prefixed else run


PARTS = {
    **{f"footer field {way.__name__}": footer(way) for way in thrift_fields.WAYS},
    "footer number of the same length": same_length_number,
    "page header": part(("page_header",), _fields),
    "column index": part(("column_index",), _fields),
    "offset index": part(("offset_index",), _fields),
    "Bloom filter header": part(("bloom_header",), _fields),
    "Bloom filter bitset": part(("bitset",), lambda place, rng: bytes_of(place.data, rng)),
    "file crypto metadata": part(("crypto",), _fields),
    "encrypted column metadata": encrypted_column_metadata,
    "levels": part(LEVELS, _levels),
    "dictionary ids": part(("values",), lambda place, rng: payloads.dictionary_ids(place.data, rng),
        lambda place: _encoding(place) in payloads.DICTIONARY),
    "dictionary page": part(("values",), _values, lambda place: not place.piece.page.is_data),
    "delta header": part(("values",), lambda place, rng: payloads.delta_header(place.data, rng),
        lambda place: _encoding(place) in DELTAS),
    "values": part(("values",), _values),
    "compressed payload": part(SECTIONS, lambda place, rng: bytes_of(place.data, rng),
        lambda place: place.piece.page is not None and place.piece.chunk.metadata.codec),
    "encrypted payload": part(SECTIONS, lambda place, rng: bytes_of(place.data, rng),
        lambda place: place.piece.page is not None and place.piece.chunk.encrypted),
    "Variant metadata": part(("values",), _variant(payloads.variant_metadata), _in_variant("metadata")),
    "Variant value": part(("values",), _variant(payloads.variant_value), _in_variant("value", "typed_value")),
    "long run": long_run,
    "schema and statistics": schema_and_statistics,
}  # fmt: skip
"""Ways that break one part: `(Parts, rng)` → bytes, or None."""


def splice(data, rng, other, decryption=None, other_decryption=None):
    """The begin of one file and the end of another, or a part of one in place of the same part of the other."""
    if rng.random() < 0.3:
        return data[: _place(data, rng)] + other[_place(other, rng) :]
    parts, giver = parts_of(data, decryption), parts_of(other, other_decryption)
    if parts is None or giver is None:
        return None
    given = {}
    for place in giver.places:
        given.setdefault(place.name, []).append(place.data)
    there = [place for place in parts.places if place.name in given and place.name != "crypto"]
    place = rng.choice(there)
    return parts.together({place: rng.choice(given[place.name])})


UNFIT = (ParquetError, ValueError, TypeError, LookupError, AttributeError)
"""What breaking raises if a file is so broken already that nothing more can be."""

KINDS = (*(way.__name__ for way in ANYWHERE), *PARTS, "splice")


def mutate(kind, data, rng, decryption=None, other=b"", other_decryption=None):
    """`data` broken in the way `kind`; None if it has nothing to break so. `other` is another file, for splices."""
    for way in ANYWHERE:
        if way.__name__ == kind:
            return way(data, rng)
    parts = parts_of(data, decryption)
    try:
        if kind == "splice":
            broken = splice(data, rng, other, decryption, other_decryption)
        else:
            broken = None if parts is None else PARTS[kind](parts, rng)
    except (ParquetError, ValueError, TypeError):
        return None
    if not broken or rng.random() < 0.9:
        return broken
    again = rng.choice((*ANYWHERE, *PARTS.values()))
    if again in ANYWHERE:
        return again(broken, rng)
    try:
        return again(Parts(broken, decryption), rng) or broken
    except UNFIT:
        return broken
