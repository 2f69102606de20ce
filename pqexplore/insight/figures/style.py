"""The look of every chart: fonts, colours of Okabe and Ito, thin lines, units on the axes, for light and dark pages.

plotly reads HTML, `$…$` and `%{…}` in its texts. A text of a file is only text: it goes through `plain`.
"""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip, printable
from pqexplore.insight.answer import Answer, Column, Table, Theme
from pqexplore.insight.wording import percent, size

if TYPE_CHECKING:
    import plotly.graph_objects as go

LISTED = 2_000
"""Max rows of a table that are drawn."""

NAMED = 40
"""Max names on an axis."""

LABEL = 60
"""Max characters of a name on an axis, and of a value in a hover text."""

LINE = 110
"""Max characters of a line of the title."""

BLUE, ORANGE, GREEN, PINK, SKY, YELLOW, RED = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#D55E00",
)
"""The colours of Okabe and Ito, which people with any colour vision can tell apart."""

TEXT, SMALL = 13, 11
"""The sizes of type, those of the explorer: of sentences and names, and of notes."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

BYTES: dict[str, Any] = {"tickformat": "~s", "ticksuffix": "B", "rangemode": "tozero"}
"""An axis of bytes."""

COUNT: dict[str, Any] = {"tickformat": ",", "rangemode": "tozero"}
"""An axis of numbers of things."""

SHARE: dict[str, Any] = {"tickformat": ".0%", "rangemode": "tozero"}
"""An axis of shares of 1."""


MUTED, THIN, PALE, GROUP = 0.66, 0.16, 0.3, 0.11
"""How much ink, or accent, is in a quiet text, a thin line, what an amount is compared with, and the ground of a group.

The explorer mixes its colours by the same shares (js/src/base.css), with the ink and the paper of the page around it.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Style:
    """The colours of a page: `accent` for what the chart is about, `pale` for what it is compared with, `odd` for what stands out."""

    ink: str
    paper: str
    accent: str = BLUE
    odd: str = RED

    @property
    def muted(self) -> str:
        """Quiet texts."""
        return mixed(self.ink, self.paper, MUTED)

    @property
    def grid(self) -> str:
        """Thin lines."""
        return mixed(self.ink, self.paper, THIN)

    @property
    def group(self) -> str:
        """The ground of what only groups others."""
        return mixed(self.ink, self.paper, GROUP)

    @property
    def pale(self) -> str:
        """What the accent is compared with."""
        return mixed(self.accent, self.paper, PALE)


def mixed(colour: str, other: str, share: float) -> str:
    """Two colours mixed as `color-mix(in srgb, …)` of CSS does; `share` is that of the first one."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(share * a + (1 - share) * b) for a, b in pairs).hex()


STYLES: dict[Theme, Style] = {"light": Style("#1b1f24", "#ffffff"), "dark": Style("#e6e8eb", "#14171a")}


def style_of(theme: Theme) -> Style:
    """The colours of a theme. UsageError for an unknown one."""
    if theme not in STYLES:
        raise UsageError(f"there is no theme {theme!r}; there are {' and '.join(STYLES)}")
    return STYLES[theme]


def plain(text: str) -> str:
    """A text that plotly shows as it is, invisible characters as escapes."""
    return re.sub(r"[&<>$]|%(?=\{)", lambda found: f"&#{ord(found[0])};", printable(text))


def hovers(table: Table, rows: Iterable[Sequence[Any]]) -> list[str]:
    """The hover text of each row of a table: its values with the titles of their columns."""
    return [
        "<br>".join(
            f"{plain(column.title)}: {plain(_shown(column, value))}"
            for column, value in zip(table.columns, row, strict=True)
            if value is not None
        )
        for row in rows
    ]


def _shown(column: Column, value: Any) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if column.kind == "bytes" and number:
        return f"{size(value)} ({value:,} bytes)"
    if column.kind == "share" and number:
        return percent(value)
    if column.kind == "number" and number:
        return f"{value:,}"
    return clip(str(value), LABEL)


def names(texts: Sequence[str], *, reverse: bool = True) -> dict[str, Any]:
    """An axis of names, whole up to 60 characters; of many names, each n-th. The first one is at the top."""
    step = max(1, -(-len(texts) // NAMED))
    at = list(range(0, len(texts), step))
    turned: dict[str, Any] = {"autorange": "reversed"} if reverse else {}
    return {
        "tickvals": at,
        "ticktext": [plain(clip(texts[i], LABEL)) for i in at],
        "showgrid": False,
        "zeroline": False,
        **turned,
    }


def rows_of(made: Answer) -> Sequence[Sequence[Any]]:
    """The rows of an answer's table that are drawn. UsageError if there are none."""
    if made.table is None or not len(made.table.rows):
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    return made.table.rows[:LISTED]


def values(table: Table, rows: Sequence[Sequence[Any]], name: str) -> list[Any]:
    """The values of a column in these rows."""
    at = [column.name for column in table.columns].index(name)
    return [row[at] for row in rows]


def dress(figure: go.Figure, made: Answer, style: Style, height: int, shown: str = "") -> go.Figure:
    """The figure with the sentence of its answer as title, and in the style; `shown` says which part is drawn."""
    lines = textwrap.wrap(" ".join(filter(None, (made.sentence, shown))), LINE) or [""]
    axis = {
        "gridcolor": style.grid,
        "linecolor": style.grid,
        "zerolinecolor": style.grid,
        "gridwidth": 1,
        "automargin": True,
        "title": {"font": {"size": SMALL, "color": style.muted}},
        "tickfont": {"size": SMALL, "color": style.muted},
    }
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.add_annotation(  # a title of plotly with several lines is cut
        text="<br>".join(map(plain, lines)),
        font={"size": TEXT},
        align="left",
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=10,
        showarrow=False,
    )
    figure.update_layout(
        template="none",
        font={"family": FONT, "size": TEXT, "color": style.ink},
        paper_bgcolor=style.paper,
        plot_bgcolor=style.paper,
        hoverlabel={
            "bgcolor": style.paper,
            "bordercolor": style.muted,
            "font": {"family": FONT, "size": TEXT, "color": style.ink},
            "align": "left",
        },
        legend={"orientation": "h", "x": 0, "y": -0.12, "yanchor": "top", "font": {"size": SMALL}},
        margin={"l": 24, "r": 24, "t": 34 + 19 * len(lines), "b": 40},
        height=height,
        bargap=0.25,
    )
    return figure


def part(made: Answer, drawn: int) -> str:
    """Which rows are drawn, as a sentence; "" for all."""
    total = made.table.total if made.table is not None else drawn
    return f"The first {drawn:,} of {total:,} are drawn." if drawn < total else ""
