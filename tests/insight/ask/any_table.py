"""Hypothesis strategies: tables of every type of column that a condition can ask about, and the writers of their files.

A cell comes from a few values, so that a literal often is one of them. The values are spread over the rows in order, by
turns or at random: sorted columns let bounds skip, the others do not.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import pathlib
import random
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.writer.options import WriteOptions

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
        Kind("float of 16 bits", pa.float16(), st.sampled_from(FLOATS).map(np.float16), nan_last, pa.float32(), ARROW),
        Kind("decimal in INT32", pa.decimal128(9, 2), decimals(9, 2), options={"physical_type": "INT32"}),
        Kind("decimal in INT64", pa.decimal128(18, 3), decimals(18, 3), options={"physical_type": "INT64"}),
        Kind("decimal in FIXED_LEN_BYTE_ARRAY", pa.decimal128(38, 10), decimals(38, 10)),
        Kind("decimal in BYTE_ARRAY", pa.decimal128(20, 0), decimals(20, 0), options={"physical_type": "BYTE_ARRAY"}),
        Kind("string", pa.string(), texts),
        Kind("binary", pa.binary(), texts.map(str.encode)),
        Kind("binary of three bytes", pa.binary(3), st.sampled_from([b"abc", b"ab\0", b"\0\0\0", b"\xff\xff\xff"]), writers=ARROW),
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
    """A column of a table: `path` is how a condition names it, `shape` flat, struct or list; `pool` its values."""

    path: str
    kind: Kind
    shape: str
    pool: list[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class AnyTable:
    """A table, its columns, and the same rows in types that DuckDB has. `id` is the number of each row."""

    table: pa.Table
    told: pa.Table
    columns: list[Column]


def _order(count: int, rows: int, how: str, seed: int) -> list[int]:
    """Which of `count` values each row has."""
    if how == "sorted":
        return [row * count // rows for row in range(rows)]
    if how == "by turns":
        return [row % count for row in range(rows)]
    return [random.Random(seed * 1_000_003 + row // 3).randrange(count) for row in range(rows)]


def _array(cells: list[Any], column: Column, kind: pa.DataType) -> pa.Array:
    if column.shape == "struct":
        rows = [None if cell == "no struct" else {"x": cell, "y": 1} for cell in cells]
        return pa.array(rows, pa.struct([("x", kind), ("y", pa.int32())]))
    if column.shape == "list":
        return pa.array(cells, pa.list_(kind))
    return pa.array(cells, kind)


def _told(array: pa.Array, column: Column) -> pa.Array:
    kind = column.kind.told
    if kind is None:
        return array
    if column.kind.family == "uuid":  # the texts of UUIDs have the order of the UUIDs
        return pa.array([cell and str(uuid.UUID(bytes=cell)) for cell in array.to_pylist()], kind)
    if column.shape == "list":
        return array.cast(pa.list_(kind))
    if column.shape == "struct":
        return array.cast(pa.struct([("x", kind), ("y", pa.int32())]))
    return array.cast(kind)


@st.composite
def columns(draw: Any, number: int, writer: str, names: tuple[str, ...]) -> tuple[Column, list[Any], str]:
    """A column, its cells to choose from, sorted, and how they are spread."""
    kind = KINDS[draw(st.sampled_from([n for n in names if writer in KINDS[n].writers]))]
    shape = draw(st.sampled_from(["flat", "flat", "flat", "struct", "list"]))
    if kind.name == "null" or (shape != "flat" and kind.family == "uuid"):
        shape = "flat"
    pool = sorted(draw(st.lists(kind.cells, min_size=1, max_size=6)), key=kind.key) if kind.name != "null" else [None]
    nulls = draw(st.sampled_from(["none", "some", "some", "only"])) if kind.name != "null" else "only"
    cells: list[Any] = [None] if nulls == "only" else [*pool, *([None] if nulls == "some" else [])]
    if shape == "struct" and nulls != "none":
        cells = [*cells, "no struct"]
    if shape == "list":
        cells = [[cell] for cell in cells] + [[], cells[:3]] + ([None] if nulls != "none" else [])
    path = f"c{number}.x" if shape == "struct" else f"c{number}"
    return Column(path, kind, shape, pool), cells, draw(st.sampled_from(["sorted", "sorted", "by turns", "random"]))


@st.composite
def tables(draw: Any, writer: str, names: tuple[str, ...] = tuple(KINDS)) -> AnyTable:
    """A table that a writer can write. DuckDB's smallest row group has 2,048 rows, so its tables are longer."""
    rows = draw(st.sampled_from([0, 1, 7, 23, 40])) * (250 if writer == "duckdb" else 1)
    made: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int32())}
    told, all_columns = dict(made), []
    for number in range(draw(st.integers(1, 4))):
        column, cells, how = draw(columns(number, writer, names))
        order = _order(len(cells), rows, how, draw(st.integers(0, 99)) if how == "random" else 0)
        array = _array([cells[index] for index in order], column, column.kind.type)
        made[f"c{number}"], told[f"c{number}"] = array, _told(array, column)
        all_columns.append(column)
    return AnyTable(pa.table(made), pa.table(told), all_columns)


