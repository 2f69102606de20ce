"""What engines make of two files as one table: the answers of the table, seen again with those that are installed."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from needs import needs

from pqexplore.insight.diff.engines import ANSWERS
from pqexplore.insight.doctor.readers.reader import Verdict


def column(kind, *values, nullable=True):
    field = pa.field("a", kind, nullable)
    return pa.table([pa.array(values, kind)], schema=pa.schema([field]))


A, MOMENT = pa.table({"a": [1, 2]}), dt.datetime(2024, 1, 1, 5)
US, MS, LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("us")
CASES = {
    "column-removed": (pa.table({"a": [1, 2], "b": [3, 4]}), A),
    "column-added": (A, pa.table({"a": [1, 2], "b": [3, 4]})),
    "name-case": (A, pa.table({"A": [1, 2]})),
    "column-order": (pa.table({"a": [1], "b": [3]}), pa.table({"b": [3], "a": [1]})),
    "nullability": (column(pa.int64(), 1, nullable=False), column(pa.int64(), None)),
    "integer-wider": (column(pa.int32(), 1), column(pa.int64(), 2**40)),
    "integer-narrower": (column(pa.int64(), 2**40), column(pa.int32(), 1)),
    "float-wider": (column(pa.float32(), 1), column(pa.float64(), 0.1)),
    "float-narrower": (column(pa.float64(), 0.1), column(pa.float32(), 1)),
    "integer-to-float": (column(pa.int32(), 1), column(pa.float64(), 0.25)),
    "date-to-timestamp": (column(pa.date32(), dt.date(2024, 1, 1)), column(LOCAL, MOMENT)),
    "text-to-binary": (column(pa.string(), "x"), column(pa.binary(), b"\xff")),
    "binary-to-text": (column(pa.binary(), b"x"), column(pa.string(), "y")),
    "unit-finer": (column(MS, 1), column(US, 1001)),
    "unit-coarser": (column(US, 1001), column(MS, 1)),
    "zone": (column(US, MOMENT), column(LOCAL, MOMENT)),
    "decimal-wider": (column(pa.decimal128(9, 2), Decimal("1.20")), column(pa.decimal128(18, 2), Decimal("1.30"))),
    "decimal-narrower": (column(pa.decimal128(18, 2), Decimal("1.20")), column(pa.decimal128(9, 2), Decimal("1.30"))),
    "text-to-number": (column(pa.string(), "1"), column(pa.int64(), 2)),
    "number-to-text": (column(pa.int64(), 2), column(pa.string(), "x")),
}  # fmt: skip
"""By kind: the first file, and the second, whose last value the answer is about."""


def pyarrow(paths):
    return [tuple(row.values()) for row in pq.read_table(paths).to_pylist()]


def duckdb(paths):
    import duckdb

    text = "SELECT * FROM read_parquet(?)"
    return duckdb.connect().execute(text, [paths]).fetchall()


def polars(paths):
    import polars

    return polars.scan_parquet(paths).collect().rows()


VERSIONS = {"pyarrow": "26", "DuckDB": "2.0", "polars": "2.1"}
READERS = {"pyarrow": pyarrow, "DuckDB": duckdb, "polars": polars}


def verdict(engine, first, second, paths):
    """REFUSES; READS if all rows come with the second file's values; else WRONG."""
    try:
        rows = READERS[engine]([str(path) for path in paths])
    except Exception:  # each engine raises its own
        return Verdict.REFUSES
    own = [tuple(row.values()) for row in second.to_pylist()]
    names = second.column_names
    if names != first.column_names and set(names) == set(first.column_names):
        own = [tuple(row[n] for n in first.column_names) for row in second.to_pylist()]
    seen = rows[first.num_rows :]
    if len(names) < len(first.column_names):  # nulls fill the missing columns
        own = [(*row, *[None] * (len(first.column_names) - len(names))) for row in own]
    return (
        Verdict.READS
        if [list(map(plain, r)) for r in seen] == [list(map(plain, r)) for r in own]
        else Verdict.WRONG
    )


def plain(value):
    """Text and numbers alike for "2" and 2: an answer may say that numbers come as text."""
    if isinstance(value, bytes):
        return value.decode(errors="replace") if value.isascii() else value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def test_every_answer_has_a_case():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize(
    "kind, engine",
    [
        pytest.param(
            kind, engine, marks=needs(engine.lower(), VERSIONS[engine], "the version seen")
        )
        for kind, answers in ANSWERS.items()
        for engine in READERS
        if engine in answers
    ],
)
def test_engines_do_what_the_table_says(kind, engine, tmp_path):
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for path, table in zip(paths, CASES[kind], strict=True):
        pq.write_table(table, path)
    assert verdict(engine, *CASES[kind], paths) is ANSWERS[kind][engine][0]
