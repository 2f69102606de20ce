"""The bytes of a file by column, row group and kind of structure.

The sizes come from the layout, so
they add up to the file's, bytes without an owner included. If a walk through all page headers costs much (many chunks,
a remote file), a column chunk is one piece.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile

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
