"""Where the tables of a lake are kept: a folder of runs, and a pointer to the one in force.

    current.json                       {"run_id": …}: the pointer
    runs/RUN/manifest.json             what the run did, and which files hold its rows
    runs/RUN/TABLE/part-….parquet      rows
    runs/RUN/superseded.parquet        (path, run_id) of rows of earlier runs that hold no longer

A run is written beside those before it. When all of it is there, its manifest is, and then the pointer is replaced,
which a file system does at once or not at all. Whoever reads meanwhile reads the run before; a run that was not finished
has no manifest and is never seen.

A refresh writes only what it read. The tables in force are then the parts of its `chain` of runs, without the rows that
`superseded` names. `files` and `schemas` are small, and written anew by each run.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.errors import UsageError
from pqexplore.engine.source import local_path
from pqexplore.lake import parts as part_files
from pqexplore.lake.parts import Part
from pqexplore.lake.tables import PER_FILE, SCHEMA_VERSION, TABLES

POINTER = "current.json"
WHOLE = ("files", "schemas")
"""Tables that each run writes anew."""
SUPERSEDED = pa.schema([("path", pa.string()), ("run_id", pa.string())])


@dataclasses.dataclass
class Manifest:
    """A run: a row of the table `runs`, and where its rows are.

    `parts` are this run's own, by table; `chain` the runs whose rows hold, oldest first, this one last.
    """

    run: dict[str, Any]
    options: dict[str, Any]
    chain: list[str]
    parts: dict[str, list[str]]
    superseded: str | None = None
    schema_version: int = SCHEMA_VERSION

    @property
    def run_id(self) -> str:
        """Name of the run."""
        return str(self.run["run_id"])


def is_store(folder: str) -> bool:
    """Whether a folder of this machine is one where a lake's tables are kept."""
    return os.path.isfile(os.path.join(folder, POINTER)) and os.path.isdir(
        os.path.join(folder, "runs")
    )


def new_run_id() -> str:
    """A name that sorts after those before, and that no other run has."""
    now = datetime.datetime.now(datetime.UTC)
    return f"{now:%Y%m%dT%H%M%S%f}"[:18] + f"-{secrets.token_hex(3)}"


