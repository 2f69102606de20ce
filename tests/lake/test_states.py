"""States of files, and what maintenance of a table would delete, held against deltalake and pyiceberg."""

import datetime
import io
import json
import os
import pathlib
import time
import urllib.parse

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove

from pqexplore.cli import DONE, FOUND, run
from pqexplore.cli.out import Out
from pqexplore.lake import scan
from pqexplore.lake.listing import listing
from pqexplore.lake.listing.retention import kept_until
from pqexplore.lake.logs import reading
from pqexplore.lake.logs.vacuum_candidates import state_lines
from pqexplore.lake.logs.vectors import vector_file
from pqexplore.lake.places.disk import Disk
from pqexplore.lake.places.place import Item

DAY = datetime.timedelta(days=1)


def scanned(source, **more):
    return scan(None, str(source), processes=0, **more)


def states(lake) -> dict[str, str]:
    """State by the file's name."""
    return {os.path.basename(r["path"]): r["state"] for r in lake.tables["files"].to_pylist()}


def paths(found, root) -> set[str]:
    return {os.path.relpath(path, root) for path in found["path"].to_pylist()}


def aged(root, days: float) -> None:
    """Make every file of a Delta table, and every removal in its log, older."""
    then = time.time() - days * 86_400
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if folder.endswith("_delta_log") and name.endswith(".json"):
                lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
                for line in lines:
                    if "remove" in line:
                        line["remove"]["deletionTimestamp"] = int(then * 1000)
                with open(path, "w") as file:
                    file.write("\n".join(map(json.dumps, lines)))
            os.utime(path, (then, then))


def delta(tmp_path, **configuration):
    """A Delta table with removed files, change data and other files in its folder."""
    from deltalake import DeltaTable, write_deltalake

    root = tmp_path / "events"
    settings = {"delta.enableChangeDataFeed": "true", **configuration}
    write_deltalake(root, made_tables.ROWS, partition_by=["day"], configuration=settings)
    DeltaTable(root).delete("id < 50")
    for name in ("stray.parquet", "_h.parquet", "notes.txt", "day=a/stray", "_tmp/x.parquet"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"12345")
    return root


@pytest.mark.parametrize("given, days, count", [
    ({}, 8, 7),
    ({}, 6, 0),
    ({"delta.deletedFileRetentionDuration": "interval 2 days"}, 3, 7),
    ({"delta.deletedFileRetentionDuration": "interval 2 weeks"}, 8, 0),
])  # fmt: skip
def test_what_vacuum_would_delete_is_what_deltalake_lists(tmp_path, given, days, count):
    from deltalake import DeltaTable

    root = delta(tmp_path, **given)
    aged(root, days)
    table = DeltaTable(root)
    lite, full = (set(map(urllib.parse.unquote, table.vacuum(full=one))) for one in (False, True))
    assert len(full) == count
    found = scanned(root).removable()
    assert paths(found.files, root) == full
    removed = found.files.filter(pa.compute.equal(found.files["state"], "removed"))
    assert paths(removed, root) == lite
    assert set(found.files["by"].to_pylist()) <= {"VACUUM"}
    view = {(r["state"], r["num_files"], r["total_bytes"]) for r in scanned(root).views["removable"].to_pylist()}  # fmt: skip
    sums = found.table.select(["state", "num_files", "total_bytes"]).to_pylist()
    assert view == {tuple(row.values()) for row in sums}
    live = {os.path.relpath(path, root) for path in table.file_uris()}
    assert not live & paths(found.files, root) and not live & paths(found.later, root)


def test_the_sentence_says_what_is_deleted_and_what_is_kept(tmp_path):
    root = delta(tmp_path)
    lake = scanned(root)
    now = lake.removable()
    assert "No file may be deleted" in now.sentence and "They keep 7 files" in now.sentence
    later = lake.removable(datetime.datetime.now(datetime.UTC) + 8 * DAY)
    assert "VACUUM would delete 2 files that only earlier versions need" in later.sentence
    assert "3 files that no version names" in later.sentence
    assert "nothing was deleted" in later.sentence and later.later.num_rows == 0
    assert sum(later.table["num_files"].to_pylist()) == later.files.num_rows == 7
    assert "7 days, the default of delta.deletedFileRetentionDuration" in str(later.table["retention"])
    plain = tmp_path / "plain"
    data(plain, "a.parquet")
    assert "has no Delta or Iceberg table" in scanned(plain).removable().sentence


