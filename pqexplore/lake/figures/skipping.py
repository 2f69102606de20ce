"""What a condition reads of a store's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.lake.panels.skipping import Picture

if TYPE_CHECKING:
    import plotly.graph_objects as go

VERDICTS = ("kept: read", "skipped by an index", "pruned by the partition")


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each verdict. UsageError without a condition."""
    import plotly.graph_objects as go

    counts = made.picture.counts if isinstance(made.picture, Picture) else []
    if not counts:
        raise UsageError(f"there is nothing to draw: {made.sentence}")
    figure = go.Figure()
    figure.add_bar(
        x=list(counts),
        y=list(range(len(counts))),
        orientation="h",
        marker_color=[look.odd, look.accent, look.accent],
        text=[f"{count:,}" for count in counts],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="none",
    )
    figure.update_xaxes(title_text="objects", **style.COUNT)
    figure.update_yaxes(**style.names(VERDICTS))
    return style.dress(figure, made, look, 240)
