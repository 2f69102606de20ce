"""Stores the tables of a lake: a folder of runs, and a pointer to the current run.

    current.json                       {"run_id": …}: the pointer
    runs/RUN/manifest.json             the run's facts, and the files with its rows
    runs/RUN/partial.json              the same of an unfinished run, as far as it came
    runs/RUN/TABLE/part-….parquet      rows
    runs/RUN/superseded.parquet        (path, run_id) of rows of earlier runs that are no longer valid

A run is written to a new folder. When all its rows are there, its manifest is written, and then the pointer is replaced
atomically. Until then, readers read the run before. An unfinished run has no manifest and is never read. What it has
read is kept for a scan with `resume` (see `unfinished`), until the next complete run; without that, if its process was
killed, the next run removes its folder (see `alive`).

A refresh writes only the rows that it read. The current tables are then the parts of its `chain` of runs, without the
rows that `superseded` lists. `files` and `schemas` are small, and each run writes them in full.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.errors import CorruptFileError, NotParquetError, UsageError
from pqexplore.engine.file.local_file import read_small
from pqexplore.engine.file.source import local_path
from pqexplore.lake.query import spark_path
from pqexplore.lake.store import manifest as manifests
from pqexplore.lake.store import part_files as part_files
from pqexplore.lake.store.manifest import MANIFEST, PARTIAL, POINTER, Manifest
from pqexplore.lake.store.part_files import StoredPart
from pqexplore.lake.store.run_lock import ALIVE, Alive, exclusive, is_marked, left_over
from pqexplore.lake.tables import PER_FILE, TABLES

if TYPE_CHECKING:
    import pyarrow.dataset as ds
    from pyspark.sql import SparkSession

WHOLE = ("files", "tables", "schemas", "table_columns", "log_conflicts")
"""Tables that each run writes in full."""
SUPERSEDED = pa.schema([("path", pa.string()), ("run_id", pa.string())])


def is_store(folder: str) -> bool:
    """Whether a folder of this machine stores a lake's tables, or what an unfinished scan reads or has read."""
    runs = os.path.join(folder, "runs")
    if not os.path.isdir(runs):
        return False
    if os.path.isfile(os.path.join(folder, POINTER)):
        return True
    with contextlib.suppress(OSError):
        marks = (os.path.join(runs, name, mark) for name in os.listdir(runs) for mark in (PARTIAL, ALIVE))
        return any(map(os.path.isfile, marks))
    return False


def new_run_id() -> str:
    """A unique name, which sorts after the names of earlier runs."""
    now = datetime.datetime.now(datetime.UTC)
    return f"{now:%Y%m%dT%H%M%S%f}"[:18] + f"-{secrets.token_hex(3)}"


