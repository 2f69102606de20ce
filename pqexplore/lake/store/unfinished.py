"""Keeps what an unfinished run has read, so that a scan with `resume=True` reads only the other files.

While a run reads, its folder has `partial.json`: a manifest of the parts that are complete. If the run is cancelled, fails
or is killed, the folder stays. The next scan may take it over: it lists again, keeps the rows of files that are
unchanged, and reads the others. So the tables are those of one whole scan. A store may come from another person:
`partial.json` and the parts are checked like all of it.
"""

from __future__ import annotations

import datetime
import os
import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pqexplore.engine.errors import UsageError
from pqexplore.lake.scanning import refresh
from pqexplore.lake.store import part_files as part_files
from pqexplore.lake.store.part_files import Done, StoredPart
from pqexplore.lake.store.store import by_table
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    from pqexplore.lake.listed_files import Entry
    from pqexplore.lake.store.manifest import Manifest
    from pqexplore.lake.store.store import Store

SECONDS = 10.0
"""Seconds between two records of a run: what a killed process loses."""

FREE = ("seconds_per_file",)
"""Options that may change when a scan goes on: they decide which files are read, not what is read of them."""


class Record:
    """What a run has read so far. `manifest` describes the run, whose parts and counts follow the finished tasks.

    With `keep`, it is stored every `SECONDS`.
    """

    def __init__(self, store: Store, manifest: Manifest, keep: bool) -> None:
        self._store, self._keep = store, keep
        self.manifest = manifest
        self._done: list[Done] = []
        self._before = manifest.run["seconds"]
        self._begun = self._written = time.monotonic()

    def add(self, done: Done) -> None:
        """Add a finished task."""
        self._done.append(done)
        if self._keep and time.monotonic() - self._written >= SECONDS:
            self._write()

    def note(self) -> None:
        """Update the manifest from the finished tasks."""
        self.manifest.parts = by_table(part for one in self._done for part in one.parts)
        self.manifest.run |= {
            "finished": now(),
            "files_read": sum(one.files for one in self._done),
            "errors": sum(one.errors for one in self._done),
            "bytes_read": sum(one.bytes_read for one in self._done),
            "seconds": self._before + time.monotonic() - self._begun,
        }

    def _write(self) -> None:
        self.note()
        self._store.keep(self.manifest)
        self._written = time.monotonic()

    def kept(self) -> str:
        """Store what was read before the run stopped. Returns how to go on; empty if nothing is kept."""
        if not self._keep or not any(one.files for one in self._done):
            return ""
        try:
            self._write()
        except OSError:  # the disk is full
            return ""
        run = self.manifest.run
        return (
            f"{run['files_read']:,} of {run['num_files']:,} files were read and are kept in {self._store.shown}; to go on, "
            "scan the same source into the same folder with resume=True, in a terminal with --resume"
        )

    def go_on(self, entries: list[Entry]) -> list[Entry]:
        """Keep what an unfinished run read of these files, if they are unchanged and were readable. Returns the others."""
        root, run = self._store.root, self.manifest
        files = part_files.read(root, run.parts.get("files", ()), "files")
        plan = refresh.plan(entries, (), files, {run.run_id})
        rows = files.take(pa.array(plan.keep, pa.int64()))
        parts: list[StoredPart] = []
        for table, some in run.parts.items():
            parts += (kept for part in some for kept in _kept(root, table, part, rows["path"]))
        size = pc.sum(rows["bytes_read"]).as_py() or 0
        self._done.append(Done(len(rows), 0, size, tuple(parts)))
        return plan.read


def take_over(store: Store, like: Manifest) -> Manifest | None:
    """Take over the newest unfinished run with the same source, options, version and run before; None if there is none.

    `like` describes the new run. UsageError if there are only others, and a ParquetError if a record is damaged or too
    new.
    """
    differs = ""
    for run_id in store.unfinished():
        found = store.partial(run_id)
        other = _difference(found, like)
        if not other and store.take_over(found):
            return found
        differs = differs or other
    if differs:
        raise UsageError(
            f"the unfinished scan in {store.shown} had another {differs}: go on with the same one, or scan without resume"
        )
    return None


def _difference(found: Manifest, like: Manifest) -> str:
    """The name of the first thing in which two runs differ; empty if rows of one are valid in the other."""
    if found.run["engine"] != like.run["engine"]:
        return "version of pqexplore"
    if found.chain[:-1] != like.chain[:-1]:
        return "run before it"
    names = [name for name in like.options if name not in FREE]
    return next((one for one in names if found.options.get(one) != like.options[one]), "")


def _kept(root: str, table: str, part: str, paths: pa.ChunkedArray) -> Sequence[StoredPart]:
    """A part with the rows of these files: itself if it has no others, else a new one; none if no row is left."""
    schema = TABLES[table].schema
    if "path" not in schema.names:
        with part_files.opened(root, part, schema) as file:
            return [_stored(root, table, part, file.metadata.num_rows)]
    own = part_files.read_one(root, part, pa.schema([schema.field("path")]))["path"]
    valid = pc.is_in(own, paths.combine_chunks())
    count = pc.sum(valid).as_py() or 0
    if count == len(own):
        return [_stored(root, table, part, count)]
    if not count:
        return []
    rows = part_files.read_one(root, part, schema).filter(valid)
    name = f"{os.path.dirname(part)}/part-{uuid.uuid4().hex}.parquet"
    pq.write_table(rows, os.path.join(root, name), compression="zstd")
    return [_stored(root, table, name, count)]


def _stored(root: str, table: str, part: str, rows: int) -> StoredPart:
    return StoredPart(table, part, rows, os.path.getsize(os.path.join(root, part)))


def now() -> str:
    """The time as a manifest has it."""
    return datetime.datetime.now(datetime.UTC).isoformat()
