"""An error as data: what a view, a table cell or a JSON document shows in its place."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    LimitExceededError,
    NotParquetError,
    ParquetError,
    StoreError,
    UnsupportedFeatureError,
    UsageError,
)

_CODES: tuple[tuple[type[BaseException], str], ...] = (
    (NotParquetError, "not-parquet"),
    (EncryptedFileError, "encrypted"),
    (UnsupportedFeatureError, "unsupported"),
    (LimitExceededError, "limit"),
    (CorruptFileError, "corrupt"),
    (FileNotFoundError, "missing"),
    (PermissionError, "forbidden"),
    (TimeoutError, "timeout"),
    (ConnectionError, "network"),
    (MemoryError, "limit"),
    (OSError, "unreadable"),
    (UsageError, "unreadable"),
)


def error_code(error: BaseException) -> str:
    """The kind of an error as one word: `code` in JSON, the columns `files.error_code` and `tables.error_code`."""
    if isinstance(error, StoreError):
        return error.code
    return next((code for kind, code in _CODES if isinstance(error, kind)), "internal")


@dataclasses.dataclass(slots=True)
class Trouble:
    """An error: its type, its message, and the address and byte offset where it was raised (null if unknown)."""

    type: str
    message: str
    address: str | None
    offset: int | None


def trouble_of(error: BaseException) -> Trouble:
    """The error as data."""
    kind = type(error).__name__
    if isinstance(error, ParquetError):
        return Trouble(kind, error.message, error.address, error.offset)
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return Trouble(kind, message or "no reason given", None, None)


def describe(error: BaseException) -> dict[str, Any]:
    """The error as a JSON object with the fields of `Trouble`, and `code`, its kind as one word."""
    return {**dataclasses.asdict(trouble_of(error)), "code": error_code(error)}
