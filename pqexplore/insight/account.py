"""What takes the bytes of a file: one account, by kind of structure, column and row group.

Whatever states bytes by kind (terminal, overview, layout, map, picture) takes them from here, and this takes them from the
layout: so they add up to the file's, bytes without an owner included. If a walk through all page headers costs much (many
chunks, a remote file), a column chunk is one piece, and what its pages leave over is not seen.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree import layout
from pqexplore.insight.summary import key_value_sizes

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

PAGES = "pages"
PAGE_INDEXES = "page indexes"
BLOOM_FILTERS = "Bloom filters"
FOOTER = KINDS["footer"]
KEY_VALUES = "key-value metadata in the footer"

SUMMED = {
    **dict.fromkeys((KINDS["column_index"], KINDS["offset_index"]), PAGE_INDEXES),
    KINDS["bloom_filter"]: BLOOM_FILTERS,
    **dict.fromkeys(
        (
            KINDS[one]
            for one in (*("page_header", "data_page", "dictionary_page", "index_page", "unknown_page"), "column_chunk")
        ),
        PAGES,
    ),
}
"""The kinds of bytes that are summed up under another name."""


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


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """The bytes of one kind of structure, how many there are, and their share of the file."""

    kind: str
    size: int
    count: int
    share: float


def level(file: ParquetFile) -> str:
    """The level of the layout that the account is of: `pages` where walking through all page headers is cheap."""
    return "pages" if file.source.local and _chunks(file) <= WALKED else "chunks"


def _chunks(file: ParquetFile) -> int:
    groups = () if file.metadata is None else file.metadata.row_groups or ()
    return file.cache.get(("account", "chunks"), lambda: sum(len(one.columns or ()) for one in groups), lambda _: 64)


def tiles(file: ParquetFile) -> pa.Table:
    """The layout of the file at that level."""
    return file.layout(level(file))


def gaps(file: ParquetFile) -> list[tuple[int, int]]:
    """The bytes that nobody owns, as `[start, end)` pairs."""
    return layout.gaps(file, level(file))


def unknown(file: ParquetFile) -> list[tuple[int, int]]:
    """The parts whose places need a key, as `[start, end)` pairs."""
    return layout.unknown(file, level(file))


def shares(file: ParquetFile) -> list[Share]:
    """The bytes of each kind of tile, largest first. The sizes add up to the file's."""
    table = tiles(file)
    sizes: dict[str, list[int]] = {}
    starts, ends = table.column("start").to_pylist(), table.column("end").to_pylist()
    for kind, start, end in zip(table.column("kind").to_pylist(), starts, ends, strict=True):
        sizes.setdefault(kind, []).append(end - start)
    kinds = [Share(kind, sum(of), len(of), sum(of) / file.size) for kind, of in sizes.items()]
    return sorted(kinds, key=lambda one: -one.size)


def by_kind(file: ParquetFile, found: Sequence[Piece] | None = None) -> dict[str, int]:
    """The bytes of each kind as sentences name them, the largest first; they add up to the file's. `found`: its pieces."""
    sizes: dict[str, int] = {}
    for piece in pieces(file) if found is None else found:
        kind = SUMMED.get(piece.kind, piece.kind)
        sizes[kind] = sizes.get(kind, 0) + piece.size
    notes = sum(key_value_sizes(file).values())
    if 2 * notes > sizes.get(FOOTER, 0) >= notes:
        sizes[FOOTER] -= notes
        sizes[KEY_VALUES] = notes
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def walk(file: ParquetFile) -> Iterator[float]:
    """Walk through the page headers that `pieces` needs. Yields how much is done, from 0 to 1."""
    if level(file) == "chunks":
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
    table = tiles(file)
    sizes: dict[tuple[int, int, str], int] = {}
    firsts: list[tuple[str, int]] = []
    columns = (table[name].to_pylist() for name in ("start", "end", "kind", "address"))
    for start, end, of, address in zip(*columns, strict=True):
        piece = (*_place(address), KINDS.get(of, "pages"))
        if piece not in sizes:
            sizes[piece] = 0
            firsts.append((address, start))
        sizes[piece] += end - start
    return [
        Piece(column, group, kind, size, *first)
        for ((column, group, kind), size), first in zip(sizes.items(), firsts, strict=True)
    ]


def _place(address: str) -> tuple[int, int]:
    """The column and the row group of an address below a column chunk; -1 for each of any other."""
    names = address.split("/", 4)
    if len(names) < 4 or names[0] != "row_groups" or names[2] != "columns":
        return -1, -1
    return int(names[3]), int(names[1])
