"""The tests that see a writer's defect in the bytes of a file.

A test returns the first place that shows it, None if there is none. It looks at a bounded number of chunks and pages, and
leaves out those that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.check import row_groups
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, type_order
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.insight.wording import name, plural
from pqexplore.insight.writers.defect import Seen

CHUNKS = 1_000
PAGES = 20_000

DRILL_DAYS = 2 * 2_440_588
"""Days by which old versions of Drill shifted dates: twice the Julian day of 1970-01-01."""
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days 0001-01-01 and 9999-12-31."""
GREGORIAN = -141_427
"""The day 1582-10-15, the first of the Gregorian calendar."""


def chunks(file: ParquetFile) -> Iterator[ColumnChunk]:
    """The chunks whose metadata can be read."""
    left = CHUNKS
    for group in file.row_groups:
        try:
            columns = group.columns
        except ParquetError:
            continue
        for chunk in columns:
            left -= 1
            if left < 0:
                return
            try:
                _ = chunk.metadata
            except ParquetError:
                continue
            yield chunk


def pages(file: ParquetFile) -> Iterator[Page]:
    """The pages of this file whose headers can be read."""
    left = PAGES
    for chunk in chunks(file):
        if chunk.locked or chunk.elsewhere:
            continue
        try:
            for page in chunk.pages:
                left -= 1
                if left < 0:
                    return
                yield page
        except ParquetError:
            continue


def has_more(file: ParquetFile) -> bool:
    """Whether the file has chunks or pages that the tests do not look at: beyond `CHUNKS` and `PAGES`, or unreadable."""
    seen = list(chunks(file))
    if len(seen) < len(file.row_groups) * len(file.schema.leaves) or any(one.locked or one.elsewhere for one in seen):
        return True
    try:
        return sum(len(one.pages) for one in seen) > PAGES
    except ParquetError:
        return True


def _place(chunk: ColumnChunk, field: str = "") -> str:
    return Address.of("footer", chunk.address, "meta_data", *([field] if field else []))


