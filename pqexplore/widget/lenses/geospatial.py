"""Where geometries lie: boxes of row groups on a graticule, or one geometry and its bytes."""

from __future__ import annotations

import contextlib
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.tree import Node
from pqexplore.insight import geospatial
from pqexplore.insight.answer import Answer
from pqexplore.widget.lenses.statistics import leaf_at
from pqexplore.widget.places import chunk_at, page_at

TITLE = "Map"
FIRST: frozenset[str] = frozenset()

_KINDS = ("GEOMETRY", "GEOGRAPHY")
_TEXTS = (
    *("POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"),
    *("GEOMETRYCOLLECTION", "SRID="),
)


def applies(node: Node) -> bool:
    """Chunks and leaves of geometries, or with geospatial statistics; and single geometries."""
    if node.kind not in ("column_chunk", "schema_field", "value"):
        return False
    facts: dict[str, Any] = {}
    with contextlib.suppress(ParquetError):
        facts = {fact.name: fact.value for fact in node.facts}
    if node.kind == "value":
        stored = facts.get("physical")
        is_wkb = isinstance(stored, bytes) and stored[:1] in (b"\0", b"\1")
        return is_wkb and str(facts.get("value", "")).startswith(_TEXTS)
    return str(facts.get("type", "")).startswith(_KINDS) or "geometry types" in facts


def answer(file: Any, node: Node) -> Answer:
    """The boxes of a column, or one value."""
    if node.kind == "schema_field":
        return geospatial.of_column(file, leaf_at(file, node.address))
    if node.kind == "value":
        return geospatial.of_value(page_at(file, node.address), node)
    chunk = chunk_at(file, node.address)
    return geospatial.of_column(file, chunk.leaf, chunk.row_group.index)
