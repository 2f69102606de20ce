"""A scan that was cancelled, failed or was killed goes on, and gives the tables of one whole scan."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.cli import main
from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.lake.scanning import processes
from pqexplore.lake.scanning.progress import Cancelled
from pqexplore.lake.store import unfinished
from pqexplore.lake.store.manifest import PARTIAL
from pqexplore.lake.store.store import Store, is_store
from pqexplore.lake.tables import TABLES

PROCESSES = True

GOOD, BAD = 40, 8
TASK = 6
"""Files of a task, if this process reads so many."""
SOME = 2 * TASK
"""Enough files that some of them are sound: the damaged ones come first."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files") / "events"
    made_lake.make(folder, GOOD, every=GOOD)
    return folder


@pytest.fixture
def folder(files, tmp_path):
    return Path(shutil.copytree(files, tmp_path / "events", symlinks=True))


def scan(folder, store, stop: int | BaseException = 0, **options):
    """A scan by this process. It is cancelled at so many files, or fails with an error at `SOME`."""
    options.setdefault("processes", 0)

    def listen(progress):
        if isinstance(stop, BaseException) and progress.files >= SOME:
            raise stop
        if progress.files == progress.total and stop == -1:
            raise KeyboardInterrupt
        if isinstance(stop, int) and 0 < stop <= progress.files:
            lake.cancel()

    lake = pqexplore.lake.Lake(store)  # the one that is cancelled
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pqexplore.lake.scanning.scan.Lake", lambda *_: lake)
        return pqexplore.lake.scan(None, folder, out=store, progress=listen, **options)


def rows(lake) -> dict[str, list]:
    """All rows of all tables but `runs`, without what differs between two equal scans."""
    found = {}
    for table in TABLES:
        if table != "runs":
            names = [n for n in TABLES[table].schema.names if n not in ("run_id", "seconds")]
            made = lake.dataset(table).to_table(columns=names).to_pylist()
            found[table] = sorted(map(repr, made))
    return found


@pytest.fixture(scope="module")
def whole(files, tmp_path_factory):
    return rows(scan(files, tmp_path_factory.mktemp("whole") / "store"))


def same(lake, whole, files, folder) -> bool:
    """Whether a lake has the rows of the whole scan of `files`, whose copy `folder` is."""
    found = rows(lake)
    return {k: [r.replace(str(folder), str(files)) for r in v] for k, v in found.items()} == whole


STOPS = {
    # how it stops: (when, the exception, its words)
    "cancelled": (SOME, Cancelled, "stays current; 12 of 48 files were read and are kept"),
    "cancelled later": (25, Cancelled, "30 of 48 files"),
    "failed": (OSError(28, "No space left"), OSError, "12 of 48 files"),
    "interrupted": (KeyboardInterrupt(), KeyboardInterrupt, "12 of 48 files"),
    "at the end": (-1, KeyboardInterrupt, "48 of 48 files"),
}


@pytest.mark.parametrize("name", STOPS)
def test_it_goes_on(folder, files, whole, tmp_path, name):
    stop, kind, words = STOPS[name]
    store = tmp_path / "store"
    with pytest.raises(kind) as raised:
        scan(folder, store, stop)
    said = " ".join([str(raised.value), *getattr(raised.value, "__notes__", ())])
    assert words in said and "resume=True" in said and str(store) in said
    with pytest.raises(UsageError, match="an unfinished one is kept: scan with resume=True"):
        pqexplore.lake.open(store)
    [run] = (store / "runs").iterdir()
    record = json.loads((run / PARTIAL).read_text())
    read = record["run"]["files_read"] - record["run"]["errors"]
    lake = scan(folder, store, resume=True)
    assert (lake.progress.files, lake.progress.kept) == (GOOD + BAD - read, read)
    assert f"{read} more kept" in str(lake.progress)
    assert same(lake, whole, files, folder)
    [row] = lake.runs.to_pylist()
    assert (row["num_files"], row["files_read"], row["errors"]) == (GOOD + BAD, GOOD + BAD, BAD)
    assert row["run_id"] == run.name and not list(store.rglob(f"{PARTIAL}*"))
    parts = {str(p.relative_to(store)) for p in store.rglob("part-*.parquet")}
    assert parts == {part for some in lake.manifest.parts.values() for part in some}


def test_it_stops_twice(folder, files, whole, tmp_path):
    for stop in (SOME, SOME):
        with pytest.raises(Cancelled):
            scan(folder, tmp_path / "store", stop, resume=True)
    lake = scan(folder, tmp_path / "store", resume=True)
    assert lake.progress.kept == 2 * (SOME - BAD) and same(lake, whole, files, folder)


