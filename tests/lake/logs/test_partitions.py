"""Partition values are those of the log, not of the names of folders."""

import json
from urllib.parse import unquote

import pyarrow as pa
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import PROTOCOL, add, commit, data

from pqexplore.lake import scan
from pqexplore.lake.listing import listing


def values(lake) -> set[str]:
    found = lake.sql("SELECT DISTINCT partition_values FROM files WHERE state = 'live'")
    return set(found["partition_values"].to_pylist())


MAPPED = {
    "metaData": {
        "id": "x",
        "partitionColumns": ["day"],
        "configuration": {"delta.columnMapping.mode": "name"},
        "schemaString": json.dumps(
            {
                "type": "struct",
                "fields": [
                    {
                        "name": name,
                        "type": type_,
                        "nullable": True,
                        "metadata": {
                            "delta.columnMapping.id": number,
                            "delta.columnMapping.physicalName": f"col-{number}",
                        },
                    }
                    for number, (name, type_) in enumerate([("id", "long"), ("day", "string")], 1)
                ],
            }
        ),
    }
}


def test_column_mapping_has_random_folders_and_other_names(tmp_path):
    data(tmp_path, "Ab/a.parquet", "x9/b.parquet", "day=wrong/c.parquet", "d.parquet")
    pairs = {"Ab/a.parquet": "2026-11-01", "x9/b.parquet": "a/b=c", "day=wrong/c.parquet": None}
    commit(
        tmp_path,
        0,
        PROTOCOL,
        MAPPED,
        *(add(name, 10, partitionValues={"col-2": value}) for name, value in pairs.items()),
        add("d.parquet", 10),  # without partition values: the folders count
    )
    lake = scan(None, tmp_path, processes=0)
    assert values(lake) == {"day=2026-11-01", "day=a%2Fb=c", "day=__HIVE_DEFAULT_PARTITION__", ""}
    plan = lake.ask("day = 'a/b=c'")
    assert sorted(path[-9:] for path in plan.kept) == ["b.parquet", "d.parquet"]
    assert "taken to be" not in " ".join(plan.remarks)


def test_a_checkpoint_keeps_partition_values(tmp_path):
    from deltalake import DeltaTable, write_deltalake

    days = ["a b", "c/d", "50%", None]
    rows = pa.table({"day": days, "id": range(4)})
    write_deltalake(tmp_path / "t", rows, partition_by=["day"])
    expected = {
        row["partition"]["day"]
        for row in pa.table(DeltaTable(tmp_path / "t").get_add_actions()).to_pylist()
    }
    for _ in range(2):
        found = {one.partition for one in listing(tmp_path / "t").entries}
        texts = {unquote(one).removeprefix("day=") for one in found}
        assert {None if one.startswith("__HIVE") else one for one in texts} == expected == set(days)
        DeltaTable(tmp_path / "t").create_checkpoint()


def test_partitions_of_iceberg_have_the_columns_names(tmp_path):
    from pyiceberg.transforms import IdentityTransform, VoidTransform

    table = made_tables.catalog(Store(str(tmp_path), {}, {}, {})).create_table(
        "n.events", schema=made_tables.ROWS.schema, location=f"file://{tmp_path}/events"
    )
    with table.update_spec() as update:
        update.add_field("day", IdentityTransform(), "by_day")
        update.add_field("id", VoidTransform(), "id_void")  # as a dropped field of format version 1
    table.append(made_tables.ROWS.slice(0, 1))
    with table.update_schema() as update:
        update.rename_column("day", "weekday")
    lake = scan(None, tmp_path / "events", processes=0)
    [row] = lake.tables["files"].to_pylist()
    assert row["partition_values"] == "weekday=a"
    assert row["path"].split("/")[-3] == "by_day=a"


def test_a_refresh_takes_the_values_that_the_log_has_now(tmp_path):
    data(tmp_path, "a.parquet")
    commit(tmp_path, 0, PROTOCOL, MAPPED, add("a.parquet", 10, partitionValues={"col-2": "1"}))
    lake = scan(None, tmp_path, processes=0)
    assert values(lake) == {"day=1"}
    renamed = json.dumps(MAPPED).replace('\\"day\\"', '\\"date\\"')
    commit(tmp_path, 1, json.loads(renamed))
    assert values(lake.refresh()) == {"date=1"}
    assert lake.manifest.run["files_read"] == 0
