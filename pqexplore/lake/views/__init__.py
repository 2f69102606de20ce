"""Answers: each is a question and the query that answers it, over the tables of a lake.

`VIEWS` has all of them by name; the modules beside are by subject. The SQL is what Spark and DuckDB both take, so an
answer is the same whoever gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.lake.views import formats, health, sizes, skipping
from pqexplore.lake.views.view import View

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

__all__ = ["VIEWS", "View", "Views"]

VIEWS: dict[str, View] = {
    view.name: view for room in (sizes, skipping, formats, health) for view in room.VIEWS
}
"""Every view by name."""


class Views(Mapping[str, Any]):
    """Answers by name: `lake.views["small_files"]`; `ask` takes parameters, and `VIEWS` says what each answers."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def __getitem__(self, name: str) -> Any:
        return self.ask(name)

    def ask(self, name: str, **parameters: int | float) -> Any:
        """The rows of a view, with parameters other than its defaults: `ask("small_files", target_bytes=1 << 30)`."""
        if name not in VIEWS:
            raise KeyError(f"{name!r} is none of the views {', '.join(VIEWS)}")
        return self._lake.sql(VIEWS[name].sql(**parameters))

    def __iter__(self) -> Iterator[str]:
        return iter(VIEWS)

    def __len__(self) -> int:
        return len(VIEWS)

    def __repr__(self) -> str:
        return "\n".join(f"{view.name}: {view.question}" for view in VIEWS.values())
