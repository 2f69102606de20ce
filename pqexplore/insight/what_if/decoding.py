"""How long a chunk takes to decode, in an encoding and under a codec: the chunk is put into a file in memory, and read."""

from __future__ import annotations

import copy
import dataclasses
import time
from typing import TYPE_CHECKING

from pqexplore.engine.file.chunk_reader import decode_chunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.writer import footer
from pqexplore.engine.writer.file import MAGIC
from pqexplore.engine.writer.page import Packing, recompressed

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.engine.writer.column import EncodedChunk


def seconds(encoded: EncodedChunk, codec: int, level: int | None) -> float:
    """Seconds to read a chunk that is encoded and not compressed, after it is compressed. Raises ParquetError."""
    packing = Packing(codec, level)
    pages = []
    for each in encoded.pages:
        page = recompressed(each.page, packing)
        pages.append(dataclasses.replace(each, page=page, header=encode(page.header)))
    options = dataclasses.replace(encoded.options, codec=codec, codec_level=level)
    packed = dataclasses.replace(encoded, pages=pages, options=options)
    data = b"".join([MAGIC, *packed.stored, *_end(packed)])
    source = Source("memory", len(data), lambda start, length: data[start : start + length], local=True)  # fmt: skip
    chunk = ParquetFile(source).row_groups[0].columns[0]
    begun = time.perf_counter()
    decode_chunk(chunk)
    return time.perf_counter() - begun


def _end(chunk: EncodedChunk) -> tuple[bytes, bytes, bytes]:
    """The footer of a file that has this chunk only, its length, and the magic."""
    column = structs.ColumnChunk(file_offset=0, meta_data=footer.column_metadata(chunk, len(MAGIC)))
    group = structs.RowGroup(columns=[column], total_byte_size=chunk.uncompressed_size, num_rows=chunk.num_rows)  # fmt: skip
    metadata = structs.FileMetaData(version=2, schema=_path(chunk.leaf), num_rows=chunk.num_rows, row_groups=[group])
    data = encode(metadata)
    return data, len(data).to_bytes(4, "little"), MAGIC


def _path(leaf: Leaf) -> list[structs.SchemaElement]:
    """The schema of the leaf alone: each group on its path has one field."""
    found = [leaf.element]
    group: Field | None = leaf.parent
    while group is not None:
        element = copy.copy(group.element)
        element.num_children = 1
        element.logicalType = element.converted_type = None
        found.append(element)
        group = group.parent
    return found[::-1]
