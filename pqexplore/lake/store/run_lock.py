"""Tells folders that a running process writes from folders that a killed process left over.

A process that writes a folder keeps a file `ALIVE` in it, which it locks and touches every few seconds. The operating
system releases the lock when the process ends for any reason. So a folder is left over if

- its file names this machine, and the lock is free; or
- its file names another machine, or there is no such file, or there are no locks, and nothing in the folder was touched
  for `STALE` seconds. The file system gives the time, because the clocks of machines differ.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import platform
import secrets
import struct
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pqexplore.engine.errors import NotParquetError
from pqexplore.engine.file.local_file import read_small

ALIVE = ".alive"
BEAT = 30.0
"""Seconds between two touches."""
STALE = 24 * 3600.0
"""Seconds without a touch after which the folder of another machine's process counts as left over."""


class Alive:
    """Marks a folder as written by this process, until `close`."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, ALIVE)
        beside = f"{self.path}.{secrets.token_hex(4)}"
        self._file = open(beside, "xb")  # noqa: SIM115  # open as long as the folder is written
        locked = _lock(self._file)
        self._file.write((machine() if locked else "").encode())
        self._file.flush()
        os.rename(beside, self.path)  # nobody sees the file before it is locked
        self._stop = threading.Event()
        threading.Thread(target=self._beat, name="pqexplore alive", daemon=True).start()

    def _beat(self) -> None:
        while not self._stop.wait(BEAT):
            with contextlib.suppress(OSError):
                os.utime(self.path)

    def now(self) -> float:
        """The time by the clock of the file system."""
        os.utime(self.path)
        return os.stat(self.path).st_mtime

    def close(self) -> None:
        """Remove the mark: the folder is complete, or deleted."""
        self._stop.set()
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        self._file.close()


def left_over(folder: str, now: float) -> bool:
    """Whether the process that wrote a folder is gone; `now` is the file system's time."""
    path = os.path.join(folder, ALIVE)
    try:
        if read_small(path, 1000) == machine().encode():
            with open(path, "rb") as file:
                return _lock(file)
    except (OSError, ValueError, NotParquetError):
        pass  # it is gone by now, or not a readable file: the times of modification decide
    return now - _touched(folder) > STALE


def is_marked(folder: str) -> bool:
    """Whether a process marked a folder, and did not remove the mark."""
    return os.path.lexists(os.path.join(folder, ALIVE))


def machine() -> str:
    """A name of the running kernel: processes with the same name see each other's locks."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return f"{platform.node()}/{uuid.getnode():x}"


def _lock(file: BinaryIO) -> bool:
    """Take the lock of a file. Returns False if it is held, or there are no locks."""
    try:
        import fcntl
    except ImportError:  # Windows: only times of modification decide
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held, or a file system without locks
        return False
    return True


def _touched(folder: str) -> float:
    """When anything in a folder was last changed."""
    latest = 0.0
    for at, _, files in os.walk(folder):
        for name in (".", *files):
            with contextlib.suppress(OSError):
                latest = max(latest, os.lstat(os.path.join(at, name)).st_mtime)
    return latest


@contextlib.contextmanager
def exclusive(folder: str) -> Iterator[None]:
    """Context manager: no other process of this machine is in it for the same folder. Without locks, it does not wait."""
    descriptor = None
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


# Shows which file a process reads, in memory that it shares with the process that watches it.
#
# A process that died, or hangs in native code, cannot answer. Its last entry in shared memory can still be read.

PHASES = ("open", "footer", "chunks", "pages", "check")
"""Steps of reading a file, in order; see `files.phase`."""

_LAYOUT = struct.Struct("<qqq")
NOWHERE = -1
"""The place of a process that reads no file."""


class Pulse:
    """The number of files begun, the current file's index in the task (`place`), and its phase.

    `path` is a file made by `create`, which both processes map. Without it, only forks share the memory.
    """

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            self._memory = mmap.mmap(-1, _LAYOUT.size)
        else:
            with open(path, "r+b") as file:
                self._memory = mmap.mmap(file.fileno(), _LAYOUT.size)
        self._begun = 0
        self.rest()

    @staticmethod
    def create(path: str) -> None:
        """Create the file that both processes map."""
        with open(path, "xb") as file:
            os.chmod(path, 0o600)
            file.write(bytes(_LAYOUT.size))

    def begin(self, place: int) -> None:
        """Begin the file at this index of the task."""
        self._begun += 1
        _LAYOUT.pack_into(self._memory, 0, self._begun, place, 0)

    def enter(self, phase: str) -> None:
        """Set the phase of the current file."""
        _, place, _ = self._read()
        _LAYOUT.pack_into(self._memory, 0, self._begun, place, PHASES.index(phase))

    def rest(self) -> None:
        """Clear the current file."""
        _LAYOUT.pack_into(self._memory, 0, self._begun, NOWHERE, 0)

    def _read(self) -> tuple[int, int, int]:
        begun, place, phase = _LAYOUT.unpack_from(self._memory)
        return begun, place, phase

    @property
    def begun(self) -> int:
        """Number of files begun; it changes with each file."""
        return self._read()[0]

    @property
    def place(self) -> int:
        """Index of the current file in its task; NOWHERE if there is none."""
        return self._read()[1]

    @property
    def phase(self) -> str:
        """Phase of the current file."""
        return PHASES[self._read()[2] % len(PHASES)]
