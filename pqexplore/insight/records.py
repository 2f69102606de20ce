"""How one entry after the other builds a row: the record assembly of Dremel, told step by step.

An entry is a repetition level, a definition level and perhaps a value. The repetition level says where in the row so
far the entry goes on, the definition level how far down from there something exists. `engine.nesting.assembly` does
this for millions of entries at once; here it is done as a person would, and every step says what it added.

Only one column is looked at, so a row has only what this column tells of it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from pqexplore.engine import types
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.nesting.shape import shape
from pqexplore.engine.page import Page
from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.values import format_value

HEAD, TAIL = 2, 6
"""Elements of a list that are shown: its first ones and its last ones."""

LOOKED_BACK = 5_000
"""Entries of a row before the first wanted one that are gone through; of a longer row the beginning is left out."""

LINES = 60
"""Lines of a row that are shown."""

CELL = 60
"""Characters of a shown value."""

LINE = 200
"""Characters of a line."""


_UNREADABLE = object()
"""Stands for a value whose bytes cannot be read."""


@dataclasses.dataclass(slots=True)
class Step:
    """What one entry did: its `sentence`, and the `lines` of the row after it, each with its indent and if it is new.

    `row` counts from the first row that begins in the page; -1 where the row began on an earlier page.
    """

    entry: int
    row: int
    repetition: int
    definition: int
    value: str | None
    sentence: str
    lines: list[tuple[int, str, bool]]


@dataclasses.dataclass(slots=True)
class _Piece:
    """A part of the row. `text` is what a value, null or `[]` reads; `items` is what a list has, `below` a struct."""

    born: int
    text: str = ""
    items: list[_Piece] | None = None
    hidden: int = 0
    name: str = ""
    below: _Piece | None = None


class Builder:
    """A row under construction: `begin` it, then `add` an entry at a time, and look at its `lines`."""

    def __init__(self, leaf: Leaf) -> None:
        top: Field = leaf
        while top.parent is not None and top.parent.parent is not None:
            top = top.parent
        self._chain = shape(top, {leaf.leaf_index})
        self._leaf = leaf
        self._open: dict[int, _Piece] = {}
        self._root: _Piece | None = None
        self._now = 0
        self._cut = False

    def add(self, repetition: int, definition: int, value: str | None) -> None:
        """Take in one entry; `value` is its text, where it has one."""
        self._now += 1
        place = self._open.get(repetition) if repetition else None
        if not repetition:
            self._cut = False
            self._open = {}
            self._root = self._make(0, definition, value)
        elif (
            place is None
        ):  # its row began before what is known, or the levels contradict each other
            self._cut = True
            self._root = self._make(0, definition, value)
        else:
            self._open = {level: at for level, at in self._open.items() if level <= repetition}
            start = 1 + next(
                i
                for i, node in enumerate(self._chain)
                if node.kind in ("list", "map") and node.repetition_level == repetition
            )
            self._append(place, self._make(start, definition, value))

    def _append(self, place: _Piece, made: _Piece) -> None:
        items = place.items
        if items is None:
            items = place.items = []
        items.append(made)
        if len(items) > HEAD + TAIL:
            del items[HEAD]
            place.hidden += 1

    def _make(self, start: int, definition: int, value: str | None) -> _Piece:
        """What an entry makes from the node at `start` of the chain down to where its definition level ends."""
        first = _Piece(self._now)
        at = first
        for node in self._chain[start:]:
            if node.kind == "leaf":
                at.text = "null" if definition < self._leaf.max_definition_level else value or ""
            elif definition < node.definition_level:
                at.text = "null"
            elif node.kind == "struct":
                below = _Piece(self._now)
                at.below, at = below, below
                continue
            elif definition < node.element_level:
                at.text = "[]"
            else:
                below = _Piece(self._now)
                at.items = [below]
                self._open[node.repetition_level] = at
                at = below
                continue
            break
        return first

    def lines(self) -> list[tuple[int, str, bool]]:
        """The row as text: indent, text, and whether the last entry made it."""
        if self._root is None:
            return []
        found: list[tuple[int, str, bool]] = []
        if self._cut:
            found.append((0, "… what came before is not known here", False))
        todo: list[tuple[int, str, _Piece | None, int]] = [
            (0, f"{self._chain[0].name}: ", self._root, 0)
        ]
        while todo:
            indent, text, piece, depth = todo.pop()
            if piece is None:
                found.append((indent, text, False))
                continue
            new = piece.born == self._now
            keys = ""
            while piece.below is not None:  # a struct of which this column tells one field
                depth += 1
                keys += "{" + f"{self._chain[depth].name}: "
                piece = piece.below
                new = new or piece.born == self._now
            ends = "}" * keys.count("{") if keys else ""
            if piece.items is None:
                found.append((indent, f"{text}{keys}{piece.text}{ends}", new))
                continue
            found.append((indent, f"{text}{keys}[", new))
            todo.append((indent, f"]{ends}", None, depth))
            for i in reversed(range(len(piece.items))):
                todo.append((indent + 1, "", piece.items[i], depth + 1))
                if i == HEAD and piece.hidden:
                    todo.append((indent + 1, f"… {piece.hidden:,} more", None, depth))
        return _bounded(found)


def _bounded(lines: list[tuple[int, str, bool]]) -> list[tuple[int, str, bool]]:
    """The lines around the new ones, where there are too many."""
    lines = [
        (indent, text if len(text) <= LINE else f"{text[:LINE]}…", n) for indent, text, n in lines
    ]
    if len(lines) <= LINES:
        return lines
    new = next((i for i, line in enumerate(lines) if line[2]), 0)
    start = max(0, min(new - LINES // 3, len(lines) - LINES))
    return lines[start : start + LINES]


def steps(page: Page, start: int, count: int) -> list[Step]:
    """`count` entries of a data page from the one at `start`, each with the row as it is after it.

    Raises ParquetError where the levels of the page cannot be read; values that cannot be are said to be there.
    """
    leaf = page.chunk.leaf
    stop = min(start + count, page.num_values)
    repetition, definition = levels(page)
    rows = np.cumsum(repetition == 0) - 1
    there = definition == leaf.max_definition_level
    begin = start
    if start < stop:
        zeros = np.flatnonzero(repetition[: start + 1] == 0)
        begin = max(int(zeros[-1]) if len(zeros) else 0, start - LOOKED_BACK)
    skipped = int(np.count_nonzero(there[:begin]))
    wanted = int(np.count_nonzero(there[begin:stop]))
    try:
        values: Iterator[Any] = iter(page.physical[skipped : skipped + wanted].to_pylist())
    except ParquetError:  # the levels can be told all the same
        values = itertools.repeat(_UNREADABLE, wanted)
    builder, made = Builder(leaf), list[Step]()
    words = name_levels(leaf)
    for at in range(begin, stop):
        r, d = int(repetition[at]), int(definition[at])
        text = _value(leaf, next(values, None)) if there[at] else None
        builder.add(r, d, text)
        if at < start:
            continue
        last = at + 1 == len(repetition)
        complete = not last and not repetition[at + 1]
        sentence = _sentence(leaf, words, r, d, text, int(rows[at]))
        if complete:
            sentence += " The row is complete."
        elif last:
            sentence += " It is the last entry of the page."
        made.append(Step(at, int(rows[at]), r, d, text, sentence, builder.lines()))
    return made


def levels(page: Page) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Repetition and definition levels of a data page, zeros where the column has none."""
    found = [page.repetition_levels, page.definition_levels]
    zeros = np.zeros(page.num_values, np.uint8)
    repetition, definition = (zeros if one is None else one for one in found)
    return repetition, definition


