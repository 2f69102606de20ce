"""The map of the lens diff: a line for each column, a slot for each row group, and in each the bytes of both files."""

from __future__ import annotations

import dataclasses
import weakref
from collections import Counter
from collections.abc import Generator, Sequence
from typing import Literal

import numpy as np

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.binary_columns import Array
from pqexplore.insight.diff import row_group_alignment
from pqexplore.insight.diff.diff import Diff
from pqexplore.insight.diff.layout_differences import row_counts
from pqexplore.insight.diff.matching import matching
from pqexplore.insight.diff.row_group_alignment import PARTS, UNKNOWN, Line, Slot
from pqexplore.insight.short_text import shorten_name

LINES = 60
"""Max columns that have a line of their own."""

SLOTS = 24
"""Max slots; if there are more row groups, neighbours share a slot."""

LABEL = 120

State = Literal["same", "grown", "shrunk", "added", "gone", "absent", "unknown"]
"""What became of the bytes at a place; `absent`: neither file has it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """What a node is about: leaves of the first file, None for all; and a row group, None for all."""

    leaves: tuple[Leaf, ...] | None = None
    group: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Both:
    """Two files side by side: the bytes of each by leaf, row group and `PARTS`; where the chunks of the first begin."""

    lines: tuple[Line, ...]
    slots: tuple[Slot, ...]
    bytes: tuple[Array, Array]
    starts: Array
    sizes: tuple[int, int]

    @property
    def groups(self) -> tuple[int, int]:
        """How many row groups each file has."""
        return self.bytes[0].shape[1], self.bytes[1].shape[1]

    def lines_of(self, place: Place) -> tuple[Line, ...]:
        """The lines of a place."""
        if place.leaves is None:
            return self.lines
        wanted = {leaf.leaf_index for leaf in place.leaves}
        return tuple(line for line in self.lines if line.first and line.first.leaf_index in wanted)

    def slot_of(self, place: Place) -> Slot:
        """The slot of a place; all row groups if it is not about one."""
        for slot in self.slots if place.group is not None else ():
            if place.group in slot.first:
                return slot
        return Slot(range(self.groups[0]), range(self.groups[1]))

    def bytes_of(self, place: Place) -> tuple[int | None, int | None]:
        """The bytes of a place in both files, of a row group those of its slot; None if a chunk is not known."""
        slot = self.slot_of(place)
        of = self.lines_of(place)
        first = _sum(self.bytes[0], slot.first, [one.first for one in of])
        return first, _sum(self.bytes[1], slot.second, [one.second for one in of])


def _sum(found: Array, groups: range, leaves: Sequence[Leaf | None]) -> int | None:
    indexes = [leaf.leaf_index for leaf in leaves if leaf is not None]
    block = found[indexes, groups.start : groups.stop]
    return None if (block == UNKNOWN).any() else int(block.sum())


@dataclasses.dataclass(slots=True)
class MapLine:
    """A line: the column's name and its leaf in each file, null if it is not there; and what became of its bytes.

    `columns` counts the columns that share the line: 1, those without a line of their own, or all. `bytes` are those of
    both files, null if not known. `differences` counts those that name the column.
    """

    label: str
    kind: Literal["all", "column", "others"]
    columns: int
    first: int | None
    second: int | None
    state: State
    bytes: list[int | None]
    differences: int


@dataclasses.dataclass(slots=True)
class MapSlot:
    """The row groups of a slot in both files: the first, and the one after the last."""

    first: list[int]
    second: list[int]


@dataclasses.dataclass(slots=True)
class FilesMap:
    """Both files, line by line and slot by slot.

    `first` and `second` are bytes by line, slot and kind of `kinds`; -1 for what is not known. `states` and `starts`
    are by line and slot: `starts` is where the first file's only chunk there begins, -1 if it is not one chunk. `rest`
    are the bytes of both files outside of the columns. `chosen` are line and slot of the selected place, -1 for all.
    `columns` and `groups` count all, drawn or not.
    """

    names: list[str]
    kinds: list[str]
    lines: list[MapLine]
    slots: list[MapSlot]
    first: list[int]
    second: list[int]
    states: list[State]
    starts: list[int]
    sizes: list[int]
    rest: list[int]
    chosen: list[int]
    columns: int
    groups: list[int]


_kept: Latest[ParquetFile, Both] = Latest(4)


def both(file: ParquetFile, other: ParquetFile) -> Generator[float, None, Both]:
    """Two files side by side; worked out once."""
    found = _kept.get(file, weakref.ref(other))
    if found is None:
        columns = row_group_alignment.lines(matching(file.schema.leaves, other.schema.leaves))
        first, starts = yield from row_group_alignment.chunk_bytes(file)
        second, _ = yield from row_group_alignment.chunk_bytes(other)
        slots = row_group_alignment.slots(row_counts(file), row_counts(other))
        sizes = file.size, other.size
        found = Both(tuple(columns), tuple(slots), (first, second), starts, sizes)
        _kept.put(file, weakref.ref(other), found)
    return found


class _Drawing:
    """The lines of a map, one after the other."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._has = [(bool(slot.first), bool(slot.second)) for slot in slots]
        self.lines: list[MapLine] = []
        self.states: list[State] = []
        self.cells: tuple[list[Array], list[Array]] = ([], [])

    def add(
        self,
        label: str,
        kind: Literal["all", "column", "others"],
        cells: tuple[Array, Array],
        line: Line | None = None,
        columns: int = 1,
        differences: int = 0,
    ) -> None:
        """Adds a line; `cells` are the bytes of both files by slot and `PARTS`."""
        leaves = (line.first, line.second) if line is not None else (None, None)
        has = [line is None or leaf is not None for leaf in leaves]
        sums = [[_known(cell) for cell in side] for side in cells]
        for at, (first, second) in enumerate(zip(*sums, strict=True)):
            there = self._has[at]
            self.states.append(_state(first, second, has[0] and there[0], has[1] and there[1]))
        whole = [_known(side) for side in cells]
        self.lines.append(
            MapLine(
                shorten_name(label, LABEL),
                kind,
                columns,
                None if leaves[0] is None else leaves[0].leaf_index,
                None if leaves[1] is None else leaves[1].leaf_index,
                _state(whole[0], whole[1], has[0], has[1]),
                [size if there else None for size, there in zip(whole, has, strict=True)],
                differences,
            )
        )
        for made, side in zip(self.cells, cells, strict=True):
            made.append(side)


