"""The rows of a file, a column for each leaf: what is stored, where it is stored.

Nothing but the pages that hold the shown rows is read. So a row far down costs its own pages and the headers before
them, and a damaged page costs its own cells. A leaf inside lists has several entries a row; they are shown together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine import types
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.tree import Node
from pqexplore.insight import rows
from pqexplore.insight.answer import Answer, Table
from pqexplore.widget import text
from pqexplore.widget.columns import pack
from pqexplore.widget.rpc import describe

TITLE = "Rows"
FIRST: frozenset[str] = frozenset()

ROWS = 50
"""Rows in one answer."""

COLUMNS = 16
"""Columns in one answer."""

CELL = 160
"""Characters of a shown cell."""

SHOWN_COLUMNS = 2_000
"""Columns that the view knows by name; a wider file shows its first ones."""

ITEMS = 12
"""Entries of a repeated leaf that one cell shows."""


def applies(node: Node) -> bool:
    """The whole file, or one row group."""
    return node.kind in ("file", "row_group")


def answer(file: Any, node: Node) -> Answer:
    """The columns, and which rows of the file there are to page through."""
    leaves = file.schema.leaves
    columns = [
        {
            "name": text.shorten(".".join(leaf.path), 200),
            "type": types.describe(leaf),
            "align": _align(leaf),
            "width": _width(leaf),
        }
        for leaf in leaves[:SHOWN_COLUMNS]
    ]
    starts = rows.row_starts(file)
    first, count = 0, starts[-1]
    if node.kind == "row_group":
        group = int(node.name)
        first, count = starts[group], starts[group + 1] - starts[group]
    picture = {"columns": columns, "all_columns": len(leaves), "first": first, "count": count}
    code = f"f.read(row_groups=[{node.name}])" if node.kind == "row_group" else "f.read()"
    empty = (
        "" if count else "There are no rows: the writer got none, and the schema is all there is."
    )
    return Answer(rows.sentence(file, node), picture=picture, empty=empty, code=code)


def read(file: Any, start: int, column: int) -> tuple[dict[str, Any], list[Any]]:
    """`ROWS` rows from the one at `start`, of `COLUMNS` columns from the one at `column`, as texts.

    A column that cannot be read has its error in `errors`, by its position in the file, and empty cells.
    """
    starts = rows.row_starts(file)
    leaves = file.schema.leaves
    if (
        start % ROWS
        or column % COLUMNS
        or not (0 <= start <= starts[-1] and 0 <= column <= len(leaves))
    ):
        raise UsageError(f"row {start:,} and column {column:,} are not where an answer begins")
    stop = min(start + ROWS, starts[-1])
    columns: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for c in range(column, min(column + COLUMNS, len(leaves))):
        cells: list[str | None] = []
        absent: list[bool] = []
        for group, low, high in rows.by_group(starts, start, stop):
            got, error = _cells(file.row_groups[group], c, low, high)
            cells += [cell for cell, _ in got]
            absent += [nothing for _, nothing in got]
            if error is not None:
                errors.setdefault(str(c), describe(error))
        columns[f"{c}"] = cells
        columns[f"{c}?"] = np.array(absent, np.uint8)
    header, buffers = pack(columns)
    return {"start": start, "count": stop - start, "columns": header, "errors": errors}, buffers


def cell(file: Any, row: int, column: int) -> dict[str, str]:
    """The address of what a cell shows: its first value, or the page's definition levels where it has none."""
    return {"address": rows.place(file, row, column).address}


def row(file: Any, row: int) -> dict[str, Any]:
    """Where a row lies in every column: pages, their bytes, and the row's entries in them."""
    names = [".".join(leaf.path) for leaf in file.schema.leaves]
    places = [
        {
            "name": text.shorten(names[one.column], 120),
            "page": one.page,
            "span": None if one.span is None else [one.span.start, one.span.end, one.span.space],
            "address": one.address,
            "first": one.first,
            "entries": one.entries,
            "values": one.values,
            "trouble": text.shorten(one.trouble, 300),
        }
        for one in rows.places(file, row)
    ]
    return {"row": row, "columns": len(names), "places": places}


def frame(file: Any, node: Node) -> Table:
    """The first rows as values, for `Explorer.to_frame`; the view pages through texts of its own."""
    return rows.first_rows(file, node)


