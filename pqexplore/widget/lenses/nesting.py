"""The stepper: levels walk down the schema and build the row, one entry at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.schema import Leaf
from pqexplore.engine.tree import Node
from pqexplore.insight import nesting
from pqexplore.insight.answer import Answer
from pqexplore.insight.records import levels
from pqexplore.widget.lenses.page import COUNT
from pqexplore.widget.places import chunk_at, in_page, page_at

TITLE = "Nesting"
FIRST: frozenset[str] = frozenset()

SAVED = 1_000
"""Entries of a page that a page without a kernel holds."""

IN_PAGES = frozenset(
    {"data_page", "data_page_v2", "repetition_levels", "definition_levels", "level", "value"}
)


def applies(node: Node) -> bool:
    """Data pages and what lies in them, column chunks, and leaves of the schema that have levels."""
    if node.kind == "schema_field":
        facts = {fact.name: fact.value for fact in node.facts}
        return "column" in facts and facts.get("maximum definition level", 0) > 0
    if node.kind == "column_chunk":
        return node.state == "ok"
    return node.kind in IN_PAGES and in_page(node.address) and "/header" not in node.address


def answer(file: Any, node: Node) -> Answer | Generator[float, None, Answer]:
    """The schema path, the entries, the first steps and the histograms."""
    if node.kind == "schema_field":
        return nesting.of_leaf(file, _leaf(file, node))
    if node.kind == "column_chunk":
        return nesting.of_chunk(chunk_at(file, node.address))
    page = page_at(file, node.address)
    return nesting.of_page(page, _entry(page, node.address) if page.is_data else 0)


def cost(file: Any, node: Node) -> int:
    """Bytes of the pages whose levels are counted."""
    try:
        if node.kind == "schema_field":
            at = _leaf(file, node).leaf_index
            chunk = next((g.columns[at] for g in file.row_groups if g.columns[at].num_values), None)
            return 0 if chunk is None else int(chunk.metadata.total_uncompressed_size or 0)
        if node.kind == "column_chunk":
            return int(chunk_at(file, node.address).metadata.total_uncompressed_size or 0)
        return int(page_at(file, node.address).header.uncompressed_page_size)
    except ParquetError:
        return 0


def steps(file: Any, address: str, start: int) -> dict[str, Any]:
    """`nesting.STEPS` steps through a data page from the entry at `start`."""
    page = page_at(file, address)
    if not page.is_data or not 0 <= start <= page.num_values or start % nesting.STEPS:
        raise UsageError(f"entry {start:,} is not where {nesting.STEPS} steps begin")
    return nesting.told_steps(page, start)


def saved(picture: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The first entries and steps of the page that is shown."""
    if "first" not in picture:
        return
    entries = min(picture["entries"], SAVED)
    for op, each in (("entries", COUNT), ("nesting_steps", nesting.STEPS)):
        for start in range(0, entries, each):
            yield op, {"address": picture["page"], "start": start}


OPS = {"nesting_steps": steps}


def _leaf(file: Any, node: Node) -> Leaf:
    field = file.schema.fields[int(node.name)]
    if not isinstance(field, Leaf):
        raise UsageError(f"{node.label} is no column")
    return field


def _entry(page: Any, address: str) -> int:
    """The entry of the level or value that an address ends in; the first where it ends in neither."""
    name, _, index = address.removeprefix(page.address).strip("/").partition("/")
    index = index.partition("/")[0]
    if not index.isdecimal():
        return 0
    at = int(index)
    if name == "values":
        there = np.flatnonzero(levels(page)[1] == page.chunk.leaf.max_definition_level)
        at = int(there[at]) if at < len(there) else 0
    return at if at < page.num_values else 0
