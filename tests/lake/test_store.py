"""A store that is damaged, foreign, too new, or was left by a process that was killed."""

import contextlib
import copy
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError, UsageError
from pqexplore.lake.scanning import processes
from pqexplore.lake.store import run_lock
from pqexplore.lake.tables import ADDED, SCHEMA_VERSION, TABLES
from pqexplore.lake.views import VIEWS


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with files, and the store of a scan and a refresh of them."""
    place = tmp_path_factory.mktemp("sound")
    made_lake.make(place / "files", 3)
    lake = pqexplore.lake.scan(None, place / "files", out=place / "store", processes=0)
    pq.write_table(made_lake.table(7), place / "files" / "day=0" / "part-00000.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_elsewhere", lambda *_: False)
        lake.refresh()
    return place


@pytest.fixture
def place(sound, tmp_path, monkeypatch):
    """A copy of it, whose files are read by this process."""
    monkeypatch.setattr(processes, "_elsewhere", lambda *_: False)
    shutil.copytree(sound / "store", tmp_path / "store")
    (tmp_path / "files").symlink_to(sound / "files")
    return tmp_path


def manifests(store: Path) -> list[Path]:
    return sorted(store.glob("runs/*/manifest.json"))


def fields(value, path=()):
    """The path of every field of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from fields(inner, (*path, key))


def changed(document, path, value):
    """The document with one field set to a value, or without it where that is `fields`."""
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value is fields:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


def used(store: Path, refresh: bool = True) -> None:
    """All that is done with a store; ParquetError and UsageError are answers."""
    with contextlib.suppress(ParquetError, UsageError):
        lake = pqexplore.lake.open(store, follow_outside=True)
        repr(lake)
        for work in (
            lambda: lake.runs,
            lambda: [lake.tables[name] for name in TABLES],
            lambda: lake.sql("SELECT path FROM column_chunks"),
            lambda: refresh and lake.refresh(),
        ):
            with contextlib.suppress(ParquetError, UsageError):
                work()


NOT_JSON = {
    "empty": b"",
    "cut off": b'{"run_id": "2',
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "a list": b"[]",
    "null": b"null",
    "of another program": b'{"current": 5}',
    "out of the store": b'{"run_id": "../../x"}',
    "hidden": b'{"run_id": ".x"}',
    "a run that is not there": b'{"run_id": "20200101T000000000-abcdef"}',
}


@pytest.mark.parametrize("name", NOT_JSON)
@pytest.mark.parametrize("file", ["pointer", "manifest"])
def test_files_that_are_none_of_ours(place, file, name):
    store = place / "store"
    path = store / "current.json" if file == "pointer" else manifests(store)[-1]
    path.write_bytes(NOT_JSON[name])
    with pytest.raises(CorruptFileError, match="manifest.json|current.json") as raised:
        pqexplore.lake.open(store)
    where = str(path.relative_to(store))
    if (file, name) == ("pointer", "a run that is not there"):
        where = "runs/20200101T000000000-abcdef/manifest.json"
    assert raised.value.address.startswith(where) and str(store) in raised.value.message
    used(store)


@pytest.mark.full
def test_every_field_of_a_manifest_is_checked(place):
    store = place / "store"
    first, last = manifests(store)
    for path, wrong in ((first, ()), (last, (-5, []))):
        document = json.loads(path.read_text())
        for number, field in enumerate(fields(document)):
            for value in (fields, *wrong[number % 2 :][:1]):
                path.write_text(json.dumps(changed(document, field, value)))
                used(store, refresh=field[0] == "options")
        path.write_text(json.dumps(document))


WRONG = {
    # field: value, the address of the error
    ("chain",): (5, "chain"),
    ("chain", 0): ("../x", "chain"),
    ("run", "num_files"): ("many", "run/num_files"),
    ("run", "started"): ("yesterday", "run/started"),
    ("run", "run_id"): ("another", "run/run_id"),
    ("options", "level"): ("bytes", "options/level"),
    ("options", "limits"): ([["no_such_limit", 1]], "options/limits"),
    ("options", "source"): ({"a": 1}, "options/source"),
    ("parts", "files", 0): ("/etc/passwd", "parts/files/0"),
    ("parts", "schemas", 0): ("runs/x/../../../part-0.parquet", "parts/schemas/0"),
    ("parts",): ({"unknown": []}, "parts/unknown"),
    ("superseded",): ("../superseded.parquet", "superseded"),
    ("schema_version",): ("1", "schema_version"),
}


