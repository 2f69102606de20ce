"""Runs an engine on a file, and reports what it read: the judge of its profile in `engines`.

Each module runs one engine, and needs its package. `Plan.verify(engine)` uses it; so do the tests of the profiles.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib
import os
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

COPIED = 1 << 30
"""Bytes up to which a file that is not on a local disk is copied to one, for the time of a run."""

_PART = 8 << 20

__all__ = ["OBSERVERS", "Observation", "observe"]

OBSERVERS: tuple[str, ...] = ("datafusion", "duckdb", "polars", "pyarrow", "spark")
"""The engines that can be run; each is a module here with a function `observe(plan) -> Observation`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Observation:
    """What an engine did when it ran a plan's query.

    - `engine`, `version`; `rows`: how many rows it returned.
    - `row_groups`: which row groups it read, `groups_read`: how many; None if the engine does not tell.
    - `rows_scanned`: rows that its scan produced before the filter; `bytes_read`: bytes that it asked of the file.
    """

    engine: str
    version: str
    rows: int
    row_groups: tuple[int, ...] | None = None
    groups_read: int | None = None
    rows_scanned: int | None = None
    bytes_read: int | None = None


def observe(name: str, plan: Plan) -> Observation:
    """Run an engine on a plan's file and condition. UsageError if it is unknown, not installed, or cannot take them."""
    if name not in OBSERVERS:
        known = ", ".join(OBSERVERS) or "none"
        raise UsageError(f"the engine {name!r} cannot be run here; there are {known}")
    module = importlib.import_module(f"{__name__}.{name}")
    with on_disk(plan) as local:
        found: Observation = module.observe(local)
    return found


@contextlib.contextmanager
def on_disk(plan: Plan) -> Iterator[Plan]:
    """The plan for a file with a local path: its own, or that of a temporary copy of bytes or of a remote file.

    UsageError if it is larger than `COPIED`. Raises ParquetError or OSError if it cannot be read.
    """
    file = plan.file
    own = file.source.local and os.path.isfile(file.name)
    if own and os.path.getsize(file.name) == file.size:
        yield plan
        return
    if file.size > COPIED:
        raise UsageError(f"an engine needs a path; {size(file.size)} are too much for a copy")
    with tempfile.TemporaryDirectory(prefix="pqexplore-") as folder:
        path = os.path.join(folder, "file.parquet")
        with open(path, "wb") as out:
            for start in range(0, file.size, _PART):
                out.write(file.source.read(start, min(_PART, file.size - start)))
        local = copy.copy(plan)
        with open_file(path, limits=file.limits) as local.file:
            yield local
