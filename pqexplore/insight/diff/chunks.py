"""What a footer says of each column chunk, in the words in which two files are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift.structs import (
    CompressionCodec,
    Encoding,
    PageType,
    Type,
    enum_name,
)
from pqexplore.insight.diff.difference import Subject
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.thrift import structs

NONE = "none"
"""The text of what a chunk does not have."""

_LEVELS = frozenset((Encoding.RLE, Encoding.BIT_PACKED))
_DICTIONARY = frozenset((Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY))
_DATA = frozenset((PageType.DATA_PAGE, PageType.DATA_PAGE_V2))


@dataclasses.dataclass(slots=True)
class Chunk:
    """A column chunk: what it has of each aspect, as text, and its figures.

    `low` and `high` are raw bounds. `compressed` and `uncompressed` are bytes of its pages, `bloom` and `index` those of
    its Bloom filter and page index.
    """

    texts: dict[str, str]
    values: int
    compressed: int
    uncompressed: int
    nulls: int | None
    low: bytes | None
    high: bytes | None
    exact: tuple[bool | None, bool | None]
    bloom: int
    index: int


@dataclasses.dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that a chunk has: its name, what a difference in it is about, and how a sentence calls it.

    `sized` says that it decides how many bytes the pages take.
    """

    name: str
    subject: Subject
    noun: str
    sized: bool = False


ASPECTS = (
    Aspect("encryption", Subject.ENCRYPTION, "encryption"),
    Aspect("codec", Subject.LAYOUT, "codec", sized=True),
    Aspect("encoding", Subject.LAYOUT, "encoding", sized=True),
    Aspect("pages", Subject.LAYOUT, "number of data pages", sized=True),
    Aspect("page-version", Subject.LAYOUT, "version of the data pages", sized=True),
    Aspect("checksums", Subject.LAYOUT, "page checksums"),
    Aspect("statistics", Subject.STATISTICS, "statistics"),
    Aspect("page-index", Subject.STATISTICS, "page index"),
    Aspect("bloom-filter", Subject.STATISTICS, "Bloom filter"),
    Aspect("size-statistics", Subject.STATISTICS, "size statistics"),
    Aspect("geospatial-statistics", Subject.STATISTICS, "geospatial statistics"),
    Aspect("chunk-key-values", Subject.FILE, "key-value metadata"),
    Aspect("file-path", Subject.FILE, "file of the pages"),
)


def column(file: ParquetFile, leaf: int, both: bool) -> list[Chunk | None]:
    """The chunks of a leaf by row group; None for one whose metadata cannot be read.

    `both` says that the two files have encoding_stats, so that pages can be compared.
    """
    made: list[Chunk | None] = []
    for group in file.row_groups:
        try:
            chunk = group.columns[leaf]
            made.append(_chunk(chunk, chunk.metadata, both))
        except ParquetError:
            made.append(None)
    return made


def add_pages(file: ParquetFile, leaf: int, chunks: Sequence[Chunk | None]) -> None:
    """Reads the page headers of a column, and adds what they say of its pages."""
    for group, chunk in zip(file.row_groups, chunks, strict=True):
        if chunk is None:
            continue
        try:
            headers = [page.header for page in group.columns[leaf].pages]
        except ParquetError:
            continue
        found = {one.crc is not None for one in headers}
        data = [one for one in headers if one.type in _DATA]
        if sum(_values(one) for one in data) != chunk.values:
            continue  # pages are missing, or damaged
        versions = {"2" if one.type == PageType.DATA_PAGE_V2 else "1" for one in data}
        chunk.texts["pages"] = f"{len(data):,}"
        chunk.texts["page-version"] = " and ".join(sorted(versions))
        chunk.texts["checksums"] = "on some pages" if len(found) > 1 else "on all pages" if True in found else NONE  # fmt: skip


def _values(header: structs.PageHeader) -> int:
    of = header.data_page_header or header.data_page_header_v2
    return 0 if of is None else of.num_values


def has_encoding_stats(file: ParquetFile) -> bool:
    """Whether the first chunk that can be read counts its pages by encoding."""
    for group in file.row_groups:
        for chunk in group.columns:
            try:
                return bool(chunk.metadata.encoding_stats)
            except ParquetError:
                continue
    return False


