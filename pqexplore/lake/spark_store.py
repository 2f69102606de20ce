"""Where Spark reads the stored tables of a lake at a URL: from this machine's copy, or from the URL.

Tasks of a local session see the copy. Those of a cluster do not: they need the URL, which Spark reads with credentials of
its own, not with fsspec's storage options. Both are tried with a file of one row.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.urls import masked
from pqexplore.lake.query import spark_path
from pqexplore.lake.spark import master

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def root_for(
    session: SparkSession, url: str, copy: str, put: Callable[[str], None], remove: Callable[[str], None]
) -> str:
    """The folder or URL below which Spark reads the store at a URL. UsageError if it reads neither.

    `put` and `remove` copy a file of the folder `copy` to the URL, and remove it there. A URL with a password is not given
    to Spark, because plans are shown and logged.
    """
    name = f"probe-{secrets.token_hex(8)}.parquet"
    probe = Path(copy, name)
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), probe)
    try:
        if master(session).startswith("local") and _reads(session, f"{spark_path(copy)}/{name}"):
            return spark_path(copy)
        if masked(url) == url:
            put(name)
            try:
                for known in _spellings(url):
                    if _reads(session, f"{known}/{name}"):
                        return known
            finally:
                remove(name)
    finally:
        probe.unlink()
    raise UsageError(
        f"{masked(url)} cannot be used with this Spark session: its nodes do not see this machine's folders, and Spark does "
        "not read the URL with its own settings; pass out= as a folder that all nodes see, such as /Volumes/…, or give Spark "
        "access to the URL"
    )


def _spellings(url: str) -> Iterator[str]:
    """The URL, and as Hadoop names the scheme: S3's is s3a outside of Databricks and EMR."""
    yield url
    if url.startswith("s3://"):
        yield f"s3a://{url[5:]}"


def _reads(session: SparkSession, path: str) -> bool:
    try:
        rows = session.read.schema("n INT").parquet(path).collect()
    except Exception:  # Spark's own, the JVM's, and those of its drivers
        return False
    return len(rows) == 1
