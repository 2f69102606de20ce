"""Finds column chunks in which nothing is wrong, many at a time, so that the check looks closely at the others only.

To check a chunk by itself takes half a millisecond, however small the chunk is: there is an object for each of its parts.
Of small chunks, a file can have a hundred thousand. So the usual ones are proved sound together: their pages are walked
through and decompressed one after the other, and their values are compared with the statistics as arrays of all chunks
of a column (`sound_values`).

Proved is that `chunks.findings` would yield nothing. Nothing here says what is wrong: a chunk in any unusual form, right or
wrong, is left to the rules. So each condition is at least as strict as the rules that it stands for;
`tests/engine/check/test_sound_chunks.py` checks files with these proofs and without.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.arrays import Int64s, Levels
from pqexplore.engine.check.column_metadata import unlisted
from pqexplore.engine.check.sound_values import Column, Contents, Page, column_of
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.usual_chunks import MAX_VALUES, Frame, frames, usual_start
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.encodings.run_scan import fills
from pqexplore.engine.format.thrift import c_reader, fast, structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.thrift.wire import EXTENSION_MARKS
from pqexplore.engine.limits import Limits

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

MAX_CHUNK = 1 << 20
"""Bytes of a chunk in the file: of larger ones, the values take the time."""
PAGE_VALUES = 1 << 13
"""Values of a chunk, for each of its pages: of larger pages, the values take the time."""
BATCH_CHUNKS = 2_000
"""Chunks that are looked at together: between two batches the check may be stopped."""
BATCH_BYTES = 8 << 20
"""Bytes of the file that are looked at together."""
BATCH_DECOMPRESSED = 32 << 20
"""Decompressed bytes that are kept together; the last chunk may add `MAX_DECOMPRESSED`."""
BATCH_VALUES = 1 << 21
"""Values that are kept together; the last chunk may add `MAX_VALUES`."""


@dataclasses.dataclass(frozen=True, slots=True)
class SoundGroup:
    """The sound chunks of a row group: their columns, ascending, where they begin and end, and how many pages they have.

    `whole`: all its chunks are sound, and the sizes and the offset that the RowGroup states are those of its chunks.
    `checksums`: a page of them has a checksum.
    """

    columns: Int64s
    starts: Int64s
    ends: Int64s
    pages: Int64s
    whole: bool
    checksums: bool


@dataclasses.dataclass(slots=True)
class _Candidate:
    """A chunk whose metadata are in the usual form, and the bytes `[start, end)` that they give it."""

    group: int
    column: int
    start: int
    end: int
    metadata: structs.ColumnMetaData
    pages: int = 0
    checksums: bool = False


class SoundChunks:
    """The sound chunks of a file, looked for a few row groups ahead. Raises nothing for damage in the file."""

    def __init__(self, file: ParquetFile) -> None:
        self._file = file
        self._next = 0
        self._groups: dict[int, SoundGroup] = {}
        self._columns: list[Column | None] = []
        self._listed: dict[tuple[object, ...], bool] = {}
        if file.source.local and file.footer.cipher is None and c_reader.WORKS:
            with suppress(ParquetError):  # the rules say what is wrong
                self._columns = [column_of(leaf) for leaf in file.schema.leaves]

    def of(self, group: int) -> SoundGroup | None:
        """The sound chunks of a row group; None if there is none. Row groups are asked for in order."""
        if group >= self._next and any(self._columns):
            try:
                with fast.collection_paused():  # most objects are dropped at once
                    self._look(group)
            except (ParquetError, OSError):
                self._next = group + 1  # the rules say what is wrong
        return self._groups.get(group)

    def groups(self) -> dict[int, SoundGroup]:
        """All that were found so far, by the index of the row group."""
        return self._groups

    def _look(self, first: int) -> None:
        """Looks at row groups from `first` on, until that is enough for one batch."""
        file, raw = self._file, self._file.footer.raw
        offsets = file.footer.chunk_offsets
        self._next = first + 1
        batch = _Batch(self, file)
        for group in range(first, len(offsets)):
            if group > first and batch.is_full:
                break
            self._next = group + 1
            rows = file.open_footer.row_group(group).num_rows
            if raw is None or rows is None or len(offsets[group]) != len(self._columns):
                continue
            if not 0 < rows <= MAX_VALUES:
                continue
            for index, (offset, column) in enumerate(zip(offsets[group], self._columns, strict=True)):
                if column is None:
                    continue
                candidate = self._candidate(fast.decode(structs.ColumnChunk, raw, offset)[0], column, rows)
                if candidate is not None:
                    candidate.group, candidate.column = group, index
                    batch.add(candidate)
        batch.prove()
        self._keep(batch.proved)

    def _keep(self, proved: Iterable[_Candidate]) -> None:
        by_group: dict[int, list[_Candidate]] = {}
        for one in proved:
            by_group.setdefault(one.group, []).append(one)
        for group, found in by_group.items():
            found.sort(key=lambda one: one.column)
            numbers = [(one.column, one.start, one.end, one.pages) for one in found]
            columns, starts, ends, pages = np.array(numbers, np.int64).T
            self._groups[group] = SoundGroup(
                columns, starts, ends, pages, self._adds_up(group, found), any(one.checksums for one in found)
            )

    def _adds_up(self, group: int, found: list[_Candidate]) -> bool:
        """Whether all chunks of a row group were found, and are what it states."""
        struct = self._file.open_footer.row_group(group)
        compressed = sum(one.metadata.total_compressed_size for one in found)
        return (
            len(found) == len(self._columns)
            and struct.total_byte_size == sum(one.metadata.total_uncompressed_size for one in found)
            and struct.total_compressed_size in (None, compressed)
            and struct.file_offset in (None, min(one.start for one in found))
        )

    def _candidate(self, struct: structs.ColumnChunk, column: Column, rows: int) -> _Candidate | None:
        """A chunk as its metadata describe it, if they are in the usual form."""
        metadata = struct.meta_data
        start = usual_start(struct, column.leaf, rows, self._file.data_end)
        if metadata is None or start is None:
            return None
        others = (
            *(metadata.bloom_filter_offset, metadata.bloom_filter_length),
            *(metadata.index_page_offset, metadata.geospatial_statistics, metadata.key_value_metadata),
        )
        size = metadata.total_compressed_size
        if any(one is not None for one in others) or size > MAX_CHUNK or rows > PAGE_VALUES * _pages(metadata):
            return None
        return _Candidate(0, 0, start, start + size, metadata)

    def column(self, index: int) -> Column:
        """What is known of a column of candidates."""
        column = self._columns[index]
        assert column is not None
        return column

    def lists(self, metadata: structs.ColumnMetaData, values: frozenset[int], levels: frozenset[int]) -> bool:
        """Whether the encodings in use are listed; chunks of a column are mostly alike."""
        key = (*metadata.encodings, None, values, levels)
        known = self._listed.get(key)
        if known is None:
            known = self._listed[key] = not unlisted(metadata.encodings, values | levels)
        return known


def _pages(metadata: structs.ColumnMetaData) -> int:
    """How many pages a chunk has, by its metadata, whose counts may be wrong; 1 if these do not say."""
    counts = [one.count for one in metadata.encoding_stats or ()]
    return max(1, sum(one for one in counts if isinstance(one, int) and one > 0))


class _Batch:
    """Chunks that are proved sound together."""

    def __init__(self, chunks: SoundChunks, file: ParquetFile) -> None:
        self._chunks, self._file = chunks, file
        self._waiting: list[_Candidate] = []
        self._start = self._end = self._decompressed = self._values = 0
        self._begun = 0
        self.proved: list[_Candidate] = []

    @property
    def is_full(self) -> bool:
        """Whether enough chunks were added for one batch."""
        return (
            self._begun > 0
            or len(self._waiting) > BATCH_CHUNKS // 2
            or self._end - self._start > BATCH_BYTES // 2
            or self._decompressed > BATCH_DECOMPRESSED // 2
            or self._values > BATCH_VALUES // 2
        )

    def add(self, one: _Candidate) -> None:
        """Adds a chunk; if there is no room for it, the others are proved first."""
        start, end = min(self._start, one.start), max(self._end, one.end)
        full = self._decompressed > BATCH_DECOMPRESSED or self._values > BATCH_VALUES
        full = full or len(self._waiting) >= BATCH_CHUNKS
        if self._waiting and (full or end - start > BATCH_BYTES):
            self.prove()
        if not self._waiting:
            start, end = one.start, one.end
        self._start, self._end = start, end
        self._decompressed += one.metadata.total_uncompressed_size
        self._values += one.metadata.num_values
        self._waiting.append(one)

    def prove(self) -> None:
        """Looks at the pages of the chunks that wait."""
        waiting, self._waiting = self._waiting, []
        size, self._decompressed, self._values = self._decompressed, 0, 0
        self._begun += 1
        budget = self._file.budget
        if not waiting or not budget.has_room(8 * size, 16 * len(waiting)):
            return  # the rules stop where the work is too much
        budget.charge(size, 2 * len(waiting), address="")
        raw = bytes(self._file.source.read(self._start, self._end - self._start))
        data, marked = memoryview(raw), any(mark in raw for mark in EXTENSION_MARKS)
        by_column: dict[int, list[tuple[_Candidate, Contents]]] = {}
        for one in waiting:
            own = data[one.start - self._start : one.end - self._start]
            if marked and any(mark in bytes(own) for mark in EXTENSION_MARKS):
                continue
            try:
                contents = self._contents(one, own)
            except LimitExceededError:
                raise
            except ParquetError:
                continue
            if contents is not None:
                by_column.setdefault(one.column, []).append((one, contents))
        for column, found in by_column.items():
            for at in self._chunks.column(column).sound([contents for _, contents in found]):
                self.proved.append(found[at][0])

    def _contents(self, one: _Candidate, data: memoryview) -> Contents | None:
        """The pages of a chunk, decoded as far as the column's values need it; None if anything is unusual."""
        column, metadata = self._chunks.column(one.column), one.metadata
        pages = list(frames(data, self._file.limits.page_values))
        if not pages or not self._agree(one, pages, len(data)):
            return None
        one.pages = len(pages)
        one.checksums = any(header.crc is not None for header, _, _ in pages)
        contents = Contents(metadata)
        limits, codec = self._file.limits, metadata.codec
        for header, start, end in pages:
            stored = data[start:end]
            if header.crc is not None and zlib.crc32(stored) != header.crc & 0xFFFFFFFF:
                return None
            if header.type == PageType.DATA_PAGE_V2:
                page = _page_v2(header, stored, codec, column, limits)
            else:
                body = codecs.decompress(codec, stored, header.uncompressed_page_size, limits=limits)
                if header.type == PageType.DICTIONARY_PAGE:
                    entries = header.dictionary_page_header
                    if entries is None or entries.is_sorted or entries.encoding not in _PLAIN:
                        return None
                    if not column.set_dictionary(contents, body, entries.num_values):
                        return None
                    continue
                page = _page_v1(header, body, column)
            if page is None or not column.add(contents, page):
                return None
        return contents if contents.num_values == metadata.num_values else None

    def _agree(self, one: _Candidate, frames: list[Frame], size: int) -> bool:
        """Whether sizes, offsets and encodings of the metadata are those of the pages."""
        metadata, column = one.metadata, self._chunks.column(one.column)
        has_dictionary = metadata.dictionary_page_offset is not None
        begins = [0, *(end for _, _, end in frames)]
        if begins.pop() != size or not has_dictionary < len(frames):
            return False
        total = 0
        used: Counter[tuple[int, int]] = Counter()
        levels: set[int] = set()
        for number, (begin, (header, start, _)) in enumerate(zip(begins, frames, strict=True)):
            if (header.type == PageType.DICTIONARY_PAGE) != (has_dictionary and not number):
                return False
            total += start - begin + header.uncompressed_page_size
            part = header.dictionary_page_header or header.data_page_header or header.data_page_header_v2
            assert part is not None
            used[header.type, part.encoding] += 1
            if header.data_page_header is not None and column.leaf.max_definition_level:
                levels.add(header.data_page_header.definition_level_encoding)
        if one.start + begins[has_dictionary] != metadata.data_page_offset:
            return False
        stated: Counter[tuple[int, int]] = Counter()
        for count in metadata.encoding_stats or ():
            if structs.missing(count):
                return False
            stated[count.page_type, count.encoding] += count.count
        return (
            total == metadata.total_uncompressed_size
            and (metadata.encoding_stats is None or +stated == used)
            and self._chunks.lists(metadata, frozenset(encoding for _, encoding in used), frozenset(levels))
        )


