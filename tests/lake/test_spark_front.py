"""What Spark is asked for, with a session that does as it is told in this process. tests/spark has a real one."""

import json
import os
import types

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake, made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake import query
from pqexplore.lake.footer_rows.inspection import Inspection
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.listing import listing
from pqexplore.lake.scanning import run
from pqexplore.lake.scanning.progress import Cancelled
from pqexplore.lake.spark import job
from pqexplore.lake.store.part_files import Done
from pqexplore.lake.store.table_definition import ddl


class Frame:
    """A DataFrame of one Arrow table."""

    def __init__(self, session, table, partitions=1) -> None:
        self.session, self.table, self.partitions = session, table, partitions

    def repartition(self, count):
        self.session.asked.append((self.table.num_rows, count))
        return Frame(self.session, self.table, count)

    def mapInArrow(self, function, schema):  # noqa: N802
        assert schema == ddl(job.ANSWERS)
        batches = []
        for start in range(self.partitions):
            share = self.table.take(list(range(start, self.table.num_rows, self.partitions)))
            batches += function(iter(share.to_batches()))
        assert all(batch.schema == job.ANSWERS for batch in batches)
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
            assert schema == ddl(job.PATHS)
            data = pa.table([*map(list, zip(*data, strict=True))], schema=job.PATHS)
        return Frame(self, data)


@pytest.fixture
def folder(tmp_path):
    made_lake.make(tmp_path / "events", 12)
    return tmp_path / "events"


def rows(lake, table):
    """Rows of the store, whatever session there is."""
    lake.spark = None
    leave = ("run_id", "seconds")
    found = lake.tables[table].drop_columns([n for n in leave if n in lake.tables[table].schema.names])
    return sorted(map(str, found.to_pylist()))


@pytest.mark.parametrize("shared, old", [
    (True, False),
    (False, True),
    *(pytest.param(*both, marks=pytest.mark.full) for both in ((True, True), (False, False))),
])  # fmt: skip
def test_the_same_tables_whether_workers_see_the_store_or_not(folder, tmp_path, monkeypatch, old, shared):
    if not shared:
        # the workers ask for the lake's own store, which is one folder deeper than what is checked before the scan
        access = os.access
        monkeypatch.setattr(job.os, "access", lambda path, *how: path == str(tmp_path) and access(path, *how))
    lake = pqexplore.lake.scan(Session(old), folder, out=tmp_path / "store", tasks=3)
    alone = pqexplore.lake.scan(None, folder)
    for table in ("files", "schemas", "row_groups", "column_chunks", "findings"):
        assert rows(lake, table) == rows(alone, table), table
    assert not list((tmp_path / "store").rglob("marker-*"))


