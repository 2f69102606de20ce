"""A sample file, and functions that define one."""

from __future__ import annotations

import dataclasses
import io
import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.writer.file import destination
from pqexplore.engine.writer.file import write as write_table
from pqexplore.engine.writer.options import WriteOptions

CREATED_BY = "pqexplore samples version 1"
"""`created_by` of all samples; it stays the same in every release, so that their bytes do."""

Destination = str | os.PathLike[str] | io.BytesIO


@dataclasses.dataclass(frozen=True, slots=True)
class Sample:
    """An example file: its name, its idea in a sentence, and a function that writes it to a path or a buffer.

    `keys` are the arguments of `pqexplore.Decryption` that open an encrypted sample. `write` always writes the same
    bytes; without compression they are also the same on every machine. `where` is a condition to ask the sample, "" if
    there is none.
    """

    name: str
    sentence: str
    write: Callable[[Destination], None]
    keys: dict[str, Any] = dataclasses.field(default_factory=dict)
    where: str = ""

    def data(self) -> bytes:
        """The bytes of the file."""
        buffer = io.BytesIO()
        self.write(buffer)
        return buffer.getvalue()


def from_table(name: str, sentence: str, table: Callable[[], pa.Table], *, where: str = "", **options: Any) -> Sample:
    """A sample of a table, written with these `WriteOptions`; the default codec is UNCOMPRESSED."""

    def write(path: Destination) -> None:
        chosen = {"codec": "UNCOMPRESSED", "created_by": CREATED_BY} | options
        write_table(table(), path, WriteOptions(**chosen))

    return Sample(name, sentence, write, where=where)


def from_bytes(name: str, sentence: str, make: Callable[[], bytes]) -> Sample:
    """A sample of a file that is built by `assembly`."""

    def write(path: Destination) -> None:
        data = make()
        with destination(path) as out:
            out.write(data)

    return Sample(name, sentence, write)


def extension_of(*names: str) -> dict[str, bytes]:
    """The option `extensions` for structs of these names, or of all."""
    return {name: f"extension of {name}".encode() for name in names or structs.STRUCTS}
