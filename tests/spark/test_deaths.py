"""Files at which a reader dies or hangs on Spark cost themselves, and not the scan."""

import os
import signal

import pyarrow.parquet as pq
import pytest
from lake import made_lake
from quick import quick

import pqexplore.lake
from pqexplore.lake.spark import job as on_spark

pytestmark = pytest.mark.usefixtures("as_shipped")
FILES = 24


def put(folder, **named: int) -> dict[str, str]:
    """Sound files, and one for each name, at the place it is given; their names by path."""
    folder.mkdir(exist_ok=True)
    at = {place: name for name, place in named.items()}
    names = {}
    for number in range(FILES):
        path = folder / f"{number:03d}-{at.get(number, 'fine')}.parquet"
        pq.write_table(made_lake.table(number), path)
        names[str(path)] = at.get(number, "fine")
    return names


@pytest.fixture
def deadly(monkeypatch, tmp_path):
    """Readers on Spark that die of files named kill, hang at hang, and workers that die of worker.

    The worker that dies first waits for another task to finish. The file `reads` lists the paths that were opened. A
    worker whose reader hangs soon believes that an hour has gone by.
    """
    original, log = on_spark.reader, str(tmp_path / "reads")

    def reader(options, root, marker):
        read = original(options, root, marker)
        records = f"{root}/runs/{options.run_id}/{marker}"

        def patched(batches):
            import glob
            import os
            import re
            import signal
            import time
            import types

            from pqexplore.lake.places import opening
            from pqexplore.lake.scanning import subprocess_isolation

            sound, hangs = opening.open_source, f"{log}-{os.getpid()}"

            def open_source(path, **options):
                with open(log, "a") as file:
                    file.write(f"{path}\n")
                if "kill" in path:
                    os.kill(os.getpid(), signal.SIGKILL)
                if "hang" in path:  # in native code, which holds the interpreter's lock
                    open(hangs, "w").close()
                    re.match(r"(a|aa)+$", "a" * 60 + "b")
                return sound(path, **options)

            def monotonic():
                soon = os.path.exists(hangs) and time.time() > os.path.getmtime(hangs) + 0.5
                return time.monotonic() + 3600 * soon

            def watched(batches):
                for batch in batches:
                    paths = batch.column(0).to_pylist()
                    if any("worker" in path for path in paths):
                        end = time.monotonic() + 5 * (len(paths) > 5)
                        while time.monotonic() < end and not glob.glob(f"{records}/*.json"):
                            time.sleep(0.05)
                        os.kill(os.getpid(), signal.SIGKILL)
                    yield batch

            opening.open_source, subprocess_isolation.time = (
                open_source,
                types.SimpleNamespace(monotonic=monotonic, sleep=time.sleep),
            )
            try:
                yield from read(watched(batches))
            finally:
                opening.open_source, subprocess_isolation.time = sound, time

        return patched

    monkeypatch.setattr(on_spark, "reader", reader)


CASES = {
    # places of files by name: error_code of each
    "files that kill their reader": ({"kill": 0, "kill2": 1, "kill3": 23}, dict.fromkeys(["kill", "kill2", "kill3"], "crashed")),
    "a file that hangs, and one that kills": ({"hang": 5, "kill": 6}, {"hang": "timeout", "kill": "crashed"}),
    "the worker itself dies": ({"worker": 11}, {"worker": "crashed"}),
}  # fmt: skip


@pytest.fixture
def finished_reads(monkeypatch, tmp_path):
    """How often each file of a finished task was read when its job had failed.

    That is once, or more often where a task of an earlier job was still reading when that job failed.
    """
    found, finished = {}, on_spark._finished

    def watched(marker, entries):
        done, left = finished(marker, entries)
        reads = (tmp_path / "reads").read_text().split()
        for path in {entry.path for entry in entries} - {entry.path for entry in left}:
            found.setdefault(path, reads.count(path))
        return done, left

    monkeypatch.setattr(on_spark, "_finished", watched)
    return found


