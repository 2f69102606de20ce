"""How far long work is, on a terminal: one line on standard error, after a second; nothing if it is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pqexplore.cli.pager import paging
from pqexplore.engine.text import printable

PATIENCE = 1.0
"""Seconds until the first line, and a tenth of them between two."""


@contextmanager
def shown(name: str) -> Iterator[Callable[[float], None] | None]:
    """Gives a function to call with how much is done, from 0 to 1; None without a terminal. Clears its line at the end."""
    stream = sys.stderr
    if not stream.isatty():
        yield None
        return
    begun = last = time.monotonic()

    def progress(done: float) -> None:
        nonlocal last
        if paging():
            return
        now = time.monotonic()
        if now - begun >= PATIENCE and now - last >= PATIENCE / 10:
            last = now
            stream.write(f"\r{printable(name)}: {done:.0%}\x1b[K")
            stream.flush()

    try:
        yield progress
    finally:
        if last > begun and not paging():
            stream.write("\r\x1b[K")
            stream.flush()
