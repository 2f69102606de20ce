"""Rules about codecs: pages that compression enlarges, columns that it does not shrink, columns without a codec."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.wording import listing, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

CODECS = Source("Parquet, compression", "https://parquet.apache.org/docs/file-format/data-pages/compression/")

LEAST_BYTES = 1 << 20
"""Bytes of a column below which its codec does not matter."""

ENLARGED = 1.01
"""Compressed to uncompressed size from which a column counts as enlarged: page headers alone are not it."""


@dataclasses.dataclass
class _Sum:
    """The column chunks of a leaf that have the same codec: their bytes, and their row groups."""

    compressed: int = 0
    uncompressed: int = 0
    groups: list[int] = dataclasses.field(default_factory=list)


def _by_codec(subject: Subject, leaf: Leaf) -> dict[int, _Sum]:
    """The chunks of a leaf by codec: row groups need not have the same one. Empty for a leaf below `LEAST_BYTES`."""
    found: dict[int, _Sum] = {}
    if subject.total("total_compressed_size", leaf) < LEAST_BYTES:
        return found
    for group, metadata in subject.metadata(leaf):
        one = found.setdefault(int(metadata.codec), _Sum())
        one.compressed += max(0, metadata.total_compressed_size)
        one.uncompressed += max(0, metadata.total_uncompressed_size)
        one.groups.append(group)
    return found


def _judged(subject: Subject, rule: str, severity: Severity, lowest: float, highest: float) -> Iterator[Finding]:
    """The columns whose compressed size is `lowest` to `highest` times the uncompressed one, by codec."""
    for leaf in subject.leaves:
        by_codec = _by_codec(subject, leaf)
        for number, one in by_codec.items():
            compressed, uncompressed = one.compressed, one.uncompressed
            if number == CompressionCodec.UNCOMPRESSED or compressed < LEAST_BYTES or uncompressed == 0:
                continue  # 0 is not a size that the footer states
            if not lowest * uncompressed <= compressed < highest * uncompressed:
                continue
            codec = structs.enum_name(CompressionCodec, number)
            total = sum(len(other.groups) for other in by_codec.values())
            where = "" if len(by_codec) == 1 else f" in {len(one.groups):,} of {plural(total, 'row group')}"
            added = compressed - uncompressed
            cost = Cost("every reader decompresses these pages, which saves no bytes", bytes=max(0, added))
            if severity is Severity.WASTEFUL:
                text = f"{codec} makes {name(leaf.path)} larger{where}"
                cost = Cost(f"{size(added)}, and the time to decompress them", bytes=added)
            elif added >= 0:
                text = f"{codec} does not shrink {name(leaf.path)}{where}"
            else:
                shrunk = percent(-added / uncompressed)
                text = f"{codec} shrinks {name(leaf.path)}{where} by {shrunk}"
            yield Finding(
                rule,
                Address.of("row_groups", one.groups[0], "columns", leaf.leaf_index),
                f"{text}: {size(compressed)} compressed, {size(uncompressed)} without.",
                {"compressed": compressed, "uncompressed": uncompressed, "codec": codec},
                severity=severity,
                column=".".join(leaf.path),
                row_groups=tuple(one.groups[:1_000]),
                cost=cost,
                fix="Write the column uncompressed, or with an encoding that shrinks it.",
                code=_uncompressed_code(subject, leaf, codec),
                source=CODECS,
            )


def enlarged(subject: Subject) -> Iterator[Finding]:
    """Columns that are larger with their codec than without."""
    return _judged(subject, "codec-enlarges", Severity.WASTEFUL, ENLARGED, math.inf)


def useless(subject: Subject) -> Iterator[Finding]:
    """Columns that their codec shrinks by next to nothing."""
    return _judged(subject, "codec-does-not-shrink", Severity.NOTE, USELESS, ENLARGED)


def _uncompressed_code(subject: Subject, leaf: Leaf, codec: str) -> dict[str, str]:
    """Code that writes one column without the file's codec; pyarrow's only if no column is nested: it names leaves."""
    column = ".".join(leaf.path)
    code = {"pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'codec': 'UNCOMPRESSED'}}}})"}
    if codec in PYARROW_CODECS and subject.flat:
        others = f"dict.fromkeys(table.column_names, {codec.lower()!r})"
        code["pyarrow"] = f"pq.write_table(table, path, compression={others} | {{{column!r}: 'none'}})"
    return code


PYARROW_CODECS = ("SNAPPY", "GZIP", "BROTLI", "ZSTD")


def uncompressed(subject: Subject) -> Iterator[Finding]:
    """A file whose large columns have no codec; from level `sample` on, those that a codec shrinks."""
    if subject.level in (FOOTER, PAGES):
        yield from _without_codec(subject)
        return
    found: list[tuple[trials.Sample, int]] = []
    for sample in trials.samples(subject).values():
        try:
            if sample.uncompressed and not (sample.best and sample.best[0] <= sample.with_codec):
                found.append((sample, sample.column(sample.with_codec)))
        except ParquetError:
            continue
    found = [one for one in found if one[0].total - one[1] >= trials.SHARE * one[0].total]
    today, takes = sum(one.total for one, _ in found), sum(one for _, one in found)
    severity = trials.severity(subject, today - takes)
    if severity is None:
        return
    found.sort(key=lambda one: one[1] - one[0].total)
    names = listing([name(one.leaf.path) for one, _ in found], most=LISTED)
    one = len(found) == 1
    yield Finding(
        "uncompressed",
        Address.of("schema", found[0][0].leaf.index),
        f"{names} {'has' if one else 'have'} no codec; Zstandard stores {'it' if one else 'them'} in about {size(takes)} "
        f"instead of {size(today)}.",
        {"columns": [trials.named(each.leaf) for each, _ in found[:100]], "bytes": today}
        | trials.smaller({trials.named(each.leaf): each.total - after for each, after in found}, takes, today),
        severity=severity,
        column=trials.named(found[0][0].leaf),
        cost=trials.cost(subject, today - takes),
        fix="Write with Zstandard, or with Snappy, which is faster and saves less.",
        code=_CODE_CODEC,
    )


def _without_codec(subject: Subject) -> Iterator[Finding]:
    """The large columns without a codec, by the footer alone."""
    found = []
    for leaf in subject.leaves:
        one = _by_codec(subject, leaf).get(CompressionCodec.UNCOMPRESSED)
        if one is not None and one.compressed >= LEAST_BYTES:
            found.append((leaf, one))
    total = sum(one.compressed for _, one in found)
    if not found or total < subject.file.size / 2:
        return
    leaf, largest = max(found, key=lambda one: one[1].compressed)
    yield Finding(
        "uncompressed",
        Address.of("schema", leaf.index),
        f"{percent(total / subject.file.size)} of the file's bytes are in {plural(len(found), 'column')} without a codec; "
        f"{'it is' if len(found) == 1 else 'the largest is'} {name(leaf.path)} with {size(largest.compressed)}.",
        {"columns": len(found), "bytes": total},
        column=".".join(leaf.path),
        row_groups=tuple(largest.groups[:1_000]),
        cost=Cost("how much a codec would save depends on the values"),
        fix="Try Zstandard or Snappy.",
        code=_CODE_CODEC,
    )


_CODE_CODEC = {
    "pyarrow": "pq.write_table(table, path, compression='zstd')",
    "Spark": "df.write.option('compression', 'zstd').parquet(path)",
    "DuckDB": "COPY tbl TO 'file.parquet' (FORMAT parquet, COMPRESSION zstd)",
    "polars": "df.write_parquet(path, compression='zstd')",
    "pqexplore": "pqexplore.WriteOptions(codec='ZSTD')",
}

LISTED = 4

USELESS = 0.98
"""Compressed to uncompressed size from which a codec saves next to nothing."""

RULES = (
    Rule(
        "codec-does-not-shrink", Severity.NOTE, FOOTER,
        "A codec that saves nothing",
        "Values without repetition do not shrink, and every reader decompresses them all the same.",
        useless, CODECS,
        f"The column chunks of a column with one codec: at least {size(LEAST_BYTES)}, and {percent(USELESS)} of their uncompressed size.",
    ),
    Rule(
        "codec-enlarges", Severity.WASTEFUL, FOOTER,
        "A codec that enlarges a column",
        "Values without repetition, such as random numbers or compressed images, do not shrink: the codec adds bytes and time.",
        enlarged, CODECS,
        f"The column chunks of a column with one codec: at least {size(LEAST_BYTES)}, and {ENLARGED} times their uncompressed size.",
    ),
    Rule(
        "uncompressed", Severity.NOTE, FOOTER,
        "Large columns without a codec",
        "Readers fetch every byte of these columns; a codec trades some of them for time.",
        uncompressed, CODECS,
        f"Columns of at least {size(LEAST_BYTES)} without a codec that are half of the file. From level `sample` on, some of their values are "
        f"compressed with Zstandard: columns that it makes {percent(trials.SHARE)} smaller, unless another encoding saves more. {trials.THRESHOLD}",
    ),
)  # fmt: skip