@pytest.fixture
def jobs(monkeypatch):
    """Numbers of files of the jobs."""
    found, job = [], on_spark._job
    monkeypatch.setattr(on_spark, "_job", lambda *some: found.append(len(some[1])) or job(*some))
    return found


@pytest.mark.parametrize("name", quick(CASES, *({*CASES} - {"the worker itself dies"})))
def test_a_death_costs_the_file_that_caused_it(session, deadly, finished_reads, jobs, tmp_path, name):
    places, codes = CASES[name]
    names = put(tmp_path / "files", **places)
    lake = pqexplore.lake.scan(session, str(tmp_path / "files"), out=tmp_path / "store", tasks=4)
    rows = {row["path"]: row for row in lake.dataset("files").to_table().to_pylist()}
    assert rows.keys() == names.keys()
    assert {names[p]: r["error_code"] for p, r in rows.items() if r["status"] == "error"} == codes
    assert {r["status"] for p, r in rows.items() if names[p] == "fine"} == {"ok"}
    for path, row in rows.items():
        if names[path].startswith("kill"):
            assert f"ended with {-signal.SIGKILL}" in row["error"]
            assert (row["phase"], row["size"]) == ("open", os.path.getsize(path))
        if names[path] == "hang":
            assert "longer than 60 s" in row["error"]
    chunks = lake.dataset("column_chunks").to_table().to_pylist()
    seen = [(row["path"], row["row_group"], row["leaf"]) for row in chunks]
    assert len(seen) == len(set(seen))  # what was read twice is there once
    assert {path for path, _, _ in seen} == {p for p, one in names.items() if one == "fine"}
    run = lake.manifest.run
    assert (run["files_read"], run["errors"]) == (FILES, len(codes))
    assert not list((tmp_path / "store").rglob("marker-*"))
    if name == "the worker itself dies":
        reads = (tmp_path / "reads").read_text().split()
        assert len(finished_reads) >= FILES // 4
        assert {path: reads.count(path) for path in finished_reads} == finished_reads  # none was read again
        assert jobs[0] == FILES and 1 in jobs and len(jobs) <= 1 + 8 + 3  # pieces of 3, then of 1
    else:
        assert jobs == [FILES]


def test_a_job_that_fails_keeps_what_its_tasks_read(session, deadly, tmp_path, monkeypatch):
    put(tmp_path / "files", worker=11)
    monkeypatch.setattr(on_spark, "DEATHS", ())  # as if it were another error
    with pytest.raises(Exception, match="exited unexpectedly") as raised:
        pqexplore.lake.scan(session, str(tmp_path / "files"), out=tmp_path / "store", tasks=4)
    assert "resume=True" in raised.value.__notes__[0]
    monkeypatch.undo()
    lake = pqexplore.lake.scan(session, str(tmp_path / "files"), out=tmp_path / "store", resume=True)
    kept = lake.progress.kept
    assert kept >= FILES // 4 and lake.progress.files == FILES - kept
    paths = lake.dataset("files").to_table()["path"].to_pylist()
    assert len(paths) == len(set(paths)) == FILES


def test_parts_travel_where_the_node_has_not_the_folder(session, deadly, tmp_path, monkeypatch):
    names = put(tmp_path / "files", kill=7)
    original = on_spark.reader
    monkeypatch.setattr(on_spark, "reader", lambda options, root, marker: original(options, root, "elsewhere"))
    lake = pqexplore.lake.scan(session, str(tmp_path / "files"), out=tmp_path / "store")
    rows = lake.dataset("files").to_table().to_pylist()
    assert len(rows) == len(names) and sum(row["error_code"] == "crashed" for row in rows) == 1


def test_an_error_of_the_program_is_not_cut_into_pieces(session, jobs, tmp_path, monkeypatch):
    put(tmp_path / "files")

    def reader(options, root, marker):
        def read(batches):
            raise ModuleNotFoundError("No module named 'pqexplore'")
            yield from batches

        return read

    monkeypatch.setattr(on_spark, "reader", reader)
    with pytest.raises(Exception, match="No module named 'pqexplore'"):
        pqexplore.lake.scan(session, str(tmp_path / "files"), out=tmp_path / "store")
    assert len(jobs) == 1
