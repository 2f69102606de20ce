"""Opens the files of a list, remote ones ahead of their turn, and says why one cannot be opened."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, TypeVar

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.footer_tail import TAIL
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.source import Source, local_path
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.store.run_lock import Pulse

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits

T = TypeVar("T")

AT_ONCE = 16
"""Max remote files that are requested at the same time."""

contents: ContextVar[Mapping[str, bytes]] = ContextVar("contents", default=MappingProxyType({}))
"""The contents of files that were read as a whole, by path: they are not opened."""


class OpenOptions(TypedDict, total=False):
    """What `pqexplore.open` takes by name; see there."""

    decryption: Decryption | None
    limits: Limits | None
    filesystem: FileSystem | None
    storage_options: StorageOptions | None


@dataclasses.dataclass(frozen=True)
class How:
    """How the files of a table are opened; see `pqexplore.open`. `follow_outside`: also those outside of the folder or table."""

    decryption: Decryption | None = None
    limits: Limits | None = None
    storage_options: StorageOptions | None = dataclasses.field(default=None, repr=False)
    follow_outside: bool = False


def opened_ahead(
    entries: Iterable[Entry], open: Callable[[Entry, Callable[[str], None]], T], pulse: Pulse
) -> Iterator[tuple[Entry, T]]:
    """Yields entries with what `open(entry, enter)` gives of each; remote files are requested ahead.

    `open` raises nothing. It calls `enter` with each phase that it begins.
    """
    pool: ThreadPoolExecutor | None = None
    ahead: list[tuple[int, Entry, Future[T]]] = []

    def arrived(place: int, entry: Entry, opened: Future[T]) -> tuple[Entry, T]:
        pulse.begin(place)
        return entry, opened.result()

    try:
        for place, entry in enumerate(entries):
            if local_path(entry.path) is not None:
                pulse.begin(place)
                yield entry, open(entry, pulse.enter)
                continue
            pool = pool or ThreadPoolExecutor(AT_ONCE)
            ahead.append((place, entry, pool.submit(copy_context().run, open, entry, lambda phase: None)))
            if len(ahead) >= 2 * AT_ONCE:
                yield arrived(*ahead.pop(0))
        for one in ahead:
            yield arrived(*one)
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def open_listed(entry: Entry, storage_options: StorageOptions) -> Source:
    """The source of a listed file, also of one in `contents`.

    The store is not asked for a size that its listing gave with an ETag.
    """
    held = contents.get().get(entry.path)
    if held is not None:
        return _in_memory(entry.path, held)
    # A worker's standard input is how its tasks reach it, so no name in a lake may mean it: no streams.
    known = None if entry.size is None or entry.etag is None else (entry.size, entry.etag)
    return open_source(entry.path, storage_options=storage_options, streams=False, tail_bytes=TAIL, listed=known)


def _in_memory(path: str, data: bytes) -> Source:
    return Source(path, len(data), lambda at, n: data[at : at + n], local=True, whole=True)


def words(error: BaseException) -> str:
    """What an error says: of a ParquetError its message, of others their kind, too."""
    if isinstance(error, ParquetError):
        return error.message
    if isinstance(error, OSError):
        return f"{error.strerror or error}"
    return f"{type(error).__name__}: {error}"[:1000]


def explained(error: Exception, path: str) -> Exception:
    """The error, with more detail if the file system has it."""
    if isinstance(error, FileNotFoundError):
        where = local_path(path)
        if where is not None and os.path.islink(where):
            return FileNotFoundError(error.errno, f"a symbolic link to {os.readlink(where)}, which does not exist")
        return FileNotFoundError(error.errno, "no such file; it was there when the folder was listed")
    return error
