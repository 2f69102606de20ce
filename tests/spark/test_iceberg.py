"""Iceberg tables: live files and rows are those that Iceberg's own reader on Spark finds. Its runtime here is for Spark 3.5."""

import importlib.metadata

import pyarrow as pa
import pytest
from lake import every_table, made_tables
from lake.conftest import Store

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path

from .conftest import _missing, iceberg_jar


def rename(table) -> None:
    with table.update_schema() as update:
        update.rename_column("day", "weekday").rename_column("id", "number")
    table.append(pa.table({"number": [1000], "weekday": ["a"]}))


def expire(table) -> None:
    table.maintenance.expire_snapshots().by_id(table.metadata.snapshots[0].snapshot_id).commit()


CHANGES = {
    # how a table of two partitions is changed, where the scan begins, and the partition that is meant
    "delete": (lambda table: None, "events", ""),
    "rename": (rename, "", ""),
    "snapshots": (lambda table: table.append(made_tables.ROWS), "events/data/day=a", "a"),
    "expired": (expire, "events/data/day=[a]/*.parquet", "a"),
    "position deletes": (None, "events", ""),  # of a table without partitions
}
"""Without equality deletes: Spark writes none, and refuses those that pyiceberg writes, whose ids are of another type."""


@pytest.fixture(scope="module")
def berg(spark):
    """A session with Iceberg, and its catalog `berg`."""
    if iceberg_jar() is None:
        if importlib.metadata.version("pyspark").startswith("3.5."):
            _missing("snowpark-connect-deps-iceberg is not installed")
        pytest.skip("no package has Iceberg's runtime for this version of Spark")
    return spark


def read(frame) -> tuple[list[str], int]:
    """The files and rows that Spark reads."""
    rows = [row["_file"] for row in frame.select("_file").collect()]
    return sorted(filter(None, map(local_path, set(rows)))), len(rows)


def live(lake) -> tuple[list[str], int]:
    """The live data files, and their live rows."""
    files = lake.tables["files"].where("status = 'ok'").select("path", "num_rows", "deleted_rows")
    rows = files.collect()
    return sorted(row["path"] for row in rows), sum(row["num_rows"] - row["deleted_rows"] for row in rows)


@pytest.mark.parametrize("kind", CHANGES)
def test_tables_of_pyiceberg(berg, tmp_path, kind):
    change, start, day = CHANGES[kind]
    if change is None:
        every_table.iceberg_position_deletes(tmp_path / "events")
    else:
        change(made_tables.iceberg(Store(str(tmp_path), {}, {}, {})))
    [*_, newest] = sorted((tmp_path / "events" / "metadata").glob("*.metadata.json"))
    frame = berg.read.format("iceberg").load(str(newest))
    expected = read(frame.where(f"day = '{day}'") if day else frame)
    assert live(pqexplore.lake.scan(berg, f"{tmp_path}/{start}")) == expected


@pytest.fixture(scope="module")
def events(berg):
    """A table that Spark wrote and changed; its name and its snapshots, oldest first."""
    name = "berg.n.events"
    how = ", ".join(f"'write.{one}.mode' = 'merge-on-read'" for one in ("delete", "update", "merge"))
    for text in (
        f"CREATE TABLE {name} (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({how})",
        f"INSERT INTO {name} SELECT id, IF(id % 2 = 0, 'a', 'b') FROM range(100)",
        f"DELETE FROM {name} WHERE id IN (3, 5, 7)",
        f"INSERT INTO {name} SELECT id, 'c' FROM range(100, 110)",
        f"DELETE FROM {name} WHERE day = 'a'",
        f"ALTER TABLE {name} RENAME COLUMN id TO number",
    ):
        berg.sql(text)
    made = berg.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at").collect()
    yield name, [row["snapshot_id"] for row in made]
    berg.sql(f"DROP TABLE {name} PURGE")


def test_a_table_of_spark_by_its_name_and_snapshot(berg, events):
    name, snapshots = events
    assert len(snapshots) == 4
    for snapshot in (None, *snapshots):
        at = "" if snapshot is None else f" VERSION AS OF {snapshot}"
        expected = read(berg.sql(f"SELECT *, _file FROM {name}{at}"))
        lake = pqexplore.lake.scan(berg, name, snapshot=snapshot)
        assert live(lake) == expected
        [table] = lake.tables["tables"].collect()
        assert table["snapshot_id"] == (snapshot or snapshots[-1])
        assert live(lake.refresh()) == expected
    with pytest.raises(UsageError, match="the metadata has no snapshot 7"):
        pqexplore.lake.scan(berg, name, snapshot=7)


def test_a_table_without_a_snapshot(berg):
    berg.sql("CREATE TABLE berg.n.empty (id BIGINT) USING iceberg")
    with pqexplore.lake.scan(berg, "berg.n.empty") as lake:
        assert lake.manifest.run["num_files"] == 0
        assert [row["snapshot_id"] for row in lake.tables["tables"].collect()] == [None]
    berg.sql("DROP TABLE berg.n.empty")


def test_the_magic_goes_by_the_log(berg, events, capsys):
    pytest.importorskip("IPython")
    from IPython import get_ipython
    from IPython.testing.globalipapp import start_ipython

    name, snapshots = events
    shell = start_ipython() or get_ipython()
    shell.run_line_magic("load_ext", "pqexplore")
    explored = shell.run_line_magic("pqexplore", name).subject
    asked = [f"lake {name}", f"lake {name} --snapshot {snapshots[0]}"]
    lakes = [explored, *(shell.run_line_magic("pqexplore", one) for one in asked)]
    found = [lake.tables["tables"]["snapshot_id"].to_pylist() for lake in lakes]
    assert found == [[snapshots[-1]], [snapshots[-1]], [snapshots[0]]]
