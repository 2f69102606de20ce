"""What a level says, in words; and where records begin.

A definition level counts how far down a path an entry is there, a repetition level says at which list a further element
begins. Both are small numbers that mean nothing without the schema: here they get their names.
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.nesting.column import LeafColumn, Levels
from pqexplore.engine.schema import OPTIONAL, REPEATED, REQUIRED, Field, Leaf


def name_levels(leaf: Leaf) -> tuple[list[str], list[str]]:
    """What each definition level and each repetition level of a leaf means.

    For `optional group a (LIST) { repeated group list { optional int32 element; } }`:
    `["a is null", "a is empty", "a.list.element is null", "a.list.element has a value"]` and
    `["a new record", "a further element of a"]`. As many names as there are levels, 0 to the maximum.
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
    """The field of the leaf's path that is missing at a definition level: null, or a list without elements.

    The leaf itself at its maximum level, where nothing is missing.
    """
    missing: Field = leaf
    field: Field | None = leaf
    while field is not None and field.max_definition_level > definition_level:
        if field.repetition != REQUIRED:
            missing = field
        field = field.parent
    return missing


def record_starts(repetition_levels: Levels) -> Levels:
    """Positions of the entries that begin a record: those with repetition level 0."""
    return np.flatnonzero(repetition_levels == 0)


def slice_records(column: LeafColumn, start: int, stop: int) -> LeafColumn:
    """The records `[start, stop)` of a column, as far as there are any; nothing is copied."""
    start, stop = max(0, start), max(0, start, stop)
    definition, repetition = column.definition_levels, column.repetition_levels
    if repetition is not None:
        starts = np.append(record_starts(repetition), len(repetition))
        start, stop = (int(starts[min(at, len(starts) - 1)]) for at in (start, stop))
        repetition = repetition[start:stop]
    values = column.values
    if definition is None:
        return LeafColumn(column.leaf, None, repetition, values[start:stop])
    there = definition == column.leaf.max_definition_level
    first = int(np.count_nonzero(there[:start]))
    count = int(np.count_nonzero(there[start:stop]))
    return LeafColumn(column.leaf, definition[start:stop], repetition, values.slice(first, count))
