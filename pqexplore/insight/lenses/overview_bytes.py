"""The bytes of a file by column, row group and kind of structure.

The sizes come from the layout, so
they add up to the file's, bytes without an owner included. If a walk through all page headers costs much (many chunks,
a remote file), a column chunk is one piece.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.columns import Array

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
