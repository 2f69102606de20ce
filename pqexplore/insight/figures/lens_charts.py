"""A column part by part (pages, or row groups): sizes above, ranges below."""

from __future__ import annotations

import datetime
import decimal
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import LABEL, Style, plain
from pqexplore.insight.lenses.overview_icicle import Tile

if TYPE_CHECKING:
    import plotly.graph_objects as go


FEW = 16
"""Parts that each have their number on the axis."""

Panel = tuple[str, str, dict[str, Any], str]
"""Title, column of the table, axis, and the column of a second, pale bar; "" if there is none."""


def drawn_parts(made: Answer, look: Style, panels: Sequence[Panel], *, title: str, odd: int | None = None) -> go.Figure:
    """A panel of bars for each of `panels`, and one of ranges if there are some; `odd` is the part that stands out."""
    from plotly.subplots import make_subplots

    rows = style.rows_of(made)
    assert made.table is not None
    table = made.table
    texts = style.hovers(table, rows)
    lows, highs = (style.values(table, rows, name) for name in ("min", "max"))
    pairs, axis = placed(list(zip(lows, highs, strict=True)), "minimum to maximum")
    ranged = any(pairs)
    count = len(panels) + ranged
    figure = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    colours = [look.odd if at == odd else look.accent for at in range(len(rows))]
    shapes = ["/" if at == odd else "" for at in range(len(rows))]
    places = list(range(len(rows)))
    for row, (label, column, scale, beside) in enumerate(panels, 1):
        shared = {"x": places, "hovertext": texts, "hoverinfo": "text", "row": row, "col": 1}
        if beside:
            pale = style.values(table, rows, beside)
            figure.add_bar(y=pale, name=f"{label}: {beside}", marker_color=look.pale, **shared)
        own = style.values(table, rows, column)
        marker = {"color": colours, "pattern": {"shape": shapes}, "line": {"width": 0}}
        figure.add_bar(y=own, name=label, marker=marker, **shared)
        figure.update_yaxes(title_text=label, row=row, col=1, **scale)
    if ranged:
        lines = segments(pairs, texts)
        figure.add_scatter(
            x=lines["part"],
            y=lines["value"],
            mode="lines+markers",
            name="range",
            line={"color": look.accent, "width": 4 if len(rows) <= 100 else 1},
            marker={"color": look.accent, "size": 5 if len(rows) <= 100 else 2},
            hovertext=lines["text"],
            hoverinfo="text",
            row=count,
            col=1,
        )
        axis["title_text"] = "<br>".join(textwrap.wrap(axis["title_text"], 24))
        figure.update_yaxes(row=count, col=1, **axis)
    few = {"tickvals": places} if len(rows) <= FEW else {}
    end = len(rows) - 0.4
    figure.update_xaxes(tickformat=",d", showgrid=False, zeroline=False, range=[-0.6, end], **few)
    figure.update_xaxes(title_text=title, row=count, col=1)
    figure.update_layout(barmode="overlay", showlegend=False)
    style.dress(figure, made, look, 120 + 170 * count, style.part(made, len(rows)))
    return figure.update_layout(bargap=0.6 if len(rows) <= FEW // 2 else 0.2)


TICKS = 5

Pair = tuple[Any, Any]


def placed(pairs: Sequence[Pair], label: str) -> tuple[list[Pair | None], dict[str, Any]]:
    """Minimum and maximum of each part as plotly takes them, None if either is unknown; and their axis."""
    known = [value for pair in pairs for value in pair if value is not None]
    numbers = bool(known) and all(isinstance(v, (int, float, decimal.Decimal)) for v in known)
    if numbers:
        return [_both(pair, _number) for pair in pairs], {"title_text": label}
    if known and all(isinstance(value, datetime.date) for value in known):
        zoned = any(isinstance(v, datetime.datetime) and v.tzinfo is not None for v in known)
        title = f"{label} (UTC)" if zoned else label
        return [_both(pair, _date) for pair in pairs], {"title_text": title, "type": "date"}
    ordered = sorted(set(known), key=_key)
    rank = {value: place for place, value in enumerate(ordered)}
    last = len(ordered) - 1
    shown = sorted({round(i * last / (TICKS - 1)) for i in range(TICKS)}) if ordered else []
    axis = {
        "title_text": f"{label}, by rank: distances mean nothing",
        "tickvals": shown,
        "ticktext": [plain(clip(str(ordered[i]), LABEL // 2)) for i in shown],
    }
    return [_both(pair, rank.get) for pair in pairs], axis


def segments(pairs: Sequence[Pair | None], hovers: Sequence[str]) -> dict[str, list[Any]]:
    """`value`, `part` and `text` of lines from minimum to maximum, with breaks between them."""
    made: dict[str, list[Any]] = {"value": [], "part": [], "text": []}
    for at, pair in enumerate(pairs):
        if pair is None:
            continue
        made["value"] += [*pair, None]
        made["part"] += [at, at, None]
        made["text"] += [hovers[at], hovers[at], None]
    return made


def _both(pair: Pair, place: Any) -> Pair | None:
    low, high = (None if value is None else place(value) for value in pair)
    return None if low is None or high is None else (low, high)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _date(value: datetime.date) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value.isoformat()


def _key(value: Any) -> tuple[str, Any]:
    comparable = isinstance(value, (str, bytes))
    return type(value).__name__, value if comparable else repr(value)


def bloom(made: Answer, look: Style) -> go.Figure:
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


PANELS: tuple[Panel, ...] = (
    ("bytes", "compressed", style.BYTES, "uncompressed"),
    ("ratio", "ratio", {"rangemode": "tozero", "ticksuffix": " ×"}, ""),
)


def column(made: Answer, look: Style) -> go.Figure:
    """Bytes, ratio and range of each row group."""
    return drawn_parts(made, look, PANELS, title="row group")


class _Compared(Protocol):
    outlier: int | None


def compare(made: Answer, look: Style) -> go.Figure:
    """Bytes, ratio and range of each row group; the one that stands out in another colour, hatched."""
    panels = (
        ("bytes", "compressed", style.BYTES, "uncompressed"),
        ("ratio", "ratio", {"rangemode": "tozero", "ticksuffix": " ×"}, ""),
    )
    odd = None if made.picture is None else cast(_Compared, made.picture).outlier
    return drawn_parts(made, look, panels, title="row group", odd=odd)


def page_index(made: Answer, look: Style) -> go.Figure:
    """Bytes, rows and range of each page."""
    panels = (("bytes", "size", style.BYTES, ""), ("rows", "rows", style.COUNT, ""))
    return drawn_parts(made, look, panels, title="data page of the column chunk")


def statistics(made: Answer, look: Style) -> go.Figure:
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


COLUMNS = 24
"""Max columns with bars."""

COLOURS = {
    "data_page": style.BLUE,
    "column_chunk": style.BLUE,
    "dictionary_page": style.ORANGE,
    "page_header": style.SKY,
    "column_index": style.GREEN,
    "offset_index": style.GREEN,
    "index_page": style.GREEN,
    "bloom_filter": style.PINK,
    "footer": style.YELLOW,
    "magic": "#6E6E6E",
    "gap": "#A9A9A9",
    "unknown_parts": "#8FA3B8",
    "unreadable": style.RED,
}
"""The colours of the byte map."""

PATTERNS = {"dictionary_page": "/", "offset_index": "-", "unknown_parts": "-", "bloom_filter": ".", "unreadable": "x"}
WHITE = frozenset({"data_page", "column_chunk", "magic"})
"""Kinds whose colour needs white letters."""


class _Tiled(Protocol):
    tiles: Sequence[Tile]


def overview(made: Answer, look: Style) -> go.Figure:
    """Icicle and bars; the icicle alone if the columns cannot be read."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    if made.picture is None:
        raise UsageError(f"there is nothing to draw: {made.empty or made.sentence}")
    tiles = cast(_Tiled, made.picture).tiles
    columns = [row for row in made.table.rows if row[1] is not None] if made.table else []
    columns = columns[:COLUMNS]
    icicle = go.Icicle(
        ids=[str(i) for i in range(len(tiles))],
        parents=["" if tile.above < 0 else str(tile.above) for tile in tiles],
        labels=[style.plain(tile.label) for tile in tiles],
        values=[tile.size for tile in tiles],
        branchvalues="total",
        sort=False,
        tiling={"orientation": "v", "pad": 1},
        pathbar={"visible": False},
        hovertext=[style.plain(tile.text) for tile in tiles],
        hoverinfo="text",
        texttemplate="%{label}<br>%{percentRoot}",
        textfont={"color": ["#ffffff" if one.kind in WHITE else _ink(one, look) for one in tiles]},
        leaf={"opacity": 1},
        marker={
            "colors": [COLOURS.get(tile.kind, look.group) for tile in tiles],
            "pattern": {
                "shape": [PATTERNS.get(tile.kind, "") for tile in tiles],
                "fillmode": "overlay",
                "fgcolor": "#000000",
                "fgopacity": 0.3,
                "size": 6,
                "solidity": 0.15,
            },
            "line": {"width": 0},
        },
        skip_invalid=True,  # plotly before 5.15 has no patterns here
    )
    if not columns or made.table is None:
        return style.dress(go.Figure(icicle), made, look, 320)
    below = 24 * len(columns)
    figure = make_subplots(
        rows=2,
        cols=1,
        specs=[[{"type": "domain"}], [{"type": "xy"}]],
        row_heights=[240, below + 40],
        vertical_spacing=0.04,
    )
    figure.add_trace(icicle, row=1, col=1)
    texts = style.hovers(made.table, columns)
    for name, label, colour in (
        ("uncompressed", "before compression", look.pale),
        ("size", "in the file", look.accent),
    ):
        figure.add_bar(
            x=style.values(made.table, columns, name),
            y=list(range(len(columns))),
            orientation="h",
            name=label,
            marker_color=colour,
            hovertext=texts,
            hoverinfo="text",
            row=2,
            col=1,
        )
    figure.update_xaxes(title_text="bytes of the column's pages", **style.BYTES)
    figure.update_yaxes(**style.names([str(row[0]) for row in columns]))
    figure.update_layout(barmode="overlay", uniformtext={"minsize": 10, "mode": "hide"})
    return style.dress(figure, made, look, 420 + below)


def _ink(tile: Tile, look: Style) -> str:
    return "#000000" if tile.kind else look.ink
