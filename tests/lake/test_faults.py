"""What goes wrong around a scan: nothing is lost, and each is said."""

import contextlib
import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore import cli
from pqexplore.engine.errors import UsageError
from pqexplore.lake.scanning.run import disk_full
from pqexplore.lake.store import part_files
from pqexplore.lake.store import store as stores

PROCESSES = True


def write(store, name, rows=3):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": list(range(rows))}), sink)
    files = store.filesystem()
    files.makedirs(f"{store.url}/{os.path.dirname(name)}", exist_ok=True)
    files.pipe_file(f"{store.url}/{name}", sink.getvalue().to_pybytes())
    return sink.getvalue().size


def some_files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(3):
        pq.write_table(made_lake.table(number), folder / f"{number}.parquet")
    return folder


def rows_of(lake):
    return {row["path"].rpartition("/")[2]: row for row in lake.tables["files"].to_pylist()}


def test_a_file_that_vanishes_after_the_listing(store, tmp_path):
    for name in ("t/a.parquet", "t/b.parquet", "t/c.parquet"):
        write(store, name)
    files = store.filesystem()

    def remove(progress):
        if not progress.files and files.exists(f"{store.url}/t/b.parquet"):
            files.rm(f"{store.url}/t/b.parquet")

    lake = pqexplore.lake.scan(
        None, f"{store.url}/t", out=tmp_path / "store", storage_options=store.options, processes=0, progress=remove
    )
    found = rows_of(lake)
    assert [found[name]["status"] for name in sorted(found)] == ["ok", "error", "ok"]
    assert found["b.parquet"]["error_code"] == "missing"
    assert found["b.parquet"]["error"] == "no such file; it was there when the folder was listed"
    lake.refresh()
    assert rows_of(lake)["b.parquet"]["status"] == "vanished"
    assert lake.runs["num_files"].to_pylist() == [3, 2]


def test_a_log_that_breaks_between_two_runs(store, tmp_path):
    size = write(store, "t/a.parquet")
    write(store, "t/b.parquet")
    start = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "1", "format": {"provider": "parquet"}, "schemaString": json.dumps({"type": "struct", "fields": []}), "partitionColumns": []}},
    ]  # fmt: skip
    add = {"path": "a.parquet", "size": size, "modificationTime": 0, "dataChange": True, "partitionValues": {}}  # fmt: skip
    commits = [start, [{"add": add}], [{"add": add | {"path": "b.parquet"}}]]
    files = store.filesystem()
    files.makedirs(f"{store.url}/t/_delta_log", exist_ok=True)

    def put(version, text):
        files.pipe_file(f"{store.url}/t/_delta_log/{version:020}.json", text.encode())

    texts = ["\n".join(json.dumps(one) for one in some) for some in commits]
    for version, text in enumerate(texts):
        put(version, text)
    lake = pqexplore.lake.scan(None, f"{store.url}/t", out=tmp_path / "s", storage_options=store.options, processes=0)
    assert {row["state"] for row in rows_of(lake).values()} == {"live"}
    for damage in (texts[1][:-20], "{}\n[]"):  # the commit in the middle
        put(1, damage)
        lake.refresh()
        [table] = lake.tables["tables"].to_pylist()
        assert (table["status"], table["error_code"]) == ("error", "corrupt")
        assert "of version 1 is" in table["error"]
        found = rows_of(lake)
        assert {row["state"] for row in found.values()} == {"not-known"}
        assert {row["num_rows"] for row in found.values()} == {3}, "what was read is kept"
    put(1, texts[1])
    lake.refresh()
    assert {row["state"] for row in rows_of(lake).values()} == {"live"}


# A full disk.

FULL = OSError(errno.ENOSPC, "No space left on device")


def fill(monkeypatch, where):
    """The disk is full when a run writes there."""

    def full(*_):
        raise FULL

    if where == "rows":
        monkeypatch.setattr(part_files.PartWriter, "close", full)
    elif where == "a whole table":
        monkeypatch.setattr(stores.Store, "write", full)
    else:
        sound = os.fsync

        def fsync(descriptor):
            if where in os.readlink(f"/proc/self/fd/{descriptor}"):
                full()
            sound(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)


