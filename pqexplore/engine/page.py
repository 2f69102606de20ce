"""One page, as a person or a program holds it: header, levels, values, and how each was derived from bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import sections, types
from pqexplore.engine.cache import Cache, Scratch
from pqexplore.engine.encodings import bit_packed, dictionary, rle, value_encoding
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import (
    CorruptFileError,
    UnsupportedFeatureError,
    located,
    within_memory,
)
from pqexplore.engine.pages import DATA_PAGES, Frame, num_values, page_struct
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType
from pqexplore.engine.tree import FILE, Span, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

DICTIONARY_ENCODINGS = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
TRACED_FROM_ANYWHERE = (
    Encoding.PLAIN,
    Encoding.RLE,
    Encoding.DELTA_BINARY_PACKED,
    Encoding.DELTA_LENGTH_BYTE_ARRAY,
    Encoding.DELTA_BYTE_ARRAY,
    Encoding.BYTE_STREAM_SPLIT,
)
"""Encodings whose trace can begin at any value; that of the others begins with the first."""


class Page:
    """A page of a column chunk. `index` counts all pages of the chunk, the dictionary page included.

    Nothing is read until it is asked for; what is decoded is kept for a while by the file. Raises ParquetError
    where the page cannot be read; the other pages do not care.
    """

    def __init__(
        self,
        chunk: ColumnChunk,
        index: int,
        frame: Frame,
        cache: Cache | Scratch | None = None,
        body: memoryview | None = None,
    ) -> None:
        """`cache` keeps what is decoded; by default it is the file's. `body` are its bytes, where they were read."""
        self._cache = cache or chunk.file.cache
        self._read = body
        self.chunk = chunk
        self.index = index
        self.frame = frame
        self._address = ""

    @property
    def address(self) -> str:
        """The page's address in the tree."""
        if not self._address:
            self._address = join(self.chunk.address, "pages", self.index)
        return self._address

    @property
    def header(self) -> structs.PageHeader:
        """The page's header, a PageHeader."""
        return self.frame.header

    @property
    def span(self) -> Span:
        """The page's bytes in the file: header and body."""
        return Span(self.frame.start, self.frame.end)

    @property
    def kind(self) -> str:
        """data_page, data_page_v2, dictionary_page, index_page, or unknown_page."""
        return {
            PageType.DATA_PAGE: "data_page",
            PageType.DATA_PAGE_V2: "data_page_v2",
            PageType.DICTIONARY_PAGE: "dictionary_page",
            PageType.INDEX_PAGE: "index_page",
        }.get(self.header.type, "unknown_page")

    @property
    def is_data(self) -> bool:
        """Whether this is a data page of either version."""
        return self.header.type in DATA_PAGES

    @property
    def num_values(self) -> int:
        """Values, nulls included; of a dictionary page its entries."""
        if self.header.type == PageType.DICTIONARY_PAGE:
            return self.header.dictionary_page_header.num_values or 0
        return num_values(self.header)

    @property
    def encoding(self) -> int | None:
        """The Encoding of the values."""
        return getattr(page_struct(self.header), "encoding", None)

    @property
    def statistics(self) -> structs.Statistics | None:
        """The Statistics in the page's header, if it has them."""
        return getattr(page_struct(self.header), "statistics", None)

    @property
    def crc_ok(self) -> bool | None:
        """True, False, or None where the page has no checksum."""
        if self.header.crc is None:
            return None
        return sections.crc_ok(self.header, self._stored())

    def _stored(self) -> memoryview:
        """The body as it lies in the file."""
        if self._read is not None:
            return self._read
        frame, held = self.frame, self.chunk.source.held
        if held is not None and held[0] <= frame.start and frame.end <= held[0] + len(held[1]):
            return held[1][frame.header_end - held[0] : frame.end - held[0]]
        with located(self.address, frame.header_end):
            return memoryview(
                self.chunk.source.read(frame.header_end, frame.end - frame.header_end)
            )

    @property
    def stored(self) -> memoryview:
        """The body as it was before it was encrypted: compressed, if the chunk is."""
        stored, cipher = self._stored(), self.chunk.cipher
        if cipher is None:
            return stored
        with located(self.address, self.frame.header_end):
            return memoryview(cipher.decrypt_page(self.frame, stored))

    @property
    def body(self) -> sections.Body:
        """The decompressed body and its sections."""
        body: sections.Body = self._cache.get(
            (self.address, "body"),
            self._open_body,
            lambda body: sum(len(part.data) for part in body.sections),
        )
        return body

    def _open_body(self) -> sections.Body:
        self._require_known()
        return sections.open_body(
            self.frame,
            self.stored,
            self.chunk.metadata.codec,
            self.chunk.leaf,
            self.address,
            self.chunk.file.limits,
            decrypted=self.chunk.encrypted,
        )

    def _require_known(self) -> None:
        if page_struct(self.header) is None or self.header.type == PageType.INDEX_PAGE:
            raise UnsupportedFeatureError(
                f"a page of type {structs.enum_name(PageType, self.header.type)} has no defined content; readers skip "
                "it",
                offset=self.frame.start,
                address=self.address,
            )

    def _locate(self, section: sections.Section) -> Any:
        """Errors in a section, told as offsets in the file, or in the decoded bytes where these differ."""
        direct = section.span.space == FILE
        start = section.span.start if direct else self.frame.header_end
        return located(f"{self.address}/{section.name}", start, direct=direct)

    def _levels(self, name: str, maximum: int) -> np.ndarray[Any, Any] | None:
        if not maximum or not self.is_data:
            return None

        def make() -> np.ndarray[Any, Any]:
            section = self.body.section(name)
            with self._locate(section):
                levels = self._decode_levels(section, maximum)
                if len(levels) and int(levels.max()) > maximum:
                    first = int(np.flatnonzero(levels > maximum)[0])
                    raise CorruptFileError(
                        f"{name.replace('_', ' ')}: number {first} is {int(levels[first])}, the schema allows at most "
                        f"{maximum}",
                        offset=0,
                    )
            return levels

        with within_memory(self.address, self.frame.start):
            levels: np.ndarray[Any, Any] = self._cache.get(
                (self.address, name), make, lambda array: array.nbytes
            )
        return levels

    def _decode_levels(self, section: sections.Section, maximum: int) -> np.ndarray[Any, Any]:
        width, count = maximum.bit_length(), self.num_values
        if self.header.type == PageType.DATA_PAGE_V2:
            return rle.decode(section.data, width, count)
        part = self.header.data_page_header
        encoding = getattr(part, section.name[:-1] + "_encoding")
        if encoding == Encoding.BIT_PACKED:
            return bit_packed.decode(section.data, width, count)[0]
        if not len(section.data):
            return rle.decode(b"", width, count)
        return rle.decode_prefixed(section.data, width, count)[0]

    @property
    def repetition_levels(self) -> np.ndarray[Any, Any] | None:
        """As many as `num_values`; None where the column's maximum is 0."""
        return self._levels("repetition_levels", self.chunk.leaf.max_repetition_level)

    @property
    def definition_levels(self) -> np.ndarray[Any, Any] | None:
        """As many as `num_values`, nulls included; None where the column's maximum is 0."""
        return self._levels("definition_levels", self.chunk.leaf.max_definition_level)

    @property
    def num_present(self) -> int:
        """Values that are stored: those that are not null."""
        maximum = self.chunk.leaf.max_definition_level
        if not maximum or not self.is_data:
            return self.num_values
        only = self._only_definition_level(maximum)
        if only is not None and only <= maximum:
            return self.num_values if only == maximum else 0
        levels = self.definition_levels
        assert levels is not None
        with within_memory(self.address, self.frame.start):
            return int(np.count_nonzero(levels if maximum == 1 else levels == maximum))

    def _only_definition_level(self, maximum: int) -> int | None:
        """The definition level of all values, where it is stored as one run: most pages are without nulls."""
        v2 = self.header.type == PageType.DATA_PAGE_V2
        if not v2 and self.header.data_page_header.definition_level_encoding != Encoding.RLE:
            return None
        stored = self.body.section("definition_levels").data
        return rle.repeated_value(stored, maximum.bit_length(), self.num_values, prefixed=not v2)

    @property
    def dictionary_ids(self) -> np.ndarray[Any, Any] | None:
        """The index into the dictionary of each stored value; None where the page is not dictionary-encoded."""
        if not self.is_data or self.encoding not in DICTIONARY_ENCODINGS:
            return None

        def make() -> np.ndarray[Any, Any]:
            entries = self._dictionary_entries()
            section = self.body.section("values")
            count = self.num_present
            with self._locate(section):
                return dictionary.decode_ids(section.data, count, entries)

        with within_memory(self.address, self.frame.start):
            ids: np.ndarray[Any, Any] = self._cache.get(
                (self.address, "ids"), make, lambda array: array.nbytes
            )
        return ids

    def _dictionary_entries(self) -> int:
        physical = self.chunk.dictionary_physical
        if physical is None:
            if self.num_present:
                raise CorruptFileError(
                    "the page's values are dictionary-encoded, and the column chunk has no dictionary page",
                    offset=self.frame.start,
                    address=self.address,
                )
            return 0
        return len(physical)

    @property
    def physical(self) -> pa.Array:
        """The values that are not null as they are stored: an Arrow array of the physical type."""
        with within_memory(self.address, self.frame.start):
            return self._cache.get(
                (self.address, "physical"), self._decode_physical, lambda array: array.nbytes
            )

    def _decode_physical(self) -> pa.Array:
        leaf = self.chunk.leaf
        section = self.body.section("values")
        if self.header.type == PageType.DICTIONARY_PAGE:
            encoding: int | None = Encoding.PLAIN
            if self.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
                encoding = self.encoding
            count = self.num_values
        else:
            encoding, count = self.encoding, self.num_present
        ids = self.dictionary_ids
        if ids is not None:
            entries = self.chunk.dictionary_physical
            if entries is None:
                return value_encoding(Encoding.PLAIN).decode(
                    b"", 0, leaf.physical_type, leaf.type_length
                )
            return dictionary.take(entries, ids, limits=self.chunk.file.limits)
        with self._locate(section):
            if encoding is None:
                raise CorruptFileError("the page header names no encoding", offset=0)
            options = {}
            if encoding == Encoding.DELTA_BYTE_ARRAY:  # prefixes make much of little
                options["limits"] = self.chunk.file.limits
            return value_encoding(encoding).decode(
                section.data, count, leaf.physical_type, leaf.type_length, **options
            )

    @property
    def values(self) -> pa.Array:
        """The values that are not null, as an Arrow array of the column's logical type."""
        physical = self.physical
        with located(f"{self.address}/values", self.frame.header_end):
            return types.to_arrow(physical, self.chunk.leaf)

    def trace(self, section: str = "values", *, first: int = 0) -> Iterator[Step]:
        """How the bytes of a section became its values: runs, blocks, prefixes, each with its bytes.

        Steps before the one with value number `first` may be left out, where the encoding allows to jump there.
        """
        part = self.body.section(section)
        leaf = self.chunk.leaf
        with self._locate(part):
            if section != "values":
                yield from self._trace_levels(part, first)
            elif self.is_data and self.encoding in DICTIONARY_ENCODINGS:
                yield from dictionary.trace(
                    part.data, self.num_present, self.chunk.dictionary_physical, first=first
                )
            else:
                encoding = self.encoding
                count = self.num_present if self.is_data else self.num_values
                if encoding is None or self.header.type == PageType.DICTIONARY_PAGE:
                    encoding = Encoding.PLAIN
                options = {"first": first} if encoding in TRACED_FROM_ANYWHERE else {}
                yield from value_encoding(encoding).trace(
                    part.data, count, leaf.physical_type, leaf.type_length, **options
                )

    def _trace_levels(self, part: sections.Section, first: int) -> Iterator[Step]:
        leaf = self.chunk.leaf
        maximum = (
            leaf.max_repetition_level
            if part.name == "repetition_levels"
            else leaf.max_definition_level
        )
        width = maximum.bit_length()
        if self.header.type == PageType.DATA_PAGE_V2:
            return rle.trace(part.data, width, self.num_values, first=first)
        encoding = getattr(self.header.data_page_header, part.name[:-1] + "_encoding")
        if encoding == Encoding.BIT_PACKED:
            return bit_packed.trace(part.data, width, self.num_values, first=first)
        return rle.trace_prefixed(part.data, width, self.num_values, first=first)

    def __repr__(self) -> str:
        return f"<Page {self.address}: {self.kind}, {self.num_values:,} values, {len(self.span):,} bytes>"
