"""What is live in a table is what deltalake and pyiceberg read, from wherever in the table the scan begins."""

import dataclasses
import functools

import pytest
from lake import made_tables
from lake.conftest import Store, bucket

from pqexplore.lake import scan

STARTS = {
    # where the scan begins: path below the store, the partition that is meant
    "table": ("events", None),
    "parent": ("", None),
    "glob over tables": ("*", None),
    "glob over everything": ("**/*.parquet", None),
    "partition": ("events/{data}day=a", "a"),
    "glob": ("events/{data}*/*.parquet", None),
    "glob of a partition": ("events/{data}day=[b]/**", "b"),
}


def scanned(store, source: str, **more):
    return scan(None, source, storage_options=store.options, processes=0, **more)


def live(lake) -> tuple[list[str], int]:
    """Files that are live by the scan, and their rows."""
    rows = [row for row in lake.tables["files"].to_pylist() if row["state"] == "live"]
    assert {row["status"] for row in rows} <= {"ok"}
    return sorted(row["path"] for row in rows), sum(row["num_rows"] - row["deleted_rows"] for row in rows)


@pytest.fixture(scope="module", params=["local", "s3"])
def store(request, tmp_path_factory):
    """A folder of this machine, and a bucket of an S3 server: a folder in it for each kind of table."""
    if request.param == "s3":
        return bucket(request.getfixturevalue("s3_endpoint"))
    return Store(str(tmp_path_factory.mktemp("lake")), {}, {}, {})


BROKEN = "broken beside sound"


@pytest.fixture(scope="module", params=["delta", "iceberg", BROKEN])
def made(request, store):
    """(kind, a store with a table, what the table's own library reads of a partition)"""
    here = dataclasses.replace(store, url=f"{store.url}/{request.param[:3]}")
    if request.param == "iceberg":
        table = made_tables.iceberg(here)
        here.touch(made_tables.metadata_files(here, table)[1])  # an old one is now the newest
        return request.param, here, functools.cache(lambda day: made_tables.iceberg_reads(table, day))
    url = made_tables.delta(here)
    if request.param == BROKEN:
        made_tables.delta(here, "broken")
        log = "broken/_delta_log/00000000000000000001.json"
        here.filesystem().pipe_file(f"{here.url}/{log}", b'{"add": {"path"')
    return request.param, here, functools.cache(lambda day: made_tables.delta_reads(here, url, day))


@pytest.mark.parametrize("start", STARTS)
def test_live_files_and_rows_are_those_that_the_table_reads(made, start):
    kind, store, reads = made
    below, day = STARTS[start]
    expected = reads(day)
    path = below.format(data="data/" if kind == "iceberg" else "")
    lake = scanned(store, f"{store.url}/{path}")

    assert live(lake) == expected
    files = lake.tables["files"].to_pylist()
    tables = {row["path"].rpartition("/")[2]: row for row in lake.tables["tables"].to_pylist()}
    row = tables["events"]
    assert (row["status"], row["live_files"], row["live_rows"]) == ("ok", *map_count(expected))
    gone = [one for one in files if one["table_path"] == row["path"] and one["state"] != "live"]
    assert len(gone) == len(expected[0])  # each live file was written in place of one
    assert {(one["status"], one["state"]) for one in gone} == {("not-read", "removed")}
    assert all("removed by " in one["state_reason"] for one in gone)
    if kind == BROKEN and start == "parent":
        assert (tables["broken"]["status"], tables["broken"]["error_code"]) == ("error", "corrupt")
        assert "line 1 of version 1 is not JSON" in tables["broken"]["error"]


def map_count(expected):
    return len(expected[0]), expected[1]


@pytest.fixture(scope="module")
def unread(store):
    """A store with a table whose log cannot be read."""
    here = dataclasses.replace(store, url=f"{store.url}/unread")
    made_tables.delta(here)
    here.filesystem().pipe_file(f"{here.url}/events/_delta_log/00000000000000000001.json", b"{}\n[]")
    return here


@pytest.mark.parametrize("start", STARTS)
def test_files_of_a_table_with_a_broken_log_are_read_and_not_called_live(unread, start):
    store = unread
    below, day = STARTS[start]
    lake = scanned(store, f"{store.url}/{below.format(data='')}")
    rows = lake.tables["files"].to_pylist()
    assert {(row["status"], row["state"]) for row in rows} == {("ok", "not-known")}
    assert len(rows) == (2 if day else 4)
    [table] = lake.tables["tables"].to_pylist()
    assert (table["status"], table["error"]) == ("error", "line 2 of version 1 is not a JSON object")
    assert table["path"] == f"{store.url}/events"
    assert table["live_files"] is None