PLACES = ["rows", "a whole table", "manifest.json", "current.json"]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="finds files by their descriptors")
@pytest.mark.parametrize("again, where", [
    *((False, where) for where in PLACES),
    (True, "rows"),
    *(pytest.param(True, where, marks=pytest.mark.full) for where in PLACES[1:]),
])  # fmt: skip
def test_a_full_disk(tmp_path, monkeypatch, where, again):
    some_files(tmp_path)
    out = tmp_path / "store"
    lake = pqexplore.lake.scan(None, tmp_path / "files", out=out, processes=0)
    before, run = lake.tables["files"], lake.manifest.run_id
    pq.write_table(made_lake.table(7), tmp_path / "files" / "new.parquet")
    with monkeypatch.context() as patch:
        patch.setattr("pqexplore.lake.scanning.processes._elsewhere", lambda *_: False)
        fill(patch, where)
        with pytest.raises(OSError, match="the disk is full: .* stays current") as caught:
            if again:
                lake.refresh()
            else:
                pqexplore.lake.scan(None, tmp_path / "files", out=out, processes=0)
    assert caught.value.errno == errno.ENOSPC and str(out) in str(caught.value)
    kept = pqexplore.lake.open(out)
    assert kept.manifest.run_id == run and kept.tables["files"].equals(before)
    assert not [name for name in os.listdir(out) if name.startswith(".")]
    assert len(list(out.glob("runs/*/manifest.json"))) == (2 if where == "current.json" else 1)
    kept.refresh(tmp_path / "files")
    assert "new.parquet" in rows_of(kept)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
from pqexplore import cli
sys.exit(cli.main(["lake", sys.argv[1], "--out", sys.argv[2]]))
"""


def test_files_that_may_not_grow_in_the_processes_that_read(tmp_path):
    """The system itself refuses to write: the limit holds for the workers, too."""
    pytest.importorskip("resource")
    some_files(tmp_path)
    above = str(Path(pqexplore.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "files"), str(tmp_path / "store")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": above},
        timeout=120,
    )
    assert done.returncode == cli.UNREADABLE, done.stderr
    assert done.stderr.count("\n") == 1 and "the disk is full" in done.stderr
    assert not list((tmp_path / "store").rglob("manifest.json"))


def test_other_errors_are_no_full_disk():
    for error in (OSError(errno.EIO, "x"), ValueError("x"), KeyboardInterrupt()):
        assert disk_full(error, "/store") is None
    job = RuntimeError("Job aborted: OSError: [Errno 28] No space left on device")
    assert disk_full(job, "/store").errno == errno.ENOSPC


# Two at once.


def test_two_refreshes_that_finish_at_the_same_time(tmp_path, monkeypatch):
    some_files(tmp_path)
    out = tmp_path / "store"
    pqexplore.lake.scan(None, tmp_path / "files", out=out, processes=0)
    pq.write_table(made_lake.table(7), tmp_path / "files" / "new.parquet")
    lakes = [pqexplore.lake.open(out) for _ in range(2)]
    barrier, sound = threading.Barrier(2), stores.Store.pointer

    def pointer(self):
        found = sound(self)
        if self._alive:  # at the end of the run: both look before either writes, if nothing prevents it
            with contextlib.suppress(threading.BrokenBarrierError):
                barrier.wait(1)
        return found

    monkeypatch.setattr(stores.Store, "pointer", pointer)
    monkeypatch.setattr("pqexplore.lake.scanning.processes._elsewhere", lambda *_: False)
    told = []

    def refresh(lake):
        try:
            lake.refresh(tmp_path / "files")
        except UsageError as error:
            told.append(str(error))

    threads = [threading.Thread(target=refresh, args=(lake,)) for lake in lakes]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(told) == 1 and "another scan finished meanwhile" in told[0]
    lake = pqexplore.lake.open(out)
    assert "new.parquet" in rows_of(lake) and lake.runs.num_rows == 3
    lake.refresh(tmp_path / "files")  # as the message says
    assert rows_of(lake)["new.parquet"]["status"] == "ok"
    assert lake.sql("SELECT count(*) - count(DISTINCT (path, row_group, leaf)) AS n FROM column_chunks").to_pylist() == [{"n": 0}]  # fmt: skip
