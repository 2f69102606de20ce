"""Reads all values of a column chunk: the levels and physical values of its pages, joined.

Large chunks take two short cuts. If Arrow can decode their values, it does (see `arrow_fast_path`). If the levels only
say "null or not", pages are decompressed straight into the memory that Arrow reads, levels included. Anything unusual,
damage above all, is left to `Page`, which says what is wrong.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Levels
from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.file import arrow_fast_path, counts, value_findings
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.file.page_headers import part_v1, part_v2
from pqexplore.engine.file.source import Scratch
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import codecs, logical, types
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf

BINARY_MAXIMUM = (1 << 31) - 1
"""Bytes that an Arrow binary array can hold; a longer one is a large_binary."""

Spend = Callable[[int, Page], object]
"""Called with the bytes that a page is about to take; raises LimitExceededError if they are too many."""


def unlimited(amount: int, page: Page) -> None:
    """Accepts any number of bytes."""


@dataclasses.dataclass
class Decoded:
    """One column chunk, decoded up to its physical type.

    Levels have one entry a value, nulls included; None if the column's maximum is 0. If `nullable`, there are no levels:
    the array has the nulls.
    """

    definition_levels: Levels | None
    repetition_levels: Levels | None
    physical: pa.Array
    nullable: bool = False


def decode_chunk(chunk: ColumnChunk, spend: Spend = unlimited, *, again: bool = False) -> Decoded:
    """All pages of a chunk. Raises ParquetError for the first thing that cannot be read.

    `again`: its pages have just been decoded, so what the file's cache still has of them is used.
    """
    chunk.require_readable()
    with chunk.in_memory():
        return _decode_pages(chunk, spend, None if again else Scratch())


def decode_first(chunk: ColumnChunk, rows: int, spend: Spend = unlimited) -> Decoded:
    """The first `rows` rows of a chunk, from the pages that hold them. Raises ParquetError as `decode_chunk`."""
    chunk.require_readable()
    leaf, each = chunk.leaf, _value_bytes(chunk.leaf)
    definition: list[Levels] = []
    repetition: list[Levels] = []
    values, found = [], 0
    for page in chunk.pages:
        # A row of a list may go on in the next page, so the first row after the last one has to be seen, too.
        if found > rows or (found == rows and not leaf.max_repetition_level):
            break
        if not page.is_data:
            continue
        spend(max(page.header.uncompressed_page_size, page.num_values * each), page)
        _check_page(page)
        found += value_findings.num_rows(page)
        values.append(page.physical)
        for levels, parts in ((page.definition_levels, definition), (page.repetition_levels, repetition)):
            if levels is not None:
                parts.append(levels)
    joined = _concatenate(repetition)
    starts = np.flatnonzero(joined == 0) if leaf.max_repetition_level else None
    cut = rows if starts is None else int(starts[rows]) if rows < len(starts) else len(joined)
    levels = _concatenate(definition)[:cut]
    nullable = bool(leaf.max_definition_level)
    present = int(np.count_nonzero(levels == leaf.max_definition_level)) if nullable else cut
    physical = concatenate_arrays(values, types.physical_arrow_type(leaf))[:present]
    return Decoded(levels if nullable else None, None if starts is None else joined[:cut], physical)


def _value_bytes(leaf: Leaf) -> int:
    """Minimum bytes in memory of one value with its levels; in the file, runs and nulls take almost none."""
    levels = bool(leaf.max_definition_level) + bool(leaf.max_repetition_level)
    widths: dict[int, int] = {Type.BOOLEAN: 0, Type.INT64: 8, Type.DOUBLE: 8, Type.INT96: 12}
    return levels + widths.get(leaf.physical_type, 4)


def _decode_pages(chunk: ColumnChunk, spend: Spend, scratch: Scratch | None) -> Decoded:
    definition, repetition = [], []
    leaf = chunk.leaf
    walk = chunk.frames
    if walk.error is not None:
        raise walk.error
    pages, values = [], 0
    each = _value_bytes(leaf)
    for index, frame in enumerate(walk.frames):
        if frame.ordinal is None and frame.header.type != PageType.DICTIONARY_PAGE:
            continue
        page = Page(chunk, index, frame, scratch)
        count = page.num_values
        spend(max(frame.header.uncompressed_page_size, count * each), page)
        if frame.ordinal is not None:
            pages.append(page)
            values += count
    large = values >= arrow_fast_path.MIN_VALUES
    flat = _is_flat(leaf)
    if large and flat:
        decoded = _flat(chunk, pages, spend)
        if decoded is not None:
            return decoded
    for page in pages:
        _check_page(page)
        _note_rows(page)
        levels = page.definition_levels
        if levels is not None:
            definition.append(levels)
        levels = page.repetition_levels
        if levels is not None:
            repetition.append(levels)
    return Decoded(
        _concatenate(definition) if leaf.max_definition_level else None,
        _concatenate(repetition) if leaf.max_repetition_level else None,
        _physical(chunk, pages, spend, fast=large and not flat),
    )


def _is_flat(leaf: Leaf) -> bool:
    """Whether levels only say "null or not", and the logical type is made of values in the slots of nulls, too."""
    if len(leaf.path) != 1 or leaf.max_repetition_level or leaf.max_definition_level > 1:
        return False
    if not leaf.max_definition_level:
        return True
    return leaf.physical_type != Type.INT96 and logical.meaning(leaf).name not in ("DECIMAL", "UNKNOWN")


def _flat(chunk: ColumnChunk, pages: list[Page], spend: Spend) -> Decoded | None:
    """Values and nulls of a large chunk, by Arrow; None if anything is unusual."""
    nullable = chunk.leaf.max_definition_level == 1
    codec = chunk.metadata.codec
    bodies = []
    for page in pages:
        _note_rows(page)
    for page in pages:
        body = _FlatPage(page, codec, nullable)
        if not body.is_usual:
            return None
        bodies.append(body)
    array = _by_arrow(chunk, bodies, spend, nullable=nullable)
    if array is None:
        return None
    nulls = [body.num_nulls for body in bodies]
    if nulls[0] is not None and array.null_count != sum(number or 0 for number in nulls):
        return None
    return Decoded(None, None, array, nullable=nullable)


class _FlatPage:
    """A page of a flat column as an `EncodedPage`: decompresses levels, if there are any, and values in place."""

    __slots__ = ("_codec", "_levels", "_nullable", "_page", "count", "encoding", "num_nulls", "size")

    def __init__(self, page: Page, codec: int, nullable: bool) -> None:
        header = page.header
        self._page = page
        self._codec = codec
        self._nullable = nullable
        self._levels: tuple[int, int] | None = None
        """Start and end of a V2 page's definition levels, which are not compressed."""
        self.num_nulls: int | None = None
        self.size: int = header.uncompressed_page_size
        part: structs.DataPageHeader | structs.DataPageHeaderV2
        if header.type == PageType.DATA_PAGE_V2:
            part = part_v2(header)
            self.num_nulls = part.num_nulls
            before = part.repetition_levels_byte_length
            self._levels = (before, before + part.definition_levels_byte_length)
            self.size += (4 - before) if nullable else -self._levels[1]
        else:
            part = part_v1(header)
        self.count: int = page.num_values
        self.encoding: int = part.encoding

    @property
    def is_usual(self) -> bool:
        """Whether Arrow can read the page: no wrong checksum, and levels that Arrow knows."""
        page, header = self._page, self._page.header
        if not self.count or self.size < 0 or page.crc_ok is False:
            return False
        if header.uncompressed_page_size > page.chunk.file.limits.page_bytes:
            return False
        return (
            not self._nullable or self._levels is not None or part_v1(header).definition_level_encoding == Encoding.RLE
        )

    def fill(self, room: memoryview) -> int:
        """Decrypts and decompresses; CorruptFileError if the page is not what its header says."""
        stored = self._page.stored
        if self._levels is None:
            self._unpack(stored, room)
            if not self._nullable:
                return 0
            values = 4 + int.from_bytes(room[:4], "little")
        else:
            start, end = self._levels
            values = 4 + end - start if self._nullable else 0
            if end > len(stored) or values > len(room):
                raise CorruptFileError("the levels are longer than the page")
            if self._nullable:
                room[:4] = (end - start).to_bytes(4, "little")
                room[4:values] = stored[start:end]
            self._unpack(stored[end:], room[values:])
        if values > len(room):
            raise CorruptFileError("the levels are longer than the page")
        return values

    def _unpack(self, stored: memoryview, room: memoryview) -> None:
        codec, header = self._codec, self._page.header
        if not codec or (self._levels and (part_v2(header).is_compressed is False or not len(stored))):
            if len(stored) != len(room):
                raise CorruptFileError("the page is not as long as its header says")
            room[:] = stored
        else:
            codecs.decompress_into(codec, stored, room, limits=self._page.chunk.file.limits)


