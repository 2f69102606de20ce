"""A source of bytes: positional reads from any thread.

A `Source` counts what it reads, so that "how many bytes did that cost?" always has an answer, and notices if the file
changes while it is open. `opening` makes sources of paths, URLs, bytes and file objects.
"""

from __future__ import annotations

import os
import re
import threading
import urllib.parse
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import numpy as np

from pqexplore.engine.errors import CorruptFileError, NotParquetError, UsageError
from pqexplore.engine.file.prefetch import REMOTE_HEAD, Data, Expected, Ranges, together
from pqexplore.engine.file.retry import Requests

CAPACITY = 128 << 20
"""Bytes that one open file keeps."""

T = TypeVar("T")


class Cache:
    """A thread-safe store of results, bounded by the bytes that they hold."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._used = 0
        self._items: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of `key`; `make` makes it if it is not kept, `size` gives the bytes that it holds.

        Two threads may make the same value at once; both get the one that is kept first.
        """
        with self._lock:
            item = self._items.get(key)  # one look-up: this is asked hundreds of thousands of times
            if item is not None:
                self._items.move_to_end(key)
                kept: T = item[0]
                return kept
        value = make()
        held = size(value)
        with self._lock:
            if key in self._items:
                first: T = self._items[key][0]
                return first
            self._items[key] = (value, held)
            self._used += held
            while self._used > self._capacity and len(self._items) > 1:
                # the newest value stays, whatever its size
                self._used -= self._items.popitem(last=False)[1][1]
        return value

    def peek(self, key: Hashable) -> Any:
        """The value of `key` if it is kept, else None."""
        with self._lock:
            item = self._items.get(key)
            return None if item is None else item[0]

    def has(self, key: Hashable) -> bool:
        """Whether the value of `key` is kept."""
        with self._lock:
            return key in self._items

    def clear(self) -> None:
        """Removes all values."""
        with self._lock:
            self._items.clear()
            self._used = 0


