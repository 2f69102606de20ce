"""Files that the project makes itself, small and full of features, to be broken."""

import functools

import numpy as np
import pyarrow as pa
from made import CHECKSUMS, parquet

ROWS = 120


def _write(table, **options):
    return parquet(table, **options)


@functools.cache
def types():
    """Every physical type, optional and required, with page index and, from pyarrow 15 on, page checksums."""
    numbers = np.arange(ROWS)
    table = pa.table(
        {
            "flag": pa.array([bool(i % 3) if i % 5 else None for i in numbers]),
            "i32": pa.array(numbers, pa.int32()),
            "i64": pa.array([int(i) << 40 if i % 7 else None for i in numbers]),
            "f32": pa.array(numbers / 7, pa.float32()),
            "f64": pa.array(numbers / 3),
            "text": pa.array([f"text {i % 9}" for i in numbers]),
            "bytes": pa.array([bytes(int(i) % 5) for i in numbers]),
            "fixed": pa.array([bytes([int(i)] * 6) for i in numbers], pa.binary(6)),
            "when": pa.array(numbers * 10**6, pa.timestamp("us", "UTC")),
            "price": pa.array([int(i) for i in numbers], pa.decimal128(20, 0)),
        }
    )
    return _write(table, row_group_size=70, write_page_index=True, **CHECKSUMS)


@functools.cache
def nested():
    """Lists in lists, maps, structs, with nulls at every level; V2 pages."""
    rows = range(ROWS)
    table = pa.table(
        {
            "list": pa.array([[i, None][: i % 3] if i % 4 else None for i in rows]),
            "deep": pa.array([[[i] * (i % 3)] * (i % 2) if i % 5 else None for i in rows]),
            "map": pa.array([[(str(k), k) for k in range(i % 3)] if i % 4 else None for i in rows],
                pa.map_(pa.string(), pa.int64())),
            "struct": pa.array([{"a": i, "b": {"c": str(i)}} if i % 3 else None for i in rows]),
        }
    )  # fmt: skip
    return _write(table, data_page_version="2.0", compression="zstd", data_page_size=100, write_batch_size=16)


@functools.cache
def encodings():
    """Each encoding that Arrow writes, a column each."""
    numbers = np.arange(ROWS)
    table = pa.table(
        {
            "delta": pa.array(numbers * 3),
            "delta_length": pa.array([f"t{i}" for i in numbers]),
            "delta_bytes": pa.array([f"prefix {i // 10} {i}" for i in numbers]),
            "split": pa.array(numbers / 7),
            "rle": pa.array([bool(i % 3) for i in numbers]),
            "plain": pa.array([f"p{i}" for i in numbers]),
        }
    )
    kinds = {
        "delta": "DELTA_BINARY_PACKED",
        "delta_length": "DELTA_LENGTH_BYTE_ARRAY",
        "delta_bytes": "DELTA_BYTE_ARRAY",
        "split": "BYTE_STREAM_SPLIT",
        "rle": "RLE",
        "plain": "PLAIN",
    }
    return _write(table, use_dictionary=False, column_encoding=kinds, compression="none", write_page_index=True)


@functools.cache
def codecs():
    """A column for each codec that Arrow writes."""
    names = ("snappy", "gzip", "brotli", "lz4", "zstd", "none")
    table = pa.table({name: pa.array([f"{name} {i % 20}" for i in range(ROWS)]) for name in names})
    return _write(table, compression={name: name for name in names}, use_dictionary=["snappy", "zstd"])


FILES = {made.__name__: made for made in (types, nested, encodings, codecs)}
"""Each file's name, and what gives its bytes."""
