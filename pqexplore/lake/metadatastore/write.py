"""Writes the files of a store as Parquet that xskipper reads, and replaces the old store.

A store is replaced as a whole. The new one is written to a hidden directory next to it, and then the two are exchanged:
in one step if the system can (Linux: renameat2), else in two. Between the two steps there is no store, so a reader
skips nothing, but loses no rows. At a URL, new files are added first, then the old ones are removed: in between, readers
see objects twice; if adding fails, those that were added are removed again. xskipper appends to the directory and then deletes, so that readers see objects
twice, and an interruption leaves both.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import re
import secrets
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from pqexplore.engine.ending import removing, temporary_folder
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file import file as engine
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.output_file import require_folder
from pqexplore.engine.writer.file import write as write_file
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.lake.metadatastore import indexes, mark, names, remote, store_schema, store_types
from pqexplore.lake.metadatastore.store_keys import StoreKeys
from pqexplore.lake.store.run_lock import Alive, left_over

ROWS_PER_FILE = 50_000
"""xskipper's `io.xskipper.parquet.maxRecordsPerMetadataFile`."""
BYTES_PER_FILE = 32 << 20
"""xskipper's `io.xskipper.parquet.maxMetadataFileSize`; here the size of the table in memory."""

SPARK_VERSION = "4.0.0"
"""Written to the footer: Spark reads dates in files of versions before 3.0 in another calendar."""

BASE, EXPLICIT = "base", "explicit"
LOCATIONS = (BASE, EXPLICIT)

_MARKER = re.compile(r"\..*\.crc|_SUCCESS|_committed_\d+|_started_\d+")
"""Files that Spark writes next to data files."""
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def directory(out: str | os.PathLike[str], identifier: str, location: str = BASE) -> str:
    """The directory of a table's store: `out` itself (`explicit`), or below it by xskipper's rule (`base`)."""
    if location not in LOCATIONS:
        raise UsageError(f"location={location!r}: there are {' and '.join(LOCATIONS)}")
    where = os.fspath(out)
    if not remote.is_remote(where):
        require_folder(where)
    where = where.rstrip("/") if remote.is_remote(where) else os.path.abspath(where)
    return os.path.join(where, names.store_directory(identifier)) if location == BASE else where


def arrow_schema(of: store_schema.StoreSchema, kinds: Mapping[str, str]) -> pa.Schema:
    """The Arrow schema of a store's files; `kinds` has the Spark type of each indexed column, lower-cased."""
    fields = [pa.field(names.OBJECT, pa.string(), nullable=False)]
    fields += [pa.field(one.column, store_types.arrow_type(one.type)) for one in of.partitions]
    for index in of.indexes:
        kind = index.value_type or kinds.get(index.columns[0], "string")
        fields.append(pa.field(index.column, indexes.arrow_type(index.name, kind)))
    return pa.schema(fields)


@dataclasses.dataclass(slots=True)
class _Waiting:
    """Rows that no file has yet, and how many rows and bytes they are: a store of many files is added to row by row."""

    tables: list[pa.Table] = dataclasses.field(default_factory=list)
    rows: int = 0
    bytes: int = 0

    def add(self, table: pa.Table) -> None:
        self.tables.append(table)
        self.rows += table.num_rows
        self.bytes += table.nbytes


class StoreWriter:
    """Writes the files of a store of version 4 to a hidden directory; `finish` replaces the store with it.

    Rows with and without the mark of this package (see `mark`) are written to separate files. A context manager: on
    exit without `finish`, the files are removed.
    """

    def __init__(
        self, target: str, of: store_schema.StoreSchema, kinds: Mapping[str, str], keys: StoreKeys | None = None
    ) -> None:
        target = os.path.realpath(target)  # replaces the target of a link, not the link
        require_replaceable(target, None if keys is None else keys.decryption())
        self.target = target
        self.schema = of
        self.kinds = {name.lower(): kind for name, kind in kinds.items()}
        self.arrow = arrow_schema(of, self.kinds)
        self.keys = keys
        self.row_metadata = store_schema.to_json(of)
        self.job = uuid.uuid4()
        self.files = 0
        self._waiting = {False: _Waiting(), True: _Waiting()}
        parent, name = os.path.split(target)
        os.makedirs(parent, exist_ok=True)
        self.fresh = os.path.join(parent, f".{name}.{secrets.token_hex(4)}")
        os.mkdir(self.fresh)
        self._alive = Alive(self.fresh)
        self._removing = contextlib.ExitStack()
        collect(target, self._alive.now())

    def add(self, rows: pa.Table, *, marked: bool) -> None:
        """Adds rows; `marked` is whether this package computed their values."""
        waiting = self._waiting[marked]
        waiting.add(rows.cast(self.arrow))
        if waiting.rows >= ROWS_PER_FILE or waiting.bytes >= BYTES_PER_FILE:
            self._flush(marked)

    def _flush(self, marked: bool) -> None:
        waiting = self._waiting[marked].tables
        if not waiting:
            return
        self._waiting[marked] = _Waiting()
        notes = {store_schema.SPARK_VERSION: SPARK_VERSION, store_schema.ROW_METADATA: self.row_metadata}
        if marked:
            notes |= mark.write(self.kinds)
        filters = [index.column for index in self.schema.indexes if index.name == store_schema.BLOOM_FILTER]
        plain = {"encoding": "PLAIN", "statistics": (), "column_index": False}
        columns: dict[str | tuple[str, ...], dict[str, Any]] = {(one,): plain for one in filters}
        options = WriteOptions(
            codec="SNAPPY",
            root_name="spark_schema",
            key_value_metadata=notes,
            columns=columns | self._decimals(),
            encryption=None if self.keys is None else self.keys.encryption(self.schema),
        )
        name = f"part-{self.files:05}-{self.job}-c000.snappy.parquet"
        write_file(pa.concat_tables(waiting), os.path.join(self.fresh, name), options)
        self.files += 1

    def _decimals(self) -> dict[str | tuple[str, ...], dict[str, Any]]:
        """Column options that store decimals of up to 18 digits as integers, as Spark does."""
        found: dict[str | tuple[str, ...], dict[str, Any]] = {}
        for index in self.schema.indexes:
            parameters = store_types.decimal_parameters(index.value_type or "")
            if parameters is None or parameters[0] > 18:
                continue
            kind = {"physical_type": "INT32" if parameters[0] <= 9 else "INT64"}
            below = {store_schema.MINMAX: (("min",), ("max",)), store_schema.VALUE_LIST: (("list", "element"),)}
            for path in below.get(index.name, ()):
                found[(index.column, *path)] = dict(kind)
        return found

    def finish(self) -> str:
        """Writes the remaining rows, replaces the store, and returns its directory."""
        if not self.files and not any(one.tables for one in self._waiting.values()):
            self.add(self.arrow.empty_table(), marked=True)
        for marked in (False, True):
            self._flush(marked)
        self._alive.close()
        flip(self.fresh, self.target)
        return self.target

    def __enter__(self) -> StoreWriter:
        self._removing.enter_context(removing(self.fresh))
        return self

    def __exit__(self, *_: object) -> None:
        self._alive.close()
        self._removing.close()


