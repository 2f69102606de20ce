"""Rows as Python values, for a DataFrame and for the tables of a terminal."""

from __future__ import annotations

import bisect
import itertools
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format.field import REPEATED, Leaf
from pqexplore.engine.format.nesting.levels import record_bounds
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.row_pages import by_group, pages_from
from pqexplore.insight.row_place import path

ROWS = 1_000
"""Rows of the table."""

COLUMNS = 200
"""Columns of the table."""


def first_rows(file: ParquetFile, node: Node) -> Table:
    """The first rows of the file or a row group as values. A leaf inside lists has a list of its entries.

    A column that cannot be read has the reason instead of each value.
    """
    starts = row_starts(file)
    first, stop = 0, starts[-1]
    if node.kind == "row_group":
        first, stop = starts[int(node.name)], starts[int(node.name) + 1]
    count = min(ROWS, stop - first)
    leaves = file.schema.leaves[:COLUMNS]
    columns = [Column("row", "row", "number", "number of the row in the file")]
    taken = {"row", "address", "span", "start", "end", "space"}
    data: list[list[Any]] = []
    for leaf in leaves:
        title = ".".join(leaf.path)
        name = title if title not in taken else f"{title} [{leaf.leaf_index}]"
        taken.add(name)
        columns.append(Column(name, title))
        data.append(column_values(file, leaf.leaf_index, first, first + count))
    table = Table(columns, "The first rows", total=stop - first)
    for i in range(count):
        group = bisect.bisect_right(starts, first + i) - 1
        table.add(first + i, *(column[i] for column in data), address=Address.of("row_groups", group))
    return table


def column_values(file: ParquetFile, column: int, start: int, stop: int) -> list[Any]:
    """The values of rows `[start, stop)` of a leaf as Python objects, exactly `stop - start`."""
    values: list[Any] = []
    for group, low, high in by_group(row_starts(file), start, stop):
        before = len(values)
        trouble = None
        try:
            for page, first, count in pages_from(file.row_groups[group].columns[column], low):
                values += _values(page, max(low, first) - first, min(high, first + count) - first)
                if first + count >= high:
                    break
        except ParquetError as error:
            trouble = f"not readable: {error.message}"
        values[before + high - low :] = []
        values += [trouble] * (before + high - low - len(values))
    return values


class Entries(NamedTuple):
    """The entries of some rows of a page.

    `bounds` are the first entry of each row, and the end of the last; `levels` the definition levels, None if the maximum
    is 0; `has` (bool) which entries have a value; `before` the number of values of the page before them.
    """

    bounds: Array
    levels: Array | None
    has: Array
    before: int


def entries_of(page: Page, a: int, b: int) -> Entries | None:
    """The entries of rows `[a, b)` of a page, fewer if the page has fewer rows; None if it has none of them."""
    definition, repetition = page.definition_levels, page.repetition_levels
    bounds = np.arange(a, min(b, page.num_values) + 1) if repetition is None else record_bounds(repetition, a, b)
    if len(bounds) < 2:
        return None
    low, high = int(bounds[0]), int(bounds[-1])
    if definition is None:
        return Entries(bounds - low, None, np.ones(high - low, bool), low)
    maximum, levels = page.chunk.leaf.max_definition_level, definition[low:high]
    before = int(np.count_nonzero(definition[:low] == maximum))
    return Entries(bounds - low, levels, levels == maximum, before)


def _values(page: Page, a: int, b: int) -> list[Any]:
    """Rows `[a, b)` of a page."""
    found = entries_of(page, a, b)
    if found is None:
        return []
    bounds, levels, has, before = found
    stored = iter(python_values(page.values_part(before, before + int(has.sum()))))
    entries = [next(stored) if there else None for there in has.tolist()]
    if page.repetition_levels is None:
        return entries
    rows: list[Any] = []
    for x, y in itertools.pairwise(bounds.tolist()):
        if levels is not None and y - x == 1 and not has[x]:
            rows.append(_absent(page.chunk.leaf, int(levels[x])))
        else:
            rows.append(entries[x:y])
    return rows


def _absent(leaf: Leaf, level: int) -> Any:
    """A row of one entry without a value: null, an empty list, or a list of a null."""
    outer = next(f for f in path(leaf) if f.repetition == REPEATED).max_definition_level
    return None if level < outer - 1 else [] if level < outer else [None]


def python_values(array: pa.Array) -> list[Any]:
    """The values as Python objects; stored numbers as texts if a date or time is outside of Python's range."""
    try:
        values: list[Any] = array.to_pylist()
    except (ValueError, OverflowError):
        return [str(getattr(one, "value", None)) for one in array]
    return values
