"""A lake of 300 files and eight kinds of damage, scanned by Spark: what pyarrow, DuckDB and local processes say of it."""

import dataclasses
import importlib.util

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake
from made import rebuilt

import pqexplore.lake
from pqexplore.lake import datasource, query
from pqexplore.lake.listed_files import Options
from pqexplore.lake.spark.job import ANSWERS, paths, reader
from pqexplore.lake.store import remote_store
from pqexplore.lake.store.table_definition import ddl
from pqexplore.lake.tables import TABLES
from pqexplore.lake.views import VIEWS

from .conftest import at_once

FILES = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lake") / "events"


@pytest.fixture(scope="module")
def bad(folder):
    return made_lake.make(folder, FILES, every=75)


@pytest.fixture(scope="module")
def lake(session, folder, bad, tmp_path_factory):
    return pqexplore.lake.scan(session, str(folder), out=tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def local(folder, bad, tmp_path_factory):
    return pqexplore.lake.scan(None, folder, out=tmp_path_factory.mktemp("local"), processes=0)


def rows(frame) -> list[dict]:
    """The rows of a DataFrame; Spark 3.5 has no toArrow."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow().to_pylist()
    return [row.asDict() for row in frame.collect()]


def values(rows: list[dict], names=None) -> list[tuple]:
    """Rows as sorted tuples; binary values are bytes, whoever gave them."""
    found = []
    for row in rows:
        some = (row[name] for name in names or row)
        found.append(tuple(bytes(v) if isinstance(v, bytearray) else v for v in some))
    return sorted(found, key=repr)


def test_every_damaged_file_is_a_row_that_names_its_fault(lake, bad):
    made_lake.check_errors(rows(lake.sql("SELECT * FROM files WHERE status = 'error'")), bad)


@pytest.mark.parametrize("table", ["files", "schemas", "row_groups", "column_chunks", "findings"])
def test_tables_are_those_of_local_processes(lake, local, table):
    """Those are held against pyarrow and DuckDB in `tests/lake/test_scan.py`."""
    names = [
        name
        for name in TABLES[table].schema.names
        if name not in ("run_id", "seconds", "modified")  # Spark 3.5 gives times without a zone
    ]
    some = "path LIKE '%/day=5/%'" if "path" in names and table != "files" else "TRUE"
    mine = values(rows(lake.tables[table].where(some)), names)
    few = local.sql(f"SELECT * FROM {table} WHERE {some}")
    assert mine == values(few.to_pylist(), names)


TIMES = {
    "since", "last_seen", "first_modified", "last_modified", "modified", "day", "oldest", "newest", "first_removable",
}  # fmt: skip
"""Columns of views that depend on a session's time zone."""


@pytest.fixture(scope="module")
def troubled(session, tmp_path_factory):
    """A small lake of which nearly every view has something to say: by Spark, and without it."""
    from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data

    place = tmp_path_factory.mktemp("troubled")
    folder = place / "files"
    made_lake.make(folder, 12, every=6)
    columns = {"one": [1, 1], "half": pa.array([1, 2], pa.float16()), "at": pa.array([1, 2], "time64[us]")}
    pq.write_table(pa.table(columns), folder / "a.parquet", compression="brotli")
    (folder / "copy.parquet").write_bytes((folder / "a.parquet").read_bytes())
    few = pa.table({"id": [1, 2]})
    pq.write_table(few, folder / "bare.parquet", write_statistics=False)
    miscounted = rebuilt((folder / "bare.parquet").read_bytes(), num_rows=9)
    (folder / "miscounted.parquet").write_bytes(miscounted)
    data(folder / "table", "day=1/live.parquet", "day=1/gone.parquet", "orphan.parquet")
    vector = {"storageType": "u", "pathOrInlineDv": "x", "cardinality": 4}
    live = add("day=1/live.parquet", 11, deletionVector=vector)
    commit(folder / "table", 0, PROTOCOL, METADATA, live, add("day=1/gone.parquet", 10))
    commit(folder / "table", 1, {"remove": {"path": "day=1/gone.parquet", "dataChange": True}})
    data(folder / "broken", "a.parquet")
    commit(folder / "broken", 0, "{")
    local = pqexplore.lake.scan(None, folder, out=place / "store", level="pages", processes=0)
    return pqexplore.lake.open(place / "store", session), local


@pytest.fixture(scope="module")
def by_spark(troubled):
    """The rows of each view."""
    found = at_once(lambda view: rows(troubled[0].sql(view.sql())), VIEWS.values())
    return dict(zip(VIEWS, found, strict=True))


SILENT = {"deprecated", "removable"}
"""Views that have nothing to say of it."""


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_says_the_same_by_spark_as_by_duckdb(troubled, by_spark, name):
    pytest.importorskip("duckdb")
    lake, local = troubled
    mine, theirs = by_spark[name], local.views[name].to_pylist()
    assert [list(row) for row in mine] == [list(row) for row in theirs]
    assert [_rounded(row) for row in mine] == [_rounded(row) for row in theirs]
    assert mine or name in SILENT
    assert lake.views[name].columns == local.views[name].column_names  # a DataFrame of DuckDB's rows


def _rounded(row: dict) -> dict:
    """A row without times; the last bits of a share depend on the order of the sums."""
    some = {name: value for name, value in row.items() if name not in TIMES}
    return {k: float(f"{v:.12g}") if isinstance(v, float) else v for k, v in some.items()}


def test_views_are_dataframes_of_what_duckdb_answers(lake, local):
    pytest.importorskip("duckdb")
    assert lake.views.engine == "DuckDB"
    assert type(lake.views["writers"]).__name__ == "DataFrame"
    assert values(rows(lake.views["overlap"])) == values(local.views["overlap"].to_pylist())
    assert lake.views["small_files"].orderBy("num_files").first().num_files > 0
    assert lake.views["errors"].where("error_code = 'nothing'").count() == 0


def test_spark_answers_views_where_duckdb_is_absent(lake, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert lake.views.engine == "Spark"
    assert lake.views["small_files"].columns[0] == "partition_values"


def test_a_table_has_the_same_live_files_on_spark_and_locally(session, tmp_path):
    from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove

    sound, broken = tmp_path / "lake" / "sound", tmp_path / "lake" / "broken"
    data(sound, "day=1/live.parquet", "day=1/gone.parquet", "day=2/live.parquet")
    commit(sound, 0, PROTOCOL, METADATA, add("day=1/gone.parquet", 10))
    vector = {"storageType": "u", "pathOrInlineDv": "x", "cardinality": 4}
    adds = add("day=1/live.parquet", 10, deletionVector=vector), add("day=2/live.parquet", 10)
    commit(sound, 1, remove("day=1/gone.parquet"), *adds)
    data(broken, "a.parquet")
    commit(broken, 0, "{")
    names = ("path", "status", "state", "state_reason", "table_path", "listed_rows", "deleted_rows")
    for start in ("", "sound/*/l*.parquet"):
        source = str(tmp_path / "lake" / start)
        mine = pqexplore.lake.scan(session, source, out=tmp_path / "spark" / start)
        local = pqexplore.lake.scan(None, source, out=tmp_path / "local" / start, processes=0)
        theirs = local.tables["files"].to_pylist()
        assert values(rows(mine.tables["files"]), names) == values(theirs, names)
        columns = [name for name in TABLES["tables"].schema.names if name != "run_id"]
        tables = local.tables["tables"].to_pylist()
        assert values(rows(mine.tables["tables"]), columns) == values(tables, columns)
        assert mine.views["not_live"].columns == list(local.views["not_live"].column_names)


@pytest.mark.parametrize("engine, where", [
    pytest.param("format", "day = 3 AND id < 40000", marks=pytest.mark.full),
    ("spark", "NOT (day = 1 AND name = 'name 3') AND price > 9.9 OR extra IS NULL AND score > 13"),
])  # fmt: skip
def test_a_query_is_planned_as_it_is_locally(lake, local, engine, where):
    ours, theirs = (one.ask(where, columns=["id"], engine=engine) for one in (lake, local))
    for name in ("sentence", "stages", "remarks", "wrong_rows"):
        assert getattr(ours, name) == getattr(theirs, name)
    for name in ("files", "row_groups"):
        found = values(rows(getattr(ours, name)))
        assert found == values(getattr(theirs, name).to_pylist())
    assert any("cannot be read" in remark for remark in ours.remarks)


def test_a_refresh_reads_what_changed(session, lake, folder, bad, monkeypatch):
    new, gone = folder / "day=0" / "part-new.parquet", folder / "day=1" / "part-00001.parquet"
    pq.write_table(made_lake.table(1), new)
    gone.unlink()
    before, earlier = lake.tables["files"].count(), lake.manifest
    lake.refresh()
    run = lake.runs.to_pylist()[-1]
    assert (run["files_read"], run["vanished"]) == (1 + len(bad), 1)
    assert lake.tables["files"].count() == before + 1
    chunks = {row.path for row in lake.tables["column_chunks"].select("path").distinct().collect()}
    assert str(new) in chunks and str(gone) not in chunks
    [row] = lake.sql(f"SELECT status FROM files WHERE path = '{gone}'").collect()
    assert row.status == "vanished"
    # the run before is still there, for both engines
    text = f"SELECT count(*) AS chunks FROM column_chunks WHERE path = '{gone}'"
    answers = [query.rows(lake, text, manifest=one) for one in (earlier, None)]
    assert [one["chunks"] for [one] in answers] == [16, 0]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert [query.rows(lake, text, manifest=one) for one in (earlier, None)] == answers


def test_parts_travel_where_a_node_does_not_see_the_store(session, folder, bad, tmp_path):
    entries = [dataclasses.replace(one) for one in pqexplore.lake.listing.listing(str(folder)).entries[:5]]
    read = reader(Options("r"), str(tmp_path / "not-here"), "marker")
    answers = paths(session, entries).repartition(2).mapInArrow(read, ddl(ANSWERS)).collect()
    parts = [row for row in answers if row["file"] is not None]
    assert parts and all(bytes(row["payload"][:4]) == b"PAR1" for row in parts)
    assert sum(row["files"] for row in answers) == 5


def test_the_data_source_gives_a_table(session, local, folder):
    if not datasource.available(session):
        with pytest.raises(pqexplore.lake.lake.UsageError, match="does not support Python data sources"):
            datasource.register(session)
        return
    datasource.register(session)
    read = session.read.format("pqexplore").option("table", "row_groups").load(str(folder / "day=3"))
    assert read.count() == local.sql("SELECT * FROM row_groups WHERE path LIKE '%/day=3/%'").num_rows
    assert read.schema.simpleString().startswith("struct<run_id:string,path:string,row_group:int")


def test_a_dataframe_names_its_files(session, folder, tmp_path):
    frame = session.read.parquet(f"file://{folder}/day=2/part-00002.parquet")
    lake = pqexplore.lake.scan(session, frame, out=tmp_path)
    [row] = lake.sql("SELECT path, num_rows, size FROM files").collect()
    assert tuple(row)[:2] == (str(folder / "day=2" / "part-00002.parquet"), 40)


def test_pages_and_indexes_are_those_of_local_processes(session, folder, bad, tmp_path):
    source = str(folder / "day=4")
    mine = pqexplore.lake.scan(session, source, level="pages", out=tmp_path / "spark")
    theirs = pqexplore.lake.scan(None, source, level="pages", out=tmp_path / "local", processes=0)
    for table in ("pages", "indexes"):
        names = [name for name in TABLES[table].schema.names if name != "run_id"]
        found = values(rows(mine.tables[table]), names)
        assert len(found) > 100, table
        assert found == values(theirs.tables[table].to_pylist(), names)


def test_columns_and_partitions_are_those_of_the_log(session, tmp_path):
    from lake.logs.made_logs import PROTOCOL, add, commit
    from lake.logs.test_table_schema import FIELDS, MAPPED, metadata

    for name in ("x1", "y2"):
        (tmp_path / "t" / name).mkdir(parents=True)
        pq.write_table(MAPPED.empty_table(), tmp_path / "t" / name / "a.parquet")
    adds = [add(f"{one}/a.parquet", 0, partitionValues={"col-1": one}) for one in ("x1", "y2")]
    commit(tmp_path / "t", 0, PROTOCOL, metadata("name", FIELDS), *adds)
    found = {}
    for spark in (session, None):
        lake = pqexplore.lake.scan(spark, str(tmp_path / "t"), processes=0)
        asked = (
            "SELECT DISTINCT column_name FROM column_chunks", "SELECT partition_values FROM files",
            "SELECT column_name, definition, drift FROM schema_drift", "SELECT * FROM log_statistics",
        )  # fmt: skip
        some = [lake.sql(text) for text in asked]
        found[spark is None] = [values(rows(one) if spark else one.to_pylist()) for one in some]
    assert found[True] == found[False]
    assert ("inside.w",) in found[True][0] and ("new=x1",) in found[True][1]


@pytest.mark.parametrize("cluster", [pytest.param(False, marks=pytest.mark.full), True])
def test_a_store_at_a_url_is_read_from_the_copy_or_from_the_url(session, tmp_path, monkeypatch, cluster):
    """fsspec's `local` stands for a store of objects, which Spark knows by another name: a file's URL."""
    made_lake.make(tmp_path / "events", 12)
    if cluster:
        monkeypatch.setattr(remote_store, "master", lambda _: "spark://host:7077")
        monkeypatch.setattr(remote_store, "_spellings", lambda _: [f"file://{tmp_path}/out"])
    url, options = f"local://{tmp_path}/out", {"auto_mkdir": True}
    lake = pqexplore.lake.scan(session, tmp_path / "events", out=url, storage_options=options)
    expected = pqexplore.lake.scan(None, tmp_path / "events", processes=0)
    for _ in range(2):
        where = f"{tmp_path}/out" if cluster else lake.path
        read = lake.tables["column_chunks"].inputFiles()
        assert read and all(one.removeprefix("file://").startswith(where) for one in read)
        assert len(rows(lake.tables["files"])) == len(expected.tables["files"])
        lake = pqexplore.lake.open(url, session, storage_options=options, follow_outside=True)
    report, other = lake.diagnose(), expected.diagnose(processes=0)
    assert [one.rule for one in report.findings] == [one.rule for one in other.findings]
    assert report.files.count() == other.files.num_rows
