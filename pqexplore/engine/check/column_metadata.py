"""The ColumnMetaData of a chunk: against the schema, and against the headers of its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.page import DICTIONARY_ENCODINGS
from pqexplore.engine.pages import Walk, page_struct
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

DICTIONARY_OFFSET = "ColumnMetaData.dictionary_page_offset: Byte offset from the beginning of file to first (only) dictionary page"


def findings(chunk: ColumnChunk) -> Iterator[Finding]:
    """What needs no pages."""
    metadata, leaf = chunk.metadata, chunk.leaf
    address = join(chunk.address, "metadata")
    path = tuple(metadata.path_in_schema)
    if path != leaf.path:
        yield Finding(
            "path-disagrees",
            "warning",
            join(address, "meta_data/path_in_schema"),
            f"the chunk's path_in_schema is {'.'.join(path)!r}, the schema has {'.'.join(leaf.path)!r} at this "
            "position; chunks are bound by position",
            {"path_in_schema": path, "schema": leaf.path},
            "ColumnMetaData.path_in_schema: Path in schema",
        )
    if metadata.type != leaf.physical_type:
        yield Finding(
            "type-disagrees",
            "error",
            join(address, "meta_data/type"),
            f"the chunk's type is {structs.enum_name(Type, metadata.type)}, the schema's "
            f"{structs.enum_name(Type, leaf.physical_type)}",
            {"chunk": metadata.type, "schema": leaf.physical_type},
            "ColumnMetaData.type: Type of this column",
        )
    if metadata.codec == CompressionCodec.LZ4:
        yield Finding(
            "lz4-deprecated",
            "note",
            join(address, "meta_data/codec"),
            "pages are compressed with LZ4, which is deprecated; LZ4_RAW replaces it",
            {"codec": metadata.codec},
            "A deprecated codec loosely based on the LZ4 compression algorithm, but with an additional undocumented "
            "framing scheme",
        )
    elif metadata.codec not in tuple(CompressionCodec):
        yield Finding(
            "unsupported",
            "warning",
            join(address, "meta_data/codec"),
            f"codec {metadata.codec} is not one that this version knows",
            {"codec": metadata.codec},
        )


def against_pages(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    """What the metadata says of the pages, against their headers."""
    yield from _sizes(chunk, walk)
    yield from _offsets(chunk, walk)
    yield from _encodings(chunk, walk)
    yield from _encoding_stats(chunk, walk)


def _sizes(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    metadata, address = chunk.metadata, join(chunk.address, "metadata/meta_data")
    if walk.end != chunk.span.end:
        yield Finding(
            "chunk-size-disagrees",
            "warning",
            join(address, "total_compressed_size"),
            f"the pages end at byte {walk.end:,}, by total_compressed_size at byte {chunk.span.end:,}",
            {"pages": walk.end, "total_compressed_size": chunk.span.end},
            "ColumnMetaData.total_compressed_size: total byte size of all compressed, and potentially encrypted, pages "
            "in this column chunk (including the headers)",
        )
    headers = sum(frame.header_end - frame.start for frame in walk.frames)
    bodies = sum(frame.header.uncompressed_page_size for frame in walk.frames)
    said = metadata.total_uncompressed_size
    if said == headers + bodies or chunk.encrypted:
        return
    remark = "; it leaves out the page headers" if said == bodies else ""
    yield Finding(
        "uncompressed-size-disagrees",
        "warning",
        join(address, "total_uncompressed_size"),
        f"total_uncompressed_size is {said:,}, the pages and their headers come to {headers + bodies:,}{remark}",
        {"total_uncompressed_size": said, "bodies": bodies, "headers": headers},
        "ColumnMetaData.total_uncompressed_size: total byte size of all uncompressed pages in this column chunk "
        "(including the headers)",
    )


def _offsets(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    metadata, address = chunk.metadata, join(chunk.address, "metadata/meta_data")
    data = next((frame.start for frame in walk.frames if frame.is_data), None)
    kept = [frame.start for frame in walk.frames if frame.header.type == PageType.DICTIONARY_PAGE]
    said = metadata.dictionary_page_offset
    if kept and not said:
        yield Finding(
            "dictionary-page-offset-absent",
            "note",
            address,
            "the chunk has a dictionary page and no dictionary_page_offset, as old writers leave it: data_page_offset "
            f"{'leads to the dictionary page' if metadata.data_page_offset == kept[0] else 'does not lead to it either'}",
            {"dictionary_pages": kept, "data_page_offset": metadata.data_page_offset},
            DICTIONARY_OFFSET,
        )
        if metadata.data_page_offset == kept[0]:
            return
    if data is not None and metadata.data_page_offset != data:
        yield Finding(
            "data-page-offset",
            "warning",
            join(address, "data_page_offset"),
            f"data_page_offset is byte {metadata.data_page_offset:,}, the first data page begins at byte {data:,}",
            {"data_page_offset": metadata.data_page_offset, "first_data_page": data},
            "ColumnMetaData.data_page_offset: Byte offset from beginning of file to first data page",
        )
    if said and kept != [said]:
        found = f"at byte {kept[0]:,}" if kept else "nowhere"
        yield Finding(
            "dictionary-page-offset",
            "warning",
            join(address, "dictionary_page_offset"),
            f"dictionary_page_offset is byte {said:,}, the dictionary page is {found}",
            {"dictionary_page_offset": said, "dictionary_pages": kept},
            DICTIONARY_OFFSET,
        )


def _used(chunk: ColumnChunk, walk: Walk) -> tuple[set[int], set[int]]:
    """Encodings of values, and of levels that have a width."""
    values: set[int] = set()
    levels: set[int] = set()
    for frame in walk.frames:
        encoding = getattr(page_struct(frame.header), "encoding", None)
        if encoding is not None:
            values.add(encoding)
        if frame.header.type == PageType.DATA_PAGE:
            if chunk.leaf.max_definition_level:
                levels.add(frame.header.data_page_header.definition_level_encoding)
            if chunk.leaf.max_repetition_level:
                levels.add(frame.header.data_page_header.repetition_level_encoding)
    return values, levels


def _encodings(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    """Each encoding in use is listed.

    The two names of dictionary encoding count as one, and PLAIN of the dictionary page as listed with them. Some
    writers list no encodings of levels, which no reader needs.
    """
    listed = set(chunk.metadata.encodings)
    if listed & set(DICTIONARY_ENCODINGS):
        listed |= {*DICTIONARY_ENCODINGS, Encoding.PLAIN}
    values, levels = _used(chunk, walk)
    absent = sorted((values | levels) - listed)
    if absent:
        names = [structs.enum_name(Encoding, one) for one in absent]
        yield Finding(
            "encodings-disagree" if values - listed else "level-encodings-unlisted",
            "warning" if values - listed else "note",
            join(chunk.address, "metadata/meta_data/encodings"),
            f"the {'pages' if values - listed else 'levels'} use {', '.join(names)}, which the chunk's encodings do not "
            "list",
            {"encodings": list(chunk.metadata.encodings), "absent": names},
            "ColumnMetaData.encodings: Set of all encodings used for this column. The purpose is to validate whether we "
            "can decode those pages",
        )


def _encoding_stats(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    told = chunk.metadata.encoding_stats
    if told is None:
        return
    found: Counter[tuple[int, int]] = Counter()
    for frame in walk.frames:
        encoding = getattr(page_struct(frame.header), "encoding", None)
        if encoding is not None:
            found[frame.header.type, encoding] += 1
    said: Counter[tuple[int, int]] = Counter()
    for one in told:
        if not structs.missing(one):
            said[one.page_type, one.encoding] += one.count
    if +said == found:
        return
    versions = _unversioned(said) == _unversioned(found)
    yield Finding(
        "page-versions-confused" if versions else "encoding-stats-disagree",
        "note" if versions else "warning",
        join(chunk.address, "metadata/meta_data/encoding_stats"),
        f"encoding_stats count {_words(said)}; the pages are {_words(found)}",
        {"encoding_stats": _words(said), "pages": _words(found)},
        "ColumnMetaData.encoding_stats: Set of all encodings used for pages in this column chunk. This information can "
        "be used to determine if all data pages are dictionary encoded for example",
    )


def _unversioned(counts: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """Data pages of both versions as one kind: some writers count those of version 2 as data pages."""
    together: Counter[tuple[int, int]] = Counter()
    for (kind, encoding), count in counts.items():
        together[PageType.DATA_PAGE if kind == PageType.DATA_PAGE_V2 else kind, encoding] += count
    return +together


def _words(counts: Counter[tuple[int, int]]) -> str:
    return (
        ", ".join(
            f"{count:,} {structs.enum_name(PageType, kind)} {structs.enum_name(Encoding, encoding)}"
            for (kind, encoding), count in sorted(counts.items())
        )
        or "nothing"
    )
