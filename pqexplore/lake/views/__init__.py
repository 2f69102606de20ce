"""Stored questions about a lake, each with the SQL query that answers it.

`VIEWS` has all views by name; each module here has the views of one subject. The SQL uses only what Spark and DuckDB
share, so both give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.lake.views import formats, health, sizes, skipping, states
from pqexplore.lake.views.view import View

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

__all__ = ["VIEWS", "View", "Views"]

VIEWS: dict[str, View] = {
    view.name: view
    for module in (sizes, skipping, formats, health, states)
    for view in module.VIEWS
}
"""Every view by name."""


class Views(Mapping[str, Any]):
    """The views of a lake by name: `lake.views["small_files"]`; `ask` takes parameters. `repr` lists the questions."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def __getitem__(self, name: str) -> Any:
        return self.ask(name)

    def ask(self, name: str, **parameters: int | float) -> Any:
        """Runs a view with parameters: `ask("small_files", target_bytes=1 << 30)`. KeyError for an unknown name."""
        if name not in VIEWS:
            raise KeyError(f"there is no view {name!r}; there are {', '.join(VIEWS)}")
        return self._lake.sql(VIEWS[name].sql(**parameters))

    def __iter__(self) -> Iterator[str]:
        return iter(VIEWS)

    def __len__(self) -> int:
        return len(VIEWS)

    def __repr__(self) -> str:
        return "\n".join(f"{view.name}: {view.question}" for view in VIEWS.values())
