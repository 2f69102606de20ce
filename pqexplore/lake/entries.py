"""What is known of a file before it is read, how files are read, and words for what is said of them."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from typing import Any

import pqexplore
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    LimitExceededError,
    NotParquetError,
    UnsupportedFeatureError,
    UsageError,
)
from pqexplore.lake.tables import SCHEMA_VERSION

ENGINE = f"{pqexplore.__version__}/{SCHEMA_VERSION}"
"""What read a file: another engine reads it again."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file to read, as the listing has it: size in bytes, time of modification in microseconds since 1970."""

    path: str
    size: int | None = None
    modified: int | None = None
    etag: str | None = None
    hidden: bool = False
    listed_rows: int | None = None


@dataclasses.dataclass(frozen=True)
class Options:
    """How files are read; travels to the workers.

    `level` is chunks or pages; `check` looks everywhere in each file, which reads all of it. `batch_rows` is the most
    rows of a batch. `limits` are those of `pqexplore.Limits` that differ from their defaults.
    """

    run_id: str = ""
    level: str = "chunks"
    check: bool = False
    batch_rows: int = 8192
    limits: tuple[tuple[str, int], ...] = ()
    storage_options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Options:
        """The options that `to_json` wrote."""
        read = json.loads(text)
        for name in ("limits", "storage_options"):
            read[name] = tuple((key, value) for key, value in read[name])
        return cls(**read)

    def to_json(self) -> str:
        """The options as text, for a worker."""
        return json.dumps(dataclasses.asdict(self))


_CODES: tuple[tuple[type[BaseException], str], ...] = (
    (NotParquetError, "not-parquet"),
    (EncryptedFileError, "encrypted"),
    (UnsupportedFeatureError, "unsupported"),
    (LimitExceededError, "limit"),
    (CorruptFileError, "corrupt"),
    (FileNotFoundError, "missing"),
    (PermissionError, "forbidden"),
    (MemoryError, "limit"),
    (OSError, "unreadable"),
    (UsageError, "unreadable"),
)


def error_code(error: BaseException) -> str:
    """The kind of an error as the table `files` has it."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), "internal")


_CREATED_BY = re.compile(r"(.+?)\s+(?:version\s+)?v?(\d[\w.+-]*)", re.IGNORECASE)


@functools.lru_cache(1024)
def writer(created_by: str | None) -> tuple[str | None, str | None]:
    """Name and version of the writer; what is no such pair is the name."""
    if not created_by:
        return None, None
    match = _CREATED_BY.match(created_by)
    return (match[1], match[2]) if match else (created_by, None)


@functools.lru_cache(4096)
def _partition(folder: str) -> str:
    return "/".join(part for part in folder.split("/") if 0 < part.find("=") < len(part))


def partition_values(path: str) -> str:
    """The `key=value` folders of a path."""
    return _partition(path.rpartition("/")[0])
