"""What is wrong with the files, by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.insight.wording import plural
from pqexplore.lake.panels.health import Picture

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each rule: how many places it found."""
    import plotly.graph_objects as go

    if not isinstance(made.picture, Picture):
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    found = made.picture.bars
    figure = go.Figure()
    figure.add_bar(
        x=[bar.places for bar in found],
        y=list(range(len(found))),
        orientation="h",
        marker_color=[look.pale if bar.severity == "note" else look.odd for bar in found],
        hovertext=[style.plain(f"{plural(bar.places, 'place')} in {plural(bar.files, 'file')}") for bar in found],
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="places", **style.COUNT)
    figure.update_yaxes(**style.names([f"{bar.severity}: {bar.rule}" for bar in found]))
    return style.dress(figure, made, look, 150 + 22 * len(found))
