"""Older versions of Delta and Iceberg tables: their live files and rows are those that deltalake and pyiceberg read."""

import contextlib
import datetime
import json
import os
import shutil
import time

import pytest
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove

from pqexplore.engine.errors import UsageError
from pqexplore.lake import open as open_lake
from pqexplore.lake import scan

ROWS = made_tables.ROWS


def states(lake) -> dict[str, str]:
    """State of each file by its name."""
    rows = lake.tables["files"].to_pylist()
    return {row["path"].rpartition("/")[2]: row["state"] for row in rows}


def live(lake) -> tuple[list[str], int]:
    """Paths of the live files, and their rows."""
    rows = [row for row in lake.tables["files"].to_pylist() if row["state"] == "live"]
    return sorted(row["path"] for row in rows), sum(row["num_rows"] - row["deleted_rows"] for row in rows)


def moment(stamp: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(stamp / 1000, datetime.UTC)


def committed(store, url: str, version: int) -> datetime.datetime:
    """When a version of a Delta table was committed, by its commitInfo."""
    text = store.filesystem().cat_file(f"{url}/_delta_log/{version:020}.json").decode()
    [info] = [one for line in text.splitlines() if (one := json.loads(line).get("commitInfo"))]
    return moment(info["timestamp"])


@pytest.fixture
def here(tmp_path):
    """A store of this machine."""
    (tmp_path / "lake").mkdir()
    return Store(str(tmp_path / "lake"), {}, {}, {})


def test_versions_of_delta_are_what_deltalake_reads(store):
    from deltalake import DeltaTable, write_deltalake

    url, options = made_tables.delta(store), store.deltalake or None
    time.sleep(0.002)
    write_deltalake(url, ROWS.slice(0, 1), mode="append", storage_options=options)
    DeltaTable(url, storage_options=options).optimize.compact()
    newest = set(DeltaTable(url, storage_options=options).file_uris())
    for version in range(4) if not options else (1,):
        table = DeltaTable(url, version=version, storage_options=options)
        expected = sorted(table.file_uris()), table.to_pyarrow_table().num_rows
        stamp = committed(store, url, version)
        ways = {
            "version": (url, {"version": version, "storage_options": store.options}),
            "time": (url, {"timestamp": stamp, "storage_options": store.options}),
            "text": (store.url, {"timestamp": f"{stamp}", "storage_options": store.options}),
            "DeltaTable": (table, {}),  # with its own storage options
        }
        for way, (source, more) in ways.items():
            lake = scan(None, source, processes=0, **more)
            assert live(lake) == expected, way
            [row] = lake.tables["tables"].to_pylist()
            counts = (row["version"], row["live_files"], row["live_rows"])
            assert counts == (version, len(expected[0]), expected[1]), way
            if way != "text":
                assert live(lake.refresh()) == expected, way
        found = states(lake)
        others = newest - set(expected[0])
        assert {found[name.rpartition("/")[2]] for name in others} <= {"other-version"}
        assert lake.views["orphans"].num_rows == 0


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_snapshots_of_iceberg_are_what_pyiceberg_reads(store):
    table = made_tables.iceberg(store)
    time.sleep(0.002)
    table.append(ROWS.slice(0, 1))
    table.manage_snapshots().create_branch(
        snapshot_id=table.metadata.snapshots[0].snapshot_id, branch_name="audit"
    ).commit()
    folder = table.location().removeprefix("file://")
    log = {one.snapshot_id: one.timestamp_ms for one in table.metadata.snapshot_log}
    for snapshot in table.metadata.snapshots:
        number = snapshot.snapshot_id
        reads = table.scan(snapshot_id=number)
        files = sorted(one.file.file_path.removeprefix("file://") for one in reads.plan_files())
        expected = files, reads.to_arrow().num_rows
        ways = {
            "path": (folder, {"snapshot": number, "storage_options": store.options}),
            "Table": (table, {"snapshot": number}),
        }
        if number in log:
            ways["time"] = (table, {"timestamp": moment(log[number])})
        if snapshot is table.metadata.snapshots[0]:
            ways["branch"] = (table, {"snapshot": "audit"})
        for way, (source, more) in ways.items():
            lake = scan(None, source, processes=0, **more)
            assert live(lake) == expected, way
            assert lake.tables["tables"]["snapshot_id"].to_pylist() == [number], way
            assert live(lake.refresh()) == expected, way
        current = {task.file.file_path.rpartition("/")[2] for task in table.scan().plan_files()}
        gone = current - {one.rpartition("/")[2] for one in files}
        assert {states(lake)[name] for name in gone} <= {"other-version"}


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_a_table_of_a_catalog_by_its_name(store, monkeypatch):
    catalog = made_tables.catalog(store)
    table = made_tables.iceberg(store, within=catalog)
    settings = {"TYPE": "sql", **{n.upper(): v for n, v in catalog.properties.items()}}
    for name, value in settings.items():
        name = name.replace(".", "__").replace("-", "_")
        monkeypatch.setenv(f"PYICEBERG_CATALOG__TESTS__{name}", value)
    lake = scan(None, "tests.n.events", processes=0)
    assert live(lake) == made_tables.iceberg_reads(table, None)
    assert lake.tables["tables"]["decided_by"].to_pylist() == ["catalog"]
    assert bool(lake.storage_options) == bool(store.options)
    assert "No problems found" in repr(lake.diagnose(processes=0))  # opens the files again
    with pytest.raises(UsageError, match="the catalog tests does not give the table n.nothing: NoSu"):
        scan(None, "tests.n.nothing")
    with pytest.raises(UsageError, match="other would be a catalog of .* configuration, which has .*tests"):
        scan(None, "other.n.events")


def test_a_name_that_could_be_a_catalogs_is_a_path_if_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PYICEBERG_CATALOG__SHOP__URI", "sqlite:////nowhere/catalog.db")
    monkeypatch.chdir(tmp_path)
    data(tmp_path / "shop.n.events", "a.parquet")
    assert scan(None, "shop.n.events", processes=0).tables["files"].num_rows == 1


def test_a_refresh_of_an_opened_store_keeps_the_version(here, tmp_path):
    url = made_tables.delta(here)
    expected = live(scan(None, url, processes=0, version=0, out=tmp_path / "out"))
    assert live(scan(None, url, processes=0)) != expected
    assert live(open_lake(tmp_path / "out", follow_outside=True).refresh()) == expected


def test_versions_that_a_table_does_not_have(here):
    delta = made_tables.delta(here, "delta")
    iceberg = made_tables.iceberg(here, "iceberg")
    made_tables.delta(here, "second")
    folder, last = f"{here.url}/iceberg", iceberg.metadata.snapshots[-1].snapshot_id
    refused = [
        (delta, {"version": 7}, "delta: the log has versions 0 to 1, and no version 7"),
        (delta, {"snapshot": "audit"}, "versions 0 to 1, and no version audit"),
        (delta, {"timestamp": "2001-02-03"}, "begins with version 0, of 20.* as old as 2001-02-03"),
        (folder, {"snapshot": 7}, f"no snapshot 7; the last are .*{last} \\(20"),
        (folder, {"timestamp": "2001-02-03T04:05:06+01:00"}, f"as old as 2001-.*the last are .*{last}"),
        ([delta, f"{here.url}/second"], {"version": 0}, "has 2 tables, and version 0 is that of"),
        (delta, {"version": 0, "snapshot": 0}, "do not go together"),
        (delta, {"timestamp": "yesterday"}, "ISO 8601"),
        (f"{delta}/nowhere", {"version": 0}, "is not a file"),
    ]
    for source, more, words in refused:
        with pytest.raises(UsageError, match=words):
            scan(None, source, processes=0, **more)
    assert len(live(scan(None, here.url, processes=0, timestamp="2999-01-01"))[0]) == 6


def test_a_version_of_a_folder_without_a_log(tmp_path):
    data(tmp_path, "a.parquet")
    with pytest.raises(UsageError, match="the source has none"):
        scan(None, tmp_path, processes=0, version=0)


def test_versions_whose_commits_are_gone(here):
    from deltalake import DeltaTable, write_deltalake

    url = made_tables.delta(here)
    write_deltalake(url, ROWS.slice(0, 1), mode="append")
    DeltaTable(url).create_checkpoint()
    write_deltalake(url, ROWS.slice(0, 1), mode="append")
    for version in (0, 1):
        os.remove(f"{url}/_delta_log/{version:020}.json")
    expected = sorted(DeltaTable(url, version=2).file_uris())
    assert live(scan(None, url, processes=0, version=2))[0] == expected
    with pytest.raises(UsageError, match="versions 2 to 3, and no version 1"):
        scan(None, url, processes=0, version=1)


def test_what_later_versions_have_is_no_orphan(tmp_path):
    data(tmp_path, "first.parquet", "gone.parquet", "again.parquet", "next.parquet", "stray.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("first.parquet"), add("gone.parquet"))
    commit(tmp_path, 1, remove("gone.parquet"), add("again.parquet"))
    commit(tmp_path, 2, remove("again.parquet"), remove("first.parquet"))
    commit(tmp_path, 3, add("next.parquet"), add("again.parquet"))
    expected = {
        0: ["live", "live", "other-version", "other-version"],
        1: ["live", "removed", "live", "other-version"],
        2: ["removed", "removed", "other-version", "other-version"],
        3: ["removed", "removed", "live", "live"],
    }
    for version, wanted in expected.items():
        found = states(scan(None, tmp_path, processes=0, version=version))
        names = ("first", "gone", "again", "next", "stray")
        assert [found[f"{one}.parquet"] for one in names] == [*wanted, "orphan"], version
    commit(tmp_path, 3, "{")  # a later version that cannot be read may have the stray file
    assert states(scan(None, tmp_path, processes=0, version=1))["stray.parquet"] == "not-known"


def test_the_time_of_a_version_is_the_logs_and_survives_a_copy(here, tmp_path):
    url = made_tables.delta(here)
    stamp = committed(here, url, 0)
    copy = tmp_path / "copy"
    shutil.copytree(url, copy)
    for name in os.listdir(copy / "_delta_log"):
        with contextlib.suppress(IsADirectoryError):
            os.utime(copy / "_delta_log" / name, (2e9, 2e9))
    lake = scan(None, copy, processes=0, timestamp=stamp)
    assert lake.tables["tables"]["version"].to_pylist() == [0]


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_tables_of_libraries_in_a_list(store):
    """Each DeltaTable at its own version, a pyiceberg Table as its catalog has it."""
    from deltalake import DeltaTable

    options = store.deltalake or None
    urls = [made_tables.delta(store, name) for name in ("old", "new")]
    old, new = (DeltaTable(url, n, storage_options=options) for n, url in enumerate(urls))
    table = made_tables.iceberg(store, "berg")
    # the first is the table of the second, without a version
    sources = [urls[0], old, [table, new]]
    lake = scan(None, iter(sources), processes=0, storage_options=store.options)
    expected = [*old.file_uris(), *new.file_uris(), *made_tables.iceberg_reads(table, None)[0]]
    for _ in range(2):
        assert live(lake)[0] == sorted(uri.removeprefix("file://") for uri in expected)
        assert live(lake)[1] == old.to_pyarrow_table().num_rows + 50 + 50
        rows = lake.sql("SELECT version, decided_by FROM tables ORDER BY path").to_pylist()
        assert [tuple(row.values()) for row in rows] == [(None, "catalog"), (1, "log"), (0, "log")]
        lake.refresh()
    at_newest = scan(None, [old], version=1, processes=0, storage_options=store.options)
    assert live(at_newest)[1] == 50  # the caller's version goes before the table's


def test_tables_of_a_list_that_contradict_each_other(here, tmp_path):
    from deltalake import DeltaTable

    url = made_tables.delta(here)
    with pytest.raises(UsageError, match="is in the list at the versions 0 and 1"):
        scan(None, [DeltaTable(url, 0), DeltaTable(url, 1)], processes=0)
    one, two = DeltaTable(url), DeltaTable(url)
    one._storage_options, two._storage_options = {"aws_region": "a"}, {"aws_region": "b"}
    with pytest.raises(UsageError, match="come with different storage options: scan them apart"):
        scan(None, [one, two], processes=0)
    assert live(scan(None, [one, two], processes=0, storage_options={"anon": True}))[1] == 50
    scan(None, [DeltaTable(url, 0)], processes=0, out=tmp_path / "out")
    with pytest.raises(UsageError, match="pass it again: refresh"):  # its version is not stored
        open_lake(tmp_path / "out", follow_outside=True).refresh()
