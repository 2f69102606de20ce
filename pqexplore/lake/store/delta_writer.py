"""Writes the tables of a lake as Delta tables: with Spark if the session has Delta, else with deltalake."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.errors import TargetError, UsageError
from pqexplore.engine.file.urls import masked
from pqexplore.engine.output_file import require_folder
from pqexplore.lake.query import spark_path, spark_table
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.lake.lake import Lake


def available(session: SparkSession) -> bool:
    """Whether a Spark session can write Delta tables."""
    if os.environ.get("DATABRICKS_RUNTIME_VERSION"):
        return True
    try:
        return "delta" in (session.conf.get("spark.sql.extensions", "") or "").lower()
    except Exception:  # a session may not show its configuration
        return False


def write(lake: Lake, folder: str, tables: Iterable[str], options: Mapping[str, str] | None) -> list[str]:
    """Write each table as a Delta table in a folder of its name. Returns these folders.

    An existing table of such columns gets a new version. TargetError for one of other columns. `options` are deltalake's storage options for a URL. UsageError if there is
    neither Delta in the session nor deltalake, or deltalake cannot write there.
    """
    join = posixpath.join if "://" in folder else os.path.join
    if "://" not in folder:
        require_folder(folder)
    places = [join(folder, name) for name in tables]
    if lake.spark is not None and available(lake.spark):
        spark = lake.spark
        _require_ours(dict(zip(tables, places, strict=True)), lambda place: _spark_columns(spark, _for_spark(place)))
        for name, place in zip(tables, places, strict=True):
            frame = spark_table(lake, spark, name).write.format("delta").mode("overwrite")
            frame.option("overwriteSchema", "true").save(_for_spark(place))
        return places
    try:
        from deltalake import write_deltalake
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise UsageError("the session has no Delta, and deltalake is not installed: `pip install deltalake`") from None
    _require_ours(dict(zip(tables, places, strict=True)), lambda place: _columns(place, options))
    for name, place in zip(tables, places, strict=True):
        rows = lake.runs if name == "runs" else lake.dataset(name).to_table()
        more = {"storage_options": dict(options)} if options else {}
        try:
            write_deltalake(place, rows, mode="overwrite", schema_mode="overwrite", **more)
        except (DeltaError, OSError) as error:
            if "://" not in place:
                raise
            raise UsageError(f"{masked(place)} cannot be written: {masked(str(error))[:300]}") from None
    return places


def _require_ours(places: Mapping[str, str], columns_of: Callable[[str], list[str]]) -> None:
    """Raise TargetError if a Delta table is in one of these places that has not the columns of the lake's table."""
    for name, place in places.items():
        found, own = set(columns_of(place)), set(TABLES[name].schema.names)
        # A table of another version of this package has most of them.
        if found and 2 * len(found & own) < max(len(found), len(own)):
            raise TargetError(
                masked(place), "is a Delta table of other columns, and is not replaced; name another folder"
            )


def _for_spark(place: str) -> str:
    return place if "://" in place else spark_path(os.path.abspath(place))


def _spark_columns(spark: SparkSession, place: str) -> list[str]:
    """The columns of a Delta table; none if there is no table."""
    try:
        return list(spark.read.format("delta").load(place).columns)
    except Exception:  # Spark's own: there is no table, or writing says why
        return []


def _columns(place: str, options: Mapping[str, str] | None) -> list[str]:
    """The same with deltalake."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        table = DeltaTable(place, storage_options=dict(options) if options else None)
    except (DeltaError, OSError):  # there is no table, or writing says why
        return []
    return [field.name for field in table.schema().fields]
