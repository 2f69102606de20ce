"""The page index: where each data page is, which rows it has, and what its values span.

Two structs of lists run side by side, an entry for each data page: OffsetIndex (place and first row) and ColumnIndex
(bounds and counts). Nothing in the format ties them together but their order, so `problems` checks all that must agree,
and `pages` reads them as one table (specification, "Page Index").
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.ordering import Order, declared_order, is_nan, order_key, type_order
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import BoundaryOrder
from pqexplore.engine.tree import LazySequence
from pqexplore.engine.values import physical_value, plain_length, python_value

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

_PER_PAGE = ("min_values", "max_values", "null_counts", "nan_counts")


@dataclasses.dataclass(frozen=True, slots=True)
class IndexedPage:
    """What the page index says of one data page; None where the index that would say it is absent.

    `first_row` counts from the row group's first row, `size` includes the page's header, `min` and `max` are Python
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
    """Data pages that the index has entries for, by the offset index where it is there."""
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

    `num_rows` is the row group's, for the last page. A damaged entry is left out of its item, never an exception;
    `problems` tells about it.
    """
    locations = [] if offset_index is None else offset_index.page_locations or []

    def make(index: int) -> IndexedPage:
        known: dict[str, Any] = {}
        if index < len(locations):
            place = locations[index]
            first, ends = place.first_row_index, num_rows
            if index + 1 < len(locations):
                ends = locations[index + 1].first_row_index
            rows = None if first is None or ends is None else max(ends - first, 0)
            known = {
                "offset": place.offset,
                "size": place.compressed_page_size,
                "first_row": first,
                "rows": rows,
                "unencoded_bytes": _at(offset_index, "unencoded_byte_array_data_bytes", index),
            }
        if column_index is not None:
            known |= _column_entry(column_index, leaf, index)
        return IndexedPage(index, **known)

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
    """Where the pages of a chunk that lies at `[start, end)` start, if the offset index accounts for all its bytes.

    Gives the starts of all pages followed by `end`, and the position of the first data page: 1 where bytes before the
    first listed page leave room for a dictionary page, else 0. None where pages overlap, leave gaps or leave the chunk.
    """
    locations = None if offset_index is None else offset_index.page_locations
    if not locations:
        return None
    starts = []
    expected = locations[0].offset
    if expected is None or expected < start:
        return None
    for place in locations:
        if place.offset != expected or (place.compressed_page_size or 0) <= 0:
            return None
        starts.append(expected)
        expected += place.compressed_page_size
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
    """What contradicts itself or the row group in a chunk's page index, in sentences; each kind is told once."""
    said: list[str] = []
    if offset_index is not None:
        said += _offset_problems(offset_index, num_rows)
    if column_index is not None:
        said += _column_problems(column_index, leaf)
    if column_index is not None and offset_index is not None:
        here, there = len(column_index.null_pages or ()), len(offset_index.page_locations or ())
        if here != there:
            said.append(f"the column index has {here:,} pages, the offset index {there:,}")
        elif leaf.max_repetition_level == 0:
            said += _row_problems(column_index, offset_index, leaf, num_rows)
    return said


def _offset_problems(index: structs.OffsetIndex, num_rows: int) -> list[str]:
    locations = index.page_locations
    if locations is None:
        return ["the offset index lacks the required page_locations"]
    if any(structs.missing(place) for place in locations):
        return ["the offset index has a page location without a required field"]
    said = []
    sizes = index.unencoded_byte_array_data_bytes
    if sizes is not None and len(sizes) != len(locations):
        said.append(
            f"the offset index has {len(sizes):,} unencoded_byte_array_data_bytes for {len(locations):,} pages"
        )
    wrong = next((i for i, place in enumerate(locations) if place.compressed_page_size <= 0), None)
    if wrong is not None:
        said.append(
            f"page {wrong:,} has a compressed_page_size of {locations[wrong].compressed_page_size:,}"
        )
    for i, (a, b) in enumerate(pairwise(locations), 1):
        if b.offset < a.offset + a.compressed_page_size:
            said.append(f"page {i:,} starts before page {i - 1:,} ends")
            break
    for i, (a, b) in enumerate(pairwise(locations), 1):
        if (
            b.first_row_index < a.first_row_index
        ):  # equal where a page has no values, as Arrow writes
            said.append(
                f"page {i:,} starts at row {b.first_row_index:,}, page {i - 1:,} at row {a.first_row_index:,}"
            )
            break
    if locations and locations[0].first_row_index != 0:
        said.append(f"the first page starts at row {locations[0].first_row_index:,}, not at 0")
    beyond = next((i for i, p in enumerate(locations) if p.first_row_index >= num_rows > 0), None)
    if beyond is not None:
        said.append(
            f"page {beyond:,} starts at row {locations[beyond].first_row_index:,}, the row group has {num_rows:,} rows"
        )
    return said


