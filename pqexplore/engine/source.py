"""Where bytes come from: the only part of the engine that touches the outside.

A `Source` has a size and answers positional reads from any thread. It counts what it reads, so that "how many
bytes did that cost?" always has an answer, and it notices when what it reads from changes underneath it.
"""

from __future__ import annotations

import io
import os
import re
import threading
import urllib.parse
from collections import deque
from collections.abc import Callable
from typing import Any

import pyarrow

from pqexplore.engine.errors import CorruptFileError, NotParquetError, UsageError

RECENT_RANGES = 10_000
"""How many of the last ranges read are remembered one by one; the totals count all."""

LARGE_READ = 64 << 10
"""Bytes from which a read goes into memory that is worth using again."""

_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class Source:
    """Bytes with positions.

    `name` is what people call it, `size` its length in bytes, `local` whether a read costs microseconds rather than
    a round trip. `bytes_read`, `reads` and `ranges` (the latest `(start, length)` pairs) say what reading has cost.
    """

    def __init__(
        self,
        name: str,
        size: int,
        fetch: Callable[[int, int], bytes | memoryview],
        *,
        local: bool,
        close: Callable[[], None] = lambda: None,
        fingerprint: Callable[[], object] = lambda: None,
        sibling: Callable[[str], Source] | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.local = local
        self.bytes_read = 0
        self.reads = 0
        self.ranges: deque[tuple[int, int]] = deque(maxlen=RECENT_RANGES)
        self._fetch = fetch
        self._close = close
        self._fingerprint = fingerprint
        self._opened_as = fingerprint()
        self._sibling = sibling
        self._count = threading.Lock()
        self._closed = False
        self.held: tuple[int, memoryview] | None = None
        """A range that is in memory, and where it begins; see `held`."""

    def read(self, start: int, length: int) -> bytes | memoryview:
        """Exactly `length` bytes from `start`; CorruptFileError where the file does not have them."""
        if self._closed:
            raise UsageError(f"{self.name} is closed; open it again")
        if start < 0 or length < 0 or start + length > self.size:
            raise CorruptFileError(
                f"bytes [{start:,}, {start + length:,}) are asked for, the file has {self.size:,}",
                offset=max(0, min(start, self.size)),
            )
        if length == 0:
            return b""
        data = self._fetch(start, length)
        with self._count:
            self.bytes_read += len(data)
            self.reads += 1
            self.ranges.append((start, length))
        if len(data) != length or (self.local and self.changed()):
            raise CorruptFileError(
                f"{self.name} changed while it was open; open it again to see what it is now",
                offset=start,
            )
        return data

    def changed(self) -> bool:
        """Whether size, modification time or ETag differ from what they were when the source was opened."""
        return self._fingerprint() != self._opened_as

    def sibling(self, name: str) -> Source | None:
        """A file of that plain name in the same folder; None where there is none, or no folder."""
        if self._sibling is None or not name or name in (".", "..") or re.search(r"[/\\:]", name):
            return None
        try:
            return self._sibling(name)
        except (OSError, NotParquetError):
            return None

    def close(self) -> None:
        """Let go of what is open; reading afterwards raises."""
        if not self._closed:
            self._closed = True
            self._close()


def held(source: Source, start: int, length: int) -> Source:
    """The same source with one range in memory, read now: reads inside of it cost nothing more."""
    data = memoryview(source.read(start, length))

    def fetch(at: int, wanted: int) -> bytes | memoryview:
        inside = at - start
        if inside < 0 or inside + wanted > length:
            return source.read(at, wanted)
        return data[inside : inside + wanted]

    made = Source(source.name, source.size, fetch, local=True)
    made.held = start, data.toreadonly()
    return made


def local_path(path: str) -> str | None:
    """The path on this machine that a path or URL means; None where it names another place.

    `file:` URLs, and Databricks' `dbfs:/Volumes/x` → `/Volumes/x` and `dbfs:/x` → `/dbfs/x`.
    """
    if _WINDOWS_DRIVE.match(path):
        return path
    scheme, separator, rest = path.partition(":")
    if not separator or "/" in scheme or os.sep in scheme or len(scheme) < 2:
        return path
    if scheme == "file":
        return urllib.parse.unquote(re.sub(r"^//(localhost)?(?=/)", "", rest))
    if scheme == "dbfs":
        inside = "/" + rest.lstrip("/")
        return inside if inside.startswith("/Volumes/") else "/dbfs" + inside
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme) and (rest.startswith("//") or "::" in path):
        return None
    return path


