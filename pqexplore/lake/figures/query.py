"""What a query reads of the files of a lake, stage by stage."""

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


class _Stage(Protocol):
    name: str
    files_in: int
    files_out: int
    row_groups_in: int
    row_groups_out: int


class _Staged(Protocol):
    stages: Sequence[_Stage]


def draw(made: Answer, look: Style) -> go.Figure:
    """For each stage, the files that it leaves of those that enter it. UsageError without a condition."""
    import plotly.graph_objects as go

    stages = [] if made.picture is None else cast(_Staged, made.picture).stages
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
