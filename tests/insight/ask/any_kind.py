"""The kinds of columns that a condition can ask about, and Hypothesis strategies for their values."""

from __future__ import annotations

import dataclasses
import datetime
import math
import random
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from needs import has

EVERYONE = frozenset({"pqexplore", "pyarrow", "duckdb", "polars", "spark"})
UTC = datetime.UTC
EPOCH = datetime.datetime(1970, 1, 1)
PREFIX = "the same forty bytes in front of each text"


@dataclasses.dataclass(frozen=True, eq=False)
class Kind:
    """A kind of column.

    `cells` are what `pyarrow.array` takes as values of `type`. `key` sorts them. `told` is the type in which DuckDB gets
    them if it has not `type` itself; `writers` can write it, `options` are our writer's for the column.
    """

    name: str
    type: pa.DataType
    cells: st.SearchStrategy[Any]
    key: Callable[[Any], Any] = lambda cell: cell
    told: pa.DataType | None = None
    writers: frozenset[str] = EVERYONE
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        return self.name

    @property
    def family(self) -> str:
        """The first word of its name, which decides what it is compared with."""
        return self.name.split()[0]


def integers(bits: int, signed: bool) -> st.SearchStrategy[int]:
    """Small numbers, the ends of the range, and those that a double does not hold."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    telling = [low, low + 1, high, high - 1, (1 << 53) + 1, (1 << 53), -(1 << 53) - 1, (1 << 24) + 1]
    return st.integers(max(low, -3), min(high, 9)) | st.sampled_from(
        [number for number in telling if low <= number <= high]
    )


def nan_last(number: float) -> tuple[bool, float]:
    """A key that sorts floats."""
    return (True, 0.0) if math.isnan(number) else (False, float(number))


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    """Small decimals, and the ends of the range."""
    most = 10**precision - 1
    numbers = st.integers(-300, 300) | st.sampled_from([most, -most, most - 1, 10 ** (precision - 1)])
    return numbers.map(lambda n: Decimal((n < 0, tuple(map(int, str(abs(n)))), -scale)))


FLOATS = [0.0, -0.0, 1.5, -1.5, 0.1, 3.0, 16777216.0, math.inf, -math.inf, math.nan, -math.nan]
TEXTS = ["", "a", "ab", "b", "Z", "\u00e4", "\uffff", "\U0001f600", "\U0001f600a", "z\U0010ffff", "\x7f"]
texts = st.sampled_from(TEXTS) | st.sampled_from(TEXTS).map(lambda text: PREFIX + text)
moments = st.integers(-3, 5).map(lambda n: EPOCH + datetime.timedelta(hours=n * 7)) | st.sampled_from(
    [datetime.datetime(1677, 9, 22), datetime.datetime(2262, 4, 11), datetime.datetime(2021, 1, 1)]
)
fine_moments = moments | moments.map(lambda moment: moment + datetime.timedelta(microseconds=1))
dates = st.dates(datetime.date(2020, 1, 1), datetime.date(2020, 1, 6)) | st.sampled_from(
    [datetime.date(1969, 12, 31), datetime.date(9999, 12, 31)]
)
OURS = frozenset({"pqexplore"})
ARROW = frozenset({"pqexplore", "pyarrow"})
HALVES = ARROW if has("pyarrow", "15") else OURS
"""Older versions of pyarrow write none."""
NOT_SPARK = EVERYONE - {"spark"}


def _in_utc(moment: datetime.datetime) -> datetime.datetime:
    return moment.replace(tzinfo=UTC)


def _nanoseconds(moment: datetime.datetime) -> int:
    return (moment - EPOCH) // datetime.timedelta(microseconds=1) * 1000


KINDS = {
    kind.name: kind
    for kind in [
        *(
            Kind(f"int{bits}", getattr(pa, f"int{bits}")(), integers(bits, True))
            for bits in (8, 16, 32, 64)
        ),
        *(
            Kind(f"int of {bits} bits unsigned", getattr(pa, f"uint{bits}")(), integers(bits, False), writers=NOT_SPARK)
            for bits in (8, 16, 32, 64)
        ),
        Kind("float", pa.float32(), st.sampled_from(FLOATS), nan_last),
        Kind("float of 64 bits", pa.float64(), st.sampled_from([*FLOATS, 0.30000000000000004, 2.0**53]), nan_last),
        Kind("float of 16 bits", pa.float16(), st.sampled_from(FLOATS).map(np.float16), nan_last, pa.float32(), HALVES),
        Kind("decimal in INT32", pa.decimal128(9, 2), decimals(9, 2), options={"physical_type": "INT32"}),
        Kind("decimal in INT64", pa.decimal128(18, 3), decimals(18, 3), options={"physical_type": "INT64"}),
        Kind("decimal in FIXED_LEN_BYTE_ARRAY", pa.decimal128(35, 10), decimals(35, 10)),
        Kind("decimal in BYTE_ARRAY", pa.decimal128(20, 0), decimals(20, 0), options={"physical_type": "BYTE_ARRAY"}),
        Kind("string", pa.string(), texts),
        Kind("binary", pa.binary(), texts.map(str.encode)),
        Kind("binary of three bytes", pa.binary(3), st.sampled_from([b"abc", b"ab\0", b"\0\0\0", b"\xff\xff\xff"]), told=pa.binary(), writers=ARROW),
        Kind("uuid", pa.binary(16), st.integers(0, 3).map(lambda n: uuid.UUID(int=n << 126).bytes), told=pa.string(), writers=OURS, options={"logical_type": "UUID"}),
        Kind("boolean", pa.bool_(), st.booleans()),
        Kind("date", pa.date32(), dates),
        Kind("time in milliseconds", pa.time32("ms"), st.integers(0, 5).map(lambda n: n * 1001), writers=ARROW),
        Kind("time in microseconds", pa.time64("us"), st.integers(0, 5).map(lambda n: n * 1_000_001), writers=NOT_SPARK),
        Kind("local timestamp in milliseconds", pa.timestamp("ms"), moments),
        Kind("local timestamp in microseconds", pa.timestamp("us"), fine_moments),
        Kind("local timestamp in nanoseconds", pa.timestamp("ns"), fine_moments.map(_nanoseconds), writers=NOT_SPARK),
        Kind("timestamp in milliseconds", pa.timestamp("ms", "UTC"), moments.map(_in_utc)),
        Kind("timestamp in microseconds", pa.timestamp("us", "UTC"), fine_moments.map(_in_utc)),
        Kind("timestamp in nanoseconds", pa.timestamp("ns", "UTC"), fine_moments.map(_nanoseconds), told=pa.timestamp("us", "UTC"), writers=ARROW),
        Kind("timestamp in INT96", pa.timestamp("us", "UTC"), fine_moments.map(_in_utc), writers=OURS | {"spark"}, options={"physical_type": "INT96"}),
    ]
}  # fmt: skip
KINDS |= {
    "null": Kind("null", pa.null(), st.none(), told=pa.int32(), writers=frozenset({"pqexplore", "pyarrow"}))
}  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    `path` is how a condition names it; `shape` is flat, struct, list, structs (a list of them), variant or geometry.
    `pool` are its values, `chosen` further options of our writer.
    """

    path: str
    kind: Kind
    shape: str
    pool: list[Any]
    chosen: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def spread(count: int, rows: int, how: str, seed: int) -> list[int]:
    """Which of `count` values each row has."""
    if how == "sorted":
        return [row * count // rows for row in range(rows)]
    if how == "by turns":
        return [row % count for row in range(rows)]
    return [random.Random(seed * 1_000_003 + row // 3).randrange(count) for row in range(rows)]
