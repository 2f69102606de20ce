"""`spark.read.format("pqexplore")`: reads one table of a lake on demand, and stores nothing.

A thin wrapper of `inspection` for sessions that support Python data sources (Spark 4, Databricks 15.4 and later):

    from pqexplore.lake import datasource
    datasource.register(spark)
    spark.read.format("pqexplore").option("table", "column_chunks").load("/Volumes/main/default/events")

Options: `table` (files), `level` (chunks), `tasks`. `load` names a file, folder or pattern. All columns are
always computed. For more than one query, use `scan`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.footer_rows.inspection import Inspection
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.listing import listing
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "pqexplore"
TABLES_READ = tuple(name for name in TABLES if name not in ("runs", "schemas", "tables", "diagnoses"))
"""Tables whose rows come from single files."""


def available(session: SparkSession) -> bool:
    """Whether the session supports Python data sources."""
    try:
        from pyspark.sql import datasource  # noqa: F401
    except ImportError:
        return False
    return hasattr(session, "dataSource")


def register(session: SparkSession) -> None:
    """Register the format `pqexplore` in a session. UsageError if it does not support Python data sources."""
    if not available(session):
        raise UsageError(
            "this session does not support Python data sources (Spark 4 and Databricks 15.4 do); use pqexplore.lake.scan"
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
