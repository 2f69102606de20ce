"""The charts of the lake explorer's panels, as plotly figures (`Answer.figure`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip
from pqexplore.insight.answer import Answer, Bars, Theme
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style, style_of
from pqexplore.insight.wording import listing, plural
from pqexplore.lake.panels import drift, health, query_picture, skipping

if TYPE_CHECKING:
    import plotly.graph_objects as go


def _fleet(made: Answer, look: Style) -> go.Figure:
    """A point for each file, on logarithmic axes; files without rows, or of unknown rows, have no point."""
    rows = style.rows_of(made)
    assert made.table is not None
    sizes, counts = (style.values(made.table, rows, name) for name in ("size", "num_rows"))
    figure = _empty()
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


def _columns(made: Answer, look: Style) -> go.Figure:
    """Bytes in the files, and before compression."""
    beside = ("uncompressed_bytes", "before compression")
    title = "bytes of the column's chunks"
    return bars(made, Bars("column_name", "compressed_bytes", title, "bytes", beside, "in the files"), look)


def _overlap(made: Answer, look: Style) -> go.Figure:
    """A bar for each column with bounds, those that skip best first."""
    title = "share of the files that a query for one value reads"
    figure = bars(made, Bars("column_name", "point_share", title, "share", kind="logical_type"), look)
    return figure.update_xaxes(range=[0, 1.02])


def _drift(made: Answer, look: Style) -> go.Figure:
    """A bar for each schema: its files; what differs from the most common schema of its table is in the text beside it."""
    if not isinstance(made.picture, drift.Picture):
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    found = made.picture.schemas
    figure = _empty()
    figure.add_bar(
        x=[schema.files for schema in found],
        y=list(range(len(found))),
        orientation="h",
        marker_color=[look.odd if schema.changes else look.accent for schema in found],
        hovertext=[
            style.plain(f"{plural(schema.files, 'file')} of {schema.of:,}, {schema.dates}: {drift.words(schema)}")
            for schema in found
        ],
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="files", **style.COUNT)
    figure.update_yaxes(**style.names([clip(drift.words(schema), 60) for schema in found]))
    return style.dress(figure, made, look, 150 + 22 * len(found))


def _health(made: Answer, look: Style) -> go.Figure:
    """A bar for each rule: how many places it found."""
    if not isinstance(made.picture, health.Picture):
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    found = made.picture.bars
    figure = _empty()
    figure.add_bar(
        x=[bar.places for bar in found],
        y=list(range(len(found))),
        orientation="h",
        marker_color=[look.pale if bar.severity == "note" else look.odd for bar in found],
        hovertext=[style.plain(f"{plural(bar.places, 'place')} in {plural(bar.files, 'file')}") for bar in found],
        hoverinfo="text",
    )
    figure.update_xaxes(title_text="places", **style.COUNT)
    figure.update_yaxes(**style.names([f"{bar.severity}: {bar.rule}" for bar in found]))
    return style.dress(figure, made, look, 150 + 22 * len(found))


def _query(made: Answer, look: Style) -> go.Figure:
    """For each stage, the files that it leaves of those that enter it. UsageError without a condition."""
    stages = made.picture.stages if isinstance(made.picture, query_picture.Picture) else []
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
    figure = _empty()
    before, after = [one.files_in for one in stages], [one.files_out for one in stages]
    figure.add_bar(x=before, name="before the stage", marker_color=look.pale, **shared)
    figure.add_bar(x=after, name="after it", marker_color=look.accent, **shared)
    figure.update_layout(barmode="overlay", showlegend=True)
    figure.update_xaxes(title_text="files", **style.COUNT)
    figure.update_yaxes(**style.names([one.name for one in stages]))
    return style.dress(figure, made, look, 160 + 26 * len(stages))


VERDICTS = ("kept: read", "skipped by an index", "pruned by the partition")


def _skipping(made: Answer, look: Style) -> go.Figure:
    """A bar for each verdict. UsageError without a condition."""
    counts = made.picture.counts if isinstance(made.picture, skipping.Picture) else []
    if not counts:
        raise UsageError(f"there is nothing to draw: {made.sentence}")
    figure = _empty()
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


def _empty() -> go.Figure:
    import plotly.graph_objects as go

    return go.Figure()


@dataclasses.dataclass(frozen=True, slots=True)
class Charts:
    """What draws the answers of each lens, and why the others have no chart; `noun` is `lens` or `panel`."""

    noun: str
    by_name: Mapping[str, Callable[[Answer, Style], go.Figure]]
    without: Mapping[str, str]

    def draw(self, made: Answer, theme: Theme) -> go.Figure:
        """The chart of an answer. UsageError if its lens has none, if nothing is known, or for an unknown theme."""
        if made.lens not in self.by_name:
            have = listing(list(self.by_name), most=len(self.by_name))
            why = f": {self.without[made.lens]}" if made.lens in self.without else ""
            raise UsageError(f"the {self.noun} {made.lens} has no chart{why}; {have} have one")
        return self.by_name[made.lens](made, style_of(theme))


CHARTS = Charts(
    "panel",
    {
        "fleet": _fleet,
        "columns": _columns,
        "overlap": _overlap,
        "drift": _drift,
        "health": _health,
        "query": _query,
        "skipping": _skipping,
    },
    {
        "today": "it is a list of consequences; `fleet` draws the files",
        "doctor": "it is a list of findings; `health` counts them by rule",
        "asked": "each of its questions has a table of its own",
        "objects": "its table has the values of the indexes",
    },
)
"""The charts of the panels, and why the others have none."""
