"""Rules about codecs: pages that compression enlarges, columns that it does not shrink, columns without a codec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import factor, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

CODECS = Source(
    "Parquet, compression", "https://parquet.apache.org/docs/file-format/data-pages/compression/"
)

LEAST_BYTES = 1 << 20
"""Bytes of a column below which its codec does not matter."""

ENLARGED = 1.01
"""Compressed to uncompressed size from which a column counts as enlarged: page headers alone are not it."""


def _sums(subject: Subject, leaf: Leaf) -> tuple[int, int, set[int]]:
    compressed = subject.total("total_compressed_size", leaf)
    uncompressed = subject.total("total_uncompressed_size", leaf)
    if compressed < LEAST_BYTES:
        return compressed, uncompressed, set()
    return compressed, uncompressed, {int(one.codec) for _, one in subject.metadata(leaf)}


def enlarged(subject: Subject) -> Iterator[Diagnosis]:
    """Columns that are larger with their codec than without."""
    for leaf in subject.leaves:
        compressed, uncompressed, codecs = _sums(subject, leaf)
        if codecs <= {CompressionCodec.UNCOMPRESSED} or compressed < LEAST_BYTES:
            continue
        if compressed < uncompressed * ENLARGED:
            continue
        codec = structs.enum_name(CompressionCodec, next(iter(codecs)))
        yield Diagnosis(
            "codec-enlarges",
            Severity.WASTEFUL,
            f"{codec} makes {name(leaf.path)} larger: {size(compressed)} compressed, {size(uncompressed)} without.",
            Address.of("schema", leaf.index),
            ".".join(leaf.path),
            evidence={"compressed": compressed, "uncompressed": uncompressed, "codec": codec},
            cost=Cost(
                f"{size(compressed - uncompressed)}, and the time to decompress them",
                bytes=compressed - uncompressed,
            ),
            fix="Write the column uncompressed, or with an encoding that shrinks it.",
            code=_uncompressed_code(".".join(leaf.path)),
            source=CODECS,
        )


def useless(subject: Subject) -> Iterator[Diagnosis]:
    """Columns that their codec shrinks by next to nothing."""
    for leaf in subject.leaves:
        compressed, uncompressed, codecs = _sums(subject, leaf)
        if codecs <= {CompressionCodec.UNCOMPRESSED} or compressed < LEAST_BYTES:
            continue
        if not USELESS <= compressed / uncompressed < ENLARGED:
            continue
        codec = structs.enum_name(CompressionCodec, next(iter(codecs)))
        saved = max(0, uncompressed - compressed)
        yield Diagnosis(
            "codec-does-not-shrink",
            Severity.NOTE,
            f"{codec} shrinks {name(leaf.path)} by {percent(saved / uncompressed)}: {size(compressed)} compressed, "
            f"{size(uncompressed)} without.",
            Address.of("schema", leaf.index),
            ".".join(leaf.path),
            evidence={"compressed": compressed, "uncompressed": uncompressed, "codec": codec},
            cost=Cost("every reader decompresses these pages for nothing"),
            fix="Write the column uncompressed, or with an encoding that shrinks it.",
            code=_uncompressed_code(".".join(leaf.path)),
            source=CODECS,
        )


def _uncompressed_code(column: str) -> dict[str, str]:
    return {
        "pyarrow": f"pq.write_table(table, path, compression={{…, {column!r}: 'none'}})",
        "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'codec': 'UNCOMPRESSED'}}}})",
    }


def uncompressed(subject: Subject) -> Iterator[Diagnosis]:
    """A file whose large columns have no codec, and whose dictionaries do not make up for it."""
    found = []
    for leaf in subject.leaves:
        compressed, _, codecs = _sums(subject, leaf)
        if codecs == {int(CompressionCodec.UNCOMPRESSED)} and compressed >= LEAST_BYTES:
            found.append((leaf, compressed))
    total = sum(count for _, count in found)
    if not found or total < subject.file.size / 2:
        return
    leaf, largest = max(found, key=lambda one: one[1])
    yield Diagnosis(
        "uncompressed",
        Severity.NOTE,
        f"{plural(len(found), 'column')} with {percent(total / subject.file.size)} of the file's bytes have no codec; the largest "
        f"is {name(leaf.path)} with {size(largest)}.",
        Address.of("schema", leaf.index),
        evidence={"columns": len(found), "bytes": total},
        fix="Try Zstandard or Snappy; how much they save depends on the values.",
        code={
            "pyarrow": "pq.write_table(table, path, compression='zstd')",
            "Spark": "df.write.option('compression', 'zstd').parquet(path)",
            "DuckDB": "COPY … TO 'path' (FORMAT parquet, COMPRESSION zstd)",
            "polars": "df.write_parquet(path, compression='zstd')",
            "pqexplore": "pqexplore.WriteOptions(codec='ZSTD')",
        },
        source=CODECS,
    )


USELESS = 0.98
"""Compressed to uncompressed size from which a codec saves next to nothing."""

RULES = (
    Rule(
        "codec-does-not-shrink", Severity.NOTE, FOOTER,
        "A codec that saves nothing",
        "Values without repetition do not shrink, and every reader decompresses them all the same.",
        useless, CODECS,
        f"A column of at least {size(LEAST_BYTES)} that is at least {percent(USELESS)} of its uncompressed size.",
    ),
    Rule(
        "codec-enlarges", Severity.WASTEFUL, FOOTER,
        "A codec that enlarges a column",
        "Values without repetition, such as random numbers or compressed images, do not shrink: the codec adds bytes and time.",
        enlarged, CODECS,
        f"A column of at least {size(LEAST_BYTES)} that is {factor(ENLARGED)} its uncompressed size or more.",
    ),
    Rule(
        "uncompressed", Severity.NOTE, FOOTER,
        "Large columns without a codec",
        "Most columns shrink by a factor of two or more.",
        uncompressed, CODECS,
        f"Columns of at least {size(LEAST_BYTES)} without a codec that are half of the file.",
    ),
)  # fmt: skip
