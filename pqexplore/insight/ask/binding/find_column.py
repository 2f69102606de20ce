"""Finds the column that a clause names. Exact names come first; case does not matter where it is not needed."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import REPEATED, Field, Leaf
from pqexplore.engine.text import clip

if TYPE_CHECKING:
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.ask.predicate import Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """The field that an operand names, and the list whose elements it means; None without one."""

    field: Field
    outer: Field | None = None


def found(operand: Operand, schema: Schema) -> Found:
    """The field of an operand. UsageError if the schema has no such column, or no list where an element is asked for."""
    field = field_at(schema, operand.path)
    if operand.element is None:
        return Found(field, field if field.kind == "map" and _is_key(field, operand) else None)
    name = ".".join(operand.path)
    if field.kind == "map":
        return Found(field, field)
    element = field.list_element if field.kind == "list" else None
    if element is None and field.repetition == REPEATED:
        element = field
    if element is None:
        raise UsageError(f"column {name!r} is {what_it_is(field)}, and has no elements")
    for at, below in enumerate(operand.below):
        element = _child(element, operand.below[at:], f"{name}[].{below}", schema)[0]
    return Found(element, field)


def field_at(schema: Schema, path: tuple[str, ...]) -> Field:
    """The field at a path; of a key of a map, the map. UsageError if there is none.

    Parts that are one name with dots in the file are joined.
    """
    field, at = schema.root, 0
    while at < len(path):
        if field.kind == "map" and not field.named(path[at]):
            return field  # the rest is a key of the map
        field, used = _child(field, path[at:], ".".join(path), schema)
        at += used
    return field


def _is_key(field: Field, operand: Operand) -> bool:
    """Whether an operand's last name is a key of a map: the map's own path is shorter."""
    return len(operand.path) > len(field.path)


def _child(field: Field, path: tuple[str, ...], name: str, schema: Schema) -> tuple[Field, int]:
    """The child that the first names of a path mean, and how many names these are."""
    for alike in (_exact, _without_case):
        for used in range(1, len(path) + 1):
            matches = alike(field, ".".join(path[:used]))
            if len(matches) > 1:
                some = ", ".join(repr(one.name) for one in matches[:4])
                raise UsageError(f"{clip(name, 100)!r} is ambiguous: the file has {some}")
            if matches:
                return matches[0], used
    raise UsageError(_unknown(field, path[0], name, schema))


def _exact(field: Field, name: str) -> list[Field]:
    return field.named(name) if field.children else []


def _without_case(field: Field, name: str) -> list[Field]:
    wanted = name.lower()
    return [child for child in field.children if child.name.lower() == wanted]


def _unknown(field: Field, name: str, whole: str, schema: Schema) -> str:
    """Why a name is not found, with names that are alike."""
    outer = ".".join(field.path)
    there = f"there is no column {clip(whole, 100)!r}"
    if outer:
        there += f": {outer!r} is {what_it_is(field)}"
    names = [child.name for child in field.children]
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in names[:5_000]], 3, 0.6)
    close = [one for one in names if one.lower() in near][:3]
    if close:
        return f"{there}; did you mean {' or '.join(clip(one, 60) for one in close)}?"
    if not names:
        return there
    shown = ", ".join(clip(one, 60) for one in names[:8])
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return f"{there}; {'it' if outer else 'the file'} has {shown}{more}"


def what_it_is(field: Field) -> str:
    """A field's kind in words, with its article."""
    kinds = {"list": "a list", "map": "a map", "variant": "a Variant", "group": "a struct"}
    if isinstance(field, Leaf):
        return "a repeated column" if field.repetition == REPEATED else "a plain column"
    return kinds.get(field.kind, "a group")
