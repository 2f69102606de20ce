"""Builds files by hand, part by part, right or wrong.

`element`, `page_v1`, `page_v2`, `dictionary_page`, `chunk`, `row_group` and `file` compute the fields of their structs.
Any field can be overridden by name: with a value, with None to leave it out, or with a function of the right value
(`num_values=lambda right: right + 1`). So a test breaks one rule of the specification, and all else stays right. Call
`file` last: it computes the offsets and applies the overrides.

    leaf = element("a", Type.INT32)
    page = page_v1(plain.encode(pa.array([1, 2, 3], pa.int32())), 3)
    data = file([element("schema", num_children=1), leaf], [row_group([chunk("a", Type.INT32, [page])], 3)])
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.format import bloom
from pqexplore.engine.format.converted import converted_type
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.declaration import S
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.writer.page_builder import (
    BARE,
    Packing,
    Page,
    dictionary_page,
    levels_v1,
    levels_v2,
    other_page,
    override,
    page_v1,
    page_v2,
)

__all__ = ["BARE", "Chunk", "Group", "Packing", "Page", "chunk", "dictionary_page", "element"]
__all__ += ["file", "levels_v1", "levels_v2", "other_page", "override", "page_v1", "page_v2"]
__all__ += ["row_group"]

MAGIC = b"PAR1"


def element(
    name: str | None, type: int | None = None, repetition_type: int | None = 0, **fields: Any
) -> structs.SchemaElement:
    """A SchemaElement: a leaf with a type, a group with `num_children`. A logical type brings its converted type."""
    struct = structs.SchemaElement(repetition_type=repetition_type)
    override(struct, "name", name)
    struct.type = None if type is None else int(type)
    logical: structs.LogicalType | None = fields.get("logicalType")
    struct.converted_type = converted_type(logical)
    if logical is not None and logical.DECIMAL is not None:
        struct.scale, struct.precision = logical.DECIMAL.scale, logical.DECIMAL.precision
    return _overridden(struct, fields)


@dataclasses.dataclass(frozen=True, slots=True)
class Chunk:
    """A column chunk without an offset; `chunk` makes it."""

    pages: list[Page | bytes]
    metadata: structs.ColumnMetaData
    metadata_fields: dict[str, Any]
    fields: dict[str, Any]
    column_index: structs.ColumnIndex | bytes | None
    offset_index: structs.OffsetIndex | bytes | None
    own_offset_index: bool
    bloom_filter: bytes | None
    bloom_filter_fields: dict[str, Any]
    after: bytes


def chunk(
    path: str | Sequence[str],
    type: int,
    pages: Sequence[Page | bytes],
    /,
    *,
    codec: int = CompressionCodec.UNCOMPRESSED,
    metadata: dict[str, Any] | None = None,
    column_index: structs.ColumnIndex | bytes | None = None,
    offset_index: structs.OffsetIndex | bytes | bool | None = None,
    bloom_filter: bytes | None = None,
    bloom_filter_header: dict[str, Any] | None = None,
    after: bytes = b"",
    **fields: Any,
) -> Chunk:
    """A column chunk of pages, which may be bytes of any kind.

    `metadata` overrides fields of the ColumnMetaData, `fields` of the ColumnChunk. `offset_index=True` computes the
    right one. `bloom_filter` is the bitset, `bloom_filter_header` overrides fields of its header. `after` are bytes
    without an owner that follow the pages.
    """
    known = [page for page in pages if isinstance(page, Page)]
    counted: dict[tuple[int, int], int] = {}
    for page in known:
        encoding = _encoding(page)
        if encoding is not None:
            kind = (int(page.header.type), encoding)
            counted[kind] = counted.get(kind, 0) + 1
    info = structs.ColumnMetaData(
        type=int(type),
        encodings=list(dict.fromkeys([*(encoding for _, encoding in counted), int(Encoding.RLE)])),
        path_in_schema=path.split(".") if isinstance(path, str) else list(path),
        codec=int(codec),
        num_values=sum(_num_values(page) for page in known if page.is_data),
        encoding_stats=[
            structs.PageEncodingStats(page_type=kind, encoding=encoding, count=count)
            for (kind, encoding), count in counted.items()
        ],
    )
    return Chunk(
        list(pages),
        info,
        dict(metadata or {}),
        fields,
        column_index,
        None if isinstance(offset_index, bool) else offset_index,
        offset_index is True,
        bloom_filter,
        dict(bloom_filter_header or {}),
        after,
    )


def _part(page: Page) -> structs.Struct | None:
    header = page.header
    return header.data_page_header or header.data_page_header_v2 or header.dictionary_page_header


def _encoding(page: Page) -> int | None:
    encoding = getattr(_part(page), "encoding", None)
    return None if encoding is None else int(encoding)


def _num_values(page: Page) -> int:
    return getattr(_part(page), "num_values", None) or 0


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """A row group without an offset; `row_group` makes it."""

    chunks: list[Chunk]
    num_rows: int
    fields: dict[str, Any]


def row_group(chunks: Sequence[Chunk], num_rows: int, /, **fields: Any) -> Group:
    """A row group; `fields` override fields of the RowGroup."""
    return Group(list(chunks), num_rows, fields)


def file(
    schema: Sequence[structs.SchemaElement],
    row_groups: Sequence[Group],
    /,
    *,
    magic: bytes = MAGIC,
    end_magic: bytes = MAGIC,
    footer: bytes | None = None,
    footer_length: int | None = None,
    before_footer: bytes = b"",
    **fields: Any,
) -> bytes:
    """The bytes of a file; `fields` override fields of the FileMetaData.

    Bloom filters and indexes follow the row groups. `footer` replaces the bytes of the FileMetaData, `footer_length`
    their number; `before_footer` are bytes without an owner.
    """
    out = bytearray(magic)
    laid_out = [[_lay_out(out, each) for each in group.chunks] for group in row_groups]
    chunks_laid = [laid for chunks in laid_out for laid in chunks]
    for laid in chunks_laid:
        _put_bloom_filter(out, laid)
    for which in ("column_index", "offset_index"):
        for laid in chunks_laid:
            _put_index(out, laid, which)
    out += before_footer
    groups = []
    for ordinal, (group, laid_chunks) in enumerate(zip(row_groups, laid_out, strict=True)):
        columns = [laid.finish() for laid in laid_chunks]
        struct = structs.RowGroup(
            columns=columns,
            total_byte_size=sum(laid.metadata.total_uncompressed_size or 0 for laid in laid_chunks),
            num_rows=group.num_rows,
            file_offset=laid_chunks[0].start if laid_chunks else None,
            total_compressed_size=sum(laid.metadata.total_compressed_size or 0 for laid in laid_chunks),
            ordinal=ordinal,
        )
        groups.append(_overridden(struct, group.fields))
    metadata = structs.FileMetaData(
        version=2,
        schema=list(schema),
        num_rows=sum(group.num_rows for group in row_groups),
        row_groups=groups,
        created_by="p version assembly",
    )
    stored = encode(_overridden(metadata, fields)) if footer is None else footer
    length = len(stored) if footer_length is None else footer_length
    return bytes(out) + stored + length.to_bytes(4, "little") + end_magic


@dataclasses.dataclass(slots=True)
class _LaidOut:
    """A chunk with its offset; its structs are complete, without the overrides."""

    chunk: Chunk
    start: int
    metadata: structs.ColumnMetaData
    struct: structs.ColumnChunk
    locations: list[structs.PageLocation]

    def finish(self) -> structs.ColumnChunk:
        """The ColumnChunk, with all overrides."""
        self.metadata = _overridden(self.metadata, self.chunk.metadata_fields)
        self.struct.meta_data = self.metadata
        return _overridden(self.struct, self.chunk.fields)


def _lay_out(out: bytearray, chunk: Chunk) -> _LaidOut:
    start = len(out)
    metadata = copy.copy(chunk.metadata)
    uncompressed = 0
    row = 0
    locations: list[structs.PageLocation] = []
    for page in chunk.pages:
        position = len(out)
        stored = page if isinstance(page, bytes) else page.stored
        out += stored
        if not isinstance(page, Page):
            uncompressed += len(stored)
            continue
        uncompressed += len(stored) - len(page.body) + page.uncompressed
        if page.header.type == PageType.DICTIONARY_PAGE and metadata.dictionary_page_offset is None:
            metadata.dictionary_page_offset = position
        elif page.is_data:
            if "data_page_offset" in structs.missing(metadata):
                metadata.data_page_offset = position
            locations.append(
                structs.PageLocation(offset=position, compressed_page_size=len(stored), first_row_index=row)
            )
            row += getattr(_part(page), "num_rows", None) or _num_values(page)
    if "data_page_offset" in structs.missing(metadata):
        metadata.data_page_offset = start
    metadata.total_compressed_size = len(out) - start
    metadata.total_uncompressed_size = uncompressed
    out += chunk.after
    return _LaidOut(chunk, start, metadata, structs.ColumnChunk(file_offset=0), locations)


def _put_bloom_filter(out: bytearray, laid: _LaidOut) -> None:
    bitset = laid.chunk.bloom_filter
    if bitset is not None:
        laid.metadata.bloom_filter_offset = len(out)
        header = _overridden(bloom.new_header(len(bitset)), laid.chunk.bloom_filter_fields)
        out += encode(header) + bitset
        laid.metadata.bloom_filter_length = len(out) - laid.metadata.bloom_filter_offset


def _put_index(out: bytearray, laid: _LaidOut, which: str) -> None:
    index = getattr(laid.chunk, which)
    if which == "offset_index" and laid.chunk.own_offset_index:
        index = structs.OffsetIndex(page_locations=laid.locations)
    if index is not None:
        stored = index if isinstance(index, bytes) else encode(index)
        setattr(laid.struct, f"{which}_offset", len(out))
        setattr(laid.struct, f"{which}_length", len(stored))
        out += stored


def _overridden(struct: S, fields: dict[str, Any]) -> S:
    for name, value in fields.items():
        override(struct, name, value)
    return struct
