"""What a sample is."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from pqexplore.engine.thrift import structs
from pqexplore.engine.writer.file import write as write_table
from pqexplore.engine.writer.options import WriteOptions

CREATED_BY = "pqexplore samples version 1"
"""`created_by` of all samples: it does not change with the release, so that their bytes do not either."""

Destination = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Sample:
    """An example file: its name, the idea in a sentence, and what writes it to a path.

    `keys` are the arguments of `pqexplore.Decryption` that open it, for an encrypted one. `write` makes the same bytes
    every time; what is not compressed is the same on every machine, too.
    """

    name: str
    sentence: str
    write: Callable[[Destination], None]
    keys: dict[str, Any] = dataclasses.field(default_factory=dict)


def from_table(name: str, sentence: str, table: Callable[[], pa.Table], **options: Any) -> Sample:
    """The sample of a table under options of `WriteOptions`; without a codec, it is not compressed."""

    def write(path: Destination) -> None:
        chosen = {"codec": "UNCOMPRESSED", "created_by": CREATED_BY} | options
        write_table(table(), path, WriteOptions(**chosen))

    return Sample(name, sentence, write)


def from_bytes(name: str, sentence: str, make: Callable[[], bytes]) -> Sample:
    """The sample of a file that was assembled by hand."""

    def write(path: Destination) -> None:
        with open(path, "wb") as out:
            out.write(make())

    return Sample(name, sentence, write)


def extension_of(*names: str) -> dict[str, bytes]:
    """The option `extensions` for structs of these names, or of all."""
    return {name: f"extension of {name}".encode() for name in names or structs.STRUCTS}
