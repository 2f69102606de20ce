"""How the schema changed: the definitions of each column, the schemas and files that have them, and since when."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import middle
from pqexplore.lake.doctor.diagnose import drift_of
from pqexplore.lake.doctor.drift import by_column
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.columns import nothing
from pqexplore.lake.panels.filters import LONGEST, Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.views.view import NAMED_LEAVES

LISTED = 2_000
ALIKE = "in all files"
"""The value of `drift` of a column without differences."""
ROWS, SCHEMAS = 120, 60
"""Columns and schemas of the matrix."""
NAME = 60
"""Max characters of a name in the sentence."""

COLUMNS = (
    Column("column_name", "column"),
    Column("drift", "drift"),
    Column("definition", "definition", "code"),
    Column("num_files", "files", "number"),
    Column("share", "share", "share", "share of the readable files"),
    Column(
        "engines",
        "engines",
        "text",
        "what engines make of the column's differences, by the schema of the first file; empty for tables with a log",
    ),
    Column("since", "since", "text", "earliest modification time of a file that has the definition"),
    Column("first_partition", "first partition"),
    Column("last_partition", "last partition"),
)


@dataclasses.dataclass(slots=True)
class Schema:
    """Schemas with the same columns: how many files have one of them, since when, and an example file.

    `id` is that of the oldest, `ids` are all with commas between, as the filter takes them; "" if they are too many.
    """

    id: str
    ids: str
    files: int
    since: str
    example: str


@dataclasses.dataclass(slots=True)
class Picture:
    """A matrix of columns and schemas, from the oldest schema to the newest.

    `definitions` lists the definitions of each column, the most frequent first. `cells[column][schema]` is the index of
    the schema's definition of the column; None if the schema lacks the column. Columns that differ come first: of those,
    `more_columns` are left out; `alike` counts all columns without differences.
    """

    schemas: list[Schema]
    columns: list[str]
    definitions: list[list[str]]
    cells: list[list[int | None]]
    more_columns: int
    alike: int
    more_schemas: int


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """A matrix of columns and schemas, and a table of definitions; a row links to the first file with the definition.

    Where columns differ, the table has those alone.
    """
    rows = ask(lake, "SELECT * FROM schema_drift", filters)
    rows.sort(key=lambda row: (row["drift"] == ALIKE, row["column_name"], -row["num_files"]))
    table = _definitions(rows, _engines(lake, filters) if len(rows) > 1 else {})
    if not rows:
        return Answer("There are no schemas.", empty=nothing(filters), table=table)
    by_schema, leaves = ask(lake, _SCHEMAS, filters), ask(lake, _LEAVES, filters)
    schemas = _alike(by_schema, leaves)
    picture = _matrix(rows, schemas, leaves)
    return Answer(_sentence(rows, by_schema, schemas), picture=picture, table=table, code="lake.views['schema_drift']")


def _definitions(rows: list[dict[str, Any]], engines: dict[str, str]) -> Table:
    """The definitions of the columns that differ; of all columns if none does."""
    differing = [row for row in rows if row["drift"] != ALIKE]
    caption = f"definitions of columns{' that differ' if differing else ''}"
    table = Table(COLUMNS, caption=caption, total=len(differing or rows))
    for row in (differing or rows)[:LISTED]:
        row["engines"] = "" if row["drift"] == ALIKE else engines.get(row["column_name"])
        table.add(*(row[column.name] for column in COLUMNS), address=row["first_path"])
    return table


def _sentence(rows: list[dict[str, Any]], by_schema: list[dict[str, Any]], schemas: list[Schema]) -> str:
    """Which columns differ, in how many schemas; or that none does."""
    parts = []
    for drift, one, several in _SAID:
        names = sorted({row["column_name"] for row in rows if row["drift"] == drift})
        if names:
            parts.append(f"{_some(names)} {one if len(names) == 1 else several}")
    if not parts:
        return same(sum(schema["files"] for schema in by_schema), len({row["table_name"] for row in rows}))
    sets = "" if len(schemas) == len(by_schema) else f"{len(schemas):,} sets of columns in "
    return f"{'; '.join(parts)}: {sets}{len(by_schema):,} schemas{'' if sets else ' in all'}."


_SAID = (
    ("several definitions", "has several definitions", "have several definitions"),
    ("not in all files", "is not in all files", "are not in all files"),
)
"""The values of `drift` of columns that differ, and how the sentence says it of one and of several."""


def _engines(lake: Lake, filters: Filters) -> dict[str, str]:
    """What engines make of each column that differs between files, in words."""
    rows = ask(lake, "SELECT path FROM files WHERE status = 'ok'", filters) if filters else None
    return by_column(drift_of(lake, None if rows is None else {row["path"] for row in rows}))


def same(files: int, tables: int = 1) -> str:
    """That so many readable files have no differences from others of their table."""
    if files < 2:
        return "One file alone has no differences."
    return f"All {files:,} files have the same columns{f' in each of {tables:,} tables' if tables > 1 else ''}."


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more columns" if len(names) > 3 else ""
    return ", ".join(middle(name, NAME) for name in names[:3]) + more


def _alike(schemas: list[dict[str, Any]], leaves: list[dict[str, Any]]) -> list[Schema]:
    """The schemas, from the oldest to the newest; those that have the same columns are one."""
    columns: dict[str, set[tuple[str, str]]] = {}
    for leaf in leaves:
        of = columns.setdefault(leaf["schema_id"], set())
        of.add((leaf["column_name"], leaf["definition"]))
    groups: dict[frozenset[tuple[str, str]], list[dict[str, Any]]] = {}
    for schema in schemas:
        groups.setdefault(frozenset(columns.get(schema["schema_id"], ())), []).append(schema)
    found = []
    for some in groups.values():
        ids = ",".join(one["schema_id"] for one in some)
        files = sum(one["files"] for one in some)
        first = some[0]
        ids = ids if len(ids) <= LONGEST else ""
        found.append(Schema(first["schema_id"], ids, files, str(first["since"]), first["example"]))
    return found


def _matrix(rows: list[dict[str, Any]], schemas: list[Schema], leaves: list[dict[str, Any]]) -> Picture:
    names = list(dict.fromkeys(row["column_name"] for row in rows))[:ROWS]
    numbered: dict[str, dict[str, int]] = {}
    for row in rows:
        of = numbered.setdefault(row["column_name"], {})
        of.setdefault(row["definition"], len(of))
    alike = len({row["column_name"] for row in rows if row["drift"] == ALIKE})
    shown = [schema.id for schema in schemas[:SCHEMAS]]
    cells: dict[str, dict[str, int]] = {}
    for leaf in leaves:
        number = numbered.get(leaf["column_name"], {}).get(leaf["definition"])
        if number is not None:
            cells.setdefault(leaf["column_name"], {})[leaf["schema_id"]] = number
    return Picture(
        schemas=schemas[:SCHEMAS],
        columns=names,
        definitions=[list(numbered[name]) for name in names],
        cells=[[cells.get(name, {}).get(schema) for schema in shown] for name in names],
        more_columns=max(0, len(numbered) - alike - len(names)),
        alike=alike,
        more_schemas=max(0, len(schemas) - len(shown)),
    )


_LEAVES = f"SELECT DISTINCT schema_id, column_name, definition FROM {NAMED_LEAVES} leaves"

_SCHEMAS = """
SELECT schema_id, count(*) AS files, min(modified) AS since, min(path) AS example
FROM files WHERE status = 'ok' AND schema_id IS NOT NULL GROUP BY schema_id ORDER BY since, schema_id
"""


PANEL = Panel("drift", "Schema drift", answer, picture=Picture)
