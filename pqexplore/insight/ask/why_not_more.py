"""Why a condition does not skip more, by the statistics alone: a sentence for each column in whose ranges the reason lies.

It reads nothing beyond the footer. What the values say, and what would help, is in `why_not_pruned`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.predicate import Compare, Like, OneOf
from pqexplore.insight.ask.pruning_result import BOUNDS
from pqexplore.insight.skippable import group_parts, joint_axis, judged
from pqexplore.insight.skippable_sentences import hindrance

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan

LITTLE = 0.5
"""A condition that leaves more than this share of the rows skips little."""

LOOKED_AT = 10_000
"""Max row groups whose ranges are compared."""

NAMED = 3
"""Max columns that have a sentence."""


def reasons(plan: Plan) -> Iterator[str]:
    """Yields a sentence for each column whose ranges keep the condition from skipping more.

    Nothing if it skips much, if all rows that are read match, or if the ranges follow one another: then the condition
    itself asks for much.
    """
    rows = sum(group.num_rows for group in plan.groups)
    left = sum(row_ranges.count(group.ranges) for group in plan.kept)
    if left <= LITTLE * rows or all(group.every for group in plan.kept):
        return
    for leaf in _columns(plan)[:NAMED]:
        try:
            parts = list(group_parts(plan.file, leaf, LOOKED_AT))
            said = hindrance(plan.file, leaf, parts, judged(parts, joint_axis(leaf, parts)))
        except ParquetError:
            continue  # the stage says what cannot be read
        if said:
            yield said


def _columns(plan: Plan) -> list[Leaf]:
    """The columns of comparisons that the engine put to the bounds, each once, in the order of the condition."""
    found: dict[int, Leaf] = {}
    for test in tests(plan.used):
        if isinstance(test.clause, Compare | OneOf | Like) and _hinders(plan, test):
            found.setdefault(test.leaf.leaf_index, test.leaf)
    return list(found.values())


def _hinders(plan: Plan, test: Test) -> bool:
    """Whether the bounds were asked about a test, and let it pass in a row group without proving that all rows match."""
    for group in plan.kept:
        for stage, ruling in zip(group.asked, group.rulings.get(test, []), strict=False):
            if stage == BOUNDS and ruling.possible and not ruling.every:
                return True
    return False
