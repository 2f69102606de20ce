"""Rows about the pages of column chunks in the usual form (`engine.file.usual_chunks`), made without handles.

The cells are those that `across.pages` makes of a page's handle. Of a chunk in which anything is unusual there is no row
here; `tests/insight/across/test_usual_pages.py` compares both ways.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file import page_levels
from pqexplore.engine.file.page_sections import Section
from pqexplore.engine.file.usual_chunks import Frame, frames, usual_start
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift import c_reader, fast, structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, enum_name
from pqexplore.engine.span import Span
from pqexplore.insight.across.scope import Scope, address_of

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

_SPAN = Span(0, 0)
"""Of a section whose place does not matter."""


@dataclasses.dataclass(frozen=True, slots=True)
class UsualChunk:
    """Where the pages of a chunk in the usual form are, how they are compressed, and how many values they have."""

    start: int
    size: int
    uncompressed: int
    codec: int
    num_values: int


class UsualPages:
    """The column chunks of a scope in the usual form, and the cells of their pages."""

    def __init__(self, scope: Scope) -> None:
        self._file = scope.file
        self._rows: dict[int, int | None] = {}
        self._present: dict[tuple[int, int], bytes] = {}
        self._chunks: dict[tuple[int, int], UsualChunk] = {}
        file = scope.file
        if not file.source.local or file.footer.cipher is not None or file.footer.raw is None or not c_reader.WORKS:
            return
        leaves = len(file.schema.leaves)
        for group, leaf in scope.places():
            found = _usual(file, group, leaf, self._rows_of(group), leaves)
            if found is not None:
                self._chunks[group, leaf.leaf_index] = found

    def chunk(self, group: int, leaf: Leaf) -> UsualChunk | None:
        """A column chunk, if it is in the usual form as far as its metadata say."""
        return self._chunks.get((group, leaf.leaf_index))

    def cells(self, group: int, leaf: Leaf) -> list[dict[str, Any]] | None:
        """The cells of all pages of a chunk but bounds as values; None if any page is unusual.

        LimitExceededError if the question must stop.
        """
        chunk, file = self.chunk(group, leaf), self._file
        if chunk is None:
            return None
        try:
            data = memoryview(file.source.read(chunk.start, chunk.size))
            found = list(frames(data, file.limits.page_values))
            ends = found[-1][2] if found else 0
            counts = sum(header.data_page_header.num_values for header, _, _ in found if header.data_page_header)
            counts += sum(header.data_page_header_v2.num_values for header, _, _ in found if header.data_page_header_v2)
            if ends != chunk.size or counts != chunk.num_values or len(found) > file.limits.chunk_pages:
                return None
            address = address_of(group, leaf)
            size = sum(header.uncompressed_page_size for header, _, _ in found)
            file.budget.charge(size, len(found), address=address)
            return list(self._pages(chunk, leaf, data, found))
        except LimitExceededError:
            if file.budget.exhausted:
                raise
            return None
        except (ParquetError, _UnusualError):
            return None

    def _rows_of(self, group: int) -> int | None:
        """The rows of a row group; None if it is damaged."""
        if group not in self._rows:
            try:
                self._rows[group] = self._file.open_footer.row_group(group).num_rows
            except ParquetError:
                self._rows[group] = None
        return self._rows[group]

    def _pages(self, chunk: UsualChunk, leaf: Leaf, data: memoryview, found: list[Frame]) -> Iterator[dict[str, Any]]:
        begin = first = 0
        for page, (header, start, end) in enumerate(found):
            stored, crc = data[start:end], header.crc
            cells: dict[str, Any] = {
                "page": page,
                "offset": chunk.start + begin,
                "type": _name(PageType, header.type),
                "header_bytes": start - begin,
                "stored_bytes": end - start,
                "bytes": header.uncompressed_page_size,
                "grows": end - start > header.uncompressed_page_size and chunk.codec != CompressionCodec.UNCOMPRESSED,
                "repetition_bytes": 0,
            }
            computed = zlib.crc32(stored)
            cells["crc_computed"] = f"{computed:08x}"
            if crc is not None:
                cells["crc"], cells["crc_ok"] = f"{crc & 0xFFFFFFFF:08x}", computed == crc & 0xFFFFFFFF
            if header.dictionary_page_header is not None:
                self._add_dictionary(cells, header.dictionary_page_header, header, stored, chunk.codec)
            else:
                if header.data_page_header is not None:
                    self._add_v1(cells, header, self._opened(chunk.codec, stored, header.uncompressed_page_size), leaf)
                else:
                    self._add_v2(cells, header, stored, chunk.codec, leaf)
                cells["first_row"], cells["rows"] = first, cells["values"]
                first += cells["values"]
            begin = end
            yield cells

    def _opened(self, codec: int, stored: memoryview, size: int) -> memoryview:
        self._file.limits.check("page_bytes", size, "a page")
        return codecs.decompress(codec, stored, size, limits=self._file.limits)

    def _add_dictionary(
        self,
        cells: dict[str, Any],
        part: structs.DictionaryPageHeader,
        header: structs.PageHeader,
        stored: memoryview,
        codec: int,
    ) -> None:
        """What the header and the body of a dictionary page say."""
        cells["encoding"], cells["values"] = _name(Encoding, part.encoding), part.num_values
        cells["nulls"] = cells["definition_bytes"] = 0
        cells["value_bytes"] = len(self._opened(codec, stored, header.uncompressed_page_size))

    def _add_v1(self, cells: dict[str, Any], header: structs.PageHeader, body: memoryview, leaf: Leaf) -> None:
        """What the header and the body of a V1 data page say. ParquetError if it is damaged, or unusual."""
        part = header.data_page_header
        assert part is not None
        length = 0
        if leaf.max_definition_level:
            length = 4 + int.from_bytes(body[:4], "little")
            if part.definition_level_encoding != Encoding.RLE or not 4 <= length <= len(body):
                raise _UnusualError
            cells["level_encodings"] = _name(Encoding, Encoding.RLE)
        self._add(cells, header, part, body[:length], length and 4, leaf)
        cells["value_bytes"] = len(body) - length

    def _add_v2(
        self, cells: dict[str, Any], header: structs.PageHeader, stored: memoryview, codec: int, leaf: Leaf
    ) -> None:
        """The same of a V2 data page."""
        part = header.data_page_header_v2
        assert part is not None
        length = part.definition_levels_byte_length
        values, size = stored[length:], header.uncompressed_page_size - length
        if part.repetition_levels_byte_length or not 0 <= length <= len(stored) or size < 0:
            raise _UnusualError
        if bool(length) != bool(leaf.max_definition_level) or part.num_rows != part.num_values:
            raise _UnusualError
        if codec and part.is_compressed is not False and len(values):
            values = self._opened(codec, values, size)
        elif len(values) != size:
            raise _UnusualError
        if leaf.max_definition_level:
            cells["level_encodings"] = _name(Encoding, Encoding.RLE)
        self._add(cells, header, part, stored[:length], 0, leaf)
        if cells["nulls"] != part.num_nulls:
            raise _UnusualError
        cells["value_bytes"] = size

    def _add(
        self,
        cells: dict[str, Any],
        header: structs.PageHeader,
        part: structs.DataPageHeader | structs.DataPageHeaderV2,
        levels: memoryview,
        prefix: int,
        leaf: Leaf,
    ) -> None:
        """Levels, nulls and bounds of a data page; the levels begin with their length if there is a `prefix`."""
        cells["encoding"], cells["values"] = _name(Encoding, part.encoding), part.num_values
        cells["definition_bytes"], cells["nulls"] = len(levels), 0
        count, maximum = part.num_values, leaf.max_definition_level
        if maximum and levels[prefix:] != self._all_present(count, maximum):
            section = Section("definition_levels", levels, _SPAN)
            found = page_levels.decode(header, section, maximum, count)
            cells["nulls"] = count - int((found == maximum).sum())
        if part.statistics is not None:
            known = bounds(leaf, part.statistics, self._file.created_by)
            if known is not None and (known.min_raw is not None or known.max_raw is not None):
                cells["bounds_from"] = "page header"
                cells["min_bytes"], cells["max_bytes"] = known.min_raw, known.max_raw

    def _all_present(self, count: int, maximum: int) -> bytes:
        """The definition levels of a page without nulls, as nearly all writers encode them: one run."""
        key = count, maximum
        known = self._present.get(key)
        if known is None:
            known = self._present[key] = rle.one_run(count, maximum)
        return known


class _UnusualError(Exception):
    """A page is not in the usual form. Raised, and caught, here only."""


_NAMES: dict[tuple[type, int], str] = {}


def _name(enum: type[PageType] | type[Encoding], number: int) -> str:
    known = _NAMES.get((enum, number))
    if known is None:
        known = _NAMES[enum, number] = enum_name(enum, number)
    return known


def _usual(file: ParquetFile, group: int, leaf: Leaf, rows: int | None, leaves: int) -> UsualChunk | None:
    """A chunk in the usual form as far as its metadata say."""
    offsets, raw = file.footer.chunk_offsets, file.footer.raw
    if raw is None or rows is None or group >= len(offsets) or len(offsets[group]) != leaves:
        return None
    try:
        struct = fast.decode(structs.ColumnChunk, raw, offsets[group][leaf.leaf_index])[0]
    except ParquetError:
        return None
    start, metadata = usual_start(struct, leaf, rows, file.data_end), struct.meta_data
    if start is None or metadata is None:
        return None
    size, uncompressed = metadata.total_compressed_size, metadata.total_uncompressed_size
    return UsualChunk(start, size, uncompressed, metadata.codec, metadata.num_values)
