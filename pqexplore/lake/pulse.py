"""Shows which file a process reads, in memory that it shares with the process that watches it.

A process that died, or hangs in native code, cannot answer. Its last entry in shared memory can still be read.
"""

from __future__ import annotations

import mmap
import os
import struct

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
