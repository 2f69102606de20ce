"""The steps of a section as arrays, and what one of them looks like under the glass.

A kind of step yields values of the section (`values`), or something on the way to them (`lengths`), or nothing (a
header). Values of the section are yielded in order, each by exactly one step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.derivation.parts import Part

LISTED = 1_000_000
"""Steps of one value each that are listed; a page with more is cut here, and says so."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of step: its name (that of `trace`), what it yields, one sentence about it."""

    name: str
    meaning: str
    yields: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A value that a step yields: its number, its binary digits, and how it was reckoned."""

    index: int
    bits: str = ""
    how: str = ""
    entry: int | None = None
    """The index into the dictionary."""
    value: Any = None
    """The value where it is no value of the section (a length, say)."""


class Steps:
    """Kind, bytes `[start, end)` in the section, and yielded values `[first, first + count)` of each step."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.kinds = tuple(kinds)
        self._pieces: list[tuple[Array, ...]] = []
        self.kind = self.start = self.end = self.first = self.count = np.zeros(0, np.int64)

    def add(self, kind: str | Array, start: Any, end: Any, first: Any = 0, count: Any = 0) -> None:
        """Append a step, or many: all arguments are numbers, or arrays of equal length."""
        number = (
            [one.name for one in self.kinds].index(kind)
            if isinstance(kind, str)
            else np.asarray(kind)
        )
        piece = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(part)) for part in (number, start, end, first, count))
        )
        self._pieces.append(tuple(np.asarray(part, np.int64) for part in piece))

    def close(self) -> Steps:
        """Join what was added."""
        if self._pieces:
            self.kind, self.start, self.end, self.first, self.count = (
                np.concatenate(parts) for parts in zip(*self._pieces, strict=True)
            )
        self._pieces = []
        return self

    def __len__(self) -> int:
        return int(self.kind.size)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return 5 * self.kind.nbytes

    def kind_of(self, step: int) -> Kind:
        """The kind of a step."""
        return self.kinds[int(self.kind[step])]

    def yielding(self) -> Array:
        """Which steps yield values of the section."""
        found: Array = np.isin(
            self.kind, [i for i, kind in enumerate(self.kinds) if kind.yields == "values"]
        )
        return found & (self.count > 0)

    def of_value(self, index: int) -> int | None:
        """The step that yields a value."""
        mine = np.flatnonzero(self.yielding())
        at = int(np.searchsorted(self.first[mine], index, "right")) - 1
        if at < 0 or index >= int(self.first[mine[at]] + self.count[mine[at]]):
            return None
        return int(mine[at])

    def at_byte(self, position: int) -> int:
        """The step that has a byte of the section; the nearest one before it, where none has."""
        begun = np.flatnonzero(self.start <= position)
        inside = begun[self.end[begun] > position]
        return int(inside[-1] if inside.size else begun[-1]) if begun.size else 0


class Derivation:
    """The steps of one section. Subclasses look closer at one.

    `raw` are the section's bytes; `problem` is what ended the steps too early; `total` how many steps there are,
    listed or not.
    """

    def __init__(self, raw: bytes, steps: Steps, *, total: int | None = None) -> None:
        self.raw = raw
        self.steps = steps.close()
        self.total = len(steps) if total is None else total
        self.problem: ParquetError | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return len(self.raw) + self.steps.nbytes

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        raise NotImplementedError

    def size(self, step: int) -> int:
        """The bytes that are the step's own."""
        return int(self.steps.end[step] - self.steps.start[step])

    def look(self, step: int, focus: int, number: int) -> tuple[list[Part], list[Row]]:
        """The parts of a step, and up to `number` of the values it yields, from number `focus` on."""
        raise NotImplementedError

    def window(self, step: int, focus: int, number: int) -> range:
        """The numbers of the values to show."""
        first, count = int(self.steps.first[step]), int(self.steps.count[step])
        begin = max(first, min(focus, first + count - 1)) if count else first
        return range(begin, min(first + count, begin + number))


Values = Callable[[int], Any]
"""A value of the section, as stored, by its number."""
