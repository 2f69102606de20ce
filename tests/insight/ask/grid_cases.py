"""Files of five writers, and conditions about their columns, with which every engine is compared with its plan.

The files have what engines disagree about: NaN, zeros of both signs, nulls, Arrow dictionaries, numbers beyond 2^63,
decimals, timestamps, long and truncated text, leaves of nested structs. `profile_cases` has other claims of footers.
"""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore

GROUPS, ROWS = 6, 40
START = datetime.datetime(2026, 1, 1)
LONG = "a text that is longer than the bounds of a page index and of some footers may be, " * 4


def table(groups: int = GROUPS, rows: int = ROWS) -> pa.Table:
    """Rows numbered `k` in groups `g`: the second group has only nulls, others have some, the first has none.

    The third group of floats has only NaN, others have some, the first has none.
    """
    count = groups * rows
    numbers = [(k, k // rows) for k in range(count)]
    null = [g == 1 or (g > 1 and k % 5 == 0) for k, g in numbers]
    nan = [g == 2 or (g > 2 and k % 7 == 0) for k, g in numbers]
    zeros = ((-0.0,), (0.0,), (-0.0, 0.0), (1.0,), (-1.0, -0.0), (0.0, 1.0))
    floats = [math.nan if m else k / 4 for (k, _), m in zip(numbers, nan, strict=True)]
    words = [f"g{g}-{k % 3}" for k, g in numbers]
    optional = [None if m else word for word, m in zip(words, null, strict=True)]
    large = [(1 << 63) + (k - count // 2) * 10**15 for k, _ in numbers]
    moments = [START + datetime.timedelta(hours=k) for k, _ in numbers]
    nested = pa.struct([("x", pa.int64()), ("in", pa.struct([("y", pa.string()), ("z", pa.float64())]))])
    columns = {
        "i": pa.array([k for k, _ in numbers], pa.int64()),
        "i32": pa.array([k - 100 for k, _ in numbers], pa.int32()),
        "n": pa.array([None if m else k for (k, _), m in zip(numbers, null, strict=True)], pa.int64()),
        "u": pa.array(large, pa.uint64()),
        "un": pa.array([None if m else u for u, m in zip(large, null, strict=True)], pa.uint64()),
        "u32": pa.array([(1 << 31) + k - 120 for k, _ in numbers], pa.uint32()),
        "f": pa.array(floats, pa.float64()),
        "f32": pa.array(floats, pa.float32()),
        "z": pa.array([zeros[g % 6][k % len(zeros[g % 6])] for k, g in numbers], pa.float64()),
        "s": pa.array(words),
        "sn": pa.array(optional),
        "long": pa.array([f"{LONG}{k:05}" for k, _ in numbers]),
        "cat": pa.array(words).dictionary_encode(),
        "catn": pa.array(optional).dictionary_encode(),
        "di": pa.array([k // 10 for k, _ in numbers], pa.int64()).dictionary_encode(),
        "d": pa.array([decimal.Decimal(k).scaleb(-2) for k, _ in numbers], pa.decimal128(9, 2)),
        "w": pa.array([decimal.Decimal(k - 99) * 10**20 for k, _ in numbers], pa.decimal128(30, 4)),
        "day": pa.array([moment.date() for moment in moments]),
        "at": pa.array(moments, pa.timestamp("us")),
        "tz": pa.array(moments, pa.timestamp("us", "UTC")),
        "ms": pa.array(moments, pa.timestamp("ms")),
        "ns": pa.array(moments, pa.timestamp("ns")),
        "b": pa.array([g in (0, 3) or (g == 4 and k % 2 == 0) for k, g in numbers]),
        "st": pa.array(
            [None if g == 1 else {"x": k, "in": None if g == 2 else {"y": f"y{k:03}", "z": k / 2}} for k, g in numbers],
            nested,
        ),
    }  # fmt: skip
    return pa.table(columns)


def by_arrow(**options: Any) -> Callable[[Path], None]:
    """A writer that is pyarrow. It stores ARROW:schema, in which `cat`, `catn` and `di` are dictionaries."""
    return lambda path: pq.write_table(table(), path, row_group_size=ROWS, **options)


def by_us(**options: Any) -> Callable[[Path], None]:
    """A writer that is ours; several pages in each chunk."""
    chosen = pqexplore.WriteOptions(**{"row_group_rows": ROWS, "page_rows": 10, **options})
    return lambda path: pqexplore.write(_plain(table()), path, chosen)


def _plain(rows: pa.Table) -> pa.Table:
    """The table with its Arrow dictionaries decoded."""
    for at, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(at, field.name, rows[field.name].cast(field.type.value_type))
    return rows


def by_polars(path: Path) -> None:
    """Written by polars, whose Categorical and Enum are dictionaries in ARROW:schema."""
    import polars

    frame = polars.from_arrow(table())
    assert isinstance(frame, polars.DataFrame)
    kinds = polars.Enum(sorted(set(frame["s"])))
    frame.with_columns(enum=polars.col("s").cast(kinds)).write_parquet(path, row_group_size=ROWS)


def by_duckdb(*columns: str) -> Callable[[Path], None]:
    """A writer that is DuckDB: row groups of 2,048 rows, Bloom filters beside dictionaries, "ENUM" as text."""

    def write(path: Path) -> None:
        import duckdb

        rows = _plain(table(GROUPS, 2048)).select(columns) if columns else table(GROUPS, 2048)
        with duckdb.connect() as connection:
            connection.register("rows", rows)
            connection.execute("SET threads = 1")
            connection.execute(f"COPY rows TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")

    return write


def by_fastparquet(**options: Any) -> Callable[[Path], None]:
    """A writer that is fastparquet: columns that pandas has, row groups as large as the others'."""

    def write(path: Path) -> None:
        import fastparquet

        frame = table().drop_columns(["d", "w", "day", "st", "un", "n"]).to_pandas()
        fastparquet.write(str(path), frame, row_group_offsets=list(range(0, len(frame), ROWS)), **options)

    return write


BLOOM = {"ndv": ROWS, "fpp": 0.001}
BLOOMED = ("i", "n", "f", "s", "sn", "cat", "di", "d", "at")
PAGES = {"data_page_size": 64, "write_batch_size": 8, "write_page_index": True}

FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "arrow": ("pyarrow", by_arrow()),
    "arrow-pages": ("pyarrow", by_arrow(use_dictionary=False, **PAGES)),
    "arrow-bloom": ("pyarrow", by_arrow(bloom_filter_options=dict.fromkeys(BLOOMED, BLOOM))),
    "arrow-no-schema": ("pyarrow", by_arrow(store_schema=False, store_decimal_as_integer=True)),
    "arrow-int96": ("pyarrow", by_arrow(use_deprecated_int96_timestamps=True)),
    "duckdb": ("duckdb", by_duckdb()),
    "polars": ("polars", by_polars),
    "fastparquet": ("fastparquet", by_fastparquet(stats=True)),
    "fastparquet-int96": ("fastparquet", by_fastparquet(stats=True, times="int96", compression="SNAPPY")),
    "ours": ("pqexplore", by_us()),
    "ours-truncated": ("pqexplore", by_us(statistics_bytes=16, index_bytes=8, bloom_filter=True, bloom_filter_bytes=1024)),
    "ours-no-counts": ("pqexplore", by_us(statistics_fields=("bounds",), column_index=False)),
    "ours-total-order": ("pqexplore", by_us(columns={name: {"column_order": "IEEE_754_TOTAL_ORDER"} for name in ("f", "f32", "z")})),
}  # fmt: skip
"""The writer's package and what writes each file."""

NEWER = {"arrow-bloom": "bloom_filter_options", "arrow-no-schema": "store_decimal_as_integer"}
"""The option of each file that older versions of pyarrow do not write."""

CONDITIONS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("i",): ("i = 100", "i <> 100", "i > 199", "i BETWEEN 75 AND 85", "i NOT IN (3, 150)", "NOT (i < 100)", "i <=> 100",
        "i IS NULL", "i IN (3, 150, 9999999999)", "i = 100.5", f"i IN ({', '.join(map(str, [*range(15), 239]))})",
        f"i IN ({', '.join(map(str, [*range(35), 239]))})", f"i IN ({', '.join(map(str, [*range(110), 239]))})",
        f"i NOT IN ({', '.join(map(str, [*range(25), 239]))})"),
    ("n",): ("n = 10", "n = 100", "n IS NULL", "n IS NOT NULL", "n <> 10", "n NOT IN (10, 100)", "n <=> 100", "n > 200",
        "NOT (n <=> 100)", "n IN (10, 230)", "n > 200 OR n IS NULL", "n <=> NULL"),
    ("i", "s"): ("i < 10 OR s = 'g4-1'", "i < 10 OR s > 'g5'", "i > 90 AND s < 'g3'", "(i < 10 AND s = 'g0-1') OR s = 'g4-1'"),
    ("i", "n"): ("n IS NULL OR i < 10", "n IS NULL AND i > 100", "i = 5 OR n = 100"),
    ("cat", "i"): ("cat = 'g1-1' OR i > 230", "cat = 'g1-1' AND i < 300"),
    ("u",): ("u = 9223372036854775808", "u > 9223372036854775807", "u < 9223372036854775808", "u < 9200000000000000000",
        "u >= 9330000000000000000", "u IN (9223372036854775808, 5)", "u <> 9223372036854775808", "u = 5", "u > -1",
        "u IS NOT NULL", "u BETWEEN 9200000000000000000 AND 9230000000000000000", "u > 9223372036854775807.5",
        "u NOT IN (5)", "u > 18446744073709551615", "u < 18446744073709551616"),
    ("un",): ("un = 9223372036854775808", "un > 9300000000000000000", "un IS NULL", "un < 9150000000000000000"),
    ("u32",): ("u32 = 2147483648", "u32 > 2147483700", "u32 < 2147483648", "u32 < 0", "u32 IN (2147483600, 4294967295)"),
    ("f",): ("f = 5.25", "f > 50.0", "f >= 1000.0", "f < 5.0", "f <= -1.0", "f <> 5.25", "f IN (5.25, 50.25)",
        "isnan(f)", "f = double('NaN')", "f NOT IN (5.25, 50.25)", "NOT isnan(f)", "f < double('NaN')",
        "f BETWEEN 35.0 AND 45.0", "NOT (f < 50.0)", "f < 45.0", "f > 1000e0"),
    ("f32",): ("f32 = 5.25", "f32 > 50.0", "f32 < 5.0", "f32 <> 5.25", "isnan(f32)", "f32 >= 1000.0", "f32 = 0.1", "f32 < 45e0", "f32 > 1000e0"),
    ("z",): ("z = 0.0", "z = -0.0", "z < 0.0", "z > 0.0", "z <= -1.0", "z IN (0.0, 5.0)", "z <> 0.0", "z NOT IN (0.0)", "z >= -0.0e0"),
    ("s",): ("s = 'g2-1'", "s = 'g2-9'", "s > 'g4'", "s <> 'g2-1'", "s LIKE 'g2%'", "s NOT LIKE 'g2%'", "s LIKE '%-1'",
        "s LIKE 'g2-1'", "s IN ('g1-1', 'zz')", "s NOT IN ('g1-1', 'g1-2')", "s IS NULL", "s BETWEEN 'g2' AND 'g3'",
        "s < 'g'", "s LIKE 'g_-1'"),
    ("sn",): ("sn = 'g2-1'", "sn IS NULL", "sn LIKE 'g3%'", "sn <> 'g2-1'", "sn NOT IN ('g2-1')", "sn > 'g4' OR sn IS NULL", "NOT (sn <=> 'g2-1')"),
    ("long",): (f"long = '{LONG}00100'", f"long > '{LONG}00199'", f"long < '{LONG}00040'", "long LIKE 'b%'", f"long LIKE '{LONG}002%'", "long < 'a text'", "long > 'a texu'", "long <> 'a'"),
    ("cat",): ("cat = 'g2-1'", "cat > 'g4'", "cat <> 'g2-1'", "cat LIKE 'g2%'", "cat IN ('g1-1', 'zz')", "cat NOT IN ('g1-1')", "cat IS NULL", "cat IS NOT NULL", "cat < 'g0'", "cat <=> 'g2-1'"),
    ("catn",): ("catn = 'g2-1'", "catn IS NULL", "catn > 'g4'", "catn IS NOT NULL", "catn <> 'g2-1'", "catn IN ('g1-1', 'zz')"),
    ("enum",): ("enum = 'g2-1'", "enum IN ('g1-1', 'g5-1')", "enum <> 'g2-1'", "enum IS NULL"),
    ("di",): ("di = 10", "di > 20", "di <> 10", "di IN (1, 23)", "di IS NULL", "di NOT IN (1)"),
    ("d",): ("d = 1.01", "d > 2.00", "d < 0.4", "d IN (0.01, 2.01)", "d <> 1.01", "d = 1.015", "d NOT IN (1.01)", "d > 2e0", "d < 1"),
    ("w",): ("w = 100000000000000000000", "w > 10000000000000000000000.5", "w < -9000000000000000000000", "w <> 0", "w IN (0, 100000000000000000000)", "w <= 0"),
    ("day",): ("day = DATE '2026-01-05'", "day > DATE '2026-01-09'", "day <> DATE '2026-01-05'", "day IN (DATE '2026-01-01', DATE '2026-01-10')", "day < TIMESTAMP_NTZ '2026-01-03 12:00:00'"),
    ("at",): ("at = TIMESTAMP_NTZ '2026-01-05 03:00:00'", "at > TIMESTAMP_NTZ '2026-01-09 00:00:00'", "at < TIMESTAMP_NTZ '2026-01-02 00:00:00.5'", "at <> TIMESTAMP_NTZ '2026-01-05 03:00:00'", "at IS NULL", "at < DATE '2026-01-02'"),
    ("tz",): ("tz = TIMESTAMP '2026-01-05 03:00:00Z'", "tz > TIMESTAMP '2026-01-09 00:00:00Z'", "tz < TIMESTAMP '2026-01-02 00:00:00Z'", "tz IS NULL"),
    ("ms",): ("ms = TIMESTAMP_NTZ '2026-01-05 03:00:00'", "ms > TIMESTAMP_NTZ '2026-01-09 00:00:00.0005'", "ms < TIMESTAMP_NTZ '2026-01-02 00:00:00'"),
    ("ns",): ("ns = TIMESTAMP_NTZ '2026-01-05 03:00:00'", "ns > TIMESTAMP_NTZ '2026-01-09 00:00:00'", "ns < TIMESTAMP_NTZ '2026-01-02 00:00:00'"),
    ("b",): ("b", "NOT b", "b = true", "b <> true", "b = false", "b IS TRUE", "b IS NOT TRUE", "b IN (true)"),
    ("st",): ("st.x = 100", "st.x > 200", "st.x IS NULL", "st.x <> 100", "st.in.y = 'y130'", "st.in.y > 'y200'",
        "st.in.y IS NULL", "st.in.z < 5.0", "st IS NULL", "st.in IS NULL", "st.in.y LIKE 'y03%'", "st.x IN (3, 230)",
        "st.in.y IS NOT NULL", "st.x = 3 OR st.in.y = 'y130'"),
}  # fmt: skip
"""Conditions in Spark's SQL, by the columns that they read."""


def write_files(folder: Path) -> dict[str, Path]:
    """The files by name, of the writers that are installed, without those that need a newer pyarrow."""
    made = {}
    for name, (package, write) in FILES.items():
        if importlib.util.find_spec(package) is not None and NEWER.get(name, "") in (pq.write_table.__doc__ or ""):
            made[name] = folder / f"{name}.parquet"
            write(made[name])
    return made


def asked_of(path: Path) -> Iterator[str]:
    """The conditions about columns that a file has."""
    with pqexplore.open(path) as file:
        names = {child.name for child in file.schema.root.children}
        empty = {child.name for child in file.schema.root.children if not list(child.leaves())}
    for columns, conditions in CONDITIONS.items():
        if names >= set(columns) and not empty & set(columns):
            yield from conditions


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_files(target)
