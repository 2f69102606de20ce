"""Checks the page index: is it consistent, and does each entry describe its page?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check import index_problems
from pqexplore.engine.check.compared import against
from pqexplore.engine.check.statistics import wrong_zero, zero_bound
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import PageType
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

FIRST_ROW = (
    "PageLocation.first_row_index: Index within the RowGroup of the first row of the page. When an OffsetIndex is "
    "present, pages must begin on row boundaries (repetition_level = 0)"
)
BESIDE_INDEX = (
    "Readers that support ColumnIndex should not also use page statistics. The only reason to write page-level "
    "statistics when writing ColumnIndex structs is to support older readers (not recommended)"
)


def findings(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings about indexes that cannot be read, have lists of the wrong length, or lack the other index."""
    damaged = False
    for name in ("column_index", "offset_index", "bloom_filter"):
        try:
            getattr(chunk, name)
        except ParquetError as error:
            damaged = True
            yield failure(error, Address.of(chunk.address, name))
    if damaged:
        return
    yield from _lists(chunk)
    if chunk.column_index is not None and chunk.offset_index is None:
        yield Finding(
            "column-index-alone",
            Address.of(chunk.address, "column_index"),
            "the chunk has a column index and no offset index, so readers cannot find the pages that it selects",
        )


def _lists(chunk: ColumnChunk) -> Iterator[Finding]:
    columns, offsets = chunk.column_index, chunk.offset_index
    if offsets is not None:
        where = Address.of(chunk.address, "offset_index")
        yield from index_problems.of_locations(offsets, chunk.leaf, where)
    if columns is not None:
        where = Address.of(chunk.address, "column_index")
        yield from index_problems.of_lists(columns, chunk.leaf, where)