def _chunk(chunk: ColumnChunk, metadata: structs.ColumnMetaData, both: bool) -> Chunk:
    struct, statistics = chunk.struct, metadata.statistics
    low = high = nulls = None
    exact: tuple[bool | None, bool | None] = (None, None)
    if statistics is not None:
        low, high, nulls = statistics.min_value, statistics.max_value, statistics.null_count
        exact = statistics.is_min_value_exact, statistics.is_max_value_exact
    texts = {
        "encryption": _encryption(struct),
        "codec": enum_name(CompressionCodec, metadata.codec),
        "encoding": _encodings(metadata, both),
        "statistics": _statistics(statistics),
        "page-index": _page_index(struct),
        "bloom-filter": _bloom(metadata),
        "size-statistics": NONE if metadata.size_statistics is None else "some",
        "geospatial-statistics": NONE if metadata.geospatial_statistics is None else "some",
        "chunk-key-values": _key_values(metadata.key_value_metadata),
        "file-path": struct.file_path or "this file",
    }
    stats = metadata.encoding_stats
    if both and stats:
        texts["pages"] = f"{sum(one.count for one in stats if one.page_type in _DATA):,}"
    return Chunk(
        texts,
        metadata.num_values,
        metadata.total_compressed_size,
        metadata.total_uncompressed_size,
        nulls,
        low,
        high,
        exact,
        metadata.bloom_filter_length or 0,
        (struct.column_index_length or 0) + (struct.offset_index_length or 0),
    )


def _bloom(metadata: structs.ColumnMetaData) -> str:
    if metadata.bloom_filter_offset is None:
        return NONE
    length = metadata.bloom_filter_length
    return "one" if length is None else f"one of {size(length)}"


def _encryption(struct: structs.ColumnChunk) -> str:
    crypto = struct.crypto_metadata
    if crypto is None:
        return NONE
    return (
        "with the footer key"
        if crypto.ENCRYPTION_WITH_COLUMN_KEY is None
        else "with a key of its own"
    )


def _encodings(metadata: structs.ColumnMetaData, both: bool) -> str:
    """The encodings of the data pages; without counts by page, those of the chunk but the levels'."""
    stats = metadata.encoding_stats
    if both and stats:
        used = {one.encoding for one in stats if one.page_type in _DATA}
    else:
        used = set(metadata.encodings)
        if metadata.type != Type.BOOLEAN:
            used -= _LEVELS
    order = sorted(used, key=lambda one: (one not in _DICTIONARY, one))
    return " and ".join(enum_name(Encoding, one) for one in order) or NONE


def _statistics(found: structs.Statistics | None) -> str:
    if found is None:
        return NONE
    parts = []
    if found.min_value is not None or found.max_value is not None:
        parts.append("bounds")
    if found.min is not None or found.max is not None:
        parts.append("deprecated bounds")
    if found.is_min_value_exact is not None or found.is_max_value_exact is not None:
        parts.append("exactness")
    for word, count in (
        ("null count", found.null_count),
        ("distinct count", found.distinct_count),
        ("NaN count", found.nan_count),
    ):
        if count is not None:
            parts.append(word)
    return ", ".join(parts) or "empty ones"


def _page_index(struct: structs.ColumnChunk) -> str:
    parts = []
    if struct.column_index_offset is not None:
        parts.append("column index")
    if struct.offset_index_offset is not None:
        parts.append("offset index")
    return " and ".join(parts) or NONE


def _key_values(pairs: Sequence[structs.KeyValue] | None) -> str:
    return ", ".join(f"{one.key} = {one.value}" for one in pairs or ()) or NONE


def joined(chunks: Sequence[Chunk | None], aspect: str) -> str:
    """What all chunks of a column have of an aspect: its texts in alphabetical order."""
    return ", ".join(sorted({one.texts[aspect] for one in chunks if one and aspect in one.texts}))


Total = Callable[[Chunk], int]


def total(chunks: Sequence[Chunk | None], of: Total) -> int:
    """The sum of a figure over the chunks that can be read."""
    return sum(of(one) for one in chunks if one is not None)


Columns = Mapping[str, tuple[list[Chunk | None], list[Chunk | None]]]
"""The chunks of each pair of columns, by the dotted path in the second file."""
