"""Decompresses a page's body and cuts it into levels and values.

V1 pages compress levels and values together; V2 pages compress only the values. The spans of a `Body`'s sections are in
the file's own bytes if these are neither encrypted nor compressed, else in the page's decrypted or decompressed bytes.

Source: https://parquet.apache.org/docs/file-format/data-pages/.
"""

from __future__ import annotations

import dataclasses
import zlib
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, UndefinedNumberError, located
from pqexplore.engine.file.page_headers import PageFrame, part_v1, part_v2
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import bit_packed
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.limits import Limits
from pqexplore.engine.span import FILE, Span

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """The levels or the values of a page: their bytes and their place."""

    name: str
    data: memoryview
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Body:
    """A page's sections in the order of their bytes: repetition levels, definition levels, values.

    `spaces` has the decrypted or decompressed bytes that sections lie in, by the name of their space; empty if all
    sections are in the file's own bytes.
    """

    sections: tuple[Section, ...]
    spaces: dict[str, memoryview]

    def section(self, name: str) -> Section:
        """The section `name`; an empty one if the page has none."""
        for section in self.sections:
            if section.name == name:
                return section
        return Section(name, memoryview(b""), Span(0, 0))


def crc_ok(header: structs.PageHeader, stored: memoryview | bytes) -> bool | None:
    """Whether the CRC32 in the header is that of the body as stored; None if the header has none.

    Source: https://parquet.apache.org/docs/file-format/data-pages/checksumming/: CRC32 of the page without its header.
    """
    if header.crc is None:
        return None
    return bool(zlib.crc32(stored) == header.crc & 0xFFFFFFFF)


def open_body(
    frame: PageFrame, stored: memoryview, codec: int, leaf: Leaf, address: str, limits: Limits, *, decrypted: bool
) -> Body:
    """The sections of a page. `stored` is its body, decrypted if necessary. Raises ParquetError if it is damaged."""
    header = frame.header
    limits.check("page_bytes", header.uncompressed_page_size, "a page", offset=frame.header_end, address=address)
    direct = not decrypted
    with located(address, frame.header_end, direct=direct):
        if header.type == PageType.DATA_PAGE_V2:
            return _open_v2(frame, stored, codec, address, limits, direct)
        if codec == CompressionCodec.UNCOMPRESSED:
            if len(stored) != header.uncompressed_page_size:
                raise CorruptFileError(
                    f"an uncompressed page has {len(stored):,} bytes, its header says "
                    f"{header.uncompressed_page_size:,}",
                    offset=0,
                )
            data, space, base = stored, FILE if direct else f"{address}:decrypted", frame.header_end
            if not direct:
                base = 0
        else:
            data = memoryview(codecs.decompress(codec, stored, header.uncompressed_page_size, limits=limits))
            space, base, direct = f"{address}:decompressed", 0, False
    spaces = {} if space == FILE else {space: data}
    with located(address, frame.header_end, direct=direct):
        if header.type == PageType.DATA_PAGE:
            return Body(_cut_v1(part_v1(header), data, leaf, space, base), spaces)
    return Body((Section("values", data, Span(base, base + len(data), space)),), spaces)


def _cut_v1(header: structs.DataPageHeader, data: memoryview, leaf: Leaf, space: str, base: int) -> tuple[Section, ...]:
    sections = []
    at = 0
    for name, maximum, encoding in (
        ("repetition_levels", leaf.max_repetition_level, header.repetition_level_encoding),
        ("definition_levels", leaf.max_definition_level, header.definition_level_encoding),
    ):
        if not maximum:
            continue
        length = level_bytes(data[at:], encoding, maximum, header.num_values, name, at)
        sections.append(Section(name, data[at : at + length], Span(base + at, base + at + length, space)))
        at += length
    sections.append(Section("values", data[at:], Span(base + at, base + len(data), space)))
    return tuple(sections)


def level_bytes(data: memoryview, encoding: int, maximum: int, num_values: int, name: str, offset: int) -> int:
    """The length of a V1 page's level section, its 4-byte length included."""
    what = name.replace("_", " ")
    if encoding == Encoding.RLE:
        if len(data) < 4:
            if not num_values and not data:
                return 0
            raise CorruptFileError(
                f"the {what} begin with a 4-byte length, {len(data)} bytes are left in the page", offset=offset
            )
        length = int.from_bytes(data[:4], "little")
        if length > len(data) - 4:
            raise CorruptFileError(
                f"the {what} say that they are {length:,} bytes long, {len(data) - 4:,} are left in the page",
                offset=offset,
            )
        return 4 + length
    if encoding == Encoding.BIT_PACKED:
        length = bit_packed.length(num_values, maximum.bit_length())
        if length > len(data):
            raise CorruptFileError(
                f"the bit-packed {what} of {num_values:,} values take {length:,} bytes, {len(data):,} are left in the "
                "page",
                offset=offset,
            )
        return length
    raise UndefinedNumberError(
        f"the {what} are encoded with {structs.enum_name(Encoding, encoding)}; RLE and BIT_PACKED encode levels",
        offset=offset,
    )


def _open_v2(frame: PageFrame, stored: memoryview, codec: int, address: str, limits: Limits, direct: bool) -> Body:
    header = part_v2(frame.header)
    repetition, definition = (header.repetition_levels_byte_length, header.definition_levels_byte_length)
    levels = repetition + definition
    if levels > len(stored) or levels > frame.header.uncompressed_page_size:
        raise CorruptFileError(
            f"the levels of a V2 page take {levels:,} bytes, the page has {len(stored):,} "
            f"({frame.header.uncompressed_page_size:,} uncompressed)",
            offset=0,
        )
    space, base = (FILE, frame.header_end) if direct else (f"{address}:decrypted", 0)
    spaces = {} if direct else {space: stored}
    sections = []
    for name, start, end in (("repetition_levels", 0, repetition), ("definition_levels", repetition, levels)):
        if end > start:
            sections.append(Section(name, stored[start:end], Span(base + start, base + end, space)))
    expected = frame.header.uncompressed_page_size - levels
    packed = stored[levels:]
    if codec == CompressionCodec.UNCOMPRESSED or header.is_compressed is False or not len(packed):
        if len(packed) != expected:
            raise CorruptFileError(
                f"the uncompressed values of a V2 page have {len(packed):,} bytes, the header says {expected:,}",
                offset=levels,
            )
        values = Section("values", packed, Span(base + levels, base + len(stored), space))
        return Body((*sections, values), spaces)
    data = memoryview(codecs.decompress(codec, packed, expected, limits=limits))
    space = f"{address}:decompressed"
    values = Section("values", data, Span(0, len(data), space))
    return Body((*sections, values), {**spaces, space: data})
