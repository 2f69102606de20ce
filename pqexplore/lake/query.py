"""Queries the tables, with DuckDB over the stored files or on Spark.

A query of the user runs on Spark if there is a session. Views and panels are small, and DuckDB answers them in less time
than Spark needs to plan them: so it does, session or not, if this machine sees the store (`engine`).

A query may use every table and view by name. For Spark they become common table expressions in front of the query, so
the session does not change. DuckDB gets views in a separate connection, which has no access to files.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.tables import PER_FILE, TABLES
from pqexplore.lake.views import VIEWS

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.lake.lake import Lake
    from pqexplore.lake.store.manifest import Manifest

DUCKDB, SPARK = "DuckDB", "Spark"

_WITH = re.compile(r"\s*with\s+(?!recursive\b)", re.IGNORECASE)


def run(lake: Lake, text: str, where: str = "") -> pa.Table | DataFrame:
    """Runs a query on Spark if there is a session, else with DuckDB. `where` is a condition on `files` for all tables."""
    if lake.spark is None:
        return _duckdb(lake, text, where)
    return _spark(lake, lake.spark, text, where)


def engine(lake: Lake) -> str:
    """The engine that answers views and panels: Spark if there is a session and DuckDB is not installed, or this machine
    does not see the store; else DuckDB.
    """
    if lake.spark is None:
        return DUCKDB
    seen = os.path.isdir(lake.path) and importlib.util.find_spec("duckdb") is not None
    return DUCKDB if seen else SPARK


def rows(lake: Lake, text: str, where: str = "", manifest: Manifest | None = None) -> list[dict[str, Any]]:
    """The rows of a query in the SQL that both engines share, by `engine`. `manifest` is an earlier run, None for this one."""
    if engine(lake) == DUCKDB:
        found: list[dict[str, Any]] = _duckdb(lake, text, where, manifest).to_pylist()
        return found
    assert lake.spark is not None
    return [row.asDict() for row in _spark(lake, lake.spark, text, where, manifest).collect()]


class Tables(Mapping[str, "pa.Table | DataFrame"]):
    """The tables by name: pyarrow Tables, or Spark DataFrames if there is a session."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def __getitem__(self, name: str) -> pa.Table | DataFrame:
        if name not in TABLES:
            raise KeyError(f"{name!r} is none of the tables {', '.join(TABLES)}")
        if self._lake.spark is not None:
            return spark_table(self._lake, self._lake.spark, name)
        lake = self._lake
        with lake._store.blaming(lake.manifest, [name]):
            return lake.dataset(name).to_table()

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)

    def __repr__(self) -> str:
        return f"<tables {', '.join(TABLES)}>"


class Views(Mapping[str, "pa.Table | DataFrame"]):
    """The views of a lake by name: `lake.views["small_files"]`; `ask` takes parameters. `repr` lists the questions.

    The rows are a pyarrow Table, or a DataFrame if there is a session. `engine` says which engine answers, see `engine`
    of this module: if it is DuckDB, the DataFrame holds the finished rows. `lake.sql("SELECT * FROM small_files")` has
    Spark answer a view.
    """

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    @property
    def engine(self) -> str:
        """The engine that answers: DuckDB or Spark."""
        return engine(self._lake)

    def __getitem__(self, name: str) -> pa.Table | DataFrame:
        return self.ask(name)

    def ask(self, name: str, **parameters: int | float) -> pa.Table | DataFrame:
        """Runs a view with parameters: `ask("small_files", target_bytes=1 << 30)`. KeyError for an unknown name."""
        if name not in VIEWS:
            raise KeyError(f"there is no view {name!r}; there are {', '.join(VIEWS)}")
        text, lake = VIEWS[name].sql(**parameters), self._lake
        if self.engine == SPARK:
            return run(lake, text)
        found = _duckdb(lake, text)
        return found if lake.spark is None else frame(lake.spark, found)

    def __iter__(self) -> Iterator[str]:
        return iter(VIEWS)

    def __len__(self) -> int:
        return len(VIEWS)

    def __repr__(self) -> str:
        questions = (f"{view.name}: {view.question}" for view in VIEWS.values())
        return "\n".join((f"{len(VIEWS)} views, answered by {self.engine}", *questions))