@pytest.mark.parametrize("settings, action", [
    ({"delta.deletedFileRetentionDuration": "interval 1 month"}, {"deletionTimestamp": 1}),
    ({"delta.deletedFileRetentionDuration": f"{'9' * 12} weeks"}, {"deletionTimestamp": 1}),
    ({"delta.deletedFileRetentionDuration": 7}, {"deletionTimestamp": 1}),
    ({}, {"deletionTimestamp": None}),
])  # fmt: skip
def test_a_removed_file_of_unknown_age_or_retention_is_never_removable(tmp_path, settings, action):
    data(tmp_path, "a.parquet", "b.parquet")
    commit(tmp_path, 0, PROTOCOL, {"metaData": {"id": "x", "configuration": settings}}, add("a.parquet"))  # fmt: skip
    commit(tmp_path, 1, remove("a.parquet", **action), add("b.parquet"))
    aged_mtime = time.time() - 900 * 86_400
    os.utime(tmp_path / "a.parquet", (aged_mtime, aged_mtime))
    found = scanned(tmp_path).removable()
    assert (found.files.num_rows, found.later.num_rows) == (0, 0)
    commit(tmp_path, 1, remove("a.parquet", deletionTimestamp=1), add("b.parquet"))
    commit(tmp_path, 2, {"metaData": {"id": "x"}})
    assert paths(scanned(tmp_path).removable().files, tmp_path) == {"a.parquet"}


def test_a_file_that_was_restored_is_live(tmp_path):
    data(tmp_path, "a.parquet", "b.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a.parquet"), add("b.parquet"))
    commit(tmp_path, 1, remove("a.parquet"), remove("b.parquet"))
    commit(tmp_path, 2, add("a.parquet"))
    os.utime(tmp_path / "a.parquet", (1, 1))
    os.utime(tmp_path / "b.parquet", (1, 1))
    lake = scanned(tmp_path)
    assert states(lake) == {"a.parquet": "live", "b.parquet": "removed"}
    assert paths(lake.removable().files, tmp_path) == {"b.parquet"}


def test_deletion_vectors_of_live_files_are_needed_and_those_of_removals_are_not(tmp_path):
    def vector(where):
        return {"storageType": "u", "pathOrInlineDv": where, "offset": 1, "sizeInBytes": 9, "cardinality": 2}  # fmt: skip

    first, second = vector("^-aqEH.-t@S}K{vb[*k^"), vector("zz^-aqEH.-t@S}K{vb[*k^")
    data(tmp_path, "a.parquet")
    (tmp_path / "zz").mkdir()
    name = vector_file("u", first["pathOrInlineDv"])
    (tmp_path / name).write_bytes(b"old vector")
    (tmp_path / "zz" / name).write_bytes(b"new vector")
    for path in (tmp_path / name, tmp_path / "zz" / name, tmp_path / "a.parquet"):
        os.utime(path, (1, 1))
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}}  # fmt: skip
    commit(tmp_path, 0, protocol, METADATA, add("a.parquet", 10))
    commit(tmp_path, 1, remove("a.parquet"), add("a.parquet", 10, deletionVector=first))
    commit(tmp_path, 2, remove("a.parquet", deletionVector=first), add("a.parquet", 10, deletionVector=second))  # fmt: skip
    lake = scanned(tmp_path)
    rows = {os.path.relpath(r["path"], tmp_path): r["state"] for r in lake.tables["files"].to_pylist()}  # fmt: skip
    assert rows == {"a.parquet": "live", name: "removed", f"zz/{name}": "deletes"}
    assert paths(lake.removable().files, tmp_path) == {name}
    expected = {0: ["other-version"] * 2, 1: ["deletes", "other-version"], 2: ["removed", "deletes"]}
    for version, wanted in expected.items():  # a vector of a later version is not an orphan
        lake = scanned(tmp_path, version=version)
        rows = {os.path.relpath(r["path"], tmp_path): r for r in lake.tables["files"].to_pylist()}
        vectors = rows[name], rows[f"zz/{name}"]
        assert [row["state"] for row in vectors] == wanted, version
        assert version == 2 or not lake.removable().files.num_rows
        assert not any(row["kept_until"] for row in vectors if row["state"] == "other-version")


@pytest.fixture
def here(tmp_path):
    """A store on this machine."""
    return Store(str(tmp_path), {}, {}, {})


def iceberg_files(table, snapshots) -> set[str]:
    """The files of snapshots, as pyiceberg plans them."""
    return {
        task.file.file_path.removeprefix("file://")
        for one in snapshots
        for task in table.scan(snapshot_id=one.snapshot_id).plan_files()
    }


