"""The whole file: which columns take its bytes, how well they are compressed, and which features it lacks."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift.structs import Encoding, PageType, enum_name
from pqexplore.engine.span import Span
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.engine.tree.node import Node
from pqexplore.insight import summary
from pqexplore.insight.account import Piece, pieces
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.doctor.diagnose import kept
from pqexplore.insight.doctor.verdict import Looked
from pqexplore.insight.features import Feature, features
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.lenses.overview_cards import Cards, cards
from pqexplore.insight.lenses.overview_headline import columns_of, headline, look
from pqexplore.insight.lenses.overview_icicle import Tile, chunk_span, icicle
from pqexplore.insight.writers.defect import BOUNDS, SPLITS, VALUES

FIRST = frozenset({"file"})

LARGEST = 5
"""Max columns in the picture."""

LISTED = 10_000
"""Max columns in the table."""

ENCODED_CHUNKS = 20_000
"""Max column chunks whose encodings are counted."""


@dataclasses.dataclass(slots=True)
class LargeColumn:
    """A column and its sizes in bytes; `ratio` is uncompressed to compressed, `share` its part of the file.

    `share` is None if the chunks lie in other files.
    """

    name: str
    address: str
    type: str
    compressed: int
    uncompressed: int
    ratio: float | None
    codecs: list[str]
    share: float | None


@dataclasses.dataclass(slots=True)
class Packing:
    """The columns of one codec, or of one mix of codecs, with their sizes in bytes."""

    codec: str
    columns: int
    compressed: int
    uncompressed: int
    ratio: float | None


@dataclasses.dataclass(slots=True)
class EncodingUse:
    """An encoding of data pages: how many pages have it (or column chunks, by `unit`), and how many columns."""

    name: str
    pages: int
    unit: str
    columns: int


@dataclasses.dataclass(slots=True)
class Picture:
    """What to fix, the file's bytes as the tiles of an icicle, its largest columns, codecs and encodings, and its features."""

    cards: Cards
    size: int
    tiles: list[Tile]
    largest: list[LargeColumn]
    packing: list[Packing]
    encodings: list[EncodingUse]
    features: list[Feature]


def answer(file: ParquetFile, node: Node) -> Steps:
    """The overview. Yields how much of each of its parts is done; raises nothing for damage in the file."""
    seen = yield from look(file)
    picture = Picture(
        cards=cards(file, seen.report),
        size=file.size,
        tiles=icicle(file, seen.pieces, [one.path for one in seen.columns]),
        largest=[_large(one, file) for one in summary.by_size(seen.columns)[:LARGEST]],
        packing=_packing(seen.columns),
        encodings=_encodings(file),
        features=seen.features,
    )
    return Answer(
        seen.said.sentence,
        picture,
        _table(file, seen.columns, seen.pieces),
        empty=seen.problem,
        code="pqexplore.explore(f).to_frame('overview', at='')",
        line=seen.said.line,
        severity=seen.said.severity,
    )


def structure(file: ParquetFile) -> str:
    """The sentence without findings, which may quote values: it has names and sizes only."""
    return headline(file, pieces(file), columns_of(file)[0], features(file)).sentence


def _large(one: summary.ColumnSummary, file: ParquetFile) -> LargeColumn:
    return LargeColumn(
        name=one.path,
        address=Address.of("schema", file.schema.leaves[one.index].index),
        type=one.type,
        compressed=one.compressed_size,
        uncompressed=one.uncompressed_size,
        ratio=one.ratio,
        codecs=list(one.codecs),
        share=_share(one, file),
    )


def _share(one: summary.ColumnSummary, file: ParquetFile) -> float | None:
    """A column's part of the file's bytes; None if its chunks lie in other files."""
    return None if file.other_files else one.compressed_size / file.size


