"""The rows of a file, a column for each leaf, as texts; and where each cell and each row is stored.

Nothing but the pages with the shown rows is read: a row far down costs its own pages and the headers before them, and a
damaged page costs its own cells. A leaf inside lists has several entries a row; one cell shows them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import RowGroup, row_starts
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text
from pqexplore.insight.answer import Answer
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.lenses.rows.selection import match_rows, sort_rows
from pqexplore.insight.lenses.rows.summaries import summaries
from pqexplore.insight.row_pages import GroupRows, Location, by_group, locate, locations, pages_from
from pqexplore.insight.row_values import entries_of, first_rows
from pqexplore.insight.trouble import Trouble, trouble_of
from pqexplore.insight.wording import listing, plural
from pqexplore.insight.writers.defect import VALUES

ROWS = 50
"""Rows in one reply."""

COLUMNS = 16
"""Columns in one reply."""

CELL = 160
"""Characters of a shown cell."""

SHOWN_COLUMNS = 2_000
"""Columns in the picture; a wider file shows its first ones."""

ITEMS = 12
"""Entries of a repeated leaf that one cell shows."""

Array = np.ndarray[Any, np.dtype[Any]]


class Cell(NamedTuple):
    """A shown cell. `absent` if the text stands for the absence of a value."""

    text: str
    absent: bool


_NOTHING = Cell("", True)


@dataclasses.dataclass(slots=True)
class ColumnHead:
    """A column of the grid: a leaf's path and type, and how wide its values usually are, in characters."""

    name: str
    type: str
    align: Literal["left", "right"]
    width: int


@dataclasses.dataclass(slots=True)
class Picture:
    """The first columns of `all_columns`, and the rows to page through: the first one in the file, and how many.

    `group` is the row group that they are those of; null for the whole file.
    """

    columns: list[ColumnHead]
    all_columns: int
    first: int
    count: int
    group: int | None = None


@dataclasses.dataclass(slots=True)
class Block:
    """Rows from the one at `start` as texts, by the position of the column in the file.

    `columns` has a column of texts "C" for each column, and "C?", 1 if the text stands for the absence of a value. A
    column that cannot be read has its error in `errors`, and empty cells.
    """

    start: int
    count: int
    columns: Columns
    errors: dict[str, Trouble]


@dataclasses.dataclass(slots=True)
class CellAddress:
    """The address of a cell's first value, or of its first definition level if it has none."""

    address: str


@dataclasses.dataclass(slots=True)
class RowLocations:
    """The locations of a row in the first of `columns` columns."""

    row: int
    columns: int
    locations: list[Location]


def answer(file: ParquetFile, node: Node) -> Answer:
    """The columns, and the rows of the file or row group to page through."""
    leaves = file.schema.leaves
    columns = [
        ColumnHead(
            name=short_text.shorten_name(".".join(leaf.path), 200),
            type=types.describe(leaf),
            align=_align(leaf),
            width=_width(leaf),
        )
        for leaf in leaves[:SHOWN_COLUMNS]
    ]
    starts = row_starts(file)
    first, count = 0, starts[-1]
    code = "f.read()"
    if node.kind == "row_group":
        number = int(node.name)
        first, count = starts[number], starts[number + 1] - starts[number]
        code = f"f.read(row_groups=[{node.name}])"
    group = int(node.name) if node.kind == "row_group" else None
    picture = Picture(columns, len(leaves), first, count, group)
    empty = "" if count else "There are no rows: the writer got none, and the schema is all there is."
    return Answer(sentence(file, node), picture=picture, empty=empty, code=code)


