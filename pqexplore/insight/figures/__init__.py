"""The charts of answers, as plotly figures for notebooks and dashboards of one's own (`Answer.figure`).

The record of a lens says how its answers are drawn: a bar for each row of the table (`bars`), or by a function of
`lens_charts`. A figure draws what the answer's table lists, so its numbers are the table's. plotly is imported when a
figure is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Bars, Theme
from pqexplore.insight.figures import lens_charts
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style, style_of

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, figure: str | tuple[Bars, ...], theme: Theme) -> go.Figure:
    """The chart of an answer: by the function of that name, or bars, the first whose names are a column of the table.

    UsageError if there is nothing to draw, or for an unknown theme.
    """
    look = style_of(theme)
    if isinstance(figure, str):
        function: Callable[[Answer, Style], go.Figure] = getattr(lens_charts, figure)
        return function(made, look)
    columns = () if made.table is None else [column.name for column in made.table.columns]
    return bars(made, next((one for one in figure if one.name in columns), figure[0]), look)