@pytest.mark.parametrize("field", WRONG, ids=str)
def test_a_wrong_field_is_named(place, field):
    value, where = WRONG[field]
    path = manifests(place / "store")[-1]
    path.write_text(json.dumps(changed(json.loads(path.read_text()), field, value)))
    with pytest.raises(CorruptFileError, match="expected") as raised:
        pqexplore.lake.open(place / "store")
    assert raised.value.address == f"{path.relative_to(place / 'store')}/{where}"
    assert str(path) in raised.value.message


def test_a_store_of_the_future_is_refused(place):
    store, path = place / "store", manifests(place / "store")[-1]
    document = json.loads(path.read_text()) | {"schema_version": SCHEMA_VERSION + 1, "parts": 5}
    path.write_text(json.dumps(document))
    words = f"schema_version {SCHEMA_VERSION + 1}.* up to {SCHEMA_VERSION}.*upgrade"
    for work in (
        lambda: pqexplore.lake.open(store),
        lambda: pqexplore.lake.scan(None, place / "files", out=store),  # would hide what is there
    ):
        with pytest.raises(UnsupportedFeatureError, match=words):
            work()
    assert json.loads(path.read_text()) == document


@pytest.mark.parametrize("file", ["pointer", "manifest"])
def test_a_pipe_in_place_of_a_json_file_is_refused_at_once(place, file):
    store = place / "store"
    path = store / "current.json" if file == "pointer" else manifests(store)[-1]
    pipe(path)
    with pytest.raises(CorruptFileError, match="a named pipe, not a file"):
        pqexplore.lake.open(store)
    if file == "pointer":
        lake = pqexplore.lake.scan(None, place / "files", out=store, processes=0)
        assert lake.tables["files"].num_rows == 11


def test_a_pipe_in_place_of_the_file_of_a_living_process_is_passed_over(place):
    run = place / "store" / "runs" / "20200101T000000000-abcdef"
    run.mkdir()
    os.mkfifo(run / run_lock.ALIVE)
    pqexplore.lake.open(place / "store", follow_outside=True).refresh()
    assert run.exists()  # it was touched just now


def test_an_older_store_is_read_and_refreshed(place):
    for path in manifests(place / "store"):
        document = json.loads(path.read_text()) | {"schema_version": 1}
        del document["options"]["seconds_per_file"]
        path.write_text(json.dumps(document))
    for part in (place / "store").glob("runs/*/*/part-*.parquet"):
        rows = pq.ParquetFile(part).read()
        pq.write_table(rows.drop_columns([n for n in rows.column_names if n in ADDED]), part)
    lake = pqexplore.lake.open(place / "store", follow_outside=True)
    assert lake.tables["files"].num_rows == 11
    assert lake.tables["files"]["footer_hash"].null_count == 11
    assert lake.tables["schemas"]["features"].null_count == lake.tables["schemas"].num_rows
    assert all(lake.views[name].num_columns for name in VIEWS)
    os.utime(place / "files" / "day=1" / "part-00001.parquet", (1, 1))
    lake.refresh()
    assert lake.sql("SELECT * FROM files WHERE footer_hash IS NOT NULL").num_rows == 1
    nested = "SELECT features FROM schemas WHERE column_name = 'tags.list.element'"
    assert {"features": ["nested"]} in lake.sql(nested).to_pylist()


def foreign(path):
    pq.write_table(pa.table({"x": [1]}), path)


def without_column(path):
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["path"]), path)


def other_type(path):
    table = pq.ParquetFile(path).read()
    place = table.schema.get_field_index("path")
    pq.write_table(table.set_column(place, "path", pa.array(range(len(table)))), path)


def nulls(path):
    table = pq.ParquetFile(path).read()
    place = table.schema.get_field_index("path")
    pq.write_table(table.set_column(place, "path", pa.nulls(len(table), pa.string())), path)


