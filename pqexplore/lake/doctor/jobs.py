"""The fix of a lake as a job: code that writes all files again, for Spark, Delta, Iceberg and pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pqexplore.insight.wording import listing
from pqexplore.lake.doctor.diagnosing import EMPTY, NEEDS_KEY, NOT_READ, UNREADABLE
from pqexplore.lake.doctor.together import TYPES_DIFFER
from pqexplore.lake.target_sizes import TARGET

REWRITTEN = frozenset({"small-files", "small-row-groups", "large-row-groups", "large-footer"})
"""Rules whose findings are gone when all files were written again with ordinary options."""

MOST = 500
"""Characters of a path up to which it is written into code."""


STOPPING = {
    UNREADABLE: "files that cannot be read",
    EMPTY: "files of no bytes",
    NOT_READ: "files that could not be looked at",
    NEEDS_KEY: "files that need a key",
    TYPES_DIFFER.name: "columns of several types",
}
"""What stops a job over plain files, by rule."""


def jobs(source: str, format: str, total: int, keys: tuple[str, ...], found: Collection[str] = ()) -> Mapping[str, str]:
    """The code by what runs it; empty if the source cannot be named.

    `source` is the folder; `format` delta, iceberg or "" for plain files; `total` the bytes of all files; `keys` the
    names of the partition folders; `found` the rules that found something.
    """
    if not source or len(source) > MOST:
        return {}
    if format == "delta":
        name = source.replace("`", "``")
        sql = f"OPTIMIZE delta.`{name}`"
        rest = "# it joins files smaller than 1 GB; one that is alone in its partition stays as it is"
        return {"Delta job": f"spark.sql({sql!r})\n{rest}"}
    if format == "iceberg":
        return {
            "Iceberg job": "spark.sql(\"CALL CATALOG.system.rewrite_data_files(table => 'DATABASE.TABLE', "
            "options => map('rewrite-all', 'true'))\")"
        }
    files = max(1, -(-total // TARGET))
    target = source.rstrip("/") + ".rewritten"
    by = ", ".join(map(repr, keys))
    stopping = [words for rule, words in STOPPING.items() if rule in found]
    first = f"# fix first what stops it: {listing(stopping)}\n" if stopping else ""
    hive = f".partitionBy({by})" if keys else ""
    spark = (
        f"{first}df = spark.read.option('mergeSchema', True).parquet({source!r})\n"
        f"df.repartition({files}{', ' + by if keys else ''}).write{hive}"
        f".option('parquet.block.size', {TARGET}).parquet({target!r})\n"
        f"# compare the two, then put {target!r} in the place of {source!r}"
    )
    partitioned = f"partitioning={list(keys)!r}, partitioning_flavor='hive', " if keys else ""
    arrow = (
        f"{first}import pyarrow.dataset as ds\n"
        f"ds.write_dataset(ds.dataset({source!r}, format='parquet', partitioning='hive'), {target!r}, format='parquet', "
        f"{partitioned}min_rows_per_group=122_880, max_rows_per_group=1_000_000)\n"
        f"# compare the two, then put {target!r} in the place of {source!r}"
    )
    return {"Spark job": spark, "pyarrow job": arrow}
