"""Column chunks in the usual form, whose pages are walked through without handles.

A handle for each chunk, page and body takes ten times as long as to read a small page. Of small chunks, a file can have a
hundred thousand: what is asked of all of them at once goes through the bytes of those in the usual form itself. In it are
most chunks of flat columns: in this file, not encrypted, without a page index, their bytes where the footer says.

Nothing here says what is wrong: a chunk in any unusual form, right or wrong, is left to the handles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, PageType

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

MAX_DECOMPRESSED = 8 << 20
"""Bytes of a chunk's pages when they are decompressed: of larger ones, the values take the time."""
MAX_VALUES = 1 << 20
"""Values of a chunk, nulls included."""

KNOWN_CODECS = frozenset(
    {
        *(CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY, CompressionCodec.GZIP),
        *(CompressionCodec.BROTLI, CompressionCodec.ZSTD, CompressionCodec.LZ4_RAW),
    }
)

Frame = tuple[structs.PageHeader, int, int]
"""A page's header, and where its body begins and ends."""

_PARTS: dict[int, int] = {PageType.DATA_PAGE: 0, PageType.DATA_PAGE_V2: 1, PageType.DICTIONARY_PAGE: 2}


def usual_start(struct: structs.ColumnChunk, leaf: Leaf, rows: int, data_end: int) -> int | None:
    """Where the pages of a chunk of a row group of so many `rows` begin; None if it is not in the usual form.

    Its bytes end before `data_end`.
    """
    metadata = struct.meta_data
    if metadata is None or struct.file_path or struct.crypto_metadata or struct.encrypted_column_metadata:
        return None
    indexes = (
        *(struct.column_index_offset, struct.column_index_length),
        *(struct.offset_index_offset, struct.offset_index_length),
    )
    if any(one is not None for one in indexes) or structs.missing(metadata):
        return None
    size, start = metadata.total_compressed_size, metadata.data_page_offset
    dictionary = metadata.dictionary_page_offset
    if dictionary is not None:
        if not 0 < dictionary < start:
            return None
        start = dictionary
    usual = (
        tuple(metadata.path_in_schema) == leaf.path
        and metadata.type == leaf.physical_type
        and metadata.codec in KNOWN_CODECS
        and not leaf.max_repetition_level
        and 0 < metadata.num_values == rows <= MAX_VALUES
        and size > 0
        and 0 < metadata.total_uncompressed_size <= MAX_DECOMPRESSED
        and start >= 4
        and start + size <= data_end
    )
    return start if usual else None


def frames(data: memoryview, most_values: int) -> Iterator[Frame]:
    """The pages of a chunk's bytes; stops before a header that is damaged, unusual, or of a page that does not fit."""
    at = 0
    while at < len(data):
        header, start = fast.decode(structs.PageHeader, data, at)
        size, uncompressed = header.compressed_page_size, header.uncompressed_page_size
        parts = (header.data_page_header, header.data_page_header_v2, header.dictionary_page_header)
        part = parts[_PARTS.get(header.type, 0)]
        alone = sum(one is not None for one in parts) == 1 and header.index_page_header is None
        if part is None or not alone or size is None or uncompressed is None or structs.missing(part):
            return
        if not 0 <= size <= len(data) - start or not 0 <= uncompressed <= MAX_DECOMPRESSED:
            return
        if header.type not in _PARTS or not 0 <= part.num_values <= min(most_values, MAX_VALUES):
            return
        at = start + size
        yield header, start, at
