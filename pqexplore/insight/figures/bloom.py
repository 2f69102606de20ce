"""The occupancy of a Bloom filter: how many of the 256 bits of each block are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each block; the full height is a block that lets every value through."""
    import plotly.graph_objects as go

    rows = style.rows_of(made)
    assert made.table is not None
    figure = go.Figure()
    figure.add_bar(
        x=list(range(len(rows))),
        y=style.values(made.table, rows, "bits_set"),
        marker={"color": look.accent, "line": {"width": 0}},
        hovertext=style.hovers(made.table, rows),
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="block of the filter", tickformat=",d", showgrid=False)
    figure.update_yaxes(title_text="bits set, of 256", range=[0, 256], dtick=64)
    figure.update_layout(bargap=0.05 if len(rows) < 200 else 0)
    return style.dress(figure, made, look, 320, style.part(made, len(rows)))
