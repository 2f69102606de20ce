"""The handle of one column chunk: the values of one leaf in one row group."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import (
    CorruptFileError,
    ElsewhereError,
    EncryptedFileError,
    ParquetError,
    UsageError,
)
from pqexplore.engine.file import chunk_indexes, chunk_metadata, chunk_walks
from pqexplore.engine.file.ahead import Ranges
from pqexplore.engine.file.chunk_pages import IndexedPages, WalkedPages, contiguous_starts
from pqexplore.engine.file.neighbours import ELSEWHERE
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_headers import Walk
from pqexplore.engine.file.source import Source, held
from pqexplore.engine.format import types
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.handle import Handle
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import plural, printable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pqexplore.engine.file.page_cipher import PageCipher
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.file.statistics import Statistics
    from pqexplore.engine.format.bloom import BloomFilter
    from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.page_index import IndexedPage


FRAME = 1024
"""Approximate bytes that a page header takes in memory."""

MAX_IN_MEMORY = 256 << 20
"""Bytes up to which a chunk is read in one piece if all of it is needed."""


class ColumnChunk(Handle):
    """The values of one leaf in one row group: data pages, perhaps after a dictionary page.

    Nothing is read before it is used. Properties raise ParquetError if what they need cannot be read.
    """

    INTERNAL = frozenset(
        {
            *(
                "bloom_filter_end",
                "cipher",
                "coming",
                "column_cipher",
                "expected_headers",
                "frames",
                "home",
                "in_memory",
                "indexed_pages",
                "not_here",
            ),
            *("require_readable", "room", "source", "space", "start", "walked"),
        }
    )

    def __init__(self, row_group: RowGroup, index: int) -> None:
        self.row_group = row_group
        self.file = row_group.file
        self.index = index
        self.address = Address.of(row_group.address, "columns", index)
        self.leaf: Leaf = self.file.schema.leaves[index]
        self._held: Source | None = None
        self._lock = threading.RLock()
        self._metadata: structs.ColumnMetaData | None = None
        self._column_cipher: ColumnCipher | None = None
        self._cipher_known = False
        self._struct: structs.ColumnChunk | None = None
        self._span: Span | None = None
        self._indexed: IndexedPages | None = None
        self.coming: Future[Walk] | None = None
        """A walk that was begun in another thread."""

    @property
    def struct(self) -> structs.ColumnChunk:
        """The chunk's ColumnChunk in the footer."""
        if self._struct is None:
            self._struct = self.row_group.metadata.columns[self.index]
        return self._struct

    @property
    def elsewhere(self) -> str:
        """The file that holds the chunk, relative to this one (`ColumnChunk.file_path`); empty if it is this one."""
        return self.struct.file_path or ""

    @property
    def space(self) -> str:
        """The space of the chunk's bytes: the file's, or `elsewhere:` and the path of the file that holds them."""
        return ELSEWHERE + self.elsewhere if self.elsewhere else FILE

    @property
    def home(self) -> Source:
        """The source of the file that holds the chunk. ElsewhereError if that is another one which is not followed."""
        path, neighbours = self.elsewhere, self.file.neighbours
        if not path:
            return self.file.source
        if neighbours is None:
            raise self.not_here(
                "open that file, or this one with pqexplore.open(…, follow_file_path=True)"
            )
        try:
            return neighbours.source(path)
        except UsageError as error:
            raise self.not_here(f"it is not followed, because {error}") from None

    def not_here(self, more: str) -> ElsewhereError:
        """The error that says in which other file the chunk lies, and `more`."""
        return ElsewhereError(
            f"the column chunk lies in another file, {self.elsewhere!r}; {more}",
            offset=self.file.footer.start,
            address=self.address,
        )

    @property
    def source(self) -> Source:
        """The source of the chunk's bytes; those in memory, if they are held. ElsewhereError as `home`."""
        return self._held or self.home

    @property
    def column_cipher(self) -> ColumnCipher | None:
        """The column's keys and AADs; None if the column is not encrypted."""
        with self._lock:
            if not self._cipher_known:
                self._column_cipher = chunk_metadata.cipher_of(self)
                self._cipher_known = True
            return self._column_cipher

    @property
    def encrypted(self) -> bool:
        """Whether the column's modules are encrypted, with or without a key for them."""
        return self.column_cipher is not None

    @property
    def locked(self) -> str:
        """Why the chunk needs another key; empty if it can be read."""
        cipher = self.column_cipher
        return cipher.reason if cipher is not None and cipher.locked else ""

    @property
    def cipher(self) -> PageCipher | None:
        """Decrypts the pages; None if they are not encrypted. EncryptedFileError if no key fits."""
        cipher = self.column_cipher
        if cipher is None:
            return None
        if cipher.locked:
            raise EncryptedFileError(
                cipher.reason, offset=self._first_offset(), address=self.address
            )
        from pqexplore.engine.file.page_cipher import (
            PageCipher,  # a large import that few files need
        )

        file = self.file.footer.cipher
        return PageCipher(cipher, file is not None and file.aad_omitted)

    def _first_offset(self) -> int | None:
        metadata = self.struct.meta_data
        return None if metadata is None else metadata.data_page_offset

    def require_readable(self) -> None:
        """Raises ParquetError if the schema makes the column unreadable."""
        if self.leaf.defect is not None:
            self.file.locate_in_schema(self.leaf.defect)
            raise self.leaf.defect

    @property
    def metadata(self) -> structs.ColumnMetaData:
        """The chunk's ColumnMetaData, decrypted if necessary.

        Raises CorruptFileError if a required field is missing, EncryptedFileError if the key is.
        """
        if self._metadata is None:  # without the lock where it is known: all else asks for it
            with self._lock:
                self._metadata = self._metadata or chunk_metadata.read(self)
        return self._metadata

    @property
    def start(self) -> int:
        """The file offset of the first page.

        The smaller of data_page_offset and dictionary_page_offset, if the latter is present and not 0: old writers give 0
        for "none", and some give the dictionary page's offset as data_page_offset. A chunk without values may have no
        data page, and 0 for its offset. CorruptFileError if it is outside the file, ElsewhereError as `home`.
        """
        return chunk_metadata.start(self)

    @property
    def span(self) -> Span:
        """The chunk's bytes by the footer: total_compressed_size of them, from the first page on."""
        if self._span is None:
            self._span = chunk_metadata.span(self)
        return self._span

    @property
    def num_values(self) -> int:
        """Values of the chunk, nulls included. CorruptFileError if negative."""
        count = self.metadata.num_values
        if count < 0:
            raise CorruptFileError(
                f"the chunk's num_values is {count:,}; it counts, so it cannot be negative",
                offset=self.file.footer.start,
                address=self.address,
            )
        return count

    @property
    def bloom_filter_end(self) -> int:
        """The end of the Bloom filter, whose bitset is a module of its own if the column is encrypted."""
        bloom = self.bloom_filter
        assert bloom is not None
        end = bloom.offset + bloom.header_length + bloom.size
        cipher = self.column_cipher
        return end if cipher is None else end + chunk_indexes.bitset_overhead(cipher)

    @property
    def frames(self) -> Walk:
        """The places of the pages, by a walk from header to header."""
        chunk_walks.wait(self)
        with self._lock:
            return self.file.cache.get(
                (self.address, "walk"),
                lambda: chunk_walks.made(self),
                lambda walk: FRAME * (1 + len(walk.frames)),
            )

    @contextmanager
    def in_memory(self) -> Iterator[None]:
        """Reads the chunk's bytes at once and keeps them inside the `with`, for a reader that needs all of them."""
        try:
            span = self.span
        except ParquetError:
            yield  # the error surfaces when a page is read
            return
        if len(span) <= MAX_IN_MEMORY:
            self._held = held(self.home, span.start, len(span))
        try:
            yield
        finally:
            self._held = None

    @property
    def room(self) -> int:
        """Where the pages of the file that holds the chunk end at the latest."""
        return self.home.size if self.elsewhere else self.file.data_end

    @property
    def expected_headers(self) -> Ranges:
        """Where the page headers lie by the offset index, as ranges for `Source.expecting`; reads the offset index.

        Empty if no offset index covers the chunk, and if a read costs no round trip.
        """
        pages = None if self.source.local else self.indexed_pages()
        return () if pages is None else pages.headers

    @property
    def walked(self) -> Walk | None:
        """The walk through the pages, if it was done before and is still kept; else None."""
        kept: Walk | None = self.file.cache.peek((self.address, "walk"))
        return kept

    @property
    def pages(self) -> Sequence[Page]:
        """The pages in file order, the dictionary page included.

        Their places come from the offset index if it covers every byte of the chunk, so that one page costs one page;
        otherwise from a walk. A damaged header costs the pages after it: an index after the last page raises.
        """
        located_pages = self.indexed_pages() if self.walked is None else None
        if located_pages is not None:
            return located_pages
        result = self.frames
        if result.error is not None and not result.frames:
            raise result.error
        return WalkedPages(self, result)

    def indexed_pages(self) -> IndexedPages | None:
        """Pages by the offset index if it tiles the chunk without a gap; else None."""
        if self._indexed is not None:
            return self._indexed
        if self.struct.offset_index_offset is None or self.encrypted:
            return None
        try:
            places, span = chunk_indexes.read_places(self), self.span
            if places is not None:
                starts = contiguous_starts(*places, span.start, span.end)
            else:
                from pqexplore.engine.format.page_index import page_starts

                starts = page_starts(self.offset_index, span.start, span.end)
        except ParquetError:
            return None
        if starts is not None:
            self._indexed = IndexedPages(self, *starts)
        return self._indexed

    @property
    def dictionary_page(self) -> Page | None:
        """The dictionary page; None if absent."""
        pages = self.pages
        if len(pages) == 0:
            return None
        first = pages[0]
        return first if first.header.type == PageType.DICTIONARY_PAGE else None

    @property
    def dictionary_physical(self) -> pa.Array | None:
        """The dictionary's entries as an Arrow array of the physical type; None if absent."""
        page = self.dictionary_page
        return None if page is None else page.physical

    @property
    def dictionary(self) -> pa.Array | None:
        """The dictionary's entries as an Arrow array of the column's logical type; None if absent."""
        page = self.dictionary_page
        return None if page is None else page.values

    @property
    def codec(self) -> CompressionCodec:
        """The CompressionCodec of the pages, an int with a name."""
        return structs.enum_member(CompressionCodec, self.metadata.codec)

    @property
    def encodings(self) -> list[Encoding]:
        """The Encodings that the footer lists for the chunk, each an int with a name."""
        return [structs.enum_member(Encoding, number) for number in self.metadata.encodings]

    @property
    def values(self) -> pa.Array:
        """The values that are not null, of all pages, as an Arrow array of the column's logical type.

        Raises ParquetError for the first page that cannot be read. `read` gives the rows, nulls included.
        """
        from pqexplore.engine.file import table_reader

        with self.file.budget.asking("values", self.address, counted=False):
            return table_reader.chunk_values(self)

    def read(self) -> pa.ChunkedArray:
        """The rows of this row group, nulls included: the top-level column, with this leaf alone if it is nested.

        Raises ParquetError for the first page that cannot be read.
        """
        return self.file.read([self.leaf.path], [self.row_group.index]).column(0)

    @property
    def statistics(self) -> Statistics | None:
        """The chunk's statistics, `min` and `max` decoded; None if absent. `metadata.statistics` is the struct."""
        from pqexplore.engine.file import statistics

        return statistics.of_chunk(self)

    @property
    def page_bounds(self) -> Sequence[IndexedPage]:
        """The page index, an item for each data page: rows, nulls, `min` and `max` decoded; empty if absent.

        `min` and `max` are None for a page of nulls, for damaged bytes, and if the column has no defined order.
        """
        from pqexplore.engine.file import statistics

        return statistics.of_pages(self)

    @property
    def column_index(self) -> structs.ColumnIndex | None:
        """The bounds and null counts of each data page; None if absent."""
        return chunk_indexes.read_index(self, structs.ColumnIndex)

    @property
    def offset_index(self) -> structs.OffsetIndex | None:
        """The place and the first row of each data page; None if absent."""
        return chunk_indexes.read_index(self, structs.OffsetIndex)

    @property
    def bloom_filter(self) -> BloomFilter | None:
        """The Bloom filter of the chunk's values; None if absent."""
        offset = self.metadata.bloom_filter_offset
        if offset is None:
            return None
        return self.file.cache.get(
            (self.address, "bloom_filter"),
            lambda: chunk_indexes.read_bloom_filter(self),
            lambda _: FRAME,
        )

    def __repr__(self) -> str:
        name = ".".join(self.leaf.path)
        try:
            about = ", ".join(list(self._cells().values())[2:])
        except ParquetError as error:
            about = error.message
        return printable(f"<ColumnChunk {self.address}: {name}, {about}>")

    def _cells(self) -> dict[str, str]:
        metadata = self.metadata
        return {
            "column chunk": str(self.address),
            "column": ".".join(self.leaf.path),
            "type": types.describe(self.leaf),
            "values": plural(metadata.num_values, "value"),
            "codec": structs.enum_name(CompressionCodec, metadata.codec),
            "bytes": plural(metadata.total_compressed_size, "byte"),
        }
