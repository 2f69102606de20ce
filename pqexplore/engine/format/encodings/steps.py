"""Where the parts of a section lie: its steps as arrays.

A section (levels, or values) is a row of *steps*: runs, blocks, vectors, or values with their lengths. They are found by
the same scans that the decoders use, so that a page of a hundred thousand runs costs what its bytes cost.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pqexplore.engine.arrays import Array
from pqexplore.engine.lazy_sequence import once

Column = int | range | Array
"""One number for many steps: the same for all, regular, or an array."""

LISTED = 1_000_000
"""The maximum number of steps in `Steps.table`; the table of a page with more is truncated, and says so."""


class Kind(NamedTuple):
    """A kind of step: its name, one sentence about it, and what it yields.

    `yields` is `values` for values of the section, another word for something on the way to them (`lengths`), or ""
    if it yields nothing (a header). Values of the section are yielded in order, each by exactly one step.
    """

    name: str
    meaning: str
    yields: str = ""


LEFTOVER = Kind("leftover", "Bytes that no level and no value needs.")


class Extent(NamedTuple):
    """One step: its kind, its bytes `[start, end)` in the section, its values `[first, first + count)`."""

    kind: Kind
    start: int
    end: int
    first: int
    count: int  # type: ignore[assignment]  # tuple.count is not used


class Steps:
    """The steps of a section, in order."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self._groups: list[tuple[int, int, tuple[Column, ...]]] = []
        self._length = 0
        self._last = -1, Extent(Kind("", ""), 0, 0, 0, 0)

    def add(self, kind: Kind | Column, start: Column, end: Column, first: Column = 0, count: Column = 0) -> None:
        """Append a step, or many: numbers, or ranges and arrays of equal length. `kind` may be indexes into `kinds`."""
        columns = (self.kinds.index(kind) if isinstance(kind, Kind) else kind, *(start, end, first, count))
        length = min((len(column) for column in columns if not isinstance(column, int)), default=1)
        if length:
            self._groups.append((self._length, length, columns))
            self._length += length

    def include(self, other: Steps, offset: int) -> None:
        """Append all steps of another; its first kind is number `offset` of these kinds."""
        for _, _, (kind, *columns) in other._groups:
            assert not isinstance(kind, range)
            self.add(kind + offset, *columns)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Extent:
        last, extent = self._last  # a step is asked for several times in a row
        if index == last:
            return extent
        for base, length, columns in self._groups:
            if 0 <= index - base < length:
                at = index - base
                kind, *numbers = [c if type(c) is int else int(c[at]) for c in columns]  # type: ignore[index]
                extent = Extent(self.kinds[kind], *numbers)
                self._last = index, extent
                return extent
        raise IndexError(index)

    @once
    def table(self) -> Array:
        """Kind, start, end, first and count of the first `LISTED` steps: int64, shaped (5, steps)."""
        table = np.zeros((5, min(self._length, LISTED)), np.int64)
        for base, length, columns in self._groups:
            for row, column in zip(table[:, base : base + length], columns, strict=True):
                if isinstance(column, range):
                    column = np.arange(column.start, column.stop, column.step)
                row[:] = column if isinstance(column, int) else column[: row.size]
        return table

    @property
    def nbytes(self) -> int:
        """Bytes of memory that `table` takes."""
        return 40 * min(self._length, LISTED)

    def yielding(self) -> Array:
        """Which of the listed steps yield values of the section: an array of bool."""
        yields = np.array([kind.yields == "values" for kind in self.kinds] or [False])
        found: Array = yields[self.table[0]] & (self.table[4] > 0)
        return found

    def _yields(self, kind: Column) -> bool:
        """Whether steps yield values of the section; kinds that share an array all do."""
        return not isinstance(kind, int) or self.kinds[kind].yields == "values"

    def of_value(self, index: int) -> int | None:
        """The step that yields a value of the section; None if none does."""
        for base, length, columns in self._groups:
            kind, _, _, first, _ = columns
            if not self._yields(kind):
                continue
            nth = 0 if isinstance(first, int) else bisect.bisect_right(first, index, 0, length) - 1
            if nth >= 0 and 0 <= index - self[base + nth].first < self[base + nth].count:
                return base + nth
        return None

    def from_value(self, first: int) -> Iterator[int]:
        """All steps, without those of the group that yields value `first` that come before it."""
        begin = self.of_value(first)
        for base, length, (kind, *_) in self._groups:
            if begin is not None and base <= begin < base + length:
                yield from range(begin, base + length)
            elif begin is not None or not first or not self._yields(kind):
                yield from range(base, base + length)

    def at_byte(self, position: int) -> int:
        """The listed step that has a byte of the section; the nearest one before it if none has."""
        _, start, end, _, _ = self.table
        begun = np.flatnonzero(start <= position)
        inside = begun[end[begun] > position]
        return int(inside[-1] if inside.size else begun[-1]) if begun.size else 0
