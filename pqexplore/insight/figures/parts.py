"""A column part by part (pages, or row groups): sizes above, ranges below."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.ranges import placed, segments
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go

FEW = 16
"""Parts that each have their number on the axis."""

Panel = tuple[str, str, dict[str, Any], str]
"""Title, column of the table, axis, and the column of a second, pale bar; "" if there is none."""


def parts(made: Answer, look: Style, panels: Sequence[Panel], *, title: str, odd: int | None = None) -> go.Figure:
    """A panel of bars for each of `panels`, and one of ranges if there are some; `odd` is the part that stands out."""
    from plotly.subplots import make_subplots

    rows = style.rows_of(made)
    assert made.table is not None
    table = made.table
    texts = style.hovers(table, rows)
    lows, highs = (style.values(table, rows, name) for name in ("min", "max"))
    pairs, axis = placed(list(zip(lows, highs, strict=True)), "minimum to maximum")
    ranged = any(pairs)
    count = len(panels) + ranged
    figure = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    colours = [look.odd if at == odd else look.accent for at in range(len(rows))]
    shapes = ["/" if at == odd else "" for at in range(len(rows))]
    places = list(range(len(rows)))
    for row, (label, column, scale, beside) in enumerate(panels, 1):
        shared = {"x": places, "hovertext": texts, "hoverinfo": "text", "row": row, "col": 1}
        if beside:
            pale = style.values(table, rows, beside)
            figure.add_bar(y=pale, name=f"{label}: {beside}", marker_color=look.pale, **shared)
        own = style.values(table, rows, column)
        marker = {"color": colours, "pattern": {"shape": shapes}, "line": {"width": 0}}
        figure.add_bar(y=own, name=label, marker=marker, **shared)
        figure.update_yaxes(title_text=label, row=row, col=1, **scale)
    if ranged:
        lines = segments(pairs, texts)
        figure.add_scatter(
            x=lines["part"],
            y=lines["value"],
            mode="lines+markers",
            name="range",
            line={"color": look.accent, "width": 4 if len(rows) <= 100 else 1},
            marker={"color": look.accent, "size": 5 if len(rows) <= 100 else 2},
            hovertext=lines["text"],
            hoverinfo="text",
            row=count,
            col=1,
        )
        axis["title_text"] = "<br>".join(textwrap.wrap(axis["title_text"], 24))
        figure.update_yaxes(row=count, col=1, **axis)
    few = {"tickvals": places} if len(rows) <= FEW else {}
    end = len(rows) - 0.4
    figure.update_xaxes(tickformat=",d", showgrid=False, zeroline=False, range=[-0.6, end], **few)
    figure.update_xaxes(title_text=title, row=count, col=1)
    figure.update_layout(barmode="overlay", showlegend=False)
    style.dress(figure, made, look, 120 + 170 * count, style.part(made, len(rows)))
    return figure.update_layout(bargap=0.6 if len(rows) <= FEW // 2 else 0.2)
