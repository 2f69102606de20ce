"""The page index: where each data page is, which rows it has, and the bounds of its values.

Two structs hold lists with an entry for each data page: OffsetIndex (location and first row) and ColumnIndex (bounds and
counts). Only their order connects them, so `problems` checks all that must agree, and `pages` reads them as one table.

Specification: https://github.com/apache/parquet-format/blob/master/PageIndex.md
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.ordering import Order, declared_order, is_nan, order_key, type_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundaryOrder
from pqexplore.engine.format.value_text import physical_value, plain_length, python_value
from pqexplore.engine.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_PER_PAGE = ("min_values", "max_values", "null_counts", "nan_counts")


@dataclasses.dataclass(frozen=True, slots=True)
class IndexedPage:
    """The page index's entry for one data page; fields are None if the index that has them is absent.

    `offset` and `size` are in bytes of the file; `first_row` counts from the row group's first row, `size` includes the page's header, `min` and `max` are Python
    objects of the logical type (None on null pages), `min_raw` and `max_raw` their PLAIN bytes.
    """

    index: int
    offset: int | None = None
    size: int | None = None
    first_row: int | None = None
    rows: int | None = None
    unencoded_bytes: int | None = None
    null_page: bool | None = None
    null_count: int | None = None
    nan_count: int | None = None
    min_raw: bytes | None = None
    max_raw: bytes | None = None
    min: Any = None
    max: Any = None


def num_pages(
    column_index: structs.ColumnIndex | None, offset_index: structs.OffsetIndex | None
) -> int:
    """Number of data pages in the index: of the offset index, or else of the column index."""
    if offset_index is not None and offset_index.page_locations is not None:
        return len(offset_index.page_locations)
    null_pages = None if column_index is None else column_index.null_pages
    return len(null_pages or ())


def pages(
    column_index: structs.ColumnIndex | None,
    offset_index: structs.OffsetIndex | None,
    leaf: Leaf,
    num_rows: int,
) -> Sequence[IndexedPage]:
    """Both indexes as one sequence, an item for each data page, made on access.

    `num_rows` is the row group's, to count the rows of the last page. A damaged entry is None in its item; `problems`
    describes it. Never raises.
    """
    locations = [] if offset_index is None else offset_index.page_locations or []

    def make(index: int) -> IndexedPage:
        entry: dict[str, Any] = {}
        if index < len(locations):
            location = locations[index]
            first, ends = location.first_row_index, num_rows
            if index + 1 < len(locations):
                ends = locations[index + 1].first_row_index
            rows = None if first is None or ends is None else max(ends - first, 0)
            entry = {
                "offset": location.offset,
                "size": location.compressed_page_size,
                "first_row": first,
                "rows": rows,
                "unencoded_bytes": _at(offset_index, "unencoded_byte_array_data_bytes", index),
            }
        if column_index is not None:
            entry |= _column_entry(column_index, leaf, index)
        return IndexedPage(index, **entry)

    return LazySequence(num_pages(column_index, offset_index), make)


def _at(index: structs.Struct | None, name: str, position: int) -> Any:
    values = getattr(index, name)
    return values[position] if values is not None and position < len(values) else None


def _column_entry(column_index: structs.ColumnIndex, leaf: Leaf, position: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "null_page": _at(column_index, "null_pages", position),
        "null_count": _at(column_index, "null_counts", position),
        "nan_count": _at(column_index, "nan_counts", position),
    }
    if entry["null_page"]:
        return entry
    for side in ("min", "max"):
        raw = _at(column_index, f"{side}_values", position)
        if raw is not None:
            entry[f"{side}_raw"] = raw
            entry[side] = _value(leaf, raw)
    return entry


def _value(leaf: Leaf, raw: bytes) -> Any:
    if plain_length(leaf) not in (None, len(raw)):
        return None
    return python_value(leaf, physical_value(leaf, raw))


def page_starts(
    offset_index: structs.OffsetIndex | None, start: int, end: int
) -> tuple[list[int], int] | None:
    """Where the pages of the chunk at `[start, end)` start, if the offset index covers all bytes of the chunk.

    Returns the offsets of all pages followed by `end`, and the position of the first data page: 1 if there are bytes for
    a dictionary page before the first listed page, else 0. None if pages overlap, leave gaps or leave the chunk.
    """
    locations = None if offset_index is None else offset_index.page_locations
    if not locations:
        return None
    starts = []
    expected = locations[0].offset
    if expected is None or expected < start:
        return None
    for location in locations:
        if location.offset != expected or (location.compressed_page_size or 0) <= 0:
            return None
        starts.append(expected)
        expected += location.compressed_page_size
    if expected != end:
        return None
    first = 1 if starts[0] > start else 0
    return [start] * first + starts + [end], first


def problems(
    column_index: structs.ColumnIndex | None,
    offset_index: structs.OffsetIndex | None,
    leaf: Leaf,
    num_rows: int,
) -> list[str]:
    """Contradictions in a chunk's page index, or between it and the row group, in sentences; one of each kind."""
    sentences: list[str] = []
    if offset_index is not None:
        sentences += _offset_problems(offset_index, num_rows)
    if column_index is not None:
        sentences += _column_problems(column_index, leaf)
    if column_index is not None and offset_index is not None:
        here, there = len(column_index.null_pages or ()), len(offset_index.page_locations or ())
        if here != there:
            sentences.append(f"the column index has {here:,} pages, the offset index {there:,}")
        elif leaf.max_repetition_level == 0:
            sentences += _row_problems(column_index, offset_index, leaf, num_rows)
    return sentences


