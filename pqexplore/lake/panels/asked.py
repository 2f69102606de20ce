"""Shows any view of the lake as an answer: its question is the sentence, its rows are the table."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import listing
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.views import VIEWS

LISTED = 2_000
NAMED = 4
"""Max values of a list that a cell names."""


FIRST = "small_files"
"""The view that is shown first."""


@dataclasses.dataclass(slots=True)
class View:
    """A view and the question that it answers."""

    name: str
    question: str


@dataclasses.dataclass(slots=True)
class Picture:
    """The selected view, and all views."""

    view: str
    views: list[View]


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """The rows of the view `typed` for the files that pass the filters. UsageError if there is no such view."""
    view = typed or FIRST
    if view not in VIEWS:
        raise UsageError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")
    rows = ask(lake, f"SELECT * FROM {view} LIMIT {LISTED + 1}", filters)
    names = list(rows[0]) if rows else []
    table = Table(
        [Column(name, name.replace("_", " "), _kind(name, rows)) for name in names],
        caption=f"{view.replace('_', ' ')}, answered by {lake.views.engine}",
    )
    for row in rows[:LISTED]:
        path = next((row[n] for n in ("path", "example", "first_path") if isinstance(row.get(n), str)), None)
        table.add(*(_plain(row[name]) for name in names), address=path)
    picture = Picture(view, [View(name, stored.question) for name, stored in VIEWS.items()])
    empty = "" if rows else "No rows: these files have nothing of this kind."
    return Answer(
        VIEWS[view].question, picture=picture, table=table if rows else None, empty=empty, code=f"lake.views[{view!r}]"
    )


def _kind(name: str, rows: list[dict[str, Any]]) -> str:
    first = next((row[name] for row in rows if row[name] is not None), None)
    if isinstance(first, bool):
        return "flag"
    if name == "share" or name.endswith("_share"):
        return "share"
    return "number" if isinstance(first, (int, float, decimal.Decimal)) else "text"


def _plain(value: Any) -> Any:
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return listing(value, most=NAMED) if isinstance(value, list) else value


PANEL = Panel("asked", "More questions", answer, picture=Picture)
