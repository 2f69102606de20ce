"""How many files a query for one value of a column reads: fewer where the files' ranges do not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Bars
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each column with bounds, those that skip best first."""
    title = "share of the files that a query for one value reads"
    figure = bars(made, Bars("column_name", "point_share", title, "share", kind="logical_type"), look)
    return figure.update_xaxes(range=[0, 1.02])
