"""Rules that write a sample of a file another way: encodings and compression levels that would take less.

What they say is an estimate from a few pages, and their sentences say of how many values or bytes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.rule import DATA, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.doctor.rules.compression import CODECS, LEAST_BYTES
from pqexplore.insight.doctor.rules.dictionaries import ENCODINGS
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

ZSTANDARD = Source("Zstandard, compression levels", "https://facebook.github.io/zstd/")

CANDIDATES: dict[int, tuple[Encoding, ...]] = {
    Type.BOOLEAN: (Encoding.RLE,),
    Type.INT32: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED),
    Type.INT64: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED),
    Type.FLOAT: (Encoding.RLE_DICTIONARY, Encoding.BYTE_STREAM_SPLIT),
    Type.DOUBLE: (Encoding.RLE_DICTIONARY, Encoding.BYTE_STREAM_SPLIT),
    Type.BYTE_ARRAY: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BYTE_ARRAY),
    Type.FIXED_LEN_BYTE_ARRAY: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BYTE_ARRAY),
}
"""Encodings that are tried. Newer ones, and BYTE_STREAM_SPLIT of integers, have few readers."""

PAGES = 2
VALUES = 10_000
"""Pages of a column that are tried, and values of each."""

HALF = 0.5
"""What another encoding may take of what the values take now."""

SHARE = 0.1
"""The share of the file that must be saved, or of the sample by another level."""

LARGE, MUCH = 4 << 20, 0.4
"""Bytes, and the share of the file, from which on what is saved is no note: our choice."""

LEVELS = {CompressionCodec.GZIP: 6, CompressionCodec.ZSTD: 9}
"""Levels that are tried: GZIP's default, and one of ZSTD that still writes fast."""

LEVEL_BYTES = 4 << 20
"""Bytes of pages, before compression, that are compressed again."""


def _largest(subject: Subject) -> list[tuple[int, Leaf, ColumnChunk]]:
    """(compressed bytes, leaf, its first chunk) of the leaves of at least `LEAST_BYTES`, the largest first."""
    found = []
    for leaf in subject.leaves:
        chunks = list(subject.chunks(leaf))
        total = sum(max(0, chunk.metadata.total_compressed_size) for chunk in chunks)
        if total >= LEAST_BYTES:
            found.append((total, leaf, chunks[0]))
    return sorted(found, key=lambda one: -one[0])


@dataclasses.dataclass(frozen=True, slots=True)
class _Sample:
    """The first values of a page, and what they take as they are encoded now."""

    values: pa.Array
    now: float


def _sample(page: Page) -> _Sample:
    """Raises ParquetError if the page, or its dictionary, cannot be read."""
    chunk, count = page.chunk, min(VALUES, page.num_present)
    values = page.physical_part(0, count)
    if page.encoding not in trials.DICTIONARIES:
        return _Sample(values, trials.encoded(chunk, values, page.encoding or 0))
    ids, entries = page.dictionary_ids, chunk.dictionary_page
    if ids is None or entries is None:
        return _Sample(values, trials.encoded(chunk, values, Encoding.PLAIN))
    stored = trials.indexes(ids[:count], entries.num_values)
    dictionary = trials.compressed(chunk, entries.body.section("values").data)
    through = sum(one.num_values for one in trials.data_pages(chunk) if one.encoding in trials.DICTIONARIES)  # fmt: skip
    share = count / max(1, through)
    return _Sample(values, trials.compressed(chunk, stored) + dictionary * share)


@dataclasses.dataclass(frozen=True, slots=True)
class _Better:
    """An encoding, what the sample takes with it and now, how many values the sample has, and its encodings by name."""

    encoding: Encoding
    takes: float
    now: float
    values: int
    used: str


def _better(subject: Subject, chunk: ColumnChunk) -> _Better | None:
    """The best other encoding of a chunk by a sample; None if there is none, or too much was tried before."""
    pages = trials.spread(chunk, PAGES)
    used = {page.encoding for page in pages if page.encoding is not None}
    candidates = [one for one in CANDIDATES.get(chunk.leaf.physical_type, ()) if one not in used]
    if chunk.dictionary_page is not None:
        candidates = [one for one in candidates if one not in trials.DICTIONARIES]
    bytes_ = sum(map(trials.uncompressed_bytes, pages))
    if not pages or not candidates or not subject.may_try(VALUES * len(pages), bytes_):
        return None
    samples = [_sample(page) for page in pages]
    now, values = sum(one.now for one in samples), sum(len(one.values) for one in samples)
    sizes = [(sum(trials.encoded(chunk, one.values, each) for one in samples), each) for each in candidates]
    takes, best = min(sizes)
    names = " and ".join(structs.enum_name(Encoding, one) for one in sorted(used))
    return _Better(best, takes, now, values, names) if values and takes <= HALF * now else None


def smaller_encodings(subject: Subject) -> Iterator[Finding]:
    """Columns that would be far smaller in another encoding, by a sample."""
    for total, leaf, chunk in _largest(subject):
        try:
            found = _better(subject, chunk)
        except ParquetError:
            continue
        if found is None:
            continue
        saved = int(total * (1 - found.takes / found.now))
        if saved < SHARE * subject.file.size:
            continue
        number = int(chunk.metadata.codec)
        codec = f"with {structs.enum_name(CompressionCodec, number)}" if number else "without a codec"
        less = percent(saved / total).replace("> ", "over ")
        yield Finding(
            "encoding-smaller",
            chunk.address,
            f"By an estimate from {found.values:,} values of row group {chunk.row_group.index:,}, {name(leaf.path)} would take "
            f"{less} less in {found.encoding.name} {codec}, and the sample {size(round(found.takes))} instead of "
            f"{size(round(found.now))} in {found.used}.",
            {
                "values": found.values,
                "encoding": found.encoding.name,
                "takes": round(found.takes),
                "now": round(found.now),
            },
            column=".".join(leaf.path),
            severity=Severity.WASTEFUL if saved >= max(LARGE, MUCH * subject.file.size) else Severity.NOTE,
            row_groups=(chunk.row_group.index,),
            cost=Cost(f"about {size(saved)} of the column's {size(total)}, if its other values are alike", bytes=saved),
            fix=f"Try {found.encoding.name}, and see that your readers have it.",
            code=_code(subject, leaf, found.encoding),
        )


