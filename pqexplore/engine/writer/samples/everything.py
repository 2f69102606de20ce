"""A sample with each physical type, each logical type, and each value encoding that other readers know."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.writer.samples.sample_file import Sample, from_table

ROWS = 60


def _column(values: Any, kind: pa.DataType) -> pa.Array:
    """The values repeated, with a null in every seventh row."""
    filled = [values[i % len(values)] if i % 7 else None for i in range(ROWS)]
    return pa.array(filled, kind)


def table() -> pa.Table:
    """A table with a column for each type."""
    moment = datetime.datetime(2026, 8, 1, 12, 30, 15, 123_456)
    numbers = [0, 1, -1, 100, -100]
    positive = [0, 1, 2, 100, 200]
    digits = [Decimal("0.00"), Decimal("1.25"), Decimal("-99.99")]
    columns: dict[str, pa.Array] = {
        "boolean": _column([True, False], pa.bool_()),
        "uuid": _column([bytes(range(16)), bytes(16)], pa.binary(16)),
        "string": _column(["", "a", "Straße", "日本"], pa.string()),
        "enum": _column(["RED", "GREEN"], pa.string()),
        "json": _column(['{"a": 1}', "[]"], pa.string()),
        "bson": _column([b"\x05\0\0\0\0"], pa.binary()),
        "binary": _column([b"", b"\0\xff"], pa.binary()),
        "fixed": _column([b"abc", b"\0\xff\x80"], pa.binary(3)),
        "int96": _column([moment], pa.timestamp("us")),
        "date": _column([moment.date(), datetime.date(1815, 12, 10)], pa.date32()),
        "interval": _column([b"\1\0\0\0\2\0\0\0\3\0\0\0"], pa.binary(12)),
        "null": pa.nulls(ROWS),
    }
    for bits in (8, 16, 32, 64):
        columns[f"int{bits}"] = _column(numbers, getattr(pa, f"int{bits}")())
        columns[f"uint{bits}"] = _column(positive, getattr(pa, f"uint{bits}")())
    for kind in (pa.float16(), pa.float32(), pa.float64()):
        floats = [kind.to_pandas_dtype()(n) for n in (0, -0.0, 1.5, np.inf, np.nan)]
        columns[str(kind)] = _column(floats, kind)
    for digits_of, kind in (
        ("int32", pa.decimal128(9, 2)),
        ("int64", pa.decimal128(18, 2)),
        ("fixed", pa.decimal128(38, 2)),
        ("wide", pa.decimal256(60, 2)),
        ("bytes", pa.decimal128(20, 2)),
    ):
        columns[f"decimal_{digits_of}"] = _column(digits, kind)
    clock = moment.time().replace(microsecond=123_000)
    for unit in ("ms", "us", "ns"):
        time = pa.time32("ms") if unit == "ms" else pa.time64(unit)
        columns[f"time_{unit}"] = _column([clock], time)
        stamp = moment.replace(microsecond=123_000)
        columns[f"timestamp_{unit}"] = _column([stamp], pa.timestamp(unit))
        columns[f"instant_{unit}"] = _column([stamp], pa.timestamp(unit, "UTC"))
    columns["list"] = _column([[1, None], [], [2]], pa.list_(pa.int32()))
    columns["map"] = _column([[("k", 1)], []], pa.map_(pa.string(), pa.int64()))
    columns["struct"] = _column([{"a": 1, "b": None}], pa.struct([("a", pa.int8()), ("b", pa.string())]))
    return pa.table(columns)


SAMPLE: Sample = from_table(
    "everything",
    "A column for each physical and logical type, nulls in all of them, and each of the older encodings.",
    table,
    page_rows=20,
    row_group_rows=40,
    columns={
        "uuid": {"logical_type": "UUID"},
        "enum": {"logical_type": "ENUM"},
        "json": {"logical_type": "JSON", "encoding": "DELTA_LENGTH_BYTE_ARRAY"},
        "bson": {"logical_type": "BSON", "encoding": "PLAIN"},
        "interval": {"logical_type": "INTERVAL"},
        "int96": {"physical_type": "INT96"},
        "decimal_bytes": {"physical_type": "BYTE_ARRAY"},
        "string": {"encoding": "DELTA_BYTE_ARRAY", "page_version": 2},
        "int32": {"encoding": "DELTA_BINARY_PACKED"},
        "int64": {"encoding": "BYTE_STREAM_SPLIT"},
        "boolean": {"encoding": "RLE"},
        "double": {"encoding": "BYTE_STREAM_SPLIT"},
    },
)
