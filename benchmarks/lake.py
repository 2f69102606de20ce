"""Lakes: footers of many files, by Spark, by local processes and by their peers; wall time, because all of them work in
several processes. Spark comes from `.venv/spark` (`make spark`); without it, its lines are left out.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore.lake
from benchmarks.files import Files
from benchmarks.measure import Row, in_fresh_process
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.listing import listing
from pqexplore.lake.scanning import processes
from pqexplore.lake.scanning.progress import Progress, Watch
from pqexplore.lake.store.part_files import inspect

ROOT = Path(__file__).parents[1]
SPARK = ROOT / ".venv" / "spark" / "bin" / "python"
ROUNDS = 3
PART = 4
"""Of so many files one is read by those who work alone; rates are what is compared."""


def rows(files: Files) -> Iterator[Row]:
    folder = _lake(files)
    count = len(listing(folder).entries)
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as store:
        yield from _full(folder, count, store)
        yield _views(count, f"{store}/local")
        if SPARK.exists():
            yield _views_on_spark(count, f"{store}/local")
        yield _refresh(folder, count, store)
        yield _wide(files, folder)
        yield _million(folder, 20_000 if files.quick else 1_000_000, store)


def _lake(files: Files) -> str:
    """20,000 files of 12 columns and two row groups, 21 kB each, in 50 partitions."""
    count = 1_000 if files.quick else 20_000

    def write(path: Path) -> None:
        rng = np.random.default_rng(1)
        every = 400
        for number in range(count):
            ids = np.arange(number * every, (number + 1) * every)
            table = pa.table(
                {
                    "id": ids,
                    "at": pa.array(ids * 1_000_000, pa.timestamp("us")),
                    "small": rng.integers(0, 1000, every).astype(np.int32),
                    "double": rng.normal(size=every),
                    "float": rng.normal(size=every).astype(np.float32),
                    "name": pa.array([f"name {n % 7}" for n in range(every)]),
                    "kind": pa.array([f"k{n % 3}" for n in range(every)]),
                    "flag": rng.random(every) < 0.5,
                    "day": pa.array(rng.integers(0, 20_000, every).astype(np.int32)).cast(pa.date32()),
                    "maybe": pa.array(ids, mask=rng.random(every) < 0.2),
                    "count": rng.integers(0, 1 << 30, every).astype(np.uint32),
                    "bytes": pa.array([bytes([n % 256]) for n in range(every)], pa.binary()),
                }
            )
            place = path / f"part={number % 50}" / f"{number:06d}.parquet"
            place.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(table, place, row_group_size=200)

    return files._get("lake", write)


# The full scan.


def _full(folder: str, count: int, store: str) -> Iterator[Row]:
    paths = f"{folder}/**/*.parquet"
    connection = duckdb.connect()
    connection.sql(f"set threads={os.cpu_count() or 1}")
    few = listing(folder).entries[::PART]
    contenders: dict[str, tuple[int, Callable[[], Any]]] = {
        "duckdb": (
            count,
            lambda: connection.sql(f"create or replace temp table m as select * from parquet_metadata('{paths}')"),
        ),
        "ours": (count, lambda: pqexplore.lake.scan(None, folder, out=f"{store}/local")),
        "pyarrow": (len(few), lambda: _by_pyarrow(few, f"{store}/pyarrow.parquet")),
        "one process": (len(few), lambda: inspect(few, Options("one"), f"{store}/one")),
    }
    session = _Spark() if SPARK.exists() else None
    if session is not None:
        session.scan(str(Path(folder) / "part=0"), f"{store}/warm")
        contenders["spark"] = (count, lambda: session.scan(folder, f"{store}/spark"))
    rate: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, (number, run) in contenders.items():
            begun = time.perf_counter()
            run()
            rate[name] = max(rate.get(name, 0), number / (time.perf_counter() - begun))
    what = f"{count:,} files, level chunks, files a second (best of {ROUNDS})"
    if session is not None:
        session.close()
        yield _rate(f"{what}, by Spark", rate, "spark", "duckdb", 0.4)
    yield _rate(f"{what}, by local processes", rate, "ours", "pyarrow", 1.0)
    yield _rate(f"{what}, by one process", rate, "one process", "pyarrow", None)


def _rate(what: str, rate: dict[str, float], ours: str, against: str, limit: float | None) -> Row:
    told = ", ".join(f"{name} {value:,.0f}" for name, value in rate.items())
    times = {"ours": 1 / rate[ours], against: 1 / rate[against]}
    return Row(what, times, rate[ours] / rate[against], limit, against, at_least=True, note=f"{told} files/s")


def _by_pyarrow(entries: Sequence[Entry], out: str) -> int:
    """The loop that one would write: a row for each chunk with what pyarrow knows of it, and its keys."""
    columns: list[list[Any]] = [[] for _ in range(28)]
    for entry in entries:
        metadata = pq.read_metadata(entry.path)
        schema, created_by = metadata.schema, metadata.created_by
        types = [str(schema.column(c).logical_type) for c in range(metadata.num_columns)]
        for g in range(metadata.num_row_groups):
            group = metadata.row_group(g)
            for c in range(group.num_columns):
                chunk = group.column(c)
                told = chunk.statistics
                bounds = told is not None and told.has_min_max
                low, high = (told.min, told.max) if bounds else (None, None)
                encodings = list(chunk.encodings)
                row = (
                    entry.path,
                    entry.size,
                    created_by,
                    metadata.num_rows,
                    group.num_rows,
                    g,
                    c,
                    chunk.path_in_schema,
                    chunk.physical_type,
                    types[c],
                    chunk.compression,
                    encodings,
                    chunk.num_values,
                    chunk.total_compressed_size,
                    chunk.total_uncompressed_size,
                    chunk.data_page_offset,
                    chunk.dictionary_page_offset,
                    chunk.has_dictionary_page,
                    chunk.has_column_index,
                    chunk.has_offset_index,
                    told.null_count if told is not None and told.has_null_count else None,
                    told.distinct_count if told is not None and told.has_distinct_count else None,
                    bounds,
                    None if low is None else str(low),
                    None if high is None else str(high),
                    _key(low),
                    _key(high),
                    "PLAIN" in encodings and "RLE_DICTIONARY" in encodings,
                )
                for values, value in zip(columns, row, strict=True):
                    values.append(value)
    table = pa.table([pa.array(values) for values in columns], [f"c{n}" for n in range(28)])
    pq.write_table(table, out, compression="zstd")
    return table.num_rows


def _key(value: Any) -> bytes | None:
    """Bytes that compare as values do, for the types of these files."""
    import datetime
    import struct

    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        bits = struct.unpack(">Q", struct.pack(">d", value))[0]
        return ((bits ^ (1 << 64) - 1) if bits >> 63 else bits | 1 << 63).to_bytes(8, "big")
    if isinstance(value, datetime.datetime):
        value = int(value.replace(tzinfo=datetime.UTC).timestamp() * 1e6)
    elif isinstance(value, datetime.date):
        value = value.toordinal()
    return (int(value) + (1 << 63)).to_bytes(8, "big")


class _Spark:
    """A session in a process of its own, which scans a folder into a store, or answers the views of a store."""

    _PROGRAM = """
