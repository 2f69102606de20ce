"""Runs an engine on a file, and reports what it read: the judge of its profile in `engines`.

Each module runs one engine, and needs its package. `Plan.verify(engine)` uses it; so do the tests of the profiles.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

__all__ = ["OBSERVERS", "Observation", "observe"]

OBSERVERS: tuple[str, ...] = ("spark",)
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
    found: Observation = module.observe(plan)
    return found
