"""Lakes that Spark scans: each table, view and plan is that of local processes.

What these say of the files is held against pyarrow and DuckDB in `tests/lake/test_scan.py`.
"""

import functools
import importlib.util

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake
from lake.logs import test_columns
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove
from made import rebuilt

import pqexplore.lake
from pqexplore.lake import datasource, query, spark_store
from pqexplore.lake.entries import Options
from pqexplore.lake.spark import ANSWERS, paths, reader
from pqexplore.lake.table_definition import ddl
from pqexplore.lake.tables import TABLES
from pqexplore.lake.views import VIEWS

from .conftest import at_once


def damage(folder):
    made_lake.make(folder, 150, every=50)


def trouble(folder):
    """A small lake of which nearly every view has something to say."""
    made_lake.make(folder, 12, every=6)
    columns = {"one": [1, 1], "half": pa.array([1, 2], pa.float16()), "at": pa.array([1, 2], "time64[us]")}
    pq.write_table(pa.table(columns), folder / "a.parquet", compression="brotli")
    (folder / "copy.parquet").write_bytes((folder / "a.parquet").read_bytes())
    pq.write_table(pa.table({"id": [1, 2]}), folder / "bare.parquet", write_statistics=False)
    miscounted = rebuilt((folder / "bare.parquet").read_bytes(), num_rows=9)
    (folder / "miscounted.parquet").write_bytes(miscounted)
    data(folder / "table", "day=1/live.parquet", "day=1/gone.parquet", "day=2/live.parquet", "orphan.parquet")
    vector = {"storageType": "u", "pathOrInlineDv": "x", "cardinality": 4}
    adds = add("day=1/live.parquet", 11, deletionVector=vector), add("day=2/live.parquet", 10)
    commit(folder / "table", 0, PROTOCOL, METADATA, *adds, add("day=1/gone.parquet", 10))
    commit(folder / "table", 1, remove("day=1/gone.parquet"))
    data(folder / "broken", "a.parquet")
    commit(folder / "broken", 0, "{")


def named_by_log(folder):
    for name in ("x1", "y2"):
        (folder / name).mkdir(parents=True)
        pq.write_table(test_columns.MAPPED.empty_table(), folder / name / "a.parquet")
    adds = [add(f"{one}/a.parquet", 0, partitionValues={"col-1": one}) for one in ("x1", "y2")]
    commit(folder, 0, PROTOCOL, test_columns.metadata("name", test_columns.FIELDS), *adds)


LAKES = {  # how it is made, where a scan starts, and how deep it reads
    "damage": (damage, "", "chunks"),
    "trouble": (trouble, "", "pages"),
    "a pattern in a table with a log": (trouble, "table/*/l*.parquet", "chunks"),
    "named by a log": (named_by_log, "", "chunks"),
}


@pytest.fixture(scope="module")
def scanned(session, tmp_path_factory):
    """The folder of one of `LAKES`, and the lake by Spark and by this process."""

    @functools.cache
    def scan(name):
        place, (make, start, level) = tmp_path_factory.mktemp("lake"), LAKES[name]
        make(place / "files")
        mine, local = (
            pqexplore.lake.scan(one, str(place / "files" / start), out=place / out, level=level, processes=0)
            for one, out in ((session, "spark"), (None, "local"))
        )
        return place / "files", mine, local

    return scan


@pytest.fixture(scope="module")
def folder(scanned):
    return scanned("damage")[0]


@pytest.fixture(scope="module")
def lake(scanned):
    return scanned("damage")[1]


@pytest.fixture(scope="module")
def local(scanned):
    return scanned("damage")[2]


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


def test_every_table_is_that_of_local_processes(scanned):
    differ, filled = [], set()
    for name in LAKES:
        _, mine, local = scanned(name)
        for table in TABLES.keys() - {"runs"}:
            # Spark 3.5 gives times without a zone
            names = [one for one in TABLES[table].schema.names if one not in ("run_id", "seconds", "modified")]
            found, right = values(rows(mine.tables[table]), names), values(local.tables[table].to_pylist(), names)
            differ += [(name, table)] * (found != right)
            filled |= {table} if found else set()
    assert differ == [] and filled == TABLES.keys() - {"runs"}


