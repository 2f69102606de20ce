"""The ranges of a column's row groups and pages: where they overlap, no query can skip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.ranges import placed, segments
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A line for each part, dotted in another colour if a query may not skip by its bounds."""
    import plotly.graph_objects as go

    rows = style.rows_of(made)
    assert made.table is not None
    texts = style.hovers(made.table, rows)
    lows, highs, usable, parts = (style.values(made.table, rows, name) for name in ("min", "max", "trusted", "part"))
    pairs, axis = placed(list(zip(lows, highs, strict=True)), "minimum to maximum")
    figure = go.Figure()
    for label, wanted, colour, dash in (
        ("usable to skip by", True, look.accent, "solid"),
        ("not usable", False, look.odd, "dot"),
    ):
        chosen = [
            pair if (trusted is not False) is wanted else None for pair, trusted in zip(pairs, usable, strict=True)
        ]
        if not any(chosen):
            continue
        lines = segments(chosen, texts)
        figure.add_scatter(
            x=lines["value"],
            y=lines["part"],
            mode="lines+markers",
            name=label,
            line={"color": colour, "width": 5 if len(rows) <= style.NAMED else 1.5, "dash": dash},
            marker={"color": colour, "size": 6 if len(rows) <= style.NAMED else 2},
            hovertext=lines["text"],
            hoverinfo="text",
        )
    figure.update_xaxes(**axis)
    figure.update_yaxes(**style.names(list(map(str, parts))))
    height = 160 + 20 * min(len(rows), style.NAMED)
    figure.update_layout(showlegend=len(figure.data) > 1)
    return style.dress(figure, made, look, height, style.part(made, len(rows)))
