"""What the page index of a column chunk says: which rows and which bytes each page has, and what its values span.

A query that needs a few rows finds their pages by the offset index, and leaves out by the column index the pages whose
range rules its filter out. How much that saves depends on the order of the values, and on the number of pages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pqexplore.engine import page_index
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import BoundaryOrder
from pqexplore.engine.tree import LazySequence, Span, join
from pqexplore.insight import skipping
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import Axis, order_of, value_of
from pqexplore.insight.lazy_table import LazyTable
from pqexplore.insight.parts import (
    Part,
    joint_axis,
    judged,
    page_parts,
    page_rows,
    pages_ahead,
)
from pqexplore.insight.skipping import Skipping, number

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

CHECKED = 10_000
"""Pages up to which the two indexes are held against each other here; `f.check()` does it for any number."""

COLUMNS = (
    Column("page", "page", meaning="data pages, counted as the index does"),
    Column("first_row", "first row", "number", "counted from the row group's first"),
    Column("rows", "rows", "number"),
    Column("offset", "offset", "number", "in the file"),
    Column("size", "bytes", "bytes", "with the page's header"),
    Column("min", "min", "code"),
    Column("max", "max", "code"),
    Column("nulls", "nulls", "number"),
    Column("nans", "NaNs", "number"),
    Column("remark", "remark"),
)

EMPTY = (
    "This file has no page index for this column: parquet-cpp and pyarrow write one with write_page_index=True, "
    "parquet-java since 1.11, arrow-rs unless its statistics are switched off for pages."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Pages:
    """The pages as arrays, for a picture: -1 (or NaN, for `low` and `high` on the axis) where a thing is not told."""

    first_row: npt.NDArray[np.float64]
    rows: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]
    size: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    nulls: npt.NDArray[np.float64]
    null_page: npt.NDArray[np.bool_]


def of_chunk(chunk: ColumnChunk) -> Generator[float, None, tuple[Answer, Pages | None]]:
    """The answer, and the pages that its picture draws. ParquetError where an index is damaged or locked."""
    yield 0.0
    told, places = chunk.column_index, chunk.offset_index
    code = f"f.row_groups[{chunk.row_group.index}].columns[{chunk.index}].offset_index"
    if told is None and places is None:
        sentence = (
            "There is no page index: a query that needs a few rows of this chunk reads all of it."
        )
        return Answer(sentence, empty=EMPTY, code=code), None
    parts = _parts(chunk, told, places)
    yield 0.5
    axis = joint_axis(chunk.leaf, parts)
    found = judged(parts, axis)
    yield 0.8
    pages = _arrays(chunk, parts, places, axis)
    sentence = _sentence(chunk, told, places, parts, found)
    span = _span(chunk)
    picture = {
        "pages": len(parts),
        "ahead": pages_ahead(chunk, len(parts)) if places is not None else None,
        "num_rows": chunk.row_group.num_rows,
        "start": span.start,
        "end": span.end,
        "chunk": chunk.address,
        "has": {"bounds": told is not None, "places": places is not None},
        "boundary_order": _boundary(told),
        "null_pages": int(pages.null_page.sum()),
        "axis": {
            "label": axis.label,
            "measured": axis.measured,
            "ticks": [[round(at, 6), text] for at, text in axis.ticks],
        },
        "facts": _facts(chunk, told, places, parts, found),
    }
    return Answer(sentence, picture, _table(chunk, parts, pages), code=code), pages


def _parts(chunk: ColumnChunk, told: Any, places: Any) -> list[Part]:
    if told is not None:
        return page_parts(chunk)
    locations = list(places.page_locations or ())
    ahead = pages_ahead(chunk, len(locations))
    rows = page_rows(locations, chunk.row_group.num_rows)
    parts = []
    for i, place in enumerate(locations):
        part = Part("page", i, None if ahead is None else join(chunk.address, "pages", ahead + i))
        if place.offset is not None:
            size = max(0, place.compressed_page_size or 0)
            part.span = Span(place.offset, place.offset + size)
        part.values = None if chunk.leaf.max_repetition_level else rows[i]
        parts.append(part)
    return parts


def _span(chunk: ColumnChunk) -> Span:
    """The chunk's bytes; nothing where the footer has them wrong."""
    try:
        return chunk.span
    except ParquetError:
        return Span(0, 0)


def _boundary(told: structs.ColumnIndex | None) -> str | None:
    if told is None or told.boundary_order is None:
        return None
    return structs.enum_name(BoundaryOrder, told.boundary_order)


