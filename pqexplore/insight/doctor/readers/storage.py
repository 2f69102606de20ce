"""Finds the features of column chunks: encodings, codecs, pages, encryption, and what INT96 timestamps hold."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.file.value_findings import row_of
from pqexplore.engine.format import codecs, embedded, int96
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.encodings.run_steps import LENGTH
from pqexplore.engine.format.field import REPEATED, Field, Leaf
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.engine.format.value_text import format_value
from pqexplore.engine.rule import DATA, FOOTER
from pqexplore.insight.writers.writer import by_name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.thrift import structs
    from pqexplore.insight.doctor.subject import Subject

Place = tuple[str, str, str]
"""A feature's name, the column that has it ("" for the file), and the address."""

FEW = 400
"""Column chunks that are looked at in a sample: the first ones of each column. By the footer it is one of each."""

WALKED = 64
"""Columns whose first chunk is walked, and pages of each: writers write all pages of a column alike."""

INT96_VALUES, INT96_SAMPLE = 1 << 20, 1 << 17
"""INT96 values of a file that are looked at, at level `data` and below it."""

_DAYS_OF_NANOSECONDS = 106_751
"""Days before and after 1970 that nanoseconds in 64 bits can hold."""

_DAYS_TO_10000 = 2_932_897
"""Days from 1970 to the year 10000."""

_DICTIONARY = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
_DATA = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)
_CODECS = {int(CompressionCodec.LZO): "lzo", int(CompressionCodec.BROTLI): "brotli"}
_SHARED = {int(one) for one in (Encoding.PLAIN, Encoding.RLE, Encoding.BIT_PACKED, *_DICTIONARY)}
"""Encodings that levels or a dictionary page may have, too."""

_WIDTHS = {
    int(Type.BOOLEAN): 1,
    int(Type.INT32): 4,
    int(Type.INT64): 8,
    int(Type.INT96): 12,
    int(Type.FLOAT): 4,
    int(Type.DOUBLE): 8,
}
"""Bytes of a bound, for the physical types that have a width."""

_FLOATS = (Type.FLOAT, Type.DOUBLE)


@dataclasses.dataclass(slots=True)
class Example:
    """A stored value as text, its row in the file (None if unknown), and what readers make of it, by their names."""

    value: str
    row: int | None
    read: dict[str, str]


@dataclasses.dataclass(slots=True)
class Seen:
    """How many values with a feature were seen in a column, among how many, and the first of them."""

    count: int = 0
    looked: int = 0
    example: Example | None = None


Sights = dict[tuple[str, str], Seen]
"""What was seen, by feature and column."""


def of_chunks(subject: Subject, seen: Sights) -> Iterator[Place]:
    """The features of the chunks of a file, as far as the subject's level goes; `seen` gets what their values show."""
    pages, whole = subject.level != FOOTER, subject.level == DATA
    few = _chunks_of_each(subject)
    yield from _of_footer(subject, few)
    yield from _of_value_counts(subject)
    left = INT96_VALUES if whole else INT96_SAMPLE
    declared = _declared(subject)
    for position, leaf in enumerate(subject.leaves if whole else subject.leaves[:FEW]):
        column = ".".join(leaf.path)
        for order, chunk in enumerate(itertools.islice(subject.chunks(leaf), few)):
            address = str(chunk.address)
            walk = pages and order == 0 and position < WALKED
            for name in _of_chunk(leaf, chunk, walk):
                yield name, column, address
            if pages and annotation(leaf).name == "INTERVAL" and _has_months(chunk):
                yield "interval-months", column, address
            if pages and leaf.physical_type == Type.INT96:
                left -= max(0, chunk.metadata.num_values)
                if left < 0 and (whole or order):
                    yield "int96-unread", column, address
                    continue
                far = "int96-far-declared" if leaf.path in declared else "int96-far"
                for name in _of_int96(chunk, seen, None if whole else INT96_SAMPLE, far):
                    yield name, column, address
        if leaf.physical_type == Type.INT96:
            yield "int96", column, Address.of("schema", leaf.index)


