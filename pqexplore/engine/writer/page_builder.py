"""Builds pages, a header and a body, from sections that are already encoded.

`page_v1`, `page_v2` and `dictionary_page` compress the body, compute the checksum and fill in the header; each field of
the header can be overridden by name (see `override`), also with a wrong value. The writer and `assembly` both build
their pages here.
"""

from __future__ import annotations

import copy
import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import bit_packed, rle
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType

Levels = np.ndarray[Any, Any]
Encrypt = Callable[[bytes], bytes]

PLAIN, RLE = int(Encoding.PLAIN), int(Encoding.RLE)


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """A page to be written: its header, and its body as it is in the file."""

    header: structs.PageHeader
    body: bytes

    @property
    def stored(self) -> bytes:
        """Header and body as an unencrypted file has them."""
        return encode(self.header) + self.body

    @property
    def is_data(self) -> bool:
        """Whether it is a data page of either version."""
        return self.header.type in (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)

    @property
    def uncompressed(self) -> int:
        """Bytes of the decompressed body by the header; 0 if the header does not say."""
        return int(self.header.uncompressed_page_size or 0)


@dataclasses.dataclass(frozen=True, slots=True)
class Packing:
    """How the bodies of a chunk's pages are compressed, encrypted and checksummed."""

    codec: int = int(CompressionCodec.UNCOMPRESSED)
    level: int | None = None
    checksum: bool = True
    encrypt: Encrypt | None = None

    def compress(self, data: bytes) -> bytes:
        """`data`, compressed."""
        return codecs.compress(self.codec, data, self.level)


BARE = Packing()
"""Neither compressed nor encrypted, with a checksum."""


def levels_v1(levels: Levels | None, maximum: int, encoding: int = RLE) -> bytes:
    """The levels section of a V1 page: RLE with a length prefix, or bit-packed; empty if the maximum is 0."""
    if levels is None or not maximum:
        return b""
    width = maximum.bit_length()
    if encoding == Encoding.BIT_PACKED:
        return bit_packed.encode(levels, width)
    runs = _runs(levels, width)
    return len(runs).to_bytes(4, "little") + runs


def levels_v2(levels: Levels | None, maximum: int) -> bytes:
    """The levels section of a V2 page, whose length is in the header; empty if the maximum is 0."""
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
    """A data page V1: levels and values are compressed together.

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
    """A data page V2: uncompressed levels, then the values, compressed unless there are none.

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
    part = structs.DictionaryPageHeader(num_values=num_values, encoding=encoding, is_sorted=is_sorted)
    header = structs.PageHeader(type=int(PageType.DICTIONARY_PAGE), dictionary_page_header=part)
    return _finish(header, part, packing.compress(values), len(values), packing, fields)


def other_page(body: bytes, type: int, /, *, packing: Packing = BARE, **fields: Any) -> Page:
    """A page of another type: INDEX_PAGE, or a number that the format does not define."""
    header = structs.PageHeader(type=type)
    if type == PageType.INDEX_PAGE:
        header.index_page_header = structs.IndexPageHeader()
    return _finish(header, header, packing.compress(body), len(body), packing, fields)


def recompressed(page: Page, packing: Packing) -> Page:
    """A page that is neither compressed nor encrypted, under another packing."""
    header = copy.copy(page.header)
    levels = 0
    compressed = True
    if header.data_page_header_v2 is not None:
        part = copy.copy(header.data_page_header_v2)
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        compressed = packing.codec != CompressionCodec.UNCOMPRESSED and len(page.body) > levels
        part.is_compressed = compressed
        header.data_page_header_v2 = part
    values = page.body[levels:]
    body = page.body[:levels] + (packing.compress(values) if compressed else values)
    return _finish(header, header, body, page.uncompressed, packing, {})


def _finish(
    header: structs.PageHeader,
    part: structs.Struct,
    body: bytes,
    uncompressed: int,
    packing: Packing,
    fields: dict[str, Any],
) -> Page:
    if packing.encrypt is not None:
        body = packing.encrypt(body)
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
    """Set a field of a struct by name: to a value, or to the result of a function of the present value.

    `_extension`, the bytes of field 32767, counts as a field. Raises TypeError if the struct has no such field.
    """
    if name != "_extension" and all(field.name != name for field in struct.FIELDS):
        raise TypeError(f"{struct.NAME} has no field {name!r}")
    setattr(struct, name, value(getattr(struct, name)) if callable(value) else value)
