"""Writes the rows of one task to Parquet files, and reads these files.

A task writes one file for each table. If it cannot reach the store's folder, as on a cluster whose nodes do not share
it, the files are sent as bytes and the caller saves them. File names are random: if a task runs twice, one of its files
is in no manifest, and no row is stored twice.
"""

from __future__ import annotations

import dataclasses
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift.c_reader import collection_paused
from pqexplore.lake.footer_rows.inspection import Inspection
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.store.run_lock import Pulse
from pqexplore.lake.store.temporary_tables import DEFINITIONS
from pqexplore.lake.tables import ADDED, TABLES

if TYPE_CHECKING:
    from pqexplore.lake.scanning.per_file import EachFile

PART_BYTES = 64 << 20
"""Bytes of rows, in memory, after which a new file begins."""


@dataclasses.dataclass(frozen=True)
class StoredPart:
    """A file of a table: path below the store's folder, number of rows, bytes; `payload` is its content if it is sent."""

    table: str
    file: str
    rows: int
    size: int
    payload: bytes | None = None


@dataclasses.dataclass(frozen=True)
class Done:
    """The result of a task: number of files, of unreadable files, of bytes that were read, and its parts."""

    files: int
    errors: int
    bytes_read: int
    parts: tuple[StoredPart, ...]

    def to_json(self) -> str:
        """The result as one line of text, which a worker sends; parts must not have a payload."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Done:
        """Parses the text of `to_json`."""
        read = json.loads(text)
        read["parts"] = tuple(StoredPart(**part) for part in read["parts"])
        return cls(**read)


class PartWriter:
    """Writes the tables of one run below `root`: the store's folder, or a folder whose parts are sent to the store."""

    def __init__(self, root: str, run_id: str) -> None:
        self._root = root
        self._run_id = run_id
        self._open: dict[str, tuple[pq.ParquetWriter, str, str, list[int]]] = {}
        self._parts: list[StoredPart] = []

    def write(self, table: str, batch: pa.RecordBatch) -> None:
        """Add rows to a table."""
        if table not in self._open:
            self._open[table] = self._begin(table)
        writer, _, _, counted = self._open[table]
        writer.write_batch(batch)
        counted[0] += batch.num_rows
        counted[1] += batch.nbytes
        if counted[1] >= PART_BYTES:
            self._end(table)

    def _begin(self, table: str) -> tuple[pq.ParquetWriter, str, str, list[int]]:
        file = f"runs/{self._run_id}/{table}/part-{uuid.uuid4().hex}.parquet"
        path = os.path.join(self._root, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        writer = pq.ParquetWriter(path, DEFINITIONS[table].schema, compression="zstd")
        return writer, path, file, [0, 0]

    def _end(self, table: str) -> None:
        writer, path, file, (rows, _) = self._open.pop(table)
        writer.close()
        self._parts.append(StoredPart(table, file, rows, os.path.getsize(path)))

    def close(self) -> tuple[StoredPart, ...]:
        """Close every file. Returns all parts."""
        for table in list(self._open):
            self._end(table)
        return tuple(self._parts)


def inspect(entries: Iterable[Entry], options: Options, root: str, pulse: Pulse | None = None) -> Done:
    """Run a task: read files and write their rows. `pulse` shows the current file."""
    pulse = pulse or Pulse()
    inspection: Inspection | EachFile
    if options.doctor:
        from pqexplore.lake.doctor.diagnosing import Diagnosing  # a scan needs no rules

        inspection = Diagnosing(options, pulse)
    elif options.trial:
        from pqexplore.lake.what_if.trying import Trying

        inspection = Trying(options, pulse)
    elif options.sample:
        from pqexplore.lake.doctor.diagnosing import diagnosed  # most scans need no rules

        inspection = Inspection(options, pulse, diagnosed)
    else:
        inspection = Inspection(options, pulse)
    writer = PartWriter(root, options.run_id)
    files = 0

    def counted() -> Iterator[Entry]:
        nonlocal files
        for entry in entries:
            files += 1
            yield entry

    with collection_paused():  # many objects, and no reference cycles
        for table, batch in inspection.batches(counted()):
            writer.write(table, batch)
    pulse.rest()
    parts = writer.close()
    return Done(files, inspection.errors, inspection.bytes_read, parts)


def failed(entry: Entry, options: Options, root: str, code: str, error: str, phase: str) -> Done:
    """Write the row of a file that ended the reading process, or took too long."""
    writer = PartWriter(root, options.run_id)
    row = {column.name: [None] for column in TABLES["files"].columns} | {
        "run_id": [options.run_id],
        "path": [entry.path],
        "size": [entry.size],
        "modified": [entry.modified],
        "etag": [entry.etag],
        "hidden": [entry.hidden],
        **{name: [value] for name, value in entry.by_log().items()},
        "status": ["error"],
        "error_code": [code],
        "error": [error],
        "phase": [phase],
        "listed_rows": [entry.listed_rows],
    }
    writer.write("files", TABLES["files"].batch(row))
    return Done(1, 1, 0, writer.close())


def load(part: StoredPart, root: str) -> bytes:
    """The content of a part that is to be sent. Removes its file."""
    path = Path(root, part.file)
    content = path.read_bytes()
    path.unlink()
    return content


def save(part: StoredPart, root: str) -> StoredPart:
    """Save a part that was sent. Returns it without its payload."""
    if part.payload is None:
        return part
    path = Path(root, part.file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(part.payload)
    return dataclasses.replace(part, payload=None)


def read(root: str, parts: Iterable[str], table: str) -> pa.Table:
    """The rows of some parts of a table as one Arrow table. CorruptFileError if a part is damaged."""
    schema = DEFINITIONS[table].schema
    return pa.concat_tables([schema.empty_table(), *(read_one(root, p, schema) for p in parts)])


NEVER_NULL = ("path", "run_id", "status")
"""Columns that are never null."""


def read_one(root: str, part: str, schema: pa.Schema) -> pa.Table:
    """All rows of a part, with the columns of `schema`. CorruptFileError if it is damaged."""
    with opened(root, part, schema) as file:
        try:
            rows = file.read([name for name in schema.names if name in file.schema_arrow.names])
            for field in schema:
                if field.name not in rows.column_names:
                    rows = rows.append_column(field, pa.nulls(len(rows), field.type))
            rows = rows.select(schema.names).cast(schema)
            rows.validate(full=True)  # text is UTF-8
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _damaged(root, part, str(error)) from None
    for name in NEVER_NULL:
        if name in schema.names and rows[name].null_count:
            raise _damaged(root, part, f"column {name} has a null")
    return rows


def opened(root: str, part: str, schema: pa.Schema) -> pq.ParquetFile:
    """Opens a part. CorruptFileError if it is missing, not Parquet, outside of the store, or has other columns."""
    path = os.path.join(root, part)
    if not os.path.isfile(path):  # nor a pipe, which would block
        raise _damaged(root, part, "there is no such file")
    if os.path.relpath(os.path.realpath(path), os.path.realpath(root)).startswith(os.pardir):
        raise _damaged(root, part, "it is a link to a file outside of the store")
    try:
        file = pq.ParquetFile(path)
        found = file.schema_arrow
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(root, part, str(error)) from None
    for field in schema:
        index = found.get_field_index(field.name)
        if index < 0 and field.name in ADDED:
            continue
        if index < 0 or not found.field(index).type.equals(field.type):
            file.close()
            has = "no such column" if index < 0 else str(found.field(index).type)
            raise _damaged(root, part, f"column {field.name} is {field.type}, and the file has {has}")
    return file


def _damaged(root: str, part: str, reason: str) -> CorruptFileError:
    return CorruptFileError(
        f"{os.path.join(root, part)} is not a valid part of a lake's table: {reason[:300]}; scan the lake "
        "again into the same folder",
        address=part,
    )
