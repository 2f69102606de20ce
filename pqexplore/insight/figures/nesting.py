"""The levels of a page or of a column chunk: how many entries have each, and what the level means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each level."""
    return bars(made, look, name="means", value="entries", title="entries", axis=style.COUNT)
