"""Asking the tables: by Spark where there is a session, else by DuckDB over the stored files.

A query names tables and views as if they were there. For Spark they are put in front of it as common table expressions,
so that nothing of the session changes; DuckDB gets views in a connection of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.tables import PER_FILE, TABLES
from pqexplore.lake.views import VIEWS

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

_WITH = re.compile(r"\s*with\s+(?!recursive\b)", re.IGNORECASE)


def run(lake: Lake, text: str, where: str = "") -> Any:
    """The rows of a query, by whoever is there; `where` is a condition on `files` that holds for all tables."""
    return _spark(lake, text, where) if lake.spark is not None else _duckdb(lake, text, where)


def mentioned(text: str) -> list[str]:
    """Tables and views that a query may name, tables first; views are made of tables alone."""
    words = set(re.findall(r"\w+", text.lower()))
    views = [name for name in VIEWS if name in words]
    for name in views:
        words.update(re.findall(r"\w+", VIEWS[name].sql().lower()))
    return [name for name in TABLES if name in words] + views


def _needed(text: str, where: str) -> list[str]:
    """The tables and views of a query, and `files` where a condition on it holds for the others."""
    names = mentioned(text)
    return names if not where or "files" in names else ["files", *names]


# DuckDB.


def _duckdb(lake: Lake, text: str, where: str) -> Any:
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "queries without Spark are answered by DuckDB: `pip install pqexplore[lake]`; the tables are in "
            "lake.tables as they are"
        ) from None
    with duckdb.connect() as connection:
        manifest = lake.manifest
        superseded = lake._store.superseded(manifest)
        for name in _needed(text, where):
            if name in VIEWS:
                connection.execute(f"CREATE VIEW {name} AS {VIEWS[name].sql()}")
                continue
            parts = [] if name == "runs" else lake._store.parts(manifest, name)
            if not parts:
                rows = lake.dataset(name).to_table()
                connection.register(f"{name}_rows", rows)
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {name}_rows")
                continue
            files = ", ".join(_quoted(f"{lake.path}/{part}") for part in parts)
            select = f"SELECT * FROM read_parquet([{files}], hive_partitioning = false)"
            if name in PER_FILE and len(superseded):
                connection.register("superseded_rows", superseded)
                select += " ANTI JOIN superseded_rows USING (path, run_id)"
            if where and name == "files":
                select += f" WHERE {where}"
            elif where and name in PER_FILE:
                select = f"SELECT * FROM ({select}) SEMI JOIN files USING (path)"
            connection.execute(f"CREATE VIEW {name} AS {select}")
        answer = connection.sql(text)
        if answer is None:
            raise UsageError(
                "the text is no query; one that begins with SELECT or WITH is expected"
            )
        return answer.to_arrow_table()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# Spark.


def spark_path(path: str) -> str:
    """A path of this machine as Spark names it."""
    if path.startswith(("/Volumes/", "/Workspace/")):
        return path
    if path.startswith("/dbfs/"):
        return "dbfs:" + path[5:]
    return "file://" + path


def spark_table(lake: Lake, name: str) -> Any:
    """A table as a DataFrame."""
    session, definition = lake.spark, TABLES[name]
    manifest = lake.manifest
    if name == "runs":
        rows = [
            tuple(row[column.name] for column in definition.columns)
            for row in lake.runs.to_pylist()
        ]
        return session.createDataFrame(rows, definition.ddl)
    parts = lake._store.parts(manifest, name)
    if not parts:
        return session.createDataFrame([], definition.ddl)
    found = session.read.schema(definition.ddl).parquet(
        *(spark_path(f"{lake.path}/{part}") for part in parts)
    )
    if name in PER_FILE:
        superseded = lake._store.superseded(manifest)
        if len(superseded):
            rows = list(zip(*superseded.to_pydict().values(), strict=True))
            gone = session.createDataFrame(rows, "path string, run_id string")
            found = found.join(gone.hint("broadcast"), ["path", "run_id"], "left_anti")
            found = found.select(*(column.name for column in definition.columns))
    return found


def _spark(lake: Lake, text: str, where: str) -> Any:
    expressions = []
    for name in _needed(text, where):
        if name in VIEWS:
            expressions.append(f"{name} AS ({VIEWS[name].sql()})")
        else:
            temporary = f"pqexplore_{abs(hash(lake.path)):x}_{name}"
            rows = spark_table(lake, name)
            if where and name == "files":
                rows = chosen = rows.where(where)
            elif where and name in PER_FILE:
                rows = rows.join(chosen.select("path"), "path", "left_semi")
                rows = rows.select(*(column.name for column in TABLES[name].columns))
            rows.createOrReplaceTempView(temporary)
            expressions.append(f"{name} AS (SELECT * FROM {temporary})")
    return lake.spark.sql(with_expressions(expressions, text))


def with_expressions(expressions: list[str], text: str) -> str:
    """A query with common table expressions in front of it, and of those that it has."""
    if not expressions:
        return text
    match = _WITH.match(text)
    rest = f", {text[match.end() :]}" if match else f" {text}"
    return f"WITH {', '.join(expressions)}{rest}"
