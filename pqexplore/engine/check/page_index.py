"""Checks the page index: is it consistent, and does each entry describe its page?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.check import statistics
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format import page_index
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents, PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

FIRST_ROW = (
    "PageLocation.first_row_index: Index within the RowGroup of the first row of the page. When an OffsetIndex is "
    "present, pages must begin on row boundaries (repetition_level = 0)"
)
NO_ORDER = "no order, so its column index"
"""In a sentence of `page_index.problems`: the bounds exist, but readers ignore them."""


def findings(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings about indexes that cannot be read, or contradict themselves or the row group."""
    damaged = False
    for name in ("column_index", "offset_index", "bloom_filter"):
        try:
            getattr(chunk, name)
        except ParquetError as error:
            damaged = True
            yield failure(error, Address.of(chunk.address, name))
    if damaged:
        return
    columns, offsets = chunk.column_index, chunk.offset_index
    rows = chunk.row_group.metadata.num_rows or 0
    grouped: dict[tuple[str, str], list[str]] = {}
    for problem in page_index.problems(columns, offsets, chunk.leaf, rows):
        name = "offset_index" if columns is None or "offset index" in problem else "column_index"
        severity = "warning" if NO_ORDER in problem else "error"
        grouped.setdefault((name, severity), []).append(problem)
    for (name, severity), problems in grouped.items():
        yield Finding(
            "page-index",
            severity,
            Address.of(chunk.address, name),
            "; ".join(problems),
            {"problems": problems},
            "The min_values and max_values are calculated based on the column_orders field in the FileMetaData struct "
            "of the footer"
            if severity == "warning"
            else "",
        )
    if columns is not None and offsets is None:
        yield Finding(
            "column-index-alone",
            "warning",
            Address.of(chunk.address, "column_index"),
            "the chunk has a column index and no offset index, so readers cannot find the pages that it selects",
        )


_LISTS = {
    "min_value": "min_values",
    "max_value": "max_values",
    "null_count": "null_counts",
    "nan_count": "nan_counts",
}
"""The list of a ColumnIndex for each field of Statistics."""


