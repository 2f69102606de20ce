"""Pages: a header and a body, made from sections that are encoded already.

`page_v1`, `page_v2` and `dictionary_page` compress, checksum and count; each field of the header can be overridden by
name (see `override`), with whatever wrong value a test needs. So the writer and those who assemble files by hand make
their pages here, and nothing about a page is known anywhere else.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from pqexplore.engine import codecs
from pqexplore.engine.encodings import bit_packed, rle
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.encode import encode
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding, PageType

Levels = np.ndarray[Any, Any]
Seal = Callable[[bytes], bytes]

PLAIN, RLE = int(Encoding.PLAIN), int(Encoding.RLE)


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """A page to be written: its header, and its body as it lies in the file."""

    header: structs.PageHeader
    body: bytes

    @property
    def stored(self) -> bytes:
        """Header and body, one after the other, as a file that is not encrypted has them."""
        return encode(self.header) + self.body

    @property
    def is_data(self) -> bool:
        """Whether it is a data page of either version."""
        return self.header.type in (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)

    @property
    def uncompressed(self) -> int:
        """Bytes of the body when decompressed, as the header says; 0 where it does not."""
        return int(self.header.uncompressed_page_size or 0)


@dataclasses.dataclass(frozen=True, slots=True)
class Packing:
    """How the bodies of a chunk's pages are compressed, sealed and checksummed."""

    codec: int = int(CompressionCodec.UNCOMPRESSED)
    level: int | None = None
    checksum: bool = True
    seal: Seal | None = None

    def compress(self, data: bytes) -> bytes:
        """`data` under the codec."""
        return codecs.compress(self.codec, data, self.level)


BARE = Packing()
"""Neither compressed nor encrypted, with a checksum."""


def levels_v1(levels: Levels | None, maximum: int, encoding: int = RLE) -> bytes:
    """The levels section of a V1 page: with their length in front, or bit-packed; nothing where the maximum is 0."""
    if levels is None or not maximum:
        return b""
    width = maximum.bit_length()
    if encoding == Encoding.BIT_PACKED:
        return bit_packed.encode(levels, width)
    runs = _runs(levels, width)
    return len(runs).to_bytes(4, "little") + runs


def levels_v2(levels: Levels | None, maximum: int) -> bytes:
    """The levels section of a V2 page, whose length is in the header; nothing where the maximum is 0."""
    return b"" if levels is None or not maximum else _runs(levels, maximum.bit_length())


def _runs(levels: Levels, width: int) -> bytes:
    return rle.encode(levels, width) if len(levels) else b""


def page_v1(
    values: bytes,
    num_values: int,
    encoding: int = PLAIN,
    /,
    *,
    repetition_levels: bytes = b"",
    definition_levels: bytes = b"",
    level_encoding: int = RLE,
    statistics: structs.Statistics | None = None,
    packing: Packing = BARE,
    **fields: Any,
) -> Page:
    """A data page, version 1: levels and values compressed together.

    The sections are bytes (`levels_v1`); `fields` override fields of the DataPageHeader and the PageHeader.
    """
    body = repetition_levels + definition_levels + values
    part = structs.DataPageHeader(
        num_values=num_values,
        encoding=encoding,
        definition_level_encoding=level_encoding,
        repetition_level_encoding=level_encoding,
        statistics=statistics,
    )
    header = structs.PageHeader(type=int(PageType.DATA_PAGE), data_page_header=part)
    return _finish(header, part, packing.compress(body), len(body), packing, fields)


def page_v2(
    values: bytes,
    num_values: int,
    num_rows: int,
    num_nulls: int = 0,
    encoding: int = PLAIN,
    /,
    *,
    repetition_levels: bytes = b"",
    definition_levels: bytes = b"",
    statistics: structs.Statistics | None = None,
    packing: Packing = BARE,
    **fields: Any,
) -> Page:
    """A data page, version 2: levels as they are, then the values, compressed where there are any.

    The sections are bytes (`levels_v2`); `fields` override fields of the DataPageHeaderV2 and the PageHeader.
    """
    levels = repetition_levels + definition_levels
    compressed = packing.codec != CompressionCodec.UNCOMPRESSED and bool(values)
    part = structs.DataPageHeaderV2(
        num_values=num_values,
        num_nulls=num_nulls,
        num_rows=num_rows,
        encoding=encoding,
        definition_levels_byte_length=len(definition_levels),
        repetition_levels_byte_length=len(repetition_levels),
        is_compressed=compressed,
        statistics=statistics,
    )
    header = structs.PageHeader(type=int(PageType.DATA_PAGE_V2), data_page_header_v2=part)
    body = levels + (packing.compress(values) if compressed else values)
    return _finish(header, part, body, len(levels) + len(values), packing, fields)


def dictionary_page(
    values: bytes,
    num_values: int,
    encoding: int = PLAIN,
    /,
    *,
    is_sorted: bool | None = None,
    packing: Packing = BARE,
    **fields: Any,
) -> Page:
    """A dictionary page; `fields` override fields of the DictionaryPageHeader and the PageHeader."""
    part = structs.DictionaryPageHeader(
        num_values=num_values, encoding=encoding, is_sorted=is_sorted
    )
    header = structs.PageHeader(type=int(PageType.DICTIONARY_PAGE), dictionary_page_header=part)
    return _finish(header, part, packing.compress(values), len(values), packing, fields)


def other_page(body: bytes, type: int, /, *, packing: Packing = BARE, **fields: Any) -> Page:
    """A page of any type: an INDEX_PAGE, or one that the format does not know."""
    header = structs.PageHeader(type=type)
    if type == PageType.INDEX_PAGE:
        header.index_page_header = structs.IndexPageHeader()
    return _finish(header, header, packing.compress(body), len(body), packing, fields)


def _finish(
    header: structs.PageHeader,
    part: Any,
    body: bytes,
    uncompressed: int,
    packing: Packing,
    fields: dict[str, Any],
) -> Page:
    if packing.seal is not None:
        body = packing.seal(body)
    header.uncompressed_page_size = uncompressed
    header.compressed_page_size = len(body)
    if packing.checksum:
        crc = zlib.crc32(body)
        header.crc = crc - (1 << 32) if crc >> 31 else crc
    for name, value in fields.items():
        override(header if name in _PAGE_HEADER else part, name, value)
    return Page(header, body)


_PAGE_HEADER = frozenset(field.name for field in structs.PageHeader.FIELDS)


def override(struct: structs.Struct, name: str, value: Any) -> None:
    """Set a field of a struct by name, to a value or to a function of what it was; TypeError where it has none.

    `_extension` is a field here, too: the bytes of field 32767.
    """
    if name != "_extension" and all(field.name != name for field in struct.FIELDS):
        raise TypeError(f"{struct.NAME} has no field {name!r}")
    setattr(struct, name, value(getattr(struct, name)) if callable(value) else value)
