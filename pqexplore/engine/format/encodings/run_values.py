"""Values as the runs that they are stored in: 67 million equal ones are one value and how often it repeats.

For questions that do not need every value in an array of its own: how often each occurs, which is number 5,000, what are
the ten from there on.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pqexplore.engine.format.encodings.bits import UnsignedArray

PIECE = 1 << 20
"""Values that are counted at once: numpy makes 8 bytes of each for that."""

FEW = 8
"""Counts for a value from which on all counts take longer than the values: a page of a large dictionary."""

Counts = np.ndarray[Any, np.dtype[np.int64]]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class RunValues:
    """The runs, in order: `ends` is the number of values up to the end of each, `packed` whether it is bit-packed.

    `place` is where in `values` an RLE run has its value, and a bit-packed run its first one.
    """

    values: UnsignedArray
    ends: Counts
    packed: np.ndarray[Any, np.dtype[np.bool_]]
    place: Counts

    def __len__(self) -> int:
        return int(self.ends[-1]) if self.ends.size else 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return int(self.values.nbytes + self.ends.nbytes + self.place.nbytes)

    @property
    def lengths(self) -> Counts:
        """How long each run is."""
        return np.diff(self.ends, prepend=0)

    def at(self, index: int) -> int:
        """Value number `index`."""
        return int(self.part(index, index + 1)[0])

    def part(self, start: int, stop: int) -> UnsignedArray:
        """The values from number `start` up to number `stop`."""
        wanted = np.arange(start, min(stop, len(self)))
        run = self.ends.searchsorted(wanted, "right")
        begin = self.ends[run] - self.lengths[run]
        part: UnsignedArray = self.values[self.place[run] + np.where(self.packed[run], wanted - begin, 0)]
        return part

    def histogram(self, length: int) -> Counts:
        """How often each value below `length` occurs."""
        counts = np.zeros(length, np.int64)
        self.add_to(counts)
        return counts

    def add_to(self, counts: Counts) -> None:
        """Adds to the count of each value how often it occurs."""
        unpacked = int(self.lengths[self.packed].sum())
        _add(self.values[:unpacked], counts)
        repeats = ~self.packed
        np.add.at(counts, self.values[self.place[repeats]], self.lengths[repeats])


def histogram(values: UnsignedArray, length: int) -> Counts:
    """How often each value below `length` occurs in an array, without eight times its memory."""
    counts = np.zeros(length, np.int64)
    _add(values, counts)
    return counts


def _add(values: UnsignedArray, counts: Counts) -> None:
    if values.size < counts.size // FEW:
        np.add.at(counts, values[values < counts.size], 1)
        return
    for start in range(0, values.size, PIECE):
        piece = values[start : start + PIECE]
        counts += np.bincount(piece, minlength=counts.size)[: counts.size]
