"""Until when the settings of a table keep a file that is not live.

`VACUUM` deletes what was removed, and what the log does not name, after the table's retention. It leaves files alone whose
names, or folders, begin with `_` or a dot, except for change data, its indexes, and partition folders. Sources:
`DeltaTableUtils.isHiddenDirectory` and `VacuumCommand` of Delta Lake. Iceberg's `remove_orphan_files` leaves hidden names
alone, too (`HiddenPathFilter`); `expire_snapshots` deletes the files that only expired snapshots have.
"""

from __future__ import annotations

from pqexplore.lake.logs.table_log import CHANGES, ORPHAN, REMOVED, UNREFERENCED, Fact, TableLog
from pqexplore.lake.places.place import Item

_NEVER_HIDDEN = ("_delta_index", "_change_data")


LAST = 250_000_000_000_000_000
"""Microseconds since 1970 in the year 9892: what is kept so long is kept without end."""


def kept_until(log: TableLog, name: str, fact: Fact, item: Item) -> int | None:
    """Microseconds since 1970; None if the file is kept without end, or if this is unknown.

    `name` is relative to the table's root. Spark's VACUUM wants a removed file to be old itself, which deltalake's does
    not: the later time counts.
    """
    until = _until(log, name, fact, item)
    return None if until is None or until > LAST else max(0, until)


def _until(log: TableLog, name: str, fact: Fact, item: Item) -> int | None:
    if fact.state == REMOVED and log.format == "iceberg":
        return fact.kept_until
    if _is_hidden(name, log):
        return None
    if fact.state == REMOVED:
        if log.retention.removed is None or fact.removed_at is None or item.modified is None:
            return None
        return max(fact.removed_at, item.modified) + log.retention.removed
    if fact.state in (UNREFERENCED, ORPHAN, CHANGES):
        if log.retention.unnamed is None or item.modified is None:
            return None
        return item.modified + log.retention.unnamed
    return None


def _is_hidden(name: str, log: TableLog) -> bool:
    """Whether maintenance of the table ignores a file by its name or a folder's."""
    return any(
        part.startswith(("_", "."))
        and not (log.format == "delta" and part.startswith(_NEVER_HIDDEN))
        and not any(part.startswith(f"{column}=") for column in log.partitions)
        for part in name.split("/")
    )
