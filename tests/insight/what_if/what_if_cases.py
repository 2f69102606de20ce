"""Small files of many shapes, for what is predicted of them."""

import datetime
import uuid

import numpy as np
import pyarrow as pa

ROWS = 3_000
_RANDOM = np.random.default_rng(7)

NUMBERS = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": _RANDOM.integers(0, 10_000, ROWS) / 100,
        "small": pa.array(_RANDOM.integers(0, 9, ROWS), pa.int32()),
        "noise": pa.array(_RANDOM.normal(size=ROWS), pa.float32()),
    }
)
TEXT = pa.table(
    {
        "city": [("Paris", "Rome", "Oslo")[i % 3] for i in range(ROWS)],
        "name": [f"customer {i * 7919 % 10_007:06d}" for i in range(ROWS)],
        "code": pa.array([f"{i % 50:08d}".encode() for i in range(ROWS)], pa.binary(8)),
    }
)
NULLS = pa.table(
    {
        "some": [None if i % 7 == 0 else i for i in range(ROWS)],
        "all": pa.nulls(ROWS, pa.int32()),
        "flag": [None if i % 11 == 0 else i % 2 == 0 for i in range(ROWS)],
    }
)
NESTED = pa.table(
    {
        "tags": [[] if i % 3 else ["a", None, f"t{i % 5}"] for i in range(ROWS)],
        "s": [{"x": i, "y": None if i % 2 else f"y{i}"} for i in range(ROWS)],
    }
)
TIMES = pa.table(
    {
        "at": pa.array(np.cumsum(_RANDOM.integers(0, 9_999, ROWS)), pa.timestamp("us")),
        "day": pa.array([i // 100 for i in range(ROWS)], pa.date32()),
    }
)
TYPED = pa.table(
    {
        "day": [str(datetime.date(2020, 1, 1) + datetime.timedelta(i % 1_500)) for i in range(ROWS)],
        "id": [str(uuid.UUID(bytes=_RANDOM.bytes(16))) for _ in range(ROWS)],
        "n": pa.array(_RANDOM.integers(0, 1 << 30, ROWS), pa.int64()),
        "x": _RANDOM.normal(size=ROWS),
    }
)
EMPTY = NUMBERS.slice(0, 0)

TABLES = {"numbers": NUMBERS, "text": TEXT, "nulls": NULLS, "nested": NESTED, "times": TIMES, "no rows": EMPTY}
