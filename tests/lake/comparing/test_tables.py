"""What differs between two versions of a Delta or Iceberg table, as real writers make them."""

import json
import shutil

import pyarrow as pa
import pytest
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, delete_by, inline_vector, remove  # fmt: skip
from lake.made_tables import catalog

import pqexplore
from pqexplore.engine.errors import CorruptFileError, UsageError

ROWS = pa.table({"id": list(range(100)), "x": [float(n) for n in range(100)]})
PIECES = [ROWS.slice(start, 20) for start in range(0, 100, 20)]


@pytest.fixture(scope="module")
def delta(tmp_path_factory):
    """0–4: five files; 5: one of them all; 6: seven rows more; 7: two columns of the schema; 8: rows deleted."""
    from deltalake import DeltaTable, write_deltalake

    path = str(tmp_path_factory.mktemp("delta") / "events")
    for piece in PIECES:
        write_deltalake(path, piece, mode="append")
    DeltaTable(path).optimize.compact()
    write_deltalake(path, ROWS.slice(0, 7), mode="append")
    more = ROWS.slice(0, 1).append_column("day", pa.array([1], pa.int32()))
    write_deltalake(path, more, mode="append", schema_mode="merge")
    DeltaTable(path).delete("id < 3")
    return path


DELTA = {
    # versions and level → sentence, what differs
    (3, 4, "footer"): ("Version 4 has 1 new file; it has 20 rows more.", ["files-added", "rows"]),
    (4, 3, "footer"): ("Version 3 lacks 1 file of version 4; it has 20 rows fewer.", ["files-removed", "rows"]),
    (4, 5, "footer"): ("Version 5 has 1 new file and lacks 5 of version 4; the log says that the rows are the same: 5 files were compacted into 1 file.",
                       ["files-added", "files-removed"]),
    (5, 4, "footer"): ("Version 4 has 5 new files and lacks 1 of version 5; the log says that the rows are the same: 1 file was rewritten as 5 files.",
                       ["files-added", "files-removed"]),
    (3, 5, "footer"): ("Version 5 has 1 new file and lacks 4 of version 3; it has 20 rows more.", ["files-added", "files-removed", "rows"]),
    (3, 5, "data"): ("Version 5 has 1 new file and lacks 4 of version 3; 0 rows of version 3 are gone, 20 are new.",
                     ["files-added", "files-removed", "rows", "values"]),
    (6, 7, "footer"): ("Version 7 has 1 new file; it has 1 row more. Only the second schema has `day` (integer).", ["column-added", "files-added", "rows"]),
    (5, 5, "footer"): ("Version 5 and version 5 have the same 1 file.", []),
}  # fmt: skip


@pytest.mark.parametrize("versions", DELTA)
def test_delta(delta, versions):
    said, whats = DELTA[versions]
    before, after, level = versions
    found = pqexplore.diff(delta, level=level, version=before, to=after)
    assert found.sentence == said
    assert not any(one.sentence[0].islower() for one in found.differences)
    assert sorted(one.what for one in found.differences) == whats


def test_the_newest_version_is_the_default(delta):
    found = pqexplore.diff(delta, version=7)
    assert (found.first, found.second, found.rows) == ("version 7", "version 8", (108, 101))


def test_a_delta_table_and_a_folder_of_its_copy(delta, tmp_path):
    from deltalake import DeltaTable

    for uri in DeltaTable(delta).file_uris():
        shutil.copy(uri, tmp_path)
    found = pqexplore.diff(delta, tmp_path, "data")
    assert found.same and "have the same" in found.sentence


def test_rows_of_files_that_were_vacuumed_are_not_called_the_same(delta, tmp_path):
    copy = tmp_path / "events"
    shutil.copytree(delta, copy)
    gone = [row["name"] for row in pqexplore.diff(delta, version=3, to=5).files.to_pylist() if row["state"] == "removed"]  # fmt: skip
    (copy / gone[0]).unlink()
    said = pqexplore.diff(copy, version=3, to=5, level="data").sentence
    assert said.startswith(
        "Version 5 has 1 new file and lacks 4 of version 3; it has 20 rows more. The rows of the files"
    )
    assert "were not compared: a file cannot be read" in said


def made(tmp_path, *commits):
    """A Delta table of these commits; the first has the protocol."""
    folder = tmp_path / "made"
    data(folder, "a.parquet", "b.parquet")
    commit(folder, 0, PROTOCOL, METADATA, *commits[0])
    for version, actions in enumerate(commits[1:], 1):
        commit(folder, version, *actions)
    return str(folder)


def quiet(action):
    """The action as a compaction writes it."""
    [(kind, body)] = action.items()
    return {kind: body | {"dataChange": False}}