def contradictions(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings about indexes that contradict themselves or the row group; only the indexes are read.

    Raises ParquetError if an index cannot be read.
    """
    yield from _lists(chunk)
    yield from IndexCheck(chunk).alone()


def _whole(columns: structs.ColumnIndex) -> bool:
    """Whether a column index has its required lists, with an entry for each page."""
    return not structs.missing(columns) and (
        len(columns.null_pages) == len(columns.min_values) == len(columns.max_values)
    )


def _located(offsets: structs.OffsetIndex) -> bool:
    return not structs.missing(offsets) and not any(map(structs.missing, offsets.page_locations))


_LISTS = {"min_value": "min_values", "max_value": "max_values", "null_count": "null_counts", "nan_count": "nan_counts"}
"""The list of a ColumnIndex for each field of Statistics."""


class IndexCheck:
    """Compares the entries of a chunk's page index with the data pages, in order."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._position = 0
        self._rows: dict[int, int] = {}
        """The first row of the page of each entry of the offset index, if known."""
        self._compared: set[int] = set()
        """The entries of the column index that were compared with their page."""
        self._keys: dict[int, index_problems.Keys] = {}
        """The bounds of the entries that are right by themselves and, if compared, bound their page's values."""
        self._zeros: list[tuple[int, str]] = []
        """The first entry with a bound of zero that leaves out the other zero, and its side."""
        self._beside = False
        self._seen = 0
        """The data pages so far."""
        self._columns = self._offsets = None
        try:
            self._columns, self._offsets = chunk.column_index, chunk.offset_index
        except ParquetError:
            return
        if self._columns is not None and not _whole(self._columns):
            self._columns = None
        if self._offsets is not None and not _located(self._offsets):
            self._offsets = None

    @cached_property
    def _pages(self) -> int:
        """The data pages of the chunk."""
        return sum(one.is_data for one in self._chunk.frames.frames)

    @cached_property
    def _aligned(self) -> bool:
        """Whether the column index has one entry for each data page; else its entries cannot be assigned to pages."""
        assert self._columns is not None
        entries, offsets = len(self._columns.null_pages), self._offsets
        return entries == self._pages or (offsets is not None and entries == len(offsets.page_locations))

    @cached_property
    def _positions(self) -> dict[int, int]:
        """The entry of each page by its offset, if there is not one for each page: some writers list absent pages."""
        locations = () if self._offsets is None else self._offsets.page_locations
        if len(locations) == self._pages:
            return {}
        return {one.offset: position for position, one in enumerate(locations)}

    def page(self, page: Page, contents: PageContents) -> Iterator[Finding]:
        """The entries of the next data page."""
        self._seen += 1
        position = self._positions.get(page.frame.start)
        if position is None:  # pages that cannot be decoded do not come here
            position = self._position if self._positions else page.frame.ordinal or 0
        self._position = position + 1
        if self._offsets is not None:
            yield from self._offset_entry(page, contents, position)
        columns = self._columns
        if columns is None:
            return
        if page.statistics is not None and not self._beside:
            self._beside = True
            yield Finding(
                "page-statistics-beside-index",
                Address.of(page.address, "header"),
                "the page's header has statistics, and the chunk has a column index, which readers prefer",
            )
        entries = len(columns.null_pages)
        entry = page.frame.ordinal or 0 if entries == self._pages else position
        if self._aligned and entry < entries:
            self._compared.add(entry)
            yield from self._column_entry(columns, page, contents, entry)

    def _offset_entry(self, page: Page, contents: PageContents, position: int) -> Iterator[Finding]:
        assert self._offsets is not None
        address = Address.of(self._chunk.address, "offset_index")
        first_row = contents.first_row
        if contents.begins_inside and page.header.type == PageType.DATA_PAGE:
            yield Finding(
                "page-inside-record",
                page.address,
                "the first value of the page continues a record of the page before, and the chunk has an offset index",
                specification=FIRST_ROW,
            )
        if position < len(self._offsets.page_locations):
            listed = self._offsets.page_locations[position].first_row_index
            if first_row is not None:
                self._rows[position] = first_row
            if first_row is not None and listed != first_row and not contents.begins_inside:
                yield Finding(
                    "first-row-disagrees",
                    Address.of(address, "page_locations", position, "first_row_index"),
                    f"first_row_index of data page {position:,} is {listed:,}, the pages before it hold {first_row:,} rows",
                    {"first_row_index": listed, "rows_before": first_row},
                )
        sizes, actual = self._offsets.unencoded_byte_array_data_bytes, contents.byte_array_bytes
        if sizes is None or actual is None or len(sizes) != len(self._offsets.page_locations):
            return
        if position < len(sizes) and sizes[position] != actual:
            yield Finding(
                "unencoded-bytes-disagree",
                Address.of(address, "unencoded_byte_array_data_bytes", position),
                f"the index has {sizes[position]:,} bytes of values for data page {position:,}, the page has {actual:,}",
                {"stated": sizes[position], "values": actual},
                "OffsetIndex.unencoded_byte_array_data_bytes: Unencoded/uncompressed size for BYTE_ARRAY types",
            )

    def _column_entry(
        self, columns: structs.ColumnIndex, page: Page, contents: PageContents, position: int
    ) -> Iterator[Finding]:
        leaf, address = self._chunk.leaf, Address.of(self._chunk.address, "column_index")
        null_page = columns.null_pages[position]
        if null_page != (not contents.num_present):
            yield Finding(
                "null-page-disagrees" if null_page else "null-page-unmarked",
                Address.of(address, "null_pages", position),
                f"null_pages is {str(bool(null_page)).lower()} for data page {position:,}, which has "
                f"{plural(contents.num_present, 'value') if null_page else 'nothing but nulls'}",
                {"null_page": null_page, "values": contents.num_present},
                "ColumnIndex.null_pages: A list of Boolean values to determine the validity of the corresponding min "
                "and max values. If true, a page contains only null values",
            )
            return
        for side, maximum, counted in (
            ("repetition", leaf.max_repetition_level, contents.repetition_histogram),
            ("definition", leaf.max_definition_level, contents.definition_histogram),
        ):
            listed = getattr(columns, f"{side}_level_histograms")
            if not listed or len(listed) != len(columns.null_pages) * (maximum + 1):
                continue
            entry = list(listed[position * (maximum + 1) : (position + 1) * (maximum + 1)])
            actual = [contents.num_values] if counted is None else counted.tolist()
            if entry != actual:
                yield Finding(
                    "level-histogram-disagrees",
                    Address.of(address, f"{side}_level_histograms"),
                    f"the {side} level histogram of data page {position:,} is {entry}, its levels count {actual}",
                    {"histogram": entry, "levels": actual},
                    f"ColumnIndex.{side}_level_histograms: Contains {side} level histograms for each page "
                    "concatenated together",
                )
        yield from self._bounds(columns, contents, position, address)

    def _bounds(
        self, columns: structs.ColumnIndex, contents: PageContents, position: int, address: str
    ) -> Iterator[Finding]:
        leaf = self._chunk.leaf
        order = column_order(leaf)
        if order is Order.FLOAT and 0 < contents.num_present == contents.nan_count:
            yield Finding(
                "column-index-of-nans",
                Address.of(address, "min_values", position),
                f"data page {position:,} holds nothing but NaNs; under TYPE_ORDER such a chunk has no column index",
                {"page": position},
            )
            return
        keys = self._alone(columns, position)
        if isinstance(keys, Finding):
            yield keys
        entry = structs.Statistics(
            null_count=_count(columns, columns.null_counts, position),
            nan_count=_count(columns, columns.nan_counts, position),
        )
        if isinstance(keys, tuple):
            entry.min_value = columns.min_values[position]
            entry.max_value = columns.max_values[position]

        def field_address(name: str) -> str:
            return Address.of(address, _LISTS.get(name, name), position)

        right = True
        for finding in against(leaf, entry, contents, field_address, "column-index", None):
            right = right and finding.rule != "column-index-bound"
            yield finding
        if right and isinstance(keys, tuple):
            self._keys[position] = keys

    def _alone(self, columns: structs.ColumnIndex, position: int) -> Finding | index_problems.Keys | None:
        """What is wrong with the bounds of an entry by themselves, or their keys."""
        leaf, address = self._chunk.leaf, Address.of(self._chunk.address, "column_index")
        found = index_problems.of_entry(columns, leaf, position, address)
        if isinstance(found, tuple) and not self._zeros and column_order(leaf) is Order.FLOAT:
            self._zeros = [
                (position, side)
                for side in ("min", "max")
                if wrong_zero(getattr(columns, f"{side}_values")[position], side)
            ]
        return found

    def end(self) -> Iterator[Finding]:
        """Findings after the last page: the number of entries, entries without a page, and the order of all entries."""
        headers = self._chunk.frames.error is None
        if self._columns is not None and headers:
            yield from self._length(self._pages, "chunk")
        yield from self.alone(headers, headers and self._seen == self._pages)

    def alone(self, headers: bool = False, values: bool = False) -> Iterator[Finding]:
        """Findings that need no pages. `headers`, `values`: those of all pages were read, and compared with the indexes."""
        columns, offsets, chunk = self._columns, self._offsets, self._chunk
        rows = chunk.row_group.metadata.num_rows or 0
        where = Address.of(chunk.address, "offset_index")
        if offsets is not None and not headers:
            yield from index_problems.of_places(offsets, where)
            if columns is not None:
                yield from self._length(len(offsets.page_locations), "offset index")
        if offsets is not None and not values:
            yield from index_problems.of_rows(offsets, rows, self._rows, where)
        if columns is None:
            return
        where = Address.of(chunk.address, "column_index")
        if not values:
            yield from self._not_compared(columns)
            if offsets is not None and len(offsets.page_locations) == len(columns.null_pages):
                yield from index_problems.of_counts(columns, offsets, chunk.leaf, rows, self._compared, where)
        keys = dict(sorted(self._keys.items()))
        yield from index_problems.of_order(columns, keys, where)
        for position, side in self._zeros:
            raw = getattr(columns, f"{side}_values")[position]
            yield zero_bound(raw, side, Address.of(where, f"{side}_values", position))

    def _not_compared(self, columns: structs.ColumnIndex) -> Iterator[Finding]:
        """The first entry of each fault, of those that were not compared with their page."""
        reported = set()
        for position in range(len(columns.null_pages)):
            found = None if position in self._compared else self._alone(columns, position)
            if isinstance(found, tuple):
                self._keys[position] = found
            elif found is not None and found.rule not in reported:
                reported.add(found.rule)
                yield found

    def _length(self, pages: int, owner: str) -> Iterator[Finding]:
        assert self._columns is not None
        count = len(self._columns.null_pages)
        if count != pages:
            sentence = f"the column index has {count:,} entries, the {owner} has {pages:,} data pages"
            yield Finding(
                "page-index-length",
                Address.of(self._chunk.address, "column_index"),
                sentence,
                {"entries": count, "data_pages": pages, "problems": [sentence]},
                index_problems.NULL_PAGES,
            )


def _count(columns: structs.ColumnIndex, counts: list[int] | None, position: int) -> int | None:
    """The count of a page; None without counts, or if there is not one for each page."""
    return counts[position] if counts and len(counts) == len(columns.null_pages) else None
