"""The rows of a file, a column for each leaf: what is stored, where it is stored.

Nothing but the pages that hold the shown rows is read. So a row far down costs its own pages and the headers before
them, and a damaged page costs its own cells. A leaf inside lists has several entries a row; they are shown together.
"""

from __future__ import annotations

import bisect
import itertools
from typing import Any

import numpy as np

from pqexplore.engine import types
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.tree import Node, join
from pqexplore.widget import text
from pqexplore.widget.columns import pack
from pqexplore.widget.rpc import describe

TITLE = "Rows"
FIRST = frozenset({"file"})

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


def show(file: Any, node: Node) -> dict[str, Any]:
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
    starts = _row_starts(file)
    first, count = 0, starts[-1]
    if node.kind == "row_group":
        group = int(node.name)
        first, count = starts[group], starts[group + 1] - starts[group]
    return {"columns": columns, "all_columns": len(leaves), "first": first, "count": count}


def read(file: Any, start: int, column: int) -> tuple[dict[str, Any], list[Any]]:
    """`ROWS` rows from the one at `start`, of `COLUMNS` columns from the one at `column`, as texts.

    A column that cannot be read has its error in `errors`, by its position in the file, and empty cells.
    """
    starts = _row_starts(file)
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
        for group, low, high in _by_group(starts, start, stop):
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
    starts = _row_starts(file)
    if not (0 <= row < starts[-1] and 0 <= column < len(file.schema.leaves)):
        raise UsageError(f"there is no cell in row {row:,}, column {column:,}")
    group = bisect.bisect_right(starts, row) - 1
    chunk = file.row_groups[group].columns[column]
    row -= starts[group]
    for page, first, count in _pages(chunk, row):
        if first <= row < first + count:
            low, high, definition = _entries(page, row - first)
            has = (
                np.ones(high, bool)
                if definition is None
                else definition == chunk.leaf.max_definition_level
            )
            if not has[low:high].any():
                return {"address": join(page.address, "definition_levels")}
            value = int(has[: low + int(np.argmax(has[low:high]))].sum())
            return {"address": join(page.address, "values", value)}
    raise UsageError(f"the pages of {chunk.address} end before row {row:,}")


OPS = {"rows": read, "cell": cell}


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
    return 26 if shown.startswith(("TIMESTAMP", "INT96")) else 19


def _row_starts(file: Any) -> list[int]:
    """The first row of each row group, and behind them the number of rows."""

    def make() -> list[int]:
        return [0, *itertools.accumulate(group.num_rows for group in file.row_groups)]

    starts: list[int] = file.cache.get(
        ("widget", "row starts"), make, lambda found: 64 * len(found)
    )
    return starts


def _by_group(starts: list[int], start: int, stop: int) -> list[tuple[int, int, int]]:
    """The row groups that have rows of `[start, stop)`, and which of their own rows these are."""
    parts = []
    group = max(0, bisect.bisect_right(starts, start) - 1)
    while group < len(starts) - 1 and starts[group] < stop:
        low, high = max(start, starts[group]), min(stop, starts[group + 1])
        if low < high:
            parts.append((group, low - starts[group], high - starts[group]))
        group += 1
    return parts


def _pages(chunk: Any, row: int) -> Any:
    """The data pages of a chunk from the one that has `row` on: page, its first row, its number of rows."""
    index = chunk.offset_index
    places = [] if index is None else list(index.page_locations or ())
    pages = chunk.pages
    first = 0
    if places:
        firsts = [place.first_row_index or 0 for place in places]
        at = max(0, bisect.bisect_right(firsts, row) - 1)
        ahead = len(pages) - len(places)
        ends = [*firsts[1:], 1 << 62]
        for i in range(at, len(places)):
            yield pages[ahead + i], firsts[i], ends[i] - firsts[i]
        return
    for page in pages:
        if not page.is_data:
            continue
        count = _rows_of(page)
        if first + count > row:
            yield page, first, count
        first += count


def _rows_of(page: Any) -> int:
    """How many rows begin in a page."""
    part = page.header.data_page_header_v2
    if part is not None and part.num_rows is not None:
        return int(part.num_rows)
    if not page.chunk.leaf.max_repetition_level:
        return int(page.num_values)
    return int(np.count_nonzero(page.repetition_levels == 0))


def _entries(page: Any, row: int) -> tuple[int, int, Any]:
    """The entries `[low, high)` of a row of a page, and the definition levels of the page."""
    definition = page.definition_levels
    repetition = page.repetition_levels
    if repetition is None:
        return row, row + 1, definition
    begins = np.flatnonzero(repetition == 0)
    return (
        int(begins[row]),
        int(begins[row + 1]) if row + 1 < len(begins) else len(repetition),
        definition,
    )


def _cells(
    group: Any, column: int, low: int, high: int
) -> tuple[list[tuple[str, bool]], ParquetError | None]:
    """The cells of rows `[low, high)` of a row group: text, and whether it stands for the absence of a value."""
    cells: list[tuple[str, bool]] = []
    try:
        chunk = group.columns[column]
        for page, first, count in _pages(chunk, low):
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
