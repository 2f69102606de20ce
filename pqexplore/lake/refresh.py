"""What a refresh has to read: what is new, what changed, and what could not be read before."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.lake.entries import Entry


@dataclasses.dataclass
class Plan:
    """`read` are files to read; `keep` places of rows of the table `files` that hold as they are.

    `vanished` are places of rows of files that are gone, `superseded` the (path, run_id) of rows of other tables that
    hold no longer.
    """

    read: list[Entry] = dataclasses.field(default_factory=list)
    keep: list[int] = dataclasses.field(default_factory=list)
    vanished: list[int] = dataclasses.field(default_factory=list)
    superseded: list[tuple[str, str]] = dataclasses.field(default_factory=list)


COMPARED = ("path", "run_id", "status", "size", "modified", "etag")
"""Columns of `files` that decide."""


def plan(entries: list[Entry], before: Any, current_runs: set[str]) -> Plan:
    """Hold a new listing against the table `files` as it was.

    `current_runs` are the runs that this version of the engine made: what others read is read again.
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
        if status == "vanished":
            found.keep.append(place)
        elif status != "orphan":
            found.vanished.append(place)
            found.superseded.append((path, run_id))
    return found


def _same(entry: Entry, size: int | None, modified: int | None, etag: str | None) -> bool:
    """Whether a file is what it was: the same size, and the same ETag or, without one, time of modification."""
    if entry.size is None or entry.size != size:
        return False
    if entry.etag is not None and etag is not None:
        return entry.etag == etag
    return entry.modified is not None and entry.modified == modified
