"""A file that kills or hangs the process that reads it costs itself, and no other file."""

import errno
import os
import signal

import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning import processes, subprocess_isolation
from pqexplore.lake.scanning.subprocess_isolation import Died, remaining
from pqexplore.lake.store.run_lock import NOWHERE, Pulse

PROCESSES = True

PATCHED = """
import os, re, signal, time
from pqexplore.lake.places import opening
from pqexplore.lake.scanning import worker
_open = opening.open_source
def open_source(path, **options):
    name = os.path.basename(path)
    if "kill" in name:
        os.kill(os.getpid(), signal.SIGKILL)
    if "abort" in name:
        os.abort()
    if "sleep" in name:
        time.sleep(600)
    if "fifo" in name:  # the open itself never comes back, as on a file system that does not answer
        os.mkfifo(path + ".pipe")
        os.open(path + ".pipe", os.O_RDONLY)
    if "native" in name:  # holds the interpreter's lock: no thread of the process can help
        re.match(r"(a|aa)+$", "a" * 60 + "b")
    if "stopped" in name:
        os.kill(os.getpid(), signal.SIGSTOP)
    if "interrupt" in name:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    return _open(path, **options)
opening.open_source = open_source
worker.main()
"""

PATIENCE = 4
"""Seconds for each file: few, since four files of this module use them all, and enough for a small file on a busy machine."""

# words of the file's name: error_code, words of the error
DEATHS = {
    "kill": ("crashed", "ended with -9"),
    "abort": ("crashed", "ended with -6"),
    "sleep": ("timeout", f"longer than {PATIENCE} s"),
    "fifo": ("timeout", f"longer than {PATIENCE} s"),
    "native": ("timeout", f"longer than {PATIENCE} s"),
    "stopped": ("timeout", f"longer than {PATIENCE} s"),
    "interrupt": ("timeout", f"longer than {PATIENCE} s"),
}


def put(folder, names):
    folder.mkdir()
    for number, name in enumerate(names):
        pq.write_table(made_lake.table(number), folder / f"{number:02d}-{name}.parquet")


def test_the_process_runs_no_module_of_the_folder(folder_of_others, tmp_path):
    put(tmp_path / "files", ["fine"])
    lake = pqexplore.lake.scan(None, tmp_path / "files", out=tmp_path / "store", processes=1)
    assert lake.tables["files"]["status"].to_pylist() == ["ok"]


def scanned(tmp_path, monkeypatch, names, **options):
    monkeypatch.setattr(processes, "COMMAND", ("-c", PATCHED))
    put(tmp_path / "files", names)
    lake = pqexplore.lake.scan(None, tmp_path / "files", out=tmp_path / "store", seconds_per_file=PATIENCE, **options)
    rows = {os.path.basename(row["path"])[3:-8]: row for row in lake.tables["files"].to_pylist()}
    assert lake.tables["files"].num_rows == len(names)
    chunks = lake.tables["column_chunks"].to_pylist()
    assert len({(c["path"], c["row_group"], c["leaf"]) for c in chunks}) == len(chunks)
    assert len({c["path"] for c in chunks}) == sum(row["status"] == "ok" for row in rows.values())
    return rows


USUAL = ("kill", "sleep")


@pytest.mark.parametrize(
    "name", [*USUAL, *(pytest.param(one, marks=pytest.mark.full) for one in DEATHS if one not in USUAL)]
)
def test_one_bad_file_among_few(tmp_path, monkeypatch, name):
    rows = scanned(tmp_path, monkeypatch, ["a", "b", name, "c"])
    code, words = DEATHS[name]
    bad = rows.pop(name)
    assert (bad["status"], bad["error_code"], bad["phase"]) == ("error", code, "open")
    assert words in bad["error"] and bad["size"] > 0
    assert {row["status"] for row in rows.values()} == {"ok"}


@pytest.mark.full
def test_many_bad_files_in_one_task(tmp_path, monkeypatch):
    fine = [f"fine{n}" for n in range(6)]
    names = ["kill", *fine[:3], "sleep", "abort", *fine[3:], "native"]
    monkeypatch.setattr(processes, "tasks", lambda entries, workers: [list(entries)])
    rows = scanned(tmp_path, monkeypatch, names, processes=1)
    assert {name: row["error_code"] for name, row in rows.items() if name not in fine} == {
        name: DEATHS[name][0] for name in ("kill", "sleep", "abort", "native")
    }
    assert {rows[name]["status"] for name in fine} == {"ok"}


def test_the_limit_is_stored_and_holds_for_a_refresh(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "COMMAND", ("-c", PATCHED))
    put(tmp_path / "files", ["a", "sleep"])
    pqexplore.lake.scan(None, tmp_path / "files", out=tmp_path / "store", seconds_per_file=PATIENCE)
    lake = pqexplore.lake.open(tmp_path / "store").refresh()
    errors = lake.sql("SELECT error_code, error FROM files WHERE status = 'error'").to_pylist()
    assert [row["error_code"] for row in errors] == ["timeout"] and f"{PATIENCE} s" in errors[0]["error"]


