"""The fix of a lake as a job: code that writes all files again, for Spark, Delta, Iceberg and pyarrow."""

from __future__ import annotations

from collections.abc import Mapping

from pqexplore.lake.doctor.together import TARGET

REWRITTEN = frozenset(
    {"small-files", "small-row-groups", "large-row-groups", "large-footer", "codecs-differ"}
)
"""Rules whose findings are gone when all files were written again with ordinary options."""

MOST = 500
"""Characters of a path up to which it is written into code."""


def jobs(source: str, format: str, total: int, keys: tuple[str, ...]) -> Mapping[str, str]:
    """The code by what runs it; empty if the source cannot be named.

    `source` is the folder; `format` delta, iceberg or "" for plain files; `total` the bytes of all files; `keys` the
    names of the partition folders.
    """
    if not source or len(source) > MOST:
        return {}
    if format == "delta":
        text = source.replace("`", "``")
        return {"Delta job": f'spark.sql("OPTIMIZE delta.`{text}`")' if '"' not in text else ""}
    if format == "iceberg":
        return {
            "Iceberg job": "spark.sql(\"CALL CATALOG.system.rewrite_data_files(table => 'DATABASE.TABLE', "
            "options => map('rewrite-all', 'true'))\")"
        }
    files = max(1, -(-total // TARGET))
    target = source.rstrip("/") + ".rewritten"
    by = ", ".join(map(repr, keys))
    hive = f".partitionBy({by})" if keys else ""
    spark = (
        f"df = spark.read.option('mergeSchema', True).parquet({source!r})\n"
        f"df.repartition({files}{', ' + by if keys else ''}).write{hive}"
        f".option('parquet.block.size', {TARGET}).parquet({target!r})\n"
        f"# compare the two, then put {target!r} in the place of {source!r}"
    )
    partitioned = f"partitioning={list(keys)!r}, partitioning_flavor='hive', " if keys else ""
    arrow = (
        "import pyarrow.dataset as ds\n"
        f"ds.write_dataset(ds.dataset({source!r}, format='parquet', partitioning='hive'), {target!r}, format='parquet', "
        f"{partitioned}min_rows_per_group=122_880, max_rows_per_group=1_000_000)\n"
        f"# compare the two, then put {target!r} in the place of {source!r}"
    )
    return {"Spark job": spark, "pyarrow job": arrow}
