"""Where the bytes of a file are, how well they are packed, and what the file does without.

The bytes are summed by column, row group and kind of structure, from the layout: so the parts add up to the file,
and what belongs to nobody is a part like the others. Walking through page headers is left out where it is dear
(many chunks, a remote file); then a column chunk is one piece.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType
from pqexplore.engine.tree import Span
from pqexplore.insight import features, summary
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import factor, name, percent, plural, size

LARGEST = 5
"""Columns that are told one by one."""

LISTED = 10_000
"""Columns in the table."""

WALKED = 2_000
"""Column chunks of a local file that are walked through, page by page, to tell kinds of bytes apart."""

ENCODED_CHUNKS = 20_000
"""Column chunks whose encodings are counted."""

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
    "footer": "footer",
    "file_crypto_metadata": "footer",
    "footer_signature": "footer",
    "magic": "magics and footer length",
    "footer_magic": "magics and footer length",
    "footer_length": "magics and footer length",
}
"""What a tile of the layout is counted as."""

GAP = KINDS["gap"]

COSTLY = ("statistics", "page index")
"""Features whose absence belongs into the sentence, whatever the file."""


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of one kind in one row group of one column; of the file itself where `column` is -1.

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
    """Walk through the page headers that `pieces` is going to need, saying how much is done, from 0 to 1."""
    if not _near(file):
        return
    try:
        groups = file.row_groups
        for done, group in enumerate(groups):
            for chunk in group.columns:
                yield done / len(groups)
                with contextlib.suppress(ParquetError):
                    _ = chunk.frames
    except ParquetError:
        return  # `pieces` leaves out what cannot be read, too


def pieces(file: ParquetFile) -> list[Piece]:
    """Every kind of byte of every chunk, in the order of the file; their sizes add up to the file's."""
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


def _numbers(texts: Any) -> Any:
    """Texts of digits as integers; -1 where there is none."""
    found = pc.fill_null(texts, "-1")
    return pc.cast(pc.if_else(pc.equal(found, ""), "-1", found), "int64").to_numpy(
        zero_copy_only=False
    )


def overview(file: ParquetFile) -> Answer:
    """Where the bytes are, how they are packed, what is absent. Never raises for what the file holds."""
    code = "pqexplore.explore(f).to_frame('overview', at='')"
    found = pieces(file)
    columns, problem = _columns(file)
    known = features.features(file)
    picture = {
        "size": file.size,
        "pieces": found,
        "names": [one.path for one in columns],
        "largest": [_largest(one, file) for one in _by_size(columns)[:LARGEST]],
        "packing": _packing(columns),
        "encodings": [
            {"name": encoding, "pages": pages, "unit": unit, "columns": count}
            for encoding, pages, unit, count in _encodings(file)
        ],
        "features": [
            {
                "name": one.name,
                "state": one.state,
                "count": one.count,
                "of": one.of,
                "unit": one.unit,
                "meaning": one.meaning,
            }
            for one in known
        ],
    }
    said = sentence(file, found, columns, known)
    return Answer(
        said, picture=picture, table=_table(file, columns, found), empty=problem, code=code
    )


def _columns(file: ParquetFile) -> tuple[list[summary.ColumnSummary], str]:
    """Every leaf in numbers, and why there are none where the footer does not tell."""
    if file.metadata is None:
        locked = file.footer.locked
        why = "" if locked is None else f" {locked.message}"
        return [], f"What the columns are is in the footer, which is encrypted.{why}"
    try:
        return summary.columns(file), ""
    except ParquetError as error:
        return [], f"The columns cannot be told: {error.message}"


def _by_size(columns: list[summary.ColumnSummary]) -> list[summary.ColumnSummary]:
    return sorted(columns, key=lambda one: -one.compressed_size)