def _value(leaf: Leaf, physical: Any) -> str:
    if physical is _UNREADABLE:
        return "which cannot be read"
    try:
        text = format_value(leaf, physical)
    except (ParquetError, ValueError, OverflowError):
        text = str(physical)
    if len(text) > CELL:
        text = f"{text[:CELL]}…"
    quoted = types.describe(leaf).startswith(("STRING", "ENUM", "JSON"))
    return f'"{text}"' if quoted else text


def _sentence(
    leaf: Leaf,
    words: tuple[list[str], list[str]],
    repetition: int,
    definition: int,
    value: str | None,
    row: int,
) -> str:
    definitions, repetitions = words
    where = f"Row {row:,}" if row >= 0 else "A row that began on an earlier page"
    said = f"{where}: "
    if leaf.max_repetition_level:
        about = "a new row begins"
        if repetition:
            what, _, name = repetitions[repetition].removeprefix("a further ").partition(" of ")
            about = f"{name} goes on with a further {what}"
        said = f"{where}. Repetition {repetition} of {leaf.max_repetition_level}: {about}; "
    elif leaf.max_definition_level:
        said += "every entry is a row of its own; "
    if not leaf.max_definition_level:
        return f"{said}every value is there: {value}."
    said += f"definition {definition} of {leaf.max_definition_level}: {definitions[definition]}"
    return f"{said}, {value}." if value is not None else f"{said}."
