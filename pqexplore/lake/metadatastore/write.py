"""Store files: a table of indexes as Parquet that xskipper reads, written beside what is there, and flipped.

A store is replaced as a whole. The new one is written into a hidden directory beside it, and the two change places in
one step where the system has one (Linux: renameat2), else in two: in between there is no store, which costs a reader
skipping and never rows. xskipper itself appends to the directory and deletes afterwards, so that readers see objects
twice, and an interruption leaves both.
"""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import shutil
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from pqexplore.engine import file as engine
from pqexplore.engine.encryption.keys import Decryption
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.writer.file import write as write_file
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.lake.metadatastore import indexes, mark, names, schema, types
from pqexplore.lake.metadatastore.keys import StoreKeys

ROWS_PER_FILE = 50_000
"""xskipper's `io.xskipper.parquet.maxRecordsPerMetadataFile`."""
BYTES_PER_FILE = 32 << 20
"""xskipper's `io.xskipper.parquet.maxMetadataFileSize`, here of the table in memory."""

SPARK_VERSION = "4.0.0"
"""Spark takes dates of files by versions below 3.0 for those of another calendar."""

BASE, EXPLICIT = "base", "explicit"
LOCATIONS = (BASE, EXPLICIT)

_MARKER = re.compile(r"\..*\.crc|_SUCCESS|_committed_\d+|_started_\d+")
"""Files that Spark leaves beside data."""
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def directory(out: str | os.PathLike[str], identifier: str, location: str = BASE) -> str:
    """Where the store of a table lies: in `out` itself (`explicit`), or below it, by xskipper's rule (`base`)."""
    if location not in LOCATIONS:
        raise UsageError(f"location={location!r}: there are {' and '.join(LOCATIONS)}")
    where = os.path.abspath(os.fspath(out))
    return os.path.join(where, names.store_directory(identifier)) if location == BASE else where


def arrow_schema(of: schema.StoreSchema, kinds: Mapping[str, str]) -> pa.Schema:
    """The Arrow schema of a store's files; `kinds` has the Spark type of each indexed column, lower-cased."""
    fields = [pa.field(names.OBJECT, pa.string())]
    fields += [pa.field(one.column, types.arrow_type(one.type)) for one in of.partitions]
    for index in of.indexes:
        kind = index.value_type or kinds.get(index.columns[0], "string")
        fields.append(pa.field(index.column, indexes.arrow_type(index.name, kind)))
    return pa.schema(fields)


class StoreWriter:
    """Writes the files of a store of version 4 into a hidden directory, which `finish` puts in the store's place.

    Rows come with or without the mark of this package (see `mark`), and are kept in files apart. A context manager:
    what is not finished is removed.
    """

    def __init__(
        self,
        target: str,
        of: schema.StoreSchema,
        kinds: Mapping[str, str],
        keys: StoreKeys | None = None,
    ) -> None:
        target = os.path.realpath(target)  # what a link points to is replaced, not the link
        require_replaceable(target, None if keys is None else keys.decryption())
        self.target = target
        self.schema = of
        self.kinds = {name.lower(): kind for name, kind in kinds.items()}
        self.arrow = arrow_schema(of, self.kinds)
        self.keys = keys
        self.row_metadata = schema.to_json(of)
        self.job = uuid.uuid4()
        self.files = 0
        self._waiting: dict[bool, list[pa.Table]] = {False: [], True: []}
        parent, name = os.path.split(target)
        os.makedirs(parent, exist_ok=True)
        self.fresh = os.path.join(parent, f".{name}.{secrets.token_hex(4)}")
        os.mkdir(self.fresh)

    def add(self, rows: pa.Table, *, marked: bool) -> None:
        """Take rows; `marked` is whether their values were made, and are vouched for, by this package."""
        waiting = self._waiting[marked]
        waiting.append(rows.cast(self.arrow))
        enough = sum(table.num_rows for table in waiting) >= ROWS_PER_FILE
        if enough or sum(table.nbytes for table in waiting) >= BYTES_PER_FILE:
            self._flush(marked)

    def _flush(self, marked: bool) -> None:
        waiting = self._waiting[marked]
        if not waiting:
            return
        self._waiting[marked] = []
        notes = {schema.SPARK_VERSION: SPARK_VERSION, schema.ROW_METADATA: self.row_metadata}
        if marked:
            notes |= mark.write(self.kinds)
        filters = [
            index.column for index in self.schema.indexes if index.name == schema.BLOOM_FILTER
        ]
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
        """Decimals of up to 18 digits as integers, as Spark stores them."""
        found: dict[str | tuple[str, ...], dict[str, Any]] = {}
        for index in self.schema.indexes:
            parameters = types.decimal_parameters(index.value_type or "")
            if parameters is None or parameters[0] > 18:
                continue
            kind = {"physical_type": "INT32" if parameters[0] <= 9 else "INT64"}
            below = {
                schema.MINMAX: (("min",), ("max",)),
                schema.VALUE_LIST: (("list", "element"),),
            }
            for path in below.get(index.name, ()):
                found[(index.column, *path)] = dict(kind)
        return found

    def finish(self) -> str:
        """Write what is left, put the store in its place, and give its directory."""
        if not self.files and not any(self._waiting.values()):
            self.add(self.arrow.empty_table(), marked=True)
        for marked in (False, True):
            self._flush(marked)
        flip(self.fresh, self.target)
        return self.target

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.fresh, ignore_errors=True)


def require_replaceable(target: str, decryption: Decryption | None) -> None:
    """Raise UsageError unless a path is free, or a directory of nothing but store files, which a new store replaces."""
    if not os.path.lexists(target):
        return
    if not os.path.isdir(target):
        raise UsageError(f"{target} is no directory; a store is a directory of its own")
    for entry in os.scandir(target):
        if _MARKER.fullmatch(entry.name) and entry.is_file():
            continue
        if not (
            entry.is_file()
            and entry.name.endswith(".parquet")
            and _of_store(entry.path, decryption)
        ):
            raise UsageError(
                f"{target} has {entry.name!r}, which is no file of a metadatastore that can be read; "
                "what is there would be replaced, so choose another place or remove it"
            )


def _of_store(path: str, decryption: Decryption | None) -> bool:
    try:
        with engine.open(path, decryption=decryption) as opened:
            return schema.is_store(opened.key_value_metadata)
    except ParquetError:
        return False


def flip(fresh: str, target: str) -> None:
    """Put a directory in the place of another, which is removed; of one that is not there, too."""
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
    """Let two paths change places in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    paths = os.fsencode(one), os.fsencode(other)
    result: int = rename(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    return result == 0


def partition_array(partition: schema.Partition, values: Iterable[object]) -> pa.Array:
    """Values of a partition column, in plain Python (days for dates), as the store keeps them."""
    kind = types.arrow_type(partition.type)
    if partition.type == "date":
        return pa.array(list(values), pa.int32()).cast(kind)
    return pa.array(list(values), kind)
