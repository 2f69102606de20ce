"""The handle of one column chunk: its pages, its values and its indexes. `ChunkBytes` has the place of its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file import chunk_indexes, chunk_walks
from pqexplore.engine.file.chunk_bytes import ChunkBytes
from pqexplore.engine.file.chunk_pages import IndexedPages, WalkedPages, contiguous_starts
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_headers import Walk
from pqexplore.engine.file.prefetch import Ranges
from pqexplore.engine.format import types
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.span import Span
from pqexplore.engine.text import plural, printable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.file.statistics import Statistics
    from pqexplore.engine.format.bloom import BloomFilter
    from pqexplore.engine.format.page_index import IndexedPage


FRAME = 1024
"""Approximate bytes that a page header takes in memory."""


class ColumnChunk(ChunkBytes):
    """The values of one leaf in one row group: data pages, perhaps after a dictionary page.

    Nothing is read before it is used. Properties raise ParquetError if what they need cannot be read.
    """

    INTERNAL = frozenset(
        {
            *(
                "bloom_filter_parts",
                "bloom_filter_span",
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
        super().__init__(row_group, index)
        self._indexed: IndexedPages | None = None
        self.coming: Future[Walk] | None = None
        """A walk that was begun in another thread."""

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
    def bloom_filter_parts(self) -> tuple[Span, Span] | None:
        """Where the header and the bitset of the Bloom filter are, by the header; None if absent.

        The bitset is a module of its own if the column is encrypted.
        """
        bloom = self.bloom_filter
        if bloom is None:
            return None
        middle, cipher = bloom.offset + bloom.header_length, self.column_cipher
        size = bloom.size if cipher is None else bloom.size + chunk_indexes.bitset_overhead(cipher)
        return Span(bloom.offset, middle, self.space), Span(middle, middle + size, self.space)

    @property
    def bloom_filter_span(self) -> Span | None:
        """The bytes of the Bloom filter, header and bitset; None if absent."""
        parts = self.bloom_filter_parts
        return None if parts is None else Span(parts[0].start, parts[1].end, self.space)

    @property
    def frames(self) -> Walk:
        """The places of the pages, by a walk from header to header."""
        chunk_walks.wait(self)
        with self._lock:
            return self.file.cache.get(
                (self.address, "walk"), lambda: chunk_walks.made(self), lambda walk: FRAME * (1 + len(walk.frames))
            )

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
            (self.address, "bloom_filter"), lambda: chunk_indexes.read_bloom_filter(self), lambda _: FRAME
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
