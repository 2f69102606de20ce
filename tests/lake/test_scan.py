"""A whole lake, scanned by processes of this machine."""

import json
import os
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning import processes
from pqexplore.lake.scanning import run as runs
from pqexplore.lake.scanning.progress import Cancelled, Watch
from pqexplore.lake.tables import TABLES

PROCESSES = True


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """500 good files, and 32 of eight kinds of damage."""
    folder = tmp_path_factory.mktemp("big") / "events"
    bad = made_lake.make(folder, 500, every=125)
    heard = []
    lake = pqexplore.lake.scan(None, folder, out=tmp_path_factory.mktemp("store"), processes=2, progress=heard.append)
    good = sorted(str(path) for path in folder.rglob("*.parquet") if str(path) not in bad)
    return lake, bad, good, heard


def test_the_tables_say_what_pyarrow_and_duckdb_say(big):
    lake, bad, good, _ = big
    assert (len(good), len(bad)) == (500, 32)
    files, chunks = made_lake.by_pyarrow(good)
    found = lake.sql(f"SELECT {made_lake.FILE_COLUMNS} FROM files WHERE status = 'ok'")
    assert sorted(tuple(row.values()) for row in found.to_pylist()) == files
    found = lake.sql(f"SELECT {made_lake.CHUNK_COLUMNS} FROM column_chunks")
    mine = sorted(tuple(row.values()) for row in found.to_pylist())
    assert mine == chunks
    assert sorted(row[:12] for row in mine) == made_lake.by_duckdb(good)


def test_every_damaged_file_is_a_row_that_names_its_fault(big):
    lake, bad, _, _ = big
    made_lake.check_errors(lake.tables["files"].to_pylist(), bad)


def test_progress_is_told(big):
    lake, bad, good, heard = big
    files = [one.files for one in heard]
    assert files == sorted(files) and files[0] == 0 and files[-1] == heard[-1].total == 532
    assert heard[-1].errors == len(bad) and heard[-1].remaining == 0
    assert heard[0].remaining is None and heard[-1].bytes_read > 500_000
    assert str(heard[-1]).startswith("532 of 532 files, 32 errors, ")
    [run] = lake.runs.to_pylist()
    assert (run["num_files"], run["files_read"], run["errors"]) == (532, 532, 32)
    assert run["bytes_read"] == heard[-1].bytes_read and run["parent"] is None


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "events"
    made_lake.make(folder, 6)
    return folder


def paths(lake, table="column_chunks", where="TRUE") -> set[str]:
    rows = lake.sql(f"SELECT DISTINCT path FROM {table} WHERE {where}").to_pylist()
    return {os.path.basename(row["path"]) for row in rows}


def test_tables_have_their_schemas_and_stay(folder, tmp_path):
    lake = pqexplore.lake.scan(None, str(folder), out=tmp_path / "store")
    assert list(lake.tables) == list(TABLES) and len(lake.tables) == 12
    for name, definition in TABLES.items():
        assert lake.tables[name].schema == definition.schema, name
        assert lake.dataset(name).count_rows() == lake.tables[name].num_rows
    again = pqexplore.lake.open(tmp_path / "store")
    assert again.tables["files"] == lake.tables["files"]
    assert "14 files, 8 that cannot be read" in repr(again)
    with pytest.raises(KeyError, match="none of the tables"):
        lake.tables["file"]


def test_a_refresh_reads_what_is_new_changed_or_was_wrong(folder, tmp_path):
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store")
    first = lake.manifest.run_id
    part = {number: folder / f"day={number}" / f"part-{number:05d}.parquet" for number in range(6)}
    pq.write_table(made_lake.table(9), part[1])  # changed
    part[2].unlink()  # gone
    pq.write_table(made_lake.table(7), folder / "new.parquet")  # new
    pq.write_table(made_lake.table(8), folder / "day=0" / "bad-00000-empty.parquet")  # fixed
    lake.refresh()
    run = lake.runs.to_pylist()[-1]
    assert (run["files_read"], run["errors"], run["vanished"]) == (2 + 8, 7, 1)
    assert (run["num_files"], run["parent"]) == (14, first)
    status = {os.path.basename(r["path"]): r for r in lake.tables["files"].to_pylist()}
    assert status["part-00002.parquet"]["status"] == "vanished"
    assert status["bad-00000-empty.parquet"]["status"] == "ok"
    assert status["part-00003.parquet"]["run_id"] == first
    assert status["part-00001.parquet"]["run_id"] == run["run_id"]
    good = {f"part-{n:05d}.parquet" for n in (0, 1, 3, 4, 5)}
    assert paths(lake) == good | {"new.parquet", "bad-00000-empty.parquet"}
    for rows in (lake.tables["column_chunks"], lake.dataset("column_chunks").to_table()):
        changed = rows.filter(pa.compute.equal(rows["path"], str(part[1])))
        assert set(changed["run_id"].to_pylist()) == {run["run_id"]}
    # the same as if all had been read now
    fresh = pqexplore.lake.scan(None, folder)
    names = [name for name in TABLES["column_chunks"].schema.names if name != "run_id"]
    assert as_set(lake.tables["column_chunks"], names) == as_set(fresh.tables["column_chunks"], names)
    # and once more: nothing but the errors is read, and what was gone and is back
    pq.write_table(made_lake.table(2), part[2])
    lake.refresh()
    assert lake.runs.to_pylist()[-1]["files_read"] == 1 + 7
    assert "part-00002.parquet" in paths(lake)


def as_set(table, names):
    return {tuple(map(str, row.values())) for row in table.select(names).to_pylist()}


