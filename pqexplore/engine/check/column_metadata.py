"""Checks the ColumnMetaData of a chunk against the schema and against the headers of its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.metadata import keys
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS
from pqexplore.engine.file.page_headers import Walk, part_v1
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.engine.rule import Severity

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

DICTIONARY_OFFSET = (
    "ColumnMetaData.dictionary_page_offset: Byte offset from the beginning of file to first (only) dictionary page"
)


def findings(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings that need no pages."""
    metadata, leaf = chunk.metadata, chunk.leaf
    address = Address.of(chunk.address, "metadata")
    path = tuple(metadata.path_in_schema)
    if path != leaf.path and not _reported(chunk, "path_in_schema"):
        yield Finding(
            "path-disagrees",
            Address.of(address, "meta_data/path_in_schema"),
            f"the chunk's path_in_schema is {'.'.join(path)!r}, the schema has {'.'.join(leaf.path)!r} at this "
            "position; chunks belong to columns by position",
            {"path_in_schema": path, "schema": leaf.path},
        )
    stored = leaf.physical_type
    if metadata.type != stored and leaf.defect is None and not _reported(chunk, "type"):
        yield Finding(
            "type-disagrees",
            Address.of(address, "meta_data/type"),
            f"the chunk's type is {structs.enum_name(Type, metadata.type)}, the schema's "
            f"{structs.enum_name(Type, leaf.physical_type)}",
            {"chunk": metadata.type, "schema": leaf.physical_type},
        )
    yield from keys(metadata.key_value_metadata, Address.of(address, "meta_data/key_value_metadata"))
    if metadata.codec == CompressionCodec.LZ4:
        yield Finding(
            "lz4-deprecated",
            Address.of(address, "meta_data/codec"),
            "pages are compressed with LZ4, which is deprecated; LZ4_RAW replaces it",
            {"codec": metadata.codec},
        )
    elif metadata.codec not in tuple(CompressionCodec):
        yield Finding(
            "unsupported",
            Address.of(address, "meta_data/codec"),
            f"codec {metadata.codec} is none of the format's, 0 to {int(max(CompressionCodec))}; the pages cannot be decompressed",
            {"codec": metadata.codec},
            severity=Severity.DAMAGE,
        )


def _reported(chunk: ColumnChunk, name: str) -> bool:
    """Whether the column's chunk in the first row group has the same value, so that the finding about it is enough."""
    if chunk.row_group.index == 0:
        return False
    try:
        first = chunk.file.row_groups[0].columns[chunk.index].metadata
    except ParquetError:
        return False
    return bool(getattr(first, name) == getattr(chunk.metadata, name))


