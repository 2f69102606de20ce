"""What the view of a lake asks for: a panel's answer, more of its table, what its picture needs later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.panels import answer_of, panels_of
from pqexplore.lake.panels.about import about
from pqexplore.widget import sheet

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject


def panel(subject: Subject, panel: str, filters: str = "", typed: str = "") -> dict[str, Any]:
    """What a panel shows."""
    made = answer_of(subject, panel, filters, typed)
    return {
        "answer": made.sentence,
        "empty": made.empty,
        "picture": made.picture,
        "table": None if made.table is None else sheet.first(made.table),
        "code": made.code,
    }


def table(subject: Subject, lens: str, address: str, start: int, typed: str = "") -> dict[str, Any]:
    """More rows of the table of the panel `lens`; `address` are the filters."""
    made = answer_of(subject, lens, address, typed)
    if made.table is None:
        raise UsageError(f"the panel {lens} has no table")
    return sheet.part(made.table, start)


def operations(subject: Subject) -> dict[str, Callable[..., object]]:
    """The requests that the view of a lake or of a Metadatastore makes, by name."""
    found: dict[str, Callable[..., object]] = {
        "about": about,
        "panel": panel,
        "table": table,
    }
    for one in panels_of(subject).values():
        found |= one.operations
    return found
