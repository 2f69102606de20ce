"""The tables of a lake as Delta tables, for those who share them: by Spark where the session has Delta, else by deltalake."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.query import spark_path, spark_table

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


def available(session: Any) -> bool:
    """Whether a Spark session can write Delta tables."""
    if os.environ.get("DATABRICKS_RUNTIME_VERSION"):
        return True
    try:
        return "delta" in (session.conf.get("spark.sql.extensions", "") or "").lower()
    except Exception:  # a session may keep its configuration to itself
        return False


def write(lake: Lake, folder: str, tables: Iterable[str]) -> list[str]:
    """Write tables as Delta tables, each in a folder of its name; gives these folders.

    A table that is there is replaced by a new version of it. UsageError where neither Spark's Delta nor deltalake is
    there.
    """
    places = [os.path.join(folder, name) for name in tables]
    if lake.spark is not None and available(lake.spark):
        for name, place in zip(tables, places, strict=True):
            where = place if "://" in place else spark_path(os.path.abspath(place))
            frame = spark_table(lake, name).write.format("delta").mode("overwrite")
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
