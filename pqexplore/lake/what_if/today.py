"""The bytes that each column takes today, in all live files: from the scan's tables, with Arrow or with Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift.structs import Type, enum_name
from pqexplore.engine.text import clip
from pqexplore.lake.entries import Entry
from pqexplore.lake.tables import NAME

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


class Key(NamedTuple):
    """A column of a table, by its dotted path and the name of its physical type."""

    table: str
    column: str
    type: str

    @classmethod
    def of(cls, table: str, leaf: Leaf) -> Key:
        """The key of a leaf."""
        return cls(table, clip(".".join(leaf.path), NAME), enum_name(Type, leaf.physical_type))


_BY = ["table", "column_name", "physical_type"]


def by_column(lake: Lake, tables: Mapping[str, str]) -> dict[Key, tuple[int, int]]:
    """(bytes, files that have it) of each column; `tables` has the table of each file that counts."""
    rows = _by_arrow(lake, tables) if lake.spark is None else _by_spark(lake, tables)
    return {Key(*row[:3]): (row[3] or 0, row[4]) for row in rows}


def _by_arrow(lake: Lake, tables: Mapping[str, str]) -> list[tuple[str, str, str, int, int]]:
    columns = ["path", "column_name", "physical_type", "compressed_bytes"]
    found = lake.dataset("column_chunks").to_table(columns=columns)
    place = pc.index_in(found["path"], value_set=pa.array(list(tables), pa.string()))
    names = pa.array(list(tables.values()), pa.string())
    found = found.append_column("table", names.take(place.combine_chunks()))
    found = found.filter(pc.is_valid(found["table"]))
    made = found.group_by(_BY).aggregate([("compressed_bytes", "sum"), ("path", "count_distinct")])
    names_ = [*_BY, "compressed_bytes_sum", "path_count_distinct"]
    return list(zip(*(made[one].to_pylist() for one in names_), strict=True))


def _by_spark(lake: Lake, tables: Mapping[str, str]) -> list[tuple[str, str, str, int, int]]:
    from pyspark.sql import functions as F

    from pqexplore.lake import query, spark

    session = lake.spark
    assert session is not None
    entries = [Entry(path, table_path=table) for path, table in tables.items()]
    live = spark.paths(session, entries).select("path", F.col("table_path").alias("table"))
    made = (
        query.spark_table(lake, session, "column_chunks")
        .join(live, "path")
        .groupBy(*_BY)
        .agg(F.sum("compressed_bytes").alias("bytes"), F.countDistinct("path").alias("files"))
    )
    return [tuple(row[name] for name in (*_BY, "bytes", "files")) for row in made.collect()]
