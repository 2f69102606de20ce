"""A table with a log, and its row of the table `tables`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from pqexplore.lake.listed_files import Entry
from pqexplore.lake.logs.table_log import LIVE, ORPHAN, REMOVED, UNREFERENCED, LogError, TableLog


@dataclasses.dataclass
class Table:
    """`path` is the table's root as the user names it; `log` its log, or the error of reading it.

    `whole` is whether the source includes the whole table. `name` is the path relative to the source's folder, or the last
    name of the path.
    """

    path: str
    format: str
    log: TableLog | LogError
    whole: bool = False
    name: str = ""
    remarks: list[str] = dataclasses.field(default_factory=list)

    def row(self, run_id: str, entries: Iterable[Entry], others: Iterable[Entry]) -> dict[str, str | int | bool | None]:
        """Columns of the table `tables`; `entries` and `others` are the table's own."""
        listed, rest = list(entries), list(others)
        live = [one for one in (*listed, *rest) if one.state == LIVE]
        row: dict[str, str | int | bool | None] = {
            "run_id": run_id,
            "path": self.path,
            "format": self.format,
            "status": "ok",
            "whole": self.whole,
            "remarks": "; ".join(self.remarks) or None,
            "name": self.name,
        }
        if isinstance(self.log, LogError):
            return row | {"status": "error", "error_code": self.log.code, "error": self.log.message}
        stored, deleted = (_sum(one.listed_rows for one in live), _sum(one.deleted_rows for one in live))
        return row | {
            "version": self.log.version,
            "snapshot_id": self.log.snapshot_id,
            "metadata": self.log.metadata,
            "decided_by": self.log.source,
            "copied_from": self.log.copied_from,
            "live_files": len(live),
            "live_rows": None if stored is None or deleted is None else stored - deleted,
            "stored_rows": stored,
            "deleted_rows": deleted,
            "outside_files": sum(one.error is not None for one in rest),
            "removed_files": sum(one.state == REMOVED for one in rest),
            "unreferenced_files": sum(one.state == UNREFERENCED for one in rest),
            "orphan_files": sum(one.state == ORPHAN for one in rest),
            "live_bytes": _sum(one.size for one in live),
            "removed_bytes": _sum(one.size for one in rest if one.state == REMOVED),
            "unreferenced_bytes": _sum(one.size for one in rest if one.state in (UNREFERENCED, ORPHAN)),
            "retention": self.log.retention.words,
            "remarks": "; ".join([*self.log.remarks, *self.remarks]) or None,
        }


def _sum(values: Iterable[int | None]) -> int | None:
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total
