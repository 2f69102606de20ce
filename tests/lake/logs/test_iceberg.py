"""What Iceberg's metadata says of each file, and which metadata is the current one."""

import json
import os
import shutil
from pathlib import Path

import pytest
from lake import made_tables
from lake.logs.made_logs import delete_by

from pqexplore.lake import scan
from pqexplore.lake.listing import listing
from pqexplore.lake.logs.current import current
from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.places.disk import Disk


@pytest.fixture
def here(tmp_path):
    """A store of this machine."""
    from lake.conftest import Store

    (tmp_path / "lake").mkdir()
    return Store(str(tmp_path / "lake"), {}, {}, {})


def folder_of(table) -> str:
    return table.location().removeprefix("file://")


def live(lake) -> list[str]:
    return [row["path"] for row in lake.tables["files"].to_pylist() if row["state"] == "live"]


# Which metadata is current: the fields that decide, without a table around them.


def metadata(sequence: int, updated: int, *before: str, uuid: str = "u") -> str:
    log = [{"metadata-file": f"s3://b/t/metadata/{name}", "timestamp-ms": 1} for name in before]
    fields = {"last-sequence-number": sequence, "last-updated-ms": updated, "table-uuid": uuid}
    return json.dumps(fields | {"metadata-log": log})


A, B, C, D = (f"0000{n}-{name}.metadata.json" for n, name in enumerate("abcd"))

CURRENT = {
    # files of the folder `metadata` → the current one
    "one": ({A: metadata(0, 5)}, A),
    "three in a row": ({A: metadata(0, 9), B: metadata(1, 6, A), C: metadata(2, 7, A, B)}, C),
    "the log is cut": ({A: metadata(0, 5), B: metadata(1, 6, A), C: metadata(2, 7, B)}, C),
    "times of the clock that went back": ({A: metadata(1, 9), B: metadata(2, 8, A)}, B),
    "a commit that failed": (
        {A: metadata(0, 5), B: metadata(1, 6, A), "00001-x.metadata.json": metadata(1, 9, A), C: metadata(2, 8, A, B)},
        C,
    ),
    "a hint": ({A: metadata(0, 5), B: metadata(1, 6, A), "version-hint.text": A}, A),
    "a hint of a number": (
        {"v1.metadata.json": metadata(0, 5), "v2.metadata.json": metadata(1, 1), "version-hint.text": "2\n"},
        "v2.metadata.json",
    ),
    "a hint that is behind": ({**{f"v{n}.metadata.json": metadata(n, n) for n in (1, 2, 3)}, "version-hint.text": "1"},
        "v3.metadata.json"),
    "a broken old file": ({A: "{", B: metadata(1, 6, A)}, B),
}  # fmt: skip


@pytest.mark.parametrize("what", CURRENT)
@pytest.mark.parametrize("touched", [0, -1])
def test_the_current_metadata_is_not_that_of_the_newest_file(tmp_path, what, touched):
    files, expected = CURRENT[what]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    os.utime(tmp_path / list(files)[touched], (2e9, 2e9))
    assert current(Disk(), str(tmp_path))[0].name == expected


