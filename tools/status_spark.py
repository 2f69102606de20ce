"""Does the jobs of `status_engines` with Spark, all in one process: `.venv/spark/bin/python tools/status_spark.py`.

The standard input has the `jobs` and a `folder` for files.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import status_rows
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from status_rows import WANTED, Row

from pqexplore.insight.doctor.readers import worker
from pqexplore.lake.spark import session as sessions

_SQL = {
    "logical-variant": "SELECT parse_json('1') AS x",
    "newer-variant-shredding": 'SELECT parse_json(\'{"id": 1, "name": "n"}\') AS x FROM range(20)',
    "logical-geometry": "SELECT ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040') AS x",
    "newer-geospatial-statistics": "SELECT ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040') AS x",
    "logical-geography": "SELECT ST_GeogFromWKB(X'0101000000000000000000F03F0000000000000040') AS x",
    "logical-unknown": "SELECT NULL AS x FROM range(20)",
    "newer-wide-decimal": "SELECT CAST(1 AS DECIMAL(60, 2)) AS x",
}
"""Queries for values that do not come from an Arrow table."""

_CONF = {
    "physical-int96": {"spark.sql.parquet.outputTimestampType": "INT96"},
    "newer-int96-order": {"spark.sql.parquet.outputTimestampType": "INT96"},
    "logical-timestamp-int64": {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"},
    "physical-fixed-len-byte-array": {"spark.sql.parquet.writeLegacyFormat": "true"},
    "logical-decimal-fixed-len-byte-array": {"spark.sql.parquet.writeLegacyFormat": "true"},
    "newer-variant-shredding": {
        "spark.sql.variant.writeShredding.enabled": "true",
        "spark.sql.variant.forceShreddingSchemaForTest": "id bigint, name string",
    },
}
"""Settings of the session with which a row is written."""

_DECIMALS = "SELECT CAST(1.25 AS DECIMAL(38, 2)) AS x"
_V2 = {"parquet.writer.version": "PARQUET_2_0"}
_NO_DICTIONARY = {"parquet.enable.dictionary": "false"}


def ways(row: Row) -> Iterator[dict[str, str]]:
    """The options of the writer that a row is tried with."""
    bloom = {"parquet.bloom.filter.enabled#k": "true"} | _NO_DICTIONARY
    known: dict[str, dict[str, str]] = {
        "format-bloom-filters": bloom,
        "format-bloom-filter-length": bloom,
        "format-data-page-v2": _V2,
        "format-page-crc32": {"parquet.page.write-checksum.enabled": "true"},
    }
    if row.id.startswith("compression-"):
        name = row.id.removeprefix("compression-").replace("-", "_")
        yield {"compression": name.replace("lz4_deprecated", "lz4")}
    elif row.id in known:
        yield known[row.id]
    elif row.id.startswith(("encoding-", "newer-rle")):
        yield _NO_DICTIONARY
        yield _V2 | _NO_DICTIONARY
        yield _V2
        yield _NO_DICTIONARY | {"parquet.enable.bytestreamsplit": "true"}
    yield {}


def write(spark: SparkSession, row: Row, out: str, folder: Path) -> str:
    """Write the row's file by one of the ways, until our engine finds the feature in it. Why not, if none has it."""
    problem = ""
    for options in ways(row):
        place = folder / row.id
        shutil.rmtree(place, ignore_errors=True)
        for name, value in _CONF.get(row.id, {}).items():
            spark.conf.set(name, value)
        try:
            query = _DECIMALS if row.id == "physical-fixed-len-byte-array" else _SQL.get(row.id)
            frame = spark.sql(query) if query else spark.createDataFrame(row.table())
            frame.coalesce(1).write.options(**options).parquet(str(place))
        except Exception as error:
            problem = problem or cause(error)
            continue
        finally:
            for name in _CONF.get(row.id, {}):
                spark.conf.unset(name)
        (made,) = place.glob("part-*.parquet")
        shutil.move(made, out)
        with status_rows.opened(row, out) as file:
            assert row.proof is not None
            if row.proof(file):
                return ""
    return problem or "it writes the values without it"


def read(spark: SparkSession, action: str, path: str) -> pa.Table:
    """What an action reads."""
    options = {"parquet.page.verify-checksum.enabled": "true"} if action == "checksum" else {}
    frame = spark.read.options(**options).parquet(path)
    if action == "filter":
        frame = frame.where(f"k = {WANTED}")
    if action == "column":
        frame = frame.select("v")
    return _plain(frame).toArrow()


def _plain(frame: DataFrame) -> DataFrame:
    """The frame with Variants as JSON and geometries as WKB."""
    chosen = []
    for field in frame.schema.fields:
        kind, column = field.dataType.typeName(), F.col(f"`{field.name}`")
        if kind == "variant":
            column = F.to_json(column)
        if kind.startswith(("geometry", "geography")):
            column = F.expr(f"ST_AsBinary(`{field.name}`)")
        chosen.append(column.alias(field.name))
    return frame.select(*chosen)


def cause(error: Exception) -> str:
    """An error in one line: of an error in Java, the first cause."""
    java = getattr(error, "java_exception", None)
    if java is None:
        return worker.text(error)
    while java.getCause() is not None:
        java = java.getCause()
    return " ".join(str(java.toString()).split())


def do(spark: SparkSession, job: dict[str, Any], folder: Path) -> str:
    """Do a job; its error, "" if it worked."""
    try:
        if job["action"] == "write":
            row = status_rows.ROWS_BY_ID[job["row"]]
            return write(spark, row, job["out"], folder)
        table = read(spark, job["action"], job["path"])
        with pa.ipc.new_file(job["out"], table.schema) as sink:
            sink.write_table(table)
    except Exception as error:
        return cause(error)
    return ""


def main() -> None:
    """Do the jobs on the standard input."""
    order = json.loads(sys.stdin.read())
    folder = Path(order["folder"])
    spark = sessions.local_session(
        {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.memory": "1g",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
    )
    for job in order["jobs"]:
        left = {"version": spark.version, "error": do(spark, job, folder)}
        Path(f"{job['out']}.json").write_text(json.dumps(left), "utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