class Scratch:
    """The interface of `Cache` for one short-lived reader: keeps everything, has no lock."""

    def __init__(self) -> None:
        self._items: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of `key`; `make` makes it if it is not kept. `size` is not called."""
        if key not in self._items:
            self._items[key] = make()
        value: T = self._items[key]
        return value

    def peek(self, key: Hashable) -> Any:
        """The value of `key` if it is kept, else None."""
        return self._items.get(key)


RECENT_RANGES = 10_000
"""How many of the last ranges read are remembered one by one; the totals count all."""

_NOTHING_EXPECTED = nullcontext()

_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class Source:
    """Bytes with positions.

    `name` is a path, a URL or a word such as "bytes"; `size` is in bytes; `local` says that a read costs microseconds
    and not a round trip. `bytes_read`, `reads` and `ranges` (the latest `(start, length)` pairs) are what reading has
    cost.
    """

    def __init__(
        self,
        name: str,
        size: int,
        fetch: Callable[[int, int], Data],
        *,
        local: bool,
        fetch_many: Callable[[Sequence[tuple[int, int]]], Sequence[Data] | None] | None = None,
        close: Callable[[], None] = lambda: None,
        fingerprint: Callable[[], object] = lambda: None,
        opened_as: object = None,
        sibling: Callable[[str], Source] | None = None,
        below: Callable[[str], Source] | None = None,
        whole: bool = False,
        requests: Requests | None = None,
    ) -> None:
        """`fetch_many` gives several ranges by one request; None if the store does not. `sibling` opens a file of the same folder by its name, `below` one by its path from there. `opened_as` is the fingerprint at the time of opening, if it is known; `whole`: all bytes were read already."""
        self.name = name
        self.path: str | None = None
        """The absolute path of a file of this machine, if one was opened."""
        self.size = size
        self.local = local
        self.bytes_read = size if whole else 0
        self.reads = 0
        self.ranges: deque[tuple[int, int]] = deque(maxlen=RECENT_RANGES)
        self._fetch = fetch
        self._fetch_many = fetch_many
        self._close = close
        self._fingerprint = fingerprint
        self.opened_as = fingerprint() if opened_as is None else opened_as
        """Size and modification time, or ETag, when it was opened; None if nothing tells its states apart."""
        self._whole = whole
        self._requests = requests
        self._sibling = sibling
        self._below = below
        self._finalizer: Callable[[], object] | None = None
        self._count = threading.Lock()
        self._closed = False
        self.held: tuple[int, memoryview] | None = None
        """The start and the bytes of a range that is in memory; see `held`."""
        self._kept: tuple[tuple[int, memoryview], ...] = ()
        self._expected: tuple[Expected, ...] = ()

    def read(self, start: int, length: int) -> bytes | memoryview:
        """Exactly `length` bytes from byte `start`.

        Raises CorruptFileError if the file does not have them or has changed, UsageError if the source is closed, OSError
        if it cannot be read.
        """
        if self._closed:
            raise UsageError(f"{self.name} is closed; open it again")
        if start < 0 or length < 0 or start + length > self.size:
            raise CorruptFileError(
                f"bytes [{start:,}, {start + length:,}) are asked for, the file has {self.size:,}",
                offset=max(0, min(start, self.size)),
            )
        if length == 0:
            return b""
        if self._kept or self._expected:
            known = self.at_hand(start)
            if known is not None and len(known) >= length:
                return known[:length]
        return self._read(start, length)

    def _read(self, start: int, length: int) -> bytes | memoryview:
        data = self._fetch(start, length)
        with self._count:
            self._counted((start, len(data)))
        if len(data) != length or (self.local and self.changed()):
            raise CorruptFileError(
                f"{self.name} changed while it was open; open it again to see what it is now", offset=start
            )
        return data

    def _read_many(self, ranges: Sequence[tuple[int, int]]) -> list[Data]:
        """The bytes of ranges in the file: by one request, if the store gives several so, else at the same time."""
        fetch_many = self._fetch_many  # another thread may find that the store does not
        if fetch_many is None or len(ranges) < 2:
            return together(lambda one: self._read(*one), ranges)
        from pqexplore.engine.file import http_file  # only web servers answer several ranges at once

        sent = [group for group in http_file.groups(ranges) if len(group) > 1]
        found: dict[tuple[int, int], Data] = {}
        for group, data in zip(sent, together(fetch_many, sent), strict=True):
            if data is None:
                self._fetch_many = None
            else:
                found.update(zip(group, data, strict=True))
                with self._count:
                    self._counted(*group)
        left = [one for one in ranges if one not in found]
        found.update(zip(left, together(lambda one: self._read(*one), left), strict=True))
        return [found[one] for one in ranges]

    def _counted(self, *ranges: tuple[int, int]) -> None:
        """Counts the ranges of one request."""
        self.bytes_read += 0 if self._whole else sum(length for _, length in ranges)
        self.reads += 1
        self.ranges.extend(ranges)

    # Reading ahead, where a read is a round trip.

    def keep(self, start: int, data: bytes | memoryview) -> None:
        """Keeps bytes that came with the opening: they count as read, and later reads inside them cost nothing."""
        with self._count:
            self._kept = (*self._kept, (start, memoryview(data).toreadonly()))
            self._counted((start, len(data)))

    @property
    def kept_tail(self) -> memoryview | None:
        """The last bytes of the file, if they came with the opening."""
        kept = self._kept[:1]
        return kept[0][1] if kept and kept[0][0] + len(kept[0][1]) == self.size else None

    def keep_head(self) -> None:
        """Reads the first bytes and keeps them, if a read costs a round trip."""
        length = min(REMOTE_HEAD, self.size)
        if not self.local and length and self.at_hand(0) is None:
            data = self._read(0, length)
            with self._count:
                self._kept = (*self._kept, (0, memoryview(data).toreadonly()))

    def expecting(self, ranges: Ranges) -> AbstractContextManager[None]:
        """Inside the `with`, the first read of one of these ranges brings the next ones with it (see `ahead`).

        `ranges` are in the order in which they will be read; what lies outside the file is left out. Does nothing if a
        read costs no round trip.
        """
        if self.local or not len(ranges):
            return _NOTHING_EXPECTED
        wanted = np.array(ranges, np.int64).reshape(-1, 2)
        wanted = wanted[(wanted[:, 0] >= 0) & (wanted[:, 0] < self.size) & (wanted[:, 1] > 0)]
        wanted[:, 1] = np.minimum(wanted[:, 1], self.size - wanted[:, 0])
        return self._with(Expected(self._read_many, wanted))

    @contextmanager
    def _with(self, expected: Expected) -> Iterator[None]:
        with self._count:
            self._expected = (*self._expected, expected)
        try:
            yield
        finally:
            with self._count:
                self._expected = tuple(one for one in self._expected if one is not expected)

    @property
    def gives_many(self) -> bool:
        """Whether one request may bring several ranges."""
        return self._fetch_many is not None

    @property
    def expects(self) -> bool:
        """Whether reads are expected."""
        return bool(self._expected)

    def at_hand(self, offset: int) -> memoryview | None:
        """The bytes from `offset` on that are in memory, or come now because they are expected; None if none."""
        for start, data in self._kept:
            if start <= offset < start + len(data):
                return data[offset - start :]
        for expected in self._expected:
            known = expected.at(offset)
            if known is not None:
                return known
        return None

    def changed(self) -> bool:
        """Whether size, modification time or ETag differ from what they were when the source was opened."""
        return self._fingerprint() != self.opened_as

    @property
    def retries(self) -> int:
        """Requests that were repeated, because the store was busy or the connection broke."""
        return 0 if self._requests is None else self._requests.retries

    @property
    def has_folder(self) -> bool:
        """Whether the files beside this one can be opened."""
        return self._sibling is not None

    def sibling(self, name: str) -> Source | None:
        """The file of that plain name in the same folder; None if there is no such file, or no folder."""
        if self._sibling is None or not name or name in (".", "..") or re.search(r"[/\\:]", name):
            return None
        try:
            return self._sibling(name)
        except (OSError, NotParquetError, UsageError):
            return None

    def below(self, path: str) -> Source:
        """The file at a path from this file's folder on; the caller checks that the path's words stay below it.

        Raises UsageError if there is no folder, or a symbolic link leads out of it; else as `open_source`.
        """
        if self._below is None:
            raise UsageError(f"{self.name} has no folder in which files can be followed")
        return self._below(path)

    def close_when_dropped(self) -> None:
        """Closes what was opened when the last reference to this object is dropped, or by `close`."""
        self._finalizer = weakref.finalize(self, self._close)

    def close(self) -> None:
        """Closes what was opened here; reading afterwards raises UsageError."""
        if not self._closed:
            self._closed = True
            (self._finalizer or self._close)()


def held(source: Source, start: int, length: int) -> Source:
    """The same source with one range in memory, which is read now; reads inside it cost nothing more."""
    data = memoryview(source.read(start, length))

    def fetch(at: int, wanted: int) -> bytes | memoryview:
        inside = at - start
        if inside < 0 or inside + wanted > length:
            return source.read(at, wanted)
        return data[inside : inside + wanted]

    view = Source(source.name, source.size, fetch, local=True)
    view.held = start, data.toreadonly()
    return view


def local_path(path: str) -> str | None:
    """The path on this machine that a path or URL means; None if it is somewhere else.

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