def against_pages(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    """Compares sizes, offsets and encodings in the metadata with the headers of the pages."""
    yield from _sizes(chunk, walk)
    yield from _offsets(chunk, walk)
    yield from _encodings(chunk, walk)
    yield from _encoding_stats(chunk, walk)


def _sizes(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    metadata, address = chunk.metadata, Address.of(chunk.address, "metadata/meta_data")
    if walk.end != chunk.span.end:
        yield Finding(
            "chunk-size-disagrees",
            Address.of(address, "total_compressed_size"),
            f"the pages end at byte {walk.end:,}, by total_compressed_size at byte {chunk.span.end:,}",
            {"pages": walk.end, "total_compressed_size": chunk.span.end},
            severity=Severity.DAMAGE if walk.end > chunk.span.end else Severity.PORTABILITY,
        )
    headers = sum(frame.header_end - frame.start for frame in walk.frames)
    bodies = sum(frame.header.uncompressed_page_size for frame in walk.frames)
    total = metadata.total_uncompressed_size
    if total == headers + bodies or chunk.encrypted:
        return
    remark = "; it leaves out the page headers" if total == bodies else ""
    yield Finding(
        "uncompressed-size-disagrees",
        Address.of(address, "total_uncompressed_size"),
        f"total_uncompressed_size is {total:,}, the pages and their headers have {headers + bodies:,} bytes{remark}",
        {"total_uncompressed_size": total, "bodies": bodies, "headers": headers},
        severity=Severity.DAMAGE if total < 0 else Severity.PORTABILITY,
    )


def _offsets(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    metadata, address = chunk.metadata, Address.of(chunk.address, "metadata/meta_data")
    data = next((frame.start for frame in walk.frames if frame.is_data), None)
    dictionaries = [frame.start for frame in walk.frames if frame.header.type == PageType.DICTIONARY_PAGE]
    offset = metadata.dictionary_page_offset
    if dictionaries and not offset:
        yield Finding(
            "dictionary-page-offset-absent",
            address,
            "the chunk has a dictionary page and no dictionary_page_offset, as old writers do: data_page_offset "
            f"{'points to the dictionary page' if metadata.data_page_offset == dictionaries[0] else 'does not point to it either'}",
            {"dictionary_pages": dictionaries, "data_page_offset": metadata.data_page_offset},
        )
        if metadata.data_page_offset == dictionaries[0]:
            return
    if data is not None and metadata.data_page_offset != data:
        yield Finding(
            "data-page-offset",
            Address.of(address, "data_page_offset"),
            f"data_page_offset is byte {metadata.data_page_offset:,}, the first data page begins at byte {data:,}",
            {"data_page_offset": metadata.data_page_offset, "first_data_page": data},
        )
    if offset and dictionaries != [offset]:
        actual = (
            f"the dictionary page is at byte {dictionaries[0]:,}" if dictionaries else "there is no dictionary page"
        )
        yield Finding(
            "dictionary-page-offset",
            Address.of(address, "dictionary_page_offset"),
            f"dictionary_page_offset is byte {offset:,}, {actual}",
            {"dictionary_page_offset": offset, "dictionary_pages": dictionaries},
        )


def _used(chunk: ColumnChunk, walk: Walk) -> tuple[set[int], set[int]]:
    """The encodings of the values, and of the levels of a column that has levels."""
    values: set[int] = set()
    levels: set[int] = set()
    for frame in walk.frames:
        encoding = frame.encoding
        if encoding is not None:
            values.add(encoding)
        if frame.header.type == PageType.DATA_PAGE:
            if chunk.leaf.max_definition_level:
                levels.add(part_v1(frame.header).definition_level_encoding)
            if chunk.leaf.max_repetition_level:
                levels.add(part_v1(frame.header).repetition_level_encoding)
    return values, levels


def unlisted(encodings: Iterable[int], used: Set[int]) -> list[int]:
    """The encodings in use that a chunk's `encodings` do not list."""
    listed = set(encodings)
    if listed & set(DICTIONARY_ENCODINGS):
        listed |= {*DICTIONARY_ENCODINGS, Encoding.PLAIN}
    return sorted(used - listed)


def _encodings(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    """Every encoding in use must be listed.

    The two names of dictionary encoding count as one, and listing either also lists PLAIN, for the dictionary page.
    Some writers do not list the encodings of levels, which no reader needs.
    """
    listed = chunk.metadata.encodings
    values, levels = _used(chunk, walk)
    absent = unlisted(listed, values | levels)
    if absent:
        names = [structs.enum_name(Encoding, one) for one in absent]
        of_values = bool(unlisted(listed, values))
        yield Finding(
            "encodings-disagree" if of_values else "level-encodings-unlisted",
            Address.of(chunk.address, "metadata/meta_data/encodings"),
            f"the {'pages' if of_values else 'levels'} use {', '.join(names)}, which the chunk's encodings do not list",
            {"encodings": list(chunk.metadata.encodings), "absent": names},
            "ColumnMetaData.encodings: Set of all encodings used for this column. The purpose is to validate whether we "
            "can decode those pages",
        )


def _encoding_stats(chunk: ColumnChunk, walk: Walk) -> Iterator[Finding]:
    stats = chunk.metadata.encoding_stats
    if stats is None:
        return
    actual: Counter[tuple[int, int]] = Counter()
    for frame in walk.frames:
        encoding = frame.encoding
        if encoding is not None:
            actual[frame.header.type, encoding] += 1
    stated: Counter[tuple[int, int]] = Counter()
    for one in stats:
        if not structs.missing(one):
            stated[one.page_type, one.encoding] += one.count
    if +stated == actual:
        return
    versions = _unversioned(stated) == _unversioned(actual)
    hidden = _all_dictionary(+stated) and not _all_dictionary(actual)
    remark = "; by these, all data pages are dictionary encoded" if hidden else ""
    yield Finding(
        "page-versions-confused" if versions else "encoding-stats-disagree",
        Address.of(chunk.address, "metadata/meta_data/encoding_stats"),
        f"encoding_stats count {_words(stated)}; the pages are {_words(actual)}{remark}",
        {"encoding_stats": _words(stated), "pages": _words(actual)},
        "ColumnMetaData.encoding_stats: Set of all encodings used for pages in this column chunk. This information can "
        "be used to determine if all data pages are dictionary encoded for example",
        severity=Severity.NOTE if versions else Severity.DAMAGE if hidden else Severity.PORTABILITY,
    )


def _all_dictionary(counts: Counter[tuple[int, int]]) -> bool:
    """Whether there are data pages, and all of them are dictionary encoded."""
    data = {encoding for kind, encoding in counts if kind != PageType.DICTIONARY_PAGE}
    return bool(data) and data <= set(DICTIONARY_ENCODINGS)


def _unversioned(counts: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """The counts with both versions of data pages as one type: some writers count V2 pages as DATA_PAGE."""
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
