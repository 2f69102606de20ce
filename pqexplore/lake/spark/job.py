"""Reads files on Spark: a DataFrame of paths, `repartition(n)`, `mapInArrow`.

Only DataFrames are used, so it works on every session, also Spark Connect and serverless. Each task
reads its files and writes their rows as Parquet into the store's folder, if the node sees it; if not, the Parquet
files come back as bytes in the answer, and are written here. So no row goes through the session's own row format.

The number of partitions is set, because adaptive execution would merge them into one. Files are read in waves: after
each wave, progress is reported, and the scan can be cancelled.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning.progress import Watch
from pqexplore.lake.store.part_files import Done, StoredPart, failed, save
from pqexplore.lake.store.table_definition import array, ddl

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST_WAVE, WAVE = 5_000, 100_000
"""Files of the first wave, and max files of a wave. Each wave doubles, so the first progress report comes early."""
PER_TASK = 2_000
"""Max files of a task; fewer if processors would be idle."""
LEAST_TASKS = 4
"""Tasks of a wave if the session does not say how many it can run at once."""

PIECES = 8
"""Number of jobs into which a job is split after a worker died."""
DEATHS = (
    "Python worker exited unexpectedly",
    "ExecutorLostFailure",
    "Executor heartbeat timed out",
    "Slave lost",
    "Worker lost",
    "Container killed",
    "Container from a bad node",
)
"""Texts in Spark's error if a worker or an executor died, rather than raised an exception."""

PATHS = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified", pa.int64()),
        ("etag", pa.string()),
        ("hidden", pa.bool_()),
        ("listed_rows", pa.int64()),
        ("table_path", pa.string()),
        ("state", pa.string()),
        ("state_reason", pa.string()),
        ("deleted_rows", pa.int64()),
        ("error", pa.string()),
        ("partition", pa.string()),
    ]
)
ANSWERS = pa.schema(
    [
        ("files", pa.int64()),
        ("errors", pa.int64()),
        ("bytes_read", pa.int64()),
        ("table", pa.string()),
        ("file", pa.string()),
        ("rows", pa.int64()),
        ("size", pa.int64()),
        ("payload", pa.binary()),
    ]
)
"""One row for each part, and one row without a part for the task's counts."""


def run(
    session: SparkSession, entries: Sequence[Entry], options: Options, root: str, watch: Watch, tasks: int | None
) -> list[Done]:
    """Read all files; `tasks` is the number of tasks in a wave. Raises Cancelled if `watch` was cancelled.

    `watch` has what was read when an error is raised: the finished waves, and the finished tasks of the wave that failed
    if their nodes see the store.
    """
    found: list[Done] = []

    def add(done: Done) -> None:
        found.append(done)
        watch.add(done)

    start, wave = 0, FIRST_WAVE
    while start < len(entries):
        watch.check()
        some = entries[start : start + wave]
        _wave(session, some, options, root, add, tasks)
        start, wave = start + len(some), min(2 * wave, WAVE)
    return found