STATISTICS = ("bounds", "null_count", "nan_count", "exactness", "legacy")


@st.composite
def our_options(draw: Any, made: AnyTable) -> WriteOptions:
    """Choices that change what a query can skip."""
    by_column: dict[str, dict[str, Any]] = {}
    for column in made.columns:
        floats = column.kind.family == "float"
        chosen = {
            "encoding": draw(st.sampled_from([None, "PLAIN"])),
            "column_order": draw(st.sampled_from(["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"])) if floats else "TYPE_ORDER",
        }
        if "INT96" in column.kind.name:
            chosen["column_order"] = draw(st.sampled_from(["TYPE_ORDER", "INT96_TIMESTAMP_ORDER"]))
        top = column.path.split(".")[0]
        leaf = f"{top}.list.element" if column.shape == "list" else column.path
        by_column[leaf] = {**column.kind.options, **chosen}
    return WriteOptions(
        page_version=draw(st.sampled_from([1, 2])),
        page_rows=draw(st.sampled_from([1, 3, 5, 1_000])),
        row_group_rows=draw(st.sampled_from([4, 9, 1_000])),
        dictionary_bytes=draw(st.sampled_from([16, None, None])),
        statistics=draw(st.sampled_from([(), ("chunk",), ("chunk", "page")])),
        statistics_fields=draw(st.lists(st.sampled_from(STATISTICS), unique=True)) if draw(st.booleans()) else STATISTICS[:4],
        statistics_bytes=draw(st.sampled_from([1, 4, 41, None])),
        index_bytes=draw(st.sampled_from([1, 4, 41, None])),
        column_index=draw(st.sampled_from([True, True, False])),
        bloom_filter=draw(st.booleans()),
        bloom_filter_bytes=draw(st.sampled_from([None, 32])),
        columns=by_column,
    )  # fmt: skip


def _by_us(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    pqexplore.write(made.table, path, draw(our_options(made)))


def _by_pyarrow(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    pq.write_table(
        made.table,
        path,
        row_group_size=draw(st.sampled_from([4, 9, 1_000])),
        data_page_size=1,
        write_batch_size=draw(st.sampled_from([1, 3, 1_000])),
        data_page_version=draw(st.sampled_from(["1.0", "2.0"])),
        use_dictionary=draw(st.booleans()),
        write_page_index=draw(st.booleans()),
        store_decimal_as_integer=draw(st.booleans()),
        use_deprecated_int96_timestamps=draw(st.sampled_from([False, False, True])),
    )


def _by_duckdb(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    size, version = draw(st.sampled_from([2048, 4096])), draw(st.sampled_from(["V1", "V2"]))
    table = made.table
    with duckdb.connect() as connection:
        connection.register("made", table)
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        connection.execute(
            f"COPY (FROM made) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {size}, PARQUET_VERSION {version})"
        )


def _by_polars(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    import polars

    frame = polars.from_arrow(made.table)
    assert isinstance(frame, polars.DataFrame)
    frame.write_parquet(
        path,
        row_group_size=draw(st.sampled_from([4, 9, 1_000])),
        data_page_size=draw(st.sampled_from([1, 40, 1_000])),
        statistics="full",
    )


WRITERS: dict[str, Callable[[Any, AnyTable, pathlib.Path], None]] = {
    "pqexplore": _by_us,
    "pyarrow": _by_pyarrow,
    "duckdb": _by_duckdb,
    "polars": _by_polars,
}