TIMES = {"since", "last_seen", "first_modified", "last_modified", "modified", "day"}
"""Columns of views that depend on a session's time zone."""


@pytest.fixture(scope="module")
def troubled(session, scanned):
    """A store by Spark, and without it."""
    local = scanned("trouble")[2]
    return pqexplore.lake.open(local.path, session), local


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


@pytest.mark.parametrize(
    "where",
    [
        "day = 3 AND id < 40000",
        pytest.param(
            "NOT (day = 1 AND name = 'name 3') AND price > 9.9 OR extra IS NULL AND score > 13",
            marks=pytest.mark.full,  # Spark interprets its long expressions, which takes a while
        ),
    ],
)
def test_a_query_is_planned_as_it_is_locally(lake, local, where):
    ours, theirs = lake.ask(where, columns=["id"]), local.ask(where, columns=["id"])
    assert ours.sentence == theirs.sentence
    assert ours.stages == theirs.stages
    for name in ("files", "row_groups"):
        found = values(rows(getattr(ours, name)))
        assert found == values(getattr(theirs, name).to_pylist())
    assert any("cannot be read" in remark for remark in ours.remarks)


def test_a_refresh_reads_what_changed(lake, local, folder, monkeypatch):
    new, gone = folder / "day=0" / "part-new.parquet", folder / "day=1" / "part-00001.parquet"
    pq.write_table(made_lake.table(1), new)
    gone.unlink()
    before, earlier = lake.tables["files"].count(), lake.manifest
    lake.refresh()
    run = lake.runs.to_pylist()[-1]
    errors = local.sql("SELECT * FROM files WHERE status = 'error'").num_rows
    assert (run["files_read"], run["vanished"]) == (1 + errors, 1) and errors == 24
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


def test_parts_travel_where_a_node_does_not_see_the_store(session, folder, tmp_path):
    entries = pqexplore.lake.listing.listing(str(folder)).entries[:5]
    read = reader(Options("r"), str(tmp_path / "not-here"), "marker")
    answers = paths(session, entries).repartition(2).mapInArrow(read, ddl(ANSWERS)).collect()
    parts = [row for row in answers if row["file"] is not None]
    assert parts and all(bytes(row["payload"][:4]) == b"PAR1" for row in parts)
    assert sum(row["files"] for row in answers) == 5


def test_the_data_source_gives_a_table(session, local, folder):
    if not datasource.available(session):
        with pytest.raises(pqexplore.lake.lake.UsageError, match="no Python data sources"):
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


def test_columns_have_the_names_of_the_log(scanned):
    _, mine, local = scanned("named by a log")
    for text, one in (
        ("SELECT DISTINCT column_name FROM column_chunks", ("inside.w",)),
        ("SELECT partition_values FROM files", ("new=x1",)),
        ("SELECT column_name, definition, drift FROM schema_drift", None),
        ("SELECT * FROM log_statistics", None),
    ):
        found = values(rows(mine.sql(text)))
        assert found == values(local.sql(text).to_pylist()), text
        assert one is None or one in found


@pytest.mark.parametrize("cluster", [pytest.param(False, marks=pytest.mark.full), True])
def test_a_store_at_a_url_is_read_from_the_copy_or_from_the_url(session, tmp_path, monkeypatch, cluster):
    """fsspec's `local` stands for a store of objects, which Spark knows by another name: a file's URL."""
    made_lake.make(tmp_path / "events", 12)
    if cluster:
        monkeypatch.setattr(spark_store, "master", lambda _: "spark://host:7077")
        monkeypatch.setattr(spark_store, "_spellings", lambda _: [f"file://{tmp_path}/out"])
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
