"""The look at all bytes of a file, which goes on while somebody uses the explorer.

The view asks for one slice after another, whenever nobody waits for anything else. So a click waits for one slice at most, and
a view that stops asking stops the look. Findings are in the file's findings at once, and in the report at the end.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.doctor import diagnose, verdict
from pqexplore.insight.doctor.rules import DATA
from pqexplore.widget.rpc import work_until

SLICE = 0.04
"""Seconds that a slice works, but for its last step."""


@dataclasses.dataclass(slots=True)
class Progress:
    """How much is looked at, from 0 to 1; whether that is all, and whether it is since this slice; how many findings above a note
    are known.
    """

    done: float
    whole: bool
    ended: bool
    findings: int


class Look:
    """A look at all bytes of `file`, a slice for each call of `go_on`. Safe to use from several threads."""

    def __init__(self, file: ParquetFile) -> None:
        self._file = file
        self._steps: Generator[float, None, diagnose.Report] | None = None
        self._done = 0.0
        self._lock = threading.Lock()

    def go_on(self) -> Progress:
        """Looks on for a slice of time. Nothing is left to do once the file was looked at whole, by whatever looked."""
        with self._lock:
            report, ended = diagnose.kept(self._file), self._steps is not None
            if report is None or report.level != DATA:
                if self._steps is None:
                    self._steps = self._file.budget.steps("the look at all bytes", diagnose.so_far(self._file, DATA))
                ended = True
                try:
                    report, self._done = work_until(self._steps, time.monotonic() + SLICE)
                except BaseException:
                    self._steps = None
                    raise
            if isinstance(report, diagnose.Report):
                self._steps = None
                return Progress(1.0, True, ended, len(verdict.above_notes(report.findings)))
            return Progress(self._done, False, False, len(verdict.above_notes(self._file.findings)))
