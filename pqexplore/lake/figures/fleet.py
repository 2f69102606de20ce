"""The files by size and number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A point for each file, on logarithmic axes; files without rows, or of unknown rows, have no point."""
    import plotly.graph_objects as go

    rows = style.rows_of(made)
    assert made.table is not None
    sizes, counts = (style.values(made.table, rows, name) for name in ("size", "num_rows"))
    figure = go.Figure()
    figure.add_scatter(
        x=counts,
        y=sizes,
        mode="markers",
        marker={"color": look.accent, "size": 7, "opacity": 0.6, "line": {"width": 0}},
        hovertext=style.hovers(made.table, rows),
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="rows of the file", type="log", tickformat="~s")
    figure.update_yaxes(title_text="bytes of the file", type="log", tickformat="~s", ticksuffix="B")
    return style.dress(figure, made, look, 460, style.part(made, len(rows)))