def test_waves_grow_and_tell_how_far_things_are(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(job, "FIRST_WAVE", 3)
    monkeypatch.setattr(job, "WAVE", 8)
    session, heard = Session(), []
    pqexplore.lake.scan(session, folder, out=tmp_path / "store", tasks=2, progress=heard.append)
    assert session.asked == [(3, 2), (6, 2), (8, 2), (3, 2)]
    assert [progress.files for progress in heard] == [0, 3, 9, 17, 20]
    assert heard[-1].errors == 8


def test_cancelled_between_waves(folder, tmp_path, monkeypatch):
    lake = pqexplore.lake.scan(Session(), folder, out=tmp_path / "store")
    monkeypatch.setattr(job, "FIRST_WAVE", 3)
    monkeypatch.setattr(run, "FEW_ON_SPARK", 0)
    before = lake.manifest.run_id
    session = lake.spark
    session.asked.clear()
    with pytest.raises(Cancelled):
        lake.refresh(progress=lambda progress: progress.files and lake.cancel())
    assert len(session.asked) == 1 and lake.manifest.run_id == before


def test_a_cancelled_scan_goes_on_after_its_finished_waves(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(job, "FIRST_WAVE", 12)
    session, store = Session(), tmp_path / "store"

    def stop(progress):
        if progress.files:
            raise Cancelled("the scan was cancelled")

    with pytest.raises(Cancelled, match=r"12 of 20 files were read and are kept.*resume=True"):
        pqexplore.lake.scan(session, folder, out=store, tasks=2, progress=stop)
    session.asked.clear()
    lake = pqexplore.lake.scan(session, folder, out=store, tasks=2, resume=True)
    assert lake.progress.kept == 4 and session.asked == [(12, 2), (4, 2)]  # 8 cannot be read
    alone = pqexplore.lake.scan(None, folder)
    for table in ("files", "schemas", "row_groups", "column_chunks", "findings"):
        assert rows(lake, table) == rows(alone, table), table


@pytest.mark.parametrize("shared", [True, False])
def test_what_one_deadly_file_of_a_wave_costs(tmp_path, monkeypatch, shared):
    """A file of 100,000 ends its worker: it alone is lost, in few jobs, and most files are read once."""
    entries = [Entry(str(number)) for number in range(job.WAVE)]
    task, asked, done = job.PER_TASK, [], []

    def one_job(session, some, options, root, marker, tasks):
        asked.append(len(some))
        if all(entry.path != "70001" for entry in some):
            return Done(len(some), 0, 0, ())
        for start in range(0, len(some) if shared else 0, task):  # all tasks before it finish
            paths = [entry.path for entry in some[start : start + task]]
            if "70001" in paths:
                break
            record = {"paths": paths, "done": [Done(len(paths), 0, 0, ()).to_json()]}
            path = tmp_path / "runs" / "r" / marker / f"{start}.json"
            path.write_text(json.dumps(record))
        raise RuntimeError("Job aborted: Python worker exited unexpectedly (crashed)")

    monkeypatch.setattr(job, "_job", one_job)
    (tmp_path / "runs" / "r").mkdir(parents=True)
    job._wave(None, entries, Options("r"), str(tmp_path), done.append, None)
    assert sum(one.files for one in done) == len(entries)
    [row] = [part for one in done for part in one.parts]
    [lost] = pq.read_table(tmp_path / row.file).to_pylist()
    assert (lost["path"], lost["status"], lost["error_code"]) == ("70001", "error", "crashed")
    assert len(asked) <= 1 + 6 * job.PIECES  # six depths: 100,000 < 8 ** 6
    if shared:  # 70,000 files of the first job are done
        assert 70_000 + sum(asked[1:]) <= 1.05 * len(entries)
    else:  # all of them again, and pieces of pieces: 1 + 1 + 1/8 + 1/64 + …
        assert 2 * len(entries) < sum(asked) <= 2.15 * len(entries)


@pytest.mark.parametrize(("least", "used"), [(0, True), (20, True), (21, False)])
def test_few_files_are_read_by_this_machine(folder, tmp_path, least, used):
    session = Session()
    lake = pqexplore.lake.scan(session, folder, out=tmp_path / "store", spark_from=least)
    assert (lake.spark is session) is used and bool(session.asked) is used
    assert lake.manifest.run["num_files"] == 20


class Catalog(Session):
    """A session that knows one table in a folder, by DESCRIBE DETAIL if it has Delta, and one view."""

    def __init__(self, location, provider="delta", main=(), delta=True) -> None:
        extension = {"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension"}
        super().__init__(**(extension if delta else {}))
        self.location, self.provider, self.main, self.delta = str(location), provider, main, delta

    def table(self, name):
        files = [] if self.provider == "iceberg" else ["file:///of/spark.parquet"]
        return types.SimpleNamespace(inputFiles=lambda: files)

    def sql(self, text):
        kind = "parquet" if text.endswith("plain") else self.provider
        columns = [("Location", "string"), ("Provider", "int"), ("", "")]
        details = [("Location", self.location), ("Provider", kind.upper()), ("Owner", "me")]
        rows = [*columns, ("# Detailed Table Information", ""), *details]
        answers = {
            "DESCRIBE DETAIL main.sales.": [{"format": kind, "location": self.location}],
            "DESCRIBE TABLE EXTENDED main.sales.": [dict(zip(("col_name", "data_type"), row, strict=True)) for row in rows],
            "SELECT snapshot_id FROM main.sales.": [{"snapshot_id": one} for one in self.main],
        }  # fmt: skip
        [found] = [answers[one] for one in answers if text.startswith(one)]
        assert self.delta or "DETAIL" not in text
        return types.SimpleNamespace(collect=lambda: found)


def test_a_delta_table_by_name_is_its_folder(tmp_path):
    data(tmp_path / "t", "live.parquet", "gone.parquet")
    commit(tmp_path / "t", 0, PROTOCOL, METADATA, add("live.parquet", 10))
    found = listing("main.sales.events", spark=Catalog(tmp_path / "t"))
    assert [entry.path for entry in found.entries] == [str(tmp_path / "t" / "live.parquet")]
    assert [entry.state for entry in found.others] == ["orphan"]
    for name, place in (("events", "s3x://not/reached"), ("plain", tmp_path / "t")):
        found = listing(f"main.sales.{name}", spark=Catalog(place))
        assert [entry.path for entry in found.entries] == ["/of/spark.parquet"]


@pytest.mark.parametrize("delta", [True, False])
def test_a_version_of_a_delta_table_by_name(tmp_path, delta):
    data(tmp_path / "t", "old.parquet", "new.parquet")
    commit(tmp_path / "t", 0, PROTOCOL, METADATA, add("old.parquet", 10))
    commit(tmp_path / "t", 1, remove("old.parquet"), add("new.parquet", 10))
    session = Catalog(tmp_path / "t", delta=delta)
    for version, name in ((0, "old"), (1, "new"), (None, "new")):
        found = listing("main.sales.events", spark=session, version=version)
        assert [entry.path for entry in found.entries] == [str(tmp_path / "t" / f"{name}.parquet")]
    with pytest.raises(UsageError, match="has versions 0 to 1, and no version 7"):
        listing("main.sales.events", spark=session, version=7)
    with pytest.raises(UsageError, match="the source has none"):
        listing("main.sales.plain", spark=session, version=0)
    away = Catalog(tmp_path / "away", delta=delta)
    with pytest.raises(UsageError, match="away, which this process does not see"):
        listing("main.sales.events", spark=away, version=0)


def test_an_iceberg_table_by_name_is_read_as_its_catalog_has_it(tmp_path):
    table = made_tables.iceberg(Store(str(tmp_path), {}, {}, {}))
    first, last = (table.metadata.snapshots[place].snapshot_id for place in (0, -1))
    for main, more, expected in (
        ([last], {}, last),
        ([first], {}, first),  # another process rolled it back, and its metadata file is not here
        ([], {}, last),
        ([last], {"version": first}, first),
    ):
        session = Catalog(tmp_path / "events", "iceberg", main)
        [one] = listing("main.sales.events", spark=session, **more).tables
        assert one.log.snapshot_id == expected
    for session, said in (
        (Catalog(tmp_path / "events", "iceberg", [7]), "the metadata has no snapshot 7"),
        (Catalog(tmp_path / "away", "iceberg", [last]), "which this process does not see"),
    ):
        with pytest.raises(UsageError, match=said):
            listing("main.sales.events", spark=session)


def test_a_name_is_listed_again_though_the_session_read_no_file(folder, tmp_path):
    paths = sorted(str(path) for path in folder.rglob("part-*.parquet"))
    session = Catalog(tmp_path, "parquet", delta=False)
    session.table = lambda name: types.SimpleNamespace(inputFiles=lambda: paths)
    lake = pqexplore.lake.scan(session, "main.sales.events", spark_from=1_000, processes=0)
    assert lake.spark is None and lake.refresh().spark is None
    assert lake.manifest.run["num_files"] == len(paths)


@pytest.mark.parametrize("conf, files, tasks", [
    ({"spark.master": "local[3]"}, 10_000, 6),
    ({"spark.master": "local[*]"}, 10, 2 * (os.cpu_count() or 1)),
    ({"spark.master": "spark://host:7077"}, 100_000, 50),
    ({"spark.default.parallelism": "40", "spark.master": "local[3]"}, 10_000, 80),
    ({}, 10, 4),
])  # fmt: skip
def test_how_many_tasks(conf, files, tasks):
    assert job._tasks(Session(**conf), files) == max(tasks, 4)


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
    assert row["path"].endswith("part-00003.parquet") and row["error"] == "ZeroDivisionError: a mistake"
    assert lake.sql("SELECT count(*) AS n FROM files WHERE status = 'ok'").to_pylist() == [{"n": 11}]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/Volumes/main/x/a", "/Volumes/main/x/a"), ("/dbfs/tmp/a", "dbfs:/tmp/a"), ("/home/a b", "file:///home/a b")],
)
def test_paths_as_spark_names_them(path, expected):
    assert query.spark_path(path) == expected


def test_expressions_before_a_query():
    text = query.with_expressions(["a AS (SELECT 1)"], "  with b as (select 2) select * from a, b")
    assert text == "WITH a AS (SELECT 1), b as (select 2) select * from a, b"
    assert query.with_expressions(["a AS (x)"], "SELECT 1") == "WITH a AS (x) SELECT 1"
    assert query.with_expressions([], "SELECT 1") == "SELECT 1"
