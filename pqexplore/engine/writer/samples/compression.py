"""Samples of codecs: one column for each, and the two that are rarely used with V2 pages."""

from __future__ import annotations

import pyarrow as pa

from pqexplore.engine.writer.samples.sample_file import Sample, from_table

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")


def _texts(*names: str) -> pa.Table:
    texts = [f"row {row} of {row % 7} kinds; " * 3 if row % 11 else None for row in range(500)]
    return pa.table(dict.fromkeys(names, texts))


EVERY_CODEC = from_table(
    "codecs",
    "The same column under each codec; LZO has a sample of its own, because it needs a library.",
    lambda: _texts(*(codec.lower() for codec in CODECS)),
    encoding="PLAIN",
    columns={codec.lower(): {"codec": codec} for codec in CODECS},
)

LZO = from_table(
    "lzo-v2",
    "LZO, in Hadoop's framing, in pages of version 2 and of version 1.",
    lambda: _texts("v2", "v1"),
    encoding="PLAIN",
    codec="LZO",
    columns={"v2": {"page_version": 2}},
)

LZ4 = from_table(
    "lz4-v2",
    "The deprecated LZ4, in Hadoop's framing, in pages of version 2 and of version 1.",
    lambda: _texts("v2", "v1"),
    encoding="PLAIN",
    codec="LZ4",
    columns={"v2": {"page_version": 2}},
)

SAMPLES: tuple[Sample, ...] = (EVERY_CODEC, LZO, LZ4)
