"""The pages that hold a row, and which of their entries and values are the row's.

A row is nowhere in one piece: each leaf has pages of its own, which begin at other rows than those of the other leaves.
Nothing but the pages with the row is read.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format.nesting.levels import record_bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import Span
from pqexplore.insight import short_text

LOCATIONS = 200
"""Locations of one row in one reply."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Location:
    """One leaf of one row: its page, the bytes of the page in the file, and the row's entries in the page.

    `name` is the leaf's path, `first` the row's first entry in the page, `values` the number of its values. `address` is
    the row's first value, or the definition level of its first entry if the row has none. `trouble` says why the location
    is not known.
    """

    column: int
    name: str
    page: str
    span: Span | None
    address: str
    first: int = 0
    entries: int = 0
    values: int = 0
    trouble: str = ""


class GroupRows(NamedTuple):
    """Rows `[low, high)` of row group `group`, counted from its first row."""

    group: int
    low: int
    high: int


class PageRows(NamedTuple):
    """A data page and its rows: the first one, counted from the row group's first, and how many."""

    page: Page
    first: int
    rows: int


class RowEntries(NamedTuple):
    """The entries `[low, high)` of a row in its page, and the definition levels of the page (None if it has none)."""

    low: int
    high: int
    definition_levels: Array | None


def by_group(starts: list[int], start: int, stop: int) -> list[GroupRows]:
    """The row groups of the file's rows `[start, stop)`, in order; `starts` is `row_starts(file)`."""
    parts = []
    group = max(0, bisect.bisect_right(starts, start) - 1)
    while group < len(starts) - 1 and starts[group] < stop:
        low, high = max(start, starts[group]), min(stop, starts[group + 1])
        if low < high:
            parts.append(GroupRows(group, low - starts[group], high - starts[group]))
        group += 1
    return parts


def page_locations(chunk: ColumnChunk) -> list[structs.PageLocation]:
    """The pages that the offset index lists; none without one that can be read, or if it lists more pages than the chunk has."""
    try:
        index = chunk.offset_index
    except ParquetError:
        return []
    found = [] if index is None else list(index.page_locations or ())
    return found if len(found) <= len(chunk.pages) else []


def pages_from(chunk: ColumnChunk, row: int) -> Iterator[PageRows]:
    """The data pages of a chunk from the one with `row` on, by the offset index if there is one.

    Raises ParquetError if a page header, or without an index the levels before the row, cannot be read.
    """
    locations = page_locations(chunk)
    pages = chunk.pages
    if locations:
        firsts = [location.first_row_index or 0 for location in locations]
        at = max(0, bisect.bisect_right(firsts, row) - 1)
        ahead = len(pages) - len(locations)  # a dictionary page has no entry in the index
        ends = [*firsts[1:], chunk.row_group.num_rows]
        for i in range(at, len(locations)):
            yield PageRows(pages[ahead + i], firsts[i], ends[i] - firsts[i])
        return
    first = 0
    for page in pages:
        if not page.is_data:
            continue
        count = rows_of(page)
        if first + count > row:
            yield PageRows(page, first, count)
        first += count


def first_rows(chunk: ColumnChunk) -> list[int]:
    """The first row of each data page, counted from the row group's first, as `pages_from` counts. Raises as it does."""
    locations = page_locations(chunk)
    if locations:
        return [location.first_row_index or 0 for location in locations]
    firsts, first = [], 0
    for page in chunk.pages:
        if page.is_data:
            firsts.append(first)
            first += rows_of(page)
    return firsts


def first_row(page: Page) -> int:
    """The first row that begins in a data page, counted from the row group's first, as `pages_from` counts.

    Raises ParquetError if a header, or without an index the levels of a page before, cannot be read.
    """
    chunk = page.chunk
    locations = page_locations(chunk)
    at = page.index - (len(chunk.pages) - len(locations))
    if 0 <= at < len(locations):
        return int(locations[at].first_row_index or 0)
    before = (chunk.pages[number] for number in range(page.index))
    return sum(rows_of(one) for one in before if one.is_data)


def rows_of(page: Page) -> int:
    """How many rows begin in a page."""
    if not page.chunk.leaf.max_repetition_level:
        return int(page.num_values)
    part = page.header.data_page_header_v2
    if part is not None and part.num_rows is not None:
        return int(part.num_rows)
    return int(np.count_nonzero(page.repetition_levels == 0))


def entries_of(page: Page, row: int) -> RowEntries:
    """The entries of a row of a page; `row` counts from the page's first row."""
    definition, repetition = page.definition_levels, page.repetition_levels
    if repetition is None:
        return RowEntries(row, row + 1, definition)
    begin, end = record_bounds(repetition, row, row + 1).tolist()
    return RowEntries(begin, end, definition)


def locate(file: ParquetFile, row: int, column: int) -> Location:
    """The location of a leaf of a row. UsageError if there is no such cell, ParquetError if it cannot be read."""
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
        maximum = chunk.leaf.max_definition_level
        has = np.ones(high, bool) if definition is None else definition == maximum
        values = int(has[low:high].sum())
        if values:
            value = int(has[: low + int(np.argmax(has[low:high]))].sum())
            address = Address.of(page.address, "values", value)
        else:
            address = Address.of(page.address, "definition_levels", low)
        name = _name(file, column)
        return Location(column, name, page.address, page.span, address, low, high - low, values)
    raise UsageError(f"the pages of {chunk.address} end before row {row:,}")


def locations(file: ParquetFile, row: int) -> list[Location]:
    """The locations of a row by leaf, at most `LOCATIONS`; a leaf that cannot be read has its `trouble`."""
    if not 0 <= row < row_starts(file)[-1]:
        raise UsageError(f"there is no row {row:,}")
    result = []
    for column in range(min(len(file.schema.leaves), LOCATIONS)):
        try:
            result.append(locate(file, row, column))
        except (ParquetError, UsageError) as error:
            trouble = short_text.shorten(str(error), 300)
            result.append(Location(column, _name(file, column), "", None, "", trouble=trouble))
    return result


def _name(file: ParquetFile, column: int) -> str:
    return short_text.shorten(".".join(file.schema.leaves[column].path), 120)
