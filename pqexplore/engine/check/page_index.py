"""The page index against itself, and entry by entry against the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine import page_index
from pqexplore.engine.check import statistics
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.findings import failure
from pqexplore.engine.ordering import Order, declared_order, type_order
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents, PageContents
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.page import Page

FIRST_ROW = (
    "PageLocation.first_row_index: Index within the RowGroup of the first row of the page. When an OffsetIndex is "
    "present, pages must begin on row boundaries (repetition_level = 0)"
)
NO_ORDER = "no order, so its column index"
"""What a sentence of `page_index.problems` has where bounds exist that readers ignore."""


def findings(chunk: ColumnChunk) -> Iterator[Finding]:
    """Whether the indexes can be read, and contradict neither themselves nor the row group."""
    damaged = False
    for name in ("column_index", "offset_index", "bloom_filter"):
        try:
            getattr(chunk, name)
        except ParquetError as error:
            damaged = True
            yield failure(error, join(chunk.address, name))
    if damaged:
        return
    columns, offsets = chunk.column_index, chunk.offset_index
    rows = chunk.row_group.metadata.num_rows or 0
    told: dict[tuple[str, str], list[str]] = {}
    for problem in page_index.problems(columns, offsets, chunk.leaf, rows):
        name = "offset_index" if columns is None or "offset index" in problem else "column_index"
        told.setdefault((name, "warning" if NO_ORDER in problem else "error"), []).append(problem)
    for (name, severity), problems in told.items():
        yield Finding(
            "page-index",
            severity,
            join(chunk.address, name),
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
            join(chunk.address, "column_index"),
            "there is a column index without an offset index: it says which pages to read, and not where they are",
        )


_LISTS = {
    "min_value": "min_values",
    "max_value": "max_values",
    "null_count": "null_counts",
    "nan_count": "nan_counts",
}
"""The lists of a ColumnIndex that hold what Statistics has in one field."""


class Entries:
    """The entries of a chunk's page index, held against the data pages as these come."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._position = 0
        self._aligned = False
        """Whether the column index has as many entries as there are data pages; else nobody knows which is whose."""
        self._positions: dict[int, int] = {}
        """The entry of each page by its offset: some writers have entries for pages that are not there."""
        self._columns = self._offsets = None
        try:
            self._columns, self._offsets = chunk.column_index, chunk.offset_index
        except ParquetError:
            return
        if self._columns is not None and structs.missing(self._columns):
            self._columns = None
        if self._offsets is not None and self._offsets.page_locations is None:
            self._offsets = None
        if self._columns is not None:
            entries = len(self._columns.null_pages)
            listed = None if self._offsets is None else len(self._offsets.page_locations)
            self._aligned = entries in (listed, sum(one.is_data for one in chunk.frames.frames))
        if self._offsets is not None:
            places = [place.offset for place in self._offsets.page_locations]
            self._positions = {offset: position for position, offset in enumerate(places)}

    def page(self, page: Page, found: PageContents, first_row: int) -> Iterator[Finding]:
        """The entries of the next data page, which begins at row `first_row` of the row group."""
        position = self._positions.get(page.frame.start, self._position)
        self._position = position + 1
        if self._offsets is not None:
            yield from self._offset_entry(page, found, position, first_row)
        columns = self._columns
        if columns is not None and self._aligned and position < len(columns.null_pages):
            yield from self._column_entry(columns, page, found, position)

    def _offset_entry(
        self, page: Page, found: PageContents, position: int, first_row: int
    ) -> Iterator[Finding]:
        assert self._offsets is not None
        address = join(self._chunk.address, "offset_index")
        if found.begins_inside:
            yield Finding(
                "page-inside-record",
                "error",
                page.address,
                "the first value of the page continues a record of the page before, and the chunk has an offset index",
                {},
                FIRST_ROW,
            )
        if position < len(self._offsets.page_locations):
            said = self._offsets.page_locations[position].first_row_index
            if said is not None and said != first_row and not found.begins_inside:
                yield Finding(
                    "first-row-disagrees",
                    "error",
                    join(address, "page_locations", position, "first_row_index"),
                    f"data page {position:,} is said to begin at row {said:,}, the pages before it hold {first_row:,} rows",
                    {"first_row_index": said, "rows_before": first_row},
                    FIRST_ROW,
                )
        yield from _number(
            self._offsets.unencoded_byte_array_data_bytes,
            position,
            found.byte_array_bytes,
            "unencoded-bytes-disagree",
            join(address, "unencoded_byte_array_data_bytes"),
            "bytes of values",
            "OffsetIndex.unencoded_byte_array_data_bytes: Unencoded/uncompressed size for BYTE_ARRAY types",
        )

    def _column_entry(
        self, columns: structs.ColumnIndex, page: Page, found: PageContents, position: int
    ) -> Iterator[Finding]:
        leaf, address = self._chunk.leaf, join(self._chunk.address, "column_index")
        null_page = columns.null_pages[position]
        if null_page != (not found.num_present):
            yield Finding(
                "null-page-disagrees",
                "error",
                join(address, "null_pages", position),
                f"data page {position:,} is called {'a' if null_page else 'no'} null page, and has "
                f"{found.num_present:,} values",
                {"null_page": null_page, "values": found.num_present},
                "ColumnIndex.null_pages: A list of Boolean values to determine the validity of the corresponding min "
                "and max values. If true, a page contains only null values",
            )
            return
        for side, maximum, counted in (
            ("repetition", leaf.max_repetition_level, found.repetition_histogram),
            ("definition", leaf.max_definition_level, found.definition_histogram),
        ):
            told = getattr(columns, f"{side}_level_histograms")
            if told and counted is not None and len(told) >= (position + 1) * (maximum + 1):
                here = list(told[position * (maximum + 1) : (position + 1) * (maximum + 1)])
                if here != counted.tolist():
                    yield Finding(
                        "level-histogram-disagrees",
                        "error",
                        join(address, f"{side}_level_histograms"),
                        f"the {side} levels of data page {position:,} are said to occur {here} times, they occur "
                        f"{counted.tolist()} times",
                        {"histogram": here, "levels": counted.tolist()},
                        f"ColumnIndex.{side}_level_histograms: Contains {side} level histograms for each page "
                        "concatenated together",
                    )
        yield from self._bounds(columns, found, position, address)

    def _bounds(
        self, columns: structs.ColumnIndex, found: PageContents, position: int, address: str
    ) -> Iterator[Finding]:
        leaf = self._chunk.leaf
        order = declared_order(leaf) or type_order(leaf)
        if order is Order.FLOAT and found.nan_count and found.nan_count == found.num_present:
            yield Finding(
                "column-index-of-nans",
                "warning",
                address,
                f"data page {position:,} holds nothing but NaNs; under TYPE_ORDER such a chunk has no column index",
                {"page": position},
                "if all non-null values of a page are NaN, the chunk must have no ColumnIndex",
            )
            return
        told = structs.Statistics(
            null_count=_at(columns.null_counts, position),
            nan_count=_at(columns.nan_counts, position),
        )
        if found.num_present and order is not Order.NONE:
            told.min_value = _at(columns.min_values, position)
            told.max_value = _at(columns.max_values, position)

        def places(name: str) -> str:
            return join(address, _LISTS.get(name, name), position)

        yield from statistics.against(leaf, told, found, places, "column-index", None)

    def end(self, whole: ChunkContents) -> Iterator[Finding]:
        """After the last page: how many entries there should have been."""
        for name, count in (
            ("column_index", None if self._columns is None else len(self._columns.null_pages)),
            (
                "offset_index",
                None if self._offsets is None else len(self._offsets.page_locations),
            ),
        ):
            if count is not None and count != whole.pages:
                yield Finding(
                    "page-index-length",
                    "error",
                    join(self._chunk.address, name),
                    f"the {name.replace('_', ' ')} has {count:,} entries, the chunk has {whole.pages:,} data pages",
                    {"entries": count, "data_pages": whole.pages},
                    "OffsetIndex.page_locations: PageLocations, ordered by increasing PageLocation.offset"
                    if name == "offset_index"
                    else "",
                )


def _at(values: list[Any] | None, position: int) -> Any:
    return values[position] if values is not None and position < len(values) else None


def _number(
    told: list[int] | None,
    position: int,
    found: int | None,
    rule: str,
    address: str,
    what: str,
    words: str,
) -> Iterator[Finding]:
    said = _at(told, position)
    if said is not None and found is not None and said != found:
        yield Finding(
            rule,
            "error",
            join(address, position),
            f"data page {position:,} is said to have {said:,} {what}, it has {found:,}",
            {"said": said, "found": found},
            words,
        )
