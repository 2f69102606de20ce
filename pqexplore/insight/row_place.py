"""Where an entry of a page stands: its row, and its place in the lists of the row.

Levels say both. Repetition level 0 begins a row; a level of `k` is a further element of the list at depth `k`, and begins
the lists inside of it anew.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.engine.arrays import Levels
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.nesting.shape import shape
from pqexplore.insight.row_pages import first_row

LOOKED_BACK = 1 << 20
"""Entries of a row that are read to count positions in its lists; those of a longer row are not known."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The row of an entry, in the file and in its row group (both from 0), and the path of fields to the entry.

    `positions` (from 0) has one for each list on the path that has the entry as an element; it is None if the row is too
    long for them to be counted. The path ends with the field that is null or empty, if one is.
    """

    row: int
    group: int
    in_group: int
    path: str
    positions: tuple[int, ...] | None


def place_of(page: Page, entry: int) -> Place:
    """The place of an entry of a data page. Raises ParquetError if the levels that it depends on cannot be read."""
    leaf, group = page.chunk.leaf, page.chunk.row_group.index
    repetition, definition = page.repetition_levels, page.definition_levels
    begun = entry + 1
    if repetition is not None:
        begun = int(np.count_nonzero(repetition[: entry + 1] == 0))
    row = first_row(page) + begun - 1
    level = leaf.max_definition_level if definition is None else int(definition[entry])
    positions: tuple[int, ...] | None = ()
    if repetition is not None:
        positions = _positions(_entries_of_row(page, repetition[: entry + 1]), leaf)
    return Place(
        row=row_starts(page.chunk.file)[group] + row,
        group=group,
        in_group=row,
        path=spelt(leaf, level, positions),
        positions=None if positions is None else positions[: _lists(leaf, level)],
    )


def _entries_of_row(page: Page, levels: Levels) -> Levels | None:
    """The repetition levels of a row up to an entry, the last of `levels`; None if there are more than `LOOKED_BACK`.

    A row of a V1 page may begin on an earlier page.
    """
    parts, size = [levels], len(levels)
    index = page.index
    while not (parts[0] == 0).any():
        index -= 1
        if index < 0 or size > LOOKED_BACK:
            return None
        before = page.chunk.pages[index]
        if before.is_data and before.repetition_levels is not None:
            parts.insert(0, before.repetition_levels)
            size += len(parts[0])
    found = np.concatenate(parts)
    return found[int(np.flatnonzero(found == 0)[-1]) :]


def _positions(levels: Levels | None, leaf: Leaf) -> tuple[int, ...] | None:
    """The position of the last of a row's entries in the list at each depth."""
    if levels is None:
        return None
    positions = []
    for depth in range(1, leaf.max_repetition_level + 1):
        begins = int(np.flatnonzero(levels < depth)[-1])
        positions.append(int(np.count_nonzero(levels[begins + 1 :] == depth)))
    return tuple(positions)


def _lists(leaf: Leaf, level: int) -> int:
    """How many lists on the path have an element at a definition level."""
    return sum(1 for field in path(leaf) if field.repetition == 2 and level >= field.max_definition_level)


def path(leaf: Leaf) -> list[Field]:
    """The fields from below the root down to the leaf."""
    fields: list[Field] = []
    field: Field | None = leaf
    while field is not None and field.parent is not None:
        fields.append(field)
        field = field.parent
    return fields[::-1]


def spelt(leaf: Leaf, level: int, positions: tuple[int, ...] | None) -> str:
    """The path to an entry: `tags[2]`, `place.x`, `counts[0].key`; a position that is not known is `?`."""
    top = path(leaf)[0]
    words = []
    below = "field"
    for node in shape(top, {leaf.leaf_index}):
        if below == "field":
            words.append(f".{node.name}")
        below = "field" if node.kind == "struct" else "element"
        if level < node.definition_level:
            break
        if node.kind in ("list", "map"):
            if level < node.element_level:
                break
            at = "?" if positions is None else f"{positions[node.repetition_level - 1]}"
            words.append(f"[{at}]")
    return "".join(words).removeprefix(".")
