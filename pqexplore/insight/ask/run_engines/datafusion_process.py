"""Runs queries on Parquet files with DataFusion: the process that `observed.datafusion` starts.

The job is a list of `{"path": …, "sql": …, "group_rows": …}`: the query reads the table `rows`, which is the file, and
`group_rows` are the rows of each row group. DataFusion counts what it skips in the metrics of the scan, such as
`4 total → 1 matched`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datafusion import ExecutionPlan, MetricsSet, SessionContext

_COUNTS = re.compile(r"(\S+) total → (\S+) matched")
_PRUNED = {
    "files": "files_ranges_pruned_statistics",
    "statistics": "row_groups_pruned_statistics",
    "bloom": "row_groups_pruned_bloom_filter",
    "pages": "page_index_pages_pruned",
}


def context() -> SessionContext:
    """A session that scans a file in one piece."""
    from datafusion import SessionConfig, SessionContext

    config = SessionConfig().with_target_partitions(1).with_information_schema(False)
    return SessionContext(config)


class Table:
    """The table `rows` of a session, which is one file after the other."""

    def __init__(self, session: SessionContext, folder: str) -> None:
        self.session, self.folder = session, folder
        self.path, self.count = "", 0

    def open(self, path: str) -> None:
        """Make a file the table."""
        if path == self.path:
            return
        if self.path:
            self.session.deregister_table("rows")
        self.path, self.count = "", self.count + 1
        # A link, because DataFusion takes a path as a URL with wildcards.
        link = os.path.join(self.folder, f"{self.count}.parquet")
        os.symlink(path, link)
        self.session.register_parquet("rows", link)
        self.path = path


def outcome(table: Table, query: dict[str, Any]) -> dict[str, Any]:
    """The rows that a query returns, and how many row groups, pages and rows its scan read.

    Counts are None if DataFusion rounds them in its metrics (from 1,000 on), `row_groups` also if the metrics do not show it.
    """
    from datafusion import SQLOptions

    table.open(query["path"])
    session = table.session
    only = SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
    plan = session.sql_with_options(query["sql"], only).execution_plan()
    rows = 0
    for partition in range(plan.partition_count):
        rows += sum(batch.to_pyarrow().num_rows for batch in session.execute(plan, partition))
    scan = _scan(plan)
    if scan is None:  # the condition is FALSE before anything is read
        return {"rows": rows, "row_groups": 0, "rows_scanned": 0, "bytes": 0, "counts": {}}
    counts = _counts(scan)
    return {
        "rows": rows,
        "row_groups": _read(scan, counts, query["group_rows"]),
        "rows_scanned": scan.output_rows,
        "bytes": scan.sum_by_name("bytes_scanned"),
        "counts": counts,
    }


def _read(scan: MetricsSet, counts: dict[str, tuple[int, int] | None], group_rows: list[int]) -> int | None:
    """How many row groups were read; None if the metrics do not show it. `group_rows`: the rows of each in the file.

    They count the pages that the page index rules out, but not the row groups where it leaves no page. So all are read
    if one fewer could not have so many rows.
    """
    left, pages, rows = counts["bloom"], counts["pages"], scan.output_rows
    if not rows:
        return 0
    if left is None:
        return None
    every_page = pages is not None and pages[0] == pages[1]
    most = sum(sorted(group_rows, reverse=True)[: max(0, left[1] - 1)])
    return left[1] if every_page or rows > most else None


def _scan(plan: ExecutionPlan) -> MetricsSet | None:
    for name, metrics in plan.collect_metrics():
        if name.startswith("DataSourceExec"):
            found: MetricsSet = metrics
            return found
    return None


def _counts(scan: MetricsSet) -> dict[str, tuple[int, int] | None]:
    """(total, left) by kind of evidence; None if DataFusion rounds a figure of it."""
    made: dict[str, tuple[int, int] | None] = dict.fromkeys(_PRUNED, (0, 0))
    kinds = {name: kind for kind, name in _PRUNED.items()}
    for metric in scan.metrics():
        kind, match = kinds.get(metric.name), _COUNTS.search(repr(metric))
        if kind is None or match is None:
            continue
        before = made[kind]
        whole = before is not None and match[1].isdecimal() and match[2].isdecimal()
        made[kind] = (before[0] + int(match[1]), before[1] + int(match[2])) if before and whole else None
    return made


def main() -> None:
    """Reads the job, runs its queries, and writes a list of outcomes."""
    import datafusion

    outcomes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        table = Table(context(), folder)
        for query in json.load(sys.stdin):
            try:
                outcomes.append(outcome(table, query))
            except Exception as error:  # DataFusion raises bare Exceptions
                outcomes.append({"error": str(error)})
    print(json.dumps({"version": datafusion.__version__, "outcomes": outcomes}))


if __name__ == "__main__":
    main()
