"""Files of this machine: the only module that opens a path to read it.

A path in a folder, a log or a key's reference may be a named pipe, a socket or a device: opening it can wait for a
writer, and reading can be endless. So `open_regular` opens without waiting and checks the descriptor. Only descriptors of
this process that the caller names (`/dev/stdin`, `/dev/fd/63`) are read as streams.
"""

from __future__ import annotations

import errno
import os
import re
import select
import stat
import tempfile
import threading
from collections.abc import Callable

import pyarrow

from pqexplore.engine.errors import LimitExceededError, NotParquetError, UsageError

LARGE_READ = 64 << 10
"""Bytes from which on a read uses Arrow's allocator, which reuses memory."""

STREAM_IN_MEMORY = 64 << 20
"""Bytes of a stream that stay in memory; a longer one goes to a temporary file."""

STREAM_BYTES = 4 << 30
"""Maximum bytes of a stream."""

STANDARD_INPUT = "/dev/stdin"

_DESCRIPTOR = re.compile(r"/dev/(?:stdin|fd/(\d{1,9}))|/proc/(?:self|thread-self)/fd/(\d{1,9})")

_COPY = "copy what it gives to a file, or send it to standard input (`pqexplore -`)"
_KINDS: tuple[tuple[Callable[[int], bool], str, str], ...] = (
    (stat.S_ISFIFO, "a named pipe", _COPY),
    (stat.S_ISSOCK, "a socket", _COPY),
    (stat.S_ISCHR, "a character device", _COPY),
    (stat.S_ISBLK, "a block device", "copy its content to a file"),
)


class LocalFile:
    """An open regular file: positional reads from any thread. Closes `descriptor`.

    `drained`: it is a temporary file with the bytes of a stream.
    """

    def __init__(self, descriptor: int, *, drained: bool = False) -> None:
        self.descriptor = descriptor
        self.drained = drained
        self.size = os.fstat(descriptor).st_size
        self._lock = threading.Lock()

    def fetch(self, start: int, length: int) -> bytes | memoryview:
        """The bytes from `start`; fewer than `length` at the end of the file."""
        descriptor = self.descriptor
        if length >= LARGE_READ and hasattr(os, "preadv"):
            # Arrow's allocator reuses memory; new memory pages cost more than the copy.
            room = memoryview(pyarrow.allocate_buffer(length)).cast("B")
            if os.preadv(descriptor, [room], start) == length:
                return room.toreadonly()
        if hasattr(os, "pread"):
            data = os.pread(descriptor, length, start)
            if len(data) == length:
                return data
            parts = [data]  # one call gives at most 2 GiB
            while data and (have := sum(map(len, parts))) < length:
                data = os.pread(descriptor, length - have, start + have)
                parts.append(data)
            return b"".join(parts)
        with self._lock:
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, length)

    def fingerprint(self) -> tuple[int, int]:
        """Size in bytes and modification time in nanoseconds: they change if the file does."""
        status = os.fstat(self.descriptor)
        return status.st_size, status.st_mtime_ns

    def close(self) -> None:
        """Closes the descriptor."""
        os.close(self.descriptor)


def open_regular(path: str) -> LocalFile:
    """Opens a regular file, without waiting for anything.

    Raises NotParquetError for a named pipe, a socket or a device, UsageError for a folder, OSError if the path cannot be
    opened.
    """
    if "\0" in path:
        raise OSError(errno.EINVAL, "a path has no NUL character", path)
    refuse_special(os.stat(path).st_mode, path)  # opening a device can change its state
    flags = os.O_RDONLY
    for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    try:
        refuse_special(os.fstat(descriptor).st_mode, path)  # the path may be another file by now
        return LocalFile(descriptor)
    except BaseException:
        os.close(descriptor)
        raise


def refuse_special(mode: int, name: str) -> None:
    """Raises if a file's mode is not that of a regular file: UsageError for a folder, else NotParquetError."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise UsageError(f"{name} is a folder; name one of the files in it")
    for is_kind, kind, advice in _KINDS:
        if is_kind(mode):
            raise NotParquetError(f"{name} is {kind}, not a file; {advice}", offset=0)
    raise NotParquetError(f"{name} is not a regular file; {_COPY}", offset=0)


def descriptor_number(path: str) -> int | None:
    """The descriptor of this process that a path names, such as 63 for `/dev/fd/63`; None for other paths."""
    match = _DESCRIPTOR.fullmatch(path)
    return None if match is None else int(match[1] or match[2] or 0)


def open_descriptor(number: int, name: str) -> LocalFile | memoryview:
    """The file of a descriptor of this process, or all bytes of a pipe, in memory or in a temporary file.

    Raises UsageError for a terminal or a folder, NotParquetError for a block device or a stream without bytes,
    LimitExceededError for a stream without end.
    """
    try:
        mode = os.fstat(number).st_mode
    except OSError as error:
        if error.errno == errno.EBADF:
            raise FileNotFoundError(f"{name} is not open in this process") from None
        raise
    if os.isatty(number):
        raise UsageError(f"{name} is a terminal; send a file to it (`pqexplore - < FILE`), or name the file")
    if stat.S_ISREG(mode):
        return LocalFile(os.dup(number))
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)):
        refuse_special(mode, name)

    def read(length: int) -> bytes:
        while True:
            try:
                return os.read(number, length)
            except BlockingIOError:  # the descriptor is non-blocking: wait for it here
                select.select([number], [], [])

    return drain(read, name)


def drain(read: Callable[[int], bytes], name: str) -> LocalFile | memoryview:
    """All bytes of a stream, so that they can be read at any position.

    `read(n)` gives up to n bytes, and none at the end. Raises NotParquetError if the stream is empty, LimitExceededError
    beyond `STREAM_BYTES`, OSError if the temporary file does not fit on the disk.
    """
    begun = bytearray()
    total = 0
    while len(begun) <= STREAM_IN_MEMORY:
        part = read(1 << 20)
        if not part:
            if not begun:
                raise NotParquetError(f"{name} is empty: nothing was sent to it", offset=0)
            return memoryview(bytes(begun))
        begun += part
    with tempfile.TemporaryFile(prefix="pqexplore-") as out:
        part = bytes(begun)
        del begun
        while part:
            total += len(part)
            if total > STREAM_BYTES:
                raise LimitExceededError(
                    f"{name} gives more than {STREAM_BYTES:,} bytes; write them to a file, and open that",
                    offset=STREAM_BYTES,
                )
            try:
                out.write(part)
                out.flush()
            except OSError as error:
                raise OSError(
                    f"{name} does not fit into a temporary file in {tempfile.gettempdir()}: {error.strerror}; "
                    "TMPDIR names another folder"
                ) from None
            part = read(1 << 20)
        return LocalFile(os.dup(out.fileno()), drained=True)


def read_small(path: str, most: int) -> bytes:
    """The first `most` bytes of a file, or of a descriptor of this process such as `/dev/fd/63`.

    Raises as `open_regular` and `open_descriptor` do.
    """
    number = descriptor_number(path)
    opened = open_regular(path) if number is None else open_descriptor(number, path)
    if isinstance(opened, memoryview):
        return bytes(opened[:most])
    try:
        return bytes(opened.fetch(0, min(most, opened.size)))
    finally:
        opened.close()
