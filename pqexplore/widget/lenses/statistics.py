"""The ranges of a column's row groups and pages, and what they are worth to a query."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight import statistics
from pqexplore.insight.answer import Answer
from pqexplore.widget.columns import pack
from pqexplore.widget.places import chunk_at

TITLE = "Statistics"
FIRST: frozenset[str] = frozenset()

INLINE = 300
"""Parts that travel with the picture; more of them are asked for, as columns."""

STATES = ("usable", "distrusted", "none", "nulls", "locked", "damaged")

_FIELD = re.compile(r"schema/(?:\d+/)*(\d+)$")


def applies(node: Node) -> bool:
    """Column chunks, and leaves of the schema."""
    if node.kind == "schema_field":
        return any(fact.name == "column" for fact in node.facts)
    return node.kind == "column_chunk"


def leaf_at(file: Any, address: str) -> Any:
    """The leaf that an address in the schema names. UsageError where it names none."""
    match = _FIELD.match(address)
    index = int(match[1]) if match else -1
    for leaf in file.schema.leaves:
        if leaf.index == index:
            return leaf
    raise UsageError(f"{address or 'the file'} is not a leaf of the schema")


def answer(file: Any, node: Node) -> Generator[float, None, Answer]:
    """The verdict, and the ranges: in the picture where they are few."""
    if node.kind == "schema_field":
        made = yield from statistics.of_leaf(file, leaf_at(file, node.address))
    else:
        made = yield from statistics.of_chunk(chunk_at(file, node.address))
    if made.picture is not None and len(made.picture["lanes"]["low"]) > INLINE:
        kept = _packed(made.picture["lanes"])
        made.picture["lanes"] = None
        file.cache.get((node.address, "ranges"), lambda: kept, lambda _: _size(kept))
    return made


def ranges(file: Any, address: str) -> tuple[dict[str, Any], list[Any]]:
    """The ranges of a column with many parts, as columns."""

    def make() -> Any:
        node = file.node(address)
        steps = (
            statistics.of_leaf(file, leaf_at(file, address))
            if node.kind == "schema_field"
            else statistics.of_chunk(chunk_at(file, address))
        )
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return _packed(stop.value.picture["lanes"])

    header, buffers = file.cache.get((address, "ranges"), make, _size)
    return {"columns": header}, buffers


OPS = {"ranges": ranges}


def _packed(lanes: dict[str, list[Any]]) -> tuple[Any, list[Any]]:
    texts = ("name", "text", "address")
    columns: dict[str, Any] = {name: lanes[name] for name in texts}
    for name in ("low", "high"):
        columns[name] = np.array(lanes[name], "<f4")
    columns["page"] = np.array(lanes["page"], "<u1")
    columns["state"] = np.array([STATES.index(state) for state in lanes["state"]], "<u1")
    for name in ("start", "end"):
        columns[name] = np.array(lanes[name], "<f8")
    return pack(columns)


def _size(packed: tuple[Any, list[Any]]) -> int:
    return sum(len(part) for part in packed[1])
