"""A few entries of a dictionary page, for a view that shows a few values.

A dictionary can have a million entries; to decompress it and to make an array of them all takes a hundred times as long
as the few values that are shown. Writers append entries in the order in which they first occur, so those of the first rows
need only the beginning of the page. Further on, all is decompressed, but only the entries asked for are made into values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import byte_array_scan, plain
from pqexplore.engine.format.encodings.byte_array_scan import LENGTH_BYTES
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Int64s
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.source import Cache, Scratch
    from pqexplore.engine.format.encodings.bits import UnsignedArray


STREAMED: dict[int, str] = {
    CompressionCodec.GZIP: "gzip",
    CompressionCodec.BROTLI: "brotli",
    CompressionCodec.ZSTD: "zstd",
}
"""Codecs whose data Arrow decompresses piece by piece, and Arrow's name of each."""

MAX_VARINT = 5
"""Bytes of the longest length at the start of a Snappy block: a number of 32 bits."""


def beginning(codec: int, data: memoryview, size: int, count: int) -> bytes | None:
    """The first `count` of the `size` bytes that a page decompresses to; None if they cannot be had so.

    `data` may lack its end. LZ4 and LZO are not read piece by piece: None.
    """
    if not 0 < count <= size:
        return None
    if codec == CompressionCodec.UNCOMPRESSED:
        found = bytes(data[:count])
    elif codec == CompressionCodec.SNAPPY:
        found = _snappy(data, size, count) or b""
    elif codec in STREAMED:
        found = _streamed(STREAMED[codec], data, count)
    else:
        return None
    return found if len(found) == count else None


def _streamed(name: str, data: memoryview, count: int) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), name) as stream:
            return bytes(stream.read(count))
    except (OSError, pa.ArrowException):
        return b""


