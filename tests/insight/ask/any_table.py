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
import struct
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
from pqexplore.engine.format.variant.encode import Typed, encode_array
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
        Kind("decimal in FIXED_LEN_BYTE_ARRAY", pa.decimal128(35, 10), decimals(35, 10)),
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
    """A column of a table.

    `path` is how a condition names it; `shape` is flat, struct, list, structs (a list of them), variant or geometry.
    `pool` are its values, `chosen` further options of our writer.
    """

    path: str
    kind: Kind
    shape: str
    pool: list[Any]
    chosen: Mapping[str, Any] = dataclasses.field(default_factory=dict)


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
    if column.shape == "structs":
        lists = [cell and [{"x": one, "y": 1} for one in cell] for cell in cells]
        return pa.array(lists, pa.list_(pa.struct([("x", kind), ("y", pa.int32())])))
    return pa.array(cells, kind)


def _told(array: pa.Array, column: Column) -> pa.Array:
    kind = column.kind.told
    if kind is None:
        return array
    if column.kind.family == "uuid":  # the texts of UUIDs have the order of the UUIDs
        return pa.array([cell and str(uuid.UUID(bytes=cell)) for cell in array.to_pylist()], kind)
    if column.shape == "list":
        return array.cast(pa.list_(kind))
    inner = pa.struct([("x", kind), ("y", pa.int32())])
    if column.shape in ("struct", "structs"):
        return array.cast(inner if column.shape == "struct" else pa.list_(inner))
    return array.cast(kind)


@st.composite
def columns(draw: Any, number: int, writer: str, names: tuple[str, ...]) -> tuple[Column, list[Any], str]:
    """A column, its cells to choose from, sorted, and how they are spread."""
    kind = KINDS[draw(st.sampled_from([n for n in names if writer in KINDS[n].writers]))]
    shape = draw(st.sampled_from(["flat", "flat", "flat", "struct", "list", "structs"]))
    if kind.name == "null" or (shape != "flat" and kind.family == "uuid"):
        shape = "flat"
    pool = sorted(draw(st.lists(kind.cells, min_size=1, max_size=6)), key=kind.key) if kind.name != "null" else [None]
    nulls = draw(st.sampled_from(["none", "some", "some", "only"])) if kind.name != "null" else "only"
    cells: list[Any] = [None] if nulls == "only" else [*pool, *([None] if nulls == "some" else [])]
    if shape == "struct" and nulls != "none":
        cells = [*cells, "no struct"]
    if shape in ("list", "structs"):
        cells = [[cell] for cell in cells] + [[], cells[:3]] + ([None] if nulls != "none" else [])
    path = f"c{number}.x" if shape == "struct" else f"c{number}"
    return Column(path, kind, shape, pool), cells, draw(st.sampled_from(["sorted", "sorted", "by turns", "random"]))