@pytest.mark.parametrize(
    ("level", "check", "seconds"), [("chunks", False, 60), ("pages", False, 600), ("chunks", True, 3600)]
)  # fmt: skip
def test_there_is_a_limit_by_default(level, check, seconds):
    assert subprocess_isolation.seconds_per_file(level, check) == seconds


@pytest.mark.parametrize("seconds", [-1, float("inf"), float("nan")])
def test_wrong_limits(tmp_path, seconds):
    with pytest.raises(UsageError, match="seconds_per_file is a number from 0 on"):
        pqexplore.lake.scan(None, tmp_path, seconds_per_file=seconds)


FOUR = [Entry(name) for name in "abcd"]
LEFT = [
    # files, place, code, what is read again, the file that is given up
    ("abcd", 0, "crashed", ["a", "bcd"], None),
    ("abcd", 2, "crashed", ["c", "ab", "d"], None),
    ("abcd", 3, "timeout", ["abc"], "d"),
    ("abcd", 1, "timeout", ["a", "cd"], "b"),
    ("abcd", NOWHERE, "crashed", ["ab", "cd"], None),
    ("a", 0, "crashed", [], "a"),
    ("a", NOWHERE, "crashed", [], "a"),
    ("a", 0, "timeout", [], "a"),
]


@pytest.mark.parametrize(("files", "place", "code", "again", "given_up"), LEFT)
def test_what_is_left_of_a_task(tmp_path, files, place, code, again, given_up):
    task = [Entry(name) for name in files]
    end = Died(code, place, "open", "it died")
    more, row = remaining(task, end, Options("run"), str(tmp_path))
    assert ["".join(entry.path for entry in some) for some in more] == again
    if given_up is None:
        assert row is None
    else:
        [part] = row.parts
        [found] = pq.read_table(tmp_path / part.file).to_pylist()
        assert (found["path"], found["error_code"], found["error"]) == (given_up, code, "it died")


def test_a_pulse_is_seen_by_the_process_that_watches(tmp_path):
    place = str(tmp_path / "pulse")
    Pulse.create(place)
    seen, mine = Pulse(place), Pulse(place)
    assert (seen.begun, seen.place) == (0, NOWHERE)
    mine.begin(7)
    assert (seen.begun, seen.place, seen.phase) == (1, 7, "open")
    mine.enter("pages")
    assert (seen.begun, seen.place, seen.phase) == (1, 7, "pages")
    mine.begin(8)
    assert (seen.begun, seen.place, seen.phase) == (2, 8, "open")
    mine.rest()
    assert (seen.begun, seen.place) == (2, NOWHERE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX's")
@pytest.mark.parametrize("signalled", [signal.SIGKILL, signal.SIGSEGV])
def test_a_fork_that_dies(tmp_path, monkeypatch, signalled):
    """What a Spark worker does, without Spark."""
    from pqexplore.lake.places import opening

    put(tmp_path / "files", ["a", "dies", "b"])
    sound = opening.open_source

    def open_source(path, **options):
        if "dies" in os.path.basename(path):
            os.kill(os.getpid(), signalled)
        return sound(path, **options)

    monkeypatch.setattr(opening, "open_source", open_source)
    entries = [Entry(str(path)) for path in sorted((tmp_path / "files").iterdir())]
    found = subprocess_isolation.forked(entries, Options("run"), str(tmp_path))
    assert sum(done.files for done in found) == 3 and sum(done.errors for done in found) == 1


def test_an_error_that_is_no_files_fault_is_raised(tmp_path, monkeypatch):
    """A full disk must not make every file a crashed one."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(subprocess_isolation, "inspect", full)
    with pytest.raises(OSError, match="No space left") as raised:
        subprocess_isolation.understood(subprocess_isolation.answer(FOUR, Options("run"), str(tmp_path), Pulse()))
    assert raised.value.errno == errno.ENOSPC
    with pytest.raises(OSError, match="No space left"):
        subprocess_isolation.forked(FOUR, Options("run"), str(tmp_path))
    monkeypatch.setattr(subprocess_isolation, "inspect", lambda *_: {}["x"])
    with pytest.raises(RuntimeError, match="failed: KeyError"):
        subprocess_isolation.understood(subprocess_isolation.answer(FOUR, Options("run"), str(tmp_path), Pulse()))


def test_files_in_the_memory_of_this_process_are_read_by_it(tmp_path):
    import fsspec

    with fsspec.open("memory://guarded/a.parquet", "wb") as file:
        pq.write_table(made_lake.table(1), file)
    lake = pqexplore.lake.scan(None, "memory://guarded", out=tmp_path / "store")
    assert lake.sql("SELECT status FROM files").to_pylist() == [{"status": "ok"}]
