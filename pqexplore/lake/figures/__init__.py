"""The charts of the lake explorer's panels, as plotly figures (`Answer.figure`).

Each panel that has one has a module here, named as the panel.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer, Theme
from pqexplore.insight.figures.style import Style, style_of
from pqexplore.insight.wording import listing
from pqexplore.lake.figures import columns, drift, fleet, health, overlap, query, skipping

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclasses.dataclass(frozen=True, slots=True)
class Charts:
    """What draws the answers of each lens, and why the others have no chart; `noun` is `lens` or `panel`."""

    noun: str
    by_name: Mapping[str, Callable[[Answer, Style], go.Figure]]
    without: Mapping[str, str]

    def draw(self, made: Answer, theme: Theme) -> go.Figure:
        """The chart of an answer. UsageError if its lens has none, if nothing is known, or for an unknown theme."""
        if made.lens not in self.by_name:
            have = listing(list(self.by_name), most=len(self.by_name))
            why = f": {self.without[made.lens]}" if made.lens in self.without else ""
            raise UsageError(f"the {self.noun} {made.lens} has no chart{why}; {have} have one")
        return self.by_name[made.lens](made, style_of(theme))


CHARTS = Charts(
    "panel",
    {
        "fleet": fleet.draw,
        "columns": columns.draw,
        "overlap": overlap.draw,
        "drift": drift.draw,
        "health": health.draw,
        "query": query.draw,
        "skipping": skipping.draw,
    },
    {
        "doctor": "it is a list of findings; `health` counts them by rule",
        "asked": "each of its questions has a table of its own",
        "objects": "its table has the values of the indexes",
    },
)
"""The charts of the panels, and why the others have none."""
