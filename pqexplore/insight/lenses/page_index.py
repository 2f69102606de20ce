"""The page index of a column chunk: which rows and bytes each page has, and the range of its values.

A query that needs a few rows finds their pages by the offset index. By the column index, it leaves out the pages whose
range rules its filter out. How much that saves depends on the order of the values and on the number of pages.

https://parquet.apache.org/docs/file-format/pageindex/
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np
import numpy.typing as npt

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import BoundaryOrder, ColumnIndex, OffsetIndex, PageLocation, enum_name
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text, skipping
from pqexplore.insight.answer import Answer, Column, LazyTable, Table
from pqexplore.insight.axis import Axis, Scale, order_of, value_of
from pqexplore.insight.binary_columns import Array, Columns
from pqexplore.insight.findings_at import CHECKED, noted_claims
from pqexplore.insight.lenses.lens import Lens, Steps, answer_of, finish
from pqexplore.insight.skippable import Skippable, joint_axis, judged, page_parts, page_rows, pages_ahead
from pqexplore.insight.skipping import Skipping, number
from pqexplore.insight.wire import Chip
from pqexplore.insight.wording import plural
from pqexplore.insight.writers.defect import BOUNDS


def sentence_of(
    column_index: ColumnIndex | None,
    offset_index: OffsetIndex | None,
    parts: list[Skippable],
    verdict: Skipping,
    in_order: bool,
) -> str:
    """What a filter on one value reads by the page index, and why.

    `in_order` tells whether the pages are in the order that the column index claims.
    """
    count = len(parts)
    pages = f"{count:,} page{'' if count == 1 else 's'}"
    if column_index is None:
        return (
            f"{pages}, each with its place and first row: one row costs one page. There is no column index, so a "
            "filter on values cannot leave pages out."
        )
    if count <= 1:
        return f"{pages}: the page index can skip nothing that the row group's statistics do not."
    where = "" if offset_index is not None else " There is no offset index, so their offsets are unknown."
    empty = f" {verdict.empty:,} of them {'has' if verdict.empty == 1 else 'have'} nulls only." * bool(verdict.empty)
    order = boundary_order(column_index)
    way = (order or "").lower()
    if verdict.verdict == skipping.NO_STATISTICS:
        why = next((part.why for part in parts if part.why), "they have no values")
        return f"{pages}, and a filter on one value cannot use their bounds: {why}.{empty}{where}"
    reads = f"a filter on one value reads {number(verdict.reads)} of {pages} on average"
    if verdict.verdict in (skipping.SORTED, skipping.SEPARATE, skipping.ALONE):
        if order == "UNORDERED" and verdict.direction and verdict.verdict == skipping.SORTED:
            because = (
                ", because their ranges follow one another; the writer says UNORDERED all the same, so a reader has to "
                "look at each page's bounds"
            )
        elif in_order:
            because = f", because they are {way}: a reader finds the page by halving"
        else:
            because = ", because their ranges do not overlap"
    elif verdict.verdict == skipping.USELESS_FOR_SKIPPING:
        because = ", because each of them has nearly the same range"
    elif in_order:
        because = f": their bounds are {way}, and neighbours share part of their range"
    else:
        because = ", because their ranges overlap"
    return f"{reads[0].upper()}{reads[1:]}{because}.{empty}{where}"


def boundary_order(column_index: ColumnIndex | None) -> str | None:
    """The boundary order of a column index by name; None if absent."""
    if column_index is None or column_index.boundary_order is None:
        return None
    return enum_name(BoundaryOrder, column_index.boundary_order)


FIRST = frozenset({"column_index", "offset_index"})

INLINE = 300
"""Max pages that travel with the picture; more are requested as columns."""

BLOCK = 200
"""Pages whose ranges are sent as texts at a time."""

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

_STEPS = {"ASCENDING": 1, "DESCENDING": -1}
"""The sign of the steps from page to page in each boundary order."""

EMPTY = (
    "This file has no page index for this column: parquet-cpp and pyarrow write one with write_page_index=True, "
    "parquet-java since 1.11, arrow-rs unless its statistics are switched off for pages."
)

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class Pages:
    """The pages as float64 arrays (`null_page`: bool) of shape (pages,).

    -1 is unknown. `low` and `high` are the range on the axis, from 0 to 1, NaN if there is none.
    """

    first_row: Floats
    rows: Floats
    offset: Floats
    size: Floats
    low: Floats
    high: Floats
    nulls: Floats
    null_page: npt.NDArray[np.bool_]

    def columns(self) -> dict[str, Array]:
        """The arrays in small dtypes; -1 also for a page without a range."""
        return {
            "first_row": self.first_row.astype("<f8"),
            "rows": _small(self.rows),
            "offset": self.offset.astype("<f8"),
            "size": _small(self.size),
            "low": np.nan_to_num(self.low, nan=-1.0).astype("<f4"),
            "high": np.nan_to_num(self.high, nan=-1.0).astype("<f4"),
            "nulls": _small(self.nulls),
            "null_page": self.null_page.astype("<u1"),
        }


@dataclasses.dataclass(slots=True)
class Lists:
    """The columns of `Pages.columns` as lists."""

    first_row: list[float]
    rows: list[float]
    offset: list[float]
    size: list[float]
    low: list[float]
    high: list[float]
    nulls: list[float]
    null_page: list[int]


@dataclasses.dataclass(slots=True)
class Has:
    """Which of the two indexes there are."""

    column_index: bool
    offset_index: bool


@dataclasses.dataclass(slots=True)
class Picture:
    """The pages of a chunk on its rows, its bytes `[start, end)` and the axis of its values.

    `ahead` is the number of pages before the first data page, None if pages and index do not match. `columns` and
    `texts` (the range of each page) are None if there are too many pages to travel with the picture.
    """

    pages: int
    ahead: int | None
    num_rows: int
    start: int
    end: int
    chunk: str
    has: Has
    boundary_order: str | None
    null_pages: int
    axis: Scale
    facts: list[Chip]
    columns: Lists | None = None
    texts: list[str] | None = None


@dataclasses.dataclass(slots=True)
class Indexed:
    """The pages of a chunk (`Pages.columns`)."""

    columns: Columns


@dataclasses.dataclass(slots=True)
class Texts:
    """The ranges of `BLOCK` pages from page `start`, as texts."""

    start: int
    texts: list[str]


def answer(file: ParquetFile, node: Node) -> Steps:
    """The verdict and the pages. ParquetError if an index is damaged or needs a key."""
    outcome, pages = yield from of_chunk(chunk_at(file, node.address))
    picture = outcome.picture
    if node.kind == "offset_index" and isinstance(picture, Picture) and picture.has.column_index:
        outcome.sentence = f"It has the place and the first row of {plural(picture.pages, 'page')}. {outcome.sentence}"
    if pages is None or not isinstance(picture, Picture) or outcome.table is None:
        return outcome
    if picture.pages <= INLINE:
        lists = {name: values.tolist() for name, values in pages.columns().items()}
        picture.columns = Lists(**lists)
        picture.texts = _range_texts(outcome.table, 0, INLINE)
    else:
        columns = Columns(pages.columns())
        file.cache.get((picture.chunk, "pages drawn"), lambda: columns, lambda kept: kept.nbytes)
    return outcome


def indexed(file: ParquetFile, address: str) -> Indexed:
    """The pages of a chunk as columns: rows, bytes, range on the axis, nulls."""

    def make() -> Columns:
        pages = finish(of_chunk(chunk_at(file, address)))[1]
        return Columns({} if pages is None else pages.columns())

    return Indexed(file.cache.get((address, "pages drawn"), make, lambda kept: kept.nbytes))


def texts(file: ParquetFile, address: str, start: int) -> Texts:
    """The ranges of `BLOCK` pages from page `start`, as texts. UsageError if no block of pages starts there."""
    table = finish(answer_of(file, file.node(address), LENS)).table
    if table is None or start % BLOCK or not 0 <= start < len(table.rows):
        raise UsageError(f"page {start:,} is not where {BLOCK} pages begin")
    return Texts(start, _range_texts(table, start, BLOCK))


def _range_texts(table: Table, start: int, count: int) -> list[str]:
    """The ranges of `count` pages as texts; the remark for a page without bounds."""
    at = [column.name for column in COLUMNS].index
    ranges = []
    for row in table.rows[start : start + count]:
        low, high, remark = (row[at(name)] for name in ("min", "max", "remark"))
        if low is None and high is None:
            ranges.append(remark or "no bounds")
        else:
            ranges.append(f"{short_text.inline(low, 32)} … {short_text.inline(high, 32)}")
    return ranges


def _small(counts: Floats) -> Array:
    """In four bytes if that is enough."""
    return counts.astype("<i4" if len(counts) and counts.max() < 1 << 31 else "<f8")


def of_chunk(chunk: ColumnChunk) -> Generator[float, None, tuple[Answer, Pages | None]]:
    """The answer, and the pages of its picture. ParquetError if an index is damaged or needs a key."""
    yield 0.0
    column_index, offset_index = chunk.column_index, chunk.offset_index
    code = f"f.row_groups[{chunk.row_group.index}].columns[{chunk.index}].offset_index"
    if column_index is None and offset_index is None:
        sentence = "There is no page index: a query that needs a few rows of this chunk reads all of it."
        return Answer(sentence, empty=EMPTY, code=code), None
    parts = _parts(chunk, column_index, offset_index)
    yield 0.5
    axis = joint_axis(chunk.leaf, parts)
    verdict = judged(parts, axis)
    yield 0.8
    pages = _arrays(chunk, parts, offset_index, axis)
    in_order = _in_order(column_index, axis, parts)
    sentence = sentence_of(column_index, offset_index, parts, verdict, in_order)
    if _untrue(column_index, in_order) and len(parts) > CHECKED:
        sentence += f" The index says {boundary_order(column_index)}, and their bounds are not."
    span = _span(chunk)
    picture = Picture(
        pages=len(parts),
        ahead=pages_ahead(chunk, len(parts)) if offset_index is not None else None,
        num_rows=chunk.row_group.num_rows,
        start=span.start,
        end=span.end,
        chunk=chunk.address,
        has=Has(column_index is not None, offset_index is not None),
        boundary_order=boundary_order(column_index),
        null_pages=int(pages.null_page.sum()),
        axis=axis.scale(),
        facts=_facts(chunk, parts, in_order, noted_claims(chunk)),
    )
    return Answer(sentence, picture, _table(chunk, parts, pages), code=code), pages


def _parts(chunk: ColumnChunk, column_index: ColumnIndex | None, offset_index: OffsetIndex | None) -> list[Skippable]:
    if column_index is not None:
        return page_parts(chunk)
    locations = _locations(offset_index)
    ahead = pages_ahead(chunk, len(locations))
    rows = page_rows(locations, chunk.row_group.num_rows)
    parts = []
    for i, location in enumerate(locations):
        part = Skippable("page", i, None if ahead is None else Address.of(chunk.address, "pages", ahead + i))
        if location.offset is not None:
            size = max(0, location.compressed_page_size or 0)
            part.span = Span(location.offset, location.offset + size, chunk.space)
        part.values = None if chunk.leaf.max_repetition_level else rows[i]
        parts.append(part)
    return parts


def _locations(offset_index: OffsetIndex | None) -> list[PageLocation]:
    return [] if offset_index is None else list(offset_index.page_locations or ())


def _span(chunk: ColumnChunk) -> Span:
    """The chunk's bytes; empty if the footer has them wrong."""
    try:
        return chunk.span
    except ParquetError:
        return Span(0, 0)


