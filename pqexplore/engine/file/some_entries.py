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
from pqexplore.engine.format.beginnings import beginning
from pqexplore.engine.format.encodings import byte_array_scan, dictionary, plain
from pqexplore.engine.format.encodings.byte_array_scan import LENGTH_BYTES
from pqexplore.engine.format.thrift.structs import Encoding, Type

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Int64s
    from pqexplore.engine.file.cache import Cache, Scratch
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.encodings.bits import UnsignedArray

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
    wanted, order = np.unique(ids, return_inverse=True)
    count = int(wanted[-1]) + 1
    if count > page.num_values:
        return None
    found = _near_the_beginning(page, wanted, count * width, cache)
    if found is None and page.chunk.leaf.physical_type == Type.BYTE_ARRAY:
        found = _anywhere(page, wanted, cache)
    if found is None:
        return None
    return dictionary.take(found, order.astype(np.uint32), limits=page.chunk.file.limits)


def _width(page: Page) -> int:
    """Bytes that an entry takes at least; 0 for a type whose entries are not picked."""
    leaf = page.chunk.leaf
    if leaf.physical_type == Type.BYTE_ARRAY:
        return LENGTH_BYTES
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return max(0, leaf.type_length or 0)
    return plain.WIDTHS.get(leaf.physical_type, 0)


def _near_the_beginning(
    page: Page, wanted: UnsignedArray, least: int, cache: Cache | Scratch
) -> pa.Array | None:
    """None if an entry lies further on; `least` are the bytes that the entries up to the last one take at least."""
    whole = page.header.uncompressed_page_size
    if page.chunk.encrypted or cache.peek((page.address, "body")) is not None:
        return None  # an encrypted page is decrypted whole
    for size in BEGINNINGS:
        if least <= size < whole:
            data = _beginning(page, size, cache)
            found = None if data is None else _picked_from(page, data, wanted)
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


def _picked_from(page: Page, data: bytes, wanted: UnsignedArray) -> pa.Array | None:
    """Entries that lie in the first bytes of a page; None if one does not."""
    leaf, count = page.chunk.leaf, int(wanted[-1]) + 1
    try:
        if leaf.physical_type == Type.BYTE_ARRAY:
            return _picked(memoryview(data), byte_array_scan.find_values(data, count)[0], wanted)
        entries = plain.decode(data, count, leaf.physical_type, leaf.type_length)
    except CorruptFileError:
        return None
    return dictionary.take(entries, wanted)


def _anywhere(page: Page, wanted: UnsignedArray, cache: Cache | Scratch) -> pa.Array | None:
    """Byte arrays by the places of all; None if the places cannot be found."""
    data = page.body.section("values").data

    def make() -> Int64s:
        page.chunk.file.budget.charge(
            8 * page.num_values, address=page.address, offset=page.frame.start
        )
        return byte_array_scan.find_values(data, page.num_values)[0]

    try:
        places = cache.get((page.address, "places"), make, lambda found: found.nbytes)
    except CorruptFileError:
        return None
    return _picked(data, places, wanted)


def _picked(data: memoryview, places: Int64s, wanted: UnsignedArray) -> pa.Array | None:
    """The byte arrays with the numbers `wanted`, whose lengths are at `places`; None if they are too long for this."""
    entries, size = list[memoryview](), 0
    for at in places[wanted].tolist():
        length = int.from_bytes(data[at : at + LENGTH_BYTES], "little")
        size += length
        if size > MOST_BYTES:
            return None
        entries.append(data[at + LENGTH_BYTES : at + LENGTH_BYTES + length])
    return pa.array(entries, pa.binary())