def _by_rule(rule: Callable[[RowGroup], Iterator[Finding]]) -> Callable[[ParquetFile], Seen | None]:
    """The test that applies a rule of `check()`, which needs the footer only, to each row group."""

    def test(file: ParquetFile) -> Seen | None:
        most = max(1, CHUNKS // max(1, len(file.schema.leaves)))
        for index in range(min(len(file.row_groups), most)):
            for found in rule(file.row_groups[index]):
                return Seen(found.address, found.message, found.evidence)
        return None

    return test


wrong_file_offset = _by_rule(row_groups.file_offset)
wrong_sizes = _by_rule(row_groups.sums)


def negative_sizes(file: ParquetFile) -> Seen | None:
    """A size of a row group that is below 0."""
    seen = wrong_sizes(file)
    return seen if seen and min(v for v in seen.evidence.values() if isinstance(v, int)) < 0 else None


def dictionary_at_zero(file: ParquetFile) -> Seen | None:
    """A dictionary_page_offset in the file's magic."""
    for chunk in chunks(file):
        offset = chunk.metadata.dictionary_page_offset
        if offset is not None and 0 <= offset < 4:
            words = f"dictionary_page_offset of {name(chunk.leaf.path)} is {offset}, where the file's magic is"
            return Seen(_place(chunk, "dictionary_page_offset"), words, {"offset": offset})
    return None


def index_page_at_zero(file: ParquetFile) -> Seen | None:
    """An index_page_offset of 0."""
    for chunk in chunks(file):
        if chunk.metadata.index_page_offset == 0:
            words = f"index_page_offset of {name(chunk.leaf.path)} is 0, where the file's magic is"
            return Seen(_place(chunk, "index_page_offset"), words, {"offset": 0})
    return None


def signed_order(file: ParquetFile) -> Seen | None:
    """Old bounds whose minimum is above their maximum, in the order of the column."""
    for chunk in chunks(file):
        known = chunk.metadata.statistics
        if known is None or known.min is None or known.max is None or known.min_value is not None:
            continue
        low, high = bytes(known.min), bytes(known.max)
        if type_order(chunk.leaf) is Order.BYTES and low > high:
            words = (
                f"min of {name(chunk.leaf.path)} begins with byte {low[0]}, max with {high[0]}"
                if high
                else f"min of {name(chunk.leaf.path)} has bytes, and max has none"
            )
            return Seen(_place(chunk, "statistics"), words, {"min": low[:16], "max": high[:16]})
    return None


def int96_bounds(file: ParquetFile) -> Seen | None:
    """Bounds of an INT96 column."""
    for chunk in chunks(file):
        known = chunk.metadata.statistics
        if chunk.leaf.physical_type == Type.INT96 and known is not None and known.min is not None:
            words = f"the INT96 column {name(chunk.leaf.path)} has bounds, which were compared as signed bytes"
            return Seen(_place(chunk, "statistics"), words, {"min": bytes(known.min)[:16]})
    return None


def _dates(file: ParquetFile) -> Iterator[tuple[ColumnChunk, int, int]]:
    """The chunks of DATE columns, and their bounds in days since 1970."""
    for chunk in chunks(file):
        known = chunk.metadata.statistics
        if meaning(chunk.leaf).name != "DATE" or known is None:
            continue
        low = known.min_value if known.min_value is not None else known.min
        high = known.max_value if known.max_value is not None else known.max
        if low is not None and high is not None and len(low) == len(high) == 4:
            yield (chunk, int.from_bytes(low, "little", signed=True), int.from_bytes(high, "little", signed=True))


def shifted_dates(file: ParquetFile) -> Seen | None:
    """Dates that are between the years 1 and 9999 without the shift, and not with it."""
    pairs = file.key_value_metadata
    version = pairs.get("drill-writer.version") or "0"
    if "is.date.correct" in pairs or (version.isdecimal() and len(version) < 9 and int(version) >= 2):
        return None
    for chunk, low, high in _dates(file):
        if FIRST_DAY <= low - DRILL_DAYS <= high - DRILL_DAYS <= LAST_DAY:
            words = (
                f"the smallest date of {name(chunk.leaf.path)} is day {low:,}, and {low - DRILL_DAYS:,} without the shift "
                f"of {DRILL_DAYS:,} days"
            )
            return Seen(_place(chunk, "statistics"), words, {"min": low, "max": high})
    return None


def in_hybrid_calendar(file: ParquetFile, *, int96: bool = False) -> str:
    """The key of Spark's that says that dates are in the hybrid calendar, with its verb; "" if none does.

    Spark reads them so from files of Spark before 3.0, and from those that have the key legacyDateTime, too. For the
    timestamps of INT96 columns (`int96`) these are 3.1 and legacyINT96 (`DataSourceUtils.datetimeRebaseSpec` and
    `int96RebaseSpec` in Spark's source).
    """
    keys = file.key_value_metadata
    legacy = f"org.apache.spark.legacy{'INT96' if int96 else 'DateTime'}"
    if legacy in keys:
        return f"{legacy} says"
    old = re.match(r"[12]\.|3\.0\." if int96 else r"[12]\.", keys.get("org.apache.spark.version") or "")
    before = "3.1" if int96 else "3.0"
    return f"org.apache.spark.version, before {before}, means" if old else ""


def old_calendar(file: ParquetFile) -> Seen | None:
    """Dates before 1582-10-15 in a file of Spark whose keys say that they are in the old calendar."""
    why = in_hybrid_calendar(file)
    if not why:
        return None
    for chunk, low, high in _dates(file):
        if low < GREGORIAN:
            words = (
                f"the smallest date of {name(chunk.leaf.path)} is day {low:,}, before 1582-10-15, and the key "
                f"{why} that it is in the hybrid calendar"
            )
            return Seen(_place(chunk, "statistics"), words, {"min": low, "max": high})
    return None


def null_count_left_out(file: ParquetFile) -> Seen | None:
    """Bounds without a null count, in a column that may have nulls."""
    for chunk in chunks(file):
        known = chunk.metadata.statistics
        if known is None or not chunk.leaf.max_definition_level or known.null_count is not None:
            continue
        if known.min_value is not None or known.min is not None:
            words = f"the statistics of {name(chunk.leaf.path)} have bounds and no null_count"
            return Seen(_place(chunk, "statistics"), words, {"null_count": None})
    return None


def statistics_dropped(file: ParquetFile) -> Seen | None:
    """A byte array column without any statistics, in a file that has them elsewhere."""
    bare: ColumnChunk | None = None
    others = False
    for chunk in chunks(file):
        known = chunk.metadata.statistics
        empty = known is None or (known.null_count is None and known.min is known.min_value is None)
        if not empty:
            others = True
        elif not chunk.encrypted and chunk.leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            ordered = type_order(chunk.leaf) is not Order.NONE
            bare = bare or (chunk if ordered and chunk.num_values else None)
        if bare is not None and others:
            words = f"{name(bare.leaf.path)} has no statistics, not even a null_count, and other columns have them"
            return Seen(_place(bare), words, {"statistics": None})
    return None


def claims_parquet_mr(file: ParquetFile) -> Seen | None:
    """A created_by of Parquet Java with a version that it never had."""
    created_by = file.created_by or ""
    if not created_by.lower().startswith("parquet-mr version"):
        return None
    return Seen("footer/created_by", f"created_by is {created_by[:60]!r}", {"created_by": created_by[:60]})


def empty_row_group(file: ParquetFile) -> Seen | None:
    """A row group without rows beside others."""
    count = len(file.row_groups)
    for index in range(min(count, CHUNKS)):
        group = file.row_groups[index]
        if count > 1 and group.num_rows == 0:
            words = f"row group {index} of {plural(count, 'row group')} has no rows"
            return Seen(group.address, words, {"row_group": index})
    return None


def filter_without_length(file: ParquetFile) -> Seen | None:
    """A Bloom filter whose length the footer does not give."""
    for chunk in chunks(file):
        known = chunk.metadata
        if known.bloom_filter_offset and known.bloom_filter_length is None:
            words = f"the footer gives the place of the Bloom filter of {name(chunk.leaf.path)}, and not its length"
            return Seen(_place(chunk, "bloom_filter_offset"), words, {"offset": known.bloom_filter_offset})
    return None


def compressed_unsaid(file: ParquetFile) -> Seen | None:
    """A V2 page that says it is not compressed, and has another size than its values."""
    for page in pages(file):
        header = page.header
        v2 = header.data_page_header_v2
        if header.type != PageType.DATA_PAGE_V2 or v2 is None or v2.is_compressed is not False:
            continue
        if header.compressed_page_size != header.uncompressed_page_size:
            words = (
                f"a page of {name(page.chunk.leaf.path)} says that it is not compressed, and has "
                f"{header.compressed_page_size:,} bytes for {header.uncompressed_page_size:,}"
            )
            sizes = {
                "compressed_page_size": header.compressed_page_size,
                "uncompressed_page_size": header.uncompressed_page_size,
            }
            return Seen(page.address, words, sizes)
    return None


def compressed_nothing(file: ParquetFile) -> Seen | None:
    """A V2 page of nulls only that says its values are compressed, and has no byte of them."""
    for page in pages(file):
        header = page.header
        v2 = header.data_page_header_v2
        codec = page.chunk.metadata.codec
        if header.type != PageType.DATA_PAGE_V2 or v2 is None or v2.is_compressed is False:
            continue
        levels = v2.definition_levels_byte_length + v2.repetition_levels_byte_length
        if codec != CompressionCodec.UNCOMPRESSED and header.compressed_page_size == levels:
            words = (
                f"a page of {name(page.chunk.leaf.path)} has {plural(v2.num_nulls, 'null')} and no value, says that its "
                "values are compressed, and has no byte of them"
            )
            return Seen(page.address, words, {"num_nulls": v2.num_nulls, "levels": levels})
    return None


def index_without_counts(file: ParquetFile) -> Seen | None:
    """A column index without null counts."""
    for chunk in chunks(file):
        if chunk.struct.column_index_offset is None:
            continue
        try:
            index = chunk.column_index
        except ParquetError:
            continue
        if index is not None and index.null_counts is None:
            words = f"the column index of {name(chunk.leaf.path)} has no null_counts"
            return Seen(Address.of(chunk.address, "column_index"), words, {"null_counts": None})
    return None


def bit_packed_nulls(file: ParquetFile) -> Seen | None:
    """A page with nulls whose definition levels are BIT_PACKED."""
    for page in pages(file):
        v1 = page.header.data_page_header
        if (
            v1 is None
            or v1.definition_level_encoding != Encoding.BIT_PACKED
            or not page.chunk.leaf.max_definition_level
        ):
            continue
        levels = page.definition_levels
        if levels is not None and len(np.unique(levels)) > 1:
            words = f"the definition levels of a page of {name(page.chunk.leaf.path)} with nulls are BIT_PACKED"
            return Seen(page.address, words, {"definition_level_encoding": "BIT_PACKED"})
    return None


def empty_page(file: ParquetFile) -> Seen | None:
    """A data page without values in a chunk that has some."""
    for page in pages(file):
        if page.is_data and page.num_values == 0 and page.chunk.num_values:
            words = f"a data page of {name(page.chunk.leaf.path)} has no values"
            return Seen(page.address, words, {"num_values": 0})
    return None


def raw_lz4(file: ParquetFile) -> Seen | None:
    """A page of the codec LZ4 that does not begin with the two lengths of Hadoop's framing."""
    for page in pages(file):
        header = page.header
        size, room = header.uncompressed_page_size, header.compressed_page_size
        v1 = header.type in (PageType.DATA_PAGE, PageType.DICTIONARY_PAGE)
        if page.chunk.metadata.codec != CompressionCodec.LZ4 or not v1 or page.chunk.encrypted:
            continue
        head = bytes(page.stored[:8])
        framed = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
        if room > 8 and not (0 < framed[0] <= size and framed[1] <= room - 8):
            words = f"a page of {name(page.chunk.leaf.path)} with the codec LZ4 is a bare LZ4 block, without Hadoop's lengths"
            return Seen(page.address, words, {"begins": head})
        return None
    return None
