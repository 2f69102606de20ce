"""The types of what a caller gives to open: file objects and file systems, by the methods that are called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from pqexplore.engine.tables import ArrowStream, SparkFrame


@runtime_checkable
class FileObject(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""


class SeekableFile(FileObject, Protocol):
    """A file object that can read at any position."""

    def seek(self, offset: int, whence: int = 0, /) -> int | None:
        """Move to a position."""

    def tell(self) -> int:
        """The position."""


@runtime_checkable
class ArrowFile(Protocol):
    """A `pyarrow.NativeFile`."""

    def size(self) -> int:
        """Bytes of the file."""

    def read_at(self, nbytes: int, offset: int) -> bytes:
        """Bytes from a position on."""

    def close(self) -> None:
        """Close the file."""


@runtime_checkable
class ArrowBuffer(Protocol):
    """A `pyarrow.Buffer`."""

    def to_pybytes(self) -> bytes:
        """A copy of the bytes."""


class FsspecFileSystem(Protocol):
    """An fsspec file system."""

    protocol: str | tuple[str, ...]

    def info(self, path: str) -> Mapping[str, object]:
        """What is known of a file, `type` and `size` among others."""

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        """A range of a file."""

    def invalidate_cache(self, path: str) -> None:
        """Forget the listings with a file."""

    def open(self, path: str, mode: str) -> FileObject:
        """A file, opened."""


class ArrowFileInfo(Protocol):
    """A `pyarrow.fs.FileInfo`."""

    type: int
    size: int
    mtime_ns: int


class ArrowFileSystem(Protocol):
    """A `pyarrow.fs.FileSystem`."""

    def get_file_info(self, path: str) -> ArrowFileInfo:
        """What is known of a file."""

    def open_input_file(self, path: str) -> ArrowFile:
        """A file, opened for positional reads."""


FileSystem: TypeAlias = FsspecFileSystem | ArrowFileSystem

Readable: TypeAlias = (
    str
    | os.PathLike[str]
    | bytes
    | bytearray
    | memoryview
    | FileObject
    | ArrowFile
    | ArrowBuffer
    | ArrowStream
    | SparkFrame
)
"""What `pqexplore.open` takes: a path, URL, bytes, file object, pyarrow NativeFile or Buffer; a table in memory; a Spark
DataFrame of one file."""

StorageOptions: TypeAlias = Mapping[str, object]
"""Options for the fsspec driver of a store: credentials, endpoint."""

Listed: TypeAlias = tuple[int, str]
"""A file's size in bytes and its ETag, by a listing of its folder."""