_PLAIN = (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY)


def _page_v1(header: structs.PageHeader, body: memoryview, column: Column) -> Page | None:
    part, maximum = header.data_page_header, column.leaf.max_definition_level
    assert part is not None
    levels = None
    if maximum:
        end = 4 + int.from_bytes(body[:4], "little")
        if part.definition_level_encoding != Encoding.RLE or len(body) < 4 or end > len(body):
            return None
        levels, body = body[4:end], body[end:]
    return _page(part.num_values, part.encoding, part.statistics, levels, body, column)


def _page_v2(header: structs.PageHeader, stored: memoryview, codec: int, column: Column, limits: Limits) -> Page | None:
    part, maximum = header.data_page_header_v2, column.leaf.max_definition_level
    assert part is not None
    length = part.definition_levels_byte_length
    size = header.uncompressed_page_size - length
    if part.repetition_levels_byte_length or not 0 <= length <= len(stored) or size < 0:
        return None
    if bool(length) != bool(maximum) or part.num_rows != part.num_values or part.encoding == Encoding.PLAIN_DICTIONARY:
        return None
    levels, body = stored[:length] if maximum else None, stored[length:]
    if codec and part.is_compressed is not False and len(body):
        body = codecs.decompress(codec, body, size, limits=limits)
    elif len(body) != size:
        return None
    page = _page(part.num_values, part.encoding, part.statistics, levels, body, column)
    return page if page is not None and page.num_values - page.present == part.num_nulls else None


def _page(
    count: int,
    encoding: int,
    statistics: structs.Statistics | None,
    levels: memoryview | None,
    values: memoryview,
    column: Column,
) -> Page | None:
    """A data page with its definition levels counted; None if they are not a few runs that fill their bytes."""
    maximum = column.leaf.max_definition_level
    if not count:
        return None
    if levels is None:
        return Page(count, count, None, encoding, statistics, values)
    if levels == column.all_present(count):
        histogram = np.zeros(maximum + 1, np.int64)
        histogram[maximum] = count
        return Page(count, count, histogram, encoding, statistics, values)
    width = maximum.bit_length()
    if not fills(levels, width, count, 0):
        return None
    found: Levels = rle.decode(levels, width, count)
    histogram = np.bincount(found, minlength=maximum + 1)
    if len(histogram) > maximum + 1:
        return None
    return Page(count, int(histogram[maximum]), histogram, encoding, statistics, values)
