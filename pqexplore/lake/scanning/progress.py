"""Progress and cancellation of a scan."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable

from pqexplore.lake.store.part_files import Done


class Cancelled(Exception):
    """The scan was cancelled. The last complete run stays current; the message says what is kept of this one."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """Progress of a scan: files done and in total, unreadable files, bytes read, seconds so far.

    `kept` are other files, which an unfinished scan had read. `remaining` is an estimate from the rate so far; None
    before the first files are done.
    """

    files: int
    total: int
    errors: int
    bytes_read: int
    seconds: float
    kept: int = 0

    @property
    def remaining(self) -> float | None:
        """Estimated seconds for the other files; None before the first files are done."""
        if not self.files:
            return None
        return self.seconds / self.files * (self.total - self.files)

    def __str__(self) -> str:
        left = "" if self.remaining is None else f", about {self.remaining:,.0f} s left"
        kept = f", {self.kept:,} more kept from before" if self.kept else ""
        return (
            f"{self.files:,} of {self.total:,} files, {self.errors:,} errors, {self.bytes_read / 1e6:,.1f} MB read, "
            f"{self.seconds:,.0f} s{left}{kept}"
        )


class Watch:
    """Counts finished files, reports progress to a listener, and holds the request to cancel.

    `record` gets each finished task, before the listener.
    """

    def __init__(self, listener: Callable[[Progress], None] | None = None) -> None:
        self._listener = listener
        self.record: Callable[[Done], None] | None = None
        self._stop = threading.Event()
        self._begun = time.perf_counter()
        self._total = self._kept = 0
        self._done = (0, 0, 0)
        self.progress = Progress(0, 0, 0, 0, 0.0)

    def begin(self, total: int, kept: int = 0) -> None:
        """Start with the number of files to read, and of those that need not be read again."""
        self._total, self._kept = total, kept
        self._report()

    def add(self, done: Done) -> None:
        """Count a finished task."""
        files, errors, read = self._done
        self._done = files + done.files, errors + done.errors, read + done.bytes_read
        if self.record is not None:
            self.record(done)
        self._report()

    def _report(self) -> None:
        seconds = time.perf_counter() - self._begun
        files, errors, read = self._done
        self.progress = Progress(files, self._total, errors, read, seconds, self._kept)
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


def listener(progress: Callable[[Progress], None] | bool | None) -> Callable[[Progress], None] | None:
    """What is called with each `Progress`: the function that was given, one that prints a line for True, or nothing."""
    return _printed if progress is True else progress or None


def _printed(progress: Progress) -> None:
    end = "\n" if progress.files == progress.total else ""
    print(f"\r{progress!s:<100}", end=end, flush=True)