def _offset_problems(index: structs.OffsetIndex, num_rows: int) -> list[str]:
    locations = index.page_locations
    if structs.missing(index):
        return ["the offset index lacks the required page_locations"]
    if any(structs.missing(location) for location in locations):
        return ["the offset index has a page location without a required field"]
    sentences = []
    sizes = index.unencoded_byte_array_data_bytes
    if sizes is not None and len(sizes) != len(locations):
        sentences.append(
            f"the offset index has {len(sizes):,} unencoded_byte_array_data_bytes for {len(locations):,} pages"
        )
    wrong = next(
        (i for i, location in enumerate(locations) if location.compressed_page_size <= 0), None
    )
    if wrong is not None:
        sentences.append(
            f"page {wrong:,} has a compressed_page_size of {locations[wrong].compressed_page_size:,}"
        )
    for i, (a, b) in enumerate(pairwise(locations), 1):
        if b.offset < a.offset + a.compressed_page_size:
            sentences.append(f"page {i:,} starts before page {i - 1:,} ends")
            break
    for i, (a, b) in enumerate(pairwise(locations), 1):
        if (
            b.first_row_index < a.first_row_index
        ):  # equal if a page has no values, which Arrow writes
            sentences.append(
                f"page {i:,} starts at row {b.first_row_index:,}, page {i - 1:,} at row {a.first_row_index:,}"
            )
            break
    if locations and locations[0].first_row_index != 0:
        sentences.append(f"the first page starts at row {locations[0].first_row_index:,}, not at 0")
    beyond = next((i for i, p in enumerate(locations) if p.first_row_index >= num_rows > 0), None)
    if beyond is not None:
        sentences.append(
            f"page {beyond:,} starts at row {locations[beyond].first_row_index:,}, the row group has {num_rows:,} rows"
        )
    return sentences


def _column_problems(index: structs.ColumnIndex, leaf: Leaf) -> list[str]:
    absent = structs.missing(index)
    if absent:
        return [f"the column index lacks the required {', '.join(absent)}"]
    count = len(index.null_pages)
    sentences = []
    for name in _PER_PAGE:
        values = getattr(index, name)
        if values is not None and len(values) != count:
            sentences.append(f"the column index has {len(values):,} {name} for {count:,} pages")
    for name, top in (
        ("repetition_level_histograms", leaf.max_repetition_level),
        ("definition_level_histograms", leaf.max_definition_level),
    ):
        values = getattr(index, name)
        if values and len(values) != count * (top + 1):
            sentences.append(
                f"the column index has {len(values):,} {name} for {count:,} pages of {top + 1} levels"
            )
    for name in ("null_counts", "nan_counts"):
        negative = next((i for i, n in enumerate(getattr(index, name) or ()) if n < 0), None)
        if negative is not None:
            sentences.append(f"page {negative:,} has a negative entry in {name}")
    if index.boundary_order not in (0, 1, 2):
        sentences.append(f"boundary_order is {index.boundary_order}; 0, 1 and 2 exist")
    if len(index.min_values) == len(index.max_values) == count:
        sentences += _bound_problems(index, leaf)
    return sentences


def _bound_problems(index: structs.ColumnIndex, leaf: Leaf) -> list[str]:
    """Bounds that are not values of the column, are out of order, or contradict boundary_order."""
    order = declared_order(leaf) or type_order(leaf)
    if order is Order.NONE:
        return ["the column's type has no order, so its column index has no meaning"] * (
            not all(index.null_pages)
        )
    keys: list[tuple[int, bytes, bytes]] = []
    sentences: list[str] = []
    reported: set[str] = set()

    def report(kind: str, sentence: str) -> None:
        if kind not in reported:
            reported.add(kind)
            sentences.append(sentence)

    for i, null in enumerate(index.null_pages):
        low, high = index.min_values[i], index.max_values[i]
        if null:
            continue
        try:
            low_key, high_key = order_key(leaf, low, order), order_key(leaf, high, order)
        except CorruptFileError as error:
            report(
                "damaged", f"the bounds of page {i:,} are not values of the column: {error.message}"
            )
            continue
        if low_key is None or high_key is None:
            if is_nan(leaf, low) or is_nan(leaf, high):
                report("nan", f"page {i:,} has a NaN bound, which TYPE_ORDER forbids")
            continue
        if low_key > high_key:
            report("order", f"the minimum of page {i:,} is greater than its maximum")
        keys.append((i, low_key, high_key))
    if index.boundary_order in (BoundaryOrder.ASCENDING, BoundaryOrder.DESCENDING):
        ascending = index.boundary_order == BoundaryOrder.ASCENDING
        for a, b in pairwise(keys):
            before, after = (a, b) if ascending else (b, a)
            if before[1] > after[1] or before[2] > after[2]:
                name = "ASCENDING" if ascending else "DESCENDING"
                sentences.append(f"boundary_order is {name}, pages {a[0]:,} and {b[0]:,} are not")
                break
    return sentences


def _row_problems(
    column_index: structs.ColumnIndex,
    offset_index: structs.OffsetIndex,
    leaf: Leaf,
    num_rows: int,
) -> list[str]:
    """Contradictions between null pages, null counts and rows, for columns with one value per row."""
    counts = column_index.null_counts
    if counts is None or len(counts) != len(column_index.null_pages or ()):
        return []
    for page in pages(column_index, offset_index, leaf, num_rows):
        if page.rows is None or page.null_count is None:
            continue
        if page.null_count > page.rows:
            return [f"page {page.index:,} has {page.null_count:,} nulls in {page.rows:,} rows"]
        if page.rows and page.null_page != (page.null_count == page.rows):
            state = "a null page" if page.null_page else "not a null page"
            return [
                f"page {page.index:,} is marked as {state} and has {page.null_count:,} nulls in {page.rows:,} rows"
            ]
    return []
