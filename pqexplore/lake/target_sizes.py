"""The sizes that files have after a compaction, by the format of the table."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.rule import Source

TARGET = 128 << 20
"""Bytes of a file that one task of Spark reads; Delta's auto compaction aims at as many."""


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """The size that joined files have, and the size below which a file is joined, in bytes, with their source."""

    bytes: int
    below: int
    source: Source


TARGETS = {
    "delta": Target(
        1 << 30,
        1 << 30,
        Source(
            "Delta Lake, defaults of optimize.maxFileSize and optimize.minFileSize",
            "https://github.com/delta-io/delta/blob/master/spark/src/main/scala/org/apache/spark/sql/delta/sources/DeltaSQLConf.scala",
        ),
    ),
    "iceberg": Target(
        512 << 20,
        384 << 20,
        Source(
            "Iceberg, rewrite_data_files: defaults of target-file-size-bytes and min-file-size-bytes",
            "https://iceberg.apache.org/docs/latest/spark-procedures/#rewrite_data_files",
        ),
    ),
    "": Target(
        TARGET,
        TARGET,
        Source(
            "Spark, default of spark.sql.files.maxPartitionBytes: the bytes of a file that one task reads",
            "https://spark.apache.org/docs/latest/sql-performance-tuning.html",
        ),
    ),
}
"""By format of the table; "" for plain files."""
