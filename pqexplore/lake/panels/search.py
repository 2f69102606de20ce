"""Finding a file or a column of a lake by a part of its name; a Metadatastore has objects only."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.columns import largest
from pqexplore.lake.panels.filters import Filters, ask, by_spark, literal
from pqexplore.lake.panels.root import root

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject

FILES, COLUMNS = 30, 10
"""Hits in one answer."""
LONGEST = 500
"""Characters that are looked for."""


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """A place, what it is called, and why it is here."""

    address: str
    label: str
    why: str


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """The hits, and whether some are left out."""

    hits: list[Hit]
    more: bool


def search(subject: Subject, query: str) -> Found:
    """Columns whose names have `query` in them, each at its largest chunk, then files whose paths have it."""
    wanted = query.strip().lower()[:LONGEST]
    if not wanted:
        return Found([], False)
    if not isinstance(subject, Lake):
        base = len(root(subject))
        paths = [one.path for one in subject.objects if wanted in one.path[base:].lower()]
        hits = [Hit(path, path[base:], "object") for path in paths[:FILES]]
        return Found(hits, len(paths) > FILES)
    text = literal(wanted, by_spark(subject))
    columns = largest(subject, Filters(), f"instr(lower(column_name), {text}) > 0")[: COLUMNS + 1]
    base = len(root(subject))
    files = ask(
        subject,
        f"SELECT path FROM files WHERE status <> 'vanished' AND instr(lower(substring(path, {base + 1})), {text}) > 0 "
        f"ORDER BY path LIMIT {FILES + 1}",
        Filters(),
    )
    hits = [Hit(at, name, "column, at its largest chunk") for name, at in columns[:COLUMNS]]
    hits += [Hit(row["path"], row["path"][base:], "file") for row in files[:FILES]]
    return Found(hits, len(columns) > COLUMNS or len(files) > FILES)