def _arrays(chunk: ColumnChunk, parts: list[Part], places: Any, axis: Axis) -> Pages:
    count = len(parts)
    locations = [] if places is None else list(places.page_locations or ())[:count]
    first, rows, offset, size = (np.full(count, -1.0) for _ in range(4))
    for i, (place, held) in enumerate(
        zip(locations, page_rows(locations, chunk.row_group.num_rows), strict=True)
    ):
        first[i] = -1 if place.first_row_index is None else place.first_row_index
        rows[i] = -1 if held is None else held
        offset[i] = -1 if place.offset is None else place.offset
        size[i] = -1 if place.compressed_page_size is None else place.compressed_page_size
    nulls = np.array([-1 if part.nulls is None else part.nulls for part in parts], np.float64)
    return Pages(
        first,
        rows,
        offset,
        size,
        axis.place[:count],
        axis.place[count:],
        nulls,
        np.array([part.only_nulls for part in parts], bool),
    )


def _sentence(
    chunk: ColumnChunk, told: Any, places: Any, parts: list[Part], found: Skipping
) -> str:
    count = len(parts)
    pages = f"{count:,} page{'' if count == 1 else 's'}"
    if told is None:
        return (
            f"{pages}, each with its place and first row: one row costs one page. There is no column index, so a "
            "filter on values cannot leave pages out."
        )
    if count <= 1:
        return f"{pages}: the page index can skip nothing that the row group's statistics do not."
    where = (
        "" if places is not None else " There is no offset index, so where they lie is not told."
    )
    empty = f" {found.empty:,} of them {'has' if found.empty == 1 else 'have'} nulls only." * bool(
        found.empty
    )
    boundary = _boundary(told)
    if found.verdict == skipping.NO_STATISTICS:
        why = next((part.why for part in parts if part.why), "they have no values")
        return f"{pages}, and a filter on one value cannot use their bounds: {why}.{empty}{where}"
    reads = f"a filter on one value reads {number(found.reads)} of {pages} on average"
    if found.verdict in (skipping.SORTED, skipping.SEPARATE, skipping.ALONE):
        if boundary == "UNORDERED" and found.direction and found.verdict == skipping.SORTED:
            because = (
                ", because their ranges follow one another; the writer says UNORDERED all the same, so a reader has to "
                "look at each page's bounds"
            )
        elif boundary in ("ASCENDING", "DESCENDING"):
            because = f", because they are {boundary.lower()}: a reader finds the page by halving"
        else:
            because = ", because their ranges do not overlap"
    elif found.verdict == skipping.USELESS_FOR_SKIPPING:
        because = ", because each of them has nearly the same range"
    elif boundary in ("ASCENDING", "DESCENDING"):
        because = f": their bounds are {boundary.lower()}, and neighbours share part of their range"
    else:
        because = ", because their ranges overlap"
    return f"{reads[0].upper()}{reads[1:]}{because}.{empty}{where}"


def _facts(
    chunk: ColumnChunk, told: Any, places: Any, parts: list[Part], found: Skipping
) -> list[list[str]]:
    made = []
    if told is not None:
        made.append(["boundary order", _boundary(told) or "not told"])
        made.append(["null pages", f"{sum(part.only_nulls for part in parts):,}"])
        made.append(["order", order_of(chunk.leaf).value])
    sizes = [len(part.span) for part in parts if part.span is not None]
    if sizes:
        made.append(["bytes a page", _extent(sizes)])
    locations = [] if places is None else list(places.page_locations or ())
    rows = page_rows(locations, chunk.row_group.num_rows)
    counted = [n for n in rows if n is not None]
    if counted:
        made.append(["rows a page", _extent(counted)])
    bytes_ = sum(
        getattr(chunk.struct, f"{name}_length") or 0 for name in ("column_index", "offset_index")
    )
    made.append(["the index itself", f"{bytes_:,} bytes"])
    wrong = []
    if len(parts) <= CHECKED:
        try:
            wrong = page_index.problems(told, places, chunk.leaf, chunk.row_group.num_rows)
        except ParquetError as error:
            wrong = [error.message]
    if wrong:
        made.append(["wrong", "; ".join(wrong[:3])])
    return made


def _extent(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _table(chunk: ColumnChunk, parts: list[Part], pages: Pages) -> Table:
    """A row for each page, made when it is asked for."""

    def told(values: npt.NDArray[np.float64], i: int) -> int | None:
        return None if values[i] < 0 else int(values[i])

    def row(i: int) -> tuple[Any, ...]:
        part = parts[i]
        return (
            f"page {i:,}",
            told(pages.first_row, i),
            told(pages.rows, i),
            told(pages.offset, i),
            told(pages.size, i),
            value_of(chunk.leaf, part.low),
            value_of(chunk.leaf, part.high),
            part.nulls,
            part.nans,
            "nulls only" if part.only_nulls else part.why or None,
        )

    count = len(parts)
    return LazyTable(
        COLUMNS,
        "Pages, by the page index",
        LazySequence(count, row),
        LazySequence(count, lambda i: parts[i].address),
        LazySequence(count, lambda i: parts[i].span),
    )
