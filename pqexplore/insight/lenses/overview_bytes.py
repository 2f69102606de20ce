"""The bytes of a file by column, row group and kind of structure, and their icicle.

Apart from `overview.py`, because both together are longer than one file should be. The sizes come from the layout, so
they add up to the file's, bytes without an owner included. If a walk through all page headers costs much (many chunks,
a remote file), a column chunk is one piece.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight import text
from pqexplore.insight.columns import Array
from pqexplore.insight.wire import Figure, Mark
from pqexplore.insight.wording import percent, size

WALKED = 2_000
"""Max column chunks of a local file whose page headers are walked through."""

KINDS = {
    "page_header": "page headers",
    "data_page": "data pages",
    "data_page_v2": "data pages",
    "dictionary_page": "dictionary",
    "index_page": "index pages",
    "unknown_page": "pages of unknown kinds",
    "column_chunk": "pages",
    "column_index": "column index",
    "offset_index": "offset index",
    "bloom_filter": "Bloom filter",
    "bloom_filter_header": "Bloom filter",
    "bloom_filter_bitset": "Bloom filter",
    "unreadable": "unreadable",
    "gap": "bytes that nobody owns",
    "unknown_parts": "pages and indexes, not known without a key",
    "footer": "footer",
    "file_crypto_metadata": "footer",
    "footer_signature": "footer",
    "magic": "magics and footer length",
    "footer_magic": "magics and footer length",
    "footer_length": "magics and footer length",
}
"""The kind of bytes of each kind of tile of the layout."""

GAP, UNKNOWN = KINDS["gap"], KINDS["unknown_parts"]

COLUMNS = 24
"""Max columns with a mark of their own; the others share one."""

CHUNKS = 120
"""Max marks of row groups, all columns together."""

SEEN = 1 / 1_500
"""Min share of the file of a kind of bytes that is drawn; the table has all."""

NAMED = 1 / 80
"""Min share of the file of a mark that is wide enough for a name."""

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
    "pages and indexes, not known without a key": "#8FA3B8",
    "unreadable": "#D55E00",
}
"""The colours of these kinds in the byte map."""

GROUPING = "#c8d3dc"
"""The colour of a mark that groups others."""

DARK = frozenset({"data pages", "pages", "magics and footer length"})
"""Kinds whose colour needs white letters."""

PATTERNS = {
    "dictionary": "/",
    "offset index": "-",
    UNKNOWN: "-",
    "Bloom filter": ".",
    "unreadable": "x",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of one kind in one row group of one column; `column` is -1 for bytes that belong to no column.

    `first` is the address of the first tile, `start` its first byte.
    """

    column: int
    group: int
    kind: str
    size: int
    first: str
    start: int


def _near(file: ParquetFile) -> bool:
    """Whether walking through all page headers is cheap."""
    groups = () if file.metadata is None else file.metadata.row_groups or ()
    return file.source.local and sum(len(g.columns or ()) for g in groups) <= WALKED


def walk(file: ParquetFile) -> Iterator[float]:
    """Walk through the page headers that `pieces` needs. Yields how much is done, from 0 to 1."""
    if not _near(file):
        return
    try:
        groups = file.row_groups
        for done, group in enumerate(groups):
            for chunk in group.columns:
                yield done / len(groups)
                with contextlib.suppress(ParquetError):
                    if not chunk.elsewhere:
                        _ = chunk.frames
    except ParquetError:
        return  # `pieces` leaves out unreadable row groups, too


def pieces(file: ParquetFile) -> list[Piece]:
    """The pieces in the order of the file; their sizes add up to the file's."""
    table = file.layout("pages" if _near(file) else "chunks")
    parts = pc.extract_regex(
        table["address"].combine_chunks(), r"^row_groups/(?P<g>\d+)/columns/(?P<c>\d+)"
    )
    group = _numbers(pc.struct_field(parts, "g"))
    column = _numbers(pc.struct_field(parts, "c"))
    names = list(dict.fromkeys(KINDS.values()))
    kinds = table["kind"].combine_chunks().dictionary_encode()
    of_kind = np.array([names.index(KINDS.get(k, "pages")) for k in kinds.dictionary.to_pylist()])
    kind = of_kind[kinds.indices.to_numpy()] if len(of_kind) else np.zeros(0, np.int64)
    start = table["start"].to_numpy()
    length = table["end"].to_numpy() - start
    keys = np.stack([column, group, kind], axis=1)
    unique, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, inverse.reshape(-1), length)
    addresses = table["address"]
    return [
        Piece(int(c), int(g), names[int(k)], int(total), addresses[int(at)].as_py(), int(start[at]))
        for (c, g, k), total, at in sorted(
            zip(unique.tolist(), sums.tolist(), first.tolist(), strict=True), key=lambda one: one[2]
        )
    ]


