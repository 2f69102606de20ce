"""Any view of the lake as an answer: its question is the sentence, its rows the table."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.answers.filters import Filters, ask
from pqexplore.lake.views import VIEWS

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 2_000


def asked(lake: Lake, filters: Filters, view: str) -> Answer:
    """The rows of a view over the files that the filters leave. UsageError where there is no such view."""
    if view not in VIEWS:
        raise UsageError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")
    rows = ask(lake, f"SELECT * FROM {view} LIMIT {LISTED + 1}", filters)
    names = list(rows[0]) if rows else []
    table = Table(
        [Column(name, name.replace("_", " "), _kind(name, rows)) for name in names],
        caption=view.replace("_", " "),
    )
    for row in rows[:LISTED]:
        path = next(
            (row[n] for n in ("path", "example", "first_path") if isinstance(row.get(n), str)), None
        )
        table.add(*(_plain(row[name]) for name in names), address=path)
    picture = {"view": view, "views": [[name, found.question] for name, found in VIEWS.items()]}
    empty = "" if rows else "No row: nothing of the kind is in these files."
    return Answer(
        VIEWS[view].question,
        picture=picture,
        table=table if rows else None,
        empty=empty,
        code=f"lake.views[{view!r}]",
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
    return value