def open_source(
    source: Any, *, filesystem: Any = None, storage_options: dict[str, Any] | None = None
) -> Source:
    """A `Source` from a path, URL, bytes, file object or pyarrow NativeFile.

    `filesystem` is an fsspec or pyarrow filesystem in which `source` is a path; `storage_options` go to fsspec.
    Raises OSError where the place cannot be read, UsageError where `source` is none of these.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(memoryview(source).cast("B"))
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if not isinstance(path, str):
            path = os.fsdecode(path)
        if filesystem is not None:
            return _from_filesystem(path, filesystem)
        where = local_path(path)
        return _from_path(where) if where is not None else _from_url(path, storage_options or {})
    if hasattr(source, "read_at") or hasattr(source, "read_buffer"):
        return _from_native(source)
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _from_file_object(source)
    if hasattr(source, "to_pybytes"):
        return _from_bytes(memoryview(source))
    raise UsageError(
        f"a path, URL, bytes, file object or pyarrow NativeFile is expected, not {type(source).__name__}"
    )


def _from_bytes(data: memoryview) -> Source:
    return Source(
        "bytes", len(data), lambda start, length: data[start : start + length], local=True
    )


def _from_path(path: str) -> Source:
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder; name one of the files in it")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    lock = threading.Lock()

    def fetch(start: int, length: int) -> bytes | memoryview:
        if length >= LARGE_READ and hasattr(os, "preadv"):
            # Arrow's allocator gives memory that was in use before; new pages cost more than the copy.
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
        with lock:
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, length)

    def fingerprint() -> object:
        status = os.fstat(descriptor)
        return status.st_size, status.st_mtime_ns

    return Source(
        path,
        os.fstat(descriptor).st_size,
        fetch,
        local=True,
        close=lambda: os.close(descriptor),
        fingerprint=fingerprint,
        sibling=lambda name: _from_path(os.path.join(os.path.dirname(path), name)),
    )


def _from_file_object(file: Any) -> Source:
    """Positional reads over `seek` and `read`, one at a time; the object stays its owner's to close."""
    lock = threading.Lock()
    with lock:
        size = file.seek(0, io.SEEK_END)
        if size is None:
            size = file.tell()

    def fetch(start: int, length: int) -> bytes:
        with lock:
            file.seek(start)
            parts = []
            while length and (part := file.read(length)):
                if not isinstance(part, bytes):
                    part = bytes(part) if not isinstance(part, str) else part.encode()
                parts.append(part)
                length -= len(part)
            return b"".join(parts)

    name = getattr(file, "name", None)
    return Source(name if isinstance(name, str) else "file object", size, fetch, local=True)


def _from_native(file: Any) -> Source:
    if not hasattr(file, "read_at"):
        return _from_file_object(file)
    size = file.size()
    return Source(
        "pyarrow file", size, lambda start, length: file.read_at(length, start), local=True
    )


def _from_url(url: str, storage_options: dict[str, Any]) -> Source:
    try:
        import fsspec
    except ImportError:
        fsspec = None
    if fsspec is not None:
        try:
            filesystem, path = fsspec.core.url_to_fs(url, **storage_options)
        except (ImportError, ValueError):
            filesystem = None  # fsspec has no driver for this scheme; pyarrow may
        if filesystem is not None:
            return _from_filesystem(path, filesystem, name=url)
    from pyarrow import fs

    try:
        filesystem, path = fs.FileSystem.from_uri(url)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise UsageError(
            f"{url} cannot be opened: {error}; `pip install pqexplore[remote]` and the fsspec driver of its "
            "scheme may help"
        ) from None
    return _from_filesystem(path, filesystem, name=url)


def _from_filesystem(path: str, filesystem: Any, name: str | None = None) -> Source:
    from pyarrow import fs

    name = name or path
    folder = path.rpartition("/")[0]

    def sibling(other: str) -> Source:
        return _from_filesystem(f"{folder}/{other}" if folder else other, filesystem)

    if isinstance(filesystem, fs.FileSystem):
        info = filesystem.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(name)
        file = filesystem.open_input_file(path)

        def arrow_fingerprint() -> object:
            now = filesystem.get_file_info(path)
            return now.size, now.mtime_ns

        return Source(
            name,
            file.size(),
            lambda start, length: file.read_at(length, start),
            local=isinstance(filesystem, fs.LocalFileSystem),
            close=file.close,
            fingerprint=arrow_fingerprint,
            sibling=sibling,
        )

    def fingerprint() -> object:
        now = filesystem.info(path)
        return now.get("size"), next(
            (
                now[k]
                for k in ("ETag", "etag", "mtime", "LastModified", "last_modified")
                if k in now
            ),
            None,
        )

    size = filesystem.info(path).get("size")
    if size is None:
        return _from_file_object(filesystem.open(path, "rb"))
    local = "file" in (
        (filesystem.protocol,) if isinstance(filesystem.protocol, str) else filesystem.protocol
    )
    return Source(
        name,
        size,
        lambda start, length: filesystem.cat_file(path, start=start, end=start + length),
        local=local,
        fingerprint=fingerprint,
        sibling=sibling,
    )