def no_text(path):
    table = pq.ParquetFile(path).read()
    bad = pa.array([b"\xff"] * len(table)).view(pa.string())
    pq.write_table(table.set_column(table.schema.get_field_index("path"), "path", bad), path)


def flipped(path):
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(bytes(data))


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def link(path):
    outside = path.parents[4] / "outside.parquet"
    path.rename(outside)
    path.symlink_to(outside)


DAMAGE = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "missing": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("part-renamed.parquet")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "of another program": foreign,
    "without a column": without_column,
    "a column of another type": other_type,
    "nulls for names": nulls,
    "text that is none": no_text,
    "pages overwritten": flipped,
    "a pipe": pipe,
    "a link that leads out": link,
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("table", ["files", "column_chunks", "superseded"])
def test_parts_that_are_damaged(place, table, name):
    store = place / "store"
    pattern = "runs/*/superseded.parquet" if table == "superseded" else f"runs/*/{table}/*.parquet"
    path = sorted(store.glob(pattern))[-1]
    DAMAGE[name](path)
    with pytest.raises(CorruptFileError) as raised:
        lake = pqexplore.lake.open(store)
        if name in ("nulls for names", "text that is none"):
            lake._store.verify(lake.manifest, ["files", "column_chunks"])
        lake.tables["files"]
        lake.sql("SELECT * FROM column_chunks")
    assert str(path) in raised.value.message
    assert raised.value.address == str(path.relative_to(store))
    used(store)


def test_a_damaged_store_can_be_scanned_anew(place):
    for path in (place / "store").rglob("*.*"):
        path.write_bytes(b"?")
    with pytest.raises(CorruptFileError, match="scan the lake again"):
        pqexplore.lake.open(place / "store")
    lake = pqexplore.lake.scan(None, place / "files", out=place / "store", processes=0)
    assert lake.tables["files"].num_rows == 11 and lake.runs.num_rows == 1


# What killed processes leave.

SCAN = """
import sys, time
import pqexplore.lake
def lines_of(progress):
    if progress.files:
        print("reading", flush=True)
        time.sleep(600)
pqexplore.lake.scan(None, sys.argv[1], out=sys.argv[2], processes=0, progress=lines_of)
"""


@contextlib.contextmanager
def running_scan(place):
    """A scan by another process, in the middle of its work; the folder of its run."""
    store = place / "store"
    before = set((store / "runs").iterdir())
    above = str(Path(pqexplore.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", SCAN, str(place / "files"), str(store)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": above},
    )
    try:
        assert process.stdout.readline() == b"reading\n"
        [run] = set((store / "runs").iterdir()) - before
        yield process, run
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_what_a_killed_process_left_goes_with_the_next_run(place):
    with running_scan(place) as (process, run):
        assert list(run.rglob("part-*.parquet"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        pqexplore.lake.open(place / "store", follow_outside=True).refresh()
        assert not run.exists()


def test_what_a_living_process_writes_stays(place):
    with running_scan(place) as (_, run):
        there = sorted(run.rglob("*"))
        pqexplore.lake.open(place / "store", follow_outside=True).refresh()
        assert sorted(run.rglob("*")) == there


OTHERS = [
    # content of the file that says who writes; seconds since the last touch; whether the folder is left over
    ("another machine", 60, False),
    ("another machine", 2 * run_lock.STALE, True),
    ("", 60, False),
    ("", 2 * run_lock.STALE, True),
    (None, 60, False),
    (None, 2 * run_lock.STALE, True),
    (run_lock.machine(), 0, True),  # nobody has its lock
]


@pytest.mark.parametrize(("content", "seconds", "gone"), OTHERS)
def test_time_tells_where_locks_do_not(place, content, seconds, gone):
    run = place / "store" / "runs" / "20200101T000000000-abcdef"
    (run / "files").mkdir(parents=True)
    if content is not None:
        (run / run_lock.ALIVE).write_text(content)
    for path in (*run.rglob("*"), run):
        os.utime(path, (time.time() - seconds,) * 2)
    pqexplore.lake.open(place / "store", follow_outside=True).refresh()
    assert run.exists() is not gone


def test_a_complete_run_has_no_mark_of_a_process(place):
    assert not list((place / "store").rglob(f"{run_lock.ALIVE}*"))
