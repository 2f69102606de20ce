"""A lake that was scanned: its tables, the answers they give, and how to bring them up to date.

`scan` lists, has the files read by Spark or by processes of this machine, and puts the new run in force when all of it
is there. A `Lake` reads what is in force.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.limits import Limits
from pqexplore.lake import query
from pqexplore.lake.listing import PATTERNS
from pqexplore.lake.progress import Cancelled, Progress, Watch
from pqexplore.lake.run import Run, Settings, changed
from pqexplore.lake.store import Manifest, Store
from pqexplore.lake.tables import TABLES
from pqexplore.lake.views import Views

__all__ = ["Cancelled", "Lake", "Progress", "open", "scan"]

LEVELS = ("chunks", "pages")


def scan(
    spark: Any,
    source: Any,
    level: str = "chunks",
    out: str | os.PathLike[str] | None = None,
    *,
    check: bool = False,
    patterns: Sequence[str] = PATTERNS,
    storage_options: dict[str, Any] | None = None,
    limits: Limits | None = None,
    processes: int | None = None,
    tasks: int | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
    background: bool = False,
) -> Lake:
    """Read the footers of all files of a lake and store what they say as tables.

    `spark` is a session, or None to work with processes of this machine. `source` is a path, folder, pattern or URL, a
    list of these, a Spark table's name, a Spark DataFrame, or the folder of a Delta or Iceberg table. `level` "pages"
    reads page headers and indexes too. `out` is the folder to store in, by default a temporary one that goes with the
    `Lake`; what it had stays in force until the new run is complete. `check` looks for every finding, which reads all
    bytes. `patterns` are names of files in a folder. `processes` (0: this one) and `tasks` (of Spark) have defaults.
    `progress` is called with a `Progress`, or True to have a line printed. With `background` the scan goes on while the
    `Lake` is here already: `lake.progress`, `lake.cancel()`, `lake.wait()`.

    A file that cannot be read is a row of `files` that says why. Raises UsageError where `source` names nothing.
    """
    if level not in LEVELS:
        raise UsageError(f"level is {' or '.join(LEVELS)}, not {level!r}")
    settings = Settings(
        level=level,
        check=check,
        patterns=tuple(patterns),
        storage_options=dict(storage_options or {}),
        limits=changed(limits),
        processes=processes,
        tasks=tasks,
    )
    made: str | None = None
    if out is None:
        out = made = tempfile.mkdtemp(prefix="pqexplore-lake-")
    lake = Lake(out, spark)
    if made is not None:
        lake._finalizer = weakref.finalize(lake, shutil.rmtree, made, ignore_errors=True)
    lake._source = source
    lake._start(settings, None, progress, background)
    return lake


def open(folder: str | os.PathLike[str], spark: Any = None) -> Lake:
    """A lake that was scanned before, from the folder it was stored in. UsageError where there is none."""
    lake = Lake(folder, spark)
    if lake._store.current() is None:
        raise UsageError(f"{lake.path} has no complete scan of a lake")
    return lake


class Tables(Mapping[str, Any]):
    """The tables by name: a pyarrow Table each, or a Spark DataFrame where there is a session."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def __getitem__(self, name: str) -> Any:
        if name not in TABLES:
            raise KeyError(f"{name!r} is none of the tables {', '.join(TABLES)}")
        if self._lake.spark is not None:
            return query.spark_table(self._lake, name)
        return self._lake.dataset(name).to_table()

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)

    def __repr__(self) -> str:
        return f"<tables {', '.join(TABLES)}>"