def frame(session: SparkSession, table: pa.Table) -> DataFrame:
    """A small Arrow table as a DataFrame. Spark 3.5 takes rows only, and Spark Connect no empty table."""
    import pyspark

    if table.num_rows and int(pyspark.__version__.partition(".")[0]) >= 4:
        return session.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema

    tuples = list(zip(*table.to_pydict().values(), strict=True))
    return session.createDataFrame(tuples, from_arrow_schema(table.schema))


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

SETTINGS = (
    "enable_progress_bar = false",
    "python_enable_replacements = false",
    "TimeZone = 'UTC'",
    "lock_configuration = true",
)
"""Settings of each query, in this order."""

NO_ACCESS = "lake.sql reads the tables and views of the lake only: no other file, database, extension or setting"


def _duckdb(lake: Lake, text: str, where: str = "", manifest: Manifest | None = None) -> pa.Table:
    """Runs a query with DuckDB, which sees the tables as Arrow datasets and nothing else of this machine."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "queries without Spark are answered by DuckDB: `pip install pqexplore[lake]`; the tables are in "
            "lake.tables as they are"
        ) from None
    manifest = manifest or lake.manifest
    with duckdb.connect(config=CLOSED) as connection:
        try:
            _define(connection, lake, manifest, _needed(text, where), where)
            for setting in SETTINGS:
                with contextlib.suppress(duckdb.CatalogException):  # versions before 1.1
                    connection.execute(f"SET {setting}")
            answer = connection.sql(text)
            if answer is None:
                raise UsageError("the text is no query; one that begins with SELECT or WITH is expected")
            return answer.to_arrow_table()
        except duckdb.Error as error:
            lake._store.verify(manifest, [n for n in _needed(text, where) if n in TABLES])
            raise UsageError(_refusal(str(error))) from None


def _define(connection: Any, lake: Lake, manifest: Manifest, names: list[str], where: str) -> None:
    """Define the tables and views of a query in a connection."""
    superseded = lake._store.superseded(manifest)
    connection.register("superseded_rows", _unfiltered(superseded))
    renamed = _renamed(lake, manifest) if NAMED & set(names) else None
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


def _renamed(lake: Lake, manifest: Manifest) -> pa.Table | None:
    """The columns of files that are called otherwise in their table: path, leaf, table_column. None if there are none."""
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


def spark_table(lake: Lake, session: SparkSession, name: str, manifest: Manifest | None = None) -> DataFrame:
    """A table as a DataFrame; of the current run, or of an earlier one."""
    definition = TABLES[name]
    manifest = manifest or lake.manifest
    if name == "runs":
        rows = [tuple(row[column.name] for column in definition.columns) for row in lake.runs.to_pylist()]
        return session.createDataFrame(rows, definition.ddl)
    parts = lake._store.parts(manifest, name)
    if not parts:
        return session.createDataFrame([], definition.ddl)
    found = session.read.schema(definition.ddl).parquet(*(lake._store.for_spark(part) for part in parts))
    if name in PER_FILE:
        superseded = lake._store.superseded(manifest)
        if len(superseded):
            rows = list(zip(*superseded.to_pydict().values(), strict=True))
            gone = session.createDataFrame(rows, "path string, run_id string")
            found = found.join(gone.hint("broadcast"), ["path", "run_id"], "left_anti")
            found = found.select(*(column.name for column in definition.columns))
    return found


def _spark(lake: Lake, session: SparkSession, text: str, where: str, manifest: Manifest | None = None) -> DataFrame:
    expressions = []
    renamed = None
    needed = _needed(text, where)
    if NAMED & set(needed) and len(lake._store.read(manifest or lake.manifest, "table_columns")):
        columns = spark_table(lake, session, "table_columns", manifest)
        columns = columns.where("table_column IS NOT NULL")
        files = spark_table(lake, session, "files", manifest)
        files = files.select("path", "table_path", "schema_id")
        renamed = files.join(columns.hint("broadcast"), ["table_path", "schema_id"]).select(
            "path", "leaf", "table_column"
        )
    for name in needed:
        if name in VIEWS:
            expressions.append(f"{name} AS ({VIEWS[name].sql()})")
        else:
            run_id = "" if manifest is None else manifest.run_id
            temporary = f"pqexplore_{abs(hash((lake.path, run_id))):x}_{name}"
            rows = spark_table(lake, session, name, manifest)
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
