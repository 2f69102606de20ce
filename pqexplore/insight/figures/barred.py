"""The lenses whose chart is a bar for each row of their table: which columns name the rows and which they draw."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """The arguments of `bars` for the table of one lens."""

    name: str
    value: str
    title: str
    axis: dict[str, Any]
    beside: tuple[str, str] | None = None
    label: str = ""
    kind: str = ""

    def draw(self, made: Answer, look: Style) -> go.Figure:
        """A bar for each row."""
        return bars(
            made,
            look,
            name=self.name,
            value=self.value,
            title=self.title,
            axis=self.axis,
            beside=self.beside,
            label=self.label,
            kind=self.kind,
        )


PARTS = Bars("part", "size", "bytes in the file", style.BYTES)

ENCODINGS = Bars("encoding", "bytes", "bytes of the column's pages", style.BYTES, kind="codec")

CHOICES = Bars(
    "column",
    "bytes",
    "bytes in the file",
    style.BYTES,
    beside=("without", "without the change"),
    label="with it",
    kind="choice",
)


def what_if(made: Answer, look: Style) -> go.Figure:
    """The size of each choice: of one column its encodings and codecs, of a file the best choice of each column."""
    whole = made.table is not None and made.table.columns[0].name == CHOICES.name
    return (CHOICES if whole else ENCODINGS).draw(made, look)


DRAWN: dict[str, Callable[[Answer, Style], go.Figure]] = {
    "layout": PARTS.draw,
    "contents": PARTS.draw,
    "row_group": Bars(
        "column",
        "compressed",
        "bytes of the column chunk",
        style.BYTES,
        beside=("uncompressed", "before compression"),
        label="in the file",
    ).draw,
    "query": Bars(
        "row_group",
        "rows",
        "rows",
        style.COUNT,
        beside=("num_rows", "in the row group"),
        label="read",
    ).draw,
    "what_if": what_if,
    "thrift": Bars("field", "bytes", "bytes of the field", style.BYTES).draw,
    "encoding": Bars("step", "bytes", "bytes of the step", style.BYTES, kind="kind").draw,
    "dictionary": Bars("value", "uses", "values that point at it", style.COUNT).draw,
    "nesting": Bars("means", "entries", "entries", style.COUNT).draw,
    "variant": Bars(
        "path", "fits", "share of the values that fit the typed column", style.SHARE
    ).draw,
    "encryption": Bars("module", "size", "bytes in the file", style.BYTES).draw,
    "diff": Bars(
        "sentence", "bytes", "bytes that the second file has more", {"tickformat": "~s"}
    ).draw,
}
"""By lens: what draws its answers."""
