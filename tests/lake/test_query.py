"""A query sees the lake's tables and views, and nothing else of the machine."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake.tables import TABLES
from pqexplore.lake.views import VIEWS


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside")
    (folder / "secret.csv").write_text("a,b\n1,2\n")
    pq.write_table(pa.table({"secret": [1]}), folder / "secret.parquet")
    return folder


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    pq.write_table(pa.table({"a": [1, 2]}), folder / "a.parquet")
    return pqexplore.lake.scan(None, folder, out=tmp_path_factory.mktemp("store"), processes=0)


# query, words of the error
FORBIDDEN = {
    "a CSV file": ("SELECT * FROM read_csv('{place}/secret.csv')", "no other file"),
    "a text file": ("SELECT * FROM read_text('/etc/passwd')", "no other file"),
    "a Parquet file": ("SELECT * FROM read_parquet('{place}/secret.parquet')", "no other file"),
    "a file by its name": ("SELECT * FROM '{place}/secret.parquet'", "no other file"),
    "names of files": ("SELECT * FROM glob('{place}/*')", "no other file"),
    "the store's own files": ("SELECT * FROM read_parquet('{store}/runs/*/*/*.parquet')", "no other file"),
    "writing": ("COPY files TO '{place}/out.parquet'", "no other file"),
    "writing after a query": ("SELECT 1; COPY files TO '{place}/out.csv'", "no other file"),
    "exporting": ("EXPORT DATABASE '{place}/export'", "no other file"),
    "a database": ("ATTACH '{place}/x.db'", "no other file"),
    "an address": ("SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')", "query failed|no other file"),
    "installing": ("INSTALL httpfs", "no other file"),
    "loading": ("LOAD httpfs", "no other file"),
    "opening up again": ("SET enable_external_access = true", "no other file"),
    "unlocking": ("SET lock_configuration = false", "no other file"),
    "profiles": ("PRAGMA profile_output = '{place}/profile'", "no other file"),
    "variables of Python": ("SELECT * FROM manifest", "query failed"),
    "no SQL": ("SELEC 1", "query failed: Parser Error"),
    "no query": ("", "no query"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_is_not_of_the_lake_is_refused(lake, place, name):
    text, words = FORBIDDEN[name]
    before = sorted(place.iterdir())
    with pytest.raises(UsageError, match=words):
        lake.sql(text.format(place=place, store=lake.path))
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize("name", [*TABLES, *VIEWS])
def test_tables_and_views_are_there(lake, name):
    found = lake.sql(f"SELECT * FROM {name}")
    assert isinstance(found, pa.Table) and found.num_columns
    if name in TABLES:
        assert found.column_names == TABLES[name].schema.names


def test_a_condition_holds_for_all_tables(lake):
    assert lake.sql("SELECT * FROM column_chunks", where="num_rows = 2").num_rows == 1
    assert lake.sql("SELECT * FROM column_chunks", where="num_rows > 2").num_rows == 0


def test_duckdb_offers_no_filters_to_a_pyarrow_that_has_no_string_views(lake, monkeypatch):
    """DuckDB 2 makes filters with `pyarrow.types.is_string_view`, which came with pyarrow 16."""
    text = "SELECT f.path FROM files f JOIN files g USING (path) WHERE f.path > '' AND g.size > 3"
    found = lake.sql(text).num_rows
    monkeypatch.delattr(pa.types, "is_string_view", raising=False)
    assert found and lake.sql(text).num_rows == found
