"""Runs conditions on Parquet files with DuckDB: the process that `observed.duckdb` starts.

The job is a list of `{"path": …, "where": …, "columns": …, "table": …}`; the condition is DuckDB's SQL. DuckDB may read
nothing but these files.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from typing import Any

import duckdb

_GROUP = re.compile(r"'event': ReadRowGroup, 'info': \{.*row_group_id=(\d+)\}")
_GLOB = re.compile(r"[*?\[]")


def connected(paths: list[str], gap: int | None = None) -> duckdb.DuckDBPyConnection:
    """A connection that may read these files only.

    `gap` is the most bytes between two ranges that are read together; None: DuckDB adapts it to the speed of reading.
    """
    connection = duckdb.connect()
    if gap is not None:
        connection.execute("SET parquet_prefetch_column_gap = $1", [gap])
    connection.execute("SET allowed_paths = $1", [paths])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET enable_external_file_cache = false")
    connection.execute("CALL enable_logging('PhysicalOperator', level = 'debug')")
    connection.execute("SET lock_configuration = true")
    return connection


def outcome(connection: duckdb.DuckDBPyConnection, query: dict[str, Any]) -> dict[str, Any]:
    """Rows that match, the row groups that are read, rows that the scan produces, bytes read; or the error."""
    source = "read_parquet($1, hive_partitioning = false) AS " + query["table"]
    rest = f"FROM {source} WHERE {query['where']}"
    path = query["path"]
    try:
        rows = connection.execute(f"SELECT count(*) {rest}", [path]).fetchall()[0][0]
        connection.execute("CALL truncate_duckdb_logs()")
        profile = connection.execute(
            f"EXPLAIN (ANALYZE, FORMAT json) SELECT {query['columns']} {rest}", [path]
        ).fetchall()[0][1]
        log = connection.execute("SELECT message FROM duckdb_logs() WHERE type = 'PhysicalOperator'").fetchall()
    except duckdb.Error as error:
        return {"error": str(error)}
    figures = json.loads(profile)
    groups = {int(found[1]) for (message,) in log for found in _GROUP.finditer(message)}
    return {
        "rows": rows,
        "groups": sorted(groups),
        "read": figures["query"].get("total_row_groups_scanned", 0),
        "scanned": figures["query"].get("total_rows_scanned", 0),
        "bytes": figures["io"]["total_bytes_read"],
    }


def main() -> None:
    """Reads the job, runs its queries, and writes a list of outcomes."""
    job = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="pqexplore-") as folder:
        for number, query in enumerate(job):
            if _GLOB.search(query["path"]):  # DuckDB would take it for a pattern
                link = os.path.join(folder, f"{number}.parquet")
                os.symlink(query["path"], link)
                query["path"] = link
        connection = connected([query["path"] for query in job])
        made = [outcome(connection, query) for query in job]
        connection.close()
    print(json.dumps({"version": duckdb.__version__, "outcomes": made}))


if __name__ == "__main__":
    main()
