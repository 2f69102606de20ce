"""Files and conditions that every engine profile is tested with: an engine must read what its profile says it reads.

Each file holds the same kind of table in another order, by another writer, or with other claims. `FILES` writes them by
name; `PREDICATES` are conditions in Spark's SQL about their columns.
"""

from __future__ import annotations

import copy
import dataclasses
import datetime
import decimal
import math
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from needs import arrow_takes
from table_files import table_rows

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode

GROUPS, ROWS = 6, 40
"""Row groups of a file, and rows in each; DuckDB writes larger row groups."""

PREFIX = "https://example.org/a/long/prefix/that/all/of/these/values/share/"
DAY = datetime.date(2026, 1, 1)
START = datetime.datetime(2026, 1, 1)


def table(order: list[int], rows: int = ROWS) -> pa.Table:
    """A table whose values grow with the numbers in `order`; nulls and NaNs depend on the row group.

    Every number `k` gives one row. `n` has a row group without nulls, one with nulls only, and others with some; `fn` has
    a row group without NaN, one with NaN only, and others with some; `z` has zeros of one sign, of both, and ones; `g`
    and `gs` have one value in each row group.
    """
    group = [at // rows for at in range(len(order))]
    nan = [g == 2 or (g != 0 and k % 7 == 0) for k, g in zip(order, group, strict=True)]
    null = [g == 1 or (g != 0 and k % 5 == 0) for k, g in zip(order, group, strict=True)]
    zeros = {0: (-0.0,), 1: (0.0,), 2: (-0.0, 0.0), 3: (1.0,), 4: (-1.0, -0.0), 5: (0.0, 1.0)}
    exact = decimal.Decimal
    columns = {
        "i": pa.array(order, pa.int64()),
        "i32": pa.array([k - 100 for k in order], pa.int32()),
        "u": pa.array([k + 2_147_483_600 for k in order], pa.uint32()),
        "f": pa.array([k / 4 for k in order], pa.float64()),
        "fn": pa.array([math.nan if m else k / 4 for k, m in zip(order, nan, strict=True)]),
        "z": pa.array([zeros[g % 6][k % len(zeros[g % 6])] for k, g in zip(order, group, strict=True)]),
        "s": pa.array([f"k{k:05}" for k in order]),
        "p": pa.array([f"{PREFIX}{k:05}" for k in order]),
        "t": pa.array([f"tag{k % 3}" for k in order]),
        "d": pa.array([exact(k).scaleb(-2) for k in order], pa.decimal128(9, 2)),
        "w": pa.array([exact(k * 10**20).scaleb(-4) for k in order], pa.decimal128(30, 4)),
        "day": pa.array([DAY + datetime.timedelta(days=k) for k in order]),
        "at": pa.array([START + datetime.timedelta(hours=k) for k in order], pa.timestamp("us")),
        "tz": pa.array([START + datetime.timedelta(hours=k) for k in order], pa.timestamp("us", "UTC")),
        "b": pa.array([g in (0, 3) or (g == 4 and k % 2 == 0) for k, g in zip(order, group, strict=True)]),
        "n": pa.array([None if m else k for k, m in zip(order, null, strict=True)], pa.int64()),
        "ns": pa.array([None if m else f"k{k:05}" for k, m in zip(order, null, strict=True)]),
        "bin": pa.array([k.to_bytes(4, "big") for k in order], pa.binary()),
        "g": pa.array(group, pa.int64()),
        "gs": pa.array([f"g{g}" for g in group]),
        "st": pa.array(
            [{"x": k, "y": f"y{k:05}"} for k in order],
            pa.struct([("x", pa.int64()), ("y", pa.string())]),
        ),
        "li": pa.array([[k, k + 1] for k in order], pa.list_(pa.int64())),
    }  # fmt: skip
    return pa.table(columns)


def ascending(groups: int = GROUPS, rows: int = ROWS) -> list[int]:
    """Numbers in order: ranges of row groups do not overlap."""
    return list(range(groups * rows))


def shuffled(groups: int = GROUPS, rows: int = ROWS) -> list[int]:
    """Even numbers at random: every row group spans nearly the whole range, and odd values are absent."""
    numbers = [2 * k for k in range(groups * rows)]
    random.Random(1).shuffle(numbers)
    return numbers


def clustered(groups: int = GROUPS, rows: int = ROWS) -> list[int]:
    """Each row group holds neighbouring numbers, at random inside, and the row groups are out of order."""
    chosen = random.Random(2)
    parts = [list(range(g * rows, (g + 1) * rows)) for g in range(groups)]
    for part in parts:
        chosen.shuffle(part)
    chosen.shuffle(parts)
    return [k for part in parts for k in part]


def by_arrow(order: Callable[..., list[int]], **options: object) -> Callable[[Path], None]:
    """A writer that is pyarrow."""

    def write(path: Path) -> None:
        pq.write_table(table(order()), path, row_group_size=ROWS, **options)

    return write


def by_us(order: Callable[..., list[int]], **options: object) -> Callable[[Path], None]:
    """A writer that is ours; several pages in each chunk."""

    def write(path: Path) -> None:
        pqexplore.write(
            table(order()), path, pqexplore.WriteOptions(**{"row_group_rows": ROWS, "page_rows": 10, **options})
        )

    return write


def by_polars(path: Path) -> None:
    """Written by polars."""
    import polars

    frame = polars.from_arrow(table(ascending()))
    assert isinstance(frame, polars.DataFrame)
    frame.write_parquet(path, row_group_size=ROWS)


def by_duckdb(order: Callable[..., list[int]]) -> Callable[[Path], None]:
    """A writer that is DuckDB: row groups of 2,048 rows, and Bloom filters beside dictionaries."""

    def write(path: Path) -> None:
        import duckdb

        with duckdb.connect() as connection:
            connection.register("rows", table(order(3, 2048), 2048))
            connection.execute("SET threads = 1")
            connection.execute(f"COPY (SELECT * FROM rows) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")

    return write


def with_footer(change: Callable[[structs.FileMetaData], None], **options: object) -> Callable[[Path], None]:
    """A writer that is pyarrow, and then changes the footer."""

    def write(path: Path) -> None:
        by_arrow(ascending, **options)(path)
        change_footer(path, change)

    return write


def change_footer(path: Path, change: Callable[[structs.FileMetaData], None]) -> None:
    """Changes the footer of a file."""
    raw = path.read_bytes()
    with pqexplore.open(raw) as file:
        metadata, start = file.metadata, file.footer.start
        change(metadata)
        footer = encode(metadata)
    path.write_bytes(raw[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def chunks_of(metadata: structs.FileMetaData) -> list[structs.ColumnMetaData]:
    """The metadata of every column chunk. The lists, which are read as needed, become plain ones that can be changed."""
    metadata.row_groups = list(metadata.row_groups)
    made = []
    for group in metadata.row_groups:
        group.columns = list(group.columns)
        for chunk in group.columns:
            chunk.meta_data = copy.deepcopy(chunk.meta_data)
            made.append(chunk.meta_data)
    return made


def legacy_only(metadata: structs.FileMetaData) -> None:
    """Leaves only the deprecated min and max, of every type and in the order of the type."""
    for chunk in chunks_of(metadata):
        known = chunk.statistics
        if known is not None:
            known.min, known.max = known.min_value, known.max_value
            known.min_value = known.max_value = None
            known.is_min_value_exact = known.is_max_value_exact = None


def legacy_without_orders(metadata: structs.FileMetaData) -> None:
    """Leaves only the deprecated min and max, and names no column orders, as old writers did."""
    legacy_only(metadata)
    metadata.column_orders = None


def without_orders(metadata: structs.FileMetaData) -> None:
    """Names no column orders; min_value and max_value are the only bounds."""
    metadata.column_orders = None
    for chunk in chunks_of(metadata):
        if chunk.statistics is not None:
            chunk.statistics.min = chunk.statistics.max = None


def inexact(metadata: structs.FileMetaData) -> None:
    """Says of every bound that it is not exact."""
    for chunk in chunks_of(metadata):
        if chunk.statistics is not None:
            chunk.statistics.is_min_value_exact = chunk.statistics.is_max_value_exact = False


def inexact_min(metadata: structs.FileMetaData) -> None:
    """Says of every min that it is not exact."""
    for chunk in chunks_of(metadata):
        if chunk.statistics is not None:
            chunk.statistics.is_min_value_exact = False


BLOOM = {"ndv": ROWS, "fpp": 0.001}
BLOOMED = ("i", "i32", "f", "s", "p", "t", "d", "w", "day", "at", "n", "ns", "bin", "fn", "z")

FILES: dict[str, Callable[[Path], None]] = {
    "arrow-sorted": by_arrow(ascending),
    "arrow-clustered": by_arrow(clustered, use_dictionary=False, data_page_size=128),
    "arrow-shuffled": by_arrow(shuffled, write_page_index=True),
    **(
        {"arrow-bloom": by_arrow(shuffled, bloom_filter_options=dict.fromkeys(BLOOMED, BLOOM))}
        if arrow_takes("bloom_filter_options")
        else {}
    ),
    "arrow-no-statistics": by_arrow(ascending, write_statistics=False),
    "arrow-int96": by_arrow(ascending, use_deprecated_int96_timestamps=True),
    "arrow-legacy": with_footer(legacy_only),
    "arrow-legacy-no-orders": with_footer(legacy_without_orders),
    "arrow-no-orders": with_footer(without_orders),
    "arrow-inexact": with_footer(inexact),
    "arrow-inexact-min": with_footer(inexact_min),
    "arrow-lone": lambda path: pq.write_table(table(ascending()), path),
    "duckdb-sorted": by_duckdb(ascending),
    "duckdb-shuffled": by_duckdb(shuffled),
    "polars-sorted": by_polars,
    "ours-clustered": by_us(clustered),
    "ours-truncated": by_us(ascending, statistics_bytes=16, index_bytes=16),
    "ours-bloom": by_us(clustered, bloom_filter=True, bloom_filter_bytes=1024, statistics=()),
    "ours-legacy": by_us(ascending, statistics_fields=("legacy", "null_count"), column_order=None, column_index=False),
    "ours-no-null-count": by_us(ascending, statistics_fields=("bounds",), column_index=False),
    "ours-total-order": by_us(ascending,
        columns={name: {"column_order": "IEEE_754_TOTAL_ORDER"} for name in ("f", "fn", "z")}),
}  # fmt: skip
"""A writer for each file."""


@dataclasses.dataclass(frozen=True, slots=True)
class Predicate:
    """A condition. Its kind is `basic` for comparisons of a column with literals of its type and tests of null."""

    sql: str
    kind: str = "basic"


_LONG = (
    f"i IN ({', '.join(map(str, [*range(98), 150, 239]))})",
    f"i IN ({', '.join(map(str, [*range(99), 150, 239]))})",
    f"i IN ({', '.join(map(str, [*range(50)] * 2 + [239]))})",
    f"i NOT IN ({', '.join(map(str, [*range(99), 150, 239]))})",
    f"s IN ({', '.join(repr(f'k{k:05}') for k in [*range(60), 239])})",
)
"""Lists of 100 values, of 101 (some of them twice), and of 61."""

_TABLES = Path(__file__).parent / "tables" / "conditions.txt"

PREDICATES: tuple[Predicate, ...] = (
    *(Predicate(sql, kind) for kind in ("basic", "more") for (sql,) in table_rows(_TABLES, kind)),
    *(Predicate(sql, "more") for sql in _LONG),
)
"""The conditions, in Spark's SQL."""


def write_all(folder: Path) -> dict[str, Path]:
    """Writes every file of `FILES` into a folder, and returns their paths by name."""
    made = {}
    for name, write in FILES.items():
        made[name] = folder / f"{name}.parquet"
        write(made[name])
    return made