REFUSED = {
    # files of the folder `metadata` → code and words
    "a fork": ({A: metadata(0, 5), B: metadata(1, 6, A), "00001-x.metadata.json": metadata(1, 7, A)}, "ambiguous",
        "both claim to be the latest"),
    "two branches": (
        {
            A: metadata(0, 5),
            B: metadata(1, 6, A),
            C: metadata(2, 7, B),
            "x.metadata.json": metadata(1, 6, A),
            "y.metadata.json": metadata(2, 9, "x.metadata.json"),
        },
        "ambiguous",
        "both claim to be the latest",
    ),
    "two tables": ({A: metadata(0, 5), B: metadata(0, 6, uuid="v")}, "ambiguous", "metadata of 2 tables"),
    "a broken last file": ({A: metadata(0, 5), B: "{"}, "corrupt", "may be the current metadata"),
    "a circle": ({A: metadata(0, 5, B), B: metadata(0, 5, A)}, "corrupt", "in a circle"),
    "a hint of nothing": ({A: metadata(0, 5), "version-hint.text": "7"}, "missing", "no such metadata"),
    "a hint of elsewhere": ({A: metadata(0, 5), "version-hint.text": "../../x"}, "missing", "no such"),
    "no metadata": ({A: "[]"}, "corrupt", "not a JSON object"),
    "deep": ({A: "[" * 100_000}, "corrupt", "not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_metadata_that_does_not_say_what_is_current_is_refused(tmp_path, what):
    files, code, words = REFUSED[what]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(LogError, match=words) as error:
        current(Disk(), str(tmp_path))
    assert error.value.code == code


# Whole tables.


def events(store, **options):
    """A table without partitions; 100 rows were written."""
    url = f"{store.url}/events" if "://" in store.url else f"file://{store.url}/events"
    table = made_tables.catalog(store).create_table("n.events", made_tables.ROWS.schema, location=url, **options)
    table.append(made_tables.ROWS)
    return table


def test_an_ambiguous_table_is_a_row_and_its_files_are_read(here):
    table = made_tables.iceberg(here)
    last = made_tables.metadata_files(here, table)[-1]
    text = Path(last).read_text()
    other = last.replace("/00003-", "/00003-f")
    Path(other).write_text(text.replace('"last-updated-ms":', '"last-updated-ms":1'))
    lake = scan(None, here.url, processes=0)
    [row] = lake.tables["tables"].to_pylist()
    assert (row["status"], row["error_code"], row["live_files"]) == ("error", "ambiguous", None)
    assert os.path.basename(last) in row["error"]
    files = lake.tables["files"].to_pylist()
    assert {(one["status"], one["state"]) for one in files} == {("ok", "not-known")}
    assert lake.views["broken_tables"].num_rows == 1
    # the catalog knows
    lake = scan(None, table, processes=0)
    assert sorted(live(lake)) == made_tables.iceberg_reads(table, None)[0]
    assert lake.tables["tables"].to_pylist()[0]["decided_by"] == "catalog"


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_a_table_of_a_catalog_is_read_as_the_catalog_has_it(store):
    table = made_tables.iceberg(store)
    lake = scan(None, table, processes=0)  # the catalog knows how to reach the store, too
    assert sorted(live(lake)) == made_tables.iceberg_reads(table, None)[0]
    again = table.catalog.load_table("n.events")
    again.delete("id < 60")
    lake.refresh()
    assert sorted(live(lake)) == made_tables.iceberg_reads(again, None)[0]
    assert lake.tables["tables"].to_pylist()[0]["live_rows"] == 40


def test_a_copied_table_is_read_where_it_is(here, tmp_path):
    table = made_tables.iceberg(here)
    copy = tmp_path / "copy" / "events"
    shutil.copytree(folder_of(table), copy)
    names = [os.path.relpath(path, folder_of(table)) for path in made_tables.iceberg_reads(table, None)[0]]
    table.delete("id < 90")  # the old place goes on
    lake = scan(None, copy, processes=0)
    assert sorted(live(lake)) == [str(copy / name) for name in names]
    [row] = lake.tables["tables"].to_pylist()
    assert (row["copied_from"], row["live_rows"]) == (table.location(), 50)
    assert "this is a copy" in row["remarks"]
    shutil.rmtree(here.url)
    assert sorted(live(scan(None, copy, processes=0))) == [str(copy / name) for name in names]


def test_only_a_whole_history_proves_an_orphan(here):
    table = made_tables.iceberg(here)
    stray = f"{folder_of(table)}/data/stray.parquet"
    shutil.copy(live(scan(None, table, processes=0))[0], stray)

    def state_of_stray():
        found = {one.path: one for one in listing(folder_of(table)).others}
        return found[stray].state

    assert state_of_stray() == "orphan"
    first = table.metadata.snapshots[0].snapshot_id
    table.maintenance.expire_snapshots().by_id(first).commit()
    assert state_of_stray() == "unreferenced"
    states = {one.state for one in listing(folder_of(table)).others}
    assert states == {"unreferenced"}  # files of the expired snapshot are needed by none


def test_files_of_another_branch_are_needed(here):
    table = made_tables.iceberg(here)
    table.manage_snapshots().create_branch(
        snapshot_id=table.metadata.snapshots[0].snapshot_id, branch_name="audit"
    ).commit()
    reasons = {one.state_reason for one in listing(folder_of(table)).others}
    assert len(reasons) == 1 and "(branch audit) needs it" in reasons.pop()


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_position_deletes_are_counted_as_pyiceberg_reads_them(store):
    location = f"{store.url}/events"
    table = events(store)
    table.append(made_tables.ROWS)
    one, two = (task.file.file_path for task in table.scan().plan_files())
    delete_by(table, {one: [1, 2, 3], two: [7]})
    path = delete_by(table, {one: [3, 4]})  # row 3 again
    lake = scan(None, location, storage_options=store.options, processes=0)
    rows = {row["path"]: row for row in lake.tables["files"].to_pylist()}
    deleted = {path: row["deleted_rows"] for path, row in rows.items() if row["state"] == "live"}
    assert deleted == {one.removeprefix("file://"): 4, two.removeprefix("file://"): 1}
    [row] = lake.tables["tables"].to_pylist()
    assert (row["stored_rows"], row["deleted_rows"]) == (200, 5)
    assert row["live_rows"] == table.scan().to_arrow().num_rows
    file = rows[path.removeprefix("file://")]
    assert (file["status"], file["state"]) == ("not-read", "deletes")
    assert lake.views["orphans"].num_rows == 0


def test_rows_of_equality_deletes_are_not_known(here):
    table = events(here)
    delete_by(table, equal=[1, 2])
    table.append(made_tables.ROWS)  # later than the deletes: they do not concern it
    lake = scan(None, here.url, processes=0)
    counts = sorted(
        (row["deleted_rows"] for row in lake.tables["files"].to_pylist() if row["state"] == "live"), key=str
    )
    assert counts == [0, None]
    [row] = lake.tables["tables"].to_pylist()
    assert (row["stored_rows"], row["live_rows"], row["deleted_rows"]) == (200, None, None)
    assert "equality deletes" in row["remarks"]

    from pqexplore.lake.panels import fleet
    from pqexplore.lake.panels.filters import Filters

    assert "how many rows delete files delete from 1 file is unknown" in fleet.answer(lake, Filters()).sentence


def test_deletion_vectors_in_puffin_files_are_counted_by_their_data_file(here):
    table = events(here)
    table.append(made_tables.ROWS)
    one, two = (task.file.file_path for task in table.scan().plan_files())
    delete_by(table, {one: [1, 2]})
    delete_by(table, vector=(one, 3))  # in place of the positions, which it has as well
    lake = scan(None, here.url, processes=0)
    rows = {f"file://{row['path']}": row for row in lake.views["live_rows"].to_pylist()}
    assert [(rows[path]["deleted_rows"], rows[path]["live_rows"]) for path in (one, two)] == [(3, 97), (0, 100)]
    [row] = lake.tables["tables"].to_pylist()
    assert (row["live_rows"], row["remarks"]) == (197, None)


def test_a_deletion_vector_of_no_known_file_leaves_the_rows_unknown(here):
    table = events(here)
    delete_by(table, vector=(None, 3))
    [row] = scan(None, here.url, processes=0).tables["tables"].to_pylist()
    assert row["live_rows"] is None and "unknown for which files" in row["remarks"]


def changed(table, old: str, new: str) -> None:
    """Replace text in the newest metadata file."""
    folder = folder_of(table) + "/metadata"
    name = sorted(one for one in os.listdir(folder) if one.endswith(".metadata.json"))[-1]
    text = Path(f"{folder}/{name}").read_text()
    assert old in text
    Path(f"{folder}/{name}").write_text(text.replace(old, new))


@pytest.mark.parametrize("place", ["file:///etc/passwd", "{root}/../snap.avro", "s3://other/snap.avro", "/etc/passwd"])
def test_metadata_may_not_name_files_outside_of_its_table(here, place):
    table = made_tables.iceberg(here)
    manifests = table.metadata.current_snapshot().manifest_list
    changed(table, manifests, place.format(root=table.location()))
    [found] = listing(folder_of(table)).tables
    assert found.log.code == "outside"
    assert "outside of the table's folder" in found.log.message


def test_data_files_outside_of_the_table_are_not_opened(here):
    events(here, properties={"write.data.path": f"file://{here.url}/far"})
    for follow, code in ((False, "outside"), (True, None)):
        lake = scan(None, f"{here.url}/events", processes=0, follow_outside=follow)
        [row] = lake.tables["files"].to_pylist()
        assert (row["state"], row["error_code"], row["listed_rows"]) == ("live", code, 100)
    assert row["num_rows"] == 100


@pytest.mark.parametrize("what", ["metadata", "manifest list", "manifest"])
def test_a_damaged_part_makes_the_table_unknown_and_no_more(here, what):
    table = made_tables.iceberg(here)
    made_tables.delta(here, "sound")
    manifests = table.metadata.current_snapshot().manifest_list
    path = {
        "metadata": made_tables.metadata_files(here, table)[-1],
        "manifest list": manifests.removeprefix("file://"),
        "manifest": table.metadata.current_snapshot().manifests(table.io)[0].manifest_path[7:],
    }[what]
    whole = Path(path).read_bytes()
    for damage in (b"", whole[: len(whole) // 2], bytes(len(whole)), whole[:40] + b"\xff" * 400):
        Path(path).write_bytes(damage)
        found = listing(here.url)
        states = {one.path.split("/")[-2]: one.state for one in found.entries}
        assert {one.state for one in found.entries} == {"live", "not-known"}, states
        assert [isinstance(one.log, LogError) for one in found.tables] == [True, False]
