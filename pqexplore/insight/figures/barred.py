"""The lenses whose chart is a bar for each row of their table: which columns name the rows and which they draw."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go

PARTS = partial(bars, name="part", value="size", title="bytes in the file", axis=style.BYTES)

ENCODINGS = partial(
    bars, name="encoding", value="bytes", title="bytes of the column's pages", axis=style.BYTES, kind="codec"
)

CHOICES = partial(
    bars,
    name="column",
    value="bytes",
    title="bytes in the file",
    axis=style.BYTES,
    beside=("without", "without the change"),
    label="with it",
    kind="choice",
)


def what_if(made: Answer, look: Style) -> go.Figure:
    """The size of each choice: of one column its encodings and codecs, of a file the best choice of each column."""
    whole = made.table is not None and made.table.columns[0].name == "column"
    return (CHOICES if whole else ENCODINGS)(made, look)


DRAWN: dict[str, Callable[[Answer, Style], go.Figure]] = {
    "layout": PARTS,
    "contents": PARTS,
    "row_group": partial(
        bars,
        name="column",
        value="compressed",
        title="bytes of the column chunk",
        axis=style.BYTES,
        beside=("uncompressed", "before compression"),
        label="in the file",
    ),
    "query": partial(
        bars,
        name="row_group",
        value="rows",
        title="rows",
        axis=style.COUNT,
        beside=("num_rows", "in the row group"),
        label="read",
    ),
    "what_if": what_if,
    "thrift": partial(bars, name="field", value="bytes", title="bytes of the field", axis=style.BYTES),
    "encoding": partial(bars, name="step", value="bytes", title="bytes of the step", axis=style.BYTES, kind="kind"),
    "dictionary": partial(bars, name="value", value="uses", title="values that point at it", axis=style.COUNT),
    "nesting": partial(bars, name="means", value="entries", title="entries", axis=style.COUNT),
    "variant": partial(
        bars, name="path", value="fits", title="share of the values that fit the typed column", axis=style.SHARE
    ),
    "encryption": partial(bars, name="module", value="size", title="bytes in the file", axis=style.BYTES),
    "diff": partial(
        bars, name="sentence", value="bytes", title="bytes that the second file has more", axis={"tickformat": "~s"}
    ),
}
"""By lens: what draws its answers."""