class Lake:
    """What is known of many files. Made by `scan`, or by `open` for one that was stored.

    `path` is the folder of the store; `spark` the session or None; `tables` and `views` map names to rows.
    """

    def __init__(self, folder: str | os.PathLike[str], spark: Any = None) -> None:
        self._store = Store(folder)
        self.path = self._store.root
        self.spark = spark
        self.tables = Tables(self)
        self.views = Views(self)
        self._source: Any = None
        self._watch = Watch()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._finalizer: Any = None

    # What is in force.

    @property
    def manifest(self) -> Manifest:
        """The run in force. UsageError where none is complete yet."""
        run_id = self._store.current()
        if run_id is None:
            raise UsageError(f"{self.path} has no complete scan yet")
        return self._store.manifest(run_id)

    def dataset(self, table: str) -> Any:
        """A table as a pyarrow dataset, which reads what is asked for when it is; for tables beyond memory."""
        if table not in TABLES:
            raise KeyError(f"{table!r} is none of the tables {', '.join(TABLES)}")
        return self._store.dataset(self.manifest, table)

    def sql(self, text: str, *, where: str = "") -> Any:
        """Rows of a query, in which every table and view is a name: a pyarrow Table, or a DataFrame with Spark.

        `where` is a condition on the table `files`; only files that meet it, and what is theirs, are seen by the query.

        Without Spark, DuckDB answers (`pip install pqexplore[lake]`); the dialect is that of whoever answers.
        """
        return query.run(self, text, where)

    @property
    def runs(self) -> Any:
        """All runs, the last one last, as a pyarrow Table (the table `runs`)."""
        return self._store.runs_table()

    # Work.

    def refresh(
        self,
        source: Any = None,
        *,
        storage_options: dict[str, Any] | None = None,
        progress: Callable[[Progress], None] | bool | None = None,
        background: bool = False,
    ) -> Lake:
        """Read what is new, changed, or could not be read before; mark what is gone. Gives the lake itself.

        `source` is needed only where the lake was scanned from a DataFrame and opened again. Files count as the same by
        path, size, and ETag or time of modification.
        """
        manifest = self.manifest
        if source is not None:
            self._source = source
        elif self._source is None:
            self._source = manifest.options.get("source")
            if self._source is None:
                raise UsageError(
                    "the lake was scanned from a DataFrame; give it again: refresh(source=…)"
                )
        settings = Settings.restored(manifest.options)
        if storage_options is not None:
            settings = dataclasses.replace(settings, storage_options=storage_options)
        self._start(settings, manifest, progress, background)
        return self

    def to_delta(self, folder: str | os.PathLike[str]) -> list[str]:
        """Write the tables in force as Delta tables below a folder, and give their folders.

        By Spark where the session has Delta, else by deltalake; UsageError where there is neither.
        """
        from pqexplore.lake import delta

        return delta.write(self, os.fspath(folder), tuple(TABLES))

    @property
    def progress(self) -> Progress:
        """How far the scan is, or was at its end."""
        return self._watch.progress

    @property
    def running(self) -> bool:
        """Whether a scan is going on in the background."""
        return self._thread is not None and self._thread.is_alive()

    def cancel(self) -> None:
        """Stop the scan that is going on; what was in force before stays so."""
        self._watch.cancel()

    def wait(self, timeout: float | None = None) -> Lake:
        """Wait for a scan in the background; raises what it raised, `Cancelled` where it was cancelled."""
        if self._thread is not None:
            self._thread.join(timeout)
            if not self._thread.is_alive():
                self._thread = None
                failure, self._failure = self._failure, None
                if failure is not None:
                    raise failure
        return self

    def close(self) -> None:
        """Stop what is going on, and remove a temporary folder."""
        self.cancel()
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._store.current() is None:
            return f"<Lake {self.path}: no complete scan yet>"
        run = self.manifest.run
        return (
            f"<Lake {self.path}: {run['num_files']:,} files, {run['errors']:,} that cannot be read, "
            f"level {run['level']}, as of {run['finished']}>"
        )

    def _start(
        self, settings: Settings, manifest: Manifest | None, progress: Any, background: bool
    ) -> None:
        if self.running:
            raise UsageError("a scan is going on; wait() for it, or cancel() it")
        self._watch = Watch(_printed if progress is True else progress or None)
        work = Run(self._store, self.spark, self._source, settings, manifest, self._watch)
        if not background:
            work.do()
            return

        def run() -> None:
            try:
                work.do()
            except BaseException as error:
                self._failure = error

        self._failure = None
        self._thread = threading.Thread(target=run, name="pqexplore lake scan", daemon=True)
        self._thread.start()


def _printed(progress: Progress) -> None:
    end = "\n" if progress.files == progress.total else ""
    print(f"\r{progress!s:<100}", end=end, flush=True)
