"""The panels of the lake explorer: a question about all files each; js/src/lake has their pictures, by the same name.

A panel answers for a lake, or for a Metadatastore, over the files that the filters leave.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.lake.answers import asked, columns, drift, fleet, health, indexed, overlap
from pqexplore.lake.answers.filters import Filters
from pqexplore.widget import charts, sheet

KEPT = 16
"""Answers that are kept, for the parts of their tables that are asked for later."""


@dataclasses.dataclass(frozen=True)
class Panel:
    """A question: its title, and what answers it from the subject, the filters and what was typed."""

    title: str
    answer: Callable[[Any, Filters, str], Answer]


LAKE: dict[str, Panel] = {
    "fleet": Panel("Files", lambda lake, filters, typed: fleet.fleet(lake, filters)),
    "columns": Panel("Columns", lambda lake, filters, typed: columns.columns(lake, filters)),
    "overlap": Panel("Overlap", lambda lake, filters, typed: overlap.overlap(lake, filters)),
    "drift": Panel("Schema drift", lambda lake, filters, typed: drift.drift(lake, filters)),
    "health": Panel("Findings", lambda lake, filters, typed: health.health(lake, filters)),
    "asked": Panel(
        "More questions",
        lambda lake, filters, typed: asked.asked(lake, filters, typed or "small_files"),
    ),
}

STORE: dict[str, Panel] = {
    "objects": Panel("Objects and indexes", lambda store, filters, typed: indexed.objects(store)),
    "skipping": Panel("What a query skips", lambda store, filters, typed: _skipping(store, typed)),
}


def _skipping(store: Any, typed: str) -> Answer:
    mode, _, condition = typed.partition(":")
    if not condition.strip():
        return Answer(
            "Type a condition, and see which objects it leaves out.",
            picture={
                "condition": "",
                "mode": mode or "sound",
                "counts": [],
                "verdicts": [],
                "may_lose": [],
            },
        )
    return indexed.skipping(store, condition, mode)


class Desk:
    """The operations that the panels of one explorer ask for. `subject` is a Lake or a Store."""

    def __init__(self, subject: Any, panels: dict[str, Panel]) -> None:
        self.subject = subject
        self.panels = panels
        self._answers: OrderedDict[tuple[str, str, str], Answer] = OrderedDict()
        self._lock = threading.Lock()
        self.operations: dict[str, Any] = {
            "panel": self.panel,
            "table": self.table,
            "ranges": self.ranges,
            "plotly": charts.plotly,
        }

    def answer(self, panel: str, filters: str = "", typed: str = "") -> Answer:
        """The Answer of a panel. UsageError where there is no such panel."""
        if panel not in self.panels:
            raise UsageError(f"there is no panel {panel!r}; there are {', '.join(self.panels)}")
        key = panel, filters, typed
        with self._lock:
            known = self._answers.get(key)
        if known is None:
            known = self.panels[panel].answer(self.subject, Filters.parse(filters), typed)
            with self._lock:
                self._answers[key] = known
                while len(self._answers) > KEPT:
                    self._answers.popitem(last=False)
        return known

    def panel(self, subject: Any, panel: str, filters: str = "", typed: str = "") -> dict[str, Any]:
        """What a panel shows."""
        made = self.answer(panel, filters, typed)
        return {
            "answer": made.sentence,
            "empty": made.empty,
            "picture": made.picture,
            "table": None if made.table is None else sheet.first(made.table),
            "code": made.code,
        }

    def table(
        self, subject: Any, lens: str, address: str, start: int, typed: str = ""
    ) -> dict[str, Any]:
        """More rows of a panel's table; `address` are the filters."""
        made = self.answer(lens, address, typed)
        if made.table is None:
            raise UsageError(f"the panel {lens} has no table")
        return sheet.part(made.table, start)

    def ranges(self, subject: Any, column: str, type: str, filters: str = "") -> dict[str, Any]:
        """Where the files of a column lie on the scale of their bounds."""
        return overlap.ranges(self.subject, Filters.parse(filters), column, type)
