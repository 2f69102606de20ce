"""Counts what the pages hold, from their decoded levels and values.

Statistics, page index, size statistics and page headers all state the same few facts. Here the facts come from the
pages: a `PageContents` describes one decoded page; a `ChunkContents` adds the pages up and keeps only numbers, so a
chunk of any size is checked in little memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import arrow_numbers, numpy_numbers
from pqexplore.engine.check.comparable import Extremes, extremes, nan_mask, outside
from pqexplore.engine.check.places import SEARCHED, Place, of_extreme, of_null
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import page_levels
from pqexplore.engine.file.page import LONG, Page
from pqexplore.engine.format.encodings import run_values
from pqexplore.engine.format.field import OPTIONAL, REPEATED
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Field, Leaf

Array = np.ndarray[Any, Any]

MAX_DISTINCT = 200_000
"""Distinct values that are kept to check a distinct_count; with more, it is not checked."""


@dataclasses.dataclass
class Contents:
    """The numbers of a page, or of the pages of a chunk so far.

    `num_values` counts nulls, `num_present` does not. `leaf_nulls` counts entries whose leaf alone is null (not a list
    or group above it), `element_nulls` the null elements of lists that are not empty. `rows` counts the records that
    begin here. Histograms are int64, shape (maximum level + 1,); None if the maximum level is 0. `nan_count` is None
    for types without NaN, `byte_array_bytes` for types other than BYTE_ARRAY.
    """

    num_values: int = 0
    num_present: int = 0
    leaf_nulls: int = 0
    element_nulls: int = 0
    rows: int = 0
    nan_count: int | None = None
    byte_array_bytes: int | None = None
    definition_histogram: Array | None = None
    repetition_histogram: Array | None = None
    extremes: dict[Order, Extremes | None] = dataclasses.field(default_factory=dict)

    @property
    def nulls(self) -> int:
        """Entries without a value."""
        return self.num_values - self.num_present

    def place(self, order: Order, side: str) -> Place | None:
        """Where the smallest (`min`) or the largest (`max`) value is; None if it cannot be located."""
        raise NotImplementedError

    def null_place(self) -> Place | None:
        """Where the first entry without a value is; None if it cannot be located."""
        raise NotImplementedError

    def outside(self, order: Order, side: str, bound: bytes) -> int | None:
        """How many values are below a minimum (`min`) or above a maximum (`max`), by its PLAIN bytes; None if not counted."""
        raise NotImplementedError


@dataclasses.dataclass
class PageContents(Contents):
    """The numbers of one data page. `begins_inside`: its first value continues a record of the page before.

    `physical` are its values as stored. For a long dictionary-encoded page, it has each used entry once, and `uses`
    counts the uses of each (int64, shape (entries,)); else `uses` is None. `first_row` is the number of rows of the row
    group before the page, None if unknown.
    """

    page: Page | None = None
    begins_inside: bool = False
    physical: pa.Array | None = None
    uses: Array | None = None
    first_row: int | None = None

    def place(self, order: Order, side: str) -> Place | None:
        """Where the smallest or the largest value of the page is."""
        return None if self.page is None else of_extreme(self.page, self.first_row, order, side)

    def null_place(self) -> Place | None:
        """Where the first entry of the page without a value is."""
        return None if self.page is None else of_null(self.page, self.first_row)

    def outside(self, order: Order, side: str, bound: bytes) -> int | None:
        """How many values of the page a bound leaves out."""
        if self.page is None or self.physical is None:
            return None
        return _outside(self.page.chunk.leaf, self.physical, self.uses, order, side, bound)


def _outside(leaf: Leaf, physical: pa.Array, uses: Array | None, order: Order, side: str, bound: bytes) -> int | None:
    try:
        return outside(leaf, physical, order, side, bound, uses)
    except ParquetError:
        return None


def page_contents(page: Page, orders: Collection[Order], first_row: int | None = None) -> PageContents:
    """Decode a data page and count. Raises ParquetError if it cannot be decoded."""
    leaf = page.chunk.leaf
    definitions = _definitions(page)
    repetition = page.repetition_levels
    physical, uses = _values(page)
    contents = PageContents(
        num_values=page.num_values,
        num_present=page.num_present,
        page=page,
        physical=physical,
        uses=uses,
        first_row=first_row,
    )
    if definitions is not None:
        contents.definition_histogram = definitions
        if leaf.repetition == OPTIONAL:
            contents.leaf_nulls = int(definitions[leaf.max_definition_level - 1])
        contents.element_nulls = int(definitions[_list_level(leaf) : -1].sum())
    if repetition is not None:
        contents.repetition_histogram = histogram(repetition, leaf.max_repetition_level)
        contents.rows = int(contents.repetition_histogram[0])
        contents.begins_inside = len(repetition) > 0 and int(repetition[0]) != 0
    else:
        contents.rows = page.num_values
    nan = nan_mask(leaf, physical)
    if nan is not None:
        contents.nan_count = int(np.count_nonzero(nan) if uses is None else uses[nan].sum())
    if leaf.physical_type == Type.BYTE_ARRAY:
        contents.byte_array_bytes = _value_bytes(physical, uses)
    contents.extremes = {order: extremes(leaf, physical, order, page.index) for order in orders}
    return contents


def _definitions(page: Page) -> Array | None:
    """How often each definition level occurs; None if the maximum is 0. Levels that are one run are not expanded."""
    maximum, section = page.chunk.leaf.max_definition_level, page.body.section("definition_levels")
    only = maximum and page_levels.only_level(page.header, section, maximum, page.num_values)
    if not maximum or only is None or only > maximum:
        return page.level_counts(section.name)
    counts = np.zeros(maximum + 1, np.int64)
    counts[only] = page.num_values
    return counts


def _values(page: Page) -> tuple[pa.Array, Array | None]:
    """`physical` and `uses` of `PageContents`."""
    runs = page.id_runs if page.num_values > LONG else None
    entries = None if runs is None else page.chunk.dictionary_physical
    if runs is None or entries is None:
        return page.physical, None
    uses = runs.histogram(len(entries))
    used = np.flatnonzero(uses)
    return entries.take(arrow_numbers(used)), uses[used]


def _list_level(leaf: Leaf) -> int:
    """The smallest definition level of an element of the innermost list around the leaf; 0 without lists."""
    field: Field | None = leaf
    while field is not None and field.repetition != REPEATED:
        field = field.parent
    return 0 if field is None else field.max_definition_level


def histogram(levels: Array, maximum: int) -> Array:
    """How often each level from 0 to `maximum` occurs: int64, shape (maximum + 1,)."""
    return run_values.histogram(levels, maximum + 1)


def _value_bytes(physical: pa.Array, uses: Array | None) -> int:
    lengths = pc.binary_length(physical)
    if uses is None:
        return int(pc.sum(lengths).as_py() or 0)
    return int(numpy_numbers(lengths).astype(np.int64) @ uses)


class ChunkContents(Contents):
    """The sums of the data pages that were added so far.

    `complete`: every page could be decoded. `pages`: the number of data pages added.
    """

    def __init__(self, chunk: ColumnChunk, orders: Collection[Order], count_distinct: bool) -> None:
        super().__init__(extremes=dict.fromkeys(orders))
        self.complete = True
        self.pages = 0
        self._chunk = chunk
        self._first_rows: dict[int, int | None] = {}
        """The first row of each page that was added, by the page's index."""
        self._null_page: int | None = None
        self._distinct: pa.Array | None = pa.array([], pa.null()) if count_distinct else None

    def add(self, page: PageContents) -> None:
        """Add a page."""
        self.pages += 1
        if page.page is not None:
            self._first_rows[page.page.index] = page.first_row
            if page.nulls and self._null_page is None:
                self._null_page = page.page.index
        self.num_values += page.num_values
        self.num_present += page.num_present
        self.leaf_nulls += page.leaf_nulls
        self.element_nulls += page.element_nulls
        self.rows += page.rows
        self.nan_count = _sum(self.nan_count, page.nan_count)
        self.byte_array_bytes = _sum(self.byte_array_bytes, page.byte_array_bytes)
        self.definition_histogram = _sum(self.definition_histogram, page.definition_histogram)
        self.repetition_histogram = _sum(self.repetition_histogram, page.repetition_histogram)
        for order, ends in page.extremes.items():
            known = self.extremes.get(order)
            self.extremes[order] = ends if known is None else known.merged(ends)
        if self._distinct is not None and page.physical is not None:
            self._distinct = _merged(self._distinct, pc.unique(page.physical))

    def place(self, order: Order, side: str) -> Place | None:
        """Where the smallest or the largest value of the chunk is."""
        ends = self.extremes.get(order)
        index = None if ends is None else ends.low_page if side == "min" else ends.high_page
        if index is None:
            return None
        return of_extreme(self._chunk.pages[index], self._first_rows.get(index), order, side)

    def null_place(self) -> Place | None:
        """Where the first entry of the chunk without a value is."""
        index = self._null_page
        return None if index is None else of_null(self._chunk.pages[index], self._first_rows[index])

    def outside(self, order: Order, side: str, bound: bytes) -> int | None:
        """How many values of the chunk a bound leaves out: its pages are decoded once more, if they are not too many."""
        if self.num_values > SEARCHED:
            return None
        total = 0
        try:
            for index in self._first_rows:
                physical, uses = _values(self._chunk.pages[index])
                count = outside(self._chunk.leaf, physical, order, side, bound, uses)
                if count is None:
                    return None
                total += count
        except ParquetError:
            return None
        return total

    @property
    def distinct(self) -> int | None:
        """The number of different values; None if they were not counted, or are more than `MAX_DISTINCT`."""
        return None if self._distinct is None else len(self._distinct)

    @property
    def distinct_values(self) -> pa.Array | None:
        """The different values as stored; None if they were not counted, or are more than `MAX_DISTINCT`."""
        return self._distinct


def _merged(known: pa.Array, more: pa.Array) -> pa.Array | None:
    """The distinct values of both; None if they cannot be compared, or are more than `MAX_DISTINCT`."""
    if len(known):
        if known.type != more.type:
            return None
        more = pc.unique(pa.concat_arrays([known, more]))
    return more if len(more) <= MAX_DISTINCT else None


def _sum(known: Any, more: Any) -> Any:
    if more is None:
        return known
    return more if known is None else known + more
