"""All savings of a file, the largest first: each finder looks for one kind, within the budget."""

from __future__ import annotations

from collections.abc import Callable, Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.what_if.budget import Budget, Clock
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.insight.what_if.indexes import indexes
from pqexplore.insight.what_if.retyping import retyping
from pqexplore.insight.what_if.saving import Saving, Steps
from pqexplore.insight.what_if.shredding import shredding

Finder = Callable[[ParquetFile, tuple[ColumnTrial, ...], Clock], Steps]
"""Looks for savings of one kind; yields the share of the budget that is spent."""

FINDERS: tuple[Finder, ...] = (retyping, indexes, shredding)


def steps(
    file: ParquetFile, columns: tuple[ColumnTrial, ...], budget: Budget
) -> Generator[float, None, tuple[Saving, ...]]:
    """The steps to the savings of an open file, after its columns were tried. Each finder has an equal share of time."""
    found: list[Saving] = []
    for done, finder in enumerate(FINDERS):
        looking = finder(file, columns, budget.share(len(FINDERS)).start())
        while True:
            try:
                yield (done + next(looking)) / len(FINDERS)
            except StopIteration as stop:
                found += stop.value
                break
    return tuple(sorted(found, key=lambda one: one.bytes - one.today))
