"""Rules that write a sample of a file another way: encodings and compression levels that would take less.

What they say is an estimate from a few pages, and their sentences say of how many values or bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding
from pqexplore.engine.rule import DATA, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.doctor.rules.compression import CODECS
from pqexplore.insight.doctor.rules.dictionaries import ENCODINGS
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

ZSTANDARD = Source("Zstandard, compression levels", "https://facebook.github.io/zstd/")

MOST = 0.8
"""What another encoding may take of what the values take now: a sample does not know it so well that less would matter."""

PAGES = 2
SHARE = 0.1
"""Pages of a column that are compressed at another level, and the share that must be saved of them."""

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
        if total >= trials.LEAST_BYTES:
            found.append((total, leaf, chunks[0]))
    return sorted(found, key=lambda one: -one[0])


def smaller_encodings(subject: Subject) -> Iterator[Finding]:
    """Columns that would be far smaller in another encoding, by a sample."""
    for sample in trials.samples(subject).values():
        try:
            found = _better(subject, sample)
        except ParquetError:
            continue
        if found is not None:
            yield found


def _better(subject: Subject, sample: trials.Sample) -> Finding | None:
    """The best other encoding of a column; None if it does not save much, or a codec alone saves more."""
    if sample.best is None or sample.best[0] > MOST * sample.now:
        return None
    takes, encoding = sample.best
    if sample.uncompressed and sample.with_codec < takes:
        return None
    saved = sample.total - sample.column(takes)
    severity = trials.severity(subject, saved)
    if severity is None:
        return None
    leaf, chunk = sample.leaf, sample.parts[0].chunk
    column = trials.named(leaf)
    used = " and ".join(structs.enum_name(Encoding, one) for one in sorted(sample.used))
    return Finding(
        "encoding-smaller",
        chunk.address,
        f"{_cause(sample, encoding)}; {sample.instead(takes, encoding.name)}",
        {"values": sample.count, "encoding": encoding.name, "used": used}
        | trials.smaller({column: saved}, sample.column(takes), sample.total),
        column=column,
        severity=severity,
        row_groups=tuple(one.chunk.row_group.index for one in sample.parts),
        cost=trials.cost(subject, saved),
        fix=f"Write the column in {encoding.name} instead of {used}, and see that your readers have it.",
        code=_code(subject, leaf, encoding),
    )


def _cause(sample: trials.Sample, encoding: Encoding) -> str:
    """What is true of the values that were looked at, for which an encoding is small; it is said of no others."""
    values = f"{plural(sample.count, 'value')} of {name(sample.leaf.path)}"
    if encoding == Encoding.DELTA_BINARY_PACKED:
        return f"{values} {_course(sample)}"
    if encoding in trials.DICTIONARIES:
        most = max(len(pc.unique(one)) for one in sample.values)
        return f"{values} are at most {most:,} different ones a page"
    if encoding == Encoding.BYTE_STREAM_SPLIT:
        return f"{values} are alike in some of their bytes"
    return f"{values} {'are long runs' if encoding == Encoding.RLE else 'begin alike'}"


def _course(sample: trials.Sample) -> str:
    """How integers follow each other."""
    numbers = [numpy_numbers(one).astype(np.int64) for one in sample.values]
    steps = np.concatenate([np.diff(one) for one in numbers])
    if not len(steps):
        return "are few numbers"
    if (steps == steps[0]).all() and steps[0]:
        way = "ascend" if steps[0] > 0 else "descend"
        plain = meaning(sample.leaf).name in ("", "INTEGER")
        return f"{way} by {abs(int(steps[0])):,}" if plain else f"{way} in equal steps"
    if (steps >= 0).all():
        return "ascend"
    if (steps <= 0).all():
        return "descend"
    return f"change from value to value by less than 2^{max(int(steps.max()), -int(steps.min())).bit_length()}"


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
        "encoding-smaller", Severity.WASTEFUL, SAMPLE,
        "An encoding that would be far smaller",
        "Numbers in steps, values with common prefixes and floats of one magnitude have encodings of their own. A part of the pages is "
        "encoded again with ours, and compressed with the column's codec.",
        smaller_encodings, ENCODINGS,
        f"A column of at least {size(trials.LEAST_BYTES)}: {trials.VALUES:,} values of {trials.PAGES} pages take at most {percent(MOST)} in another "
        f"encoding that most readers have, and a codec alone would not save more. {trials.THRESHOLD}",
    ),
    Rule(
        "compression-level", Severity.NOTE, DATA,
        "A compression level that saves little",
        "The level is not in the file, so a sample of pages is compressed again.",
        compression_level, ZSTANDARD,
        f"GZIP level {LEVELS[CompressionCodec.GZIP]} or ZSTD level {LEVELS[CompressionCodec.ZSTD]} takes {percent(SHARE)} less on a sample of up to "
        f"{size(LEVEL_BYTES)} from columns of at least {size(trials.LEAST_BYTES)}.",
    ),
)  # fmt: skip