def collect(target: str, now: float) -> None:
    """Removes the directories of processes that were killed while they wrote this store (see `alive`).

    An old store that was moved away, but not yet replaced, is moved back.
    """
    parent, name = os.path.split(target)
    left = re.compile(re.escape(f".{name}.") + r"[0-9a-f]{8}(\.old)?")
    for entry in list(os.scandir(parent)):
        match = left.fullmatch(entry.name)
        if match is None or not entry.is_dir(follow_symlinks=False):
            continue
        if left_over(entry.path, now):
            if match[1] and not os.path.lexists(target):
                os.rename(entry.path, target)
            else:
                shutil.rmtree(entry.path, ignore_errors=True)


def require_replaceable(target: str, decryption: Decryption | None) -> None:
    """Raises UsageError unless a path does not exist, or is a directory with only files of a store."""
    if not os.path.lexists(target):
        return
    if not os.path.isdir(target):
        raise UsageError(f"{target} is not a directory; a store needs a directory of its own")
    for entry in os.scandir(target):
        if _MARKER.fullmatch(entry.name) and entry.is_file():
            continue
        if not (entry.is_file() and entry.name.endswith(".parquet") and _of_store(entry.path, decryption)):
            raise UsageError(
                f"{target} has {entry.name!r}, which is not a readable file of a metadatastore; a new store replaces "
                "the directory, so choose another path or remove the file"
            )


def _of_store(path: str, decryption: Decryption | None, options: StorageOptions | None = None) -> bool:
    try:
        with engine.open(path, decryption=decryption, storage_options=options) as opened:
            return store_schema.is_store(opened.key_value_metadata)
    except ParquetError:
        return False


def flip(fresh: str, target: str) -> None:
    """Moves a directory to `target`. If `target` exists, it is replaced and removed."""
    if not os.path.lexists(target):
        os.rename(fresh, target)
        return
    if not _exchange(fresh, target):
        aside = f"{fresh}.old"
        os.rename(target, aside)
        os.rename(fresh, target)
        fresh = aside
    shutil.rmtree(fresh)


def _exchange(one: str, other: str) -> bool:
    """Exchanges two paths in one step. Returns False if the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    paths = os.fsencode(one), os.fsencode(other)
    result: int = rename(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    return result == 0


@contextlib.contextmanager
def staged(target: str, options: StorageOptions, keys: StoreKeys | None) -> Iterator[str]:
    """A directory of this machine in which to write a store; for a URL, its files then replace those at `target`.

    Raises UsageError if the URL has Parquet files that are not a store's.
    """
    if not remote.is_remote(target):
        yield target
        return
    old = remote.parquet_files(target, options)
    for url in old:
        if not _of_store(url, None if keys is None else keys.decryption(), options):
            raise UsageError(f"{url} is not a readable file of a metadatastore; choose another place")
    with temporary_folder() as folder:
        local = os.path.join(folder, "store")
        yield local
        with remote.reached(target):
            _publish(local, target, old, options)


def _publish(local: str, target: str, old: list[str], options: StorageOptions) -> None:
    import fsspec  # heavy, and an extra; the listing has imported it

    files, path = fsspec.core.url_to_fs(target, **options)
    added: list[str] = []
    try:
        files.makedirs(path, exist_ok=True)
        for name in sorted(os.listdir(local)):
            added.append(f"{path.rstrip('/')}/{name}")
            files.put_file(os.path.join(local, name), added[-1])
    except Exception:  # each driver raises its library's own kinds
        for one in added:
            with contextlib.suppress(Exception):
                files.rm_file(one)
        raise
    for url in old:
        files.rm_file(fsspec.core.url_to_fs(url, **options)[1])
    files.invalidate_cache()


def partition_array(partition: store_schema.Partition, values: Iterable[object]) -> pa.Array:
    """An Arrow array of a partition column, in the store's type, from plain Python values (days for dates)."""
    kind = store_types.arrow_type(partition.type)
    if partition.type == "date":
        return pa.array(list(values), pa.int32()).cast(kind)
    return pa.array(list(values), kind)