def _by_arrow(
    chunk: ColumnChunk, bodies: Sequence[arrow_fast_path.EncodedPage], spend: Spend, *, nullable: bool
) -> pa.Array | None:
    dictionary = chunk.dictionary_page
    entries, stored = None, None
    if dictionary is not None:
        entries, stored = dictionary.physical, dictionary.body.section("values").data
    most = chunk.file.limits.read_bytes
    array = arrow_fast_path.decode(chunk.leaf, bodies, entries, stored, nullable=nullable, most=most)
    if array is not None and dictionary is not None:
        spend(array.nbytes, dictionary)
    return array


def _physical(chunk: ColumnChunk, pages: list[Page], spend: Spend, *, fast: bool) -> pa.Array:
    """The physical values of all data pages. With `fast` Arrow decodes them if it can, else our decoders do."""
    if fast:
        sections = [
            arrow_fast_path.EncodedValues(page.body.section("values").data, page.num_present, page.encoding)
            for page in pages
            if page.encoding is not None and (page.num_present or not len(page.physical))
        ]
        if len(sections) == len(pages):
            array = _by_arrow(chunk, sections, spend, nullable=False)
            if array is not None:
                return array
    values = []
    for page in pages:
        physical = page.physical
        if page.encoding in DICTIONARY_ENCODINGS:
            spend(physical.nbytes, page)
        values.append(physical)
    return concatenate_arrays(values, types.physical_arrow_type(chunk.leaf))


