"""The charts of a family of answers, by the name of the lens or panel."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer, Theme
from pqexplore.insight.figures.style import Style, style_of
from pqexplore.insight.wording import listing

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
