"""How the schema changed: the schemas of each table, what differs from the most common, and the definitions of columns."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

from pqexplore.engine.text import name, plural
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import listing, middle
from pqexplore.lake.doctor.dates import FOLDER, MODIFIED, between, day_of_folders
from pqexplore.lake.doctor.diagnose import drift_of
from pqexplore.lake.doctor.drift import by_column
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.columns import nothing
from pqexplore.lake.panels.filters import LONGEST, Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.views.view import NAMED_LEAVES, TABLE

LISTED = 2_000
ALIKE = "in all files"
"""The value of `drift` of a column without differences."""
SCHEMAS = 60
"""Schemas that are shown."""
CHANGES, NAMES, NAMED = 12, 24, 4
"""Changes of a schema that are shown, columns of each, and those of them that are named in a text."""
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
class Change:
    """Columns that a schema has otherwise than the most common one of its table, all in the same way.

    `kind` is `lacks`, `adds` or `differs`; then `mine` and `usual` are the definitions. `more` columns are left out.
    """

    kind: str
    columns: list[str]
    more: int
    mine: str
    usual: str


@dataclasses.dataclass(slots=True)
class Schema:
    """Schemas of a table with the same columns: how many files of the table have one of them, when, and an example file.

    - `ids` are all with commas between, as the filter takes them; "" if they are too many. `dates` is in words.
    - `columns` counts leaves; `changes` is what differs from the most common, and `more` counts those left out; none
      if this one is the most common.
    """

    table: str
    ids: str
    files: int
    of: int
    dates: str
    example: str
    columns: int
    changes: list[Change]
    more: int


@dataclasses.dataclass(slots=True)
class Picture:
    """The schemas of each table that has several, the most common first; of a lake without such a table those of all.

    `more_schemas` are left out; `alike` tables have one schema each, and are not among them.
    """

    schemas: list[Schema]
    more_schemas: int
    alike: int


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """The schemas by table, and a table of definitions; a row links to the first file with the definition.

    Where columns differ, the table has those alone.
    """
    rows = ask(lake, "SELECT * FROM schema_drift", filters)
    rows.sort(key=lambda row: (row["drift"] == ALIKE, row["column_name"], -row["num_files"]))
    table = _definitions(rows, _engines(lake, filters) if len(rows) > 1 else {})
    if not rows:
        return Answer("There are no schemas.", empty=nothing(filters), table=table)
    found, leaves = ask(lake, _SCHEMAS, filters), ask(lake, _LEAVES, filters)
    schemas = _alike(found, leaves)
    picture = _picture(schemas)
    code = "lake.views['schema_drift']"
    return Answer(_sentence(rows, found, sum(map(len, schemas.values()))), picture=picture, table=table, code=code)


def _definitions(rows: list[dict[str, Any]], engines: dict[str, str]) -> Table:
    """The definitions of the columns that differ; of all columns if none does."""
    differing = [row for row in rows if row["drift"] != ALIKE]
    caption = f"definitions of columns{' that differ' if differing else ''}"
    table = Table(COLUMNS, caption=caption, total=len(differing or rows))
    for row in (differing or rows)[:LISTED]:
        row["engines"] = "" if row["drift"] == ALIKE else engines.get(row["column_name"])
        table.add(*(row[column.name] for column in COLUMNS), address=row["first_path"])
    return table


def _sentence(rows: list[dict[str, Any]], found: list[dict[str, Any]], sets: int) -> str:
    """Which columns differ, in how many schemas; or that none does."""
    parts = []
    for drift, one, several in _SAID:
        names = sorted({row["column_name"] for row in rows if row["drift"] == drift})
        if names:
            parts.append(f"{_some(names)} {one if len(names) == 1 else several}")
    if not parts:
        return same(sum(row["files"] for row in found), len({row["table_name"] for row in rows}))
    schemas = len({(row["table_name"], row["schema_id"]) for row in found})
    some = "" if sets == schemas else f"{sets:,} sets of columns in "
    return f"{'; '.join(parts)}: {some}{schemas:,} schemas{'' if some else ' in all'}."


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


Columns = frozenset[tuple[str, str]]
"""The columns of a schema with their definitions."""


@dataclasses.dataclass(slots=True)
class _Found:
    """Schemas of a table with the same columns, and the rows of `_SCHEMAS` that have them."""

    columns: Columns
    rows: list[dict[str, Any]]

    @property
    def files(self) -> int:
        return sum(row["files"] for row in self.rows)

    @property
    def order(self) -> tuple[int, str, str]:
        """The most files first; of as many the oldest."""
        return -self.files, str(min(row["since"] for row in self.rows)), min(row["schema_id"] for row in self.rows)


def _alike(found: list[dict[str, Any]], leaves: list[dict[str, Any]]) -> dict[str, list[_Found]]:
    """The schemas of each table, the most common first; those that have the same columns are one."""
    columns: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for leaf in leaves:
        of = columns.setdefault((leaf["table_name"], leaf["schema_id"]), set())
        of.add((leaf["column_name"], leaf["definition"]))
    tables: dict[str, dict[Columns, _Found]] = {}
    for row in found:
        own = frozenset(columns.get((row["table_name"], row["schema_id"]), ()))
        tables.setdefault(row["table_name"], {}).setdefault(own, _Found(own, [])).rows.append(row)
    return {table: sorted(some.values(), key=lambda one: one.order) for table, some in sorted(tables.items())}


def _picture(tables: dict[str, list[_Found]]) -> Picture:
    several = {table: some for table, some in tables.items() if len(some) > 1}
    made = []
    for table, some in (several or tables).items():
        of = sum(one.files for one in some)
        made += [(table, one, some[0], of) for one in some]
    return Picture(
        [_schema(*one) for one in made[:SCHEMAS]],
        max(0, len(made) - SCHEMAS),
        len(tables) - len(several) if several else 0,
    )


def _schema(table: str, one: _Found, usual: _Found, of: int) -> Schema:
    ids = ",".join(sorted({row["schema_id"] for row in one.rows}))
    changes = changed(one.columns, usual.columns)
    return Schema(
        table,
        ids if len(ids) <= LONGEST else "",
        one.files,
        of,
        _dates(one.rows),
        min(row["example"] for row in one.rows),
        len(one.columns),
        changes[:CHANGES],
        max(0, len(changes) - CHANGES),
    )


def _dates(rows: list[dict[str, Any]]) -> str:
    """The days of files in words: those of their folders, if all have one, or when they were last changed."""
    days = [day_of_folders(row["partition_values"] or "") for row in rows]
    if all(days):
        return between(min(days), max(days), FOLDER)
    times = [row[name] for row in rows for name in ("since", "until")]
    if not all(isinstance(one, datetime.datetime) for one in times):
        return ""
    days = sorted(one.astimezone(datetime.UTC).date().isoformat() for one in times)
    return between(days[0], days[-1], MODIFIED)


def words(schema: Schema) -> str:
    """What differs from the most common schema of the table; or that this is it."""
    if not schema.changes:
        return "the most common schema" if schema.files < schema.of else "the same columns in all"
    more = [plural(schema.more, "more difference")] * bool(schema.more)
    return "; ".join([*map(_change, schema.changes), *more])


def _change(one: Change) -> str:
    total = len(one.columns) + one.more
    named = [name(column) for column in one.columns[:NAMED]]
    rest = [plural(total - len(named), "more column")] * (total > len(named))
    some = listing([*named, *rest])
    if one.kind == "differs":
        return f"{some} {'is' if total == 1 else 'are'} {one.mine}, not {one.usual}"
    return f"{'lacks' if one.kind == 'lacks' else 'also has'} {some}"


def changed(mine: Columns, usual: Columns) -> list[Change]:
    """What differs between the columns of two schemas: those that are lacking, that are more, and those of other types."""
    own: dict[str, list[str]] = {}
    other: dict[str, list[str]] = {}
    for columns, by_name in ((mine - usual, own), (usual - mine, other)):
        for column, definition in sorted(columns):
            by_name.setdefault(column, []).append(definition)
    both = own.keys() & other.keys()
    groups: dict[tuple[str, str, str], list[str]] = {}
    for kind, some in (("lacks", other.keys() - own.keys()), ("adds", own.keys() - other.keys())):
        if some:
            groups[kind, "", ""] = sorted(some)
    for column in sorted(both):
        groups.setdefault(("differs", *_unlike(column, own[column][0], other[column][0])), []).append(column)
    return [
        Change(kind, names[:NAMES], max(0, len(names) - NAMES), here, there)
        for (kind, here, there), names in groups.items()
    ]


def _unlike(column: str, mine: str, usual: str) -> tuple[str, str]:
    """Two definitions without what they share: their types alone, if nothing else differs."""
    (above, repetition, own), (others, again, other) = _parts(column, mine), _parts(column, usual)
    if above != others or not own:
        return mine, usual
    return (own, other) if repetition == again else (f"{repetition} {own}", f"{again} {other}")


def _parts(column: str, definition: str) -> tuple[str, str, str]:
    """What stands before the name of the leaf, its repetition, and its type; all in the first if the name is not found."""
    *groups, leaf = definition.split(" / ")
    repetition, _, rest = leaf.partition(" ")
    steps = column.split(".")
    for start in range(len(steps)):
        name = ".".join(steps[start:])
        if rest.startswith(f"{name} "):
            return " / ".join(groups), repetition, rest[len(name) + 1 :]
    return definition, "", ""


_LEAVES = f"SELECT DISTINCT table_name, schema_id, column_name, definition FROM {NAMED_LEAVES} leaves"

_SCHEMAS = f"""
SELECT {TABLE} AS table_name, schema_id, partition_values, count(*) AS files, min(modified) AS since,
       max(modified) AS until, min(path) AS example
FROM files WHERE status = 'ok' AND schema_id IS NOT NULL GROUP BY 1, 2, 3
"""


PANEL = Panel("drift", "Schema drift", answer, picture=Picture)
