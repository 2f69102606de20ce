"""Writing one column with Zstandard, beside pyarrow's writer: the same pages, levels of compression, indexes and checksums."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import ENCODINGS, Files, values
from benchmarks.measure import Row, compared

LIMIT = 3.3
"""The time may be so many times pyarrow's: at least 0.3 of its speed."""

LEVEL = 1
"""Of Zstandard: pyarrow's default."""

PAGE_BYTES = 1 << 20


def rows(files: Files) -> Iterator[Row]:
    rng = np.random.default_rng(2)
    for kind, encoding in ENCODINGS.values():
        column = pa.array(values(kind, files.rows, rng))
        field = pa.field("c", column.type, nullable=column.null_count > 0)
        table = pa.table([column], schema=pa.schema([field]))
        aim = LIMIT if encoding in ("PLAIN", "RLE_DICTIONARY") else None
        contenders = {"ours": _ours(table, encoding), "pyarrow": _arrow(table, encoding)}
        yield compared(f"written, Zstandard, {encoding}, {kind}", contenders, aim, rounds=5)


def _ours(table: pa.Table, encoding: str) -> Callable[[], Any]:
    options = pqexplore.WriteOptions(
        encoding=encoding,
        codec="ZSTD",
        codec_level=LEVEL,
        page_bytes=PAGE_BYTES,
        page_rows=None,
        dictionary_bytes=PAGE_BYTES,
    )
    return lambda: pqexplore.write(table, io.BytesIO(), options)


def _arrow(table: pa.Table, encoding: str) -> Callable[[], Any]:
    by_dictionary = encoding == "RLE_DICTIONARY"
    return lambda: pq.write_table(
        table,
        io.BytesIO(),
        use_dictionary=by_dictionary,
        column_encoding=None if by_dictionary else {"c": encoding},
        compression="zstd",
        compression_level=LEVEL,
        data_page_size=PAGE_BYTES,
        dictionary_pagesize_limit=PAGE_BYTES,
        write_page_index=True,
        write_page_checksum=True,
    )
