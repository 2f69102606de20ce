"""Files with what is newest in other writers, written anew: pyarrow, DuckDB and polars read what they read before."""

import duckdb
import polars as pl
import pytest
from engine.writer.newest_features import WRITTEN
from engine.writer.rewritten import OPTIONS, by_arrow, by_duckdb, kept, same
from needs import needs
from quick import quick

import pqexplore

UNREAD = {"pyarrow, encodings": {"DuckDB"}, "polars": {"pyarrow"}}
"""Readers that do not read a file before it is written anew."""


pytestmark = [
    needs("pyarrow", "26", "it lacks some of these types and options"),
    needs("duckdb", "2", "it writes no VARIANT"),
    needs("polars", "2", "it lacks some of these types"),
]


@pytest.mark.parametrize("name", quick(WRITTEN, *[*WRITTEN][::3]))
def test_all_readers_read_what_they_read_before(tmp_path, name):
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    WRITTEN[name](old)
    connection = duckdb.connect()
    before, arrow, duck = kept(old), by_arrow(old), by_duckdb(connection, old)
    read = {"pyarrow": arrow is not None, "DuckDB": duck is not None}
    assert {reader for reader, ok in read.items() if not ok} == UNREAD.get(name, set())
    for options in OPTIONS.values():
        pqexplore.rewrite(old, new, options, overwrite=True)
        assert kept(new) == before
        assert arrow is None or same(arrow, by_arrow(new))
        assert duck is None or by_duckdb(connection, new) == duck
        if name == "polars":
            assert pl.read_parquet(new).equals(pl.read_parquet(old))
