"""The process of a document, as the server sees it: what it says goes to one listener, what it hears waits in a queue.

Two threads carry the frames, so that neither a busy process nor a slow browser holds the server's loop.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from typing import IO, Literal, NotRequired, TypedDict

from pqexplore.app import frames
from pqexplore.engine import own_processes

MEMORY, SECONDS = 4 << 30, 3_600
"""Bytes of memory and seconds of CPU that the process of a document may take, unless the user allows others."""

WAITING = 2_000
"""Frames that may wait for a process; a browser that sends more is not ours."""

FORGOTTEN = ("JUPYTER_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_API_TOKEN")
"""Variables that a process of a document does not get: they open the server."""


class Asked(TypedDict):
    """What to open: `path` is a real path, a URL, or the name of a dropped file, which has a `size` in bytes."""

    kind: Literal["file", "folder", "url", "dropped"]
    path: str
    size: NotRequired[int]


class Opening(Asked):
    """What the process hears first: what to open, within which limits, and the number of the file's descriptor."""

    memory: int
    seconds: int
    descriptor: int | None


class Process:
    """A process of a document. `listen` gets its messages, from another thread, and None at its end."""

    def __init__(
        self, asked: Asked, descriptor: int | None = None, *, memory: int = MEMORY, seconds: int = SECONDS
    ) -> None:
        """`descriptor` is the file, open; this object closes it."""
        environment = {name: value for name, value in own_processes.environment().items() if name not in FORGOTTEN}
        given = () if descriptor is None or os.name == "nt" else (descriptor,)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pqexplore.app.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                cwd=_nowhere(),
                pass_fds=given,
                start_new_session=True,  # Ctrl-C is the server's; a process ends when its input does
            )
        finally:
            if descriptor is not None:
                os.close(descriptor)
        self._out: queue.Queue[tuple[bytes, bytes] | None] = queue.Queue(WAITING)
        assert self._process.stdin is not None and self._process.stdout is not None
        threading.Thread(target=self._write, args=(self._process.stdin,), daemon=True).start()
        self._stdout = self._process.stdout
        opening: Opening = {**asked, "memory": memory, "seconds": seconds, "descriptor": given[0] if given else None}
        self.put(frames.TEXT, json.dumps(opening).encode())

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def listen(self, heard: Callable[[bytes | None], None]) -> None:
        """Begin to read what the process says. `heard` may wait: then the process waits, too."""
        threading.Thread(target=self._read, args=(heard,), daemon=True).start()

    def tell(self, message: Mapping[str, object]) -> None:
        """Send a message to the process. OverflowError if too many wait."""
        self.put(frames.TEXT, json.dumps(message).encode())

    def put(self, kind: bytes, payload: bytes) -> None:
        """Send a frame to the process. OverflowError if too many wait."""
        try:
            self._out.put_nowait((kind, payload))
        except queue.Full:
            raise OverflowError("too many messages wait for the process of the document") from None

    def end(self) -> None:
        """End the process, whatever it does."""
        with contextlib.suppress(queue.Full):
            self._out.put_nowait(None)
        with contextlib.suppress(OSError):
            self._process.kill()
        threading.Thread(target=self._process.wait, daemon=True).start()

    def _write(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), stdin:
            while (frame := self._out.get()) is not None:
                frames.write(stdin, *frame)

    def _read(self, heard: Callable[[bytes | None], None]) -> None:
        with contextlib.suppress(OSError, ValueError, frames.FrameError), self._stdout:
            while (frame := frames.read(self._stdout)) is not None:
                heard(frame[1])
        self.end()
        heard(None)


def _nowhere() -> str:
    """The folder in which a process works: always the same, and none of the user's."""
    return os.path.abspath(os.sep) if os.name != "nt" else tempfile.gettempdir()