def _check_page(page: Page) -> None:
    """Notes a finding for a wrong checksum, and for a header that counts other nulls than the levels have."""
    if page.crc_ok is False:
        page.chunk.file.note(crc_finding(page))
    header = page.header
    if header.type == PageType.DATA_PAGE_V2:
        stated, counted = part_v2(header).num_nulls, page.num_values - page.num_present
        if page.chunk.leaf.max_repetition_level == 0 and stated != counted:
            page.chunk.file.note(
                Finding(
                    "null-count-disagrees",
                    page.address,
                    f"the page header's num_nulls is {stated:,}, its definition levels have {counted:,}",
                    {"num_nulls": stated, "definition_levels": counted},
                    "DataPageHeaderV2.num_nulls: number of NULL values in this data page",
                )
            )


def _note_rows(page: Page) -> None:
    """Notes a finding if the header of a V2 page counts other rows than its levels have."""
    if page.header.type == PageType.DATA_PAGE_V2:
        finding = counts.rows_finding(page, value_findings.num_rows(page))
        if finding is not None:
            page.chunk.file.note(finding)


def shows_change(chunk: ColumnChunk, header: structs.PageHeader) -> bool:
    """Whether a page would show that its bytes were changed after they were written: by a checksum, or the tag of AES-GCM."""
    if header.crc is not None:
        return True
    cipher = chunk.column_cipher
    if cipher is None:
        return False
    from pqexplore.engine.format.encryption.modules import ModuleType  # files without encryption need none of it

    return not cipher.is_ctr(ModuleType.DATA_PAGE)


def crc_finding(page: Page) -> Finding:
    """The finding of a page whose checksum is wrong."""
    stored, computed = (page.header.crc or 0) & 0xFFFFFFFF, page.computed_crc
    return Finding(
        "crc-mismatch",
        page.address,
        f"the page header stores the CRC32 {stored:08x}, the page's bytes have {computed:08x}: the bytes or the checksum "
        "were changed",
        {"crc": stored, "computed": computed},
    )


def _concatenate(parts: list[Levels]) -> Levels:
    if not parts:
        return np.zeros(0, np.uint8)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def concatenate_arrays(parts: list[pa.Array], empty: pa.DataType) -> pa.Array:
    """Joins arrays of one physical type; binary becomes large_binary if 32-bit offsets are too small."""
    if not parts:
        return pa.array([], empty)
    if len(parts) == 1:
        return parts[0]
    if pa.types.is_binary(empty) and (
        any(pa.types.is_large_binary(part.type) for part in parts)
        or sum(part.nbytes for part in parts) > BINARY_MAXIMUM
    ):
        parts = [part.cast(pa.large_binary()) for part in parts]
    try:
        return pa.concat_arrays(parts)
    except (MemoryError, pa.ArrowMemoryError) as error:
        raise LimitExceededError(
            f"the column does not fit into memory: {error}; read fewer row groups at once", offset=0
        ) from None
