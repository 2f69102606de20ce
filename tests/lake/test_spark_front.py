"""What Spark is asked for, with a session that does as it is told in this process. tests/spark has a real one."""

import os

import pyarrow as pa
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.lake import query, run, spark
from pqexplore.lake.inspection import Inspection
from pqexplore.lake.progress import Cancelled
from pqexplore.lake.tables import ddl


class Frame:
    """A DataFrame of one Arrow table."""

    def __init__(self, session, table, partitions=1) -> None:
        self.session, self.table, self.partitions = session, table, partitions

    def repartition(self, count):
        self.session.asked.append((self.table.num_rows, count))
        return Frame(self.session, self.table, count)

    def mapInArrow(self, function, schema):  # noqa: N802
        assert schema == ddl(spark.ANSWERS)
        batches = []
        for start in range(self.partitions):
            share = self.table.take(list(range(start, self.table.num_rows, self.partitions)))
            batches += function(iter(share.to_batches()))
        assert all(batch.schema == spark.ANSWERS for batch in batches)
        return Frame(self.session, pa.Table.from_batches(batches))

    def collect(self):
        return self.table.to_pylist()


class Session:
    """A session; `old` is one that takes no Arrow tables, as that of Spark 3.5."""

    def __init__(self, old=False, **conf) -> None:
        self.old, self.asked, self.conf = old, [], conf

    def createDataFrame(self, data, schema=None):  # noqa: N802
        if self.old and isinstance(data, pa.Table):
            raise TypeError("Arrow tables come with Spark 4")
        if not isinstance(data, pa.Table):
            assert schema == ddl(spark.PATHS)
            data = pa.table([*map(list, zip(*data, strict=True))], schema=spark.PATHS)
        return Frame(self, data)


@pytest.fixture
def folder(tmp_path):
    made_lake.make(tmp_path / "events", 12)
    return tmp_path / "events"


def rows(lake, table):
    """Rows of the store, whatever session there is."""
    lake.spark = None
    leave = ("run_id", "seconds")
    found = lake.tables[table].drop_columns(
        [n for n in leave if n in lake.tables[table].schema.names]
    )
    return sorted(map(str, found.to_pylist()))


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("shared", [True, False])
def test_the_same_tables_whether_workers_see_the_store_or_not(
    folder, tmp_path, monkeypatch, old, shared
):
    if not shared:
        monkeypatch.setattr(spark.os, "access", lambda *_: False)
    lake = pqexplore.lake.scan(Session(old), folder, out=tmp_path / "store", tasks=3)
    alone = pqexplore.lake.scan(None, folder)
    for table in ("files", "schemas", "row_groups", "column_chunks", "findings"):
        assert rows(lake, table) == rows(alone, table), table
    assert not list((tmp_path / "store").rglob("marker-*"))


def test_waves_grow_and_tell_how_far_things_are(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(spark, "FIRST_WAVE", 3)
    monkeypatch.setattr(spark, "WAVE", 8)
    session, heard = Session(), []
    pqexplore.lake.scan(session, folder, out=tmp_path / "store", tasks=2, progress=heard.append)
    assert session.asked == [(3, 2), (6, 2), (8, 2), (3, 2)]
    assert [progress.files for progress in heard] == [0, 3, 9, 17, 20]
    assert heard[-1].errors == 8


def test_cancelled_between_waves(folder, tmp_path, monkeypatch):
    lake = pqexplore.lake.scan(Session(), folder, out=tmp_path / "store")
    monkeypatch.setattr(spark, "FIRST_WAVE", 3)
    monkeypatch.setattr(run, "FEW_ON_SPARK", 0)
    before = lake.manifest.run_id
    session = lake.spark
    session.asked.clear()
    with pytest.raises(Cancelled):
        lake.refresh(progress=lambda progress: progress.files and lake.cancel())
    assert len(session.asked) == 1 and lake.manifest.run_id == before


@pytest.mark.parametrize(
    ("conf", "files", "tasks"),
    [
        ({"spark.master": "local[3]"}, 10_000, 6),
        ({"spark.master": "local[*]"}, 10, 2 * (os.cpu_count() or 1)),
        ({"spark.master": "spark://host:7077"}, 100_000, 50),
        ({"spark.default.parallelism": "40", "spark.master": "local[3]"}, 10_000, 80),
        ({}, 10, 4),
    ],
)
def test_how_many_tasks(conf, files, tasks):
    assert spark._tasks(Session(**conf), files) == max(tasks, 4)


def test_few_changes_do_not_bother_spark(folder, tmp_path):
    lake = pqexplore.lake.scan(Session(), folder, out=tmp_path / "store")
    lake.spark.asked.clear()
    lake.refresh()
    assert lake.spark.asked == [] and lake.runs.to_pylist()[-1]["files_read"] == 8


def test_a_mistake_of_ours_is_kept_to_the_file(folder, monkeypatch):
    readable = Inspection._readable

    def wrong(self, row, source, footer):
        if "part-00003" in row["path"]:
            raise ZeroDivisionError("a mistake")
        return readable(self, row, source, footer)

    monkeypatch.setattr(Inspection, "_readable", wrong)
    lake = pqexplore.lake.scan(None, folder, processes=0)
    [row] = lake.sql("SELECT * FROM files WHERE error_code = 'internal'").to_pylist()
    assert (
        row["path"].endswith("part-00003.parquet")
        and row["error"] == "ZeroDivisionError: a mistake"
    )
    assert lake.sql("SELECT count(*) AS n FROM files WHERE status = 'ok'").to_pylist() == [
        {"n": 11}
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/Volumes/main/x/a", "/Volumes/main/x/a"),
        ("/dbfs/tmp/a", "dbfs:/tmp/a"),
        ("/home/a b", "file:///home/a b"),
    ],
)
def test_paths_as_spark_names_them(path, expected):
    assert query.spark_path(path) == expected


def test_expressions_before_a_query():
    text = query.with_expressions(["a AS (SELECT 1)"], "  with b as (select 2) select * from a, b")
    assert text == "WITH a AS (SELECT 1), b as (select 2) select * from a, b"
    assert query.with_expressions(["a AS (x)"], "SELECT 1") == "WITH a AS (x) SELECT 1"
    assert query.with_expressions([], "SELECT 1") == "SELECT 1"
