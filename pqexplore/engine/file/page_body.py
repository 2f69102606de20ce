"""The bytes of one page: where they lie, their checksum, and the body that decryption and decompression make of them."""

from __future__ import annotations

import zlib
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import UnsupportedFeatureError, located, within_memory
from pqexplore.engine.file.page_headers import DATA_PAGES, PageFrame, page_struct
from pqexplore.engine.file.source import Cache, Scratch
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.handle import Handle
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span

if TYPE_CHECKING:
    from pqexplore.engine.file import page_sections
    from pqexplore.engine.file.column_chunk import ColumnChunk

PAGE_KINDS: dict[int | None, Kind] = {
    PageType.DATA_PAGE: Kind.DATA_PAGE,
    PageType.DATA_PAGE_V2: Kind.DATA_PAGE_V2,
    PageType.DICTIONARY_PAGE: Kind.DICTIONARY_PAGE,
    PageType.INDEX_PAGE: Kind.INDEX_PAGE,
}


class PageBody(Handle):
    """A page without what its levels and values mean. Its header is read; its body is read when it is used."""

    def __init__(
        self,
        chunk: ColumnChunk,
        index: int,
        frame: PageFrame,
        cache: Cache | Scratch | None = None,
        body: memoryview | None = None,
    ) -> None:
        """`cache` keeps what is decoded, by default the file's; `body` has the page's bytes if they were read already."""
        # The file's cache may have what was decoded by the header's count, where another count is right.
        self._cache = cache or (chunk.file.cache if frame.count is None else Cache())
        self._read = body
        self.chunk = chunk
        self.index = index
        self.frame = frame
        self._address: Address | None = None

    @property
    def address(self) -> Address:
        """The page's address in the tree."""
        if self._address is None:
            self._address = Address.of(self.chunk.address, "pages", self.index)
        return self._address

    @property
    def header(self) -> structs.PageHeader:
        """The page's header, a PageHeader."""
        return self.frame.header

    @property
    def span(self) -> Span:
        """The page's bytes in the file that holds them: header and body."""
        return Span(self.frame.start, self.frame.end, self.chunk.space)

    @property
    def kind(self) -> Kind:
        """DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, INDEX_PAGE or UNKNOWN_PAGE."""
        return PAGE_KINDS.get(self.header.type, Kind.UNKNOWN_PAGE)

    @property
    def is_data(self) -> bool:
        """Whether this is a data page of either version."""
        return self.header.type in DATA_PAGES

    @property
    def num_values(self) -> int:
        """Values, nulls included; for a dictionary page, its entries."""
        return self.frame.num_values

    @property
    def encoding(self) -> Encoding | None:
        """The Encoding of the values, an int with a name; None for a page without values."""
        number = self.frame.encoding
        return None if number is None else structs.enum_member(Encoding, number)

    @property
    def crc_ok(self) -> bool | None:
        """Whether the header's CRC32 is that of the body as stored; None if the header has none."""
        if self.header.crc is None:
            return None
        from pqexplore.engine.file import page_sections

        return page_sections.crc_ok(self.header, self._stored())

    @property
    def computed_crc(self) -> int:
        """The CRC32 of the body as stored."""
        return zlib.crc32(self._stored())

    def _stored(self) -> memoryview:
        """The body as it is in the file."""
        if self._read is not None:
            return self._read
        frame, held = self.frame, self.chunk.source.held
        if held is not None and held[0] <= frame.start and frame.end <= held[0] + len(held[1]):
            return held[1][frame.header_end - held[0] : frame.end - held[0]]
        with located(self.address, frame.header_end):
            return memoryview(self.chunk.source.read(frame.header_end, frame.end - frame.header_end))

    def stored_beginning(self, length: int) -> memoryview:
        """The first `length` bytes of the body as it is in the file, or all of it if it is shorter."""
        if self._read is not None:
            return self._read[:length]
        start = self.frame.header_end
        with located(self.address, start):
            return memoryview(self.chunk.source.read(start, min(length, self.frame.end - start)))

    @property
    def stored(self) -> memoryview:
        """The body after decryption, still compressed. EncryptedFileError if the key is missing or wrong."""
        stored, cipher = self._stored(), self.chunk.cipher
        if cipher is None:
            return stored
        with located(self.address, self.frame.header_end):
            return memoryview(cipher.decrypt_page(self.frame, stored))

    @property
    def body(self) -> page_sections.Body:
        """The decompressed body and its sections."""

        def make() -> page_sections.Body:
            with within_memory(self.address, self.frame.start):
                return self._open_body()

        return self._cache.get((self.address, "body"), make, lambda body: sum(len(part.data) for part in body.sections))

    def _charge(self, size: int) -> None:
        """Charges bytes that are about to be decoded to the question under way."""
        self.chunk.file.budget.charge(size, address=self.address, offset=self.frame.start)

    def _open_body(self) -> page_sections.Body:
        from pqexplore.engine.file import page_sections

        self._require_known()
        self._charge(self.header.uncompressed_page_size or 0)
        return page_sections.open_body(
            self.frame,
            self.stored,
            self.chunk.metadata.codec,
            self.chunk.leaf,
            self.address,
            self.chunk.file.limits,
            decrypted=self.chunk.encrypted or bool(self.chunk.elsewhere),  # not bytes of this file
        )

    def _require_known(self) -> None:
        if page_struct(self.header) is None or self.header.type == PageType.INDEX_PAGE:
            raise UnsupportedFeatureError(
                f"a page of type {structs.enum_name(PageType, self.header.type)} has no defined content; readers skip "
                "it",
                offset=self.frame.start,
                address=self.address,
            )

    def _locate(self, section: page_sections.Section) -> AbstractContextManager[None]:
        """Locates errors in a section: by file offset, or by offset in the decoded bytes if these differ."""
        direct = section.span.space == FILE
        start = section.span.start if direct else self.frame.header_end
        return located(Address.of(self.address, section.name), start, direct=direct)