OPS = {"rows": read, "cell": cell, "row": row}


def _align(leaf: Any) -> str:
    shown = types.describe(leaf)
    left = shown.startswith(("STRING", "ENUM", "JSON", "UUID", "BSON", "BYTE_ARRAY", "FIXED_LEN"))
    return "left" if left or leaf.max_repetition_level else "right"


def _width(leaf: Any) -> int:
    """Characters that values of a column usually take."""
    shown = types.describe(leaf)
    if leaf.max_repetition_level or _align(leaf) == "left":
        return 22
    for start, width in (
        ("BOOLEAN", 7),
        ("INT(8", 6),
        ("INT(16", 8),
        ("INT32", 11),
        ("INT(32", 11),
        ("DATE", 11),
    ):
        if shown.startswith(start):
            return width
    for unit, width in (
        ("TIMESTAMP(ms", 24),
        ("TIMESTAMP(µs", 27),
        ("TIMESTAMP", 30),
        ("INT96", 30),
    ):
        if shown.startswith(unit):
            return width
    return 19


def _cells(
    group: Any, column: int, low: int, high: int
) -> tuple[list[tuple[str, bool]], ParquetError | None]:
    """The cells of rows `[low, high)` of a row group: text, and whether it stands for the absence of a value."""
    cells: list[tuple[str, bool]] = []
    try:
        chunk = group.columns[column]
        for page, first, count in rows.pages_from(chunk, low):
            a, b = max(low, first) - first, min(high, first + count) - first
            if a < b:
                got = _page_cells(page, a, b)
                cells += got + [("", True)] * (b - a - len(got))  # the index promised more rows
            if first + count >= high or len(cells) >= high - low:
                break
    except ParquetError as error:
        return (cells + [("", True)] * (high - low))[: high - low], error
    return (cells + [("", True)] * (high - low))[: high - low], None


def _page_cells(page: Any, a: int, b: int) -> list[tuple[str, bool]]:
    leaf = page.chunk.leaf
    definition, repetition = page.definition_levels, page.repetition_levels
    names = [text.shorten(n, 60) for n in name_levels(leaf)[0]]
    if repetition is None:
        b = min(b, page.num_values)
        bounds = np.arange(a, b + 1)
    else:
        begins = np.append(np.flatnonzero(repetition == 0), len(repetition))
        bounds = begins[a : b + 1]
        b = a + len(bounds) - 1
    if len(bounds) < 2:
        return []
    low, high = int(bounds[0]), int(bounds[-1])
    if definition is None:
        has = np.ones(high - low, bool)
        before = low
    else:
        has = definition[low:high] == leaf.max_definition_level
        before = int(np.count_nonzero(definition[:low] == leaf.max_definition_level))
    present = int(has.sum())
    if repetition is None:
        return _flat(page, definition, has, low, before, present, names)
    return _lists(page, definition, has, bounds, before, names)


def _flat(
    page: Any, definition: Any, has: Any, low: int, before: int, present: int, names: list[str]
) -> list[tuple[str, bool]]:
    shown = iter(text.texts(page.values[before : before + present], CELL))
    cells = []
    for i, there in enumerate(has.tolist()):
        if there:
            cells.append((next(shown) or "null", False))
        else:
            level = int(definition[low + i])
            cells.append((names[level] if len(names) > 2 else "null", True))
    return cells


def _lists(
    page: Any, definition: Any, has: Any, bounds: Any, before: int, names: list[str]
) -> list[tuple[str, bool]]:
    """Cells of a leaf with several entries a row; only the entries that are shown are made into text."""
    cells = []
    low = int(bounds[0])
    taken = np.concatenate([[0], np.cumsum(has)])
    for start, stop in zip((bounds[:-1] - low).tolist(), (bounds[1:] - low).tolist(), strict=True):
        if stop - start == 1 and not has[start]:
            cells.append((names[int(definition[low + start])], True))
            continue
        last = min(stop, start + ITEMS)
        values = page.values[before + int(taken[start]) : before + int(taken[last])]
        shown = iter(text.texts(values, 60))
        parts = [(next(shown) or "null") if has[i] else "null" for i in range(start, last)]
        rest = f", … {stop - start:,} in all" if stop > last else ""
        cells.append((text.shorten("[" + ", ".join(parts) + rest + "]", CELL), False))
    return cells
