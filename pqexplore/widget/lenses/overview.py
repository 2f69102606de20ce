"""Where the bytes are: an icicle of columns, row groups and kinds, beside how they are packed and what is absent."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pqexplore.engine.tree import Node
from pqexplore.insight import overview
from pqexplore.insight.answer import Answer
from pqexplore.insight.wording import percent, size
from pqexplore.widget import text

TITLE = "Overview"
FIRST = frozenset({"file"})

COLUMNS = 24
"""Columns with a mark of their own; the others share one."""

CHUNKS = 120
"""Marks of row groups, all columns together."""

SEEN = 1 / 1_500
"""Share of the file below which a kind of bytes is too narrow to be drawn: the table has it."""

NAMED = 1 / 80
"""Share below which no name fits into a mark."""

FAMILIES = {
    "data pages": "#0072B2",
    "pages": "#0072B2",
    "dictionary": "#E69F00",
    "page headers": "#56B4E9",
    "column index": "#009E73",
    "offset index": "#009E73",
    "Bloom filter": "#CC79A7",
    "footer": "#F0E442",
    "magics and footer length": "#6E6E6E",
    "bytes that nobody owns": "#A9A9A9",
    "unreadable": "#D55E00",
}
"""The colours that the byte map has for these kinds."""

GROUPING = "#c8d3dc"
"""The colour of marks that only group others."""

DARK = frozenset({"data pages", "pages", "magics and footer length"})
"""Kinds whose colour asks for white letters."""

PATTERNS = {"dictionary": "/", "offset index": "-", "Bloom filter": ".", "unreadable": "x"}


def applies(node: Node) -> bool:
    """The whole file."""
    return node.kind == "file"


def answer(file: Any, node: Node) -> Generator[float, None, Answer]:
    """The overview, with its pieces as a figure; on the way how much of the page headers has been walked through."""
    yield from overview.walk(file)
    made = overview.overview(file)
    assert made.picture is not None
    picture = dict(made.picture)
    found, names = picture.pop("pieces"), picture.pop("names")
    picture["figure"] = icicle(file, found, names)
    return Answer(made.sentence, picture, made.table, made.empty, made.code)


class Marks:
    """The marks of an icicle, as the columns that plotly wants."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.parents: list[str] = []
        self.labels: list[str] = []
        self.values: list[int] = []
        self.colours: list[str] = []
        self.inks: list[str] = []
        self.patterns: list[str] = []
        self.customdata: list[list[Any]] = []

    def add(
        self, at: str, above: str, label: str, value: int, kind: str, goes: str | None, said: str
    ) -> None:
        """One mark, `value` bytes wide, which leads to the address `goes`."""
        self.ids.append(at)
        self.parents.append(above)
        self.labels.append(label)
        self.values.append(value)
        self.colours.append(FAMILIES.get(kind, GROUPING))
        self.inks.append("#ffffff" if kind in DARK else "#000000")
        self.patterns.append(PATTERNS.get(kind, ""))
        self.customdata.append([goes, said])


