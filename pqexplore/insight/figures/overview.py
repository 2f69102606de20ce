"""The bytes of a file as an icicle, and its largest columns as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.style import Style
from pqexplore.insight.lenses.overview_icicle import Tile

if TYPE_CHECKING:
    import plotly.graph_objects as go

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


def draw(made: Answer, look: Style) -> go.Figure:
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
