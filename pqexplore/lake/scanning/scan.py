"""Scans a lake, and opens one that was scanned before.

`scan` lists the files, reads them with Spark or with processes of this machine, and makes the new run current when it is
complete.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

from pqexplore.engine.ending import TemporaryFolder
from pqexplore.engine.errors import TargetError, UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.engine.output_file import require_folder
from pqexplore.lake.credentials import located
from pqexplore.lake.lake import Lake, made_here, session_options
from pqexplore.lake.scanning.progress import Progress
from pqexplore.lake.scanning.settings import ScanOptions, Settings
from pqexplore.lake.store.manifest import POINTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.engine.file.caller_types import StorageOptions
    from pqexplore.lake.listed_files import LakeSource


def scan(
    spark: SparkSession | None,
    source: LakeSource,
    level: str = "chunks",
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    progress: Callable[[Progress], None] | bool | None = None,
    background: bool = False,
    **options: Unpack[ScanOptions],
) -> Lake:
    """Read the footers of all files of a lake and store their contents as tables.

    - `spark` is a session, or None to use processes of this machine.
    - `source` is a path, folder, pattern or URL, a Spark table's name, a Spark DataFrame, or the folder of a Delta or
      Iceberg table or a part of it. Only the live files of such a table are read. Also a deltalake DeltaTable, at its
      version; a pyiceberg Table; or `catalog.namespace.table` with a catalog that pyiceberg's configuration names, if it is
      neither a path nor a table of the Spark session. Or a list of all these.
    - `level` "pages" also reads page headers and indexes. `check` runs every check, which reads all bytes.
    - `out` is the folder to store in, by default a temporary one that is removed with the `Lake`; or the URL of one, for
      fsspec with the same `storage_options`, to which complete runs are copied; a Spark session of several nodes must read
      the URL with its own settings. An earlier run in it stays current until the new run is complete.
    - `patterns` are names of files in a folder. `storage_options` go to fsspec, for logs and data; a
      `credentials.UnityCatalog` gives temporary ones, and the location of its table. Without them, and where the source
      is a URL, a table of Spark whose location is one, a DataFrame of such files, or a list of these, they are the
      session's own: keys, endpoint and the like of `fs.s3a.*`, `fs.azure.*` and `fs.gs.*` (see `spark_options`).
    - `version` of a Delta table, `snapshot` of an Iceberg table (its id, or the name of a branch or tag), or `timestamp` (a
      datetime, or text in ISO 8601; UTC without a zone): read the table as it was, and stay there on refresh. A timestamp is
      for all tables of the source: each at its last version that was committed by then, as its log dates them.
      For a table of Spark by its name, this process must reach the folder in which its log lies.
    - `follow_outside` opens files outside of a folder to which symbolic links lead, and files outside of a table's folder
      that its log names. Without it, each is a row of `files` with the reason.
    - `spark_from` is the number of files from which the session is used. Processes of this machine read fewer, if this
      machine sees them; then `lake.spark` is None.
    - `processes` (0: this one) and `tasks` (of Spark) have defaults.
    - `seconds_per_file` is the time limit of one file, 0 for no limit; by default 60 s for footers, 600 s at level
      pages, an hour with `check`. A file that takes longer, or crashes the reading process, is a row of `files` with
      error_code timeout or crashed, and the other files are read. `processes=0` has no such protection.
    - `through` "binaryFile" lists and reads with Spark's own credentials, whole files: a warning says first how many
      bytes. For files that only Spark reaches; empty and hidden ones are not seen, and it cannot be refreshed.
    - `resume` goes on with a scan of the same source with the same options into `out` that was cancelled, failed or was
      killed: the source is listed again, unchanged files that it could read are not read again. If there is none, all
      files are read. What an unfinished scan read is kept in `out` until the next complete run.
    - `progress` is called with a `Progress`; True prints a line. With `background`, the `Lake` returns at once while the
      scan runs: see `lake.progress`, `lake.cancel()`, `lake.wait()`.

    A file that cannot be read is a row of `files` with the error; a table whose log cannot be read is a row of `tables`.
    Raises UsageError if `source` names no files, if `out` is a file or may not be written, if a table does not have the version, and with `resume` if the
    unfinished scan had another source or options; a `StoreError` (CredentialsError, NetworkError, NoAnswerError,
    ThrottledError) if its files cannot be listed, OSError if the disk of `out` is full.
    """
    if resume and out is None:
        raise UsageError("resume goes on with what is in a folder: pass out=FOLDER")
    settings = Settings.of(level, resume, out is not None, spark is not None, **options)
    if isinstance(source, str) and "://" in source and os.fspath(out or "").startswith(f"{source}/"):
        raise UsageError(f"{out} is inside of the source, whose files are read; pass another URL")
    if out is not None:
        _require_writable(out)
    if options.get("storage_options") is None and spark is not None and settings.through is None:
        settings = dataclasses.replace(settings, storage_options=session_options(spark, source, out))
    source = located(source, settings.storage_options)
    own: TemporaryFolder | None = None
    if out is None:
        own = TemporaryFolder()
        out = own.path
    lake = Lake(out, spark, settings.storage_options)
    lake._own_folder = own
    lake._store.fetch(unfinished=resume)
    if spark is not None and not settings.spark_from:
        lake._store.require_spark(spark)
    lake._source, lake._given = source, True
    lake._start(settings, None, progress, background)
    return lake


def _require_writable(out: str | os.PathLike[str]) -> None:
    """Raises UsageError if `out` is a folder of this machine in which nothing can be written."""
    folder = local_path(os.fspath(out))
    if folder is not None:
        require_folder(folder)
        pointer = os.path.join(folder, POINTER)
        if os.path.lexists(pointer) and not os.path.isdir(os.path.join(folder, "runs")):
            raise TargetError(pointer, "is not of a stored scan, and is not replaced; name another folder")


def open(
    folder: str | os.PathLike[str],
    spark: SparkSession | None = None,
    *,
    storage_options: StorageOptions | None = None,
    follow_outside: bool = False,
) -> Lake:
    """Open a lake that was scanned before, from its store's folder, or its URL with `storage_options` for fsspec.

    Its tables and views can always be queried. Its files are opened, and its source is listed again, only if they are
    below the parent folder of the store, or the store was made in this session. `follow_outside` allows all other files:
    pass it only if you trust the maker of the store (see `allowed_paths`).

    Raises UsageError if there is no store; CorruptFileError if the store is damaged, or not a store;
    UnsupportedFeatureError if a newer version of this package wrote it.
    """
    lake = Lake(folder, spark, storage_options or {})
    lake._store.fetch(current=True)
    if lake._store.current() is None:
        more = "; an unfinished one is kept: scan with resume=True" * bool(lake._store.unfinished())
        raise UsageError(f"{lake._store.shown} has no complete scan of a lake{more}")
    manifest = lake.manifest
    lake._store.parts_in_force(manifest)
    if spark is not None:
        lake._store.require_spark(spark)
    lake.reach.everywhere = follow_outside or (lake._store.shown, manifest.run_id) in made_here
    return lake