def _numbers(texts: pa.Array) -> Array:
    """Texts of digits as int64; -1 for null and for an empty text."""
    filled = pc.fill_null(texts, "-1")
    numbers = pc.cast(pc.if_else(pc.equal(filled, ""), "-1", filled), "int64")
    array: Array = numbers.to_numpy(zero_copy_only=False)
    return array


class Marks:
    """The marks of an icicle, in plotly's columns."""

    def __init__(self, whole: int) -> None:
        self.whole = whole
        self.ids: list[str] = []
        self.parents: list[str] = []
        self.labels: list[str] = []
        self.values: list[int] = []
        self.colours: list[str] = []
        self.inks: list[str] = []
        self.patterns: list[str] = []
        self.customdata: list[Mark] = []

    def add(
        self,
        at: str,
        above: str,
        label: str,
        value: int,
        kind: str,
        address: str | None,
        *names: str,
    ) -> None:
        """Append a mark of `value` bytes, which leads to `address`; `names` describe it from the outside in."""
        self.ids.append(at)
        self.parents.append(above)
        self.labels.append(label)
        self.values.append(value)
        self.colours.append(FAMILIES.get(kind, GROUPING))
        self.inks.append("#ffffff" if kind in DARK else "#000000")
        self.patterns.append(PATTERNS.get(kind, ""))
        share = percent(value / self.whole)
        words = f"{', '.join(names)}: {size(value)}, {share} of the file"
        self.customdata.append(Mark(address, words))


def icicle(file: ParquetFile, pieces: list[Piece], names: list[str]) -> Figure:
    """Column → row group → kind as a plotly figure, without the level of row groups if there is only one.

    `names` are the columns' names; empty if the schema cannot be read.
    """
    whole = file.size
    marks = Marks(whole)
    marks.add("all", "", f"the file, {size(whole)}", whole, "", "", "the file")
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
        label = text.shorten(names[column], 60) if known else f"column {column}"
        address = Address.of("schema", leaves[column].index) if known else None
        at = f"c{column}"
        marks.add(at, "all", label, sizes[column], "", address, label)
        if single:
            _kinds(marks, at, by_column[column], label)
            continue
        groups_left -= _groups(
            marks, at, by_column[column], label, max(2, groups_left // len(shown))
        )
    rest = sum(sizes[column] for column in ordered[len(shown) :])
    if rest:
        label = f"… {len(ordered) - len(shown):,} other columns"
        marks.add("others", "all", label, rest, "", "schema", label)
    own: dict[str, list[Piece]] = {}
    for piece in by_column.get(-1, []):
        own.setdefault(piece.kind, []).append(piece)
    for kind, parts in own.items():
        value = sum(one.size for one in parts)
        marks.add(f"f {kind}", "all", kind, value, kind, parts[0].first, kind)
    return Figure(
        data=[
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
        layout={
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "uniformtext": {"minsize": 11, "mode": "hide"},
        },
    )


def _groups(marks: Marks, above: str, parts: list[Piece], label: str, limit: int) -> int:
    """Add the row groups of a column, the `limit` largest one by one. Returns the number of marks added."""
    by_group: dict[int, list[Piece]] = {}
    for piece in parts:
        by_group.setdefault(piece.group, []).append(piece)
    sizes = {group: sum(one.size for one in some) for group, some in by_group.items()}
    kept = set(sorted(by_group, key=lambda g: -sizes[g])[:limit])
    if len(by_group) == len(kept) + 1:
        kept = set(by_group)
    for group in sorted(kept):
        at, words = f"{above} {group}", f"row group {group}"
        address = Address.of("row_groups", group, "columns", parts[0].column)
        marks.add(at, above, words, sizes[group], "", address, label, words)
        _kinds(marks, at, by_group[group], f"{label}, {words}")
    rest = sum(value for group, value in sizes.items() if group not in kept)
    if rest:
        words = f"… {len(by_group) - len(kept):,} other row groups"
        marks.add(
            f"{above} others",
            above,
            words,
            rest,
            "",
            marks.customdata[marks.ids.index(above)].address,
            label,
            words,
        )
    return len(kept) + bool(rest)


def _kinds(marks: Marks, above: str, parts: list[Piece], label: str) -> None:
    """Add the kinds of bytes of one chunk that are wide enough to be seen."""
    for piece in sorted(parts, key=lambda one: -one.size):
        if piece.size < marks.values[0] * SEEN:
            break
        marks.add(
            f"{above} {piece.kind}",
            above,
            piece.kind,
            piece.size,
            piece.kind,
            _address(piece),
            label,
            piece.kind,
        )


def _address(piece: Piece) -> str:
    """The node of a kind of bytes: the chunk for pages, else the index, filter or dictionary page itself."""
    if piece.kind in ("data pages", "page headers", "pages"):
        return Address.of("row_groups", piece.group, "columns", piece.column)
    return piece.first.removesuffix("/header").removesuffix("/bitset")
