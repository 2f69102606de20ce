"""Ways to break what a page holds: levels, dictionary ids, delta headers, lengths, Variants. Bytes in, other bytes out."""

import itertools

from engine.hostile.thrift_fields import EDGES, HUGE

from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.format.varint import read_varint, varint, zigzag

COUNTS = (*[edge for edge in EDGES if edge >= 0], *HUGE, 67_000_000, 1 << 24, 1 << 27)
BYTES = (0x00, 0x01, 0x02, 0x03, 0x19, 0x1C, 0x7F, 0x80, 0x81, 0xFE, 0xFF)
DICTIONARY = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)


def some_bytes(data, rng, start=0):
    """A few bytes in one place become others: zeros, ones, sign bits; or are missing, or there are more."""
    out = bytearray(data)
    if len(out) <= start:
        return bytes(out) + rng.randbytes(rng.choice((1, 4, 9)))
    at = rng.choice((start, rng.randrange(start, len(out))))
    way = rng.randrange(8)
    if way == 0:
        return bytes(out[:at])
    if way == 1:
        return bytes(out[:at]) + rng.randbytes(rng.choice((1, 2, 4, 8, 50))) + bytes(out[at:])
    if way == 2:
        del out[at : at + rng.choice((1, 2, 4, 8))]
        return bytes(out)
    if way == 3:
        out[at : at + 4] = rng.choice(COUNTS).to_bytes(10, "little")[:4]
        return bytes(out)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        out[min(len(out) - 1, at + rng.randrange(12))] = rng.choice((*BYTES, rng.randrange(256)))
    return bytes(out)


def runs(data, rng):
    """The hybrid of runs: a header gets another count or kind, a run is inserted, or bytes change."""
    way = rng.randrange(5)
    count = rng.choice(COUNTS)
    if way == 0:
        return varint(count << 1) + rng.randbytes(rng.choice((1, 2, 4)))
    if way == 1:
        return varint(count << 1 | 1) + data[1:]
    if way == 2:
        _, end = read_varint(data)
        return varint(count << rng.randrange(2)) + data[max(end, 0) :]
    if way == 3:
        middle = rng.randrange(len(data) + 1)
        return data[:middle] + varint(count << 1 | rng.randrange(2)) + rng.randbytes(1) + data[middle:]
    return some_bytes(data, rng)


def levels(data, rng, prefixed):
    """The levels of a page; those of a V1 page have a length of 4 bytes before them (`prefixed`)."""
    if not prefixed or len(data) < 4:
        return runs(data, rng)
    if rng.random() < 0.2:
        return rng.choice((*COUNTS, len(data))).to_bytes(10, "little")[:4] + data[4:]
    new = runs(data[4:], rng)
    return len(new).to_bytes(4, "little") + new


def dictionary_ids(data, rng):
    """The bit width, or the runs after it."""
    if not data or rng.random() < 0.3:
        return bytes([rng.choice((0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 255))]) + data[1:]
    return data[:1] + runs(data[1:], rng)


def delta_header(data, rng):
    """Block size, miniblocks, count or first value; the minimal delta of the first block or the widths after it."""
    numbers, at = [], 0
    for _ in range(5):
        number, end = read_varint(data, at)
        if end < 0:
            return some_bytes(data, rng)
        numbers.append(number)
        at = end
    which = rng.randrange(7)
    if which > 4:
        miniblocks = max(1, min(numbers[1], 64))
        widths = bytearray(data[at : at + miniblocks])
        if widths:
            widths[rng.randrange(len(widths))] = rng.choice((0, 1, 31, 32, 33, 63, 64, 65, 128, 255))
        return data[:at] + bytes(widths) + data[at + len(widths) :]
    numbers[which] = rng.choice((*COUNTS, numbers[which] + 1, max(0, numbers[which] - 1)))
    if which > 2 and rng.random() < 0.5:
        numbers[which] = read_varint(zigzag(-rng.choice(HUGE) // 2))[0]
    return b"".join(map(varint, numbers)) + data[at:]


def plain_values(data, rng, way):
    """PLAIN BYTE_ARRAY values, one of them changed by `way`; its length is right again, now and then not."""
    cells, at = [], 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        cells.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    if not cells or at != len(data):
        return some_bytes(data, rng)
    which = rng.randrange(len(cells))
    cells[which] = way(cells[which], rng)
    sizes = [len(cell) for cell in cells]
    if rng.random() < 0.1:
        sizes[which] = rng.choice(COUNTS) & 0xFFFFFFFF
    return b"".join(
        itertools.chain.from_iterable((size.to_bytes(4, "little"), cell) for size, cell in zip(sizes, cells))
    )


def variant_metadata(cell, rng):
    """Header, dictionary size, offsets or names of a Variant's metadata."""
    way = rng.randrange(4)
    if way == 0:
        return bytes([rng.choice((0x00, 0x01, 0x02, 0x11, 0x41, 0x81, 0xC1, 0xD1, 0xFF))]) + cell[1:]
    if way == 1:
        width = (cell[0] >> 6) + 1 if cell else 1
        count = rng.choice(COUNTS).to_bytes(10, "little")[:width]
        return cell[:1] + count + cell[1 + width :]
    return some_bytes(cell, rng, start=min(1, len(cell)))


def variant_value(cell, rng):
    """The type of a Variant value, its count, ids, offsets; or it is nested deeper than it was."""
    way = rng.randrange(6)
    if way == 0:
        return bytes([rng.randrange(256)]) + cell[1:]
    if way == 1:  # arrays of one array each
        for _ in range(rng.choice((2, 40, 120))):
            if len(cell) < 250:
                cell = bytes([0x03, 1, 0, len(cell)]) + cell
        return cell
    if way == 2:
        return cell[:1] + rng.choice(COUNTS).to_bytes(10, "little")[: rng.choice((1, 4))] + cell[2:]
    return some_bytes(cell, rng, start=min(rng.randrange(2), len(cell)))


def of_values(data, page, rng):
    """The values of a page, as their encoding has them."""
    leaf, encoding = page.chunk.leaf, page.encoding if page.is_data else Encoding.PLAIN
    if encoding in DICTIONARY:
        return dictionary_ids(data, rng)
    if encoding in (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY):
        return delta_header(data, rng)
    if encoding == Encoding.RLE:
        return levels(data, rng, prefixed=True)
    if encoding == Encoding.PLAIN and leaf.physical_type == Type.BYTE_ARRAY:
        return plain_values(data, rng, some_bytes)
    return some_bytes(data, rng)
