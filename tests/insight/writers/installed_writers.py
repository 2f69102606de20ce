"""Writes files with the writers that are installed, by their defaults."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from needs import require_duckdb

import pqexplore

FLAT = pa.table({"n": [1, 2, None] * 50, "s": ["a", "b", "c"] * 50})
NESTED = pa.table({"l": [[1], [], [2, 3]], "s": ["a", None, "c"]})


def pyarrow(table, path):
    pq.write_table(table, path)


def pyarrow_of_old(table, path):
    pq.write_table(table, path, version="1.0", data_page_version="2.0", use_dictionary=False)


def duckdb(table, path):
    require_duckdb()
    pytest.importorskip("duckdb").from_arrow(table).write_parquet(str(path))


def polars(table, path):
    pytest.importorskip("polars").from_arrow(table).write_parquet(path)


def datafusion(table, path):
    session = pytest.importorskip("datafusion").SessionContext()
    session.from_arrow(table).write_parquet(str(path))


def fastparquet(table, path):
    pandas = table.to_pandas()
    pytest.importorskip("fastparquet").write(str(path), pandas)


def ours(table, path):
    pqexplore.write(table, path)