def _largest(one: summary.ColumnSummary, file: ParquetFile) -> dict[str, Any]:
    return {
        "name": one.path,
        "address": f"schema/{file.schema.leaves[one.index].index}",
        "type": one.type,
        "compressed": one.compressed_size,
        "uncompressed": one.uncompressed_size,
        "ratio": one.ratio,
        "codecs": list(one.codecs),
        "share": one.compressed_size / file.size,
    }


def _packing(columns: list[summary.ColumnSummary]) -> list[dict[str, Any]]:
    """What each codec (or mix of codecs) does to the columns that use it."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for one in columns:
        if not one.codecs:
            continue
        total = sums.setdefault(one.codecs, [0, 0, 0])
        total[0] += 1
        total[1] += one.compressed_size
        total[2] += one.uncompressed_size
    return [
        {
            "codec": " and ".join(codecs),
            "columns": count,
            "compressed": compressed,
            "uncompressed": uncompressed,
            "ratio": uncompressed / compressed if compressed > 0 else None,
        }
        for codecs, (count, compressed, uncompressed) in sorted(
            sums.items(), key=lambda item: -item[1][1]
        )
    ]


def _encodings(file: ParquetFile) -> Iterator[tuple[str, int, str, int]]:
    """Encodings of data pages, the most used first: pages (or chunks, where pages are not counted), columns."""
    pages: dict[str, int] = {}
    chunks: dict[str, int] = {}
    columns: dict[str, set[int]] = {}
    seen = 0
    try:
        for chunk in file.chunks():
            seen += 1
            if seen > ENCODED_CHUNKS:
                break
            try:
                told = chunk.metadata.encoding_stats
                plain = chunk.metadata.encodings
            except ParquetError:
                continue
            data = [one for one in told or () if one.page_type != PageType.DICTIONARY_PAGE]
            for one in data:
                encoding = structs.enum_name(Encoding, one.encoding)
                pages[encoding] = pages.get(encoding, 0) + (one.count or 0)
                columns.setdefault(encoding, set()).add(chunk.index)
            for number in () if data else plain:
                encoding = structs.enum_name(Encoding, number)
                if encoding not in ("RLE", "BIT_PACKED"):  # those of levels, nearly always
                    chunks[encoding] = chunks.get(encoding, 0) + 1
                    columns.setdefault(encoding, set()).add(chunk.index)
    except ParquetError:
        pass
    for counted, unit in ((pages, "page"), (chunks, "column chunk")):
        for encoding, count in sorted(counted.items(), key=lambda item: -item[1]):
            yield encoding, count, unit, len(columns[encoding])


TABLE = (
    Column("column", "column", "text", "path of the leaf"),
    Column("type", "type", "text", "logical type, or the physical one where there is none"),
    Column("size", "bytes", "bytes", "bytes of its pages in the file"),
    Column("share", "of the file", "share", "its part of the file's bytes"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("codec", "codec", "text", "how its pages are compressed"),
    Column("encodings", "encodings", "text", "all encodings of its chunks, those of levels too"),
    Column("values", "values", "number", "values, nulls included"),
    Column("nulls", "nulls", "number", "by its statistics; absent where they do not tell"),
)


def _table(file: ParquetFile, columns: list[summary.ColumnSummary], found: list[Piece]) -> Table:
    """A row a column, the largest first, then what belongs to no column."""
    rest: dict[str, list[Piece]] = {}
    for piece in found:
        if piece.column < 0:
            rest.setdefault(piece.kind, []).append(piece)
    table = Table(TABLE, "The columns, the largest first", total=len(columns) + len(rest))
    starts = {piece.column: piece for piece in reversed(found)}
    for one in _by_size(columns)[:LISTED]:
        first = starts.get(one.index)
        table.add(
            one.path,
            one.type,
            one.compressed_size,
            one.compressed_size / file.size,
            one.uncompressed_size,
            None if one.ratio is None else round(one.ratio, 2),
            ", ".join(one.codecs) or one.reason,
            ", ".join(one.encodings),
            one.num_values,
            one.null_count,
            address=f"schema/{file.schema.leaves[one.index].index}",
            span=None
            if first is None or first.group < 0
            else _chunk_span(file, first.group, one.index),
        )
    for kind, parts in rest.items():
        total, first = sum(one.size for one in parts), parts[0]
        span = Span(first.start, first.start + total) if kind == "footer" else None
        share = total / file.size
        table.add(f"({kind})", None, total, share, *[None] * 6, address=first.first, span=span)
    return table


def _chunk_span(file: ParquetFile, group: int, column: int) -> Span | None:
    try:
        return file.row_groups[group].columns[column].span
    except (ParquetError, IndexError):
        return None


def sentence(
    file: ParquetFile,
    found: list[Piece],
    columns: list[summary.ColumnSummary],
    known: list[features.Feature],
) -> str:
    """Which part is the largest and why, and the absence of what costs most."""
    sizes: dict[str, int] = {}
    for piece in found:
        if piece.column < 0:
            sizes[piece.kind] = sizes.get(piece.kind, 0) + piece.size
    kind, most = max(sizes.items(), key=lambda item: item[1], default=("", 0))
    of = f"{percent(most / file.size)} of {size(file.size)}"
    if file.metadata is None:
        return (
            f"{of} are pages and indexes whose places only the footer tells, "
            "and the footer is encrypted: without its key nothing more is known."
        )
    largest = _by_size([one for one in columns if one.compressed_size > 0])[:1]
    said = []
    if largest and largest[0].compressed_size >= most:
        said.append(_of_column(largest[0], len(columns), file.size))
    elif kind == "footer":
        said.append(f"{of} is the footer{'' if largest else '; no column has any bytes'}")
    elif kind == GAP:
        said.append(f"{of} belong to nobody")
    else:
        said.append(f"{of} are the {kind}")
    locked = sum(one.unread > 0 for one in columns)
    if locked:
        reason = next(one.reason for one in columns if one.reason).rstrip(".")
        said.append(f"{plural(locked, 'column')} cannot be told: {reason}")
    gaps = sizes.get(GAP, 0)
    if kind != GAP and gaps > file.size * 0.02:
        said.append(f"{percent(gaps / file.size)} belong to nobody")
    absent = _absent(known)
    return "; ".join([*said, absent] if absent else said) + "."


def _of_column(one: summary.ColumnSummary, columns: int, total: int) -> str:
    share = percent(one.compressed_size / total)
    verb, pressed = _shrinks(one)
    if one.compressed_size >= total * 0.3 or columns == 1:
        which = " ".join(("which", verb, pressed)).strip().replace("  ", " ")
        return f"{share} of {size(total)} is column {name(one.path)}, {which}"
    which = f"and {verb} it {pressed}".strip() if verb else f"and {pressed}"
    return (
        f"{size(total)} in {plural(columns, 'column')}: the largest, {name(one.path)}, "
        f"has {share}, {which}"
    )


def _shrinks(one: summary.ColumnSummary) -> tuple[str, str]:
    """What the codec does to the column: who does what, and how much."""
    if one.ratio is None or one.codecs in ((), ("UNCOMPRESSED",)):
        return "", "is not compressed"
    who = " with ".join(_codec(codec) for codec in one.codecs)
    if one.ratio < 0.98:
        return f"{who} makes", f"larger ({factor(one.ratio)})"
    if one.ratio < 1.02:
        return f"{who} does not shrink", ""
    return f"{who} shrinks", ("only " if one.ratio < 1.25 else "") + factor(one.ratio)


def _codec(codec: str) -> str:
    return codec if codec.startswith("LZ") else codec.capitalize()


def _absent(known: list[features.Feature]) -> str:
    missing = [one.name for one in known if one.absent and one.name in COSTLY]
    if missing:
        return f"there {'is' if missing == ['page index'] else 'are'} no {' and no '.join(missing)}"
    for one in known:
        if one.state == "some" and one.name in COSTLY:
            return f"only {one.count:,} of {plural(one.of, 'column chunk')} have {one.name}"
    return ""
