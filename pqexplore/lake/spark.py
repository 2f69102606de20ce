"""Reading files on Spark: a DataFrame of paths, `repartition(n)`, `mapInArrow`.

Nothing but DataFrames is used, so that it works on every session, Spark Connect and serverless ones too. Each task
reads its files and writes their rows as Parquet into the store's folder, if the node sees it; if not, the Parquet
files come back as bytes in the answer, and are written here. So no row goes through the session's own row format.

The number of partitions is given, because adaptive execution makes one of them where it can. Files go in waves: after
each wave one hears how far things are, and can stop.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from pqexplore.lake.entries import Entry, Options
from pqexplore.lake.parts import Done, Part, save
from pqexplore.lake.progress import Watch
from pqexplore.lake.tables import array, ddl

FIRST_WAVE, WAVE = 5_000, 100_000
"""Files of the first wave, and the most of any: each has twice those of the one before, so that one soon hears something."""
PER_TASK = 2_000
"""Most files of a task; fewer where that would leave processors idle."""
LEAST_TASKS = 4
"""Tasks of a wave where the session does not say how many it can run at once."""

PATHS = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified", pa.int64()),
        ("etag", pa.string()),
        ("hidden", pa.bool_()),
        ("listed_rows", pa.int64()),
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
"""A row for each part, and one without a part that has the task's counts."""


def run(
    session: Any,
    entries: Sequence[Entry],
    options: Options,
    root: str,
    watch: Watch,
    tasks: int | None,
) -> list[Done]:
    """Read all files; `tasks` is how many a wave is cut into. Raises Cancelled where `watch` says so."""
    marker = Path(root, "runs", options.run_id, f"marker-{secrets.token_hex(8)}")
    marker.touch()
    found: list[Done] = []
    start, wave = 0, FIRST_WAVE
    try:
        while start < len(entries):
            watch.check()
            some = entries[start : start + wave]
            done = _wave(session, some, options, root, marker.name, tasks)
            found.append(done)
            watch.add(done)
            start, wave = start + len(some), min(2 * wave, WAVE)
    finally:
        marker.unlink(missing_ok=True)
    return found


def _wave(
    session: Any,
    entries: Sequence[Entry],
    options: Options,
    root: str,
    marker: str,
    tasks: int | None,
) -> Done:
    count = min(len(entries), tasks or _tasks(session, len(entries)))
    answers = (
        paths(session, entries)
        .repartition(count)
        .mapInArrow(reader(options, root, marker), ddl(ANSWERS))
        .collect()
    )
    parts = [
        save(
            Part(row["table"], row["file"], row["rows"], row["size"], _bytes(row["payload"])), root
        )
        for row in answers
        if row["file"] is not None
    ]
    files, errors, read = (
        sum(row[name] for row in answers if row["file"] is None)
        for name in ("files", "errors", "bytes_read")
    )
    return Done(files, errors, read, tuple(parts))


def _bytes(payload: Any) -> bytes | None:
    return None if payload is None else bytes(payload)


def _tasks(session: Any, files: int) -> int:
    """Enough tasks to keep every processor busy to the end, and none that takes forever."""
    return max(2 * _parallelism(session), -(-files // PER_TASK), LEAST_TASKS)


def _parallelism(session: Any) -> int:
    """How many tasks run at once, as far as the session's configuration says."""
    for name in ("spark.default.parallelism", "spark.sql.leafNodeDefaultParallelism"):
        try:
            value = session.conf.get(name, None)
            if value:
                return int(value)
        except Exception:  # a session may keep a name to itself
            continue
    try:
        master = session.conf.get("spark.master", "") or ""
    except Exception:
        master = ""
    inside = master.partition("[")[2].rstrip("]").partition(",")[0]
    if inside:
        return (os.cpu_count() or 1) if inside == "*" else int(inside)
    return 0


def paths(session: Any, entries: Sequence[Entry]) -> Any:
    """The files as a DataFrame."""
    columns = list(
        zip(
            *((e.path, e.size, e.modified, e.etag, e.hidden, e.listed_rows) for e in entries),
            strict=True,
        )
    )
    table = pa.table(
        [array(values, field.type) for values, field in zip(columns, PATHS, strict=True)],
        schema=PATHS,
    )
    try:
        return session.createDataFrame(table)
    except TypeError:  # Spark 3.5 takes no Arrow table
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return session.createDataFrame(rows, ddl(PATHS))


def reader(
    options: Options, root: str, marker: str
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does: batches of `PATHS` in, batches of `ANSWERS` out.

    The store is written directly where the run's marker is seen and its folder takes files.
    """

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pqexplore.lake.entries import Entry
        from pqexplore.lake.parts import inspect

        def entries() -> Iterator[Entry]:
            for batch in batches:
                for fields in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield Entry(*fields)

        folder = os.path.join(root, "runs", options.run_id)
        here = os.path.exists(os.path.join(folder, marker)) and os.access(folder, os.W_OK)
        done = inspect(entries(), options, root if here else None)
        yield answer([(done.files, done.errors, done.bytes_read, None, None, None, None, None)])
        for part in done.parts:
            yield answer([(0, 0, 0, part.table, part.file, part.rows, part.size, part.payload)])

    return read


def answer(rows: list[tuple[Any, ...]]) -> Any:
    """Rows of `ANSWERS` as a batch of exactly its types."""
    arrays = [
        pa.array(values, field.type)
        for values, field in zip(zip(*rows, strict=True), ANSWERS, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ANSWERS)
