"""An error as data: what a view, a table cell or a JSON document shows in its place."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import traceback
from collections.abc import Iterator
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


class UnexpectedError(RuntimeError):
    """A fault of pqexplore itself: `cause` should have been one of our errors.

    The message has the type and the place of `cause`, not its text, which can quote values or keys.
    """

    def __init__(self, cause: BaseException) -> None:
        frames = traceback.extract_tb(cause.__traceback__)
        own = [frame for frame in frames if "pqexplore" in frame.filename] or list(frames)
        place = ""
        if own:
            name = own[-1].filename.replace("\\", "/").rpartition("pqexplore/")[2]
            place = f" in {name}, line {own[-1].lineno}"
        super().__init__(
            f"unexpected {type(cause).__name__}{place}: this is a fault of pqexplore; please report it with this line"
        )
        self.cause = cause


_faults: contextvars.ContextVar[list[UnexpectedError] | None] = contextvars.ContextVar("faults", default=None)


def unexpected(cause: BaseException) -> UnexpectedError:
    """The error to show in place of an unexpected exception; it is also added to what `faults` collects."""
    made = UnexpectedError(cause)
    found = _faults.get()
    if found is not None:
        found.append(made)
    return made


@contextlib.contextmanager
def faults() -> Iterator[list[UnexpectedError]]:
    """Collects the unexpected exceptions inside the `with` that cost only a part of an answer."""
    outer, found = _faults.get(), list[UnexpectedError]()
    token = _faults.set(found)
    try:
        yield found
    finally:
        _faults.reset(token)
        if outer is not None:
            outer += found


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
