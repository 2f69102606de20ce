"""Files that pyarrow, DuckDB, polars and we write with default options have nothing above a note."""

import datetime
import decimal
import io

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pytest
from insight.doctor.doctor_cases import written
from made import ours
from needs import require_duckdb
from quick import quick

import pqexplore
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import LEVELS
from pqexplore.insight.lenses.lens import finish

RANDOM = np.random.default_rng(6)
MANY = 600_000
DAY = datetime.datetime(2024, 5, 1)


def mixed(rows):
    return pa.table(
        {
            "id": np.arange(rows),
            "price": RANDOM.random(rows),
            "city": pa.array([f"city {n}" for n in range(50)]).take(RANDOM.integers(0, 50, rows)),
            "at": pa.array(np.arange(rows), pa.timestamp("us", "UTC")),
            "flag": RANDOM.integers(0, 2, rows).astype(bool),
        }
    )


def nested(rows):
    return pa.table(
        {
            "tags": [["a", "b"][: n % 3] if n % 7 else None for n in range(rows)],
            "place": [{"x": n, "y": None if n % 3 else str(n)} for n in range(rows)],
            "events": [[{"at": DAY, "size": n}] * (n % 3) for n in range(rows)],
            "more": [[[n, None], []] for n in range(rows)],
        }
    )


def text(rows):
    return pa.table(
        {
            "key": [f"{n:032x}" for n in RANDOM.permutation(rows)],
            "word": ["x" * (n % 90) for n in range(rows)],
            "raw": [bytes([n % 256]) * 20 for n in range(rows)],
            "none": pa.array([None if n % 2 else "é" * 70 for n in range(rows)]),
        }
    )


def numbers(rows):
    small = [decimal.Decimal(n) / 100 for n in range(rows)]
    return pa.table(
        {
            "d9": pa.array(small, pa.decimal128(9, 2)),
            "d18": pa.array(small, pa.decimal128(18, 2)),
            "d38": pa.array(small, pa.decimal128(38, 2)),
            "u8": pa.array(np.arange(rows) % 256, pa.uint8()),
            "i16": pa.array(np.arange(rows) % 999, pa.int16()),
            "f32": RANDOM.random(rows).astype(np.float32),
            "nan": pa.array(np.where(np.arange(rows) % 5, RANDOM.random(rows), np.nan)),
        }
    )


def times(rows):
    moments = pa.array(np.arange(rows) * 1_000_000, pa.timestamp("us"))
    return pa.table(
        {
            "local": moments,
            "utc": moments.cast(pa.timestamp("us", "UTC")),
            "ms": moments.cast(pa.timestamp("ms")),
            "day": pa.array(np.arange(rows), pa.int32()).cast(pa.date32()),
            "clock": pa.array(np.arange(rows) % 86_400, pa.int64()).cast(pa.time64("us")),
        }
    )


def nulls(rows):
    return pa.table({"i": pa.nulls(rows, pa.int32()), "s": pa.nulls(rows, pa.string()), "n": np.arange(rows)})


def hashed(rows):
    """Sorted keys of 40 random bytes, and numbers in no order: no encoding makes them much smaller."""
    keys = np.sort(np.frombuffer(RANDOM.bytes(40 * rows), "S40")).tobytes()
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(40), rows, [None, pa.py_buffer(keys)])
    return mixed(rows).set_column(0, "id", column).drop_columns(["at"])


TABLES = {
    "mixed": lambda: mixed(30_000),
    "nested": lambda: nested(3_000),
    "text": lambda: text(5_000),
    "numbers": lambda: numbers(5_000),
    "times": lambda: times(5_000),
    "nulls": lambda: nulls(5_000),
    "empty": lambda: mixed(10).slice(0, 0),
    "one row": lambda: mixed(1),
}


def by_duckdb(table, tmp_path):
    require_duckdb()
    path = tmp_path / "duckdb.parquet"
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute(f"COPY given TO '{path}' (FORMAT parquet)")
    return path


def by_polars(table, tmp_path):
    out = io.BytesIO()
    polars.from_arrow(table).write_parquet(out)
    return out.getvalue()


WRITERS = {
    "pyarrow": lambda table, _: written(table),
    "DuckDB": by_duckdb,
    "polars": by_polars,
    "ours": lambda table, _: ours(table),
}


def above_notes(source, level):
    with pqexplore.open(source) as file:
        report = finish(steps(file, level))
    assert "No problems found" in report.sentence, report.sentence
    return [str(one) for one in report.findings if one.severity is not Severity.NOTE]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("writer", WRITERS)
def test_an_ordinary_file_has_nothing_above_a_note(writer, table, tmp_path):
    source = WRITERS[writer](TABLES[table](), tmp_path)
    for level in LEVELS:
        assert above_notes(source, level) == [], level


@pytest.mark.parametrize("level", quick(["footer", "pages", "data"], "pages"))
@pytest.mark.parametrize("writer", WRITERS)
def test_an_ordinary_large_file(writer, level, tmp_path):
    assert above_notes(WRITERS[writer](hashed(MANY), tmp_path), level) == []