def _arrays(chunk: ColumnChunk, parts: list[Skippable], offset_index: OffsetIndex | None, axis: Axis) -> Pages:
    count = len(parts)
    locations = _locations(offset_index)[:count]
    first, rows, offset, size = (np.full(count, -1.0) for _ in range(4))
    for i, (location, held) in enumerate(zip(locations, page_rows(locations, chunk.row_group.num_rows), strict=True)):
        first[i] = -1 if location.first_row_index is None else location.first_row_index
        rows[i] = -1 if held is None else held
        offset[i] = -1 if location.offset is None else location.offset
        size[i] = -1 if location.compressed_page_size is None else location.compressed_page_size
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


def _facts(chunk: ColumnChunk, parts: list[Skippable], in_order: bool, findings: list[Finding]) -> list[Chip]:
    column_index, offset_index = chunk.column_index, chunk.offset_index
    facts = []
    if column_index is not None:
        remark = ", which is not true" * _untrue(column_index, in_order)
        facts.append(Chip("boundary order", f"{boundary_order(column_index) or 'unknown'}{remark}"))
        facts.append(Chip("null pages", f"{sum(part.only_nulls for part in parts):,}"))
        facts.append(Chip("order", order_of(chunk.leaf).value))
    sizes = [len(part.span) for part in parts if part.span is not None]
    if sizes:
        facts.append(Chip("bytes a page", _extent(sizes)))
    locations = _locations(offset_index)
    rows = page_rows(locations, chunk.row_group.num_rows)
    counted = [n for n in rows if n is not None]
    if counted:
        facts.append(Chip("rows a page", _extent(counted)))
    bytes_ = sum(getattr(chunk.struct, f"{name}_length") or 0 for name in ("column_index", "offset_index"))
    facts.append(Chip("the index itself", f"{bytes_:,} bytes"))
    wrong = [one.message for one in findings if one.severity.level == "error"]
    if wrong:
        facts.append(Chip("wrong", "; ".join(wrong[:3])))
    return facts


