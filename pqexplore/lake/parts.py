"""Record batches to Parquet files: what one task leaves behind.

A task writes one file a table. Where it cannot reach the store's folder, as on a cluster whose nodes do not share it,
the files travel as bytes and whoever asked puts them down. The files are named at random, so a task that is run twice
leaves a file that nobody lists and no row twice.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.thrift.c_reader import collection_paused
from pqexplore.lake.entries import Entry, Options
from pqexplore.lake.inspection import Inspection
from pqexplore.lake.tables import TABLES

PART_BYTES = 64 << 20
"""Bytes of rows, in memory, after which a new file is begun."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A file of a table: its place below the store's folder, its rows and bytes; its content where it travels."""

    table: str
    file: str
    rows: int
    size: int
    payload: bytes | None = None


@dataclasses.dataclass(frozen=True)
class Done:
    """What a task has done: files, those that could not be read, bytes that reading cost, and its parts."""

    files: int
    errors: int
    bytes_read: int
    parts: tuple[Part, ...]

    def to_json(self) -> str:
        """As one line of text, for a worker to answer; parts must not carry their content."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Done:
        """What `to_json` wrote."""
        read = json.loads(text)
        read["parts"] = tuple(Part(**part) for part in read["parts"])
        return cls(**read)


class PartWriter:
    """Writes the tables of one run; `root` is the store's folder, or None where the files are to travel."""

    def __init__(self, root: str | None, run_id: str) -> None:
        self._root = root
        self._run_id = run_id
        self._open: dict[str, tuple[Any, Any, str, list[int]]] = {}
        self._parts: list[Part] = []

    def write(self, table: str, batch: Any) -> None:
        """Add rows to a table."""
        if table not in self._open:
            self._open[table] = self._begin(table)
        writer, _, _, counted = self._open[table]
        writer.write_batch(batch)
        counted[0] += batch.num_rows
        counted[1] += batch.nbytes
        if counted[1] >= PART_BYTES:
            self._end(table)

    def _begin(self, table: str) -> tuple[Any, Any, str, list[int]]:
        file = f"runs/{self._run_id}/{table}/part-{uuid.uuid4().hex}.parquet"
        sink: Any
        if self._root is None:
            sink = io.BytesIO()
        else:
            sink = os.path.join(self._root, file)
            os.makedirs(os.path.dirname(sink), exist_ok=True)
        schema = TABLES[table].schema
        return pq.ParquetWriter(sink, schema, compression="zstd"), sink, file, [0, 0]

    def _end(self, table: str) -> None:
        writer, sink, file, (rows, _) = self._open.pop(table)
        writer.close()
        if self._root is None:
            payload = sink.getvalue()
            self._parts.append(Part(table, file, rows, len(payload), payload))
        else:
            self._parts.append(Part(table, file, rows, os.path.getsize(sink)))

    def close(self) -> tuple[Part, ...]:
        """End every file; gives all parts."""
        for table in list(self._open):
            self._end(table)
        return tuple(self._parts)


def inspect(entries: Iterable[Entry], options: Options, root: str | None) -> Done:
    """Read files and write their rows: a whole task."""
    inspection, writer, files = Inspection(options), PartWriter(root, options.run_id), 0

    def counted() -> Iterator[Entry]:
        nonlocal files
        for entry in entries:
            files += 1
            yield entry

    with collection_paused():  # what is made here has no cycles, and there is much of it
        for table, batch in inspection.batches(counted()):
            writer.write(table, batch)
    parts = writer.close()
    return Done(files, inspection.errors, inspection.bytes_read, parts)


def failed(entry: Entry, options: Options, root: str | None, code: str, error: str) -> Done:
    """The row of a file at which the reading process itself came to its end."""
    writer = PartWriter(root, options.run_id)
    row = {column.name: [None] for column in TABLES["files"].columns} | {
        "run_id": [options.run_id],
        "path": [entry.path],
        "size": [entry.size],
        "modified": [entry.modified],
        "etag": [entry.etag],
        "hidden": [entry.hidden],
        "status": ["error"],
        "error_code": [code],
        "error": [error],
        "phase": ["chunks"],
    }
    writer.write("files", TABLES["files"].batch(row))
    return Done(1, 1, 0, writer.close())


def save(part: Part, root: str) -> Part:
    """Put down a part that travelled; gives it without its content."""
    if part.payload is None:
        return part
    path = Path(root, part.file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(part.payload)
    return dataclasses.replace(part, payload=None)


def read(root: str, parts: Iterable[str], table: str) -> Any:
    """The rows of some parts as one Arrow table."""
    schema = TABLES[table].schema
    tables = [pq.ParquetFile(os.path.join(root, part)).read() for part in parts]
    return pa.concat_tables([schema.empty_table(), *(one.cast(schema) for one in tables)])
