"""Horizontal bars, one for each row of an answer's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer, Bars
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go

AXES = {"bytes": style.BYTES, "count": style.COUNT, "share": style.SHARE, "difference": {"tickformat": "~s"}}
"""Plotly's options of an axis, by what is counted."""

MOST = 60
"""Max bars."""


def bars(made: Answer, shown: Bars, look: Style) -> go.Figure:
    """A bar for each of the first rows. UsageError if there is none."""
    import plotly.graph_objects as go

    value, beside = shown.value, shown.beside
    listed = style.rows_of(made)
    assert made.table is not None
    has = {column.name for column in made.table.columns}
    rows = [row for row in listed if _at(made, row, value) is not None][:MOST] if value in has else []
    if not rows:
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    texts = style.hovers(made.table, rows)
    places = list(range(len(rows)))
    shared = {"orientation": "h", "y": places, "hovertext": texts, "hoverinfo": "text"}
    figure = go.Figure()
    if beside is not None:
        pale = style.values(made.table, rows, beside[0])
        figure.add_bar(x=pale, name=beside[1], marker_color=look.pale, **shared)
    own = style.values(made.table, rows, value)
    figure.add_bar(x=own, name=shown.label or shown.title, marker_color=look.accent, **shared)
    figure.update_layout(barmode="overlay", showlegend=beside is not None)
    figure.update_xaxes(title_text=shown.title, **AXES[shown.axis])
    labels = style.values(made.table, rows, shown.name)
    if shown.kind:
        kinds = style.values(made.table, rows, shown.kind)
        labels = [of if one is None else f"{one}: {of}" for one, of in zip(labels, kinds, strict=True)]
    labels = [str(one).strip() for one in labels]
    figure.update_yaxes(**style.names(labels))
    room = 22 * len(rows)
    below = 36 if beside is not None else 0  # the legend, under the title of the axis
    style.dress(figure, made, look, 150 + room + below, style.part(made, len(rows)))
    figure.update_layout(legend_y=-52 / (room + 60), margin_b=40 + below)
    return figure


def _at(made: Answer, row: Any, name: str) -> Any:
    assert made.table is not None
    return style.values(made.table, [row], name)[0]