import json, sys, time
from pqexplore.lake import open, scan
from pqexplore.lake.spark.session import local_session
spark = local_session({"spark.driver.memory": "2g"})
spark.sparkContext.setLogLevel("ERROR")
print("ready", flush=True)
for line in sys.stdin:
    task, folder, *out = line.rstrip().split("\\t")
    if task == "scan":
        scan(spark, folder, out=out[0])
        print("done", flush=True)
        continue
    lake, taken = open(folder, spark), {}
    for name in lake.views:
        begun = time.perf_counter()
        lake.sql(f"SELECT * FROM {name}").collect()
        taken[name] = time.perf_counter() - begun
    print(json.dumps(taken), flush=True)
"""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(SPARK), "-c", self._PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._hear("ready")

    def _hear(self, word: str) -> None:
        said = self._said()
        if said != word:
            raise RuntimeError(f"Spark said {said!r}, not {word!r}")

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def _ask(self, *words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()

    def scan(self, folder: str, out: str) -> None:
        """Scan a lake."""
        self._ask("scan", folder, out)
        self._hear("done")

    def views(self, store: str) -> dict[str, float]:
        """The seconds of each view of a store, by Spark."""
        self._ask("views", store)
        found: dict[str, float] = json.loads(self._said())
        return found

    def close(self) -> None:
        """End the session."""
        self._process.communicate("", timeout=60)


# Refresh, memory, a million.


def _views(count: int, store: str) -> Row:
    """The slowest view, in seconds; each may take three."""
    lake = pqexplore.lake.open(store)
    best = dict.fromkeys(lake.views, math.inf)
    for _ in range(ROUNDS):
        for name in best:
            begun = time.perf_counter()
            lake.views.ask(name)
            best[name] = min(best[name], time.perf_counter() - begun)
    return _slowest(count, best, "")


def _views_on_spark(count: int, store: str) -> Row:
    """The same on Spark, after a first run, in which a session compiles its plans."""
    session = _Spark()
    first, *rounds = [session.views(store) for _ in range(1 + ROUNDS)]
    session.close()
    return _slowest(count, {name: min(one[name] for one in rounds) for name in first}, ", by Spark")


def _slowest(count: int, best: dict[str, float], engine: str) -> Row:
    slowest = sorted(best, key=lambda name: -best[name])
    note = ", ".join(f"{name} {best[name]:.2f} s" for name in slowest[:4])
    what = f"{len(best)} views of {count:,} files{engine}, the slowest (best of {ROUNDS})"
    return Row(what, {"ours": best[slowest[0]]}, best[slowest[0]], 3.0, "", note=note)


def _refresh(folder: str, count: int, store: str) -> Row:
    lake = pqexplore.lake.open(f"{store}/local")
    entries = listing(folder).entries
    taken: dict[str, list[float]] = {"full": [], "ours": []}
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        lake = pqexplore.lake.scan(None, folder, out=f"{store}/local")
        taken["full"].append(time.perf_counter() - begun)
        for entry in entries[::100]:
            os.utime(entry.path)
        begun = time.perf_counter()
        lake.refresh()
        taken["ours"].append(time.perf_counter() - begun)
        read = lake.runs.to_pylist()[-1]["files_read"]
        assert read == -(-count // 100), read
    best = {name: min(some) for name, some in taken.items()}
    what = f"refresh of {count:,} files of which 1 % changed (best of {ROUNDS})"
    return Row(what, best, best["ours"] / best["full"], 0.1, "full")


def _wide(files: Files, folder: str) -> Row:
    """A task with one footer of 1,000 columns × 100 row groups among small ones."""
    columns, groups = (200, 20) if files.quick else (1_000, 100)

    def write(path: Path) -> None:
        values = {f"column_{n:04d}": np.arange(groups) for n in range(columns)}
        pq.write_table(pa.table(values), path, row_group_size=1)

    wide = files._get(f"wide-{columns}-{groups}.parquet", write)
    small = [entry.path for entry in listing(folder).entries[:200]]
    code = f"""
