"""How the schema changed: which definition of each column is in which schema, in how many files, since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.answers.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 2_000
ROWS, SCHEMAS = 120, 60
"""Columns and schemas of the matrix."""

COLUMNS = (
    Column("column_name", "column"),
    Column("drift", "drift"),
    Column("definition", "definition", "code"),
    Column("num_files", "files", "number"),
    Column("share", "share", "share", "of the files that can be read"),
    Column("since", "since", "text", "first modification of a file that has it"),
    Column("first_partition", "first partition"),
    Column("last_partition", "last partition"),
)


def drift(lake: Lake, filters: Filters) -> Answer:
    """A matrix of columns and schemas, and the definitions as a table; a row leads to the first file that has it."""
    rows = ask(lake, "SELECT * FROM schema_drift", filters)
    rows.sort(
        key=lambda row: (row["drift"] == "in all files", row["column_name"], -row["num_files"])
    )
    table = Table(
        COLUMNS, caption="definitions of columns, those that differ first", total=len(rows)
    )
    for row in rows[:LISTED]:
        table.add(*(row[column.name] for column in COLUMNS), address=row["first_path"])
    changed = sorted({row["column_name"] for row in rows if row["drift"] == "several definitions"})
    partial = sorted({row["column_name"] for row in rows if row["drift"] == "not in all files"})
    schemas = ask(lake, _SCHEMAS, filters)
    if not rows:
        return Answer("No schema is known.", empty="No file that can be read is left.", table=table)
    if not changed and not partial:
        sentence = f"All {schemas[0]['files'] if len(schemas) == 1 else sum(s['files'] for s in schemas):,} files have the same columns."
    else:
        parts = []
        if changed:
            parts.append(
                f"{_some(changed)} {'has' if len(changed) == 1 else 'have'} several definitions"
            )
        if partial:
            parts.append(
                f"{_some(partial)} {'is' if len(partial) == 1 else 'are'} not in all files"
            )
        sentence = "; ".join(parts) + f": {len(schemas):,} schemas in all."
    return Answer(
        sentence,
        picture=_matrix(lake, filters, rows, schemas),
        table=table,
        code="lake.views['schema_drift']",
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more columns" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _matrix(
    lake: Lake, filters: Filters, rows: list[dict[str, Any]], schemas: list[dict[str, Any]]
) -> dict[str, Any]:
    """For each column and schema the number of the column's definition, most used first; null where it has none."""
    names = list(dict.fromkeys(row["column_name"] for row in rows))[:ROWS]
    numbered: dict[str, dict[str, int]] = {}
    for row in rows:
        of = numbered.setdefault(row["column_name"], {})
        of.setdefault(row["definition"], len(of))
    shown = [schema["schema_id"] for schema in schemas[:SCHEMAS]]
    cells: dict[str, dict[str, int]] = {}
    for leaf in ask(lake, "SELECT schema_id, column_name, definition FROM schemas", filters):
        number = numbered.get(leaf["column_name"], {}).get(leaf["definition"])
        if number is not None:
            cells.setdefault(leaf["column_name"], {})[leaf["schema_id"]] = number
    return {
        "schemas": [
            [s["schema_id"], s["files"], str(s["since"]), s["example"]] for s in schemas[:SCHEMAS]
        ],
        "columns": names,
        "definitions": [list(numbered[name]) for name in names],
        "cells": [[cells.get(name, {}).get(schema) for schema in shown] for name in names],
        "more_columns": max(0, len(numbered) - len(names)),
        "more_schemas": max(0, len(schemas) - len(shown)),
    }


_SCHEMAS = """
SELECT schema_id, count(*) AS files, min(modified) AS since, min(path) AS example
FROM files WHERE status = 'ok' AND schema_id IS NOT NULL GROUP BY schema_id ORDER BY since, schema_id
"""