class IndexCheck:
    """Compares the entries of a chunk's page index with the data pages, in order."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._position = 0
        self._aligned = False
        """Whether the column index has one entry for each data page; else its entries cannot be assigned to pages."""
        self._positions: dict[int, int] = {}
        """The entry of each page by its offset: some writers write entries for absent pages."""
        self._columns = self._offsets = None
        try:
            self._columns, self._offsets = chunk.column_index, chunk.offset_index
        except ParquetError:
            return
        if self._columns is not None and structs.missing(self._columns):
            self._columns = None
        if self._offsets is not None and structs.missing(self._offsets):
            self._offsets = None
        if self._columns is not None:
            entries = len(self._columns.null_pages)
            listed = None if self._offsets is None else len(self._offsets.page_locations)
            self._aligned = entries in (listed, sum(one.is_data for one in chunk.frames.frames))
        if self._offsets is not None:
            locations = self._offsets.page_locations
            self._positions = {one.offset: position for position, one in enumerate(locations)}

    def page(self, page: Page, contents: PageContents, first_row: int) -> Iterator[Finding]:
        """The entries of the next data page, which begins at row `first_row` of the row group."""
        position = self._positions.get(page.frame.start, self._position)
        self._position = position + 1
        if self._offsets is not None:
            yield from self._offset_entry(page, contents, position, first_row)
        columns = self._columns
        if columns is not None and self._aligned and position < len(columns.null_pages):
            yield from self._column_entry(columns, page, contents, position)

    def _offset_entry(
        self, page: Page, contents: PageContents, position: int, first_row: int
    ) -> Iterator[Finding]:
        assert self._offsets is not None
        address = Address.of(self._chunk.address, "offset_index")
        if contents.begins_inside:
            yield Finding(
                "page-inside-record",
                "error",
                page.address,
                "the first value of the page continues a record of the page before, and the chunk has an offset index",
                {},
                FIRST_ROW,
            )
        if position < len(self._offsets.page_locations):
            listed = self._offsets.page_locations[position].first_row_index
            if listed is not None and listed != first_row and not contents.begins_inside:
                yield Finding(
                    "first-row-disagrees",
                    "error",
                    Address.of(address, "page_locations", position, "first_row_index"),
                    f"first_row_index of data page {position:,} is {listed:,}, the pages before it hold {first_row:,} rows",
                    {"first_row_index": listed, "rows_before": first_row},
                    FIRST_ROW,
                )
        yield from _number(
            self._offsets.unencoded_byte_array_data_bytes,
            position,
            contents.byte_array_bytes,
            "unencoded-bytes-disagree",
            Address.of(address, "unencoded_byte_array_data_bytes"),
            "bytes of values",
            "OffsetIndex.unencoded_byte_array_data_bytes: Unencoded/uncompressed size for BYTE_ARRAY types",
        )

    def _column_entry(
        self, columns: structs.ColumnIndex, page: Page, contents: PageContents, position: int
    ) -> Iterator[Finding]:
        leaf, address = self._chunk.leaf, Address.of(self._chunk.address, "column_index")
        null_page = columns.null_pages[position]
        if null_page != (not contents.num_present):
            yield Finding(
                "null-page-disagrees",
                "error",
                Address.of(address, "null_pages", position),
                f"data page {position:,} is marked as {'a' if null_page else 'no'} null page, and has "
                f"{contents.num_present:,} values",
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
            start, stop = position * (maximum + 1), (position + 1) * (maximum + 1)
            if listed and counted is not None and len(listed) >= stop:
                entry = list(listed[start:stop])
                if entry != counted.tolist():
                    yield Finding(
                        "level-histogram-disagrees",
                        "error",
                        Address.of(address, f"{side}_level_histograms"),
                        f"the {side} level histogram of data page {position:,} is {entry}, its levels count "
                        f"{counted.tolist()}",
                        {"histogram": entry, "levels": counted.tolist()},
                        f"ColumnIndex.{side}_level_histograms: Contains {side} level histograms for each page "
                        "concatenated together",
                    )
        yield from self._bounds(columns, contents, position, address)

    def _bounds(
        self, columns: structs.ColumnIndex, contents: PageContents, position: int, address: str
    ) -> Iterator[Finding]:
        leaf = self._chunk.leaf
        order = column_order(leaf)
        if (
            order is Order.FLOAT
            and contents.nan_count
            and contents.nan_count == contents.num_present
        ):
            yield Finding(
                "column-index-of-nans",
                "warning",
                address,
                f"data page {position:,} holds nothing but NaNs; under TYPE_ORDER such a chunk has no column index",
                {"page": position},
                "if all non-null values of a page are NaN, the chunk must have no ColumnIndex",
            )
            return
        entry = structs.Statistics(
            null_count=_at(columns.null_counts, position),
            nan_count=_at(columns.nan_counts, position),
        )
        if contents.num_present and order is not Order.NONE:
            entry.min_value = _at(columns.min_values, position)
            entry.max_value = _at(columns.max_values, position)

        def field_address(name: str) -> str:
            return Address.of(address, _LISTS.get(name, name), position)

        yield from statistics.against(leaf, entry, contents, field_address, "column-index", None)

    def end(self, total: ChunkContents) -> Iterator[Finding]:
        """Findings after the last page: the number of entries."""
        for name, count in (
            ("column_index", None if self._columns is None else len(self._columns.null_pages)),
            (
                "offset_index",
                None if self._offsets is None else len(self._offsets.page_locations),
            ),
        ):
            if count is not None and count != total.pages:
                yield Finding(
                    "page-index-length",
                    "error",
                    Address.of(self._chunk.address, name),
                    f"the {name.replace('_', ' ')} has {count:,} entries, the chunk has {total.pages:,} data pages",
                    {"entries": count, "data_pages": total.pages},
                    "OffsetIndex.page_locations: PageLocations, ordered by increasing PageLocation.offset"
                    if name == "offset_index"
                    else "",
                )


def _at(values: list[Any] | None, position: int) -> Any:
    return values[position] if values is not None and position < len(values) else None


def _number(
    entries: list[int] | None,
    position: int,
    actual: int | None,
    rule: str,
    address: str,
    what: str,
    words: str,
) -> Iterator[Finding]:
    entry = _at(entries, position)
    if entry is not None and actual is not None and entry != actual:
        yield Finding(
            rule,
            "error",
            Address.of(address, position),
            f"the index has {entry:,} {what} for data page {position:,}, the page has {actual:,}",
            {"said": entry, "found": actual},
            words,
        )