def iceberg(here, appends: int = 3, **properties):
    """An Iceberg table of several snapshots, each of which rewrites a file."""
    table = made_tables.iceberg(here)
    if properties:
        with table.transaction() as change:
            change.set_properties(**properties)
    for number in range(appends):
        table.delete(f"id < {60 + 10 * number}")
    return table


def in_days(days: float) -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC) + days * DAY


def test_what_expire_would_free_is_what_pyiceberg_s_remaining_snapshots_do_not_name(here):
    table = iceberg(here)
    old = table.metadata.snapshots[2]
    table.manage_snapshots().create_tag(old.snapshot_id, "report").commit()
    before = iceberg_files(table, table.metadata.snapshots)
    lake = scanned(f"{here.url}/events")
    assert lake.removable(in_days(4.9)).files.num_rows == 0
    found = lake.removable(in_days(5.1))
    table.maintenance.expire_snapshots().older_than(in_days(0.1).replace(tzinfo=None)).commit()
    assert len(table.metadata.snapshots) == 2
    gone = before - iceberg_files(table, table.metadata.snapshots)
    assert gone and set(found.files["path"].to_pylist()) == gone
    assert set(found.files["by"].to_pylist()) == {"expire_snapshots"}
    assert "expire_snapshots would delete" in found.sentence
    assert "history.expire.max-snapshot-age-ms" in found.table["retention"][0].as_py()


@pytest.fixture(scope="module")
def kept_by_settings(tmp_path_factory):
    """An Iceberg table of several snapshots, and a file that none of them names."""
    folder = tmp_path_factory.mktemp("settings")
    table = iceberg(Store(str(folder), {}, {}, {}))
    data(folder, "events/data/stray.parquet")
    return table, str(folder / "events")


@pytest.mark.parametrize("properties, days, kept", [
    ({}, 5.1, 1),
    ({"history.expire.max-snapshot-age-ms": "86400000"}, 1.1, 1),
    ({"history.expire.max-snapshot-age-ms": "86400000"}, 0.9, 99),
    ({"history.expire.min-snapshots-to-keep": "3"}, 6, 3),
    ({"history.expire.max-snapshot-age-ms": "a week"}, 999, 99),
    ({"history.expire.max-snapshot-age-ms": "86_400"}, 999, 99),
    ({"history.expire.max-snapshot-age-ms": "9" * 18}, 999, 99),
    ({"history.expire.max-snapshot-age-ms": "-" + "9" * 18}, 4, 1),
    ({"gc.enabled": "false"}, 999, 99),
])  # fmt: skip
def test_the_settings_of_an_iceberg_table_keep_its_snapshots(kept_by_settings, properties, days, kept):
    table, root = kept_by_settings
    with table.transaction() as change:
        change.remove_properties(*table.properties)
        change.set_properties(**properties)
    newest = sorted(table.metadata.snapshots, key=lambda one: -one.sequence_number)
    expected = iceberg_files(table, newest) - iceberg_files(table, newest[:kept])
    found = scanned(root).removable(in_days(days))
    orphans = {f"{root}/data/stray.parquet"} if days > 3 and "gc.enabled" not in properties else set()
    by = {"expire_snapshots": expected, "remove_orphan_files": orphans}
    for name, files in by.items():
        rows = found.files.filter(pa.compute.equal(found.files["by"], name))
        assert set(rows["path"].to_pylist()) == files, name


def test_files_of_a_branch_and_of_an_unreadable_snapshot_are_kept(here):
    table = iceberg(here)
    branch = table.metadata.snapshots[0]
    table.manage_snapshots().create_branch(branch.snapshot_id, "audit").commit()
    stray = f"{here.url}/events/data/stray.parquet"
    data(pathlib.Path(here.url), "events/data/stray.parquet")
    found = scanned(f"{here.url}/events").removable(in_days(6)).files["path"].to_pylist()
    assert stray in found and len(found) > 1
    assert not iceberg_files(table, [branch]) & set(found)
    os.remove(table.metadata.snapshots[2].manifest_list.removeprefix("file://"))
    lake = scanned(f"{here.url}/events")
    assert "orphan" not in states(lake).values()  # the snapshot may name it
    assert lake.removable(in_days(999)).files.num_rows == 0


