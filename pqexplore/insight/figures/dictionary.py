"""The use of a dictionary: how many values point at each of its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each entry, the most used first."""
    return bars(
        made, look, name="value", value="uses", title="values that point at it", axis=style.COUNT
    )
