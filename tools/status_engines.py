"""Asks one reader or writer many things, each in a process of its own: `python tools/status_engines.py`, JSON on stdin.

There are the `engine`, `seconds` and `memory` (bytes) for each of the `jobs`, and these. A job has an `action`, a `row`
(an id of `status_rows`), `path` and `out`. An action that reads leaves a table in `out`, as Arrow IPC, as the readers'
worker does; `write` leaves the file in `out`. What came of it is in `out` + ".json": `error` is missing or empty if it
worked. Each job runs in a fork, because importing a reader takes a second. `status_spark.py` does the same for Spark.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import status_rows
from status_rows import KEY, WANTED
from status_writers import write

from pqexplore.insight.doctor.readers import worker


def filtered(engine: str, path: str) -> pa.Table:
    """The rows with `WANTED` in column `k`, by a query."""
    if engine == "pyarrow":
        import pyarrow.parquet as pq

        return pq.read_table(path, filters=[("k", "==", WANTED)])
    if engine == "DuckDB":
        import duckdb

        return duckdb.from_parquet(path).filter(f"k = {WANTED}").to_arrow_table()
    if engine == "polars":
        import polars

        return polars.scan_parquet(path).filter(polars.col("k") == WANTED).collect().to_arrow()
    if engine == "fastparquet":
        import fastparquet

        file = fastparquet.ParquetFile(path)
        return pa.Table.from_pandas(file.to_pandas(filters=[("k", "==", WANTED)], row_filter=True))
    import datafusion

    frame = datafusion.SessionContext().read_parquet(path, file_extension="")
    return frame.filter(datafusion.col("k") == datafusion.lit(WANTED)).to_arrow_table()


def with_key(engine: str, path: str) -> pa.Table:
    """All values of the encrypted file, by its key."""
    if engine == "pyarrow":
        import pyarrow.parquet as pq
        from pyarrow.parquet import encryption

        return pq.read_table(path, decryption_properties=encryption.create_decryption_properties(KEY))
    if engine == "DuckDB":
        import duckdb

        with duckdb.connect() as connection:
            connection.execute(f"PRAGMA add_parquet_key('key', '{KEY.decode()}')")
            config = "encryption_config = {footer_key: 'key'}"
            query = f"SELECT * FROM read_parquet('{path}', {config})"
            return connection.execute(query).to_arrow_table()
    if engine == "polars":
        import polars

        keys = polars.ParquetDecryptionProperties(footer_key=KEY)
        return polars.read_parquet(path, decryption=keys).to_arrow()
    return worker.READERS[engine](path, None)


def checked(engine: str, path: str) -> pa.Table:
    """All values, told to verify checksums where there is an option for it."""
    if engine == "pyarrow":
        import pyarrow.parquet as pq

        return pq.ParquetFile(path, page_checksum_verification=True).read()
    return worker.READERS[engine](path, None)


def summary(engine: str, path: str) -> pa.Table:
    """All values of the data set whose `_metadata` is at the path."""
    if engine == "pyarrow":
        import pyarrow.dataset

        return pyarrow.dataset.parquet_dataset(path).to_table()
    return worker.READERS[engine](path, None)


def sorting(engine: str, path: str) -> pa.Table:
    """The columns that the reader says row groups are sorted by."""
    if engine == "pyarrow":
        import pyarrow.parquet as pq

        group = pq.ParquetFile(path).metadata.row_group(0)
        return pa.table({"column": [one.column_index for one in group.sorting_columns]})
    if engine == "fastparquet":
        import fastparquet

        group = fastparquet.ParquetFile(path).row_groups[0]
        return pa.table({"column": [one.column_idx for one in group.sorting_columns]})
    if engine == "DataFusion":
        import datafusion

        context = datafusion.SessionContext()
        context.register_parquet("t", path)
        plan = context.sql("EXPLAIN SELECT k FROM t ORDER BY k").to_pydict()["plan"]
        sorts = any("SortExec" in one or "SortPreserving" in one for one in plan)
        return pa.table({"column": pa.array([] if sorts else [0], pa.int64())})
    raise NotImplementedError(f"{engine} has no way to say them")


SAYS_SORTING = ("pyarrow", "fastparquet", "DataFusion")
"""The readers that say, or show by a plan, which columns row groups are sorted by."""

READS: dict[str, Callable[[str, str], pa.Table]] = {
    "column": lambda engine, path: worker.READERS[engine](path, ["v"]),
    "filter": filtered,
    "key": with_key,
    "checksum": checked,
    "summary": summary,
    "sorting": sorting,
}


def do(engine: str, job: dict[str, Any]) -> None:
    """Do a job."""
    problem = ""
    if job["action"] == "values":
        worker.read(engine, job["path"], job["out"])
        return
    try:
        if job["action"] == "write":
            problem = write(engine, status_rows.ROWS_BY_ID[job["row"]], job["out"])
        else:
            table = READS[job["action"]](engine, job["path"])
            with pa.ipc.new_file(job["out"], table.schema) as sink:
                sink.write_table(table)
    except BaseException as error:  # a panic of Rust is no Exception
        problem = worker.text(error)
    leave(job, worker.version(engine), problem)


def leave(job: dict[str, Any], version: str, problem: str) -> None:
    """Write what came of a job."""
    with open(f"{job['out']}.json", "w", encoding="utf-8", errors="replace") as written:
        json.dump({"version": version, "error": problem}, written)


def main() -> None:
    """Do the jobs on the standard input."""
    order = json.loads(sys.stdin.read())
    engine = order["engine"]
    __import__(engine.lower())
    for job in order["jobs"]:
        child = os.fork()
        if not child:
            signal.alarm(order["seconds"])
            try:
                worker.limit(order["memory"])
                do(engine, job)
            finally:
                os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code:
            late = code == -signal.SIGALRM
            problem = (
                f"it gave no answer in {order['seconds']} seconds"
                if late
                else f"its process died ({signal.Signals(-code).name})"
            )
            leave(job, worker.version(engine), problem)


if __name__ == "__main__":
    main()
