"""Makes a `Source` of a path, URL, bytes, file object or pyarrow NativeFile: here the engine reaches the outside."""

from __future__ import annotations

import functools
import io
import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeGuard, cast

import pyarrow

from pqexplore.engine import tables
from pqexplore.engine.errors import NotParquetError, UsageError
from pqexplore.engine.file import local_file
from pqexplore.engine.file.caller_types import (
    ArrowBuffer,
    ArrowFile,
    ArrowFileSystem,
    FileObject,
    FileSystem,
    FsspecFileSystem,
    Listed,
    Readable,
    SeekableFile,
    StorageOptions,
)
from pqexplore.engine.file.drivers import filesystem_of
from pqexplore.engine.file.prefetch import NO_TAIL, REMOTE_TAIL
from pqexplore.engine.file.retry import Requests
from pqexplore.engine.file.source import Source, local_path
from pqexplore.engine.file.store_errors import heard
from pqexplore.engine.file.urls import masked
from pqexplore.engine.handle import Handle
from pqexplore.engine.tables import SparkFrame

if TYPE_CHECKING:
    from fsspec.implementations.http import HTTPFileSystem

    from pqexplore.engine.file import http_file


WRAPPED = 8
"""File systems that wrap another, looked through for one of this machine."""


def open_source(
    source: Readable | Source,
    *,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
    streams: bool = True,
    tail_bytes: int = REMOTE_TAIL,
    listed: Listed | None = None,
) -> Source:
    """A `Source` from a path, URL, bytes, file object, pyarrow NativeFile, or table in memory.

    `filesystem` is an fsspec or pyarrow filesystem in which `source` is a path; `storage_options` go to fsspec, except
    for the two that `http_file` names. With `streams`, `/dev/stdin` and `/dev/fd/N` are the descriptors of this
    process. A pipe there, or a file object that cannot seek, is read to its end first. A table in memory is written as a
    file, a Spark DataFrame is the one file that it reads.

    Where a store gives the end of a file with its size, opening reads up to `tail_bytes` from there. Other stores are asked
    for the size, except if `listed` has it.

    Raises OSError if the source cannot be read, UsageError if it is a folder or of another type, NotParquetError for a
    named pipe, a socket, a device or an empty stream, LimitExceededError if a stream is too long.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, Handle):  # it has a method `read`, too
        raise UsageError(f"a {type(source).__name__} is open already: use it as it is")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(memoryview(source).cast("B"))
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        if "\0" in path:
            raise UsageError(f"a path has no NUL character; {path!r} has one")
        if filesystem is not None:
            return _from_filesystem(path, filesystem, tail_bytes=tail_bytes, listed=listed)
        where = local_path(path)
        if where is None:
            return _from_url(path, storage_options or {}, tail_bytes, listed)
        number = local_file.descriptor_number(where) if streams else None
        return _from_path(where) if number is None else _from_descriptor(number, where)
    if isinstance(source, ArrowFile):
        return _from_native(source)
    if isinstance(source, FileObject):
        return _from_file_object(source)
    if isinstance(source, ArrowBuffer):
        return _from_bytes(memoryview(cast("bytes", source)))  # a buffer, as bytes are
    if isinstance(source, SparkFrame):
        return open_source(tables.the_file(source), storage_options=storage_options)
    if tables.is_table(source):
        return _from_table(source)
    raise UsageError(
        "a path, URL, bytes, file object, pyarrow NativeFile, or a table of Arrow, pandas or polars is expected, not "
        f"{type(source).__name__}"
    )


def _from_table(rows: tables.Rows) -> Source:
    """The rows as the file that our writer makes of them, in memory."""
    from pqexplore.engine.writer.file import write  # only for what is no file

    sink = io.BytesIO()
    write(rows, sink)
    return _from_bytes(memoryview(sink.getvalue()), "table in memory")


def _from_bytes(data: memoryview, name: str = "bytes", *, whole: bool = False) -> Source:
    return Source(name, len(data), lambda start, length: data[start : start + length], local=True, whole=whole)


def _from_path(path: str) -> Source:
    path = os.path.expanduser(path)
    return _from_file(local_file.open_regular(path), path)


def from_descriptor_of(number: int, path: str) -> Source:
    """A regular file that the caller has opened: the descriptor decides what is read, whatever `path` names by now.

    `path` is its name, and where its neighbours are. Closes the descriptor. Raises as `local_file.open_regular` does.
    """
    local_file.refuse_special(os.fstat(number).st_mode, path)
    return _from_file(local_file.LocalFile(number), path)


def _from_file(file: local_file.LocalFile, path: str) -> Source:
    source = _from_local(
        file,
        path,
        sibling=lambda name: _from_path(os.path.join(os.path.dirname(path), name)),
        below=functools.partial(_from_path_below, os.path.dirname(os.path.abspath(path))),
    )
    source.path = os.path.abspath(path)
    return source


def _from_path_below(folder: str, path: str) -> Source:
    """A file below a folder. UsageError if a symbolic link leads out of it."""
    folder = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(folder, *path.split("/")))
    if os.path.commonpath([folder, real]) != folder:
        raise UsageError("a symbolic link leads out of the folder")
    return _from_path(real)


def _from_descriptor(number: int, path: str) -> Source:
    """A file that is open as a descriptor of this process, or all that a pipe there gives."""
    name = "standard input" if number == 0 else path
    source = _from_drained(local_file.open_descriptor(number, name), name)
    source.path = path
    return source


def _from_drained(opened: local_file.LocalFile | memoryview, name: str) -> Source:
    if isinstance(opened, memoryview):
        return _from_bytes(opened, name, whole=True)
    return _from_local(opened, name)


def _from_local(
    file: local_file.LocalFile,
    name: str,
    sibling: Callable[[str], Source] | None = None,
    below: Callable[[str], Source] | None = None,
) -> Source:
    return Source(
        name,
        file.size,
        file.fetch,
        local=True,
        close=file.close,
        fingerprint=file.fingerprint,
        sibling=sibling,
        below=below,
        whole=file.drained,
    )


def _from_file_object(file: FileObject) -> Source:
    """Positional reads by `seek` and `read`, one at a time. The caller closes the object."""
    name = getattr(file, "name", None)
    name = name if isinstance(name, str) else "file object"
    if not _seekable(file):
        return _from_drained(local_file.drain(lambda length: _as_bytes(file.read(length)), name), name)
    lock = threading.Lock()
    with lock:
        size = file.seek(0, io.SEEK_END)
        if size is None:
            size = file.tell()

    def fetch(start: int, length: int) -> bytes:
        with lock:
            file.seek(start)
            parts = []
            while length and (part := _as_bytes(file.read(length))):
                parts.append(part)
                length -= len(part)
            return b"".join(parts)

    source = Source(name, size, fetch, local=True)
    source.path = os.path.abspath(name) if os.path.isfile(name) else None
    return source


def _seekable(file: FileObject) -> TypeGuard[SeekableFile]:
    seekable = getattr(file, "seekable", None)
    return hasattr(file, "seek") if seekable is None else bool(seekable())


def _as_bytes(part: bytes | str | None) -> bytes:
    if isinstance(part, bytes):
        return part
    return part.encode() if isinstance(part, str) else bytes(part or b"")


def _from_native(file: ArrowFile) -> Source:
    size = file.size()
    return Source("pyarrow file", size, lambda start, length: file.read_at(length, start), local=True)


def _from_url(url: str, storage_options: StorageOptions, tail_bytes: int, listed: Listed | None) -> Source:
    if url.partition(":")[0].lower() in ("http", "https"):
        from pqexplore.engine.file import http_file  # needs the extra

        return _from_http(http_file.open_url(url, storage_options, tail_bytes))
    name = masked(url)
    try:
        import fsspec
    except ImportError:
        fsspec = None
    if fsspec is not None:
        try:
            filesystem, path = filesystem_of(url, storage_options)
        except UsageError:
            raise
        except (ImportError, ValueError):
            filesystem = None  # fsspec has no driver for this scheme; pyarrow may
        if filesystem is not None:
            return _from_filesystem(path, filesystem, name, tail_bytes, listed)
    from pyarrow import fs

    try:
        with _outside(name, pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            filesystem, path = fs.FileSystem.from_uri(url)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise UsageError(
            f"{name} cannot be opened: {masked(str(error))}; `pip install pqexplore[remote]` and the fsspec driver of "
            "its scheme may help"
        ) from None
    return _from_filesystem(path, filesystem, name=name)


def _from_http(file: http_file.HttpFile) -> Source:
    if file.body is not None:
        return _from_bytes(memoryview(file.body), file.name, whole=True)
    made = Source(
        file.name,
        file.size,
        file.fetch,
        local=False,
        fetch_many=file.fetch_many if file.gives_many else None,
        fingerprint=file.fingerprint,
        opened_as=file.opened_as,
        sibling=lambda name: _from_http(file.sibling(name)),
        below=lambda name: _from_http(file.sibling(name, NO_TAIL)),
        requests=file.requests,
    )
    if file.tail is not None:
        made.keep(file.size - len(file.tail), file.tail)
    return made


def _from_filesystem(
    path: str,
    filesystem: FileSystem,
    name: str | None = None,
    tail_bytes: int = REMOTE_TAIL,
    listed: Listed | None = None,
) -> Source:
    name = name or masked(path)
    protocol = getattr(filesystem, "protocol", ())
    protocols = (protocol,) if isinstance(protocol, str) else tuple(protocol)
    from pyarrow import fs

    if isinstance(filesystem, fs.LocalFileSystem) or "file" in protocols:
        return _from_path(path)
    if "http" in protocols or "https" in protocols:
        from pqexplore.engine.file import http_file  # needs the extra

        return _from_http(http_file.HttpFile(path, cast("HTTPFileSystem", filesystem), tail_bytes))
    if isinstance(filesystem, fs.FileSystem):
        return _from_arrow(path, filesystem, name)
    return _from_fsspec(path, cast("FsspecFileSystem", filesystem), name, tail_bytes, listed)


def _below(path: str, filesystem: FileSystem) -> Callable[[str], Source] | None:
    """As `_beside`; None if the file system is a part of this machine's, where links may lead out of the folder."""
    from pyarrow import fs

    inner: object = filesystem
    for _ in range(WRAPPED):
        inner = getattr(inner, "base_fs", None) or getattr(inner, "fs", None) or inner
    protocol = getattr(inner, "protocol", ())
    protocols = (protocol,) if isinstance(protocol, str) else tuple(protocol)
    local = isinstance(inner, fs.LocalFileSystem) or not {"file", "local"}.isdisjoint(protocols)
    return None if local else _beside(path, filesystem, NO_TAIL)