def _snappy(data: memoryview, size: int, count: int) -> bytes | None:
    """By the elements of the block: literals, and copies of what was written before.

    Source: https://github.com/google/snappy/blob/main/format_description.txt
    """
    own = at = 0
    out = bytearray()
    try:
        while True:
            own |= (data[at] & 127) << 7 * at
            at += 1
            if data[at - 1] < 128:
                break
            if at == MAX_VARINT:
                return None
        if own != size:
            return None
        while len(out) < count:
            tag = data[at]
            at += 1
            if not tag & 3:
                length = (tag >> 2) + 1
                if length > 60:
                    extra = length - 60
                    length = 1 + int.from_bytes(data[at : at + extra], "little")
                    at += extra
                out += data[at : at + min(length, count - len(out))]
                at += length
                if at > len(data) and len(out) < count:
                    return None
                continue
            if tag & 3 == 1:
                length, offset = 4 + (tag >> 2 & 7), (tag >> 5) << 8 | data[at]
                at += 1
            else:
                length, extra = (tag >> 2) + 1, 2 if tag & 3 == 2 else 4
                offset = int.from_bytes(data[at : at + extra], "little")
                at += extra
            if not 0 < offset <= len(out) or at > len(data):
                return None
            copied = out[len(out) - offset :][:length]
            out += (copied * (length // offset + 1))[:length]  # a copy may repeat its own bytes
    except IndexError:
        return None
    return bytes(out[:count])


FEW = 16
"""One entry of so many is few; if more are asked for, the whole dictionary is decoded."""

BEGINNINGS = (4 << 10, 64 << 10)
"""Bytes of the beginning of a page, decompressed, that are tried before the whole."""

MORE_STORED = 1 << 10
"""Bytes as stored that are read beyond those, and a sixth of them: codecs seldom make data longer than that."""

MOST_BYTES = 64 << 20
"""Bytes of the entries that are picked one by one."""


def some_entries(page: Page, ids: UnsignedArray, cache: Cache | Scratch) -> pa.Array | None:
    """The entries `ids` of a dictionary page, as a physical array; None if the whole dictionary should be decoded.

    That is so if many are asked for, if it has been decoded before, and if anything is unusual.
    """
    width = _width(page)
    if not width or not 0 < ids.size * FEW <= page.num_values:
        return None
    if page.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        return None
    if cache.peek((page.address, "physical")) is not None:
        return None
    last = int(ids.max())
    if last >= page.num_values:
        return None
    found = _near_the_beginning(page, ids, (last + 1) * width, cache)
    if found is None and page.chunk.leaf.physical_type == Type.BYTE_ARRAY:
        found = _anywhere(page, ids, cache)
    return found


def _width(page: Page) -> int:
    """Bytes that an entry takes at least; 0 for a type whose entries are not picked."""
    leaf = page.chunk.leaf
    if leaf.physical_type == Type.BYTE_ARRAY:
        return LENGTH_BYTES
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return max(0, leaf.type_length or 0)
    return plain.WIDTHS.get(leaf.physical_type, 0)


def _near_the_beginning(page: Page, ids: UnsignedArray, least: int, cache: Cache | Scratch) -> pa.Array | None:
    """None if an entry lies further on; `least` are the bytes that the entries up to the last one take at least."""
    whole = page.header.uncompressed_page_size
    if page.chunk.encrypted or cache.peek((page.address, "body")) is not None:
        return None  # an encrypted page is decrypted whole
    for size in BEGINNINGS:
        if least <= size < whole:
            data = _beginning(page, size, cache)
            found = None if data is None else _picked_from(page, data, ids)
            if data is None or found is not None:
                return found
    return None


def _beginning(page: Page, size: int, cache: Cache | Scratch) -> bytes | None:
    """The first `size` bytes of a page; None if they cannot be had without the others."""

    def make() -> bytes:
        whole, codec = page.header.uncompressed_page_size, page.chunk.metadata.codec
        stored = page.stored_beginning(size + size // 6 + MORE_STORED)
        page.chunk.file.budget.charge(size, address=page.address, offset=page.frame.start)
        return beginning(codec, stored, whole, size) or b""

    return cache.get((page.address, "beginning", size), make, len) or None


def _picked_from(page: Page, data: bytes, ids: UnsignedArray) -> pa.Array | None:
    """Entries that lie in the first bytes of a page; None if one does not."""
    leaf, count, width = page.chunk.leaf, int(ids.max()) + 1, _width(page)
    if leaf.physical_type == Type.BYTE_ARRAY:
        try:
            places = byte_array_scan.find_values(data, count)[0]
        except CorruptFileError:
            return None
        return _picked(page, memoryview(data), places, ids)
    if count * width > len(data):
        return None
    rows = np.frombuffer(data, np.uint8, count * width).reshape(count, width)[ids]
    return plain.fixed_width_array(rows.tobytes(), ids.size, leaf.physical_type, leaf.type_length)


def _anywhere(page: Page, ids: UnsignedArray, cache: Cache | Scratch) -> pa.Array | None:
    """Byte arrays by the places of all; None if the places cannot be found."""
    data = page.body.section("values").data

    def make() -> Int64s:
        page.chunk.file.budget.charge(8 * page.num_values, address=page.address, offset=page.frame.start)
        return byte_array_scan.find_values(data, page.num_values)[0]

    try:
        places = cache.get((page.address, "places"), make, lambda found: found.nbytes)
    except CorruptFileError:
        return None
    return _picked(page, data, places, ids)


def _picked(page: Page, data: memoryview, places: Int64s, ids: UnsignedArray) -> pa.Array | None:
    """The byte arrays with the numbers `ids`, whose lengths are at `places`; None if they are too long for this."""
    most, entries, size = min(MOST_BYTES, page.chunk.file.limits.read_bytes), list[memoryview](), 0
    for at in places[ids].tolist():
        start = at + LENGTH_BYTES
        length = int.from_bytes(data[at:start], "little")
        size += length
        if size > most:
            return None
        entries.append(data[start : start + length])
    offsets = np.zeros(len(entries) + 1, np.int32)
    np.cumsum([len(one) for one in entries], out=offsets[1:])
    # `pa.array` imports pandas, and `take` all functions of Arrow
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(entries))]
    return pa.Array.from_buffers(pa.binary(), len(entries), buffers)