def test_of_a_copied_iceberg_table_nothing_is_removable(here, tmp_path):
    import shutil

    iceberg(here)
    shutil.copytree(tmp_path / "events", tmp_path / "copy")
    lake = scanned(tmp_path / "copy")
    assert "removed" in states(lake).values()
    assert lake.removable(in_days(999)).files.num_rows == 0


def test_a_tree_of_hundreds_of_tables_is_one_scan(tmp_path, here, monkeypatch):
    made_tables.iceberg(here, "iceberg/orders")
    for number in range(200):
        table = tmp_path / f"area{number % 7}" / f"t{number}"
        data(table, "a.parquet", "b.parquet", "stray.parquet")
        commit(table, 0, PROTOCOL, METADATA, add("a.parquet", 10), add("b.parquet", 10))
        commit(table, 1, remove("b.parquet"))
    data(tmp_path, "plain/day=1/x.parquet", "area0/y.parquet")
    folders = sum(len(some) for _, some, _ in os.walk(tmp_path))
    opened = []
    real = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: opened.append(path) or real(path))
    found = listing(str(tmp_path))
    assert len(opened) < 2 * folders  # each folder, and the log of each table
    assert len(found.entries) == 200 + 2 + 2
    monkeypatch.undo()
    lake = scanned(tmp_path)
    rows = {row["name"]: row for row in lake.tables["tables"].to_pylist()}
    assert len(rows) == 201
    size = (tmp_path / "area3/t3/a.parquet").stat().st_size
    names = ("format", "version", "live_files", "live_rows", "live_bytes", "removed_files")
    assert [rows["area3/t3"][one] for one in names] == ["delta", 1, 1, 10, size, 1]
    names = ("removed_bytes", "orphan_files", "unreferenced_files", "unreferenced_bytes")
    assert [rows["area3/t3"][one] for one in names] == [size, 1, 0, size]
    orders = rows["iceberg/orders"]
    assert (orders["format"], orders["live_files"], orders["live_rows"]) == ("iceberg", 2, 50)
    assert orders["snapshot_id"] is not None
    outside = [row for row in lake.views["file_states"].to_pylist() if row["table_path"] is None]
    assert [(row["state"], row["num_files"]) for row in outside] == [("no-log", 2)]
    [one] = scanned(tmp_path / "area3" / "t3").tables["tables"].to_pylist()
    assert one["name"] == "t3"


def test_hidden_files_are_listed_and_in_no_sum(tmp_path):
    """What a job is still writing under `_temporary` is no data: neither its rows nor its bytes count."""
    table = pa.table({"a": [1, 2, 3]})
    names = ("a", "_day=1/b", "_temporary/0/c", ".hidden/d", "e/_f", "e/.g")
    for name in names:
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
    lake = scanned(tmp_path)
    rows = {os.path.relpath(r["path"], tmp_path): r for r in lake.tables["files"].to_pylist()}
    assert (
        {name: (row["status"], row["state"]) for name, row in rows.items()}
        == {
            "a.parquet": ("ok", None),
            "_day=1/b.parquet": ("ok", None),  # a partition
            **{f"{name}.parquet": ("not-read", "hidden") for name in names[2:]},
        }
    )
    assert ": 2 files, 0 that cannot be read" in repr(lake)
    assert ": 2 files with 6 rows in " in lake.diagnose().sentence
    assert "4 hidden files" in " ".join(state_lines(lake))
    assert sum(rows[name]["num_rows"] or 0 for name in rows) == 6
    [total] = [row for row in lake.views["file_states"].to_pylist() if row["state"] == "hidden"]
    assert total["num_files"] == 4
    assert scanned(tmp_path / "e/_f.parquet").tables["files"]["status"].to_pylist() == ["ok"]


def test_the_view_of_states(tmp_path):
    root = delta(tmp_path)
    (root / "_SUCCESS").touch()
    data(tmp_path, "plain/a.parquet", "plain/_b.parquet")
    (tmp_path / "plain/notes.txt").write_bytes(b"12345")
    lake = scanned(tmp_path)
    assert lake.views["removable"].num_rows == 0
    rows = lake.views["file_states"].to_pylist()
    found = {(r["table_path"] is not None, r["state"]): (r["num_files"], r["total_bytes"]) for r in rows}  # fmt: skip
    assert {key: counts[0] for key, counts in found.items()} == {
        (False, "no-log"): 1,
        (False, "hidden"): 1,
        (False, "other"): 1,
        (True, "live"): 2,
        (True, "removed"): 2,
        (True, "changes"): 2,
        (True, "orphan"): 3,
        (True, "hidden"): 2,
        (True, "marker"): 1,
    }
    assert found[True, "orphan"][1] == 15
    assert all(r["oldest"] <= r["newest"] for r in rows)
    assert {row["table_path"] for row in lake.views["not_live"].to_pylist()} == {str(root)}
    kept = {row["state"] for row in rows if row["first_removable"] is not None}
    assert kept == {"removed", "changes", "orphan"}


