"""What a footer says of each column chunk, in the words in which two files are compared."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type, enum_name
from pqexplore.insight.chunk_structs import chunk_structs
from pqexplore.insight.diff.difference import Subject
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

NONE = "none"
"""The text of what a chunk does not have."""

_LEVELS = frozenset((Encoding.RLE, Encoding.BIT_PACKED))
_DICTIONARY = frozenset((Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY))
_DATA = frozenset((PageType.DATA_PAGE, PageType.DATA_PAGE_V2))


@dataclasses.dataclass(slots=True)
class Chunk:
    """A column chunk: its struct, and what it has of each aspect, as text; "" if that is not known."""

    struct: structs.ColumnChunk
    metadata: structs.ColumnMetaData
    texts: dict[str, str]

    @property
    def bounds(self) -> tuple[bytes | None, bytes | None]:
        """The raw minimum and maximum by the statistics."""
        known = self.metadata.statistics
        return (None, None) if known is None else (known.min_value, known.max_value)

    @property
    def nulls(self) -> int | None:
        """The null count by the statistics."""
        known = self.metadata.statistics
        return None if known is None else known.null_count

    @property
    def bloom(self) -> int:
        """Bytes of the Bloom filter, if it is said."""
        return self.metadata.bloom_filter_length or 0

    @property
    def index(self) -> int:
        """Bytes of the page index."""
        return (self.struct.column_index_length or 0) + (self.struct.offset_index_length or 0)


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


Structs = Sequence["structs.ColumnChunk | None"]
"""The chunks of a column by row group; None for one whose metadata cannot be read."""


def structs_of(file: ParquetFile, leaves: Sequence[int]) -> list[Structs]:
    """The chunks of some leaves."""
    rows = [chunk_structs(file, index, leaves) for index in range(len(file.row_groups))]
    return list(zip(*rows, strict=True)) if rows else [()] * len(leaves)


def counts_pages(column: Structs) -> bool:
    """Whether all chunks that have values count their pages by encoding."""
    for one in column:
        known = None if one is None else one.meta_data
        if known is not None and not known.encoding_stats and known.num_values:
            return False
    return True


class Texts:
    """Makes chunks, and keeps the texts of those that have the same of each aspect."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[str, str]] = {}

    def column(self, found: Structs, counted: bool) -> list[Chunk | None]:
        """The chunks of a column; None for one whose metadata cannot be read.

        `counted` says that those to be compared count their pages by encoding.
        """
        made: list[Chunk | None] = []
        for one in found:
            if one is None or one.meta_data is None:
                made.append(None)
                continue
            key = _signature(one, one.meta_data, counted)
            texts = None if key is None else self._known.get(key)
            if texts is None:
                texts = _texts(one, one.meta_data, counted)
                if key is not None:
                    self._known[key] = texts
            made.append(Chunk(one, one.meta_data, texts))
        return made


_PAGES = operator.attrgetter("page_type", "encoding", "count")


def _signature(struct: structs.ColumnChunk, metadata: structs.ColumnMetaData, counted: bool) -> Hashable | None:
    """What decides the texts of a chunk; None for a rare one. It runs for each chunk, so it has no loops of Python."""
    if (
        metadata.key_value_metadata
        or struct.crypto_metadata is not None
        or struct.encrypted_column_metadata is not None
    ):
        return None
    known, stats = metadata.statistics, metadata.encoding_stats
    return (
        metadata.codec,
        metadata.type,
        metadata.num_values == 0,
        tuple(metadata.encodings),
        tuple(map(_PAGES, stats)) if counted and stats else None,
        known is None
        or (
            known.min_value is None and known.max_value is None,
            known.min is None and known.max is None,
            known.is_min_value_exact is None and known.is_max_value_exact is None,
            known.null_count is None,
            known.distinct_count is None,
            known.nan_count is None,
        ),
        struct.column_index_offset is None,
        struct.offset_index_offset is None,
        metadata.bloom_filter_offset is None,
        metadata.bloom_filter_length,
        metadata.size_statistics is None,
        metadata.geospatial_statistics is None,
        struct.file_path,
    )


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
        if not data or sum(_values(one) for one in data) != chunk.metadata.num_values:
            continue  # pages are missing, or damaged
        versions = {"2" if one.type == PageType.DATA_PAGE_V2 else "1" for one in data}
        chunk.texts = chunk.texts | {
            "pages": f"{len(data):,}",
            "page-version": " and ".join(sorted(versions)),
            "checksums": "on some pages" if len(found) > 1 else "on all pages" if True in found else NONE,
        }  # fmt: skip