def _chunks_of_each(subject: Subject) -> int | None:
    """Chunks of each column that are looked at; None for all."""
    if subject.level == DATA:
        return None
    return 1 if subject.level == FOOTER else max(1, FEW // max(1, len(subject.leaves)))


def _of_footer(subject: Subject, few: int | None) -> Iterator[Place]:
    """What the footer says of chunks, also of those whose ColumnMetaData cannot be read; of `few` row groups."""
    metadata = subject.file.metadata
    if metadata is None:
        return
    yield from _of_row_counts(subject, metadata.num_rows)
    algorithm = metadata.encryption_algorithm
    if algorithm is not None and algorithm.AES_GCM_CTR_V1 is not None:
        yield "signed-footer-ctr", "", "footer"
    for group in range(subject.groups if few is None else min(few, subject.groups)):
        for leaf in subject.leaves if few is None else subject.leaves[:FEW]:
            try:
                chunk = subject.file.row_groups[group].columns[leaf.leaf_index]
                struct = chunk.struct
            except ParquetError:
                continue
            column, address = ".".join(leaf.path), str(chunk.address)
            if struct.crypto_metadata is not None:
                yield "encrypted-columns", column, address
            elif struct.meta_data is None:
                yield "no-chunk-metadata", column, address
            elif None in (struct.meta_data.num_values,):
                yield "count-missing", column, address
            if struct.file_path:
                yield "other-files", column, address


def _of_row_counts(subject: Subject, stated: int) -> Iterator[Place]:
    """What the footer's num_rows and those of the row groups say; a stated count of 0 or below is a feature of its own."""
    rows = _group_rows(subject)
    if None in (stated, *rows):
        yield "count-missing", "", "footer"
        return
    if stated < 0:
        yield "negative-row-count", "", "footer"
    negative = next((at for at, count in enumerate(rows) if count < 0), None)
    if negative is not None:
        yield "negative-group-rows", "", Address.of("row_groups", negative)
    elif 0 <= stated != sum(rows) and not subject.partial:
        yield "row-counts-differ" if stated else "row-count-zero", "", "footer"


def _group_rows(subject: Subject) -> list[int]:
    """The num_rows of the row groups as they are stored; ParquetError if they cannot be read."""
    return [subject.file.row_groups[at].metadata.num_rows for at in range(subject.groups)]


def _of_value_counts(subject: Subject) -> Iterator[Place]:
    """The chunks that are said to have no values, or fewer than none, in row groups with rows."""
    rows = _group_rows(subject)
    found: list[Place] = []
    counted = 0
    for leaf in subject.leaves:
        column = ".".join(leaf.path)
        for at, metadata in subject.metadata(leaf):
            address = Address.of("row_groups", at, "columns", leaf.leaf_index)
            if metadata.num_values < 0:
                found.append(("negative-value-count", column, address))
            elif not metadata.num_values and (rows[at] or 0) > 0:
                found.append(("no-values-counted", column, address))
                continue
            counted += 1
    if found and not counted:
        yield "no-values-counted-at-all", "", found[0][2]
    else:
        yield from found


def _of_chunk(leaf: Leaf, chunk: ColumnChunk, walk: bool) -> Iterator[str]:
    metadata = chunk.metadata
    if int(metadata.codec) in _CODECS:
        yield _CODECS[int(metadata.codec)]
    yield from _of_size_statistics(leaf, metadata.size_statistics)
    if any(_wrong_length(leaf, raw) for raw in _bounds(metadata.statistics)):
        yield "bound-of-wrong-length"
    if metadata.dictionary_page_offset == 0:
        yield "dictionary-offset-zero"
    encodings = _data_encodings(metadata)
    if walk and not chunk.elsewhere:
        pages = yield from _first_pages(chunk)
        if _has_wrong_length(leaf, chunk):
            yield "index-bound-of-wrong-length"
        counted = [one for one in pages if one.is_data and one.num_values]
        seen = {int(one.encoding) for one in counted if one.encoding is not None}
        encodings = seen if len(pages) < WALKED and seen else encodings | seen
        yield from _of_pages(leaf, chunk, pages)
    if not encodings:  # the list names the encodings of levels and of the dictionary page, too
        encodings = set(map(int, metadata.encodings or ())) - _SHARED
    yield from _of_encodings(leaf, encodings)


def _of_size_statistics(leaf: Leaf, sizes: structs.SizeStatistics | None) -> Iterator[str]:
    """The features of lists, by how many values have which definition level."""
    histogram = sizes and sizes.definition_level_histogram
    if not histogram:
        return
    if any(histogram[: _null_below(leaf)]):
        yield "null-list"
        if leaf.max_repetition_level > 1:
            yield "null-nested-list"
    if _has_empty_legacy_list(leaf, histogram):
        yield "empty-legacy-list"


def _data_encodings(metadata: structs.ColumnMetaData) -> set[int]:
    """The encodings of the data pages, as far as the footer counts pages by encoding."""
    counts = [one for one in metadata.encoding_stats or () if one.page_type in _DATA and one.count]
    return {int(one.encoding) for one in counts if one.encoding is not None}


def _first_pages(chunk: ColumnChunk) -> Generator[str, None, list[Page]]:
    """The first pages of a chunk, up to the first one that cannot be read."""
    pages: list[Page] = []
    try:
        pages.extend(itertools.islice(chunk.pages, WALKED))
    except EncryptedFileError:  # the feature encrypted-columns says it
        pass
    except ParquetError:
        yield "unread"
    data = [one for one in pages if one.is_data]
    if any(not one.num_values for one in data):
        yield "empty-pages"
    if chunk.metadata.codec and any(map(_has_no_bytes, data)):
        yield "values-of-no-bytes"
    return pages


def _has_no_bytes(page: Page) -> bool:
    """Whether a page of version 2 says that its values are compressed, and has no byte of them."""
    header, part = page.header, page.header.data_page_header_v2
    if part is None or part.is_compressed is False:
        return False
    levels = (part.definition_levels_byte_length or 0) + (part.repetition_levels_byte_length or 0)
    return bool(header.compressed_page_size == levels)


def _has_wrong_length(leaf: Leaf, chunk: ColumnChunk) -> bool:
    """Whether a bound of the column index cannot be a value of the leaf, for a page that is not marked as a null page."""
    try:
        index = chunk.column_index
    except ParquetError:
        return False
    if index is None or None in (index.null_pages, index.min_values, index.max_values):
        return False
    pairs = zip(index.null_pages, index.min_values, index.max_values, strict=False)
    return any(not null and (_wrong_length(leaf, low) or _wrong_length(leaf, high)) for null, low, high in pairs)


def of_choice(leaf: Leaf, encoding: int, codec: int) -> Iterator[str]:
    """The features of a column in one encoding, under a codec."""
    yield from _of_encodings(leaf, {encoding})
    if codec in _CODECS:
        yield _CODECS[codec]


def _bounds(statistics: structs.Statistics | None) -> Iterator[bytes | None]:
    if statistics is not None:
        yield from (statistics.min, statistics.max, statistics.min_value, statistics.max_value)


def _wrong_length(leaf: Leaf, raw: bytes | None) -> bool:
    """Whether a bound cannot be a value of a leaf's physical type, because it has another length."""
    width = _WIDTHS.get(leaf.physical_type)
    return width is not None and raw is not None and len(raw) != width


def _null_below(leaf: Leaf) -> int:
    """The definition level below which the innermost list or map above a leaf is null; 0 if there is none."""
    above = leaf.parent
    while above is not None and above.kind not in ("list", "map"):
        above = above.parent
    return 0 if above is None else above.max_definition_level


def _has_empty_legacy_list(leaf: Leaf, histogram: Sequence[int]) -> bool:
    """Whether the innermost list above a leaf is one of two levels, and is empty in some row."""
    repeated: Field | None = leaf
    while repeated is not None and repeated.repetition != REPEATED:
        repeated = repeated.parent
    if repeated is None or repeated.parent is None:
        return False
    rule = f"{repeated.list_rule} {repeated.parent.list_rule}"
    legacy = "two-level" in rule or "unannotated" in rule
    level = repeated.max_definition_level - 1
    return legacy and level < len(histogram) and histogram[level] > 0


def _of_encodings(leaf: Leaf, encodings: set[int]) -> Iterator[str]:
    """The features of the encodings of a chunk's data pages."""
    physical = leaf.physical_type
    fixed = physical == Type.FIXED_LEN_BYTE_ARRAY
    dictionary = bool(encodings & set(map(int, _DICTIONARY)))
    if dictionary and physical == Type.BOOLEAN:
        yield "boolean-dictionary"
    if dictionary and encodings - set(map(int, _DICTIONARY)):
        yield "dictionary-fallback"
        if annotation(leaf).name == "STRING":
            yield "dictionary-fallback-text"
    if Encoding.RLE in encodings and physical == Type.BOOLEAN:
        yield "boolean-rle"
    if Encoding.ALP in encodings:
        yield "alp"
    if Encoding.DELTA_BINARY_PACKED in encodings:
        yield "delta-binary-packed"
    if Encoding.DELTA_LENGTH_BYTE_ARRAY in encodings:
        yield "delta-length"
    if Encoding.DELTA_BYTE_ARRAY in encodings:
        yield "delta-byte-array-fixed" if fixed else "delta-byte-array"
    if Encoding.BYTE_STREAM_SPLIT in encodings:
        if physical in _FLOATS:
            yield "byte-stream-split"
        elif annotation(leaf).name == "FLOAT16":
            yield "byte-stream-split-float16"
        else:
            yield "byte-stream-split-fixed" if fixed else "byte-stream-split-integers"


def _of_pages(leaf: Leaf, chunk: ColumnChunk, pages: list[Page]) -> Iterator[str]:
    for page in pages:
        header = page.header
        if header.type not in (*_DATA, PageType.DICTIONARY_PAGE, PageType.INDEX_PAGE):
            yield "unknown-pages"
        first = header.data_page_header
        if first is not None:
            if leaf.max_definition_level and first.definition_level_encoding == Encoding.BIT_PACKED:
                yield "bit-packed-levels"
                if _differ(page):
                    yield "bit-packed-nulls-impala" if _by_impala(chunk.file) else "bit-packed-nulls"
            if leaf.max_repetition_level and first.repetition_level_encoding == Encoding.BIT_PACKED:
                yield "bit-packed-repetition-levels"
    if leaf.physical_type == Type.BOOLEAN and any(map(_begins_with_run, pages)):
        yield "boolean-runs"
    if chunk.metadata.codec == CompressionCodec.LZ4 and pages:
        yield _framing(pages[0])


def _framing(page: Page) -> str:
    """Which framing an LZ4 page has: Hadoop's if the lengths before the first block fit the page, a frame by its magic."""
    try:
        raw = bytes(page.stored)
    except ParquetError:
        return "lz4-hadoop"
    second = page.header.data_page_header_v2
    levels = 0
    if second is not None:
        levels = (second.definition_levels_byte_length or 0) + (second.repetition_levels_byte_length or 0)
    data = raw[levels:]
    whole, block = (int.from_bytes(data[at : at + 4], "big") for at in (0, 4))
    fits = whole <= page.header.uncompressed_page_size - levels and block <= len(data) - 8
    if fits or not data:
        return "lz4-hadoop"
    return "lz4-frame" if data.startswith(codecs.LZ4_FRAME_MAGIC) else "lz4-bare"


def _by_impala(file: ParquetFile) -> bool:
    """Whether Impala wrote the file, whose BIT_PACKED levels begin at the other end of each byte (IMPALA-3006)."""
    writer = by_name(file)
    return writer is not None and writer.name == "impala"


def _differ(page: Page) -> bool:
    """Whether a page has different definition levels."""
    try:
        levels = page.definition_levels
    except ParquetError:
        return False
    return levels is not None and len(np.unique(levels)) > 1


def _begins_with_run(page: Page) -> bool:
    """Whether a page of booleans has the encoding RLE, and begins with an RLE run of true."""
    if not page.is_data or page.encoding != Encoding.RLE:
        return False
    try:
        values = page.body.section("values").data
        runs = rle.scan(values, 1, page.num_present, prefix=LENGTH).runs
        return any(not packed and values[at] & 1 for packed, at in zip(runs.packed[:1], runs.payload[:1], strict=True))
    except ParquetError:
        return False


def _has_months(chunk: ColumnChunk) -> bool:
    """Whether the first pages of an INTERVAL column have one with months."""
    if chunk.leaf.physical_type != Type.FIXED_LEN_BYTE_ARRAY or chunk.leaf.type_length != 12:
        return False
    for page in itertools.islice(chunk.pages, WALKED):
        stored = page.physical if page.is_data else None
        if stored is not None and any(one[:4] != bytes(4) for one in stored.drop_null().to_pylist()):
            return True
    return False


def _declared(subject: Subject) -> frozenset[tuple[str, ...]]:
    """The columns that the key ARROW:schema declares as timestamps of another unit than nanoseconds."""
    if not any(leaf.physical_type == Type.INT96 for leaf in subject.leaves):
        return frozenset()
    known = embedded.decode(embedded.ARROW, subject.file.key_value_metadata.get(embedded.ARROW))
    fields = known.content if known is not None and isinstance(known.content, pa.Schema) else ()
    return frozenset(
        (one.name,) for one in fields if str(one.type).startswith("timestamp[") and "[ns" not in str(one.type)
    )


def _of_int96(chunk: ColumnChunk, seen: Sights, most: int | None, far: str) -> Iterator[str]:
    """Whether INT96 timestamps leave what 64 bits of nanoseconds can hold, or use them; pages are read up to `most` values.

    `far` is the name of the feature that they leave it.
    """
    column = ".".join(chunk.leaf.path)
    before = looked = 0
    for page in chunk.pages:
        if not page.is_data:
            continue
        if most is not None and looked >= most:
            yield "int96-unread"
            return
        stored = page.physical
        days, nanos = int96.split(stored)
        for name, wrong in (
            (far, np.abs(days) >= _DAYS_OF_NANOSECONDS),
            ("int96-very-far", np.abs(days) >= _DAYS_TO_10000),
            ("int96-fine", nanos % 1000 != 0),
            ("int96-day-zero", int96.unset(stored)),
        ):
            one = seen.setdefault((name, column), Seen())
            one.looked += len(stored)
            if not wrong.any():
                continue
            one.count += int(np.count_nonzero(wrong))
            if one.example is None:
                at = int(np.argmax(wrong))
                one.example = _example(page, at, before, int(days[at]), int(nanos[at]), far)
            yield name
        looked += len(stored)
        before += page.num_values


_LAST = (1 << 63) - 1


def _example(page: Page, at: int, before: int, days: int, nanos: int, far: str) -> Example:
    """A stored INT96 timestamp, and what the readers that count it in other units make of it."""
    leaf, start = page.chunk.leaf, page.chunk.row_group.first_row
    row = None if start is None or leaf.max_repetition_level else start + row_of(page, at, before)
    whole = days * int96.NANOSECONDS_PER_DAY + nanos
    wrapped = (whole + (1 << 63)) % (1 << 64) - (1 << 63)
    by_wrapping = dict.fromkeys(
        ("pyarrow", "fastparquet", *(("DataFusion",) if far == "int96-far" else ())), _instant(wrapped)
    )
    last = {"polars": _instant(_LAST)} if far == "int96-far" and wrapped != whole else {}
    in_microseconds = {"DuckDB": _instant(whole - whole % 1000)} if abs(whole) <= _LAST else {}
    return Example(_short(format_value(leaf, page.physical[at].as_py())), row, by_wrapping | last | in_microseconds)


def _instant(nanoseconds: int) -> str:
    """Nanoseconds since 1970 in 64 bits as a date and a time."""
    return _short(str(np.datetime64(nanoseconds, "ns")).replace("T", " "))


def _short(text: str) -> str:
    """A time without zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text