def _packing(columns: list[summary.ColumnSummary]) -> list[Packing]:
    """The sizes of the columns by codec, the largest first."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for one in columns:
        if not one.codecs:
            continue
        total = sums.setdefault(one.codecs, [0, 0, 0])
        total[0] += 1
        total[1] += one.compressed_size
        total[2] += one.uncompressed_size
    return [
        Packing(
            codec=" and ".join(codecs),
            columns=count,
            compressed=compressed,
            uncompressed=uncompressed,
            ratio=compression_ratio(uncompressed, compressed),
        )
        for codecs, (count, compressed, uncompressed) in sorted(sums.items(), key=lambda item: -item[1][1])
    ]


def _encodings(file: ParquetFile) -> list[EncodingUse]:
    """The encodings of data pages, the most used first: by pages, then by chunks whose writer did not count pages."""
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
                stats = chunk.metadata.encoding_stats
                encodings = chunk.metadata.encodings
            except ParquetError:
                continue
            data = [one for one in stats or () if one.page_type != PageType.DICTIONARY_PAGE]
            for one in data:
                encoding = enum_name(Encoding, one.encoding)
                pages[encoding] = pages.get(encoding, 0) + (one.count or 0)
                columns.setdefault(encoding, set()).add(chunk.index)
            for number in () if data else encodings:
                encoding = enum_name(Encoding, number)
                if encoding not in ("RLE", "BIT_PACKED"):  # those of levels, nearly always
                    chunks[encoding] = chunks.get(encoding, 0) + 1
                    columns.setdefault(encoding, set()).add(chunk.index)
    except ParquetError:
        pass
    return [
        EncodingUse(encoding, count, unit, len(columns[encoding]))
        for counts, unit in ((pages, "page"), (chunks, "column chunk"))
        for encoding, count in sorted(counts.items(), key=lambda item: -item[1])
    ]


TABLE = (
    Column("column", "column", "text", "path of the leaf"),
    Column("type", "type", "text", "logical type, or else the physical type"),
    Column("size", "bytes", "bytes", "bytes of its pages in the file"),
    Column("share", "of the file", "share", "its part of the file's bytes"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("codec", "codec", "text", "how its pages are compressed"),
    Column("encodings", "encodings", "text", "all encodings of its chunks, those of levels too"),
    Column("values", "values", "number", "values, nulls included"),
    Column("nulls", "nulls", "number", "by its statistics; absent if unknown"),
)


def _table(file: ParquetFile, columns: list[summary.ColumnSummary], found: list[Piece]) -> Table:
    """A row a column, the largest first, then the kinds of bytes outside columns."""
    rest: dict[str, list[Piece]] = {}
    for piece in found:
        if piece.column < 0:
            rest.setdefault(piece.kind, []).append(piece)
    table = Table(TABLE, "The columns, the largest first", total=len(columns) + len(rest))
    starts = {piece.column: piece for piece in reversed(found)}
    for one in summary.by_size(columns)[:LISTED]:
        first = starts.get(one.index)
        table.add(
            one.path,
            one.type,
            one.compressed_size,
            _share(one, file),
            one.uncompressed_size,
            None if one.ratio is None else round(one.ratio, 2),
            ", ".join(one.codecs) or one.reason,
            ", ".join(one.encodings),
            one.num_values,
            one.null_count,
            address=Address.of("schema", file.schema.leaves[one.index].index),
            span=None if first is None or first.group < 0 else chunk_span(file, first.group, one.index),
        )
    for kind, parts in rest.items():
        total, first = sum(one.size for one in parts), parts[0]
        span = Span(first.start, first.start + total) if kind == "footer" else None
        share = total / file.size
        table.add(f"({kind})", None, total, share, *[None] * 6, address=first.first, span=span)
    return table


def _looked(file: ParquetFile) -> Looked | None:
    """What the last diagnosis looked at, which the sentence says."""
    report = kept(file)
    return None if report is None else report.looked


LENS = Lens(
    "overview",
    title="Overview",
    answer=answer,
    kinds=FIRST,
    first=FIRST,
    picture=Picture,
    misled_by=frozenset({BOUNDS, VALUES, SPLITS}),
    depends=_looked,
    figure="overview",
)
