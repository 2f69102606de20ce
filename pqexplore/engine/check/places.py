"""Where a value is: its row, its data page and its address, as evidence in a finding."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_reader import shows_change

if TYPE_CHECKING:
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.ordering import Order


SEARCHED = 1 << 22
"""Values of a page that are searched for one of them. A few bytes can stand for many values."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The `row` counts from the row group's first and is None if unknown; `address` is the value's, or its page's.

    `row_of_file` counts from the file's first row; None if unknown. `page` is the number of the page among the data pages of
    its chunk, `shows_change` whether the page would show that the value was changed after it was written.
    """

    row: int | None
    address: str
    row_of_file: int | None
    page: int
    shows_change: bool

    def __str__(self) -> str:
        page = f"data page {self.page:,}"
        if self.row_of_file is not None:
            return f"row {self.row_of_file:,} of the file, {page}"
        return page if self.row is None else f"row {self.row:,} of the row group, {page}"

    @property
    def evidence(self) -> dict[str, int | str | None]:
        """The place as evidence of a finding."""
        return {"row": self.row, "row_of_file": self.row_of_file, "page": self.page, "at": self.address}


def remark(place: Place | None) -> str:
    """The place in brackets, after a value; empty if unknown."""
    return "" if place is None else f" ({place})"


def of_value(page: Page, at: int, first_row: int | None) -> Place:
    """The place of the value at index `at` of a page, before which the row group has `first_row` rows.

    Raises ParquetError if the page's levels cannot be decoded.
    """
    levels, entry = page.definition_levels, at
    if levels is not None:
        entry = int(np.flatnonzero(levels == page.chunk.leaf.max_definition_level)[at])
    return _place(page, entry, first_row, Address.of(page.address, "values", at))


def of_extreme(page: Page, first_row: int | None, order: Order, side: str) -> Place | None:
    """The place of the smallest (`min`) or the largest (`max`) value of a page.

    None if the page cannot be read again, or has more than `SEARCHED` values.
    """
    if page.num_values > SEARCHED:
        return None
    from pqexplore.engine.check.comparable import positions  # reads values; most findings need none

    try:
        found = positions(page.chunk.leaf, page.physical, order)
        if found is None:
            return None
        return of_value(page, found[0] if side == "min" else found[1], first_row)
    except ParquetError:
        return None


def of_null(page: Page, first_row: int | None) -> Place | None:
    """The place of the first entry of a page without a value; None if every entry has one."""
    try:
        levels = page.definition_levels
        if levels is None:
            return None
        missing = levels < page.chunk.leaf.max_definition_level
        if not missing.any():
            return None
        return _place(page, int(np.argmax(missing)), first_row, page.address)
    except ParquetError:
        return None


def _place(page: Page, entry: int, first_row: int | None, address: str) -> Place:
    """The place of an entry of a page, before which the row group has `first_row` rows."""
    number = page.frame.ordinal or 0
    shows = shows_change(page.chunk, page.header)
    if first_row is None:
        return Place(None, address, None, number, shows)
    levels = page.repetition_levels
    begun = entry if levels is None else int(np.count_nonzero(levels[: entry + 1] == 0)) - 1
    row, start = first_row + begun, page.chunk.row_group.first_row
    return Place(row, address, None if start is None else start + row, number, shows)