def _known(cells: Array) -> int | None:
    return None if (cells == UNKNOWN).any() else int(cells.sum())


def _state(first: int | None, second: int | None, mine: bool, others: bool) -> State:
    if not mine or not others:
        return "gone" if mine else "added" if others else "absent"
    if first is None or second is None:
        return "unknown"
    return "same" if first == second else "grown" if second > first else "shrunk"


def drawn(found: Both, place: Place, compared: Diff) -> FilesMap | None:
    """The map; None if neither file has a row group."""
    if not found.slots or not found.lines:
        return None
    named = Counter(path for one in compared.differences for path in one.columns)
    slots = row_group_alignment.folded(found.slots, SLOTS)
    cells = [
        _by_line(found, row_group_alignment.in_slots(found.bytes[0], [slot.first for slot in slots]), 0),
        _by_line(found, row_group_alignment.in_slots(found.bytes[1], [slot.second for slot in slots]), 1),
    ]
    shown = _shown(found, cells, place)
    drawing = _Drawing(slots)
    whole = _summed(cells, slice(None))
    drawing.add("all columns", "all", whole, columns=len(found.lines))
    for at in shown:
        line = found.lines[at]
        both = cells[0][at], cells[1][at]
        drawing.add(line.path, "column", both, line, differences=named[line.path])
    others = sorted(set(range(len(found.lines))) - set(shown))
    if others:
        words = f"{len(others):,} more {'column' if len(others) == 1 else 'columns'}"
        count = sum(named[found.lines[at].path] for at in others)
        drawing.add(words, "others", _summed(cells, others), columns=len(others), differences=count)
    return FilesMap(
        [compared.first, compared.second],
        list(PARTS),
        drawing.lines,
        [MapSlot([s.first.start, s.first.stop], [s.second.start, s.second.stop]) for s in slots],
        np.concatenate(drawing.cells[0]).ravel().tolist(),
        np.concatenate(drawing.cells[1]).ravel().tolist(),
        drawing.states,
        _starts(found, slots, shown, len(drawing.lines)),
        list(found.sizes),
        [max(0, size - int(side.sum())) for size, side in zip(found.sizes, whole, strict=True)],
        _chosen(found, slots, shown, place),
        len(found.lines),
        list(found.groups),
    )


def _by_line(found: Both, by_leaf: Array, side: int) -> Array:
    """The bytes by line, slot and `PARTS`; 0 where the file has no such column."""
    made = np.zeros((len(found.lines), *by_leaf.shape[1:]), np.int64)
    for at, line in enumerate(found.lines):
        leaf = line.second if side else line.first
        if leaf is not None:
            made[at] = by_leaf[leaf.leaf_index]
    return made


def _summed(cells: Sequence[Array], lines: slice | list[int]) -> tuple[Array, Array]:
    """The known bytes of some lines together."""
    first, second = (np.where(side == UNKNOWN, 0, side)[lines].sum(axis=0) for side in cells)
    return first, second


def _shown(found: Both, cells: Sequence[Array], place: Place) -> list[int]:
    """The lines that are drawn: those of the place, columns of one file, and those whose bytes differ most."""
    if len(found.lines) <= LINES:
        return list(range(len(found.lines)))
    chosen = set() if place.leaves is None else {id(line) for line in found.lines_of(place)}
    gap = np.abs(cells[1] - cells[0]).sum(axis=(1, 2)).tolist()

    def rank(at: int) -> tuple[bool, bool, int]:
        line = found.lines[at]
        return id(line) not in chosen, None not in (line.first, line.second), -gap[at]

    return sorted(sorted(range(len(found.lines)), key=rank)[:LINES])


def _starts(found: Both, slots: Sequence[Slot], shown: Sequence[int], lines: int) -> list[int]:
    made = np.full((lines, len(slots)), UNKNOWN, np.int64)
    for row, line in enumerate(shown, 1):
        leaf = found.lines[line].first
        for at, slot in enumerate(slots):
            if leaf is not None and len(slot.first) == 1:
                made[row, at] = found.starts[leaf.leaf_index, slot.first.start]
    flat: list[int] = made.ravel().tolist()
    return flat


def _chosen(found: Both, slots: Sequence[Slot], shown: Sequence[int], place: Place) -> list[int]:
    """The line and the slot of the place; -1 for all."""
    line = 0
    if place.leaves is not None:
        mine = {id(one) for one in found.lines_of(place)}
        line = next((row for row, at in enumerate(shown, 1) if id(found.lines[at]) in mine), -1)
    slot = next((at for at, one in enumerate(slots) if place.group in one.first), -1)
    return [line if place.leaves is not None or place.group is not None else -1, slot]