class Store:
    """The folder of one lake, `root`; `shown` is what a user calls it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        where = local_path(os.fspath(folder))
        if where is None:
            raise UsageError(
                f"{os.fspath(folder)} is not a folder of this machine; pass a path, or a mounted one such as /Volumes/…"
            )
        self.root = self.shown = os.path.abspath(os.path.expanduser(where))
        self._alive: dict[str, Alive] = {}
        self._checked: set[str] = set()

    def fetch(self, current: bool = False, unfinished: bool = False) -> None:
        """Get what another process may have stored; see `published`. A folder of this machine has it."""

    def require_spark(self, session: SparkSession) -> None:
        """Raise UsageError if Spark cannot read the stored tables. Whether its nodes see a folder is not tried."""

    def for_spark(self, part: str) -> str:
        """Where Spark reads a part of the current tables."""
        return spark_path(f"{self.root}/{part}")

    @property
    def spark_sees_folder(self) -> bool:
        """Whether Spark reads the tables from `root`, where also what is not yet stored lies."""
        return True

    # Runs.

    def current(self) -> str | None:
        """The name of the current run; None if there is none yet. CorruptFileError if the pointer is damaged."""
        return manifests.pointer(self.root)

    def pointer(self) -> bytes | None:
        """The pointer as stored, damaged or not; `commit` compares it."""
        try:
            return read_small(os.path.join(self.root, POINTER), manifests.MOST_BYTES)
        except (OSError, NotParquetError, UsageError):
            return None

    def manifest(self, run_id: str) -> Manifest:
        """The manifest of a finished run. CorruptFileError if it is damaged, UnsupportedFeatureError if it is too new."""
        return manifests.read(self.root, run_id)

    def runs(self) -> list[Manifest]:
        """Every finished run, oldest first; without damaged ones that are no longer needed."""
        run_id = self.current()
        needed = () if run_id is None else self.manifest(run_id).chain
        found = []
        for one in self._folders():
            if self._finished(one):
                try:
                    found.append(self.manifest(one))
                except CorruptFileError:
                    if one in needed:
                        raise
        return found

    def _folders(self) -> list[str]:
        folder = os.path.join(self.root, "runs")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [name for name in names if manifests.is_run(name)]

    def _finished(self, run_id: str) -> bool:
        return os.path.lexists(os.path.join(self.root, "runs", run_id, MANIFEST))

    def begin(self) -> str:
        """Create the folder of a run, and remove the folders of killed runs that kept nothing."""
        run_id = new_run_id()
        folder = os.path.join(self.root, "runs", run_id)
        os.makedirs(folder)
        self._alive[run_id] = Alive(folder)
        now = self._alive[run_id].now()
        for name in self._folders():
            folder = os.path.join(self.root, "runs", name)
            if not self._finished(name) and not self._is_partial(name) and left_over(folder, now):
                shutil.rmtree(folder, ignore_errors=True)
        return run_id

    # Unfinished runs.

    def _is_partial(self, run_id: str) -> bool:
        return os.path.lexists(os.path.join(self.root, "runs", run_id, PARTIAL))

    def keep(self, manifest: Manifest) -> None:
        """Store which files an unfinished run has read."""
        _write(Path(self.root, "runs", manifest.run_id, PARTIAL), manifest)

    def unfinished(self) -> list[str]:
        """Names of the unfinished runs that kept what they read and that no process works on, newest first."""
        found = [
            name
            for name in self._folders()
            if not self._finished(name) and self._is_partial(name) and self._is_free(name)
        ]
        return found[::-1]

    def _is_free(self, run_id: str) -> bool:
        """Whether no process writes a run."""
        folder = os.path.join(self.root, "runs", run_id)
        return not is_marked(folder) or left_over(folder, self._now())

    def _now(self) -> float:
        """The time by the clock of the file system; of this machine if the store cannot be written."""
        folder = os.path.join(self.root, "runs")
        try:
            os.utime(folder)
            return os.stat(folder).st_mtime
        except OSError:
            return time.time()

    def partial(self, run_id: str) -> Manifest:
        """What an unfinished run kept. Raises as `manifest` does."""
        return manifests.read(self.root, run_id, PARTIAL)

    def take_over(self, manifest: Manifest) -> bool:
        """Go on with an unfinished run. Returns False if another process does."""
        folder = os.path.join(self.root, "runs", manifest.run_id)
        record = os.path.join(folder, PARTIAL)
        taken = f"{record}.{secrets.token_hex(4)}"
        try:
            os.rename(record, taken)  # one process can do it
        except FileNotFoundError:
            return False
        if not self._is_free(manifest.run_id):  # another did it before
            os.replace(taken, record)
            return False
        self._alive[manifest.run_id] = Alive(folder)
        self.keep(manifest)
        return True

    def kept(self, run_id: str) -> bool:
        """Whether a run has its manifest. It may still not be current, if another run finished first."""
        return self._finished(run_id)

    def abandon(self, run_id: str) -> None:
        """End an unfinished run, and remove its folder unless it kept what it read."""
        if not self._is_partial(run_id):
            shutil.rmtree(os.path.join(self.root, "runs", run_id), ignore_errors=True)
        self._ended(run_id)

    def _ended(self, run_id: str) -> None:
        alive = self._alive.pop(run_id, None)
        if alive is not None:
            alive.close()

    def commit(self, manifest: Manifest, expected: bytes | None) -> None:
        """Make a complete run the current one, if the pointer is still the `expected` one (compare-and-swap)."""
        run_id = manifest.run_id
        folder = Path(self.root, "runs", run_id)
        self._sweep(manifest)
        _write(folder / MANIFEST, manifest)
        for record in folder.glob(f"{PARTIAL}*"):
            record.unlink()
        with exclusive(self.root):
            if self.pointer() != expected:
                self._ended(run_id)
                raise UsageError(
                    f"another scan finished meanwhile in {self.root}; run {run_id} is stored but not current; refresh again"
                )
            _replace(Path(self.root, POINTER), json.dumps({"run_id": run_id}))
        self._ended(run_id)
        for name in self.unfinished():
            shutil.rmtree(os.path.join(self.root, "runs", name), ignore_errors=True)

    def _sweep(self, manifest: Manifest) -> None:
        """Remove files that no manifest lists: leftovers of tasks that ran twice."""
        listed = {part for parts in manifest.parts.values() for part in parts}
        for table in TABLES:
            folder = Path(self.root, "runs", manifest.run_id, table)
            for file in folder.iterdir() if folder.is_dir() else ():
                if f"runs/{manifest.run_id}/{table}/{file.name}" not in listed:
                    file.unlink()

    # Rows.

    def write(self, run_id: str, table: str, rows: pa.Table) -> str:
        """Write a whole table of a run. Returns the part's name."""
        part = f"runs/{run_id}/{table}/part-0.parquet"
        path = Path(self.root, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path, compression="zstd")
        return part

    def supersede(self, run_id: str, paths: Sequence[str], runs: Sequence[str]) -> str:
        """Store the (path, run_id) of rows of earlier runs that are no longer valid."""
        name = f"runs/{run_id}/superseded.parquet"
        table = pa.table([list(paths), list(runs)], schema=SUPERSEDED)
        pq.write_table(table, os.path.join(self.root, name))
        return name

    def parts(self, manifest: Manifest, table: str) -> list[str]:
        """The parts of a current table; some of their rows may be superseded."""
        if table in WHOLE:
            return manifest.parts.get(table, [])
        found: list[str] = []
        for run_id in manifest.chain:
            run = manifest if run_id == manifest.run_id else self.manifest(run_id)
            found += run.parts.get(table, [])
        return found

    def superseded(self, manifest: Manifest) -> pa.Table:
        """(path, run_id) of superseded rows, as an Arrow table."""
        tables = [SUPERSEDED.empty_table()]
        for run_id in manifest.chain:
            run = manifest if run_id == manifest.run_id else self.manifest(run_id)
            if run.superseded is not None:
                tables.append(part_files.read_one(self.root, run.superseded, SUPERSEDED))
        return pa.concat_tables(tables)

    def rows(self, manifest: Manifest, table: str) -> ds.Dataset:
        """A table as an Arrow dataset, which reads on demand, with superseded rows.

        CorruptFileError if a part is missing, or has other columns than the table.
        """
        import pyarrow.dataset as ds  # which imports pandas

        if table == "runs":
            return ds.dataset(self.runs_table())
        schema = TABLES[table].schema
        parts = self.parts(manifest, table)
        for part in parts:
            if part not in self._checked:
                part_files.opened(self.root, part, schema).close()
                self._checked.add(part)
        paths = [os.path.join(self.root, part) for part in parts]
        return ds.dataset(paths, schema=schema) if paths else ds.dataset(schema.empty_table())

    def dataset(self, manifest: Manifest, table: str) -> ds.Dataset:
        """A current table as an Arrow dataset, which reads on demand, without superseded rows."""
        import pyarrow.dataset as ds

        found = self.rows(manifest, table)
        if table not in PER_FILE:
            return found
        gone: dict[str, list[str]] = {}
        for row in self.superseded(manifest).to_pylist():
            gone.setdefault(row["run_id"], []).append(row["path"])
        for run_id, some in gone.items():
            dead = (ds.field("run_id") == run_id) & ds.field("path").isin(some)
            found = found.filter(~dead)
        return found

    def read(self, manifest: Manifest, table: str) -> pa.Table:
        """The rows of `files`, `tables` or `schemas` as an Arrow table."""
        return part_files.read(self.root, self.parts(manifest, table), table)

    def parts_in_force(self, manifest: Manifest) -> None:
        """Raise CorruptFileError unless all current parts exist and have readable footers."""
        for table in TABLES:
            if table != "runs":
                self.rows(manifest, table)
        self.superseded(manifest)

    @contextlib.contextmanager
    def blaming(self, manifest: Manifest, tables: Iterable[str]) -> Iterator[None]:
        """Context manager: if reading tables fails because of a damaged part, raise CorruptFileError with its name."""
        try:
            yield
        except (pa.ArrowException, OSError, ValueError):
            self.verify(manifest, tables)
            raise

    def verify(self, manifest: Manifest, tables: Iterable[str]) -> None:
        """Read tables to the end. CorruptFileError if a part is damaged."""
        for table in tables:
            if table != "runs":
                for part in self.parts(manifest, table):
                    part_files.read_one(self.root, part, TABLES[table].schema)

    def runs_table(self) -> pa.Table:
        """The table `runs`."""
        rows = [manifest.run for manifest in self.runs()]
        for row in rows:
            for name in ("started", "finished"):
                row[name] = datetime.datetime.fromisoformat(row[name])
                if row[name].tzinfo is None:
                    row[name] = row[name].replace(tzinfo=datetime.UTC)
        return pa.Table.from_pylist(rows, schema=TABLES["runs"].schema)


def by_table(parts: Iterable[StoredPart]) -> dict[str, list[str]]:
    """The paths of parts, by table."""
    found: dict[str, list[str]] = {}
    for part in parts:
        found.setdefault(part.table, []).append(part.file)
    return {table: sorted(files) for table, files in found.items()}


def _write(path: Path, manifest: Manifest) -> None:
    _replace(path, json.dumps(dataclasses.asdict(manifest), indent=1))


def _replace(path: Path, text: str) -> None:
    """Write a file atomically."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
