"""The line of Python that leads to a place."""

from __future__ import annotations

import dataclasses
import os

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.ask.question import ANY
from pqexplore.insight.diff.second_file import second


@dataclasses.dataclass(slots=True)
class Line:
    """The line of Python that shows a view again."""

    code: str


def code(file: ParquetFile, address: str = "", view: str = "", where: str = "", engine: str = ANY) -> Line:
    """The line for one view. The file is called `f` if it has no path, and the one it is compared with `g`."""
    given = [_named(file)]
    against = second()
    if against is not None:
        other = _named(against)
        given.append(f"against={'g' if other == 'f' else other}")
    if address:
        given.append(f"at={address!r}")
    if view:
        given.append(f"view={view!r}")
    if where:
        given.append(f"where={where!r}")
    if engine != ANY:
        given.append(f"engine={engine!r}")
    return Line(f"pqexplore.explore({', '.join(given)})")


def _named(file: ParquetFile) -> str:
    """How code names an open file: by its path, or as `f` where it came as bytes, or through a password."""
    named = "/" in file.name or "\\" in file.name or os.path.exists(file.name)
    if "://" in file.name and "***" in file.name:
        return "f"
    return repr(file.name) if named else "f"
