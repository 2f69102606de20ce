"""What the tiles of the byte map can be coloured by, beside what the front end knows itself.

Each answer gives every tile of the layout the index of a class. Class 0 is for tiles that the question is not about, such as
the footer's when it is about codecs; class 1 is for what is not known. The bounds of the classes are the same for every
file, so that two maps can be compared.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.arrays import Mask
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page_headers import DATA_PAGES, PageFrame
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding
from pqexplore.engine.span import Span
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.chunk_structs import chunk_structs
from pqexplore.insight.lenses.group_chunks import nulls_among
from pqexplore.widget.bytemap import CHUNK, Tiles, tiles

REST, UNKNOWN, FIRST = 0, 1, 2
"""The classes of tiles that the question is not about, of those whose answer is not known, and the first of all others."""

NAMED = 24
"""Classes of names, such as codecs and encodings; those with fewer bytes are one class, "other"."""

OTHERS, NOT_KNOWN = "other bytes", "not known"

READ = 64 << 20
"""Bytes of a local file that the entropy is estimated from."""
READ_REMOTE = 4 << 20
"""A file elsewhere that is longer is not read for its entropy."""
SHORTEST = 256
"""Bytes of a tile whose entropy is estimated; fewer cannot show that they are random."""
LONGEST = 64 << 10
"""Bytes of one tile that its entropy is estimated from."""
WINDOWS = 4
"""The parts of a longer tile that are read, at equal distances."""

Values = np.ndarray[tuple[int], np.dtype[np.float64]]
"""A number for each tile; NaN if it is not known."""

RATIOS = (1.0, 1.1, 1.5, 2.0, 4.0, 10.0)
NULLS = (0.0, 0.01, 0.1, 0.5, 0.9)
BITS = (2.0, 4.0, 5.0, 6.0, 7.0, 7.5, 7.9)


@dataclasses.dataclass(slots=True)
class MapColours:
    """The class of each tile of a layout, by one of its properties.

    `columns` has `code` (u1, an index into `classes`) and, where `ordered`, `value` (f4, in `unit`; NaN if not known). `ordered`
    says that the classes from the third on are steps of a scale. `note` says what was read, or where it is from.
    """

    by: str
    title: str
    unit: str
    ordered: bool
    classes: list[str]
    note: str
    columns: Columns


Steps = Generator[float, None, MapColours]


def map_colours(file: ParquetFile, by: str, level: str = "chunks") -> Steps:
    """Classes of the tiles at a level by codec, ratio, encoding, nulls or entropy. Yields how much is done, from 0 to 1."""
    if by not in BY:
        raise UsageError(f"colours by {by!r}: there are {', '.join(BY)}")
    found = yield from tiles(file, level)
    return (yield from BY[by](file, found))


def saved() -> Iterator[tuple[str, dict[str, str]]]:
    """The requests of a saved page: all that the footer answers."""
    for by in ("codec", "ratio", "encoding", "nulls"):
        yield "map_colours", {"by": by, "level": "chunks"}


def _codecs(file: ParquetFile, found: Tiles) -> Steps:
    names: dict[str, int] = {}
    numbers = yield from _of_chunks(
        file, found, lambda one, _: _number(names, structs.enum_name(CompressionCodec, one.codec))
    )
    return _named(found, "codec", "codec", "of a column chunk, from the footer", numbers, names)


def _nulls(file: ParquetFile, found: Tiles) -> Steps:
    shares = yield from _of_chunks(file, found, _null_share)
    steps = np.searchsorted(NULLS, shares, "left") + (shares == 1.0)
    names = ["none", "to 1 %", "to 10 %", "to 50 %", "to 90 %", "below 100 %", "all"]
    note = "of a column chunk, from its statistics; a required column has none"
    return _scaled(found, "nulls", "null share", "%", note, shares * 100, steps, names)


def _null_share(one: structs.ColumnMetaData, leaf: Leaf) -> float:
    counted = None if one.statistics is None else one.statistics.null_count
    nulls = nulls_among(leaf, one.num_values, counted)
    return math.nan if nulls is None or one.num_values < 0 else nulls / max(1, one.num_values)


def _ratios(file: ParquetFile, found: Tiles) -> Steps:
    if _walked(found):
        ratios = yield from _of_pages(
            file,
            found,
            lambda page: _ratio(page.header.uncompressed_page_size, page.header.compressed_page_size),
            lambda one: _ratio(one.total_uncompressed_size, one.total_compressed_size),
        )
        note = "of a page without its header, from the header"
    else:
        ratios = yield from _of_chunks(
            file, found, lambda one, _: _ratio(one.total_uncompressed_size, one.total_compressed_size)
        )
        note = "of a column chunk, from the footer"
    steps = np.searchsorted(RATIOS, ratios, "right")
    names = ["below 1 ×", "1–1.1 ×", "1.1–1.5 ×", "1.5–2 ×", "2–4 ×", "4–10 ×", "10 × and more"]
    return _scaled(found, "ratio", "compression ratio", "×", note, ratios, steps, names)


def _ratio(uncompressed: int, compressed: int) -> float:
    ratio = compression_ratio(uncompressed, compressed)
    return math.nan if ratio is None else ratio


def _encodings(file: ParquetFile, found: Tiles) -> Steps:
    names: dict[str, int] = {}
    if _walked(found):
        numbers = yield from _of_pages(
            file,
            found,
            lambda page: (
                math.nan if page.encoding is None else _number(names, structs.enum_name(Encoding, page.encoding))
            ),
            lambda one: _of_data_pages(names, one),
        )
        note = "of the values of a page, from its header"
    else:
        numbers = yield from _of_chunks(file, found, lambda one, _: _of_data_pages(names, one))
        note = "of the data pages of a column chunk, from encoding_stats in the footer"
    return _named(found, "encoding", "encoding", note, numbers, names)


def _of_data_pages(names: dict[str, int], one: structs.ColumnMetaData) -> float:
    """The number of the name of all encodings of a chunk's data pages."""
    counted = {
        structs.enum_name(Encoding, stats.encoding)
        for stats in one.encoding_stats or ()
        if stats.page_type in DATA_PAGES and stats.count
    }
    return _number(names, " and ".join(sorted(counted))) if counted else math.nan


