"""Partition values are those of the log, not of the names of folders."""

import json
from urllib.parse import unquote

import pyarrow as pa
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data

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
    expected = {row["partition"]["day"] for row in pa.table(DeltaTable(tmp_path / "t").get_add_actions()).to_pylist()}
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


def test_what_is_joined_goes_by_the_logs_partitions(tmp_path):
    """50 small files of one partition lie in 50 folders: with the log they are joined, without it each is alone."""
    names = [f"{n:02d}/a.parquet" for n in range(50)]
    for folder in ("table", "plain"):
        (tmp_path / folder).mkdir()
        data(tmp_path / folder, *names)
    adds = [add(name, 10, partitionValues={"col-2": "1"}) for name in names]
    commit(tmp_path / "table", 0, PROTOCOL, MAPPED, *adds)
    for folder, place, joined in (("table", "partition", 50), ("plain", "folder", 0)):
        lake = scan(None, tmp_path / folder, processes=0)
        small = [one for one in lake.diagnose(processes=0).findings if one.rule == "small-files"]
        assert [f"in one {place} with" in one.sentence for one in small] == [True] * bool(joined)
        trial = lake.what_if(1, processes=0)
        assert sum(one.joined for one in trial.compaction.folders) == joined
        assert f"1 {place}" in trial.compaction.sentence or not joined
        assert lake.views["compaction_plan"].num_rows == bool(joined)
        if joined:
            [made] = trial.compaction.folders
            assert made.folder == f"{tmp_path / folder}/day=1"
            [row] = lake.views["compaction_plan"].to_pylist()
            assert (row["folder"], row["num_files"]) == (made.folder, 50)
            saves = {one.name: one.saves for one in lake.report(processes=0).actions}
            assert saves["compact"].seconds


def test_code_for_a_table_has_its_partition_columns(tmp_path):
    for folder, path in (("mapped", "Ab/a.parquet"), ("above=1/flat", "a.parquet"), ("plain", "day=1/a.parquet")):  # fmt: skip
        (tmp_path / folder).mkdir(parents=True)
        data(tmp_path / folder, path)
    commit(tmp_path / "mapped", 0, PROTOCOL, MAPPED, add("Ab/a.parquet", 10, partitionValues={"col-2": "1"}))  # fmt: skip
    commit(tmp_path / "above=1/flat", 0, PROTOCOL, METADATA, add("a.parquet", 10, partitionValues={}))  # fmt: skip
    for folder, read, write in (
        ("mapped", ".format('delta').load('mapped')", "frame.write.partitionBy('day')"),
        ("above=1/flat", ".format('delta').load('flat')", "frame.write"),
        ("plain", ".parquet('plain')", "frame.write.partitionBy('day')"),
    ):
        [code] = scan(None, tmp_path / folder, processes=0).what_if(1, processes=0).code.values()
        lines = code["Spark"].code.splitlines()
        assert lines[0] == f"frame = spark.read{read}"
        assert lines[1].startswith(f"{write}.option")
        assert lines[1].endswith(".format('delta').save('fixed')") is ("delta" in read)


def test_spark_code_is_not_written_for_an_iceberg_table(tmp_path):
    made_tables.iceberg(Store(str(tmp_path), {}, {}, {}))
    trial = scan(None, tmp_path / "events", processes=0).what_if(1, processes=0)
    [code] = trial.code.values()
    assert sorted(code) == ["DuckDB", "polars", "pyarrow"]
    assert {one.folder.rpartition("/")[2] for one in trial.compaction.folders} == {"day=a", "day=b"}
