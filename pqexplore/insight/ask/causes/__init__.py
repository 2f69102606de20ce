"""The causes for which a query reads more than it needs, each with its evidence and what would mend it.

A cause is one module: `find(plan)` yields what the file's evidence supports, and nothing else. The registry names them
in the order in which they are looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.insight.ask.causes.cause import Cause

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

__all__ = ["CAUSES", "Cause", "causes"]

CAUSES: dict[str, Callable[[Plan], Iterator[Cause]]] = {}
"""The functions that find each cause, by its name."""


def causes(plan: Plan) -> list[Cause]:
    """The causes in a plan, the one that costs most bytes first."""
    found = [cause for find in CAUSES.values() for cause in find(plan)]
    return sorted(found, key=lambda cause: -cause.saves)