def test_a_store_of_before_has_no_times_and_frees_nothing(tmp_path):
    from pqexplore.lake import open as open_lake
    from pqexplore.lake.tables import ADDED

    root, out = delta(tmp_path), tmp_path / "out"
    aged(root, 30)
    assert scanned(root, out=out).removable().files.num_rows == 7
    for part in out.glob("runs/*/*/*.parquet"):
        rows = pq.read_table(part)
        keep = [one for one in rows.column_names if one not in ADDED - {"state", "table_path"}]
        pq.write_table(rows.select(keep), part)
    [manifest] = out.glob("runs/*/manifest.json")
    read = json.loads(manifest.read_text())
    del read["run"]["other_files"]
    manifest.write_text(json.dumps(read))
    lake = open_lake(out, follow_outside=True)
    assert lake.removable().files.num_rows == 0
    assert "No file may be deleted" not in lake.removable().sentence
    assert lake.runs["other_files"].to_pylist() == [None]
    assert lake.views["file_states"].num_rows == 5
    assert lake.refresh().removable().files.num_rows == 7


def test_of_a_table_with_a_broken_log_nothing_is_removable(tmp_path):
    data(tmp_path, "a.parquet")
    commit(tmp_path, 0, "[]")
    os.utime(tmp_path / "a.parquet", (1, 1))
    found = scanned(tmp_path).removable()
    assert found.files.num_rows == found.later.num_rows == 0
    assert "The log of 1 table cannot be read" in found.sentence


def printed(source) -> str:
    out = io.StringIO()
    assert run(["lake", str(source), "--processes", "0"], Out(120, out)) in (DONE, FOUND)
    return " ".join(out.getvalue().split())


def test_the_command_says_states_and_what_was_not_looked_at(tmp_path):
    root = delta(tmp_path)
    text = printed(root)
    assert "Not live: " in text and "none may be deleted by the tables' settings" in text
    assert "Not looked at" not in text
    aged(root, 30)
    assert "7 (3.31 kB) may be deleted by the tables' settings" in printed(root)
    plain = tmp_path / "plain"
    data(plain, "a.parquet")
    (plain / "_SUCCESS").touch()
    text = printed(plain)
    assert "Not live" not in text and "Not looked at" not in text
    (plain / "b.csv").touch()
    assert "Not looked at, by their names: 1 file with another name and 1 marker." in printed(plain)


def test_an_older_version_of_a_log_makes_nothing_removable(tmp_path):
    data(tmp_path, "a.parquet", "b.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a.parquet"))
    commit(tmp_path, 1, remove("a.parquet"), add("b.parquet"))
    commit(tmp_path, 2, add("a.parquet"))
    log = reading.read(Disk(), str(tmp_path), "delta", version=1)
    assert log.named["a.parquet"].state == "other-version"  # version 2 has it again
    item = Item(str(tmp_path / "a.parquet"), 1, 1)
    assert kept_until(log, "a.parquet", log.named["a.parquet"], item) is None
    commit(tmp_path, 2, add("c.parquet"))
    log = reading.read(Disk(), str(tmp_path), "delta")
    assert kept_until(log, "a.parquet", log.named["a.parquet"], item) is not None


def test_on_a_store_the_ages_are_those_of_its_objects(s3):
    from deltalake import DeltaTable

    url = made_tables.delta(s3)
    s3.filesystem().pipe_file(f"{url}/stray.parquet", b"12345")
    lake = scanned(url, storage_options=s3.options)
    assert lake.removable(in_days(6.9)).files.num_rows == 0
    live = set(DeltaTable(url, storage_options=s3.deltalake).file_uris())
    found = set(lake.removable(in_days(7.1)).files["path"].to_pylist())
    listed = s3.filesystem().find(url)
    assert found == {f"s3://{one}" for one in listed if "_delta_log" not in one} - live


