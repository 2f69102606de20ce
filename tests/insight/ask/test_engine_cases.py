"""Columns about which plans were false, each in a file of its own: what the plan says is what the engine does.

The grid (`test_engine_grid`) asks more conditions of fewer kinds of files. Here are ten row groups of a hundred rows.
"""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.ask.test_engine_grid import ENGINES, Case, job, outcomes, read
from table_files import table_rows

import pqexplore
from pqexplore.insight.ask.run_engines import duckdb_process

GROUPS, ROWS = 10, 100
LARGE = 1 << 63
WORDS = [f"w{k // ROWS}" for k in range(GROUPS * ROWS)]
FLOATS = [math.nan if k % 3 == 0 else k / 4 for k in range(GROUPS * ROWS)]
NAN = sum(map(math.isnan, FLOATS))


def by_arrow(column: pa.Array, path: Path) -> None:
    pq.write_table(pa.table({"x": column}), path, row_group_size=ROWS)


def by_polars(kind: str, path: Path) -> None:
    polars = pytest.importorskip("polars")
    made = polars.Categorical if kind == "Categorical" else polars.Enum(sorted(set(WORDS)))
    frame = polars.DataFrame({"x": polars.Series(WORDS, dtype=made)})
    frame.write_parquet(path, row_group_size=ROWS)


def by_us(column: pa.Array, path: Path, **options) -> None:
    pqexplore.write(pa.table({"x": column}), path, pqexplore.WriteOptions(row_group_rows=ROWS, **options))


FILES = {
    "text": lambda path: by_arrow(pa.array(WORDS), path),
    "dictionary": lambda path: by_arrow(pa.array(WORDS).dictionary_encode(), path),
    "Categorical": lambda path: by_polars("Categorical", path),
    "Enum": lambda path: by_polars("Enum", path),
    "beyond 2^63": lambda path: by_arrow(pa.array([LARGE + k for k in range(GROUPS * ROWS)], pa.uint64()), path),
    "DOUBLE with NaN": lambda path: by_arrow(pa.array(FLOATS, pa.float64()), path),
    "FLOAT with NaN": lambda path: by_arrow(pa.array(FLOATS, pa.float32()), path),
    "FLOAT, NaN counted": lambda path: by_us(pa.array(FLOATS, pa.float32()), path),
    # as pyarrow writes them since version 22, and as older ones do
    "FLOAT, exact": lambda path: by_us(
        pa.array(FLOATS, pa.float32()), path, statistics_fields=("bounds", "null_count", "exactness")
    ),
    "FLOAT, not exact": lambda path: by_us(
        pa.array(FLOATS, pa.float32()), path, statistics_fields=("bounds", "null_count")
    ),
    "FLOAT, exact, a null": lambda path: by_us(
        pa.array([*FLOATS[:-1], None], pa.float32()), path, statistics_fields=("bounds", "null_count", "exactness")
    ),
    "some only nulls": lambda path: by_arrow(
        pa.array([None if k < 2 * ROWS else k for k in range(GROUPS * ROWS)]), path
    ),
}

CASES = table_rows(Path(__file__).parent / "tables" / "engine_cases.txt", "read and returned")
NEEDED = {one.values[0]: one.marks for one in ENGINES}


@pytest.fixture(scope="module")
def file_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases")

    def of(name: str) -> Path:
        path = folder / f"{name.replace(' ', '_')}.parquet"
        if not path.exists():
            FILES[name](path)
        return path

    return of


@pytest.mark.parametrize("engine", [pytest.param(one, marks=NEEDED[one]) for one in NEEDED])
def test_the_plan_says_what_the_engine_does(file_of, engine):
    asked = [one for one in CASES if one[0] == engine]
    cases = [
        Case(name, file_of(name), sql, pqexplore.ask(file_of(name), sql, engine=engine)) for _, name, sql, *_ in asked
    ]
    seen = outcomes(engine, cases)
    for (_, name, sql, groups, rows), case, outcome in zip(asked, cases, seen, strict=True):
        found = read(engine, outcome, case)
        count = len(found) if isinstance(found, list) else found
        assert (str(count), str(len(case.kept)), str(outcome["rows"])) == (groups, groups, rows), f"{name}: {sql}"


NAN_IS_RETURNED = [
    # the file, the condition, and how many rows with NaN DuckDB returns, and counts
    ("DOUBLE with NaN", "x < 100000", NAN, NAN),
    ("FLOAT with NaN", "x <> double('NaN')", NAN, NAN),
    ("FLOAT with NaN", "NOT isnan(x)", NAN, NAN),
    ("FLOAT, not exact", "x < 100000", NAN, NAN),
    ("FLOAT, not exact", "NOT isnan(x)", NAN, NAN),
    ("FLOAT, exact", "x < 200", 0, 267),  # those of the row groups whose bounds are inside
    ("FLOAT, not exact", "x < 200", 0, 0),
    ("FLOAT, exact", "x < 10", 0, 0),  # the bounds of the only row group that is read are not inside
    ("FLOAT, exact, a null", "x < 200", 0, 267),
    ("FLOAT, exact, a null", "x < 100000", NAN - 1, NAN - 1),
    ("FLOAT, exact, a null", "NOT isnan(x)", 0, 0),
    ("FLOAT, NaN counted", "x < 100000", 0, 0),
]


@pytest.mark.parametrize("name, sql, returned, counted", NAN_IS_RETURNED)
@pytest.mark.parametrize("engine", [pytest.param("duckdb", marks=NEEDED["duckdb"])])
def test_duckdb_returns_and_counts_nan_where_the_plan_says_so(file_of, engine, name, sql, returned, counted):
    plan = pqexplore.ask(file_of(name), sql, engine=engine)
    matching = sum(plan.verify().matches["matching"].to_pylist())
    query = job(engine, Case(name, file_of(name), sql, plan))
    with duckdb_process.connected([query["path"]]) as connection:
        source = f"read_parquet($1) AS {query['table']} WHERE {query['where']}"
        rows = connection.execute(f"SELECT x FROM {source}", [query["path"]]).fetchall()
        [[count]] = connection.execute(f"SELECT count(*) FROM {source}", [query["path"]]).fetchall()
    assert (len(rows), count) == (matching + returned, matching + counted)
    said = " ".join(plan.remarks)
    assert ("return rows with NaN" in said) == bool(returned)
    assert ("only counts rows, and count those with NaN" in said) == (counted > returned)
