"""Queries the tables: on Spark if there is a session, else with DuckDB over the stored files.

A query may use every table and view by name. For Spark they become common table expressions in front of the query, so
the session does not change. DuckDB gets views in a separate connection, which has no access to files.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.tables import PER_FILE, TABLES
from pqexplore.lake.views import VIEWS

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.lake.lake import Lake

_WITH = re.compile(r"\s*with\s+(?!recursive\b)", re.IGNORECASE)


def run(lake: Lake, text: str, where: str = "") -> pa.Table | DataFrame:
    """Runs a query on Spark if there is a session, else with DuckDB. `where` is a condition on `files` for all tables."""
    if lake.spark is None:
        return _duckdb(lake, text, where)
    return _spark(lake, lake.spark, text, where)


def mentioned(text: str) -> list[str]:
    """Tables and views that a query may use, tables first. Views use tables only."""
    words = set(re.findall(r"\w+", text.lower()))
    views = [name for name in VIEWS if name in words]
    for name in views:
        words.update(re.findall(r"\w+", VIEWS[name].sql().lower()))
    return [name for name in TABLES if name in words] + views


def _needed(text: str, where: str) -> list[str]:
    """The tables and views of a query; also `files` if there is a condition on it."""
    names = mentioned(text)
    return names if not where or "files" in names else ["files", *names]


# DuckDB.

CLOSED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings under which DuckDB opens no file, loads no extension and contacts no server."""

NO_ACCESS = "lake.sql reads the tables and views of the lake only: no other file, database, extension or setting"


def _duckdb(lake: Lake, text: str, where: str) -> pa.Table:
    """Runs a query with DuckDB, which sees the tables as Arrow datasets and nothing else of this machine."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "queries without Spark are answered by DuckDB: `pip install pqexplore[lake]`; the tables are in "
            "lake.tables as they are"
        ) from None
    with duckdb.connect(config=CLOSED) as connection:
        try:
            _define(connection, lake, _needed(text, where), where)
            for setting in ("python_enable_replacements = false", "lock_configuration = true"):
                with contextlib.suppress(duckdb.CatalogException):  # versions before 1.1
                    connection.execute(f"SET {setting}")
            answer = connection.sql(text)
            if answer is None:
                raise UsageError(
                    "the text is no query; one that begins with SELECT or WITH is expected"
                )
            return answer.to_arrow_table()
        except duckdb.Error as error:
            lake._store.verify(lake.manifest, [n for n in _needed(text, where) if n in TABLES])
            raise UsageError(_refusal(str(error))) from None


def _define(connection: Any, lake: Lake, names: list[str], where: str) -> None:
    """Define the tables and views of a query in a connection."""
    manifest = lake.manifest
    superseded = lake._store.superseded(manifest)
    connection.register("superseded_rows", _unfiltered(superseded))
    renamed = _renamed(lake) if NAMED & set(names) else None
    if renamed is not None:
        connection.register("renamed_rows", _unfiltered(renamed))
    for name in names:
        if name in VIEWS:
            connection.execute(f"CREATE VIEW {name} AS {VIEWS[name].sql()}")
            continue
        connection.register(f"{name}_rows", _unfiltered(lake._store.rows(manifest, name)))
        select = f"SELECT * FROM {name}_rows"
        if name in PER_FILE and len(superseded):
            select += " ANTI JOIN superseded_rows USING (path, run_id)"
        if where and name == "files":
            select += f" WHERE {where}"
        elif where and name in PER_FILE:
            select = f"SELECT * FROM ({select}) SEMI JOIN files USING (path)"
        if renamed is not None and name in NAMED:
            select = (
                "SELECT c.* REPLACE (coalesce(n.table_column, c.column_name) AS column_name) "
                f"FROM ({select}) c LEFT JOIN renamed_rows n ON c.path = n.path AND c.leaf = n.leaf"
            )
        connection.execute(f"CREATE VIEW {name} AS {select}")


NAMED = frozenset({"column_chunks", "pages", "indexes"})
"""Tables with a row for each column of a file, whose `column_name` in queries is that of the file's table."""


def _renamed(lake: Lake) -> pa.Table | None:
    """The columns of files that are called otherwise in their table: path, leaf, table_column. None if there are none."""
    manifest = lake.manifest
    columns = lake._store.read(manifest, "table_columns")
    columns = columns.select(["table_path", "schema_id", "leaf", "table_column"]).drop_null()
    if not len(columns):
        return None
    files = lake._store.read(manifest, "files").select(["path", "table_path", "schema_id"])
    found = files.join(columns, ["table_path", "schema_id"], join_type="inner")
    return found.select(["path", "leaf", "table_column"])


def _unfiltered(rows: pa.Table | ds.Dataset) -> pa.Table | ds.Dataset | ds.Scanner:
    """The rows in a form that takes no filters, where DuckDB cannot offer them: for that DuckDB 2 needs pyarrow 16."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    if hasattr(pa.types, "is_string_view"):
        return rows
    return ds.dataset(rows).scanner() if isinstance(rows, pa.Table) else rows.scanner()


def _refusal(message: str) -> str:
    """Rewords DuckDB's error; an error about access also says why access is closed."""
    closed = ("disabled by configuration", "disabled through configuration", "has been locked")
    if any(words in message for words in closed):
        return f"{NO_ACCESS} ({message})"
    return f"the query failed: {message}"


# Spark.


def spark_path(path: str) -> str:
    """A path of this machine as Spark's URL."""
    if path.startswith(("/Volumes/", "/Workspace/")):
        return path
    if path.startswith("/dbfs/"):
        return "dbfs:" + path[5:]
    return "file://" + path


def spark_table(lake: Lake, session: SparkSession, name: str) -> DataFrame:
    """A table as a DataFrame."""
    definition = TABLES[name]
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


def _spark(lake: Lake, session: SparkSession, text: str, where: str) -> DataFrame:
    expressions = []
    renamed = None
    if len(lake._store.read(lake.manifest, "table_columns")):
        columns = spark_table(lake, session, "table_columns").where("table_column IS NOT NULL")
        files = spark_table(lake, session, "files").select("path", "table_path", "schema_id")
        renamed = files.join(columns.hint("broadcast"), ["table_path", "schema_id"]).select(
            "path", "leaf", "table_column"
        )
    for name in _needed(text, where):
        if name in VIEWS:
            expressions.append(f"{name} AS ({VIEWS[name].sql()})")
        else:
            temporary = f"pqexplore_{abs(hash(lake.path)):x}_{name}"
            rows = spark_table(lake, session, name)
            if where and name == "files":
                rows = chosen = rows.where(where)
            elif where and name in PER_FILE:
                rows = rows.join(chosen.select("path"), "path", "left_semi")
                rows = rows.select(*(column.name for column in TABLES[name].columns))
            if renamed is not None and name in NAMED:
                rows = rows.join(renamed, ["path", "leaf"], "left").selectExpr(
                    *(
                        "coalesce(table_column, column_name) AS column_name"
                        if column.name == "column_name"
                        else column.name
                        for column in TABLES[name].columns
                    )
                )
            rows.createOrReplaceTempView(temporary)
            expressions.append(f"{name} AS (SELECT * FROM {temporary})")
    return session.sql(with_expressions(expressions, text))


def with_expressions(expressions: list[str], text: str) -> str:
    """Adds common table expressions to a query, before its own."""
    if not expressions:
        return text
    match = _WITH.match(text)
    rest = f", {text[match.end() :]}" if match else f" {text}"
    return f"WITH {', '.join(expressions)}{rest}"