def test_another_engine_reads_everything_again(folder, tmp_path, monkeypatch):
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store")
    monkeypatch.setattr(runs, "ENGINE", "newer")
    lake.refresh()
    assert lake.runs.to_pylist()[-1]["files_read"] == 14
    assert lake.sql("SELECT count(*) AS n FROM row_groups").to_pylist() == [{"n": 12}]


@pytest.mark.full
def test_many_refreshes_are_brought_together(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_CHAIN", 3)
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store")
    for number in range(5):
        pq.write_table(made_lake.table(10 + number), folder / "day=0" / "part-00000.parquet")
        lake.refresh()
        assert len(lake.manifest.chain) <= 3
    fresh = pqexplore.lake.scan(None, folder)
    names = [name for name in TABLES["column_chunks"].schema.names if name != "run_id"]
    assert as_set(lake.tables["column_chunks"], names) == as_set(fresh.tables["column_chunks"], names)
    assert lake.tables["column_chunks"].num_rows == fresh.tables["column_chunks"].num_rows


class TestNeverHalfARun:
    def test_cancelled_in_the_middle(self, folder, tmp_path):
        lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store")
        before, files = lake.manifest.run_id, lake.tables["files"]
        pq.write_table(made_lake.table(7), folder / "new.parquet")

        def stop(progress):
            if progress.files:
                lake.cancel()

        with pytest.raises(Cancelled, match="stays current"):
            lake.refresh(progress=stop)
        assert lake.manifest.run_id == before and lake.tables["files"] == files
        assert lake.runs.num_rows == 1  # what was read is kept, and no run
        lake.refresh(resume=True)
        assert sorted(os.listdir(tmp_path / "store" / "runs")) == [before, lake.manifest.run_id]

    def test_files_that_nobody_lists_are_swept(self, folder, tmp_path):
        lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store")
        run_id = lake._store.begin()
        stray = Path(lake.path, "runs", run_id, "files", "part-stray.parquet")
        stray.parent.mkdir()
        stray.touch()
        manifest = lake.manifest
        manifest.run["run_id"] = run_id
        lake._store.commit(manifest, lake._store.pointer())
        assert not stray.exists()


def test_in_the_background(folder, tmp_path):
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store", background=True)
    lake.wait()
    assert not lake.running and lake.progress.files == 14
    bad = pqexplore.lake.scan(None, tmp_path / "nowhere", out=tmp_path / "other", background=True)
    with pytest.raises(UsageError, match="not a file, folder"):
        bad.wait()
    assert repr(bad).endswith("no complete scan yet>")
    with pytest.raises(UsageError, match="no complete scan"):
        pqexplore.lake.open(tmp_path / "other")


def test_cancelling_stops_processes(tmp_path):
    made_lake.make(tmp_path, 300)
    entries = [Entry(str(path)) for path in sorted(tmp_path.rglob("part-*.parquet"))]
    watch = Watch()
    watch.begin(len(entries))
    watch.cancel()
    begun = time.perf_counter()
    with pytest.raises(Cancelled):
        processes.run(entries, Options("run"), str(tmp_path / "store"), watch, processes=2)
    assert time.perf_counter() - begun < 30


CRASHING = """
import os
from pqexplore.lake.places import opening
from pqexplore.lake.scanning import worker
_open = opening.open_source
def open_source(path, **options):
    if "crash" in path:
        os.abort()
    return _open(path, **options)
opening.open_source = open_source
worker.main()
"""


def test_a_file_at_which_the_reader_dies_costs_itself_only(tmp_path, monkeypatch):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(9):
        name = "crash" if number == 4 else "fine"
        pq.write_table(made_lake.table(number), folder / f"{name}-{number}.parquet")
    monkeypatch.setattr(processes, "COMMAND", ("-c", CRASHING))
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store", processes=1)
    rows = {os.path.basename(row["path"]): row for row in lake.tables["files"].to_pylist()}
    assert len(rows) == 9
    crashed = rows.pop("crash-4.parquet")
    assert (crashed["status"], crashed["error_code"]) == ("error", "crashed")
    assert "ended with -6" in crashed["error"]
    assert {row["status"] for row in rows.values()} == {"ok"}


def test_a_worker_that_does_not_start_is_an_error(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "COMMAND", ("-c", "raise SystemExit('no such thing')"))
    with pytest.raises(RuntimeError, match="does not start: no such thing"):
        pqexplore.lake.scan(None, folder, out=tmp_path / "store", processes=1)


def test_secrets_are_not_stored(folder, tmp_path):
    options = {"key": "very-secret"}
    lake = pqexplore.lake.scan(None, folder, out=tmp_path / "store", storage_options=options)
    texts = [path.read_text() for path in Path(lake.path).rglob("*.json")]
    assert texts and not any("very-secret" in text for text in texts)
    assert json.loads(texts[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"level": "bytes"}, "level is chunks or pages"), ({"out": "nosuchscheme://bucket/x"}, "cannot be reached")],
)
def test_wrong_arguments(folder, arguments, words):
    with pytest.raises(UsageError, match=words):
        pqexplore.lake.scan(None, folder, **arguments)


def test_without_duckdb_the_tables_are_there(folder, monkeypatch):
    lake = pqexplore.lake.scan(None, folder)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"pqexplore\[lake\]"):
        lake.sql("SELECT 1")
    assert lake.tables["files"].num_rows == 14


def test_a_query_may_have_expressions_of_its_own(folder):
    lake = pqexplore.lake.scan(None, folder)
    found = lake.sql("WITH a AS (SELECT 1 AS x) SELECT x, count(*) AS n FROM a, files GROUP BY x")
    assert found.to_pylist() == [{"x": 1, "n": 14}]