@pytest.mark.parametrize("how", ["a link to a file", "a link to a folder", "a table elsewhere"])
def test_a_file_that_is_needed_by_another_name_is_not_removable(tmp_path, how):
    root = tmp_path / "table"
    data(root, "y/a.parquet", "y/free.parquet")
    if how == "a link to a file":
        (root / "a.parquet").symlink_to(root / "y/a.parquet")
    if how == "a link to a folder":
        (root / "x").symlink_to(root / "y")
    needed = {"a link to a file": "a.parquet", "a link to a folder": "x/a.parquet"}.get(how)
    commit(root, 0, PROTOCOL, METADATA, *([add(needed, 10)] if needed else []))
    other = f"file://{root}/y/a.parquet" if how == "a table elsewhere" else "other.parquet"
    commit(tmp_path / "clone", 0, PROTOCOL, METADATA, add(other, 10))
    for name in ("a", "free"):
        os.utime(root / f"y/{name}.parquet", (1, 1))
    lake = scanned(tmp_path)
    assert paths(lake.removable().files, root) == {"y/free.parquet"}
    reasons = {r["path"]: r["state_reason"] for r in lake.tables["files"].to_pylist()}
    assert "a table of this lake needs it" in reasons[str(root / "y/a.parquet")]


def test_what_a_link_leads_to_outside_of_the_table_is_not_removable(tmp_path):
    root = tmp_path / "table"
    data(root, "a.parquet")
    data(tmp_path, "elsewhere/b.parquet")
    (tmp_path / "elsewhere/c.txt").touch()
    commit(root, 0, PROTOCOL, METADATA)
    (root / "link").symlink_to(tmp_path / "elsewhere")
    found = scanned(root).removable(in_days(999))
    assert paths(found.files, root) == {"a.parquet"} and found.later.num_rows == 0


def test_a_table_inside_of_another_is_warned_of(tmp_path):
    from deltalake import DeltaTable

    outer = delta(tmp_path)
    data(outer, "inner/b.parquet", "inner/c.parquet")
    commit(outer / "inner", 0, PROTOCOL, METADATA, add("b.parquet", 10))
    aged(outer, 30)
    assert "inner/b.parquet" in DeltaTable(outer).vacuum(full=True)  # what is to be warned of
    found = scanned(tmp_path).removable()
    assert f"{outer}/inner lies inside of {outer}, whose full VACUUM deletes its files" in found.sentence
    gone = paths(found.files, outer)
    assert "inner/b.parquet" not in gone and "inner/c.parquet" in gone
    (outer / "inner").rename(tmp_path / "events2")
    assert "Beware" not in scanned(tmp_path).removable().sentence


@pytest.mark.parametrize(("column", "value"), [("kept_until", 2**63 - 1), ("table_path", "/nowhere")])
def test_a_store_with_impossible_values_makes_nothing_removable(tmp_path, column, value):
    root, out = delta(tmp_path), tmp_path / "out"
    aged(root, 30)
    lake = scanned(root, out=out)
    assert lake.removable().files.num_rows == 7
    for part in out.glob("runs/*/files/*"):
        rows = pq.read_table(part)
        place = rows.schema.get_field_index(column)
        field = rows.schema.field(place)
        values = pa.array([value] * len(rows), field.type)
        pq.write_table(rows.set_column(place, field, values), part)
    found = lake.removable()
    assert found.files.num_rows == 0 and "No file may be deleted" in found.sentence


def test_the_states_and_tables_of_a_tree_as_json_and_in_text(tmp_path):
    root = delta(tmp_path)
    data(tmp_path / "broken", "a.parquet")
    commit(tmp_path / "broken", 0, "[]")
    data(tmp_path / "plain", "a.parquet")
    aged(root, 30)
    text = printed(tmp_path)
    out = io.StringIO()
    run(["lake", str(tmp_path), "--processes", "0", "--json"], Out(120, out))
    document = json.loads(out.getvalue())
    lake = scanned(tmp_path)
    files = lake.tables["files"].to_pylist()
    assert sum(row["files"] for row in document["states"]) == len(files)
    for row in document["states"]:
        of = [one for one in files if (one["table_path"], one["state"]) == (row["table"], row["state"])]  # fmt: skip
        assert (row["files"], row["bytes"]) == (len(of), sum(one["size"] for one in of))
    assert {row["table"] for row in document["states"]} == {str(root), f"{tmp_path}/broken", None}
    assert sum(row["removable_files"] for row in document["states"]) == 7
    assert [row["status"] for row in document["tables"]] == ["error", "ok"]
    assert document["tables"][1]["live_rows"] == 50
    assert "events delta 1 2 50 " in text and "broken delta corrupt: the log cannot be" in text
    assert "live rows" not in printed(root)  # one table
