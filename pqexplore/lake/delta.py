"""Writes the tables of a lake as Delta tables: with Spark if the session has Delta, else with deltalake."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.lake.query import spark_path, spark_table

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


def write(lake: Lake, folder: str, tables: Iterable[str]) -> list[str]:
    """Write each table as a Delta table in a folder of its name. Returns these folders.

    An existing table gets a new version. UsageError if there is neither Delta in the session nor deltalake.
    """
    places = [os.path.join(folder, name) for name in tables]
    if lake.spark is not None and available(lake.spark):
        for name, place in zip(tables, places, strict=True):
            where = place if "://" in place else spark_path(os.path.abspath(place))
            frame = spark_table(lake, lake.spark, name).write.format("delta").mode("overwrite")
            frame.option("overwriteSchema", "true").save(where)
        return places
    try:
        from deltalake import write_deltalake
    except ImportError:
        raise UsageError(
            "the session has no Delta, and deltalake is not installed: `pip install deltalake`"
        ) from None
    for name, place in zip(tables, places, strict=True):
        rows = lake.runs if name == "runs" else lake.dataset(name).to_table()
        write_deltalake(place, rows, mode="overwrite", schema_mode="overwrite")
    return places
