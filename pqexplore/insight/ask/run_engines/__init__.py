"""Runs an engine on a file, and reports what it read: the judge of its profile in `engines`.

Each module runs one engine, and needs its package. `Plan.verify(engine)` uses it; so do the tests of the profiles.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.on_disk import on_disk

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

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
    with _local(plan) as local:
        found: Observation = module.observe(local)
    return found


@contextlib.contextmanager
def _local(plan: Plan) -> Iterator[Plan]:
    """The plan for a file with a local path; raises as `on_disk`."""
    with on_disk(plan.file) as path:
        if path == os.path.abspath(plan.file.name):
            yield plan
            return
        local = copy.copy(plan)
        with open_file(path, limits=plan.file.limits) as local.file:
            yield local
