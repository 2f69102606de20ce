"""Reads a file's claims in the form in which clauses are compared with them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.format.ordering import Order, order_key
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.span import Span
from pqexplore.insight.skippable import page_rows, pages_ahead

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.insight.ask.bound import Test
    from pqexplore.insight.skippable import Skippable

DICTIONARY_ENCODINGS = frozenset((int(Encoding.PLAIN_DICTIONARY), int(Encoding.RLE_DICTIONARY)))
_DATA_PAGES = frozenset((int(PageType.DATA_PAGE), int(PageType.DATA_PAGE_V2)))
_LEVELS = frozenset((int(Encoding.RLE), int(Encoding.BIT_PACKED)))


def keys_of(test: Test, claims: Skippable) -> tuple[bytes | None, bytes | None]:
    """The order keys of a part's bounds; None for an absent one. Bounds of zero cover both zeros.

    Raises CorruptFileError for a bound of the wrong length.
    """
    order = test.accepts.order
    if order is Order.NONE:
        return None, None
    low = None if claims.low is None else order_key(test.leaf, claims.low, order)
    high = None if claims.high is None else order_key(test.leaf, claims.high, order)
    return low, high


def dictionary_only(chunk: ColumnChunk) -> str:
    """Why not all values of a chunk are known to be in its dictionary; "" if they are."""
    metadata = chunk.metadata
    stats = metadata.encoding_stats
    if stats:
        data = [one for one in stats if one.page_type in _DATA_PAGES and one.count != 0]
        if not data:
            return "the footer counts no data pages"
        others = [one for one in data if one.encoding not in DICTIONARY_ENCODINGS]
        if len(others) == len(data):
            return "there is no dictionary"
        return "not all pages use the dictionary" if others else ""
    used = set(metadata.encodings or ())
    if not used & DICTIONARY_ENCODINGS:
        return "there is no dictionary"
    # PLAIN_DICTIONARY names both the dictionary page and the data pages; with RLE_DICTIONARY, PLAIN may be either.
    if used - DICTIONARY_ENCODINGS - _LEVELS:
        return "the footer does not say whether all pages use the dictionary"
    return ""


def data_pages(chunk: ColumnChunk) -> int | None:
    """How many data pages a chunk has by its `encoding_stats`; None if they are absent."""
    stats = chunk.metadata.encoding_stats
    if not stats:
        return None
    return sum(max(0, one.count or 0) for one in stats if one.page_type in _DATA_PAGES)


@dataclasses.dataclass(frozen=True, slots=True)
class PagePlace:
    """Where a page is: its bytes, its address, its number among the data pages and its rows (None: the dictionary)."""

    span: Span
    address: str | None
    index: int | None
    rows: tuple[int, int] | None


def page_rows_of(chunk: ColumnChunk) -> list[tuple[int, int]] | None:
    """The rows of each data page by the offset index, half-open; None if it does not say them of every page."""
    index = chunk.offset_index
    locations = [] if index is None else list(index.page_locations or ())
    if not locations or locations[0].first_row_index != 0:
        return None
    made, start = [], 0
    for rows in page_rows(locations, chunk.row_group.num_rows):
        if rows is None:
            return None
        made.append((start, start + rows))
        start += rows
    return made


def page_places(chunk: ColumnChunk) -> list[PagePlace] | None:
    """The pages of a chunk by its offset index, the dictionary page first; None without a usable offset index."""
    rows, index = page_rows_of(chunk), chunk.offset_index
    if rows is None or index is None:
        return None
    locations = list(index.page_locations or ())
    ahead = pages_ahead(chunk, len(locations))
    places = []
    missing = {name for one in locations for name in structs.missing(one)}
    if missing & {"offset", "compressed_page_size"}:
        return None
    first = locations[0].offset
    if chunk.start < first:
        address = None if ahead is None else f"{chunk.address}/pages/0"
        places.append(PagePlace(Span(chunk.start, first, chunk.space), address, None, None))
    for i, (location, span) in enumerate(zip(locations, rows, strict=True)):
        end = location.offset + max(0, location.compressed_page_size)
        address = None if ahead is None else f"{chunk.address}/pages/{ahead + i}"
        places.append(PagePlace(Span(location.offset, end, chunk.space), address, i, span))
    return places