def _column_problems(index: structs.ColumnIndex, leaf: Leaf) -> list[str]:
    absent = structs.missing(index)
    if absent:
        return [f"the column index lacks the required {', '.join(absent)}"]
    count = len(index.null_pages)
    said = []
    for name in _PER_PAGE:
        values = getattr(index, name)
        if values is not None and len(values) != count:
            said.append(f"the column index has {len(values):,} {name} for {count:,} pages")
    for name, top in (
        ("repetition_level_histograms", leaf.max_repetition_level),
        ("definition_level_histograms", leaf.max_definition_level),
    ):
        values = getattr(index, name)
        if values and len(values) != count * (top + 1):
            said.append(
                f"the column index has {len(values):,} {name} for {count:,} pages of {top + 1} levels"
            )
    for name in ("null_counts", "nan_counts"):
        negative = next((i for i, n in enumerate(getattr(index, name) or ()) if n < 0), None)
        if negative is not None:
            said.append(f"page {negative:,} has a negative entry in {name}")
    if index.boundary_order not in (0, 1, 2):
        said.append(f"boundary_order is {index.boundary_order}; 0, 1 and 2 exist")
    if len(index.min_values) == len(index.max_values) == count:
        said += _bound_problems(index, leaf)
    return said


def _bound_problems(index: structs.ColumnIndex, leaf: Leaf) -> list[str]:
    """Bounds that are no values, lie the wrong way round, or contradict boundary_order."""
    order = declared_order(leaf) or type_order(leaf)
    if order is Order.NONE:
        return ["the column's type has no order, so its column index has no meaning"] * (
            not all(index.null_pages)
        )
    keys: list[tuple[int, bytes, bytes]] = []
    said: list[str] = []
    seen: set[str] = set()

    def say(kind: str, sentence: str) -> None:
        if kind not in seen:
            seen.add(kind)
            said.append(sentence)

    for i, null in enumerate(index.null_pages):
        low, high = index.min_values[i], index.max_values[i]
        if null:
            continue
        try:
            low_key, high_key = order_key(leaf, low, order), order_key(leaf, high, order)
        except CorruptFileError as error:
            say("damaged", f"the bounds of page {i:,} are no values of the column: {error.message}")
            continue
        if low_key is None or high_key is None:
            if is_nan(leaf, low) or is_nan(leaf, high):
                say("nan", f"page {i:,} has a NaN bound, which TYPE_ORDER forbids")
            continue
        if low_key > high_key:
            say("order", f"the minimum of page {i:,} is greater than its maximum")
        keys.append((i, low_key, high_key))
    if index.boundary_order in (BoundaryOrder.ASCENDING, BoundaryOrder.DESCENDING):
        ascending = index.boundary_order == BoundaryOrder.ASCENDING
        for a, b in pairwise(keys):
            before, after = (a, b) if ascending else (b, a)
            if before[1] > after[1] or before[2] > after[2]:
                name = "ASCENDING" if ascending else "DESCENDING"
                said.append(f"boundary_order is {name}, pages {a[0]:,} and {b[0]:,} are not")
                break
    return said


def _row_problems(
    column_index: structs.ColumnIndex,
    offset_index: structs.OffsetIndex,
    leaf: Leaf,
    num_rows: int,
) -> list[str]:
    """Null pages against null counts and rows, for columns with one value a row."""
    counts = column_index.null_counts
    if counts is None or len(counts) != len(column_index.null_pages or ()):
        return []
    for page in pages(column_index, offset_index, leaf, num_rows):
        if page.rows is None or page.null_count is None:
            continue
        if page.null_count > page.rows:
            return [f"page {page.index:,} has {page.null_count:,} nulls in {page.rows:,} rows"]
        if page.rows and page.null_page != (page.null_count == page.rows):
            state = "a null page" if page.null_page else "no null page"
            return [
                f"page {page.index:,} is called {state} and has {page.null_count:,} nulls in {page.rows:,} rows"
            ]
    return []
