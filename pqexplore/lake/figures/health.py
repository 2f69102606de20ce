"""What is wrong with the files, by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    import plotly.graph_objects as go


class _Bar(Protocol):
    severity: str
    rule: str
    places: int
    files: int


class _Barred(Protocol):
    bars: Sequence[_Bar]


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each rule: how many places it found."""
    import plotly.graph_objects as go

    if made.picture is None:
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    found = cast(_Barred, made.picture).bars
    figure = go.Figure()
    figure.add_bar(
        x=[bar.places for bar in found],
        y=list(range(len(found))),
        orientation="h",
        marker_color=[look.pale if bar.severity == "note" else look.odd for bar in found],
        hovertext=[
            style.plain(f"{plural(bar.places, 'place')} in {plural(bar.files, 'file')}")
            for bar in found
        ],
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="places", **style.COUNT)
    figure.update_yaxes(**style.names([f"{bar.severity}: {bar.rule}" for bar in found]))
    return style.dress(figure, made, look, 150 + 22 * len(found))
