"""What pages would take if they were written another way: found by writing some of them so, in memory.

A trial is bounded: a few pages of a chunk, and a part of their values. The codec's level is not in the file, so a trial
compresses both ways with the codec's default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift.structs import Encoding, PageType

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

PAGE_BYTES = 8 << 20
"""Bytes of a decompressed page from which it is too large for a trial."""

DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)

# A diagnosis by the footer writes nothing: what writes is imported where it is used.


def spread(chunk: ColumnChunk, most: int) -> list[Page]:
    """At most so many data pages of a chunk, evenly spread; none if it cannot be read."""
    try:
        if chunk.locked or chunk.elsewhere:
            return []
        pages = [page for page in chunk.pages if page.is_data and page.num_values]
    except ParquetError:
        return []
    pages = [page for page in pages if (page.header.uncompressed_page_size or 0) <= PAGE_BYTES]
    count = min(most, len(pages))
    return [pages[(2 * index + 1) * len(pages) // (2 * count)] for index in range(count)]


def compressed(chunk: ColumnChunk, data: bytes | memoryview, level: int | None = None) -> int:
    """The size of bytes with the chunk's codec. Raises ParquetError if it has none to write."""
    from pqexplore.engine.format import codecs

    return len(codecs.compress(int(chunk.metadata.codec), data, level))


def plain(values: pa.Array) -> bytes:
    """Values in PLAIN."""
    return _encode(values, Encoding.PLAIN)


def _encode(values: pa.Array, encoding: int) -> bytes:
    from pqexplore.engine.writer.coder import encode_values
    from pqexplore.engine.writer.options import ColumnOptions

    return encode_values(values, encoding, ColumnOptions())


def encoded(chunk: ColumnChunk, values: pa.Array, encoding: int) -> int:
    """The compressed size of values; a dictionary is one of these values alone. Errors as `compressed`."""
    if encoding not in DICTIONARIES:
        return compressed(chunk, _encode(values, encoding))
    from pqexplore.engine.format.encodings import dictionary

    entries, ids = dictionary.build(values)
    return compressed(chunk, plain(entries)) + compressed(chunk, indexes(ids, len(entries)))


def indexes(ids: object, entries: int) -> bytes:
    """The values section of a page of indexes into a dictionary of so many entries."""
    from pqexplore.engine.format.encodings import dictionary

    return dictionary.encode(ids, max(entries - 1, 0).bit_length())


def data_pages(chunk: ColumnChunk) -> Iterator[Page]:
    """The data pages of a chunk, in order. Raises ParquetError for a damaged header."""
    return (page for page in chunk.pages if page.is_data)


def uncompressed_bytes(page: Page) -> int:
    """The bytes of a page's body before compression."""
    return page.header.uncompressed_page_size or 0


def rewritten(page: Page, values: bytes | memoryview, level: int | None = None) -> int:
    """The compressed size of a page's body if its values section were this one. Errors as `compressed`."""
    levels = b"".join(bytes(page.body.section(name).data) for name in ("repetition_levels", "definition_levels"))
    if page.header.type == PageType.DATA_PAGE_V2:  # its levels are stored as they are
        return len(levels) + compressed(page.chunk, values, level)
    return compressed(page.chunk, levels + bytes(values), level)