VECTOR = {"deletionVector": inline_vector([1, 4])}
LOGS = {
    # commits → sentence from version 0 to the last, what differs
    "deletion vector": (([add("a.parquet", 10)], [remove("a.parquet"), add("a.parquet", 10, **VECTOR)]),
                        "1 of the 1 file of version 0 and version 1 differs; version 1 has 2 rows fewer. Deletion vectors or delete files "
                        "delete 2 rows of files that both have, in place of 0.", ["deleted-rows", "rows"]),
    "purged": (([add("a.parquet", 10, **VECTOR)], [quiet(remove("a.parquet", **VECTOR)), quiet(add("b.parquet", 8))]),
               "Version 1 has 1 new file and lacks 1 of version 0; the log says that the rows are the same: 1 file was rewritten as 1 file.",
               ["files-added", "files-removed"]),
    "as many rows, and one action changes data": (
        ([add("a.parquet", 10)], [quiet(remove("a.parquet")), add("b.parquet", 10)]),
        "Version 1 has 1 new file and lacks 1 of version 0; both have 10 rows.", ["files-added", "files-removed"]),
    "a compaction among other changes": (
        ([add("a.parquet", 10)], [quiet(remove("a.parquet")), quiet(add("b.parquet", 10))], [remove("b.parquet"), add("a.parquet", 10)]),
        "Version 0 and version 2 have the same 1 file.", []),
    "rows that the log does not count": (([add("a.parquet", 10)], [add("b.parquet")]), "Version 1 has 1 new file; it has 10 rows more.",
                                         ["files-added", "rows"]),
    "rows that nobody counts": (([add("a.parquet", 10)], [add("gone.parquet")]),
                                "Version 1 has 1 new file; how many rows both have is not known.", ["files-added", "not-compared"]),
    "outside": (([add("a.parquet", 10)], [add("../secret.parquet")]), "Version 1 has 1 new file; how many rows both have is not known.",
                ["files-added", "not-compared"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_logs(tmp_path, name):
    commits, said, whats = LOGS[name]
    found = pqexplore.diff(made(tmp_path, *commits), version=0)
    assert found.sentence.startswith(said)
    assert sorted(one.what for one in found.differences) == whats


def test_rows_with_a_deletion_vector_are_not_compared(tmp_path):
    source = made(tmp_path, [add("a.parquet", 10, **VECTOR)], [remove("a.parquet", **VECTOR), add("b.parquet", 10)])  # fmt: skip
    found = pqexplore.diff(source, version=0, to=1, level="data")
    assert "rows of a file are deleted by the table's log" in found.sentence
    assert "the rows are the same" not in found.sentence


def schema(*fields, mapped=False):
    made = [
        {"name": name, "type": kind, "nullable": True, "metadata": {"delta.columnMapping.id": number}}
        for name, kind, number in fields
    ]  # fmt: skip
    options = {"delta.columnMapping.mode": "name"} if mapped else {}
    text = json.dumps({"type": "struct", "fields": made})
    return {"metaData": {"id": "x", "schemaString": text, "configuration": options}}


LIST = {"type": "array", "elementType": "long", "containsNull": True}
ABC = (("a", "integer", 1), ("b", "decimal(9,2)", 2), ("c", LIST, 3))
SCHEMAS = {
    # fields, with column mapping or not → what differs, in words
    "renamed, by id": ((("z", "integer", 1), *ABC[1:]), True, [("column-renamed", "`a` is called `z`: both have the field id 1.")]),
    "renamed, without ids": ((("z", "integer", 1), *ABC[1:]), False,
                             [("column-removed", "Only the first schema has `a` (integer)."), ("column-added", "Only the second schema has `z` (integer).")]),
    "dropped and added again": ((("a", "integer", 7), *ABC[1:]), True,
                                [("column-removed", "Only the first schema has `a` (integer)."), ("column-added", "Only the second schema has `a` (integer).")]),
    "wider": ((("a", "long", 1), *ABC[1:]), True, [("type", "The type of `a` is long in place of integer: values are kept, in a wider type (32 bits become 64).")]),
    "other": ((("a", "string", 1), *ABC[1:]), True, [("type", "The type of `a` is string in place of integer: values change their meaning (STRING is another kind of value than INT32).")]),
    "digits": ((ABC[0], ("b", "decimal(11,4)", 2), ABC[2]), True,
               [("type", "The type of `b` is decimal(11,4) in place of decimal(9,2): values are kept, in a wider type (9 digits become 11, and 2 after the point 4).")]),
    "fewer digits": ((ABC[0], ("b", "decimal(9,4)", 2), ABC[2]), True,
                     [("type", "The type of `b` is decimal(9,4) in place of decimal(9,2): values may be lost (7 digits before the point become 5).")]),
    "moved": ((ABC[1], ABC[0], ABC[2]), True, [("column-order", "The columns stand in another order.")]),
    "nested": ((*ABC[:2], ("c", LIST | {"elementType": "string"}, 3)), False, [("type", "The type of `c.element` is string in place of long: values change their meaning (STRING is another kind of value than INT64).")]),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas(tmp_path, name):
    fields, mapped, expected = SCHEMAS[name]
    log = [add("a.parquet", 10), schema(*ABC, mapped=mapped)], [schema(*fields, mapped=mapped)]
    found = pqexplore.diff(made(tmp_path, *log), version=0)
    assert [(one.what, one.sentence) for one in found.differences] == expected
    assert found.sentence.startswith("Version 0 and version 1 have the same 1 file. ")


@pytest.fixture
def here(tmp_path):
    (tmp_path / "lake").mkdir()
    return Store(str(tmp_path / "lake"), {}, {}, {})


@pytest.fixture
def iceberg(here):
    """Snapshots: three files, one file more, rows deleted by a delete file."""
    location = f"file://{here.url}/events"
    found = catalog(here).create_table("n.events", schema=ROWS.schema, location=location)
    found.append(ROWS.slice(0, 60))
    found.append(ROWS.slice(60, 40))
    delete_by(found, {next(iter(found.scan().plan_files())).file.file_path: [0, 1]})
    return found


def snapshots(found):
    return [one.snapshot_id for one in found.refresh().metadata.snapshots]


def test_iceberg(iceberg):
    first, second, third = snapshots(iceberg)
    path = iceberg.location().removeprefix("file://")
    found = pqexplore.diff(path, version=first, to=second)
    assert found.sentence == f"Snapshot {second} has 1 new file; it has 40 rows more."
    found = pqexplore.diff(iceberg, version=second)
    assert (found.second, found.rows) == (f"snapshot {third}", (100, 98))
    assert [one.what for one in found.differences] == ["rows", "deleted-rows"]
    assert pqexplore.diff(path, version="main", to=third).same


def test_iceberg_columns_are_found_by_their_ids(iceberg):
    from pyiceberg.types import LongType

    with iceberg.update_schema() as update:
        update.rename_column("x", "y")
        update.add_column("z", LongType())
    iceberg.append(pa.table({"id": [1], "y": [1.0], "z": [1]}))
    _, _, third, last = snapshots(iceberg)
    found = pqexplore.diff(iceberg, version=third, to=last)
    assert {one.what for one in found.differences} == {"rows", "column-added", "column-renamed", "files-added"}  # fmt: skip
    assert "`x` is called `y`: both have the field id 2." in found.table["sentence"].to_pylist()


def test_iceberg_replace_keeps_the_rows(iceberg):
    """pyiceberg does not compact: the operation of an overwrite is changed to the one of a compaction."""
    before = snapshots(iceberg)[1]
    rows = iceberg.scan(snapshot_id=before).to_arrow()
    iceberg.manage_snapshots().set_current_snapshot(before).commit()
    iceberg.overwrite(rows)
    after = iceberg.refresh().metadata.current_snapshot_id
    said = pqexplore.diff(iceberg, version=before, to=after).sentence
    assert said.endswith("1 new file and lacks 2 of snapshot " + f"{before}; both have 100 rows.")
    assert "by hashes of 64 bits: 2 files were compacted into 1 file" in pqexplore.diff(iceberg, version=before, to=after, level="data").sentence  # fmt: skip
    path = iceberg.metadata_location.removeprefix("file://")
    with open(path) as file:
        text = file.read()
    for word in ("overwrite", "delete", "append"):
        text = text.replace(f'"operation":"{word}"', '"operation":"replace"')
    with open(path, "w") as file:
        file.write(text)
    said = pqexplore.diff(iceberg.location().removeprefix("file://"), version=before, to=after).sentence  # fmt: skip
    assert said.endswith("the log says that the rows are the same: 2 files were compacted into 1 file.")  # fmt: skip


@pytest.mark.parametrize(
    "version, message",
    [(9, "the log has versions 0 to 8, and no version 9"), ("3", "no version 3"), ("main", "no version main")],
)  # fmt: skip
def test_a_version_that_does_not_exist(delta, version, message):
    with pytest.raises(UsageError, match=message):
        pqexplore.diff(delta, version=version)


def test_a_log_that_is_damaged(tmp_path):
    source = made(tmp_path, [add("a.parquet", 10)], ["{"])
    with pytest.raises(CorruptFileError, match="line 1 of version 1 is not JSON"):
        pqexplore.diff(source, version=0)
