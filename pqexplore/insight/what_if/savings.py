"""All savings of a file, the largest first: each finder looks for one kind, within the budget."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.what_if.budget import Budget, Clock
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.insight.what_if.indexes import indexes
from pqexplore.insight.what_if.layouts import layouts
from pqexplore.insight.what_if.orders import orders
from pqexplore.insight.what_if.retyping import retyping
from pqexplore.insight.what_if.saving import Kind, Saving, Steps
from pqexplore.insight.what_if.shredding import shredding

Finder = Callable[[ParquetFile, tuple[ColumnTrial, ...], Clock], Steps]
"""Looks for savings of one kind; yields the share of the budget that is spent."""

FINDERS: tuple[Finder, ...] = (retyping, indexes, shredding, layouts, orders)
"""Those that take the most time are the last: what the others leave is theirs."""


MOST = 5
"""Savings that are listed."""


def worth(found: Iterable[Saving], whole: int) -> tuple[Saving, ...]:
    """At most `MOST` savings of a file of `whole` bytes, the largest first: the best of each kind and column.

    Those that save `SAVED_SHARE` of the file, whatever the error of the estimate, and those that let a search skip for as few bytes.
    """
    best: dict[tuple[Kind, str | None], Saving] = {}
    for one in sorted(found, key=lambda one: one.bytes - one.without):
        more = one.bytes - one.without + (one.error or 0)
        room = SAVED_SHARE * whole if one.kind in (Kind.BLOOM_FILTERS, Kind.PAGE_INDEX) else 0
        if more <= -SAVED_SHARE * whole or (one.skips and more <= room):
            best.setdefault((one.kind, one.column), one)
    return tuple(best.values())[:MOST]


def steps(
    file: ParquetFile, columns: tuple[ColumnTrial, ...], budget: Budget
) -> Generator[float, None, tuple[Saving, ...]]:
    """The steps to the savings of an open file, after its columns were tried.

    Each finder has an equal share of the time that those before it left.
    """
    return (yield from file.budget.steps("savings", _steps(file, columns, budget)))


def _steps(
    file: ParquetFile, columns: tuple[ColumnTrial, ...], budget: Budget
) -> Generator[float, None, tuple[Saving, ...]]:
    found: list[Saving] = []
    clock = budget.start()
    for left, finder in zip(range(len(FINDERS), 0, -1), FINDERS, strict=True):
        looking = finder(file, columns, clock.share(left).start())
        while True:
            try:
                next(looking)
            except StopIteration as stop:
                found += stop.value
                break
            except (ParquetError, UsageError):  # a finder finds nothing in what it cannot read or write
                break
            yield clock.done
    return tuple(sorted(found, key=lambda one: one.bytes - one.without))