def _untrue(column_index: ColumnIndex | None, in_order: bool) -> bool:
    """Whether the index claims an order that its bounds do not have."""
    return boundary_order(column_index) in _STEPS and not in_order


def _in_order(column_index: ColumnIndex | None, axis: Axis, parts: list[Skippable]) -> bool:
    """Whether the bounds of the pages are in the order that the index claims; without a claim they are not."""
    step = _STEPS.get(boundary_order(column_index) or "")
    if step is None:
        return False
    low, high = axis.rank[: len(parts)], axis.rank[len(parts) :]
    known = (low >= 0) & (high >= 0)
    return all(bool((np.diff(side[known]) * step >= 0).all()) for side in (low, high))


def _extent(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _table(chunk: ColumnChunk, parts: list[Skippable], pages: Pages) -> Table:
    """A row for each page, made on demand."""

    def known(values: Floats, i: int) -> int | None:
        return None if values[i] < 0 else int(values[i])

    def row(i: int) -> tuple[Any, ...]:
        part = parts[i]
        return (
            f"page {i:,}",
            known(pages.first_row, i),
            known(pages.rows, i),
            known(pages.offset, i),
            known(pages.size, i),
            value_of(chunk.leaf, part.low),
            value_of(chunk.leaf, part.high),
            part.nulls,
            part.nans,
            part.remark,
        )

    count = len(parts)
    return LazyTable(
        COLUMNS,
        "Pages, by the page index",
        LazySequence(count, row),
        LazySequence(count, lambda i: parts[i].address),
        LazySequence(count, lambda i: parts[i].span),
    )


def lacking(file: ParquetFile, node: Node) -> str:
    """Why the lens has nothing to show of a column chunk: it has neither of the indexes."""
    struct = chunk_at(file, node.address).struct
    without = struct.column_index_offset is None and struct.offset_index_offset is None
    return "this column chunk has no page index" if without else ""


LENS = Lens(
    "page_index",
    title="Page index",
    answer=answer,
    kinds=FIRST | {"column_chunk"},
    first=FIRST,
    lacking=lacking,
    picture=Picture,
    operations={"indexed_pages": indexed, "indexed_texts": texts},
    misled_by=frozenset({BOUNDS}),
    figure="page_index",
    across="chunks",
    value_free=("page", "first_row", "rows", "offset", "size", "nulls"),
)
