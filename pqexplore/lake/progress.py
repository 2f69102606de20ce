"""Progress and cancellation of a scan."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable

from pqexplore.lake.parts import Done


class Cancelled(Exception):
    """The scan was cancelled. The last complete run stays current."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """Progress of a scan: files done and in total, unreadable files, bytes read, seconds so far.

    `remaining` is an estimate from the rate so far; None before the first files are done.
    """

    files: int
    total: int
    errors: int
    bytes_read: int
    seconds: float

    @property
    def remaining(self) -> float | None:
        """Estimated seconds for the other files; None before the first files are done."""
        if not self.files:
            return None
        return self.seconds / self.files * (self.total - self.files)

    def __str__(self) -> str:
        left = "" if self.remaining is None else f", about {self.remaining:,.0f} s left"
        return (
            f"{self.files:,} of {self.total:,} files, {self.errors:,} errors, {self.bytes_read / 1e6:,.1f} MB read, "
            f"{self.seconds:,.0f} s{left}"
        )


class Watch:
    """Counts finished files, reports progress to a listener, and holds the request to cancel."""

    def __init__(self, listener: Callable[[Progress], None] | None = None) -> None:
        self._listener = listener
        self._stop = threading.Event()
        self._begun = time.perf_counter()
        self._total = 0
        self._done = (0, 0, 0)
        self.progress = Progress(0, 0, 0, 0, 0.0)

    def begin(self, total: int) -> None:
        """Start with the number of files to read."""
        self._total = total
        self._report()

    def add(self, done: Done) -> None:
        """Count a finished task."""
        files, errors, read = self._done
        self._done = files + done.files, errors + done.errors, read + done.bytes_read
        self._report()

    def _report(self) -> None:
        seconds = time.perf_counter() - self._begun
        files, errors, read = self._done
        self.progress = Progress(files, self._total, errors, read, seconds)
        if self._listener is not None:
            self._listener(self.progress)

    def cancel(self) -> None:
        """Ask the scan to stop."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        """Whether the scan was cancelled."""
        return self._stop.is_set()

    def check(self) -> None:
        """Raise Cancelled if the scan was cancelled."""
        if self._stop.is_set():
            raise Cancelled("the scan was cancelled; the last complete run stays current")


def listener(
    progress: Callable[[Progress], None] | bool | None,
) -> Callable[[Progress], None] | None:
    """What is called with each `Progress`: the function that was given, one that prints a line for True, or nothing."""
    return _printed if progress is True else progress or None


def _printed(progress: Progress) -> None:
    end = "\n" if progress.files == progress.total else ""
    print(f"\r{progress!s:<100}", end=end, flush=True)
