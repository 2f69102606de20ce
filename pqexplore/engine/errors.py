"""The errors of the engine, with their places.

Every error says what is wrong, where (an address in the file's tree, a byte offset, or both), what was expected, and what
to do. A decoder knows only its buffer, and raises with an offset in that buffer. A caller that knows the buffer's place in
the file adds it with `located`.
"""

from __future__ import annotations

from types import TracebackType
from typing import ClassVar

from pqexplore.engine.text import printable


class ParquetError(Exception):
    """The base of all errors about a Parquet file.

    `offset` is a byte offset in the file (None if only the address is known); `address` is that of the node in the file's
    tree (None if only the offset is known). The message is printable text, even with names and values from the file in it.
    """

    def __init__(self, message: str, *, offset: int | None = None, address: str | None = None) -> None:
        super().__init__(printable(message))
        self.message = message
        self.offset = offset
        self.address = address
        self._placed = False

    @property
    def message(self) -> str:
        """What is wrong, without the place."""
        return self._message

    @message.setter
    def message(self, text: str) -> None:
        self._message = printable(text)

    def __str__(self) -> str:
        where = []
        if self.address:
            where.append(f"at {printable(self.address)}")
        if self.offset is not None:
            where.append(f"byte {self.offset:,}")
        return f"{self.message} ({', '.join(where)})" if where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.offset, self.address))

    def _render_traceback_(self) -> list[str]:
        """IPython shows the sentence, not the frames of the library."""
        return [f"{type(self).__name__}: {self}"]


def _rebuild(kind: type[ParquetError], message: str, offset: int | None, address: str | None) -> ParquetError:
    return kind(message, offset=offset, address=address)


class NotParquetError(ParquetError):
    """The bytes are not a Parquet file: no magic, or too short to have a footer."""


class CorruptFileError(ParquetError):
    """The file contradicts the specification or itself."""


class UnsupportedFeatureError(ParquetError):
    """The file uses something that this version, or this installation, cannot read."""


class UndefinedNumberError(UnsupportedFeatureError):
    """The number of a codec, an encoding or a physical type that the format does not define: no known reader can read the values."""


class ElsewhereError(ParquetError):
    """The bytes lie in another file, which `ColumnChunk.file_path` names, and that file is not followed."""


class EncryptedFileError(ParquetError):
    """A part is encrypted, and its key is missing or wrong."""


class LimitExceededError(ParquetError):
    """Something takes more than `Limits` allows; the message says how to raise the limit."""


class UsageError(ValueError):
    """The caller's arguments are wrong: they name something that does not exist, or contradict each other."""

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message))


class NoNodeError(UsageError, KeyError):
    """There is nothing at an address. The message says which part of the address exists."""

    __str__ = Exception.__str__  # a KeyError's text is the repr of its message


class TargetError(UsageError):
    """A file is not written to a path: `target`, which the message begins with."""

    def __init__(self, target: str, why: str) -> None:
        super().__init__(f"{target} {why}")
        self.target = target
        self.why = why

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.target, self.why))


class StoreError(OSError):
    """A store (an object store, a web server, HDFS) did not give what was asked for.

    `code` is the value of `files.error_code`. `again` says whether the same request may succeed soon, `after` the seconds
    that the store asks to wait (None if it does not say).
    """

    code: ClassVar[str] = "unreadable"

    def __init__(self, message: str, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(printable(message))
        self.again = again
        self.after = after

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self.args)

    def _render_traceback_(self) -> list[str]:
        """IPython shows the sentence, not the frames of the library."""
        return [f"{type(self).__name__}: {self}"]


class CredentialsError(StoreError, PermissionError):
    """The store refuses access: no credentials, wrong or expired ones, or they do not allow it."""

    code = "credentials"


class NetworkError(StoreError, ConnectionError):
    """There is no connection to the store, or it broke."""

    code = "network"


class NoAnswerError(StoreError, TimeoutError):
    """The store did not answer in time."""

    code = "timeout"


class ThrottledError(StoreError):
    """The store asks for fewer requests, also after the tries that were made."""

    code = "throttled"


class within_memory:
    """Turns a MemoryError inside the `with` into a LimitExceededError with a place.

    Few bytes can become many values, so a file within all limits can still be too large for the machine.
    """

    __slots__ = ("_address", "_offset")

    def __init__(self, address: str | None, offset: int | None) -> None:
        self._address = address
        self._offset = offset

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, MemoryError):
            raise _too_large(error, self._offset, self._address) from None


def _too_large(error: MemoryError, offset: int | None, address: str | None) -> LimitExceededError:
    return LimitExceededError(
        f"the memory of this machine does not suffice: {error or 'an allocation failed'}; read fewer columns or row "
        "groups at once, or single pages",
        offset=offset,
        address=address,
    )


class located:
    """Adds to errors raised inside the `with` the place that only the caller knows.

    `start` is the file offset of the buffer. With `direct`, an error's offset in the buffer plus `start` is its offset in
    the file. Without (the buffer was decrypted or decompressed) the message gives the offset in the buffer, and the
    error's offset becomes `start`. Only the innermost `located` changes an error; it raises one of the kinds above in place
    of a decoder's own. MemoryError is treated as by
    `within_memory`.
    """

    __slots__ = ("_address", "_direct", "_start")

    def __init__(self, address: str, start: int | None, *, direct: bool = True) -> None:
        self._address = address
        self._start = start
        self._direct = direct

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            return
        if isinstance(error, MemoryError):
            placed = _too_large(error, self._start, self._address)
            placed._placed = True
            raise placed from None
        if not isinstance(error, ParquetError) or error._placed:
            return
        if error.offset is None:
            error.offset = self._start
        elif self._start is None:
            error.offset = None
        elif self._direct:
            error.offset += self._start
        else:
            error.message += f", at byte {error.offset:,} of the decoded bytes"
            error.offset = self._start
        error.address = error.address or self._address
        error._placed = True
        kind = _public(type(error))
        if kind is not type(error):
            public = kind(error.message, offset=error.offset, address=error.address)
            public._placed = True
            raise public from None


def _public(kind: type[ParquetError]) -> type[ParquetError]:
    """The kind of this module that an error is; decoders have narrower ones, for those who call them."""
    return next(one for one in kind.__mro__ if one.__module__ == __name__)