def _values(header: structs.PageHeader) -> int:
    of = header.data_page_header or header.data_page_header_v2
    return 0 if of is None else of.num_values


def _texts(struct: structs.ColumnChunk, metadata: structs.ColumnMetaData, counted: bool) -> dict[str, str]:
    texts = {
        "encryption": _encryption(struct),
        "codec": enum_name(CompressionCodec, metadata.codec),
        "file-path": struct.file_path or "this file",
        "page-index": _page_index(struct),
        "bloom-filter": _bloom(metadata),
    }
    if metadata.num_values:  # nothing can be encoded or counted of no values
        texts["encoding"] = _encodings(metadata, counted)
        if counted and metadata.encoding_stats:
            texts["pages"] = f"{sum(one.count or 0 for one in _data_pages(metadata)):,}"
    if struct.encrypted_column_metadata is None:  # else this is the copy in plaintext, which lacks them
        texts["chunk-key-values"] = _key_values(metadata.key_value_metadata)
        if metadata.num_values:
            texts["statistics"] = _statistics(metadata.statistics)
            texts["size-statistics"] = NONE if metadata.size_statistics is None else "some"
            texts["geospatial-statistics"] = NONE if metadata.geospatial_statistics is None else "some"  # fmt: skip
    return texts


def _data_pages(metadata: structs.ColumnMetaData) -> list[structs.PageEncodingStats]:
    return [one for one in metadata.encoding_stats or () if one.page_type in _DATA]


def _bloom(metadata: structs.ColumnMetaData) -> str:
    if metadata.bloom_filter_offset is None:
        return NONE
    length = metadata.bloom_filter_length
    return "one" if length is None else f"one of {size(length)}"


def _encryption(struct: structs.ColumnChunk) -> str:
    crypto = struct.crypto_metadata
    if crypto is None:
        return NONE
    return "with the footer key" if crypto.ENCRYPTION_WITH_COLUMN_KEY is None else "with a key of its own"


def _encodings(metadata: structs.ColumnMetaData, counted: bool) -> str:
    """The encodings of the data pages, by the counts of pages; else those of the chunk but the levels'.

    Without counts, PLAIN beside a dictionary may be the dictionary page's, and is left out.
    """
    if counted and metadata.encoding_stats:
        used = {one.encoding for one in _data_pages(metadata)}
    else:
        used = set(metadata.encodings)
        if metadata.type != Type.BOOLEAN:
            used -= _LEVELS
        if used & _DICTIONARY:
            used.discard(Encoding.PLAIN)
    order = sorted(used - {None}, key=lambda one: (one not in _DICTIONARY, one))
    return " and ".join(enum_name(Encoding, one) for one in order)


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
    different = {id(one.texts): one.texts for one in chunks if one}.values()
    return ", ".join(sorted({texts[aspect] for texts in different if texts.get(aspect)}))


Total = Callable[[Chunk], int]


def total(chunks: Sequence[Chunk | None], of: Total) -> int:
    """The sum of a figure over the chunks that can be read."""
    return sum(of(one) for one in chunks if one is not None)


Columns = Mapping[str, tuple[list[Chunk | None], list[Chunk | None]]]
"""The chunks of each pair of columns, by the dotted path in the second file."""
