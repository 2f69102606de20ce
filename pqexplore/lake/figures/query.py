"""What a query reads of the files of a lake, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.insight.wording import plural
from pqexplore.lake.panels.query_picture import Picture

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """For each stage, the files that it leaves of those that enter it. UsageError without a condition."""
    import plotly.graph_objects as go

    stages = made.picture.stages if isinstance(made.picture, Picture) else []
    if not stages:
        raise UsageError(f"there is nothing to draw: {made.sentence}")
    texts = [
        style.plain(
            f"{one.files_out:,} of {plural(one.files_in, 'file')}, "
            f"{one.row_groups_out:,} of {plural(one.row_groups_in, 'row group')}"
        )
        for one in stages
    ]
    places = list(range(len(stages)))
    shared = {"orientation": "h", "y": places, "hovertext": texts, "hoverinfo": "text"}
    figure = go.Figure()
    before, after = [one.files_in for one in stages], [one.files_out for one in stages]
    figure.add_bar(x=before, name="before the stage", marker_color=look.pale, **shared)
    figure.add_bar(x=after, name="after it", marker_color=look.accent, **shared)
    figure.update_layout(barmode="overlay", showlegend=True)
    figure.update_xaxes(title_text="files", **style.COUNT)
    figure.update_yaxes(**style.names([one.name for one in stages]))
    return style.dress(figure, made, look, 160 + 26 * len(stages))
