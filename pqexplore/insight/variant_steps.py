"""How a shredded Variant is put together again, told group by group from the innermost outwards.

A group is a pair of `value` and `typed_value`. What is in which of the two decides; the table of the specification's
"Value Shredding" says how. Each step names the columns, what they hold in this row, and what comes of it.
"""

from __future__ import annotations

import contextlib
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.outline.variant_nodes import value_at
from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.variant.json_text import to_json
from pqexplore.engine.variant.reconstruct import encode_groups
from pqexplore.engine.variant.shredding import (
    Columns,
    Dictionaries,
    Group,
    dictionaries,
    open_columns,
)

GROUPS = 200
"""Groups of a shredding that is told step by step; of a wider one only the first."""

STEPS = 48
"""Steps of one row."""

ENTRIES = 6
"""Elements of an array that a step shows."""

CELL = 200
"""Characters of a shown value."""


def places_of(field: Field) -> dict[str, Field]:
    """The groups of a Variant by their place in it (`$.a[*].b`)."""
    found: dict[str, Field] = {}
    todo = [("$", field)]
    while todo:
        path, node = todo.pop()
        found.setdefault(path, node)
        typed = next(iter(node.named("typed_value")), None)
        if typed is None:
            continue
        if typed.list_element is not None:
            todo.append((f"{path}[*]", typed.list_element))
        else:
            todo += [(f"{path}.{child.name}", child) for child in typed.children]
    return found


def leaf_of(node: Field, *, binary: bool) -> Leaf | None:
    """The column with the typed values of a group, or with its binary ones; the other where there is only that."""
    names = ("value", "typed_value") if binary else ("typed_value", "value")
    for name in names:
        for child in node.named(name):
            if isinstance(child, Leaf):
                return child
    return next(iter(node.leaves()), None)


def steps(
    groups: list[Group],
    one: pa.StructArray,
    field: Field,
    row_group: int,
    row: int,
    entry: int,
    file: Any,
) -> list[dict[str, Any]]:
    """The steps of one row, `one`: the innermost groups first, the whole Variant last."""
    if len(groups) > GROUPS or any(group.defect is not None for group in groups):
        return []
    try:
        known, columns = dictionaries(one, row), open_columns(one, groups)
    except ParquetError as error:
        return [_broken("$", error)]
    places = places_of(field)
    made: list[dict[str, Any]] = []
    for at in range(len(groups) - 1, -1, -1):
        own = columns[at]
        if not own.length or (at and not (own.present("value") | own.present("typed")).any()):
            continue
        if len(made) >= STEPS and at:
            continue
        step = _step(groups, columns, at, known, row)
        node = places.get(groups[at].path)
        leaf = None if node is None else leaf_of(node, binary=step["source"] in ("binary", "both"))
        if leaf is not None:
            chunk = file.row_groups[row_group].columns[leaf.leaf_index]
            step["column"] = ".".join(leaf.path)
            step["address"] = chunk.address
            if leaf.max_repetition_level == field.max_repetition_level:
                with contextlib.suppress(ParquetError):
                    place = value_at(chunk, entry, field)
                    step["address"] = place[1] if place is not None else chunk.address
        made.append(step)
    return made


def _step(
    groups: list[Group], columns: list[Columns], at: int, known: Dictionaries, row: int
) -> dict[str, Any]:
    group, own = groups[at], columns[at]
    try:
        encoded = encode_groups(groups, columns, known, row, target=at)
        results = [_json(known, own, entry, encoded) for entry in range(min(own.length, ENTRIES))]
    except ParquetError as error:
        return _broken(group.path, error)
    more = own.length - len(results)
    result = ", ".join("not there" if text is None else text for text in results)
    if group.parent >= 0 and "[*]" in group.path:
        result = f"{own.length:,} × [{result}{f', … {more:,} more' if more else ''}]"
    value, typed = own.present("value"), own.present("typed")
    source = "both" if (value & typed).any() else "mixed" if value.any() and typed.any() else ""
    source = source or ("typed" if typed.any() else "binary" if value.any() else "none")
    return {
        "path": group.path,
        "kind": group.kind,
        "source": source,
        "sentence": _sentence(groups, columns, at, source),
        "result": _clipped(result),
        "column": "",
        "address": None,
        "error": "",
    }


def _json(known: Dictionaries, own: Columns, entry: int, encoded: pa.Array) -> str | None:
    raw = encoded[entry].as_py()
    if raw is None:
        return None
    try:
        return _clipped(to_json(known.of(own.row(entry)), raw))
    except ParquetError as error:
        return f"<{error.message}>"


def _sentence(groups: list[Group], columns: list[Columns], at: int, source: str) -> str:
    group, own = groups[at], columns[at]
    if source == "none":
        return "Neither value nor typed_value is there: the value is missing, and reads as null."
    if source == "binary":
        if group.kind == "none":
            return "It is not shredded: value has it, as Variant bytes."
        fit = {"primitive": "the type of its column", "object": "an object", "array": "an array"}
        return f"typed_value is null, because it is not {fit[group.kind]}: value has it, as Variant bytes."
    if source == "mixed":
        return "Some elements are in typed_value, those that do not fit are in value."
    if group.kind == "object":
        there: list[str] = []
        missing: list[str] = []
        for child in group.children:
            below = columns[child]
            is_there = (below.present("value") | below.present("typed")).any()
            (there if is_there else missing).append(groups[child].name)
        said = f"typed_value is an object: its fields {_names(there)} are put together"
        if missing:
            said += f"; not there: {_names(missing)}"
        if source == "both":
            said += "; value adds the fields that have no column"
        return f"{said}."
    if group.kind == "array":
        count = 0 if own.counts is None else int(own.counts.sum())
        return f"typed_value is an array of {count:,} element{'' if count == 1 else 's'}, one behind the other."
    if source == "both":
        return "value and typed_value are both there, which only an object may have."
    return "typed_value has it, as a plain column value; value is null."


def _names(names: list[str]) -> str:
    shown = ", ".join(name if len(name) <= 40 else f"{name[:40]}…" for name in names[:8])
    return (shown or "none") + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _broken(path: str, error: ParquetError) -> dict[str, Any]:
    return {
        "path": path,
        "kind": "none",
        "source": "none",
        "sentence": error.message,
        "result": "",
        "column": "",
        "address": None,
        "error": error.message,
    }


def _clipped(text: str) -> str:
    return text if len(text) <= CELL else f"{text[:CELL]}…"
