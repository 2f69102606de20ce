"""The icicle of a file: column → row group → kind of bytes, each tile as wide as its share of the file.

The bytes of a column that lie apart are one tile, so a tile has a size and no place in the file.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import Span
from pqexplore.insight import short_text
from pqexplore.insight.account import KINDS, Piece
from pqexplore.insight.wording import percent, size

COLUMNS = 24
"""Max columns with a tile of their own; the others share one."""

CHUNKS = 120
"""Max tiles of row groups, all columns together."""

LABEL = 80
"""Max characters of a column's name."""

SEEN = 1 / 1_500
"""Min share of the file of a kind of bytes that is drawn; the table has all."""

APART = frozenset({"data pages", "page headers"})
"""Kinds of bytes whose parts take turns in a column chunk."""

KIND_OF = {words: kind for kind, words in reversed(KINDS.items())}
"""A kind of the layout's tiles for each kind of bytes: the byte map and the icicle draw both alike."""


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """A tile: `size` bytes from `start` on, counted from the left edge of the picture.

    `above` is the index of the tile that it is a part of, -1 for the file; `level` the number of tiles above it. `kind` is
    a kind of the layout's tiles, "" for a tile of several kinds. `address` is the node that it leads to, None for several.
    `span` are its bytes in the file if they lie together; those of a row group are its pages.
    """

    label: str
    kind: str
    level: int
    above: int
    start: int
    size: int
    address: str | None
    span: Span | None
    text: str


class Icicle:
    """The tiles, those of a part directly after it."""

    def __init__(self, whole: int) -> None:
        self.tiles: list[Tile] = []
        self._ends: list[int] = []
        self.add(-1, f"the file, {size(whole)}", whole, "", "", text="the file")

    def add(
        self, above: int, label: str, value: int, kind: str, address: str | None, *, text: str, span: Span | None = None
    ) -> int:
        """Append a tile of `value` bytes below the tile `above`; `text` describes it. Returns its index."""
        start = level = 0
        if above >= 0:
            start, level = self._ends[above], self.tiles[above].level + 1
            self._ends[above] += value
        share = percent(value / (self.tiles[0].size if self.tiles else value))
        words = f"{text}: {size(value)}, {share} of the file"
        self.tiles.append(Tile(label, kind, level, above, start, value, address, span, words))
        self._ends.append(start)
        return len(self.tiles) - 1


def icicle(file: ParquetFile, pieces: list[Piece], names: list[str]) -> list[Tile]:
    """The tiles of the file, without the level of row groups if there is only one.

    `names` are the columns' names; empty if the schema cannot be read.
    """
    made = Icicle(file.size)
    by_column: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_column.setdefault(piece.column, []).append(piece)
    sizes = {column: sum(one.size for one in parts) for column, parts in by_column.items()}
    ordered = sorted((c for c in by_column if c >= 0), key=lambda c: -sizes[c])
    shown = ordered[:COLUMNS] if len(ordered) > COLUMNS + 1 else ordered
    single = max((piece.group for piece in pieces), default=0) == 0
    groups_left = CHUNKS
    leaves = file.schema.leaves if names else []
    for column in shown:
        known = column < len(names)
        label = short_text.shorten_name(names[column], LABEL) if known else f"column {column}"
        address = Address.of("schema", leaves[column].index) if known else None
        at = made.add(0, label, sizes[column], "", address, text=label)
        if single:
            _kinds(made, at, by_column[column], label)
            continue
        limit = max(2, groups_left // len(shown))
        groups_left -= _groups(file, made, at, by_column[column], label, limit)
    rest = sum(sizes[column] for column in ordered[len(shown) :])
    if rest:
        label = f"… {len(ordered) - len(shown):,} other columns"
        made.add(0, label, rest, "", "schema", text=label)
    own: dict[str, list[Piece]] = {}
    for piece in by_column.get(-1, []):
        own.setdefault(piece.kind, []).append(piece)
    for kind, parts in own.items():
        value, first = sum(one.size for one in parts), parts[0]
        span = Span(first.start, first.start + value) if kind == "footer" else None
        made.add(0, kind, value, KIND_OF[kind], first.first, text=kind, span=span)
    return made.tiles


def _groups(file: ParquetFile, made: Icicle, above: int, parts: list[Piece], label: str, limit: int) -> int:
    """Add the row groups of a column, the `limit` largest one by one. Returns the number of tiles added."""
    by_group: dict[int, list[Piece]] = {}
    for piece in parts:
        by_group.setdefault(piece.group, []).append(piece)
    sizes = {group: sum(one.size for one in some) for group, some in by_group.items()}
    kept = set(sorted(by_group, key=lambda g: -sizes[g])[:limit])
    if len(by_group) == len(kept) + 1:
        kept = set(by_group)
    for group in sorted(kept):
        words = f"row group {group}"
        address = Address.of("row_groups", group, "columns", parts[0].column)
        where, span = f"{label}, {words}", chunk_span(file, group, parts[0].column)
        at = made.add(above, words, sizes[group], "", address, text=where, span=span)
        _kinds(made, at, by_group[group], where)
    rest = sum(value for group, value in sizes.items() if group not in kept)
    if rest:
        words = f"… {len(by_group) - len(kept):,} other row groups"
        made.add(above, words, rest, "", made.tiles[above].address, text=f"{label}, {words}")
    return len(kept) + bool(rest)


def _kinds(made: Icicle, above: int, parts: list[Piece], label: str) -> None:
    """Add the kinds of bytes of one chunk that are wide enough to be seen."""
    for piece in sorted(parts, key=lambda one: -one.size):
        if piece.size < made.tiles[0].size * SEEN:
            break
        apart = piece.kind in APART
        made.add(
            above,
            piece.kind,
            piece.size,
            KIND_OF[piece.kind],
            _address(piece),
            text=f"{label}, {piece.kind}",
            span=None if apart else Span(piece.start, piece.start + piece.size),
        )


def chunk_span(file: ParquetFile, group: int, column: int) -> Span | None:
    """The bytes of a column chunk's pages; None if they are not known."""
    try:
        return file.row_groups[group].columns[column].span
    except (ParquetError, IndexError):
        return None


def _address(piece: Piece) -> str:
    """The node of a kind of bytes: the chunk for pages, else the index, filter or dictionary page itself."""
    if piece.kind in APART or piece.kind == "pages":
        return Address.of("row_groups", piece.group, "columns", piece.column)
    return piece.first.removesuffix("/header").removesuffix("/bitset")
