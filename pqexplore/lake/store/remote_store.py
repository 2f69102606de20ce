"""A lake's store below a URL: an object store, through fsspec.

Work is done in a temporary folder of this machine, a store like any other. A complete run is then published: its parts,
its manifest, and the pointer last, so that readers of the URL see complete runs only. To open it, the pointer, the
manifests and the parts of the current run are copied into the folder: they are small beside the files that they describe.
Spark reads this copy, or the URL (see `spark_store`).

There is no lock on an object store: of two scans that finish at once, the second finds another pointer than it began
with and is refused, but between this look and its own pointer there is a moment in which neither notices.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.ending import TemporaryFolder
from pqexplore.engine.errors import CorruptFileError, ParquetError, StoreError, UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.engine.file.store_errors import heard
from pqexplore.engine.file.urls import masked
from pqexplore.lake.query import spark_path
from pqexplore.lake.spark.job import master
from pqexplore.lake.store import manifest as manifests
from pqexplore.lake.store.manifest import MANIFEST, PARTIAL, POINTER, Manifest
from pqexplore.lake.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.engine.file.caller_types import StorageOptions


_FILE = re.compile(rf"runs/(\w[\w-]*)/(?:{MANIFEST}|{PARTIAL}|(?:\w+/)?[\w-]+\.parquet)")
"""Files of a store; others at the URL are left alone."""


def store_of(folder: str | os.PathLike[str], options: StorageOptions) -> Store:
    """The store in a folder of this machine, or below a URL."""
    where = os.fspath(folder)
    return Store(folder) if local_path(where) is not None else Published(where, options)


class Published(Store):
    """The store below a URL, with a copy in a temporary folder that goes with it."""

    def __init__(self, url: str, options: StorageOptions) -> None:
        self._own_folder = TemporaryFolder()
        super().__init__(os.path.join(self._own_folder.path, "store"))  # alone in its folder: see `allowed_paths`
        self.shown = masked(url.rstrip("/"))
        try:
            import fsspec
        except ImportError:
            raise UsageError(
                f"{self.shown}: fsspec writes to URLs; `pip install pqexplore[remote]` and the driver of the scheme"
            ) from None
        with self._reaching():
            self._there, self._base = fsspec.core.url_to_fs(url.rstrip("/"), **dict(options))
        self._pointer: bytes | None = None
        self._url = url.rstrip("/")
        self._for_spark: tuple[SparkSession, str] | None = None

    def require_spark(self, session: SparkSession) -> None:
        """Find out where Spark reads the store. UsageError if it reads neither the URL nor the copy."""
        if self._for_spark is not None and self._for_spark[0] is session:
            return
        Path(self.root).mkdir(parents=True, exist_ok=True)

        def put(name: str) -> None:
            with self._reaching():
                self._there.put_file(os.path.join(self.root, name), f"{self._base}/{name}")

        def remove(name: str) -> None:
            with self._reaching():
                self._there.rm_file(f"{self._base}/{name}")

        root = root_for(session, self._url, self.root, put, remove)
        self._for_spark = session, root

    def for_spark(self, part: str) -> str:
        """Where Spark reads a part of the current tables: in the copy, or at the URL."""
        return super().for_spark(part) if self._for_spark is None else f"{self._for_spark[1]}/{part}"

    @property
    def spark_sees_folder(self) -> bool:
        """Whether Spark reads the tables from the copy, where also what is not published lies."""
        return self._for_spark is None or self._for_spark[1] == spark_path(self.root)

    @contextlib.contextmanager
    def _reaching(self) -> Iterator[None]:
        """Raises a driver's error as a StoreError, or as UsageError without its text, which may be a page of a server."""
        try:
            yield
        except (ParquetError, UsageError):
            raise
        except Exception as error:  # each driver raises its library's own kinds
            found = heard(error, self.shown, getattr(self, "_there", None))
            if isinstance(found, StoreError):
                raise found from None
            if isinstance(found, FileNotFoundError):
                raise UsageError(str(found)) from None
            own = isinstance(error, ValueError | ImportError)  # fsspec: no such scheme, no driver
            said = masked(str(error))[:300] if own else type(error).__name__
            raise UsageError(f"{self.shown} cannot be reached: {said}") from None

    # From the URL.

    def fetch(self, current: bool = False, unfinished: bool = False) -> None:
        """Copy the pointer and the manifests; and the parts of the current run, and of unfinished runs."""
        self._copy(name for name in self._names() if not name.endswith(".parquet"))
        self._pointer = self._read_pointer()
        if self._pointer is not None:
            Path(self.root, "runs").mkdir(parents=True, exist_ok=True)
            Path(self.root, POINTER).write_bytes(self._pointer)
        run_id = self.current() if current else None
        wanted = [self.manifest(one) for one in self.manifest(run_id).chain] if run_id else []
        wanted += [self.partial(one) for one in (self.unfinished() if unfinished else ())]
        for run in wanted:
            self._copy(part for parts in run.parts.values() for part in parts)
            self._copy([run.superseded] if run.superseded else [])

    def _names(self) -> list[str]:
        """The files below the URL that are a store's, as paths below it."""
        with self._reaching():
            self._there.invalidate_cache()
            try:
                found = self._there.find(self._base)
            except FileNotFoundError:
                return []
        names = [path[len(self._base) :].lstrip("/") for path in found if path.startswith(self._base)]
        return [name for name in names if _FILE.fullmatch(name)]

    def _copy(self, names: Iterable[str]) -> None:
        """Copy files here; a part never changes, and is copied once."""
        for name in names:
            path = Path(self.root, *name.split("/"))
            if path.exists() and name.endswith(".parquet"):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._reaching():
                try:
                    self._there.get_file(f"{self._base}/{name}", str(path))
                except FileNotFoundError:
                    raise CorruptFileError(
                        f"{self.shown}/{name} is missing: the store is incomplete; scan the lake again", address=name
                    ) from None

    def _read_pointer(self) -> bytes | None:
        with self._reaching():
            try:
                with self._there.open(f"{self._base}/{POINTER}", "rb") as file:
                    data: bytes = file.read(manifests.MOST_BYTES)
                    return data
            except FileNotFoundError:
                return None

    # To the URL.

    def commit(self, manifest: Manifest, expected: bytes | None) -> None:
        """Make a run the current one here, then below the URL, where the pointer is written last."""
        super().commit(manifest, expected)
        there = self._names()
        for one in manifest.chain:
            if f"runs/{one}/{MANIFEST}" not in there:
                self._push(one, MANIFEST, there)
        if self._read_pointer() != self._pointer:
            raise UsageError(
                f"another scan finished meanwhile in {self.shown}; run {manifest.run_id} is stored but not current; "
                "refresh again"
            )
        self._pointer = Path(self.root, POINTER).read_bytes()
        with self._reaching():
            self._there.pipe_file(f"{self._base}/{POINTER}", self._pointer)
            ended = {name.split("/")[1] for name in there if name.endswith(f"/{PARTIAL}")}
            for name in sorted(there, key=lambda name: not name.endswith(f"/{PARTIAL}")):
                if name.split("/")[1] in ended and not Path(self.root, *name.split("/")).exists():
                    self._there.rm_file(f"{self._base}/{name}")

    def abandon(self, run_id: str) -> None:
        """End an unfinished run; what it kept is published for a scan with `resume`."""
        super().abandon(run_id)
        if Path(self.root, "runs", run_id, PARTIAL).exists():
            with contextlib.suppress(UsageError):  # the error that ended the run is raised
                self._push(run_id, PARTIAL, self._names())

    def _push(self, run_id: str, last: str, there: Sequence[str]) -> None:
        """Write the parts of a run that are not there, then the file `last`."""
        found = sorted(Path(self.root, "runs", run_id).rglob("*.parquet"))
        names = [path.relative_to(self.root).as_posix() for path in found]
        with self._reaching():
            for name in [*(name for name in names if name not in there), f"runs/{run_id}/{last}"]:
                path = os.path.join(self.root, *name.split("/"))
                self._there.put_file(path, f"{self._base}/{name}")