def _code(subject: Subject, leaf: Leaf, encoding: Encoding) -> dict[str, str]:
    """Code that writes a column in an encoding; pyarrow's only if no column is nested: it names leaves."""
    column = ".".join(leaf.path)
    code = {"pqexplore": f"pqexplore.WriteOptions(encodings={{{column!r}: {encoding.name!r}}})"}
    if encoding == Encoding.RLE_DICTIONARY:
        return code | {"pyarrow": "pq.write_table(table, path, use_dictionary=True)", "Spark": "df.write.parquet(path)"}  # fmt: skip
    if subject.flat:
        others = f"[name for name in table.column_names if name != {column!r}]"
        code["pyarrow"] = (
            f"pq.write_table(table, path, use_dictionary={others}, column_encoding={{{column!r}: {encoding.name!r}}})"
        )
    if encoding in (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_BYTE_ARRAY):
        off = f"parquet.enable.dictionary#{column}"
        code["Spark"] = f"df.write.option('parquet.writer.version', 'v2').option({off!r}, 'false').parquet(path)"
    return code


def compression_level(subject: Subject) -> Iterator[Finding]:
    """Pages that take clearly less at a higher level of their codec, by a sample."""
    for codec, level in LEVELS.items():
        columns, pages, before, now, then = 0, 0, 0, 0, 0
        total = 0
        for column_bytes, _, chunk in _largest(subject):
            if chunk.metadata.codec != codec:
                continue
            try:
                sample = trials.spread(chunk, PAGES)
                bytes_ = sum(map(trials.uncompressed_bytes, sample))
                if before + bytes_ > LEVEL_BYTES:
                    continue
                sizes = [
                    (len(page.stored), trials.rewritten(page, page.body.section("values").data, level))
                    for page in sample
                ]  # fmt: skip
            except ParquetError:
                continue
            columns, pages, before = columns + 1, pages + len(sizes), before + bytes_
            total += column_bytes
            now += sum(one for one, _ in sizes)
            then += sum(one for _, one in sizes)
        saved = now - then
        if not pages or saved < SHARE * now:
            continue
        yield Finding(
            "compression-level",
            "",
            f"{codec.name} level {level} would take {percent(saved / now)} less on a sample of {plural(pages, 'page')} from "
            f"{plural(columns, 'column')}: {size(then)} instead of {size(now)}.",
            {"pages": pages, "bytes": before, "now": now, "then": then, "level": level},
            cost=Cost(
                f"about {size(total * saved // now)} of {size(total)}, if the other pages are alike; a higher level takes time "
                "when it is written, and hardly any when it is read",
                bytes=total * saved // now,
            ),
            fix=f"Write with level {level}.",
            code={
                "pyarrow": f"pq.write_table(table, path, compression={codec.name.lower()!r}, compression_level={level})",
                "Spark": _SPARK[codec],
                "polars": f"df.write_parquet(path, compression={codec.name.lower()!r}, compression_level={level})",
                "pqexplore": f"pqexplore.WriteOptions(codec={codec.name!r}, codec_level={level})",
            }
            | (
                {"DuckDB": f"COPY tbl TO 'file.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL {level})"}
                if codec == CompressionCodec.ZSTD
                else {}
            ),
            source=ZSTANDARD if codec == CompressionCodec.ZSTD else CODECS,
        )


_SPARK = {
    CompressionCodec.GZIP: "df.write.option('compression', 'gzip').parquet(path)",  # its default level is 6
    CompressionCodec.ZSTD: f"df.write.option('compression', 'zstd').option('parquet.compression.codec.zstd.level', {LEVELS[CompressionCodec.ZSTD]}).parquet(path)",
}

RULES = (
    Rule(
        "encoding-smaller", Severity.NOTE, SAMPLE,
        "An encoding that would be far smaller",
        "Numbers in steps, values with common prefixes and floats of one magnitude have encodings of their own. A part of the pages is "
        "encoded again with ours, and compressed with the column's codec.",
        smaller_encodings, ENCODINGS,
        f"A column of at least {size(LEAST_BYTES)}; {plural(VALUES, 'value')} of {PAGES} pages take half in another encoding that "
        f"most readers have, and that would save {percent(SHARE)} of the file. There is no published threshold: it is such that an "
        f"ordinary codec does not make up for it. From {size(LARGE)} and {percent(MUCH)} of the file on, it is wasteful.",
    ),
    Rule(
        "compression-level", Severity.NOTE, DATA,
        "A compression level that saves little",
        "The level is not in the file, so a sample of pages is compressed again.",
        compression_level, ZSTANDARD,
        f"GZIP level {LEVELS[CompressionCodec.GZIP]} or ZSTD level {LEVELS[CompressionCodec.ZSTD]} takes {percent(SHARE)} less on a sample of up to "
        f"{size(LEVEL_BYTES)} from columns of at least {size(LEAST_BYTES)}.",
    ),
)  # fmt: skip