def sentence(file: ParquetFile, node: Node) -> str:
    """How many rows there are, and how they are divided."""
    starts = row_starts(file)
    columns = plural(len(file.schema.leaves), "column")
    if node.kind == "row_group":
        first, stop = starts[int(node.name)], starts[int(node.name) + 1]
        if first == stop:
            return "No rows in this row group."
        return f"{plural(stop - first, 'row')} of {starts[-1]:,}: numbers {first:,} to {stop - 1:,}, in {columns}."
    if not starts[-1]:
        return f"No rows, in {columns}."
    sizes = [b - a for a, b in itertools.pairwise(starts)]
    words = plural(starts[-1], "row")
    if len(sizes) == 1:
        return f"{words} in one row group, {columns}."
    if len(set(sizes)) == 1:
        divided = f"{len(sizes):,} row groups of {sizes[0]:,} each"
    elif len(sizes) <= 4:
        divided = f"{len(sizes):,} row groups of {listing([f'{n:,}' for n in sizes])}"
    else:
        divided = f"{len(sizes):,} row groups of {min(sizes):,} to {max(sizes):,}"
    return f"{words} in {divided}, {columns}."


def read(file: ParquetFile, start: int, column: int) -> Block:
    """`ROWS` rows from the one at `start`, of `COLUMNS` columns from the one at `column` (multiples of these).

    Raises UsageError for another start or column. Errors of a column are in the Block.
    """
    starts = row_starts(file)
    leaves = file.schema.leaves
    if start % ROWS or column % COLUMNS or not (0 <= start <= starts[-1] and 0 <= column <= len(leaves)):
        raise UsageError(f"row {start:,} and column {column:,} are not where an answer begins")
    stop = min(start + ROWS, starts[-1])
    return _block(file, by_group(starts, start, stop), start, stop - start, column)


def read_these(file: ParquetFile, rows: list[int], column: int) -> Block:
    """At most `ROWS` rows by their numbers, in this order, of `COLUMNS` columns from the one at `column`.

    Raises UsageError for more rows, another column, or a row that does not exist. Errors of a column are in the Block.
    """
    starts, leaves = row_starts(file), file.schema.leaves
    wrong = column % COLUMNS or not 0 <= column <= len(leaves) or len(rows) > ROWS
    if wrong or not all(isinstance(row, int) and 0 <= row < starts[-1] for row in rows):
        raise UsageError(f"at most {ROWS} rows of the file are shown at a time")
    parts = [part for row in rows for part in by_group(starts, row, row + 1)]
    return _block(file, parts, rows[0] if rows else 0, len(rows), column)


def _block(file: ParquetFile, parts: list[GroupRows], start: int, count: int, column: int) -> Block:
    """The rows of `parts`, one after the other."""
    columns: dict[str, Array | list[str | None]] = {}
    errors: dict[str, Trouble] = {}
    for c in range(column, min(column + COLUMNS, len(file.schema.leaves))):
        cells: list[Cell] = []
        for group, low, high in parts:
            part, error = _cells(file.row_groups[group], c, low, high)
            cells += part
            if error is not None:
                errors.setdefault(str(c), trouble_of(error))
        columns[f"{c}"] = [cell.text for cell in cells]
        columns[f"{c}?"] = np.array([cell.absent for cell in cells], np.uint8)
    return Block(start, count, Columns(columns), errors)


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """The summaries of the first columns."""
    yield "row_summaries", {"column": 0, "group": picture.get("group")}


def cell(file: ParquetFile, row: int, column: int) -> CellAddress:
    """The address to go to from a cell. UsageError if there is no such cell, ParquetError if it cannot be read."""
    return CellAddress(locate(file, row, column).address)


def row(file: ParquetFile, row: int) -> RowLocations:
    """The locations of a row in every column. UsageError if there is no such row."""
    return RowLocations(row, len(file.schema.leaves), locations(file, row))


def _align(leaf: Leaf) -> Literal["left", "right"]:
    shown = types.describe(leaf)
    left = shown.startswith(("STRING", "ENUM", "JSON", "UUID", "BSON", "BYTE_ARRAY", "FIXED_LEN"))
    return "left" if left or leaf.max_repetition_level else "right"


def _width(leaf: Leaf) -> int:
    """Characters that values of a column usually have."""
    shown = types.describe(leaf)
    if leaf.max_repetition_level or _align(leaf) == "left":
        return 22
    for start, width in (("BOOLEAN", 7), ("INT(8", 6), ("INT(16", 8), ("INT32", 11), ("INT(32", 11), ("DATE", 11)):
        if shown.startswith(start):
            return width
    for unit, width in (("TIMESTAMP(ms", 24), ("TIMESTAMP(µs", 27), ("TIMESTAMP", 30), ("INT96", 30)):
        if shown.startswith(unit):
            return width
    return 19