def test_what_changed_meanwhile_is_read(folder, tmp_path):
    store = tmp_path / "store"
    with pytest.raises(Cancelled):
        scan(folder, store, 30)
    [run] = (store / "runs").iterdir()
    table = pqexplore.lake.store.part_files.read(
        str(store), json.loads((run / PARTIAL).read_text())["parts"]["files"], "files"
    )
    read = [row["path"] for row in table.to_pylist() if row["status"] == "ok"]
    pq.write_table(made_lake.table(99), read[0])
    os.utime(read[1], (1, 1))
    os.unlink(read[2])
    pq.write_table(made_lake.table(98), folder / "new.parquet")
    lake = scan(folder, store, resume=True)
    assert lake.progress.kept == len(read) - 3
    other = scan(folder, tmp_path / "other")
    assert rows(lake) == rows(other)


def test_the_run_before_stays_current(folder, tmp_path):
    store = tmp_path / "store"
    before = scan(folder, store)
    pq.write_table(made_lake.table(7), folder / "new.parquet")
    with pytest.raises(Cancelled):
        scan(folder, store, SOME)
    opened = pqexplore.lake.open(store)
    assert opened.manifest == before.manifest and opened.runs.num_rows == 1
    scan(folder, store, resume=True)
    assert opened.runs.num_rows == 2 and opened.tables["files"].num_rows == GOOD + BAD + 1


def test_one_process_goes_on_with_it(folder, tmp_path):
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)
    first, second = Store(tmp_path / "store"), Store(tmp_path / "store")
    [run_id] = second.unfinished()
    record = second.partial(run_id)
    assert first.take_over(record) and second.unfinished() == []
    assert not second.take_over(record)  # it looked before the first took it over
    first.abandon(run_id)
    assert second.take_over(second.partial(run_id))


def test_an_unfinished_scan_in_a_folder_that_cannot_be_written(folder, tmp_path, monkeypatch):
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)

    def refused(*_):
        raise PermissionError("read-only")

    monkeypatch.setattr(pqexplore.lake.store.store.os, "utime", refused)
    with pytest.raises(UsageError, match="an unfinished one is kept"):
        pqexplore.lake.open(tmp_path / "store")


def test_a_refresh_goes_on(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_elsewhere", lambda *_: False)
    store = tmp_path / "store"
    lake = scan(folder, store)
    for number in range(30):
        pq.write_table(made_lake.table(number), folder / f"new-{number}.parquet")

    def stop(progress):
        if progress.files >= SOME:
            lake.cancel()

    with pytest.raises(Cancelled):
        lake.refresh(progress=stop)
    again = pqexplore.lake.open(store)
    again.refresh(resume=True)
    assert again.progress.kept > 0 and again.progress.total + again.progress.kept == 30 + BAD
    assert rows(again) == rows(scan(folder, tmp_path / "other"))


def test_the_next_complete_run_removes_it(folder, tmp_path):
    store = tmp_path / "store"
    for _ in range(2):
        with pytest.raises(Cancelled):
            scan(folder, store, SOME)
    assert len(os.listdir(store / "runs")) == 2
    lake = scan(folder, store)
    assert os.listdir(store / "runs") == [lake.manifest.run_id] and lake.progress.kept == 0


def test_nothing_is_kept_where_nobody_can_find_it(folder):
    with pytest.raises(KeyboardInterrupt) as raised:
        pqexplore.lake.scan(None, folder, processes=0, progress=stopping)
    assert not hasattr(raised.value, "__notes__")
    with pytest.raises(UsageError, match="pass out="):
        pqexplore.lake.scan(None, folder, resume=True)


def stopping(progress):
    if progress.files:
        raise KeyboardInterrupt


def test_without_an_unfinished_scan_all_is_read(folder, files, whole, tmp_path):
    for _ in range(2):
        lake = scan(folder, tmp_path / "store", resume=True)
        assert lake.progress.kept == 0 and same(lake, whole, files, folder)


@pytest.mark.parametrize("options, words", [
    ({"level": "pages"}, "another level"),
    ({"check": True}, "another check"),
    ({"patterns": ["*.pq"]}, "another patterns"),
])  # fmt: skip
def test_other_options_are_refused(folder, tmp_path, options, words):
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)
    with pytest.raises(UsageError, match=words):
        scan(folder, tmp_path / "store", resume=True, **options)
    with pytest.raises(UsageError, match="another source"):
        scan(folder / "day=0", tmp_path / "store", resume=True)
    lake = scan(folder, tmp_path / "store", resume=True, seconds_per_file=50)
    assert lake.progress.kept > 0


def test_another_version_reads_all_again(folder, tmp_path, monkeypatch):
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)
    monkeypatch.setattr(pqexplore.lake.scanning.run, "ENGINE", "0/0")
    with pytest.raises(UsageError, match="another version of pqexplore"):
        scan(folder, tmp_path / "store", resume=True)


def test_a_store_in_its_own_lake(folder):
    with pytest.raises(Cancelled):
        scan(folder, folder / "store", SOME)
    assert is_store(str(folder / "store"))
    lake = scan(folder, folder / "store", resume=True)
    assert lake.tables["files"].num_rows == GOOD + BAD


