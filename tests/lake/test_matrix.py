"""Every kind of table, on every store, from wherever a scan begins: live files and rows are those that its own reader reads."""

import itertools

import pytest
from lake.conftest import Store, bucket
from lake.matrix import KINDS, STARTS, source

from pqexplore.lake import scan

_MADE: dict = {}


@pytest.fixture(scope="module")
def stores(tmp_path_factory, request):
    """A new store of a kind, `local` or `s3`."""

    def store(kind: str) -> Store:
        if kind == "s3":
            return bucket(request.getfixturevalue("s3_endpoint"))
        return Store(str(tmp_path_factory.mktemp("lake")), {}, {}, {})

    yield store
    _MADE.clear()


@pytest.fixture
def made(stores, request):
    """The table of a store and kind, made once, and its store."""
    key = request.param
    if key not in _MADE:
        store = stores(key[0])
        _MADE[key] = (KINDS[key[1]].make(store), store)
    return key[1], *_MADE[key]


QUICK = ("delta update", "delta vacuum", "iceberg expired", "iceberg snapshots", "plain")
"""Kinds that the quick tests look at, on this machine and from the root: `test_three_stores` has some of the others."""


def full(store: str, kind: str, start: str) -> tuple:
    return () if (store, start) == ("local", "root") and kind in QUICK else (pytest.mark.full,)


CASES = [
    pytest.param((store, kind), start, id=f"{store}-{kind}-{start}", marks=full(store, kind, start))
    for store, kind, start in itertools.product(("local", "s3"), KINDS, STARTS)
]


@pytest.mark.parametrize(("made", "start"), CASES, indirect=["made"])
def test_live_files_and_rows_are_those_of_the_tables_own_reader(made, start):
    kind, table, store = made
    where, day = source(KINDS[kind], table, start)
    lake = scan(None, where, storage_options=store.options, processes=0)
    check(kind, lake, table.reads(day), table.url)


def check(kind: str, lake, expected: tuple, url: str) -> None:
    """The lake has these live files and rows: in `files`, in `tables`, and in the view of live rows."""
    files, count = expected
    assert files
    found = lake.sql("SELECT * FROM files WHERE status = 'ok'").to_pylist()
    assert sorted(row["path"] for row in found) == files
    assert lake.sql("SELECT * FROM files WHERE status = 'error'").num_rows == 0
    rows = lake.views["live_rows"].to_pylist()
    live = [row["live_rows"] for row in rows]
    assert (None if None in live else sum(live)) == count
    assert lake.views["log_statistics"].num_rows == 0
    if kind in ("hive", "plain"):
        assert {row["state"] for row in found} == {None}
        return
    assert {row["state"] for row in found} == {"live"}
    [whole] = lake.tables["tables"].to_pylist()
    assert (whole["status"], whole["path"]) == ("ok", url)
    assert (whole["live_files"], whole["live_rows"]) == (len(files), count)