def _beside(path: str, filesystem: FileSystem, tail_bytes: int = REMOTE_TAIL) -> Callable[[str], Source]:
    """A function that opens the other files of the folder by name."""
    folder = path.rpartition("/")[0] + "/" if "/" in path else ""
    return lambda other: _from_filesystem(folder + other, filesystem, tail_bytes=tail_bytes)


def _from_arrow(path: str, filesystem: ArrowFileSystem, name: str) -> Source:
    from pyarrow import fs

    requests = Requests(name, filesystem)
    info = requests.send(lambda: filesystem.get_file_info(path))
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(name)
    _require_file(name, {fs.FileType.File: "file", fs.FileType.Directory: "directory"}.get(info.type))
    file = requests.send(lambda: filesystem.open_input_file(path))

    def fingerprint() -> object:
        now = requests.send(lambda: filesystem.get_file_info(path))
        return now.size, now.mtime_ns

    def fetch(start: int, length: int) -> bytes:
        return requests.send(lambda: file.read_at(length, start))

    return Source(
        name,
        file.size(),
        fetch,
        local=False,
        close=file.close,
        fingerprint=fingerprint,
        sibling=_beside(path, filesystem),
        below=_below(path, filesystem),
        requests=requests,
    )


def _from_fsspec(path: str, filesystem: FsspecFileSystem, name: str, tail_bytes: int, listed: Listed | None) -> Source:
    from pqexplore.engine.file.s3_file import open_s3

    requests = Requests(name, filesystem)
    file = requests.send(lambda: open_s3(path, filesystem, name, tail_bytes))
    reader = file or filesystem

    def state(info: Mapping[str, object]) -> object:
        tags = ("ETag", "etag", "mtime", "LastModified", "last_modified")
        tag = next((info[tag] for tag in tags if tag in info), None)
        return info.get("size"), tag.strip('"') if isinstance(tag, str) else tag

    def fetch(start: int, length: int) -> bytes:
        return requests.send(lambda: reader.cat_file(path, start=start, end=start + length))

    def asked() -> Mapping[str, object]:
        # An earlier listing may be older. adlfs forgets that of one folder, gcsfs those above, too.
        for listed_at in (path, path.rpartition("/")[0]):
            filesystem.invalidate_cache(listed_at)
        return reader.info(path)

    known = file.state if file is not None else listed and {"size": listed[0], "ETag": listed[1]}
    info = known or requests.send(asked)
    _require_file(name, info.get("type", "file"))
    size = info.get("size")
    if not isinstance(size, int):
        return _from_file_object(requests.send(lambda: filesystem.open(path, "rb")))
    made = Source(
        name,
        size,
        fetch,
        local=False,
        fingerprint=lambda: state(requests.send(asked)),
        opened_as=state(info),
        sibling=_beside(path, filesystem),
        below=_below(path, filesystem),
        requests=requests,
    )
    if file is not None:
        made.keep(size - len(file.tail), file.tail)
    return made


def _require_file(name: str, kind: object) -> None:
    """Raises if `kind`, in the words of a file system, is not that of a file."""
    if kind == "directory":
        raise UsageError(f"{name} is a folder; name one of the files in it")
    if kind != "file":
        raise NotParquetError(f"{name} is not a regular file; copy what it gives to one", offset=0)


class _outside:
    """Turns a file system's own errors into those of `store_errors.heard`; those of `kept` stay."""

    def __init__(self, name: str, *kept: type[Exception]) -> None:
        self._name, self._kept = name, kept

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, self._kept):
            problem = heard(error, self._name)
            if problem is not error:
                raise problem from None