class Store:
    """The folder of one lake."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        where = local_path(os.fspath(folder))
        if where is None:
            raise UsageError(
                f"{os.fspath(folder)} is no folder of this machine; give a path, or a mounted one such as /Volumes/…"
            )
        self.root = os.path.abspath(os.path.expanduser(where))

    # Runs.

    def current(self) -> str | None:
        """The run in force; None where there is none yet."""
        try:
            run_id: str = json.loads(Path(self.root, POINTER).read_text())["run_id"]
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{self.root}/{POINTER} is damaged; scan the lake again") from None
        return run_id

    def manifest(self, run_id: str) -> Manifest:
        """What a finished run says of itself."""
        try:
            read = json.loads(Path(self.root, "runs", run_id, "manifest.json").read_text())
            return Manifest(**read)
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(f"run {run_id} of {self.root} cannot be read: {error}") from None

    def runs(self) -> list[Manifest]:
        """Every finished run, oldest first."""
        folder = Path(self.root, "runs")
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
        return [self.manifest(one) for one in names if (folder / one / "manifest.json").exists()]

    def begin(self) -> str:
        """Make room for a run."""
        run_id = new_run_id()
        os.makedirs(os.path.join(self.root, "runs", run_id))
        return run_id

    def abandon(self, run_id: str) -> None:
        """Remove what an unfinished run left."""
        shutil.rmtree(os.path.join(self.root, "runs", run_id), ignore_errors=True)

    def commit(self, manifest: Manifest, expected: str | None) -> None:
        """Put a complete run in force, if the run in force is still the `expected` one."""
        run_id = manifest.run_id
        folder = Path(self.root, "runs", run_id)
        self._sweep(manifest)
        _replace(folder / "manifest.json", json.dumps(dataclasses.asdict(manifest), indent=1))
        if self.current() != expected:
            raise UsageError(
                f"another scan finished meanwhile in {self.root}; run {run_id} is kept and not in force, refresh again"
            )
        _replace(Path(self.root, POINTER), json.dumps({"run_id": run_id}))

    def _sweep(self, manifest: Manifest) -> None:
        """Remove files that no manifest lists: those of tasks that were run twice."""
        listed = {part for parts in manifest.parts.values() for part in parts}
        for table in TABLES:
            folder = Path(self.root, "runs", manifest.run_id, table)
            for file in folder.iterdir() if folder.is_dir() else ():
                if f"runs/{manifest.run_id}/{table}/{file.name}" not in listed:
                    file.unlink()

    # Rows.

    def write(self, run_id: str, table: str, rows: Any) -> str:
        """Write a whole table of a run; gives the part's name."""
        part = f"runs/{run_id}/{table}/part-0.parquet"
        path = Path(self.root, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path, compression="zstd")
        return part

    def supersede(self, run_id: str, paths: Sequence[str], runs: Sequence[str]) -> str:
        """Write down which rows of earlier runs hold no longer."""
        name = f"runs/{run_id}/superseded.parquet"
        table = pa.table([list(paths), list(runs)], schema=SUPERSEDED)
        pq.write_table(table, os.path.join(self.root, name))
        return name

    def parts(self, manifest: Manifest, table: str) -> list[str]:
        """The parts that hold the rows of a table in force, some of them perhaps superseded."""
        if table in WHOLE:
            return manifest.parts.get(table, [])
        found: list[str] = []
        for run_id in manifest.chain:
            run = manifest if run_id == manifest.run_id else self.manifest(run_id)
            found += run.parts.get(table, [])
        return found

    def superseded(self, manifest: Manifest) -> Any:
        """(path, run_id) of rows that hold no longer, as an Arrow table."""
        tables = [SUPERSEDED.empty_table()]
        for run_id in manifest.chain:
            run = manifest if run_id == manifest.run_id else self.manifest(run_id)
            if run.superseded is not None:
                tables.append(pq.ParquetFile(os.path.join(self.root, run.superseded)).read())
        return pa.concat_tables(tables)

    def dataset(self, manifest: Manifest, table: str) -> Any:
        """The rows of a table in force, as an Arrow dataset that reads when it is asked."""
        import pyarrow.dataset as ds  # which imports pandas

        if table == "runs":
            return ds.dataset(self.runs_table())
        schema = TABLES[table].schema
        paths = [os.path.join(self.root, part) for part in self.parts(manifest, table)]
        found = ds.dataset(paths, schema=schema) if paths else ds.dataset(schema.empty_table())
        if table not in PER_FILE:
            return found
        gone: dict[str, list[str]] = {}
        for row in self.superseded(manifest).to_pylist():
            gone.setdefault(row["run_id"], []).append(row["path"])
        for run_id, some in gone.items():
            dead = (ds.field("run_id") == run_id) & ds.field("path").isin(some)
            found = found.filter(~dead)
        return found

    def read(self, manifest: Manifest, table: str) -> Any:
        """The rows of `files` or `schemas` as an Arrow table."""
        return part_files.read(self.root, self.parts(manifest, table), table)

    def runs_table(self) -> Any:
        """The table `runs`."""
        rows = [manifest.run for manifest in self.runs()]
        for row in rows:
            for name in ("started", "finished"):
                row[name] = datetime.datetime.fromisoformat(row[name])
        return pa.Table.from_pylist(rows, schema=TABLES["runs"].schema)


def by_table(parts: Iterable[Part]) -> dict[str, list[str]]:
    """The files of parts, by table."""
    found: dict[str, list[str]] = {}
    for part in parts:
        found.setdefault(part.table, []).append(part.file)
    return {table: sorted(files) for table, files in found.items()}


def _replace(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
