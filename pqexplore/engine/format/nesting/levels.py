"""Names for levels, and where records begin.

A definition level counts the optional and repeated fields of the path that are present, a repetition level says in which
list a further element begins. Both are small numbers, which only the schema explains.

Specification: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.arrays import Int64s, Levels
from pqexplore.engine.format.field import OPTIONAL, REPEATED, REQUIRED, Field, Leaf
from pqexplore.engine.format.nesting.shape import LeafColumn

PIECE = 1 << 20
"""Levels that are searched at once."""


def name_levels(leaf: Leaf) -> tuple[list[str], list[str]]:
    """The meaning of each definition level and each repetition level of a leaf.

    For `optional group a (LIST) { repeated group list { optional int32 element; } }`:
    `["a is null", "a is empty", "a.list.element is null", "a.list.element has a value"]` and
    `["a new record", "a further element of a"]`. One name for each level, from 0 to the maximum.
    """
    path = list(leaf.path)
    fields: list[Field] = []
    field: Field | None = leaf
    while field is not None and field.parent is not None:
        fields.append(field)
        field = field.parent
    fields.reverse()
    definition: list[str] = []
    repetition = ["a new record"]
    for depth, field in enumerate(fields, 1):
        name = ".".join(path[:depth])
        if field.repetition == OPTIONAL:
            definition.append(f"{name} is null")
        elif field.repetition == REPEATED:
            parent = field.parent
            if parent is not None and parent.kind in ("list", "map"):
                name = ".".join(path[: depth - 1])
            what = "entry" if parent is not None and parent.kind == "map" else "element"
            definition.append(f"{name} is empty")
            repetition.append(f"a further {what} of {name}")
    definition.append(f"{'.'.join(path)} has a value")
    return definition, repetition


def field_at(leaf: Leaf, definition_level: int) -> Field:
    """The field on the leaf's path that is missing at a definition level: null, or a list without elements.

    At the maximum level nothing is missing: then it is the leaf itself.
    """
    missing: Field = leaf
    field: Field | None = leaf
    while field is not None and field.max_definition_level > definition_level:
        if field.repetition != REQUIRED:
            missing = field
        field = field.parent
    return missing


def entry_of_value(definition_levels: Levels, maximum: int, number: int) -> int | None:
    """The position of the entry with the maximum level that is number `number` (from 0); None after the last one."""
    for start in range(0, len(definition_levels), PIECE):
        present = definition_levels[start : start + PIECE] == maximum
        count = int(np.count_nonzero(present))
        if number < count:
            return start + int(np.flatnonzero(present)[number])
        number -= count
    return None


def record_starts(repetition_levels: Levels) -> Int64s:
    """Positions (int64) of the entries that begin a record: those with repetition level 0."""
    return np.flatnonzero(repetition_levels == 0)


def record_bounds(repetition_levels: Levels, first: int, stop: int) -> Int64s:
    """Positions (int64) where the records `[first, stop)` begin, and where the last of them ends; fewer if there are fewer.

    Levels are searched piece by piece, so a long page takes no memory for its other records.
    """
    found, seen = [np.zeros(0, np.int64)], 0
    for start in range(0, len(repetition_levels), PIECE):
        if seen > stop:
            break
        begins = record_starts(repetition_levels[start : start + PIECE]) + start
        found.append(begins[max(0, first - seen) : max(0, stop + 1 - seen)])
        seen += len(begins)
    if first <= seen <= stop:
        found.append(np.array([len(repetition_levels)]))
    return np.concatenate(found)


def slice_records(column: LeafColumn, start: int, stop: int) -> LeafColumn:
    """The records `[start, stop)` of a column, or those of them that exist; nothing is copied."""
    start, stop = max(0, start), max(0, start, stop)
    definition, repetition = column.definition_levels, column.repetition_levels
    if repetition is not None:
        starts = np.append(record_starts(repetition), len(repetition))
        start, stop = (int(starts[min(at, len(starts) - 1)]) for at in (start, stop))
        repetition = repetition[start:stop]
    values = column.values
    if definition is None:
        return LeafColumn(column.leaf, None, repetition, values[start:stop])
    present = definition == column.leaf.max_definition_level
    first = int(np.count_nonzero(present[:start]))
    count = int(np.count_nonzero(present[start:stop]))
    return LeafColumn(column.leaf, definition[start:stop], repetition, values.slice(first, count))
