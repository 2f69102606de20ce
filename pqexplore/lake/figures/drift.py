"""The definition of each column in each schema of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.insight.wording import plural
from pqexplore.lake.panels.drift import Picture

if TYPE_CHECKING:
    import plotly.graph_objects as go

COLOURS = (style.SKY, style.ORANGE, style.PINK, style.GREEN, style.YELLOW, style.RED, style.BLUE)
"""Of the definitions of a column, the most frequent first; the last is that of all others."""


def draw(made: Answer, look: Style) -> go.Figure:
    """A matrix of the columns that differ and the schemas, from the oldest to the newest; all columns if none differs."""
    import plotly.graph_objects as go

    if not isinstance(made.picture, Picture):
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    picture = made.picture
    at = [i for i, cells in enumerate(picture.cells) if len(set(cells)) > 1]
    shown = at or list(range(len(picture.columns)))
    last = len(COLOURS) - 1
    step = 1 / len(COLOURS)
    scale = [[edge, c] for i, c in enumerate(COLOURS) for edge in (i * step, (i + 1) * step)]
    figure = go.Figure()
    figure.add_heatmap(
        z=[[None if c is None else min(c, last) for c in picture.cells[i]] for i in shown],
        zmin=-0.5,
        zmax=last + 0.5,
        colorscale=scale,
        showscale=False,
        xgap=2,
        ygap=2,
        hovertext=[[_text(picture, i, schema) for schema in range(len(picture.schemas))] for i in shown],
        hoverinfo="text",
    )
    files = [f"{plural(schema.files, 'file')}, since {schema.since[:10]}" for schema in picture.schemas]
    figure.update_xaxes(title_text="schemas, from the oldest", **style.names(files, reverse=False))
    figure.update_yaxes(**style.names([picture.columns[i] for i in shown]))
    return style.dress(figure, made, look, 220 + 22 * len(shown))


def _text(picture: Picture, column: int, schema: int) -> str:
    cell = picture.cells[column][schema]
    what = "not in these files" if cell is None else picture.definitions[column][cell]
    return style.plain(f"{picture.columns[column]}: {what}")
