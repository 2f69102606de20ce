"""Rows as they lie: which pages hold a row, and which of their values are its own.

A row is nowhere in one piece. Each leaf has its own pages, cut where it suited the writer, so a row is as many places as
the file has leaves. Nothing but the pages that hold it is read.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.tree import Node, Span, join
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.wording import listing, plural

FRAME_ROWS = 1_000
"""Rows of a table of values."""

FRAME_COLUMNS = 200
"""Columns of a table of values, and places of one row that are told."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """One leaf of one row: its page, the page's bytes in the file, and which of the page's entries are the row's.

    `address` is the row's first value there, or the definition levels of the page where it has none. `trouble` says why
    the place is not known.
    """

    column: int
    page: str
    span: Span | None
    address: str
    first: int = 0
    entries: int = 0
    values: int = 0
    trouble: str = ""


def place(file: ParquetFile, row: int, column: int) -> Place:
    """Where a leaf of a row lies. UsageError where there is no such cell, ParquetError where it cannot be read."""
    starts = row_starts(file)
    if not (0 <= row < starts[-1] and 0 <= column < len(file.schema.leaves)):
        raise UsageError(f"there is no cell in row {row:,}, column {column:,}")
    group = bisect.bisect_right(starts, row) - 1
    chunk = file.row_groups[group].columns[column]
    within = row - starts[group]
    for page, first, count in pages_from(chunk, within):
        if not first <= within < first + count:
            continue
        low, high, definition = entries_of(page, within - first)
        top = chunk.leaf.max_definition_level
        has = np.ones(high, bool) if definition is None else definition == top
        values = int(has[low:high].sum())
        if values:
            value = int(has[: low + int(np.argmax(has[low:high]))].sum())
            address = join(page.address, "values", value)
        else:
            address = join(page.address, "definition_levels")
        return Place(column, page.address, page.span, address, low, high - low, values)
    raise UsageError(f"the pages of {chunk.address} end before row {row:,}")


def places(file: ParquetFile, row: int) -> list[Place]:
    """Where a row lies, leaf by leaf, the first `FRAME_COLUMNS` of them; a leaf that cannot be read has its trouble."""
    if not 0 <= row < row_starts(file)[-1]:
        raise UsageError(f"there is no row {row:,}")
    found = []
    for column in range(min(len(file.schema.leaves), FRAME_COLUMNS)):
        try:
            found.append(place(file, row, column))
        except (ParquetError, UsageError) as error:
            found.append(Place(column, "", None, "", trouble=str(error)))
    return found


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


def first_rows(file: ParquetFile, node: Node) -> Table:
    """The first rows of the file or a row group as values. A leaf inside lists has a list of its entries.

    A column that cannot be read has the reason in the place of each value.
    """
    starts = row_starts(file)
    first, stop = 0, starts[-1]
    if node.kind == "row_group":
        first, stop = starts[int(node.name)], starts[int(node.name) + 1]
    count = min(FRAME_ROWS, stop - first)
    leaves = file.schema.leaves[:FRAME_COLUMNS]
    columns = [Column("row", "row", "number", "number of the row in the file")]
    taken = {"row", "address", "start", "end", "space"}
    data: list[list[Any]] = []
    for leaf in leaves:
        path = ".".join(leaf.path)
        named = path if path not in taken else f"{path} [{leaf.leaf_index}]"
        taken.add(named)
        columns.append(Column(named, path))
        data.append(_column(file, leaf.leaf_index, first, first + count))
    table = Table(columns, "The first rows", total=stop - first)
    for i in range(count):
        group = bisect.bisect_right(starts, first + i) - 1
        table.add(first + i, *(column[i] for column in data), address=f"row_groups/{group}")
    return table


def _column(file: ParquetFile, column: int, start: int, stop: int) -> list[Any]:
    """The values of rows `[start, stop)` of a leaf, as Python has them."""
    made: list[Any] = []
    for group, low, high in by_group(row_starts(file), start, stop):
        before = len(made)
        trouble = None
        try:
            for page, first, count in pages_from(file.row_groups[group].columns[column], low):
                made += _values(page, max(low, first) - first, min(high, first + count) - first)
                if first + count >= high:
                    break
        except ParquetError as error:
            trouble = f"not readable: {error.message}"
        made[before + high - low :] = []
        made += [trouble] * (before + high - low - len(made))
    return made


def _values(page: Any, a: int, b: int) -> list[Any]:
    """Rows `[a, b)` of a page."""
    leaf = page.chunk.leaf
    definition, repetition = page.definition_levels, page.repetition_levels
    total = page.num_values if repetition is None else len(repetition)
    begins = np.arange(total) if repetition is None else np.flatnonzero(repetition == 0)
    bounds = np.append(begins, total)[a : b + 1]
    if len(bounds) < 2:
        return []
    low, high = int(bounds[0]), int(bounds[-1])
    top = leaf.max_definition_level
    has = np.ones(total, bool) if definition is None else definition == top
    before = int(has[:low].sum())
    stored = iter(_python(page.values[before : before + int(has[low:high].sum())]))
    entries = [next(stored) if there else None for there in has[low:high].tolist()]
    if repetition is None:
        return entries
    empty = definition is not None
    rows: list[Any] = []
    for x, y in itertools.pairwise((bounds - low).tolist()):
        nothing = empty and y - x == 1 and not has[low + x]
        rows.append(_absent(leaf, int(definition[low + x])) if nothing else entries[x:y])
    return rows


def _absent(leaf: Any, level: int) -> Any:
    """What a row without a single value is: an empty list, a list of a null, or null."""
    lists = [field for field in _path(leaf) if field.repetition == 2]
    outer = lists[0].max_definition_level
    return None if level < outer - 1 else [] if level < outer else [None]


def _path(leaf: Any) -> list[Any]:
    fields, field = [], leaf
    while field is not None:
        fields.append(field)
        field = field.parent
    return fields[::-1]


def _python(array: Any) -> list[Any]:
    try:
        found: list[Any] = array.to_pylist()
    except (ValueError, OverflowError):  # a date or time that Python has no object for
        return [str(getattr(one, "value", None)) for one in array]
    return found


def row_starts(file: Any) -> list[int]:
    """The first row of each row group, and behind them the number of rows."""

    def make() -> list[int]:
        return [0, *itertools.accumulate(group.num_rows for group in file.row_groups)]

    starts: list[int] = file.cache.get(("rows", "starts"), make, lambda found: 64 * len(found))
    return starts


def by_group(starts: list[int], start: int, stop: int) -> list[tuple[int, int, int]]:
    """The row groups that have rows of `[start, stop)`, and which of their own rows these are."""
    parts = []
    group = max(0, bisect.bisect_right(starts, start) - 1)
    while group < len(starts) - 1 and starts[group] < stop:
        low, high = max(start, starts[group]), min(stop, starts[group + 1])
        if low < high:
            parts.append((group, low - starts[group], high - starts[group]))
        group += 1
    return parts


def pages_from(chunk: Any, row: int) -> Iterator[tuple[Any, int, int]]:
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


def entries_of(page: Any, row: int) -> tuple[int, int, Any]:
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
