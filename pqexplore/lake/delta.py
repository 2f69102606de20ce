"""Writes the tables of a lake as Delta tables: with Spark if the session has Delta, else with deltalake."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.urls import masked
from pqexplore.engine.output_file import require_folder
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


def write(lake: Lake, folder: str, tables: Iterable[str], options: Mapping[str, str] | None) -> list[str]:
    """Write each table as a Delta table in a folder of its name. Returns these folders.

    An existing table gets a new version. `options` are deltalake's storage options for a URL. UsageError if there is
    neither Delta in the session nor deltalake, or deltalake cannot write there.
    """
    join = posixpath.join if "://" in folder else os.path.join
    if "://" not in folder:
        require_folder(folder)
    places = [join(folder, name) for name in tables]
    if lake.spark is not None and available(lake.spark):
        for name, place in zip(tables, places, strict=True):
            where = place if "://" in place else spark_path(os.path.abspath(place))
            frame = spark_table(lake, lake.spark, name).write.format("delta").mode("overwrite")
            frame.option("overwriteSchema", "true").save(where)
        return places
    try:
        from deltalake import write_deltalake
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise UsageError("the session has no Delta, and deltalake is not installed: `pip install deltalake`") from None
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
