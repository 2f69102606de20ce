"""The panels of the lake explorer: each answers one question about the files that pass the filters.

A panel queries the tables and views in SQL, with Spark or DuckDB. Only aggregates and a few thousand rows come back. A
row of an answer's table links to a file, or to a node in it: its address is `PATH#ADDRESS`.

Each panel is one module here with a record `PANEL` (`panel.Panel`). js/src/lake/NAME.ts draws its picture. To add a
panel, add these two files, a line below, and a line in js/src/lake/panels.ts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.answer_cache import Kept
from pqexplore.lake import figures
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import asked, columns, doctor, drift, fleet, health, objects, overlap, query, skipping, today
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.panels.panel import Panel

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Store

    Subject: TypeAlias = Lake | Store

LAKE: dict[str, Panel[Lake]] = {
    module.PANEL.name: module.PANEL for module in (today, doctor, fleet, columns, overlap, query, drift, health, asked)
}
STORE: dict[str, Panel[Store]] = {module.PANEL.name: module.PANEL for module in (objects, skipping)}
"""The panels of a lake and of a Metadatastore, by name, in the order of their tabs."""

_kept: Kept[Subject] = Kept()


def panels_of(subject: Subject) -> Mapping[str, Panel[Lake] | Panel[Store]]:
    """The panels of a lake or of a Metadatastore."""
    return LAKE if isinstance(subject, Lake) else STORE


def answer_of(subject: Subject, name: str, filters: str = "", typed: str = "", *, fresh: bool = False) -> Answer:
    """The Answer of a panel. The latest answers of a subject are cached until a refresh changes it, or one is asked for `fresh`.

    `filters` are JSON (see `Filters.parse`). Raises UsageError if there is no such panel, or the filters are invalid.
    """
    require(subject, name)
    run = subject.manifest.run_id if isinstance(subject, Lake) else ""  # a Store does not change
    key = run, name, filters, typed
    known = _kept.get(subject, key)
    if known is not None and not fresh:
        return known
    parsed = Filters.parse(filters)
    if isinstance(subject, Lake):
        answer = LAKE[name].answer(subject, parsed, typed)
    else:
        answer = STORE[name].answer(subject, parsed, typed)
    answer = dataclasses.replace(answer, lens=name, charts=figures.CHARTS)
    _kept.put(subject, key, answer)
    return answer


def require(subject: Subject, name: str) -> None:
    """Raise UsageError unless a lake or a Metadatastore has a panel of that name."""
    known = panels_of(subject)
    if name not in known:
        raise UsageError(f"there is no panel {name!r}; there are {', '.join(known)}")
