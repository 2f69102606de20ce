"""Samples with one fault each, for the doctor to find. They are kept apart from the sound samples, which every reader reads."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.writer.file import write as write_table
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.samples.sample_file import CREATED_BY, Sample, from_bytes, from_table

ROWS = 2_000


def numbers(rows: int = ROWS) -> pa.Table:
    """Ascending numbers."""
    return pa.table({"n": pa.array(np.arange(rows), pa.int64())})


def noise() -> pa.Table:
    """Random bytes, 1.1 MB of them, which no codec shrinks."""
    data = np.random.RandomState(20_261_122).bytes(1_100 << 10)
    return pa.table({"noise": [data[at : at + 1_024] for at in range(0, len(data), 1_024)]})


def wide() -> pa.Table:
    """Five rows of 400 columns with long names."""
    return pa.table({f"column number {i:03} of a wide table": [1, 2, 3, 4, 5] for i in range(400)})


def twins() -> pa.Table:
    """Two columns of the same name."""
    return pa.Table.from_arrays([pa.array([1, 2, 3]), pa.array([4, 5, 6])], ["price", "price"])


def written(table: pa.Table, **options: Any) -> bytearray:
    """The bytes of a file that is then damaged."""
    out = io.BytesIO()
    chosen = {"codec": "UNCOMPRESSED", "encoding": "PLAIN", "created_by": CREATED_BY} | options
    write_table(table, out, WriteOptions(**chosen))
    return bytearray(out.getvalue())


def checksum() -> bytes:
    """A bit of a page is flipped after its checksum was computed."""
    data = written(numbers(), checksum=True)
    data[500] ^= 1
    return bytes(data)


def page() -> bytes:
    """The header of the first page, after the magic, is overwritten."""
    data = written(numbers())
    data[4:12] = b"\xff" * 8
    return bytes(data)


def bounds() -> bytes:
    """The maximum in the statistics, 1,999, is replaced by -1, which is below the minimum."""
    data = written(numbers(), column_index=False)
    right, wrong = ((number).to_bytes(8, "little", signed=True) for number in (ROWS - 1, -1))
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return bytes(data[:footer] + data[footer:].replace(right, wrong))


def gap() -> bytes:
    """100 kB before the footer that nothing in it names."""
    data = written(numbers())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return bytes(data[:footer] + b"\1" * 100_000 + data[footer:])


def _of(name: str, sentence: str, make: Callable[[], pa.Table], **options: Any) -> Sample:
    return from_table(f"sick-{name}", sentence, make, **options)


SAMPLES = (
    from_bytes("sick-checksum", "A page whose bytes do not have its checksum.", checksum),
    from_bytes("sick-page", "A column chunk whose first page header is overwritten.", page),
    from_bytes("sick-statistics", "Statistics whose minimum is above the maximum.", bounds),
    _of("row-groups", "200 row groups of 100 rows.", lambda: numbers(20_000), row_group_rows=100),
    _of("footer", "400 columns in five row groups of one row: most of the file is its footer.", wide, row_group_rows=1),
    _of(
        "bloom",
        "A Bloom filter that takes most of the file.",
        numbers,
        columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 128 << 10}},
    ),
    _of(
        "codec",
        "Random bytes that GZIP makes larger.",
        noise,
        codec="GZIP",
        encoding="PLAIN",
        page_rows=1,
        statistics=(),
        column_index=False,
    ),
    _of(
        "no-statistics",
        "Two row groups without statistics: no query can skip one.",
        lambda: numbers(12_000),
        row_group_rows=6_000,
        statistics=(),
        column_index=False,
    ),
    from_bytes("sick-gap", "100 kB that nothing in the footer names.", gap),
    _of(
        "key-values",
        "Key-value metadata that takes most of the file.",
        numbers,
        key_value_metadata={"notes": "v" * 100_000},
    ),
    _of("names", "Two columns of the same name.", twins),
)
