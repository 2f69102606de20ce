"""`spark.read.format("pqexplore")`: one table of a lake, read as it is asked for and stored nowhere.

A thin front of `inspection` for sessions that have Python data sources (Spark 4, Databricks 15.4 and later):

    from pqexplore.lake import datasource
    datasource.register(spark)
    spark.read.format("pqexplore").option("table", "column_chunks").load("/Volumes/main/default/events")

Options: `table` (files), `level` (chunks), `tasks`. `load` names a file, folder or pattern. All columns are always
made, whichever are asked for; `scan` is for lakes that are asked more than once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.entries import Entry, Options
from pqexplore.lake.inspection import Inspection
from pqexplore.lake.listing import listing
from pqexplore.lake.tables import TABLES

NAME = "pqexplore"
TABLES_READ = tuple(name for name in TABLES if name not in ("runs", "schemas"))
"""Tables that one file after the other gives."""


def available(session: Any) -> bool:
    """Whether the session takes Python data sources."""
    try:
        from pyspark.sql import datasource  # noqa: F401
    except ImportError:
        return False
    return hasattr(session, "dataSource")


def register(session: Any) -> None:
    """Make `spark.read.format("pqexplore")` known to a session. UsageError where it takes no Python data sources."""
    if not available(session):
        raise UsageError(
            "this session takes no Python data sources (Spark 4 and Databricks 15.4 do); use pqexplore.lake.scan"
        )
    session.dataSource.register(_source_class())


def _source_class() -> Any:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    class Share(InputPartition):  # type: ignore[misc]
        def __init__(self, entries: list[Entry]) -> None:
            super().__init__(0)
            self.entries = entries

    class Reader(DataSourceReader):  # type: ignore[misc]
        def __init__(self, options: dict[str, str], table: str) -> None:
            self._path, self._table = options.get("path", ""), table
            self._level = options.get("level", "chunks")
            self._tasks = int(options.get("tasks", 8))

        def partitions(self) -> list[Any]:
            entries = listing(self._path).entries
            count = max(1, min(self._tasks, len(entries)))
            return [Share(entries[start::count]) for start in range(count)]

        def read(self, partition: Any) -> Iterator[Any]:
            inspection = Inspection(Options(level=self._level))
            for table, batch in inspection.batches(partition.entries):
                if table == self._table:
                    yield batch

    class Source(DataSource):  # type: ignore[misc]
        @classmethod
        def name(cls) -> str:
            return NAME

        def _table(self) -> str:
            table = str(self.options.get("table", "files"))
            if table not in TABLES_READ:
                raise UsageError(f"table is one of {', '.join(TABLES_READ)}, not {table!r}")
            return table

        def schema(self) -> str:
            return TABLES[self._table()].ddl

        def reader(self, schema: Any) -> Any:
            return Reader(dict(self.options), self._table())

    return Source
