"""Combines the rulings about a family's row groups over AND and OR, once for each combination of rulings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided
from pqexplore.insight.ask.pruning import combined
from pqexplore.insight.ask.pruning_result import PARTITION, ROWS, Ruling

if TYPE_CHECKING:
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Family

Indexes = npt.NDArray[np.int64]

FOOTERS = "bounds or null counts"
"""The stage of bounds and null counts."""

CONSTANTS = "constant conditions"
"""The stage of conditions that are the same for every row, such as those on columns that a file does not have."""

STAGES = (PARTITION, CONSTANTS, ROWS, FOOTERS)
"""The stages of a lake, in order."""


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """Whether row groups are kept, or the stage that skips them (an index in `STAGES`), and the ruling that decides."""

    kept: bool
    stage: int
    ruling: Ruling


EMPTY = Verdict(False, STAGES.index(ROWS), Ruling(False, ROWS, "it has no rows"))


def with_partitions(bound: Bound, tests: Mapping[int, Test]) -> Bound:
    """A condition with its clauses about folders as tests; `tests` are keyed by the id of their clause."""
    if isinstance(bound, Both | Either):
        parts = tuple(with_partitions(part, tests) for part in bound.parts)
        return dataclasses.replace(bound, parts=parts)
    if isinstance(bound, Undecided) and id(bound.clause) in tests:
        return tests[id(bound.clause)]
    return bound


@dataclasses.dataclass(slots=True)
class Column:
    """The rulings of one test: `kinds`, and for each row group the index of its own."""

    test: Test
    kinds: list[Ruling]
    of_group: Indexes

    def once(self) -> Column:
        """The same with each ruling once."""
        places: dict[tuple[Any, ...], int] = {}
        number = [places.setdefault(dataclasses.astuple(one), len(places)) for one in self.kinds]
        return Column(self.test, [Ruling(*one) for one in places], np.array(number or [0], np.int64)[self.of_group])


def judged(
    family: Family,
    used: Bound,
    engine: Engine,
    folders: Sequence[Column],
    chunks: Sequence[Column],
    empty: npt.NDArray[np.bool_],
) -> tuple[list[Verdict], Indexes]:
    """The distinct verdicts, and for each row group the index of its own; `empty` says of each whether it has no rows.

    `used` is what the engine compares with statistics, of the condition of a family; `folders` and `chunks` are the
    rulings about the tests of both.
    """
    whole = with_partitions(family.bound, family.partitions)
    used = with_partitions(used, family.partitions)
    first, index = _combinations([*folders, *chunks], len(empty))
    verdicts = []
    for row in first:
        found = {one.test: [one.kinds[one.of_group[row]]] for one in folders}
        by_folder = combined(whole, found)
        if not by_folder.possible:
            stage = PARTITION if by_folder.by == PARTITION else CONSTANTS
            verdicts.append(Verdict(False, STAGES.index(stage), by_folder))
            continue
        if not engine.together:
            found = {}
        found |= {one.test: [one.kinds[one.of_group[row]]] for one in chunks}
        ruling = combined(used, found)
        verdicts.append(Verdict(ruling.possible, STAGES.index(FOOTERS), ruling))
    if empty.any():
        kept = np.array([one.kept for one in verdicts], bool)[index]
        index = np.where(empty & kept, len(verdicts), index)
        verdicts.append(EMPTY)
    return verdicts, index


def _combinations(columns: Sequence[Column], count: int) -> tuple[Indexes, Indexes]:
    """A row group of each combination of rulings, and for each row group the combination's index."""
    code: Indexes = np.zeros(count, np.int64)
    for one in columns:
        code = code * len(one.kinds) + one.of_group
        code = np.unique(code, return_inverse=True)[1].astype(np.int64)  # stays small
    _, first, index = np.unique(code, return_index=True, return_inverse=True)
    return first.astype(np.int64), index.astype(np.int64)
