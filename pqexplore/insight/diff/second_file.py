"""The file that an open file is compared with, and what comparing the two gave.

An explorer sets the second file while it answers a request. So two explorers of one open file may compare it with
different files, and a saved page may compare it with a file without keys.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.diff.diff import LEVELS, Diff, Steps, steps

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

HOW = (
    "the lens diff needs a second file: pqexplore.explore(a, against=b), %pqexplore A --diff B, or, at the terminal, "
    "pqexplore diff A B"
)

_second: ContextVar[ParquetFile | None] = ContextVar("second", default=None)
_kept: Latest[ParquetFile, Diff] = Latest(4)


@contextmanager
def compared_with(file: ParquetFile | None) -> Iterator[None]:
    """Inside the `with`, `file` is the second file; None for no second file."""
    token = _second.set(file)
    try:
        yield
    finally:
        _second.reset(token)


def second() -> ParquetFile | None:
    """The second file; None without one."""
    return _second.get()


def known(first: ParquetFile, other: ParquetFile) -> Diff | None:
    """The comparison of two files that was made last; None before the first."""
    return _kept.get(first, weakref.ref(other))


def compared(first: ParquetFile, other: ParquetFile, level: str | None = None) -> Steps:
    """The comparison of two files at a level or at a later one, None for that of `steps`; made once."""
    found = known(first, other)
    if found is not None and (level is None or LEVELS.index(found.level) >= LEVELS.index(level)):
        return found
    work = steps(first, other, level)
    found = yield from other.budget.steps("the comparison of two files", work)
    _kept.put(first, weakref.ref(other), found)
    return found
