"""Files that the rules about values, metadata and encryption are about, and near misses."""

import json
import uuid

import numpy as np
import pyarrow as pa
from insight.doctor.doctor_cases import RANDOM, Case, nulls, written
from made import rebuilt

DAYS = [f"2024-{1 + n % 12:02}-01" for n in range(2_000)]


def texts(values, **options):
    return written(pa.table({"s": values}), **options)


def floats(values):
    return written(pa.table({"f": pa.array(values, pa.float64())}))


def decimals(precision):
    """Decimals of 16 bytes, of which the schema says that they have so many digits."""
    return rebuilt(
        written(pa.table({"d": pa.array([1, 2], pa.decimal128(38, 2))})),
        schema__1__precision=precision,
        schema__1__logicalType__DECIMAL__precision=precision,
    )


def integers(high, **options):
    return written(
        pa.table({"n": RANDOM.integers(0, high, 600_000)}), use_dictionary=False, **options
    )


CASES = [
    Case(
        "text-of-another-type",
        lambda: texts(DAYS),
        lambda: texts([*DAYS[:-1], "unknown"]),
        "The bounds of `s` look like a date in 1 row group (2024-01-01 … 2024-12-01), and",
        "footer",
    ),
    Case(
        "text-values-of-another-type",
        lambda: texts(DAYS),
        lambda: texts([*DAYS[:-1], "2024-01-unknown"]),  # between the bounds
        "All 2,000 values of `s` are dates (2024-01-01 … 2024-12-01)",
        "data",
    ),
    Case(
        "text-of-another-type",
        lambda: texts([str(uuid.UUID(int=n << 90)) for n in range(2_000)]),
        lambda: texts([f"{n << 90:032x}" for n in range(2_000)]),
        "look like a UUID",
    ),
    Case(
        "text-values-of-another-type",
        lambda: texts([json.dumps({"n": n}) for n in range(2_000)]),
        lambda: texts([f"{{{n}" for n in range(2_000)]),
        "are JSON objects or lists",
        "data",
    ),
    Case(
        "text-of-another-type",
        lambda: texts([str(n) for n in range(2_000)]),
        lambda: texts([f"{n:05}" for n in range(2_000)]),  # leading zeros are lost in a number
        "look like a number",
    ),
    Case(
        "whole-numbers-as-floats",
        lambda: floats([float(n) for n in range(1_999)] + [float("nan")]),
        lambda: floats([0.5, *map(float, range(1_999))]),
        "All 2,000 values of `f` are whole numbers, but for 1 NaN, and the column stores DOUBLE",
        "data",
    ),
    Case(
        "whole-numbers-as-floats",
        lambda: written(pa.table({"f": np.arange(2_000, dtype=np.float32)})),
        lambda: floats([0.0, 1e300] * 1_000),  # whole, but no integer type holds it
        "stores FLOAT",
        "data",
    ),
    Case(
        "mostly-nulls",
        lambda: written(nulls(2_000, 1)),
        lambda: written(pa.table({"n": [None, 1] * 1_000})),
        "1 column has values in at most 1 of 2,000 rows, by the footer's counts: `n`",
    ),
    Case(
        "wide-decimals",
        lambda: decimals(9),
        lambda: written(pa.table({"d": pa.array([1, 2], pa.decimal128(9, 2))})),  # 4 bytes
        "`d` stores DECIMAL(9, 2) in 16 bytes a value, and INT32 holds it in 4",
    ),
    Case(
        "wide-decimals",
        lambda: decimals(18),
        lambda: decimals(19),
        "INT64 holds it in 8",
    ),
    Case(
        "converted-types-only",
        lambda: rebuilt(texts(["a"]), schema__1__logicalType=None),
        lambda: texts(["a"]),
        "1 field has a converted type and no logical type (`s`)",
    ),
    Case(
        "wide-integers",
        lambda: integers(1 << 31, compression="none"),
        lambda: integers(1 << 32, compression="none"),
        "`n` takes 8.0 bytes a value in the file",
    ),
    Case(
        "wide-integers",
        lambda: integers(1 << 31, compression="snappy"),
        lambda: written(pa.table({"n": np.arange(600_000) % 1_000}), compression="zstd", use_dictionary=False),  # the codec makes them small
        "fit INT32",
    ),
]  # fmt: skip