WRONG = {
    # what another person may have changed in partial.json, and what is wrong
    "not JSON": (lambda made: "?", "cannot be read as JSON"),
    "another folder": (lambda made: made | {"parts": made["parts"] | {"files": ["/etc/passwd"]}}, "parts/files/0"),
    "a part that is missing": (lambda made: made | {"parts": {"files": [_renamed(made["parts"]["files"][0])]}},
        "there is no such file"),
    "another run": (lambda made: made | {"run": made["run"] | {"run_id": "x"}}, "run/run_id"),
    "no counts": (lambda made: made | {"run": made["run"] | {"seconds": "long"}}, "run/seconds"),
}  # fmt: skip


def _renamed(part: str) -> str:
    return part.replace("part-", "part-0")


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_record_is_refused(folder, tmp_path, name):
    change, words = WRONG[name]
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)
    [path] = (tmp_path / "store").rglob(PARTIAL)
    path.write_text(json.dumps(change(json.loads(path.read_text()))) if name != "not JSON" else "?")
    with pytest.raises(CorruptFileError, match=words):
        scan(folder, tmp_path / "store", resume=True)
    scan(folder, tmp_path / "store")
    assert len(os.listdir(tmp_path / "store" / "runs")) == 1


def test_any_field_may_be_wrong(folder, tmp_path):
    """A record of another person gives an answer or an error of ours."""
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME)
    [path] = (tmp_path / "store").rglob(PARTIAL)
    document = json.loads(path.read_text())
    for at in (("run",), ("options",), ("parts",), ()):
        inner = document
        for key in at:
            inner = inner[key]
        for key in inner:
            changed = json.loads(json.dumps(document))
            target = changed
            for step in at:
                target = target[step]
            target[key] = -5
            store = tmp_path / f"store-{'-'.join(at)}-{key}"
            shutil.copytree(tmp_path / "store", store)
            (store / path.relative_to(tmp_path / "store")).write_text(json.dumps(changed))
            with contextlib.suppress(ParquetError, UsageError):
                scan(folder / "day=0", store, resume=True)


KILLED = """
import sys, time
import pqexplore.lake
from pqexplore.lake.store import unfinished
unfinished.SECONDS = 0.0
def stop(progress):
    if progress.files >= 12:
        print("reading", flush=True)
        time.sleep(600)
pqexplore.lake.scan(None, sys.argv[1], out=sys.argv[2], processes=0, progress=stop)
"""


def test_a_killed_process_leaves_its_work(folder, files, whole, tmp_path):
    store = tmp_path / "store"
    above = str(Path(pqexplore.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), str(store)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": above},
    )
    try:
        assert process.stdout.readline() == b"reading\n"
        lake = scan(folder, store, resume=True)  # it is alive: nobody takes its work away
        assert lake.progress.kept == 0
        process.send_signal(signal.SIGKILL)
        process.wait()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    lake = scan(folder, store, resume=True)
    assert lake.progress.kept > 0 and same(lake, whole, files, folder)


def test_processes_keep_finished_tasks(folder, files, whole, tmp_path):
    with pytest.raises(Cancelled):
        scan(folder, tmp_path / "store", SOME, processes=1)
    lake = scan(folder, tmp_path / "store", resume=True)
    assert lake.progress.kept > 0 and same(lake, whole, files, folder)


def test_a_record_is_written_while_files_are_read(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(unfinished, "SECONDS", 0.0)
    heard = []

    def listen(progress):
        for path in (tmp_path / "store").rglob(PARTIAL):
            heard.append((progress.files, json.loads(path.read_text())["run"]["files_read"]))

    pqexplore.lake.scan(None, folder, out=tmp_path / "store", processes=0, progress=listen)
    assert heard[0] == (TASK, TASK) and heard[-1] == (GOOD + BAD, GOOD + BAD)
    assert not list((tmp_path / "store").rglob(f"{PARTIAL}*"))


class TestCommand:
    def test_it_goes_on(self, folder, tmp_path, capsys):
        with pytest.raises(Cancelled):
            scan(folder, tmp_path / "store", SOME)
        words = ["lake", str(folder), "--out", str(tmp_path / "store"), "--resume", "--json"]
        main([*words, "--processes", "0", "--view", "errors"])
        assert f'"{folder}' in capsys.readouterr().out.replace("\\/", "/")
        assert pqexplore.lake.open(tmp_path / "store").runs.num_rows == 1

    def test_it_needs_a_folder(self, folder, capsys):
        with pytest.raises(SystemExit):
            main(["lake", str(folder), "--resume"])
        assert "--resume goes with --out" in capsys.readouterr().err

    def test_an_error_says_what_is_kept(self, folder, tmp_path, capsys, monkeypatch):
        def full(self, manifest, expected):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(pqexplore.lake.store.store.Store, "commit", full)
        words = ["lake", str(folder), "--out", str(tmp_path / "store"), "--processes", "0"]
        assert main(words) == 3
        said = capsys.readouterr().err
        assert "the disk is full" in said and "with --resume" in said
