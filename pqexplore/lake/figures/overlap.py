"""How many files a query for one value of a column reads: fewer where the files' ranges do not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each column with bounds, those that skip best first."""
    title = "share of the files that a query for one value reads"
    axis = style.SHARE | {"range": [0, 1.02]}
    return bars(made, look, name="column_name", kind="logical_type", value="point_share", title=title, axis=axis)
