"""The schema as a tree of fields, with levels, types and rules, and what Arrow and Spark take each field for."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight import fields
from pqexplore.insight.answer import Answer, Table
from pqexplore.widget import text

TITLE = "Schema"
FIRST = frozenset({"schema", "schema_field"})

COUNT = 500
"""Fields in one answer."""

PROBLEMS = 20
"""Disagreements that are told in words."""


def applies(node: Node) -> bool:
    """The schema and its fields."""
    return node.kind in ("schema", "schema_field")


def answer(file: Any, node: Node) -> Answer:
    """The tree, and where in it the node stands. A schema that cannot be read raises its error."""
    made = fields.fields(file, node)
    assert made.picture is not None and made.table is not None
    picture = {
        **made.picture,
        "disagreements": [
            text.shorten(one, 300) for one in made.picture["disagreements"][:PROBLEMS]
        ],
        "fields": _part(file, made.table, 0),
    }
    return dataclasses.replace(made, picture=picture)


def fields_from(file: Any, start: int) -> dict[str, Any]:
    """`COUNT` fields from the one at `start`."""
    made = fields.fields(file, file.node("schema"))
    assert made.table is not None
    if start % COUNT or not 0 <= start <= len(made.table.rows):
        raise UsageError(f"field {start:,} is not where {COUNT} fields begin")
    return {"fields": _part(file, made.table, start)}


OPS = {"schema_fields": fields_from}


def _part(file: Any, table: Table, start: int) -> list[dict[str, Any]]:
    """Rows of the table with what the tree needs: names, depth, whether a field is the last of its parent."""
    shown = []
    for at in range(start, min(start + COUNT, len(table.rows))):
        field = file.schema.fields[at]
        values = dict(zip((column.name for column in table.columns), table.rows[at], strict=True))
        parent = field.parent
        span = table.spans[at]
        shown.append(
            {
                "name": text.shorten(field.name, 120),
                "depth": field.depth,
                "last": parent is None or parent.children[-1] is field,
                "kind": field.kind,
                "repetition": values["repetition"],
                "definition": values["definition"],
                "repetitions": values["repetition_level"],
                "type": text.shorten(values["logical"], 120),
                "physical": values["physical"],
                "rule": values["rule"],
                "arrow": values["arrow"],
                "spark": values["spark"],
                "agrees": values["agrees"],
                "span": None if span is None else [span.start, span.end, span.space],
            }
        )
    return shown