def _entropy(file: ParquetFile, found: Tiles) -> Steps:
    start = found.table["start"].to_numpy()
    length = found.table["end"].to_numpy() - start
    bits = np.full(len(start), math.nan)
    asked = np.flatnonzero(length >= SHORTEST)
    read = 0
    if file.source.local or file.size <= READ_REMOTE:
        room = max(SHORTEST, min(LONGEST, READ // max(1, len(asked))))
        for done, tile in enumerate(asked[: READ // SHORTEST].tolist()):
            data = _sample(file, int(start[tile]), int(length[tile]), room)
            bits[tile] = entropy(data)
            read += len(data)
            yield done / len(asked)
        note = f"in bits a byte, estimated from {read:,} of {file.size:,} bytes"
    else:
        note = f"not known: the file is not local, and longer than {READ_REMOTE:,} bytes"
    steps = np.searchsorted(BITS, bits, "right")
    bounds = ["0", *(f"{bound:g}" for bound in BITS), "8"]
    names = [f"{low}–{high}" for low, high in itertools.pairwise(bounds)]
    made = _scaled(found, "entropy", "entropy", "bits a byte", note, bits, steps, names, length >= SHORTEST)
    made.classes[REST] = f"shorter than {SHORTEST} bytes"
    return made


def _sample(file: ParquetFile, start: int, length: int, room: int) -> bytes:
    """All bytes of a tile, or up to `room` from a few places at equal distances."""
    if length <= room:
        return file.bytes(Span(start, start + length))
    size = room // WINDOWS
    gap = (length - size) / (WINDOWS - 1)
    places = [start + int(gap * i) for i in range(WINDOWS)]
    return b"".join(file.bytes(Span(at, at + size)) for at in places)


_TERMS = np.arange(LONGEST + 1) * np.log2(np.maximum(1, np.arange(LONGEST + 1)))
"""n·log2(n)."""


def entropy(data: bytes) -> float:
    """Bits a byte of the distribution of the byte values, from 0 to 8, corrected for few bytes (Miller, 1955).

    Takes up to `LONGEST` bytes; NaN without any.
    """
    if not data:
        return math.nan
    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    size, present = len(data), int(np.count_nonzero(counts))
    plain = math.log2(size) - float(_TERMS[counts].sum()) / size
    return min(8.0, max(0.0, plain) + (present - 1) / (2 * size * math.log(2)))


def _number(names: dict[str, int], name: str) -> int:
    """The number of a name, in the order in which they came."""
    return names.setdefault(name, len(names))


def _walked(found: Tiles) -> bool:
    """Whether the tiles are pages."""
    return bool(found.within(f"{CHUNK}/pages").any())


def _of_chunks(
    file: ParquetFile, found: Tiles, of: Callable[[structs.ColumnMetaData, Leaf], float]
) -> Generator[float, None, Values]:
    """What `of` says of the column chunk that each tile is in."""
    groups = int(found.group.max(initial=-1)) + 1
    leaves = file.schema.leaves if groups else ()
    columns = len(leaves)
    known = np.full(groups * columns + 1, math.nan)
    for group in range(groups):
        yield group / groups
        for column, one in enumerate(chunk_structs(file, group, range(columns))):
            if one is not None and one.meta_data is not None:
                known[group * columns + column] = of(one.meta_data, leaves[column])
    at = np.where(found.group >= 0, found.group * columns + found.column, -1)
    return np.asarray(known[at])


def _of_pages(
    file: ParquetFile,
    found: Tiles,
    of: Callable[[PageFrame], float],
    of_chunk: Callable[[structs.ColumnMetaData], float],
) -> Generator[float, None, Values]:
    """What `of` says of the page that each tile is in; `of_chunk`, of a column chunk that is one tile for lack of a key."""
    paged = np.flatnonzero(found.within(f"{CHUNK}/pages"))
    values = np.full(len(found.table), math.nan)
    group, column = found.group[paged], found.column[paged]
    ends = np.flatnonzero(np.append((np.diff(group) != 0) | (np.diff(column) != 0), True)) + 1
    begin = 0
    for end in ends.tolist():
        yield begin / len(paged)
        chunk = file.row_groups[int(group[begin])].columns[int(column[begin])]
        frames = [of(frame) for frame in chunk.frames.frames]
        pages = found.numbers[2][paged[begin:end]].astype(np.int64)
        values[paged[begin:end]] = np.array(frames)[pages]
        begin = end
    whole = np.asarray(pc.equal(found.table["kind"], "column_chunk"))
    if whole.any():
        chunks = yield from _of_chunks(file, found, lambda one, _: of_chunk(one))
        values[whole] = chunks[whole]
    return values


def _about(found: Tiles) -> Mask:
    """Whether each tile is of the pages of a column chunk, and not of its indexes or its Bloom filter.

    Where a key is missing to tell pages and indexes apart, they are; what they are is not known.
    """
    kinds = ["column_chunk", "unreadable", "unknown_parts"]
    whole = pc.is_in(found.table["kind"], pa.array(kinds))
    return np.asarray(found.within(f"{CHUNK}/pages") | whole.to_numpy())


def _named(found: Tiles, by: str, title: str, note: str, numbers: Values, names: dict[str, int]) -> MapColours:
    """Classes of names; those with the most bytes come first."""
    about = _about(found)
    length = (found.table["end"].to_numpy() - found.table["start"].to_numpy())[about]
    sound = np.where(np.isnan(numbers), len(names), numbers).astype(np.int64)
    order = np.argsort(
        -np.bincount(sound[about], weights=length, minlength=len(names) + 1)[: len(names)], kind="stable"
    )
    classes = np.zeros(len(names) + 1, np.int64)
    classes[order] = FIRST + np.minimum(np.arange(len(names)), NAMED - 1)
    classes[len(names)] = UNKNOWN
    every = list(names)
    listed = [every[i] for i in order[:NAMED].tolist()]
    if len(names) > NAMED:
        listed[-1] = "other"
    code = np.where(about, classes[sound], REST).astype("<u1")
    return MapColours(by, title, "", False, [OTHERS, NOT_KNOWN, *listed], note, Columns({"code": code}))


def _scaled(
    found: Tiles,
    by: str,
    title: str,
    unit: str,
    note: str,
    values: Values,
    steps: np.ndarray[Any, np.dtype[np.int64]],
    names: list[str],
    about: Mask | None = None,
) -> MapColours:
    """Classes of numbers: the steps of a scale."""
    code = np.where(np.isnan(values), UNKNOWN, FIRST + steps)
    code = np.where(_about(found) if about is None else about, code, REST).astype("<u1")
    columns = Columns({"code": code, "value": values.astype("<f4")})
    return MapColours(by, title, unit, True, [OTHERS, NOT_KNOWN, *names], note, columns)


BY: dict[str, Callable[[ParquetFile, Tiles], Steps]] = {
    "codec": _codecs,
    "ratio": _ratios,
    "encoding": _encodings,
    "nulls": _nulls,
    "entropy": _entropy,
}
"""What `map_colours` answers, by name."""
