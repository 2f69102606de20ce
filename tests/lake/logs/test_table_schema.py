"""Columns have the names of their table: by Iceberg's field ids and name mapping, and by Delta's column mapping."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import PROTOCOL, add, commit

from pqexplore.lake import open as open_lake
from pqexplore.lake import scan
from pqexplore.lake.panels import drift
from pqexplore.lake.panels.filters import Filters

ROWS = pa.table(
    {
        "old": pa.array([1, 2], pa.int64()),
        "gone": ["a", "b"],
        "inside": pa.array([{"x": 1, "y": "a"}] * 2),
        "many": pa.array([[{"z": 1}]] * 2),
        "pairs": pa.array([[("k", {"v": 1})]] * 2, pa.map_(pa.string(), pa.struct([("v", pa.int64())]))),
    }
)
NEW = ["inside.w", "inside.y", "many.list.element.zz", "new", "pairs.key_value.key", "pairs.key_value.value.vv"]


def names(lake) -> list[str]:
    """The names of columns in queries."""
    return sorted(set(lake.sql("SELECT column_name FROM column_chunks")["column_name"].to_pylist()))


def drifting(lake) -> dict[str, str]:
    """The columns that are not the same in all files."""
    rows = lake.views["schema_drift"].to_pylist()
    return {row["column_name"]: row["drift"] for row in rows if row["drift"] != "in all files"}


def rules(lake) -> set[str]:
    return {one.rule for one in lake.diagnose(processes=0).findings} & {"types-differ", "columns-differ"}


@pytest.fixture
def iceberg(tmp_path):
    """A table of one file whose columns were renamed since, and one was dropped."""
    (tmp_path / "lake").mkdir()
    here = Store(str(tmp_path / "lake"), {}, {}, {})
    table = made_tables.catalog(here).create_table("n.t", schema=ROWS.schema, location=f"file://{here.url}/t")
    table.append(ROWS)
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("gone")
        for before, after in (("old", "new"), ("inside.x", "w"), ("many.element.z", "zz"), ("pairs.value.v", "vv")):
            update.rename_column(before, after)
    return table


def appended(table) -> None:
    table.append(table.scan().to_arrow())


def test_a_rename_of_iceberg_is_a_rename(iceberg, tmp_path):
    folder = tmp_path / "lake" / "t"
    lake = scan(None, folder, processes=0, out=tmp_path / "out")
    assert names(lake) == sorted([*NEW, "gone"])
    assert lake.views["column_sizes"].num_rows == 7
    appended(iceberg)
    lake.refresh()  # reads the new file alone
    assert lake.manifest.run["files_read"] == 1
    assert names(lake) == sorted([*NEW, "gone"])
    assert sorted(row["column_name"] for row in lake.views["schema_drift"].to_pylist()) == NEW
    assert (drifting(lake), rules(lake)) == ({}, set())
    assert drift.answer(lake, Filters()).sentence == "All 2 files have the same columns."
    [schema] = drift.answer(lake, Filters()).picture.schemas  # files with the same columns are one
    assert (schema.files, schema.columns, schema.changes) == (2, len(NEW), [])
    raw = set(lake.tables["column_chunks"]["column_name"].to_pylist())
    assert {"old", "new", "gone"} <= raw  # as in the files
    columns = {row["column_name"]: row["table_column"] for row in lake.tables["table_columns"].to_pylist()}
    assert (columns["old"], columns["gone"], columns["inside.x"]) == ("new", None, "inside.w")
    assert lake.ask("new = 99").kept  # ask goes by the files' own names and ids, as before
    assert names(open_lake(tmp_path / "out", follow_outside=True)) == names(lake)


def test_a_change_of_type_is_still_drift(iceberg, tmp_path):
    from pyiceberg.types import StringType

    with iceberg.update_schema() as update:
        update.add_column("gone", StringType())  # another column than the one that was dropped
    appended(iceberg)
    lake = scan(None, tmp_path / "lake", processes=0)
    assert drifting(lake) == {"gone": "not in all files"}
    assert rules(lake) == {"columns-differ"}


def test_files_without_ids_go_by_the_name_mapping(tmp_path):
    (tmp_path / "lake").mkdir()
    here = Store(str(tmp_path / "lake"), {}, {}, {})
    table = made_tables.catalog(here).create_table("n.t", schema=ROWS.schema, location=f"file://{here.url}/t")
    pq.write_table(ROWS, tmp_path / "lake" / "t" / "plain.parquet")
    table.add_files([f"file://{here.url}/t/plain.parquet"])
    with table.update_schema() as update:
        update.rename_column("old", "new")
    [row] = scan(None, tmp_path / "lake", processes=0).tables["table_columns"].to_pylist()
    assert (row["column_name"], row["table_column"], row["field_id"]) == ("old", "new", None)


def field(name: str, type_: object, number: int, physical: str) -> dict:
    metadata = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}
    return {"name": name, "type": type_, "nullable": True, "metadata": metadata}


def metadata(mode: str | None, fields: list[dict]) -> dict:
    schema = json.dumps({"type": "struct", "fields": fields})
    options = {"delta.columnMapping.mode": mode} if mode else {}
    return {"metaData": {"id": "x", "configuration": options, "schemaString": schema}}


INNER = {"type": "struct", "fields": [field("w", "long", 3, "col-3")]}
FIELDS = [
    field("new", "long", 1, "col-1"),
    field("inside", INNER, 2, "col-2"),
    field("many", {"type": "array", "elementType": INNER, "containsNull": True}, 4, "col-4"),
    field("any", "variant", 5, "col-5"),
]
MAPPED = pa.schema(
    [
        pa.field("col-1", pa.int64(), metadata={"PARQUET:field_id": "1"}),
        pa.field("col-2", pa.struct([pa.field("col-3", pa.int64(), metadata={"PARQUET:field_id": "3"})]), metadata={"PARQUET:field_id": "2"}),
        pa.field("col-4", pa.list_(pa.field("element", pa.struct([pa.field("col-3", pa.int64(), metadata={"PARQUET:field_id": "3"})]))), metadata={"PARQUET:field_id": "4"}),
        pa.field("col-5", pa.struct([("metadata", pa.binary()), ("value", pa.binary())]), metadata={"PARQUET:field_id": "5"}),
        pa.field("col-9", pa.int64(), metadata={"PARQUET:field_id": "9"}),
    ]
)  # fmt: skip
EXPECTED = {
    "col-1": "new",
    "col-2.col-3": "inside.w",
    "col-4.list.element.col-3": "many.list.element.w",
    "col-5.metadata": "any.metadata",
    "col-5.value": "any.value",
    "col-9": None,
}


@pytest.mark.parametrize("mode", ["name", "id", None])
def test_column_mapping_of_delta(tmp_path, mode):
    pq.write_table(MAPPED.empty_table(), tmp_path / "a.parquet")
    commit(tmp_path, 0, PROTOCOL, metadata(mode, FIELDS), add("a.parquet", 0))
    lake = scan(None, tmp_path, processes=0)
    rows = lake.tables["table_columns"].to_pylist()
    found = {row["column_name"]: row["table_column"] for row in rows}
    assert found == (EXPECTED if mode else {})


def test_names_of_a_table_without_column_mapping_are_those_of_its_files(tmp_path):
    made_tables.delta(Store(str(tmp_path), {}, {}, {}))
    lake = scan(None, tmp_path, processes=0)
    assert lake.tables["table_columns"].num_rows == 0
    assert names(lake) == ["id"]
