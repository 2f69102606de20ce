"""What the pages really hold: counted once from the decoded levels and values, compared with whatever claims it.

Statistics, page index, size statistics and page headers all tell the same few facts. Here these are taken from the
pages themselves: a `PageContents` while its page is in hand, a `ChunkContents` that grows with the pages and keeps
numbers only, so that a chunk of any size is checked in little memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.check.comparable import Extremes, extremes, nan_mask
from pqexplore.engine.ordering import Order
from pqexplore.engine.page import Page
from pqexplore.engine.schema import OPTIONAL, REPEATED
from pqexplore.engine.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.schema import Field, Leaf

Array = np.ndarray[Any, Any]

MOST_DISTINCT = 200_000
"""Distinct values that are kept to check a distinct_count; of more, nothing is said."""


@dataclasses.dataclass
class Contents:
    """The values of a page, or of the pages of a chunk so far, in numbers.

    `num_values` counts nulls, `num_present` does not; `leaf_nulls` counts entries whose leaf alone is missing (not a
    list or group above it), `element_nulls` those that are missing in a list that is there and not empty. `rows` counts the records that begin here. Histograms are None where the maximum is 0.
    `nan_count` is None for types without NaN, `byte_array_bytes` for types other than BYTE_ARRAY.
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


@dataclasses.dataclass
class PageContents(Contents):
    """What one data page holds, and the page; `begins_inside` says that its first value continues a record."""

    page: Page | None = None
    begins_inside: bool = False
    physical: pa.Array | None = None


def page_contents(page: Page, orders: Collection[Order]) -> PageContents:
    """Decode a data page and count. Raises ParquetError where it cannot be decoded."""
    leaf = page.chunk.leaf
    definition, repetition = page.definition_levels, page.repetition_levels
    physical = page.physical
    found = PageContents(
        num_values=page.num_values, num_present=page.num_present, page=page, physical=physical
    )
    if definition is not None:
        found.definition_histogram = histogram(definition, leaf.max_definition_level)
        if leaf.repetition == OPTIONAL:
            found.leaf_nulls = int(found.definition_histogram[leaf.max_definition_level - 1])
        found.element_nulls = int(found.definition_histogram[_list_level(leaf) : -1].sum())
    if repetition is not None:
        found.repetition_histogram = histogram(repetition, leaf.max_repetition_level)
        found.rows = int(found.repetition_histogram[0])
        found.begins_inside = len(repetition) > 0 and int(repetition[0]) != 0
    else:
        found.rows = page.num_values
    nan = nan_mask(leaf, physical)
    if nan is not None:
        found.nan_count = int(np.count_nonzero(nan))
    if leaf.physical_type == Type.BYTE_ARRAY:
        found.byte_array_bytes = _value_bytes(physical)
    found.extremes = {order: extremes(leaf, physical, order) for order in orders}
    return found


def _list_level(leaf: Leaf) -> int:
    """The definition level from which on an entry is an element of the innermost list around it; 0 without lists."""
    field: Field | None = leaf
    while field is not None and field.repetition != REPEATED:
        field = field.parent
    return 0 if field is None else field.max_definition_level


def histogram(levels: Array, maximum: int) -> Array:
    """How often each level from 0 to `maximum` occurs."""
    counts: Array = np.bincount(levels, minlength=maximum + 1)[: maximum + 1]
    return counts


def _value_bytes(physical: pa.Array) -> int:
    return int(pc.sum(pc.binary_length(physical)).as_py() or 0)


class ChunkContents(Contents):
    """What the pages of a chunk hold together, as far as they were added.

    `complete` says that every page could be decoded; `pages` are how many data pages were added.
    """

    def __init__(self, leaf: Leaf, orders: Collection[Order], count_distinct: bool) -> None:
        super().__init__(extremes=dict.fromkeys(orders))
        self.leaf = leaf
        self.complete = True
        self.pages = 0
        self._distinct: Any = pa.array([], pa.null()) if count_distinct else None

    def add(self, page: PageContents) -> None:
        """Count a page in."""
        self.pages += 1
        self.num_values += page.num_values
        self.num_present += page.num_present
        self.leaf_nulls += page.leaf_nulls
        self.element_nulls += page.element_nulls
        self.rows += page.rows
        self.nan_count = _sum(self.nan_count, page.nan_count)
        self.byte_array_bytes = _sum(self.byte_array_bytes, page.byte_array_bytes)
        self.definition_histogram = _sum(self.definition_histogram, page.definition_histogram)
        self.repetition_histogram = _sum(self.repetition_histogram, page.repetition_histogram)
        for order, found in page.extremes.items():
            known = self.extremes.get(order)
            self.extremes[order] = found if known is None else known.merged(found)
        if self._distinct is not None and page.physical is not None:
            self._add_distinct(page.physical)

    def _add_distinct(self, physical: pa.Array) -> None:
        here = pc.unique(physical)
        if len(self._distinct):
            if self._distinct.type != here.type:
                self._distinct = None
                return
            here = pc.unique(pa.concat_arrays([self._distinct, here]))
        self._distinct = here if len(here) <= MOST_DISTINCT else None

    @property
    def distinct(self) -> int | None:
        """How many different values there are; None where that was not counted, or grew too large."""
        return None if self._distinct is None else len(self._distinct)


def _sum(known: Any, more: Any) -> Any:
    if more is None:
        return known
    return more if known is None else known + more
