"""All values of a column chunk: its pages' levels and physical values, one after the other.

Large chunks go two short cuts. Where their values are for Arrow (see `bulk`), Arrow decodes them; and where levels say
null or not and nothing else, the pages are decompressed right into the place where Arrow reads them, levels included.
Whatever is out of the ordinary, damage above all, is left to the pages themselves, which say what is wrong.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import bulk, codecs, logical, types
from pqexplore.engine.cache import Scratch
from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.tree import Finding

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.schema import Leaf

BINARY_MAXIMUM = (1 << 31) - 1
"""Bytes that an Arrow binary array can hold; beyond, it is a large_binary."""


@dataclasses.dataclass
class Decoded:
    """One column chunk, decoded but for its logical type.

    Where `nullable`, there are no levels: the array has the column's nulls already.
    """

    definition_levels: np.ndarray[Any, Any] | None
    repetition_levels: np.ndarray[Any, Any] | None
    physical: pa.Array
    nullable: bool = False


def decode_chunk(chunk: ColumnChunk, spend: Any = lambda amount, page: None) -> Decoded:
    """All pages of a chunk: levels and physical values, one after the other."""
    chunk.require_readable()
    with chunk.in_memory():
        return _decode_pages(chunk, spend)


def _value_bytes(leaf: Leaf) -> int:
    """What levels and value of one value come to at least; runs and nulls take next to no bytes in the file."""
    levels = bool(leaf.max_definition_level) + bool(leaf.max_repetition_level)
    widths: dict[int, int] = {Type.BOOLEAN: 0, Type.INT64: 8, Type.DOUBLE: 8, Type.INT96: 12}
    return levels + widths.get(leaf.physical_type, 4)


def _decode_pages(chunk: ColumnChunk, spend: Any) -> Decoded:
    definition, repetition = [], []
    leaf = chunk.leaf
    found = chunk.frames
    if found.error is not None:
        raise found.error
    pages, values = [], 0
    each, scratch = _value_bytes(leaf), Scratch()
    for index, frame in enumerate(found.frames):
        if frame.ordinal is None and frame.header.type != PageType.DICTIONARY_PAGE:
            continue
        page = Page(chunk, index, frame, scratch)
        count = page.num_values
        spend(max(frame.header.uncompressed_page_size, count * each), page)
        if frame.ordinal is not None:
            pages.append(page)
            values += count
    large = values >= bulk.LEAST_VALUES
    flat = _is_flat(leaf)
    if large and flat:
        made = _flat(chunk, pages, spend)
        if made is not None:
            return made
    for page in pages:
        _check_page(page)
        levels = page.definition_levels
        if levels is not None:
            definition.append(levels)
        levels = page.repetition_levels
        if levels is not None:
            repetition.append(levels)
    return Decoded(
        _concatenate(definition) if leaf.max_definition_level else None,
        _concatenate(repetition) if leaf.max_repetition_level else None,
        _physical(chunk, pages, spend, in_bulk=large and not flat),
    )


def _is_flat(leaf: Leaf) -> bool:
    """Whether levels say null or not and nothing else, and nulls do not get in the way of the logical type."""
    if len(leaf.path) != 1 or leaf.max_repetition_level or leaf.max_definition_level > 1:
        return False
    if not leaf.max_definition_level:
        return True
    return leaf.physical_type != Type.INT96 and logical.annotation(leaf).name not in (
        "DECIMAL",
        "UNKNOWN",
    )


def _flat(chunk: ColumnChunk, pages: list[Page], spend: Any) -> Decoded | None:
    """Values and nulls of a large chunk, by Arrow; None where anything is out of the ordinary."""
    nullable = chunk.leaf.max_definition_level == 1
    codec = chunk.metadata.codec
    bodies = []
    for page in pages:
        body = _PageBody(page, codec, nullable)
        if not body.is_usual:
            return None
        bodies.append(body)
    array = _in_bulk(chunk, bodies, spend, nullable=nullable)
    if array is None:
        return None
    nulls = [body.num_nulls for body in bodies]
    if nulls[0] is not None and array.null_count != sum(number or 0 for number in nulls):
        return None
    return Decoded(None, None, array, nullable=nullable)


class _PageBody:
    """A page of a flat column as a `bulk.Body`: levels, if there are any, and values, decompressed in place."""

    __slots__ = (
        "_codec",
        "_levels",
        "_nullable",
        "_page",
        "count",
        "encoding",
        "num_nulls",
        "size",
    )

    def __init__(self, page: Page, codec: int, nullable: bool) -> None:
        header = page.header
        self._page = page
        self._codec = codec
        self._nullable = nullable
        self._levels: tuple[int, int] | None = None
        """Where a V2 page has its definition levels, which are not compressed."""
        self.num_nulls: int | None = None
        self.size: int = header.uncompressed_page_size
        part = header.data_page_header
        if header.type == PageType.DATA_PAGE_V2:
            part = header.data_page_header_v2
            self.num_nulls = part.num_nulls
            before = part.repetition_levels_byte_length
            self._levels = (before, before + part.definition_levels_byte_length)
            self.size += (4 - before) if nullable else -self._levels[1]
        self.count: int = part.num_values
        self.encoding: int = part.encoding

    @property
    def is_usual(self) -> bool:
        """Whether the page can be taken as it is: no wrong checksum, and levels that Arrow knows."""
        page, header = self._page, self._page.header
        if not self.count or self.size < 0 or page.crc_ok is False:
            return False
        if header.uncompressed_page_size > page.chunk.file.limits.page_bytes:
            return False
        return (
            not self._nullable
            or self._levels is not None
            or header.data_page_header.definition_level_encoding == Encoding.RLE
        )

    def fill(self, room: memoryview) -> int:
        """Decrypt and decompress; CorruptFileError where the page is not what its header says."""
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
        codec, v2 = self._codec, self._page.header.data_page_header_v2
        if not codec or (self._levels and (v2.is_compressed is False or not len(stored))):
            if len(stored) != len(room):
                raise CorruptFileError("the page is not as long as its header says")
            room[:] = stored
        else:
            codecs.decompress_into(codec, stored, room, limits=self._page.chunk.file.limits)


def _in_bulk(
    chunk: ColumnChunk, bodies: Sequence[bulk.Body], spend: Any, *, nullable: bool
) -> pa.Array | None:
    dictionary = chunk.dictionary_page
    entries, stored = None, None
    if dictionary is not None:
        entries, stored = dictionary.physical, dictionary.body.section("values").data
    most = chunk.file.limits.read_bytes
    array = bulk.decode(chunk.leaf, bodies, entries, stored, nullable=nullable, most=most)
    if array is not None and dictionary is not None:
        spend(array.nbytes, dictionary)
    return array


def _physical(chunk: ColumnChunk, pages: list[Page], spend: Any, *, in_bulk: bool) -> pa.Array:
    """The values of all data pages as they are stored: of many by Arrow, else, and wherever it balks, by us."""
    if in_bulk:
        sections = [
            bulk.Section(page.body.section("values").data, page.num_present, page.encoding)
            for page in pages
            if page.encoding is not None and (page.num_present or not len(page.physical))
        ]
        if len(sections) == len(pages):
            array = _in_bulk(chunk, sections, spend, nullable=False)
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
    """What a data page says of itself twice must agree; a wrong checksum is a finding."""
    if page.crc_ok is False:
        page.chunk.file.note(crc_finding(page))
    header = page.header
    if header.type == PageType.DATA_PAGE_V2:
        said, found = header.data_page_header_v2.num_nulls, page.num_values - page.num_present
        if page.chunk.leaf.max_repetition_level == 0 and said != found:
            page.chunk.file.note(
                Finding(
                    "null-count-disagrees",
                    "warning",
                    page.address,
                    f"the page header's num_nulls is {said:,}, its definition levels have {found:,}",
                    {"num_nulls": said, "definition_levels": found},
                    "DataPageHeaderV2.num_nulls: number of NULL values in this data page",
                )
            )


def crc_finding(page: Page) -> Finding:
    """The finding of a page whose checksum is wrong."""
    return Finding(
        "crc-mismatch",
        "error",
        page.address,
        "the page's CRC32 is not that of its bytes; they were damaged after they were written, or the checksum is wrong",
        {"crc": (page.header.crc or 0) & 0xFFFFFFFF},
        "Pages of all kinds can be individually checksummed",
    )


def _concatenate(parts: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    if not parts:
        return np.zeros(0, np.uint8)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def concatenate_arrays(parts: list[pa.Array], empty: pa.DataType) -> pa.Array:
    """Arrays of one physical type as one; binary becomes large_binary where 32-bit offsets do not reach."""
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
