"""A page opened: its levels and values side by side, an entry a line.

An entry is a pair of levels; it has a value only where its definition level is the column's maximum. That is why
the values of a page are fewer than its `num_values` when there are nulls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.tree import Node
from pqexplore.insight import pages
from pqexplore.insight.answer import Answer
from pqexplore.widget import text
from pqexplore.widget.columns import pack
from pqexplore.widget.places import in_page, page_at

TITLE = "Levels and values"
FIRST = frozenset({"data_page", "data_page_v2", "dictionary_page"})

COUNT = 200
"""Entries in one answer."""

CELL = 300
"""Characters of a shown value."""


def applies(node: Node) -> bool:
    """Pages with values, and what lies in them."""
    if node.kind == "index_page" or node.kind == "unknown_page":
        return False
    return in_page(node.address) and "/header" not in node.address


def answer(file: Any, node: Node) -> Answer:
    """The page, its column, and what each of its levels means."""
    page = page_at(file, node.address)
    leaf = page.chunk.leaf
    definitions, repetitions = name_levels(leaf)
    selected = _entry_of(page, node.address)
    picture = {
        "page": page.address,
        "kind": page.kind,
        "column": ".".join(leaf.path),
        "entries": page.num_values,
        "present": page.num_present if page.is_data else page.num_values,
        "max_definition_level": leaf.max_definition_level if page.is_data else 0,
        "max_repetition_level": leaf.max_repetition_level if page.is_data else 0,
        "definitions": definitions,
        "repetitions": repetitions,
        "parts": pages.parts(page),
        "selected": selected,
        "value": None
        if selected is None
        else pages.value(page, selected, int(_levels(page)[3][selected])),
    }
    return Answer(pages.sentence(page), picture=picture, code=f"f.node({page.address!r}).facts")


def entries(file: Any, address: str, start: int) -> tuple[dict[str, Any], list[Any]]:
    """`COUNT` entries of a page from the one at `start`: row in the page, levels, index of the value, the value."""
    page = page_at(file, address)
    if not 0 <= start <= page.num_values or start % COUNT:
        raise UsageError(f"entry {start:,} is not where {COUNT} entries begin")
    stop = min(start + COUNT, page.num_values)
    row, repetition, definition, value = _levels(page)
    values = value[start:stop]
    present = values[values >= 0]
    columns: dict[str, Any] = {
        "row": row[start:stop].astype("<u4"),
        "repetition": repetition[start:stop].astype("<u2"),
        "definition": definition[start:stop].astype("<u2"),
        "value": values.astype("<i4"),
        **_values(page, values, present),
    }
    header, buffers = pack(columns)
    return {"start": start, "columns": header}, buffers


OPS = {"entries": entries}


def _values(page: Any, values: Any, present: Any) -> dict[str, list[str | None]]:
    """The stored and the logical text of each entry; None where it has no value."""
    shown: dict[str, list[str | None]] = {}
    first, last = (int(present[0]), int(present[-1]) + 1) if len(present) else (0, 0)
    for name, array in (("physical", page.physical), ("logical", page.values)):
        stored = text.texts(array[first:last], CELL)
        shown[name] = [None if v < 0 else stored[v - first] for v in values.tolist()]
    return shown


def _levels(page: Any) -> tuple[Any, Any, Any, Any]:
    """Of each entry: its row in the page, its levels, and which stored value it is (-1: none)."""
    count = page.num_values
    zeros = np.zeros(count, np.uint8)
    repetition = page.repetition_levels if page.is_data else None
    definition = page.definition_levels if page.is_data else None
    if repetition is None:
        row = np.arange(count)
    else:
        row = np.cumsum(repetition == 0) - (1 if len(repetition) and repetition[0] == 0 else 0)
    if definition is None:
        return row, zeros if repetition is None else repetition, zeros, np.arange(count)
    has = definition == page.chunk.leaf.max_definition_level
    return (
        row,
        zeros if repetition is None else repetition,
        definition,
        np.where(has, np.cumsum(has) - 1, -1),
    )


def _entry_of(page: Any, address: str) -> int | None:
    """The entry of the value or level that an address names; None where it names none of the page."""
    name, _, rest = address.removeprefix(page.address).strip("/").partition("/")
    index = rest.partition("/")[0]
    if name not in ("values", "definition_levels", "repetition_levels") or not index.isdecimal():
        return None
    value = _levels(page)[3]
    if name != "values":
        return int(index) if int(index) < len(value) else None
    found = np.flatnonzero(value == int(index))
    return int(found[0]) if len(found) else None
