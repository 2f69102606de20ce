"""Plans a refresh: it reads files that are new, changed, or could not be read before."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import TYPE_CHECKING

from pqexplore.lake.listed_files import Entry

if TYPE_CHECKING:
    import pyarrow as pa


@dataclasses.dataclass
class Plan:
    """`read` are files to read; `keep` the indices of rows of the table `files` that stay valid.

    `vanished` are the indices of rows of files that no longer exist, `superseded` the (path, run_id) of rows of other
    tables that are no longer valid.
    """

    read: list[Entry] = dataclasses.field(default_factory=list)
    keep: list[int] = dataclasses.field(default_factory=list)
    vanished: list[int] = dataclasses.field(default_factory=list)
    superseded: list[tuple[str, str]] = dataclasses.field(default_factory=list)


COMPARED = ("path", "run_id", "status", "size", "modified", "etag")
"""Columns of `files` that are compared."""


def plan(entries: list[Entry], others: Collection[str], before: pa.Table, current_runs: set[str]) -> Plan:
    """Compare a new listing with the table `files` of the last run.

    `others` are listed paths that are not read: they exist, but are not in the lake. `current_runs` are the runs by this
    version of the engine; files of other runs are read again.
    """
    columns = before.select(COMPARED)
    modified = columns["modified"].cast("int64").to_pylist()
    known = {
        path: (place, run_id, status, size, changed, etag)
        for place, (path, run_id, status, size, changed, etag) in enumerate(
            zip(
                *(columns[name].to_pylist() for name in COMPARED[:4]),
                modified,
                columns["etag"].to_pylist(),
                strict=True,
            )
        )
    }
    found = Plan()
    for entry in entries:
        row = known.pop(entry.path, None)
        if row is None:
            found.read.append(entry)
            continue
        place, run_id, status, size, changed, etag = row
        if status == "ok" and run_id in current_runs and _same(entry, size, changed, etag):
            found.keep.append(place)
            continue
        found.read.append(entry)
        if status in ("ok", "error"):
            found.superseded.append((entry.path, run_id))
    for path, (place, run_id, status, *_) in known.items():
        if path in others:
            if status in ("ok", "error"):
                found.superseded.append((path, run_id))
        elif status == "vanished":
            found.keep.append(place)
        elif status in ("ok", "error"):
            found.vanished.append(place)
            found.superseded.append((path, run_id))
    return found


def _same(entry: Entry, size: int | None, modified: int | None, etag: str | None) -> bool:
    """Whether a file is unchanged: same size, and same ETag or, without an ETag, same time of modification."""
    if entry.size is None or entry.size != size:
        return False
    if entry.etag is not None and etag is not None:
        return entry.etag == etag
    return entry.modified is not None and entry.modified == modified
