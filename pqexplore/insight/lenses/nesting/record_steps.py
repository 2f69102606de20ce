"""How one entry after the other builds a row: Dremel's record assembly, step by step.

An entry is a repetition level, a definition level and perhaps a value. The repetition level says at which list of the
row the entry goes on, the definition level how many of the fields below are there. `engine.format.nesting.assembly`
does this for millions of entries at once. Here each entry is one step, with a sentence that says what it added. See
https://parquet.apache.org/docs/file-format/nestedencoding/.

A row has only what the levels of one column say.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.nesting.shape import shape
from pqexplore.engine.format.value_text import format_value
from pqexplore.insight.lenses.nesting.level_counts import short

HEAD, TAIL = 2, 6
"""Elements of a list that are shown: so many at its beginning, so many at its end."""

LOOKED_BACK = 5_000
"""Entries of a row before the first requested one that are read; the beginning of a longer row is left out."""

LINES = 60
"""Lines of a shown row."""

CELL = 60
"""Characters of a shown value."""

LINE = 200
"""Characters of a line."""


_UNREADABLE = object()
"""Stands for a value whose bytes cannot be read."""


@dataclasses.dataclass(slots=True)
class Line:
    """A line of the row. `new` if the last entry made it."""

    indent: int
    text: str
    new: bool


@dataclasses.dataclass(slots=True)
class AssemblyStep:
    """What one entry added: its levels and value, a sentence, and the lines of the row after it.

    `row` counts from the first row that begins in the page; -1 if the row began on an earlier page. `value` is null if
    the entry has none.
    """

    entry: int
    row: int
    repetition: int
    definition: int
    value: str | None
    sentence: str
    lines: list[Line]


@dataclasses.dataclass(slots=True)
class _Piece:
    """A part of the row: `text` of a value, null or `[]`; the `items` of a list; or the field `below` a struct.

    `born` is the number of the entry that made it, `hidden` the number of items that are left out after the first ones.
    """

    born: int
    text: str = ""
    items: list[_Piece] | None = None
    hidden: int = 0
    below: _Piece | None = None


class Builder:
    """A row under construction: `add` an entry at a time, and read its `lines`."""

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
        """Add one entry; `value` is its text, None if it has none."""
        self._now += 1
        parent = self._open.get(repetition) if repetition else None
        if not repetition:
            self._cut = False
            self._open = {}
            self._root = self._make(0, definition, value)
        elif parent is None:
            # the row began before the first entry here, or the levels contradict each other
            self._cut = True
            self._root = self._make(0, definition, value)
        else:
            self._open = {level: at for level, at in self._open.items() if level <= repetition}
            start = 1 + next(
                i
                for i, node in enumerate(self._chain)
                if node.kind in ("list", "map") and node.repetition_level == repetition
            )
            self._append(parent, self._make(start, definition, value))

    def _append(self, parent: _Piece, piece: _Piece) -> None:
        items = parent.items
        if items is None:
            items = parent.items = []
        items.append(piece)
        if len(items) > HEAD + TAIL:
            del items[HEAD]
            parent.hidden += 1

    def _make(self, start: int, definition: int, value: str | None) -> _Piece:
        """What an entry adds, from the node at `start` of the chain down to the one where its definition level ends."""
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

    def lines(self) -> list[Line]:
        """The row as lines, at most `LINES`."""
        if self._root is None:
            return []
        lines: list[Line] = []
        if self._cut:
            lines.append(Line(0, "… what came before is not known here", False))
        todo: list[tuple[int, str, _Piece | None, int]] = [(0, f"{self._chain[0].name}: ", self._root, 0)]
        while todo:
            indent, text, piece, depth = todo.pop()
            if piece is None:
                lines.append(Line(indent, text, False))
                continue
            new = piece.born == self._now
            keys = ""
            while piece.below is not None:  # a struct: the column has one field of it
                depth += 1
                keys += "{" + f"{self._chain[depth].name}: "
                piece = piece.below
                new = new or piece.born == self._now
            ends = "}" * keys.count("{") if keys else ""
            if piece.items is None:
                lines.append(Line(indent, f"{text}{keys}{piece.text}{ends}", new))
                continue
            lines.append(Line(indent, f"{text}{keys}[", new))
            todo.append((indent, f"]{ends}", None, depth))
            for i in reversed(range(len(piece.items))):
                todo.append((indent + 1, "", piece.items[i], depth + 1))
                if i == HEAD and piece.hidden:
                    todo.append((indent + 1, f"… {piece.hidden:,} more", None, depth))
        return _bounded(lines)


def _bounded(lines: list[Line]) -> list[Line]:
    """At most `LINES` lines around the new ones, each of at most `LINE` characters."""
    for line in lines:
        if len(line.text) > LINE:
            line.text = f"{line.text[:LINE]}…"
    if len(lines) <= LINES:
        return lines
    new = next((i for i, line in enumerate(lines) if line.new), 0)
    start = max(0, min(new - LINES // 3, len(lines) - LINES))
    return lines[start : start + LINES]


def steps(page: Page, start: int, count: int) -> list[AssemblyStep]:
    """`count` entries of a data page from the one at `start`, each with the row after it.

    Raises ParquetError if the levels of the page cannot be read. A value that cannot be read is shown as such.
    """
    leaf = page.chunk.leaf
    stop = min(start + count, page.num_values)
    repetition, definition = levels(page)
    there = definition == leaf.max_definition_level
    begin = start
    if start < stop:
        begin = max(0, start - LOOKED_BACK)
        zeros = np.flatnonzero(repetition[begin : start + 1] == 0)
        begin += int(zeros[-1]) if len(zeros) else 0
    rows = np.cumsum(repetition[begin:stop] == 0) + (np.count_nonzero(repetition[:begin] == 0) - 1)
    skipped = int(np.count_nonzero(there[:begin]))
    wanted = int(np.count_nonzero(there[begin:stop]))
    try:
        values: Iterator[Any] = iter(page.physical_part(skipped, skipped + wanted).to_pylist())
    except ParquetError:  # the levels are readable without the values
        values = itertools.repeat(_UNREADABLE, wanted)
    builder, result = Builder(leaf), list[AssemblyStep]()
    meanings = name_levels(leaf)
    for at in range(begin, stop):
        r, d = int(repetition[at]), int(definition[at])
        text = _value(leaf, next(values, None)) if there[at] else None
        builder.add(r, d, text)
        if at < start:
            continue
        last = at + 1 == len(repetition)
        complete = not last and not repetition[at + 1]
        row = int(rows[at - begin])
        sentence = _sentence(leaf, meanings, r, d, text, row)
        if complete:
            sentence += " The row is complete."
        elif last:
            sentence += " It is the last entry of the page."
        result.append(AssemblyStep(at, row, r, d, text, sentence, builder.lines()))
    return result


def levels(page: Page) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Repetition and definition levels of a data page (integers, one an entry); zeros if the column has none."""
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
    leaf: Leaf, meanings: tuple[list[str], list[str]], repetition: int, definition: int, value: str | None, row: int
) -> str:
    definitions, repetitions = meanings
    where = f"Row {row:,}" if row >= 0 else "A row that began on an earlier page"
    said = f"{where}: "
    if leaf.max_repetition_level:
        about = "a new row begins"
        if repetition:
            what, _, name = repetitions[repetition].removeprefix("a further ").partition(" of ")
            about = f"{short(name)} goes on with a further {what}"
        said = f"{where}. Repetition {repetition} of {leaf.max_repetition_level}: {about}; "
    elif leaf.max_definition_level:
        said += "every entry is a row of its own; "
    if not leaf.max_definition_level:
        return f"{said}every value is there: {value}."
    said += f"definition {definition} of {leaf.max_definition_level}: {short(definitions[definition])}"
    return f"{said}, {value}." if value is not None else f"{said}."