# Where Spark reads the stored tables of a lake at a URL: from this machine's copy, or from the URL.
#
# Tasks of a local session see the copy. Those of a cluster do not: they need the URL, which Spark reads with credentials of
# its own, not with fsspec's storage options. Both are tried with a file of one row.


def root_for(
    session: SparkSession, url: str, copy: str, put: Callable[[str], None], remove: Callable[[str], None]
) -> str:
    """The folder or URL below which Spark reads the store at a URL. UsageError if it reads neither.

    `put` and `remove` copy a file of the folder `copy` to the URL, and remove it there. A URL with a password is not given
    to Spark, because plans are shown and logged.
    """
    name = f"probe-{secrets.token_hex(8)}.parquet"
    probe = Path(copy, name)
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), probe)
    try:
        if master(session).startswith("local") and _reads(session, f"{spark_path(copy)}/{name}"):
            return spark_path(copy)
        if masked(url) == url:
            put(name)
            try:
                for known in _spellings(url):
                    if _reads(session, f"{known}/{name}"):
                        return known
            finally:
                remove(name)
    finally:
        probe.unlink()
    raise UsageError(
        f"{masked(url)} cannot be used with this Spark session: its nodes do not see this machine's folders, and Spark does "
        "not read the URL with its own settings; pass out= as a folder that all nodes see, such as /Volumes/…, or give Spark "
        "access to the URL"
    )


def _spellings(url: str) -> Iterator[str]:
    """The URL, and as Hadoop names the scheme: S3's is s3a outside of Databricks and EMR."""
    yield url
    if url.startswith("s3://"):
        yield f"s3a://{url[5:]}"


def _reads(session: SparkSession, path: str) -> bool:
    try:
        rows = session.read.schema("n INT").parquet(path).collect()
    except Exception:  # Spark's own, the JVM's, and those of its drivers
        return False
    return len(rows) == 1