import json, tempfile
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.store.part_files import inspect
paths = {[*small[:100], wide, *small[100:]]!r}
with tempfile.TemporaryDirectory() as place:
    done = inspect([Entry(path) for path in paths], Options("run"), place)
assert (done.files, done.errors) == (len(paths), 0)
with open("/proc/self/status") as status:
    print(json.dumps(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024))
"""
    most = max(in_fresh_process(code, rounds=2))
    note = f"{most / 1e6:,.0f} MB; the footer has {os.path.getsize(wide) / 1e6:,.1f} MB"
    what = f"peak memory of a task with a footer of {columns:,} columns × {groups} row groups"
    return Row(what, {"ours": most / 1e9}, most / (1 << 30), 1.0, "1 GiB", unit="MB", note=note)


def _million(folder: str, count: int, store: str) -> Row:
    """So many footers, the files taken again and again: rate and memory from beginning to end."""
    entries = listing(folder).entries
    some = [Entry(entries[n % len(entries)].path) for n in range(count)]
    curve: list[tuple[int, float, int]] = []

    def heard(progress: Progress) -> None:
        if progress.files >= len(curve) * count // 10:
            curve.append((progress.files, progress.seconds, _children()))

    place = f"{store}/million"
    watch = Watch(heard)
    watch.begin(count)
    begun = time.perf_counter()
    processes.run(some, Options("run"), place, watch, os.cpu_count())
    seconds = time.perf_counter() - begun
    shutil.rmtree(place, ignore_errors=True)
    told = "; ".join(f"{files:,} after {at:,.0f} s, {memory / 1e6:,.0f} MB" for files, at, memory in curve[1:])
    early, late = curve[min(2, len(curve) - 1)][2], curve[-1][2]
    return Row(
        f"{count:,} footers: memory of the processes at the end to that at 20 %",
        {"ours": seconds / count},
        late / max(early, 1),
        1.25,
        "the beginning",
        note=f"{count / seconds:,.0f} files/s; {told}",
    )


def _children() -> int:
    """Bytes that this process's children hold in memory."""
    found = 0
    me = os.getpid()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == me:
                found += int(fields[21]) * 4096
        except (OSError, ValueError):
            continue
    return found


if __name__ == "__main__":
    print(json.dumps([str(row) for row in rows(Files(quick="--quick" in sys.argv))], indent=1))
