"""A lake: the metadata of many files, as tables and views, to query, to diagnose and to refresh.

`scanning` makes a `Lake`, which reads the current run.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.ending import TemporaryFolder
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.text import printable
from pqexplore.lake import query
from pqexplore.lake.credentials import located
from pqexplore.lake.listing import catalog
from pqexplore.lake.places.allowed_paths import AllowedPaths
from pqexplore.lake.scanning.progress import Progress, Watch, listener
from pqexplore.lake.scanning.run import Run
from pqexplore.lake.scanning.settings import Settings
from pqexplore.lake.store.manifest import Manifest
from pqexplore.lake.store.remote_store import store_of
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.engine.file.caller_types import StorageOptions
    from pqexplore.lake.asking.lake_plan import LakePlan
    from pqexplore.lake.doctor.drift import Drift
    from pqexplore.lake.doctor.lake_report import LakeReport
    from pqexplore.lake.history import LakeHistory
    from pqexplore.lake.listed_files import LakeSource
    from pqexplore.lake.logs.vacuum_candidates import Removable
    from pqexplore.lake.metadatastore.store import Store as MetadataStore
    from pqexplore.lake.report.report import ActionReport
    from pqexplore.lake.what_if.sort_trial import SortTrial
    from pqexplore.lake.what_if.trial import LakeTrial


def session_options(spark: SparkSession, source: object, out: str | os.PathLike[str] | None) -> dict[str, object]:
    """The storage options that a session has for the URLs of a source and of a store."""
    from pqexplore.lake.spark import session_options  # most sources are no URLs

    return session_options.options_of(spark, [*session_options.urls_in(source, spark), *session_options.urls_in(out)])


made_here: set[tuple[str, str]] = set()
"""(folder, run) of stores whose rows were all read in this session."""


class Lake:
    """The metadata of many files, as tables and views. Made by `scanning.scan` or `scanning.open`.

    `path` is the folder of the store, a copy of it if the lake was stored at a URL; `spark` the session or None; `tables`
    and `views` map names to rows; `reach` decides which of the files that the store names may be opened.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        spark: SparkSession | None = None,
        storage_options: StorageOptions | None = None,
    ) -> None:
        self._store = store_of(folder, storage_options or {})
        self.path = self._store.root
        self.spark = spark
        self._session = spark  # knows names of tables, also if `spark` was not used for few files
        self.reach = AllowedPaths(self.path)
        self.tables = query.Tables(self)
        self.views = query.Views(self)
        self._source: LakeSource | None = None
        self._given = False  # whether the caller named the source
        self.storage_options: StorageOptions = storage_options or {}  # never stored: they may be secret
        self._watch = Watch()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._own_folder: TemporaryFolder | None = None
        self._processes: int | None = None

    # The current run.

    @property
    def manifest(self) -> Manifest:
        """The current run. UsageError if no run is complete yet; a ParquetError if it is damaged or too new."""
        run_id = self._store.current()
        if run_id is None:
            raise UsageError(f"{self._store.shown} has no complete scan yet")
        return self._store.manifest(run_id)

    def dataset(self, table: str) -> ds.Dataset:
        """A table as a pyarrow dataset, which reads on demand; for tables larger than memory."""
        if table not in TABLES:
            raise KeyError(f"{table!r} is none of the tables {', '.join(TABLES)}")
        return self._store.dataset(self.manifest, table)

    def sql(self, text: str, *, where: str = "") -> pa.Table | DataFrame:
        """Run a query, which can use every table and view by name. Returns a pyarrow Table, or a DataFrame with Spark.

        `where` is a condition on the table `files`: the query sees only files that meet it, and rows of these files.

        Without Spark, DuckDB runs the query (`pip install pqexplore[lake]`) and reads no other file, database or address.
        The SQL dialect is the engine's. Raises UsageError if DuckDB cannot or may not run the query.
        """
        return query.run(self, text, where)

    def ask(
        self,
        where: str,
        columns: Sequence[str] | None = None,
        engine: str = "format",
        *,
        timezone: str | None = None,
        files: Collection[str] | None = None,
        store: MetadataStore | None = None,
    ) -> LakePlan:
        """What a query with the condition `where` reads of all files, what it skips, and why; no data file is opened.

        Folders (`key=value`), columns that files do not have, and the bounds and null counts of footers are compared
        with the condition; see `pqexplore.ask` for the arguments. `files` are the paths of those that are asked, None for
        all. `store` is a Metadatastore of the same files: `plan.files` then says which of the two skips each file. With a Spark
        session, the plan's tables are DataFrames. `plan.open(file)` asks one file for the rest. Files
        that cannot be read are kept. Raises UsageError for a condition that cannot be asked.
        """
        from pqexplore.lake.asking.local_plan import ask_lake

        return ask_lake(self, where, columns, engine, timezone, files, store)

    def diagnose(
        self,
        level: str | None = None,
        *,
        files: Collection[str] | None = None,
        processes: int | None = None,
        tasks: int | None = None,
        progress: Callable[[Progress], None] | bool | None = None,
    ) -> LakeReport:
        """What is wrong with the files, what it costs, and what to do: the worst first.

        What the files together show, by the tables of the scan: lost order, wrong folders, columns of several types, files
        that are small, huge or there twice; and the rules of `pqexplore.diagnose` at this `level` (`footer`, `pages`,
        `data`) in each live file, added up by rule, writer and date. Without a level, these are applied to the footers of
        all files up to 500, else of 100, some of each kind. `files` are the paths of those that are diagnosed, None for all. They are read again, with Spark or by
        processes of this machine, as many as read the scan if none are asked for; see `scan` for the other arguments. A
        file that cannot be read is a finding. Without a refresh, files that are new since the scan are left out. Raises
        UsageError for an unknown level, and for files that the store may not name (see `open`).
        """
        from pqexplore.lake.doctor.diagnose import diagnose_lake

        return diagnose_lake(self, level, files, processes, tasks, listener(progress))

    def report(
        self,
        level: str | None = None,
        *,
        processes: int | None = None,
        tasks: int | None = None,
        progress: Callable[[Progress], None] | bool | None = None,
    ) -> ActionReport:
        """What to do with the files, first things first; see `diagnose` for the arguments.

        Each action has the findings that it fixes, all files by name, what it saves (bytes, requests, seconds, and how
        that was computed), what breaks in which engine if nothing is done, and ready commands: for a Delta table, an
        Iceberg table, or plain files. `to_text()`, `to_html()` (one page) and `to_json()` are for people and pipelines.
        """
        from pqexplore.lake.report.report import report_lake

        return report_lake(self, level, processes=processes, tasks=tasks, progress=listener(progress))

    def drift(self) -> Drift:
        """How the schemas of the files of one table differ, since when, by which writers, and what engines make of it.

        Each schema is compared with that of the first file by path, which engines take for the folder. `outcomes` says for
        Spark, DuckDB, pyarrow and polars whether the difference is harmless, widens values, fails or loses values, and
        whether Iceberg's rules allow it; no file is opened.
        """
        from pqexplore.lake.doctor.diagnose import drift_of

        return drift_of(self)

    def what_if(
        self,
        sample: float = 20,
        *,
        seconds: float = 20.0,
        seed: int | None = None,
        processes: int | None = None,
        tasks: int | None = None,
        progress: Callable[[Progress], None] | bool | None = None,
    ) -> LakeTrial:
        """Real sizes of the columns with other encodings and codecs, from a sample of files, and what compaction saves.

        `sample` is a number of files or a share up to 1.0, chosen evenly by size: always the same, or others for each
        `seed`. Each is tried for `seconds` as by `pqexplore.what_if`; one that cannot be tried is named. For the other
        arguments see `scan`. Raises UsageError for a wrong number, and for files that the store may not name (see `open`).
        """
        from pqexplore.lake.what_if.trial import try_lake

        return try_lake(self, sample, seconds, seed, processes, tasks, listener(progress))

    def sort_by(self, queries: Sequence[str] = ()) -> SortTrial:
        """Which columns to sort or partition the largest table by, and how many files queries read before and after.

        `queries` are conditions, as for `ask`; without them, a query for one value of each column counts. Rows of up to 48
        local files are read, and sorted by each column. Raises UsageError for a
        condition that cannot be asked.
        """
        from pqexplore.lake.what_if.sort_trial import try_sorting

        return try_sorting(self, queries)

    def removable(self, at: datetime.datetime | None = None) -> Removable:
        """Which files `VACUUM` (Delta), `expire_snapshots` and `remove_orphan_files` (Iceberg) may delete; deletes nothing.

        The settings of each table decide, or their defaults: `delta.deletedFileRetentionDuration` (7 days),
        `history.expire.max-snapshot-age-ms` (5 days) and `min-snapshots-to-keep` (1), and 3 days for files that no
        snapshot names. `at` is the time that is asked about, by default now. The logs are those of the scan: `refresh`
        the lake first. Tables that were cloned without their data may still need the files: their logs are not read.
        """
        from pqexplore.lake.logs.vacuum_candidates import removable

        return removable(self, at)

    def history(self, runs: int = 10) -> LakeHistory:
        """How the lake changed over its last `runs` runs: growth, drift, overlap of sorted columns, new problems.

        Every finished run of this source that the store keeps is compared as it was; `.remarks` names the others. Raises
        UsageError for a wrong number, CorruptFileError if the current run is damaged.
        """
        from pqexplore.lake.history.comparing import history_of

        return history_of(self, runs)

    @property
    def runs(self) -> pa.Table:
        """All runs, oldest first, as a pyarrow Table (the table `runs`)."""
        return self._store.runs_table()

    # Work.

    def refresh(
        self,
        source: LakeSource | None = None,
        *,
        storage_options: StorageOptions | None = None,
        resume: bool = False,
        progress: Callable[[Progress], None] | bool | None = None,
        background: bool = False,
    ) -> Lake:
        """Read files that are new, changed, or could not be read before; mark vanished ones. Returns the lake itself.

        `source` is needed only if the lake was opened again, and was scanned from a DataFrame, from a catalog's table,
        or from a place that the store may not name (see `open`). A file is unchanged if its path, size, and ETag or time
        of modification are equal. `resume` goes on with a refresh that did not become complete, as in `scan`.
        """
        self._store.fetch(current=True, unfinished=resume)
        manifest = self.manifest
        if storage_options is None:
            storage_options = self.storage_options
        if source is not None:
            source = located(source, storage_options)
            self._source, self._given = source, True
            self.reach.name(source)
        elif not self._given:
            self._source = manifest.options.get("source")
            if self._source is None:
                raise UsageError(
                    "the lake was scanned from a DataFrame or a catalog's table; pass it again: refresh(source=…)"
                )
            self.reach.require_source(self._source)
        if manifest.options.get("through") is not None:
            raise UsageError("files that were read through binaryFile cannot be refreshed: scan again")
        settings = Settings.restored(manifest.options)
        if settings.follow_outside and not self.reach.everywhere:
            raise UsageError(
                f"the store {self._store.shown} says that links and logs may lead outside of its folders, and was not "
                "made in this session: if you trust who made it, open it with follow_outside=True; else scan the source"
            )
        if not storage_options and self.spark is not None:
            storage_options = session_options(self.spark, self._source, None)
        settings = dataclasses.replace(
            settings,
            storage_options=storage_options,
            processes=self._processes,
            resume=resume,
            keep=self._own_folder is None,
        )
        self._start(settings, manifest, progress, background)
        return self

    def to_delta(
        self, folder: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
    ) -> list[str]:
        """Write the current tables as Delta tables below a folder or URL. Returns their folders.

        With Spark if the session has Delta, else with deltalake, whose `storage_options` are such as AWS_ACCESS_KEY_ID.
        A table that `to_delta` wrote before gets a new version. UsageError if there is neither, if another Delta table is in
        the place of one, or the URL cannot be written.
        """
        from pqexplore.lake.store import delta_writer

        return delta_writer.write(self, os.fspath(folder), tuple(TABLES), storage_options)

    @property
    def progress(self) -> Progress:
        """Progress of the running or last scan."""
        return self._watch.progress

    @property
    def running(self) -> bool:
        """Whether a scan runs in the background."""
        return self._thread is not None and self._thread.is_alive()

    def cancel(self) -> None:
        """Cancel the running scan. The last complete run stays current; what was read is kept for `resume`."""
        self._watch.cancel()

    def wait(self, timeout: float | None = None) -> Lake:
        """Wait for a background scan. Raises its error; `Cancelled` if it was cancelled."""
        if self._thread is not None:
            self._thread.join(timeout)
            if not self._thread.is_alive():
                self._thread = None
                failure, self._failure = self._failure, None
                if failure is not None:
                    raise failure
        return self

    def close(self) -> None:
        """Cancel a running scan, and remove a temporary folder."""
        self.cancel()
        if self._own_folder is not None:
            self._own_folder.remove()

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            if self._store.current() is None:
                return f"<Lake {printable(self._store.shown)}: no complete scan yet>"
            run = self.manifest.run
        except ParquetError as error:
            return f"<Lake {printable(self._store.shown)}: {error}>"
        return (
            f"<Lake {printable(self._store.shown)}: {run['num_files']:,} files, {run['errors']:,} that cannot be read, "
            f"level {run['level']}, as of {run['finished']}>"
        )

    def _start(self, settings: Settings, manifest: Manifest | None, progress: Any, background: bool) -> None:
        if self.running:
            raise UsageError("a scan is running; wait() for it, or cancel() it")
        source, settings = resolved(self._source, settings, self._session)
        if isinstance(source, list):
            self._source = source  # an iterator gives its members once
        self.storage_options = settings.storage_options
        self._processes = settings.processes
        self._watch = Watch(listener(progress))
        admit = self.reach.include if self._given else self.reach.require_all
        work = Run(self._store, self.spark, source, settings, manifest, self._watch, admit)
        work.session = self._session
        if not background:
            self._do(work)
            return

        def run() -> None:
            try:
                self._do(work)
            except BaseException as error:
                self._failure = error

        self._failure = None
        self._thread = threading.Thread(target=run, name="pqexplore lake scan", daemon=True)
        self._thread.start()

    def _do(self, work: Run) -> None:
        run_id = work.do()
        self.spark = work.spark
        if work.fresh:  # this session listed all files that the store now names
            self.reach.everywhere = True
        if self.reach.everywhere:
            made_here.add((self._store.shown, run_id))


# Tables of other libraries as sources of a scan.


def resolved(source: LakeSource, settings: Settings, spark: SparkSession | None) -> tuple[LakeSource, Settings]:
    """The source as `listing` takes it, and the settings with the storage options and the version of a library's table."""
    names = spark is None  # else they are names of the session's tables
    found, options, version = catalog.resolved(source, settings.storage_options, names)
    settings = dataclasses.replace(settings, storage_options=options)
    return found, (dataclasses.replace(settings, version=version) if settings.as_of is None else settings)
