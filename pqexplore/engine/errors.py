"""What can go wrong, and where.

Every error says what is wrong, where (an address in the file's tree, a byte offset, or both), what was
expected, and what to do. A decoder knows only its buffer: it raises with an offset into that buffer, and the
caller that knows where the buffer lies says so once, with `located`.
"""

from __future__ import annotations

from types import TracebackType


class ParquetError(Exception):
    """Something in or about a Parquet file is not as it should be.

    `offset` is a byte offset in the file (None where only the address is known); `address` is the path of the
    node in the file's tree (None where only the offset is known).
    """

    def __init__(
        self, message: str, *, offset: int | None = None, address: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.address = address
        self._placed = False

    def __str__(self) -> str:
        where = []
        if self.address:
            where.append(f"at {self.address}")
        if self.offset is not None:
            where.append(f"byte {self.offset:,}")
        return f"{self.message} ({', '.join(where)})" if where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.offset, self.address))

    def _render_traceback_(self) -> list[str]:
        """IPython shows the sentence, not the frames of the library."""
        return [f"{type(self).__name__}: {self}"]


def _rebuild(
    kind: type[ParquetError], message: str, offset: int | None, address: str | None
) -> ParquetError:
    return kind(message, offset=offset, address=address)


class NotParquetError(ParquetError):
    """The bytes are not a Parquet file: no magic, or too short to have a footer."""


class CorruptFileError(ParquetError):
    """The file contradicts the specification or itself."""


class UnsupportedFeatureError(ParquetError):
    """The file uses something that this version, or this installation, cannot read."""


class EncryptedFileError(ParquetError):
    """A part is locked: the key is missing, or does not open it."""


class LimitExceededError(ParquetError):
    """Reading on would take more than `Limits` allows; the message says how to raise it."""


class UsageError(ValueError):
    """The caller asked for something that does not exist or contradicts itself; the file is not at fault."""


class within_memory:
    """Let what does not fit into memory come out as a LimitExceededError with a place.

    Few bytes can stand for many values, so that within all limits a file may still be too much for the machine.
    """

    __slots__ = ("_address", "_offset")

    def __init__(self, address: str | None, offset: int | None) -> None:
        self._address = address
        self._offset = offset

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
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
    """Give errors raised inside the place that only the caller knows.

    `start` is the file offset of the buffer in hand. With `direct`, offsets in the buffer are offsets in the file
    shifted by `start`; without (the buffer was decrypted or decompressed) the offset within the buffer is told in
    the message, and the error's offset becomes `start`. An error is placed once: the innermost caller wins. What does
    not fit into memory is treated as by `within_memory`.
    """

    __slots__ = ("_address", "_direct", "_start")

    def __init__(self, address: str, start: int | None, *, direct: bool = True) -> None:
        self._address = address
        self._start = start
        self._direct = direct

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
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
