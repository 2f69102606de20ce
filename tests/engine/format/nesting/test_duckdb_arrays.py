"""DuckDB's arrays of fixed length, whose nulls repeat."""

import pytest
from needs import needs

import pqexplore

duckdb = pytest.importorskip("duckdb")


@needs("duckdb", "1.3", "it writes arrays as lists of groups")
@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("INTEGER[3]", "([1, 2, 3]), (NULL), ([4, NULL, 6])", [[1, 2, 3], None, [4, None, 6]]),
        ("INTEGER[2][]", "([[1, 2], NULL]), (NULL), ([]), ([NULL])", [[[1, 2], None], None, [], [None]]),
        ("STRUCT(a VARCHAR[2])", "({a: ['x', 'y']}), ({a: NULL}), (NULL)", [{"a": ["x", "y"]}, {"a": None}, None]),
    ],
)
def test_a_null_array_is_one_null(tmp_path, kind, values, expected):
    path = tmp_path / "arrays.parquet"
    connection = duckdb.connect()
    connection.sql(f"create table t (v {kind})")
    connection.sql(f"insert into t values {values}")
    connection.sql(f"copy t to '{path}' (format parquet)")
    with pqexplore.open(path) as file:
        assert file.read().column("v").to_pylist() == expected