def _wave(
    session: SparkSession,
    entries: Sequence[Entry],
    options: Options,
    root: str,
    add: Callable[[Done], None],
    tasks: int | None,
) -> None:
    """Read some files; if a worker or an executor dies, in smaller and smaller pieces. `add` gets what is done.

    Files are read by forks of the workers, which may die (see `guard`). A worker that dies itself, as by the memory
    limit of its container, fails the job, after as many attempts as `spark.task.maxFailures`. The files of tasks that
    finished are not read again, if the nodes see the store. The others are read again in `PIECES` jobs, so that a file
    alone is the smallest piece, and the depth is the logarithm of the number of files. A single file at which the worker
    dies is a row with error_code `crashed`.
    """
    marker = Path(root, "runs", options.run_id, f"marker-{secrets.token_hex(8)}")
    marker.mkdir()
    try:
        done = _job(session, entries, options, root, marker.name, tasks)
    except BaseException as error:
        done, left = _finished(marker, entries)
        if done.files:
            add(done)
        if not isinstance(error, Exception) or not worker_died(error):
            raise
    else:
        add(done)
        return
    finally:
        shutil.rmtree(marker, ignore_errors=True)
    if len(entries) == 1 and left:
        reason = "the Spark worker or executor that read it died"
        add(failed(entries[0], options, root, "crashed", reason, "open"))
        return
    size = -(-len(left) // PIECES)
    for start in range(0, len(left), size or 1):
        _wave(session, left[start : start + size], options, root, add, tasks)


def _finished(marker: Path, entries: Sequence[Entry]) -> tuple[Done, list[Entry]]:
    """What the finished tasks of a failed job read, by their records, and the files that are left.

    A task that ran twice left two records; one counts.
    """
    left = {entry.path: entry for entry in entries}
    found = []
    for record in sorted(marker.glob("*.json")):
        read = json.loads(record.read_text("utf-8"))
        if all(path in left for path in read["paths"]):
            for path in read["paths"]:
                del left[path]
            found += [Done.from_json(one) for one in read["done"]]
    parts = tuple(part for one in found for part in one.parts)
    files, errors, size = (sum(getattr(one, name) for one in found) for name in ("files", "errors", "bytes_read"))
    return Done(files, errors, size, parts), list(left.values())


def worker_died(error: BaseException) -> bool:
    """Whether a job failed because a Python worker or an executor died."""
    said = str(error)
    return any(words in said for words in DEATHS)


def _job(
    session: SparkSession, entries: Sequence[Entry], options: Options, root: str, marker: str, tasks: int | None
) -> Done:
    count = min(len(entries), tasks or _tasks(session, len(entries)))
    answers = (
        paths(session, entries).repartition(count).mapInArrow(reader(options, root, marker), ddl(ANSWERS)).collect()
    )
    parts = [
        save(StoredPart(row["table"], row["file"], row["rows"], row["size"], _bytes(row["payload"])), root)
        for row in answers
        if row["file"] is not None
    ]
    files, errors, read = (
        sum(row[name] for row in answers if row["file"] is None) for name in ("files", "errors", "bytes_read")
    )
    return Done(files, errors, read, tuple(parts))


def _bytes(payload: Any) -> bytes | None:
    return None if payload is None else bytes(payload)


def _tasks(session: SparkSession, files: int) -> int:
    """Number of tasks that keeps every processor busy, and each task short."""
    return max(2 * _parallelism(session), -(-files // PER_TASK), LEAST_TASKS)


def _parallelism(session: SparkSession) -> int:
    """How many tasks run at once, from the session's configuration."""
    for name in ("spark.default.parallelism", "spark.sql.leafNodeDefaultParallelism"):
        try:
            value = session.conf.get(name, None)
            if value:
                return int(value)
        except Exception:  # a session may not show a setting
            continue
    inside = master(session).partition("[")[2].rstrip("]").partition(",")[0]
    if inside:
        return (os.cpu_count() or 1) if inside == "*" else int(inside)
    return 0


def master(session: SparkSession) -> str:
    """The session's master, such as `local[2]`; "" if the session does not show it."""
    try:
        return session.conf.get("spark.master", "") or ""
    except Exception:  # a session may not show a setting
        return ""


def paths(session: SparkSession, entries: Sequence[Entry]) -> Any:
    """The files as a DataFrame, whose columns are the fields of `Entry`."""
    columns = [array([getattr(entry, field.name) for entry in entries], field.type) for field in PATHS]
    table = pa.table(columns, schema=PATHS)
    try:
        return session.createDataFrame(table)
    except TypeError:  # Spark 3.5 does not accept an Arrow table
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return session.createDataFrame(rows, ddl(PATHS))


def reader(options: Options, root: str, marker: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function of a task: batches of `PATHS` in, batches of `ANSWERS` out.

    It writes to the store directly if it sees the job's marker, a folder, and can write to the store's folder. Then it
    also leaves a record in the marker of what it has done, in case another task fails the job. Relative paths are those
    of this process, if the node has its working folder: the worker's own is that of the session's start.
    """
    home = os.getcwd()

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import contextlib
        import json
        import tempfile
        import uuid

        from pqexplore.lake.listed_files import Entry
        from pqexplore.lake.scanning import subprocess_isolation
        from pqexplore.lake.store.part_files import load

        def task(entries: list[Entry], below: str, travels: bool) -> Iterator[pa.RecordBatch]:
            found = subprocess_isolation.forked(entries, options, below)
            if not travels:
                record = os.path.join(folder, marker, uuid.uuid4().hex)
                paths = [entry.path for entry in entries]
                with open(record, "w", encoding="utf-8") as file:
                    json.dump({"paths": paths, "done": [one.to_json() for one in found]}, file)
                os.rename(record, f"{record}.json")  # nobody reads half of it
            for done in found:
                yield answer([(done.files, done.errors, done.bytes_read, None, None, None, None, None)])
                for part in done.parts:
                    content = load(part, below) if travels else None
                    yield answer([(0, 0, 0, part.table, part.file, part.rows, part.size, content)])

        folder = os.path.join(root, "runs", options.run_id)
        here = os.path.isdir(os.path.join(folder, marker)) and os.access(folder, os.W_OK)
        waiting: list[Entry] = []
        with contextlib.ExitStack() as stack:
            own = stack.enter_context(tempfile.TemporaryDirectory(prefix="pqexplore-", ignore_cleanup_errors=True))
            if os.path.isdir(home):
                stack.enter_context(contextlib.chdir(home))
            below = root if here else own
            for batch in batches:
                for fields in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    waiting.append(Entry(**dict(zip(PATHS.names, fields, strict=True))))
                if len(waiting) >= PER_TASK:
                    yield from task(waiting, below, not here)
                    waiting = []
            yield from task(waiting, below, not here)

    return read


def answer(rows: list[tuple[Any, ...]]) -> Any:
    """Rows of `ANSWERS` as a batch of exactly its types."""
    arrays = [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), ANSWERS, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=ANSWERS)
