"""How far long work is, on a terminal: one line on standard error, after a second; nothing if it is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from pqexplore.cli.pager import paging
from pqexplore.engine.text import printable

PATIENCE = 1.0
"""Seconds until the first line, and a tenth of them between two."""


@final
class Progress:
    """The line of a work under the name `name`, which begins after `patience` seconds."""

    def __init__(self, name: str, patience: float) -> None:
        self._name = printable(name)
        self._patience = patience
        self._begun = self._last = time.monotonic()

    def __call__(self, done: float, found: str = "") -> None:
        """Says how much is done, from 0 to 1, and what was found so far."""
        if paging():
            return
        now = time.monotonic()
        if now - self._begun >= self._patience and now - self._last >= PATIENCE / 10:
            self._last = now
            line = f"{self._name}: {done:.0%}"
            sys.stderr.write(f"\r{_with(line, found) if found else line}\x1b[K")
            sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away."""
        if self._last > self._begun and not paging():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _with(line: str, found: str) -> str:
    """The line, and what was found so far if it has room for that."""
    from pqexplore.insight.terminal import clip, line_room

    return clip(f"{line}, {printable(found)}", max(len(line), line_room() - 1))


@contextmanager
def shown(name: str, patience: float | None = None) -> Iterator[Progress | None]:
    """Gives a function to call with how much is done; None without a terminal. Clears its line at the end.

    `patience` are the seconds until the first line, `PATIENCE` by default.
    """
    if not sys.stderr.isatty():
        yield None
        return
    progress = Progress(name, PATIENCE if patience is None else patience)
    try:
        yield progress
    finally:
        progress.clear()
