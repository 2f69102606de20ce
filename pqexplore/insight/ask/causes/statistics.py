"""Statistics that are not there, that readers distrust, or that do not count NaNs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.format.ordering import is_float
from pqexplore.insight.ask.causes.cause import Cause
from pqexplore.insight.ask.causes.column import Column, columns_of, in_groups
from pqexplore.insight.ask.causes.estimate import Estimate, by_claims_in, in_place, of_group, worth
from pqexplore.insight.ask.causes.rewriting import Change, scripts
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.skippable import Skippable


def no_statistics(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column without bounds, if those of its values would skip."""
    for column in columns_of(plan):
        bare = _those(column, lambda part, there: not there and not part.elsewhere)
        estimate = _with_own(plan, column, bare)
        if estimate is None or column.values is None:
            continue
        first = next(index for index in bare if index in column.values.pages)
        own = of_group(column, first)
        yield _cause(
            plan, column, bare, estimate, "no_statistics",
            f"The writer left out the min and max of {column.name} {in_groups(len(bare), len(column.claims))}{column.values.remark}. "
            f"The values of row group {first:,} range from {own.range_text(column.leaf).replace(' … ', ' to ')}.",
            f"Write statistics for {column.name}, which most writers do by default",
            Change(options=(("pyarrow", "write_statistics=True"), ("polars", "statistics=True"), ("pqexplore", "statistics=('chunk',)"))),
        )  # fmt: skip


def distrusted(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column with bounds that the engine may not use, if trusted ones would skip."""
    for column in columns_of(plan):
        doubted = _those(
            column,
            lambda part, there: there and not part.bounded and not part.elsewhere,
        )  # fmt: skip
        estimate = _with_own(plan, column, doubted)
        if estimate is None or column.values is None:
            continue
        first = next(index for index in doubted if index in column.values.pages)
        own = of_group(column, first).range_text(column.leaf)
        yield _cause(
            plan, column, doubted, estimate, "distrusted",
            f"{plan.engine.title[:1].upper()}{plan.engine.title[1:]} does not use the bounds of {column.name} {in_groups(len(doubted), len(column.claims))}{column.values.remark}: {column.claims[first].remark or 'it does not trust them'}. "
            f"The values of row group {first:,} range from {own.replace(' … ', ' to ')}.",
            "Write the file anew with a writer that follows the specification",
            Change(),
        )  # fmt: skip


def no_nan_count(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each float column without NaN that is read because NaNs are not counted."""
    for column in columns_of(plan):
        found = column.values
        if found is None or not is_float(column.leaf):
            continue
        asked = [test for test in column.tests if plan.engine.nan_accepted(test)]
        uncounted = [
            index
            for index in _those(column, lambda part, there: part.bounded and part.nans is None)
            if found.nans.get(index, 0) == 0
        ]
        if not asked or not uncounted:
            continue
        estimate = in_place(plan, found.groups, by_claims_in(plan, column, set(uncounted), _without_nans))
        if not worth(plan, estimate) or estimate is None:
            continue
        yield _cause(
            plan, column, uncounted, estimate, "no_nan_count",
            f"{asked[0].sql} is TRUE for NaN in some engines, and the statistics of {column.name} do not count NaNs "
            f"{in_groups(len(uncounted), len(column.claims))}. There is no NaN in "
            f"{'these row groups' if found.whole else f'the {len(found.groups):,} row groups whose values were read'}.",
            "Write nan_count, which few writers do as yet",
            Change(writers=("pqexplore",)),
        )  # fmt: skip


def _without_nans(column: Column, group: int) -> Skippable:
    return dataclasses.replace(column.claims[group], nans=0)


def _those(column: Column, wanted: Callable[[Skippable, bool], bool]) -> list[int]:
    """The kept row groups whose claims are such; `wanted` also gets whether the file has a min or max."""
    return [
        index
        for index, part in column.claims.items()
        if not part.error and not part.only_nulls and wanted(part, column.has_bounds(index))
    ]


def _with_own(plan: Plan, column: Column, groups: list[int]) -> Estimate | None:
    """What would be read if these row groups had the bounds of their values; None if it is not worth it."""
    if column.values is None or not groups:
        return None
    rule = by_claims_in(plan, column, set(groups), of_group)
    estimate = in_place(plan, column.values.groups, rule)
    return estimate if worth(plan, estimate) else None


def _cause(
    plan: Plan, column: Column, groups: list[int], estimate: Estimate, name: str, sentence: str,
    fix: str, change: Change,
) -> Cause:  # fmt: skip
    return Cause(
        name,
        column.path,
        sentence,
        f"{fix}: about {plural(estimate.reads, 'row group')} instead of {len(plan.kept):,} would be read.",
        scripts(plan, change),
        {"row_groups": len(groups), "why": column.claims[groups[0]].why},
        tuple(column.claims[index].address or "" for index in groups[:8]),
        estimate.saves,
        estimate.reads,
    )