def _cells(group: RowGroup, column: int, low: int, high: int) -> tuple[list[Cell], ParquetError | None]:
    """The cells of rows `[low, high)` of a row group, and the first error if there is one.

    A damaged page costs its own cells. An error that hides which rows the next pages hold costs theirs, too.
    """
    cells: list[Cell] = []
    error: ParquetError | None = None
    try:
        for page, first, count in pages_from(group.columns[column], low):
            a, b = max(low, first) - first, min(high, first + count) - first
            if a < b:
                try:
                    shown = _page_cells(page, a, b)
                except ParquetError as raised:
                    shown, error = [], error or raised
                cells += shown + [_NOTHING] * (b - a - len(shown))  # the index says more rows
            if first + count >= high or len(cells) >= high - low:
                break
    except ParquetError as raised:
        error = error or raised
    return (cells + [_NOTHING] * (high - low))[: high - low], error


def _page_cells(page: Page, a: int, b: int) -> list[Cell]:
    """The cells of rows `[a, b)` of a page, fewer if the page has fewer rows."""
    found = entries_of(page, a, b)
    if found is None:
        return []
    bounds, levels, has, before = found
    names = [short_text.shorten(name, 60) for name in name_levels(page.chunk.leaf)[0]]
    if page.repetition_levels is None:
        return _flat(page, before, has, levels, names)
    return _lists(page, before, has, levels, names, bounds)


def _flat(page: Page, before: int, has: Array, levels: Array | None, names: list[str]) -> list[Cell]:
    """Cells of one entry each: `has` a value, the first at `before` in the page, or a definition level in `levels`."""
    shown = iter(short_text.texts(page.values_part(before, before + int(has.sum())), CELL))
    cells = []
    for i, there in enumerate(has.tolist()):
        if there:
            cells.append(Cell(_said(next(shown)), False))
        else:
            cells.append(Cell(_missing(levels, i, names) if len(names) > 2 else "null", True))
    return cells


def _said(text: str | None) -> str:
    """A value as text. An empty text is one: it is not null."""
    return "null" if text is None else text


def _missing(levels: Array | None, entry: int, names: list[str]) -> str:
    """What the definition level of an entry without a value says."""
    return "null" if levels is None else names[int(levels[entry])]


def _lists(page: Page, before: int, has: Array, levels: Array | None, names: list[str], bounds: Array) -> list[Cell]:
    """Cells of the entries between `bounds`; only the entries that are shown are made into text."""
    cells = []
    values_before = np.concatenate([[0], np.cumsum(has)])
    values = page.values_part(before, before + int(values_before[-1]))
    for start, stop in itertools.pairwise(bounds.tolist()):
        if stop - start == 1 and not has[start]:
            cells.append(Cell(_missing(levels, start, names), True))
            continue
        last = min(stop, start + ITEMS)
        first_value, end_value = int(values_before[start]), int(values_before[last])
        shown = iter(short_text.texts(values[first_value:end_value], 60))
        parts = [_said(next(shown)) or "(empty)" if has[i] else "null" for i in range(start, last)]
        rest = f", … {stop - start:,} in all" if stop > last else ""
        cells.append(Cell(short_text.shorten("[" + ", ".join(parts) + rest + "]", CELL), False))
    return cells


LENS = Lens(
    "rows",
    title="Rows",
    answer=answer,
    kinds=frozenset({"file", "row_group"}),
    frame=first_rows,
    picture=Picture,
    saved=saved,
    operations={
        "rows": read,
        "rows_these": read_these,
        "cell": cell,
        "row": row,
        "row_summaries": summaries,
        "match_rows": match_rows,
        "sort_rows": sort_rows,
    },
    misled_by=frozenset({VALUES}),
    no_figure="it shows values, as `read` gives them",
    across="rows",
)