VARIANT_TYPES = {
    "int": pa.int64(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}
SHREDDINGS = [
    None,
    pa.int64(),
    pa.string(),
    *(pa.struct([("a", kind)]) for kind in (pa.int32(), pa.int64(), pa.string(), pa.float64(), pa.bool_())),
    pa.struct([("a", pa.struct([("b", pa.int64())]))]),
]


def cast(value: Any, name: str) -> Any:
    """A value of a Variant as a type, as Spark's try_variant_get casts it; None if it cannot."""
    if value is None or isinstance(value, dict):
        return None
    if name == "string":
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name == "boolean":
        return {"true": True, "false": False}.get(value) if isinstance(value, str) else bool(value)
    try:
        return float(value) if name == "double" else int(value)
    except ValueError:
        return None


@st.composite
def variants(draw: Any, number: int, rows: int) -> tuple[Column, pa.Array, dict[str, pa.Array]]:
    """A column of Variants, shredded or not; DuckDB gets the values at `$`, `$.a` and `$.a.b` as each type."""
    scalars = st.sampled_from([1, 2, 5, 300, 1 << 40, "x", "5", "", "y", 2.5, 2.0, True, False, None])
    few = st.one_of(scalars, st.just({}), scalars.map(lambda v: {"a": v}), scalars.map(lambda v: {"a": {"b": v}}))
    alike = scalars.flatmap(lambda v: st.sampled_from([{"a": v}, v]))
    pool = draw(st.lists(few, min_size=1, max_size=5) | st.lists(alike, min_size=1, max_size=2))
    order = _order(len(pool), rows, draw(st.sampled_from(["sorted", "by turns"])), 0)
    cells = [pool[index] for index in order]
    array = encode_array([Typed("null", None) if cell is None else cell for cell in cells])
    told = {}
    for path in ("$", "$.a", "$.a.b"):
        found = [_at(cell, path) for cell in cells]
        for name, kind in VARIANT_TYPES.items():
            values = [cast(value, name) for value in found]
            if name == "int":
                values = [None if one is None or abs(one) >= 1 << 31 else one for one in values]
            told[f"c{number}{path}{name}"] = pa.array(values, kind)
    told[f"c{number}"] = pa.array([True] * rows, pa.bool_())
    shredding = draw(st.sampled_from(SHREDDINGS))
    chosen = {"logical_type": "VARIANT", "shredding": shredding}
    return Column(f"c{number}", KINDS["string"], "variant", pool, chosen), array, told


def _at(value: Any, path: str) -> Any:
    for name in path.split(".")[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@st.composite
def geometries(draw: Any, number: int, rows: int) -> tuple[Column, pa.Array, dict[str, pa.Array]]:
    """A column of points, and lines that are parallel to an axis: each is its own box, which DuckDB gets."""
    ends = st.integers(-3, 3)
    few = st.none() | st.tuples(ends, ends, st.integers(0, 2), st.booleans())
    pool = draw(st.lists(few, min_size=1, max_size=5))
    order = _order(len(pool), rows, draw(st.sampled_from(["sorted", "by turns"])), 0)
    boxes: list[Any] = []
    for index in order:
        cell = pool[index]
        if cell is None:
            boxes.append(None)
            continue
        x, y, length, flat = cell
        boxes.append((x, y, x + length * flat, y + length * (not flat)))
    told = {
        f"c{number}_{side}": pa.array([box and float(box[at]) for box in boxes], pa.float64())
        for at, side in enumerate(("xmin", "ymin", "xmax", "ymax"))
    }
    told[f"c{number}"] = pa.array([box and True for box in boxes], pa.bool_())
    column = Column(f"c{number}", KINDS["binary"], "geometry", pool, {"logical_type": "GEOMETRY"})
    return column, pa.array([box and wkb(box) for box in boxes], pa.binary()), told


def wkb(box: tuple[int, int, int, int]) -> bytes:
    """A point, or a line from one end to the other, as Well-Known Binary."""
    if box[:2] == box[2:]:
        return struct.pack("<bIdd", 1, 1, *box[:2])
    return struct.pack("<bIIdddd", 1, 2, 2, *box)


@st.composite
def tables(draw: Any, writer: str, names: tuple[str, ...] = tuple(KINDS)) -> AnyTable:
    """A table that a writer can write. DuckDB's smallest row group has 2,048 rows, so its tables are longer."""
    rows = draw(st.sampled_from([0, 1, 7, 23, 40])) * (250 if writer == "duckdb" else 1)
    made: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int32())}
    told, all_columns = dict(made), []
    for number in range(draw(st.integers(1, 4))):
        if writer == "pqexplore" and draw(st.integers(0, 5)) == 0:
            column, array, texts_of = draw(draw(st.sampled_from([variants, geometries]))(number, rows))
            made[f"c{number}"] = array
            told |= texts_of
            all_columns.append(column)
            continue
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
        if column.chosen:
            by_column[column.path] = {"encoding": chosen["encoding"], **column.chosen}
            continue
        leaf = {"list": ".list.element", "structs": ".list.element.x"}.get(column.shape, "")
        by_column[column.path + leaf] = {**column.kind.options, **chosen}
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