def icicle(file: Any, found: list[overview.Piece], names: list[str]) -> dict[str, Any]:
    """Column → row group → kind as a plotly figure; the level of row groups is left out where there is one."""
    whole = file.size
    marks = Marks()

    def told(value: int, *what: str) -> str:
        return f"{', '.join(what)}: {size(value)}, {percent(value / whole)} of the file"

    marks.add("all", "", f"the file, {size(whole)}", whole, "", "", told(whole, "the file"))
    by_column: dict[int, list[overview.Piece]] = {}
    for piece in found:
        by_column.setdefault(piece.column, []).append(piece)
    sizes = {column: sum(one.size for one in parts) for column, parts in by_column.items()}
    ordered = sorted((c for c in by_column if c >= 0), key=lambda c: -sizes[c])
    shown = ordered[:COLUMNS] if len(ordered) > COLUMNS + 1 else ordered
    single = max((piece.group for piece in found), default=0) == 0
    groups_left = CHUNKS
    leaves = file.schema.leaves if names else []
    for column in shown:
        known = column < len(names)
        label = text.shorten(names[column], 60) if known else f"column {column}"
        goes = f"schema/{leaves[column].index}" if known else None
        at = f"c{column}"
        marks.add(at, "all", label, sizes[column], "", goes, told(sizes[column], label))
        if single:
            _kinds(marks, at, by_column[column], label, told)
            continue
        groups_left -= _groups(
            marks, at, by_column[column], label, told, max(2, groups_left // len(shown))
        )
    rest = sum(sizes[column] for column in ordered[len(shown) :])
    if rest:
        label = f"… {len(ordered) - len(shown):,} other columns"
        marks.add("others", "all", label, rest, "", "schema", told(rest, label))
    own: dict[str, list[overview.Piece]] = {}
    for piece in by_column.get(-1, []):
        own.setdefault(piece.kind, []).append(piece)
    for kind, parts in own.items():
        value = sum(one.size for one in parts)
        marks.add(f"f {kind}", "all", kind, value, kind, parts[0].first, told(value, kind))
    return {
        "data": [
            {
                "type": "icicle",
                "ids": marks.ids,
                "parents": marks.parents,
                "labels": marks.labels,
                "values": marks.values,
                "customdata": marks.customdata,
                "branchvalues": "total",
                "sort": False,
                "tiling": {"orientation": "v", "pad": 1},
                "pathbar": {"visible": False},
                "hoverinfo": "none",
                "texttemplate": [
                    "%{label}<br>%{percentRoot}" if value >= whole * NAMED else ""
                    for value in marks.values
                ],
                "textfont": {"color": marks.inks, "size": 12},
                "leaf": {"opacity": 1},
                "marker": {
                    "colors": marks.colours,
                    "pattern": {
                        "shape": marks.patterns,
                        "fillmode": "overlay",
                        "fgcolor": "#000000",
                        "fgopacity": 0.3,
                        "size": 6,
                        "solidity": 0.15,
                    },
                    "line": {"width": 0},
                },
            }
        ],
        "layout": {
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "uniformtext": {"minsize": 11, "mode": "hide"},
        },
    }


def _groups(
    marks: Marks, above: str, parts: list[overview.Piece], label: str, told: Any, most: int
) -> int:
    """The row groups of a column, the largest `most` of them one by one; how many marks that took."""
    by_group: dict[int, list[overview.Piece]] = {}
    for piece in parts:
        by_group.setdefault(piece.group, []).append(piece)
    sizes = {group: sum(one.size for one in some) for group, some in by_group.items()}
    kept = set(sorted(by_group, key=lambda g: -sizes[g])[:most])
    if len(by_group) == len(kept) + 1:
        kept = set(by_group)
    for group in sorted(kept):
        at, words = f"{above} {group}", f"row group {group}"
        goes = f"row_groups/{group}/columns/{parts[0].column}"
        marks.add(at, above, words, sizes[group], "", goes, told(sizes[group], label, words))
        _kinds(marks, at, by_group[group], f"{label}, {words}", told)
    rest = sum(value for group, value in sizes.items() if group not in kept)
    if rest:
        words = f"… {len(by_group) - len(kept):,} other row groups"
        marks.add(
            f"{above} others",
            above,
            words,
            rest,
            "",
            marks.customdata[marks.ids.index(above)][0],
            told(rest, label, words),
        )
    return len(kept) + bool(rest)


def _kinds(marks: Marks, above: str, parts: list[overview.Piece], label: str, told: Any) -> None:
    """The kinds of bytes of one chunk, those that are wide enough to be seen."""
    for piece in sorted(parts, key=lambda one: -one.size):
        if piece.size < marks.values[0] * SEEN:
            break
        marks.add(
            f"{above} {piece.kind}",
            above,
            piece.kind,
            piece.size,
            piece.kind,
            _goes(piece),
            told(piece.size, label, piece.kind),
        )


def _goes(piece: overview.Piece) -> str:
    """Where a kind of bytes leads: the page or index where there is one of it, else the chunk."""
    if piece.kind in ("data pages", "page headers", "pages"):
        return f"row_groups/{piece.group}/columns/{piece.column}"
    return piece.first.removesuffix("/header").removesuffix("/bitset")
