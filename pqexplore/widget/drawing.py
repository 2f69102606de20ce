"""The picture of a lens as an SVG that a saved notebook keeps: bars of the rows of its table, or ranges by their order.

It has no value of the file. Ranges of values are drawn by the order of their ends: they show what overlaps and not how
far apart the values are. Dark text on pale ground is legible on light and dark pages alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from pqexplore.engine.text import clip, markup
from pqexplore.insight.answer import Answer, Table
from pqexplore.insight.lenses.statistics import Picture as Statistics
from pqexplore.insight.wording import size

ROWS = 12
"""Max rows of a drawing."""

WIDTH, LINE, LABELS = 960, 22, 240
"""Width of a drawing, height of a row, and where its bars begin, in pixels."""

LABEL = 34
"""Max characters of a label."""

INK, GROUND, BAR = "#1b1f24", "#e8edf2", "#8fc1e3"

BARS = {
    "overview": ("column", "size", "bytes of each column"),
    "layout": ("part", "size", "bytes of each part"),
    "contents": ("part", "size", "bytes of each part"),
    "row_group": ("column", "compressed", "bytes of each column chunk"),
    "column": ("group", "compressed", "bytes in each row group"),
    "compare": ("group", "compressed", "bytes in each row group"),
    "page_index": ("page", "size", "bytes of each page"),
    "dictionary": ("entry", "uses", "values that each entry of the dictionary stands for"),
    "bloom": ("block", "bits_set", "bits set in each block of the Bloom filter"),
    "query": ("row_group", "rows", "rows that are read of each row group"),
    "what_if": ("choice", "bytes", "bytes with each choice"),
    "thrift": ("field", "bytes", "bytes of each field"),
    "encoding": ("kind", "bytes", "bytes of each step"),
    "nesting": ("means", "entries", "entries of each level"),
    "variant": ("kind", "entries", "entries of each path"),
    "encryption": ("module", "size", "bytes of each module"),
    "diff": ("what", "bytes", "bytes that the second file has more"),
}
"""By lens: the columns of its table with the labels and with the lengths of the bars, and what they are."""

RANGES = "minimum to maximum of each part, in order only: distances mean nothing"


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """A row: its label, where its bar begins and ends, from 0 to 1, and the text at its end."""

    label: str
    low: float
    high: float
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn, in words, and the SVG."""

    title: str
    svg: str


def drawing(made: Answer, lens: str) -> Drawing | None:
    """The drawing of the answer of a lens; None if the lens has none, or there is nothing to draw."""
    title, rows, total = _drawn(made, lens)
    if not rows:
        return None
    more = f"; the first {len(rows):,} of {total:,}" if total > len(rows) else ""
    return Drawing(title + more, _svg(rows))


def _drawn(made: Answer, lens: str) -> tuple[str, list[Bar], int]:
    if isinstance(made.picture, Statistics) and made.picture.lanes is not None:
        lanes = made.picture.lanes
        return RANGES, _ranges(lanes.name, lanes.low, lanes.high), len(lanes.name)
    if lens not in BARS or made.table is None:
        return "", [], 0
    label, value, title = BARS[lens]
    has = {column.name for column in made.table.columns}
    if label not in has and "codec" in has:
        label = "codec"  # of one column, `what_if` has a row for each encoding and codec
    if not {label, value} <= has:
        return "", [], 0
    return title, _bars(made.table, label, value), made.table.total


def _bars(table: Table, label: str, value: str) -> list[Bar]:
    """A bar for each of the first rows, as long as its share of the largest of them."""
    kinds = {column.name: column.kind for column in table.columns}
    lengths = [one or 0 for one in table.column(value)[:ROWS]]
    largest = max(lengths, default=0)
    numbered = kinds[label] == "number"
    return [
        Bar(
            f"{label.replace('group', 'row group')} {name:,}" if numbered else str(name),
            0.0,
            max(0, length) / largest if largest > 0 else 0.0,
            size(length) if kinds[value] == "bytes" else f"{length:,}",
        )
        for name, length in zip(table.column(label), lengths, strict=False)
    ]


def _ranges(names: Sequence[str], low: Sequence[float], high: Sequence[float]) -> list[Bar]:
    """A bar for each of the first parts, from the rank of its minimum to the rank of its maximum; no bar without both."""
    places = np.array([low[:ROWS], high[:ROWS]])
    ends, rank = np.unique(places[places >= 0], return_inverse=True)
    ranks = np.full(places.shape, -1.0)
    ranks[places >= 0] = rank / max(1, len(ends) - 1)
    return [
        Bar(name, a, b, "") if a >= 0 and b >= 0 else Bar(name, 0.0, 0.0, "no range")
        for name, a, b in zip(names, *ranks.tolist(), strict=False)
    ]


def _svg(rows: Sequence[Bar]) -> str:
    room = WIDTH - LABELS
    grounds, bars, texts = [], [], []
    for y, row in zip(range(0, LINE * len(rows), LINE), rows, strict=True):
        grounds.append(f"M0 {y}h{WIDTH}v{LINE - 2}h-{WIDTH}z")
        x, end = LABELS + round(row.low * room), LABELS + round(row.high * room)
        if row.high > 0 or row.text == "":
            width = max(3, end - x)
            bars.append(f"M{min(x, WIDTH - width)} {y + 3}h{width}v{LINE - 8}h-{width}z")
        texts.append(f'<text x="6" y="{y + 14}">{markup(clip(row.label.strip(), LABEL))}</text>')
        if row.text:
            texts.append(f'<text x="{WIDTH - 6}" y="{y + 14}" text-anchor="end">{row.text}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {LINE * len(rows)}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}"><path fill="{GROUND}" d="{"".join(grounds)}"/>'
        f'<path fill="{BAR}" d="{"".join(bars)}"/>{"".join(texts)}</svg>'
    )
