"""Which panels have nothing to show, and why: the view mutes their tabs. One query of the tables, which opens no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import columns, drift, health, overlap
from pqexplore.lake.panels.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject


def empty(subject: Subject, filters: str = "") -> dict[str, str]:
    """The reasons by panel, for the files that pass the filters (JSON). Panels with something to show are left out."""
    if not isinstance(subject, Lake):
        return {}
    chosen = Filters.parse(filters)
    [found] = ask(subject, _COUNTS, chosen)
    some = {
        columns.PANEL.name: columns.nothing(chosen) if not found["chunks"] else "",
        overlap.PANEL.name: overlap.NONE if found["with_chunks"] < 2 else "",
        drift.PANEL.name: _alike(found["readable"], chosen) if found["schemas"] < 2 else "",
        health.PANEL.name: health.NONE if not found["wrong"] else "",
    }
    return {name: why for name, why in some.items() if why}


def _alike(readable: int, chosen: Filters) -> str:
    return drift.same(readable) if readable else columns.nothing(chosen)


_COUNTS = """
SELECT (SELECT count(*) FROM column_chunks) AS chunks,
       (SELECT count(DISTINCT path) FROM column_chunks) AS with_chunks,
       (SELECT count(*) FROM files WHERE status = 'ok') AS readable,
       (SELECT count(DISTINCT schema_id) FROM files WHERE status = 'ok') AS schemas,
       (SELECT count(*) FROM files WHERE status = 'error') + (SELECT count(*) FROM findings)
       + (SELECT count(*) FROM tables WHERE status = 'error') AS wrong
"""
