"""What a query would read if the file's claims about a column were others.

An estimate asks the engine's own rules about claims that the values would justify. So it says what the engine would
read, not what a rule of thumb says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.ordering import is_float
from pqexplore.insight.ask.bound import Bound, Test, tests
from pqexplore.insight.ask.pruning import Group, combined
from pqexplore.insight.ask.pruning_result import BOUNDS, PAGE_INDEX, Ruling
from pqexplore.insight.skippable import GROUP, Skippable

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.why_not_pruned.column import Column

MOST_PIECES = 4_096
"""Parts of a sorted file that are compared at most."""

WORTH = 0.1
"""The share of the bytes of data that a change must save to be named."""


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """What would be read: `reads` row groups (pages, for a cause about pages), `saves` bytes of pages."""

    reads: int
    saves: int


def data_bytes(plan: Plan) -> dict[int, int]:
    """Bytes of pages that the plan reads, by row group."""
    found: dict[int, int] = {}
    for piece in plan.reading.pieces:
        if piece.row_group is not None and piece.what in ("data page", "dictionary page", "column chunk"):
            found[piece.row_group] = found.get(piece.row_group, 0) + len(piece.span)
    return found


def worth(plan: Plan, estimate: Estimate | None, least: float = WORTH) -> bool:
    """Whether a change saves enough to be named: this share of the bytes of data."""
    if estimate is None:
        return False
    return estimate.saves > 0 and estimate.saves >= least * sum(data_bytes(plan).values())


def claims_of(column: Column, ranks: Int64s, values: int, nans: int = 0) -> Skippable:
    """The claims that a careful writer would make about `values` values with these ranks (nulls and NaN have none)."""
    found = column.values
    assert found is not None
    nulls = values - len(ranks) - nans
    part = Skippable(GROUP, 0, None, values=values, nulls=nulls, trusted=True)
    part.nans = nans if is_float(column.leaf) else None
    part.only_nulls = nulls == values
    part.low_exact = part.high_exact = True
    if len(ranks):
        part.low, part.high = found.raw(int(ranks.min())), found.raw(int(ranks.max()))
    return part


def of_group(column: Column, group: int) -> Skippable:
    """The claims that a careful writer would make about a row group."""
    found = column.values
    assert found is not None
    return claims_of(column, found.ranks(group), found.count(group), found.nans[group])


def survives(
    plan: Plan,
    group: Group | None,
    rule: Callable[[Test], Ruling | None],
    stage: str = BOUNDS,
    bound: Bound | None = None,
) -> bool:
    """Whether a row group would be kept if the engine had the rulings of `rule` at a stage; None leaves a test's own.

    Without a group, the other tests have no rulings. `bound` is the condition, by default what the engine uses.
    """
    asked = plan.used if bound is None else bound
    together = plan.engine.together
    at = plan.engine.stages.index(stage) if stage in plan.engine.stages else -1
    rulings: dict[Test, list[Ruling]] = {}
    for test in tests(asked):
        own = group.rulings.get(test, []) if group is not None else []
        new = rule(test)
        if new is None:
            rulings[test] = own if together else own[at : at + 1] if at >= 0 else []
        else:
            rulings[test] = [*own, new] if together else [new]
    return combined(asked, rulings).possible


def by_claims(plan: Plan, column: Column, claims: Skippable) -> Callable[[Test], Ruling | None]:
    """The engine's rulings about a column's tests by these claims."""
    return lambda test: plan.engine.by_bounds(test, claims) if test in column.tests else None


def by_claims_in(
    plan: Plan, column: Column, groups: Collection[int], claims: Callable[[Column, int], Skippable]
) -> Callable[[int], Callable[[Test], Ruling | None]]:
    """The engine's rulings by `claims(column, group)` for a row group of `groups`; for the others, none."""
    return lambda group: by_claims(plan, column, claims(column, group)) if group in groups else lambda _: None


def in_place(
    plan: Plan,
    groups: Sequence[int],
    rule: Callable[[int], Callable[[Test], Ruling | None]],
    stage: str = BOUNDS,
    bound: Bound | None = None,
) -> Estimate | None:
    """What would be read if the kept ones of `groups` had other rulings, and the others were like them; None if none.

    `rule(index)` gives the rulings for a row group.
    """
    chosen = set(groups)
    kept = [group for group in plan.kept if group.index in chosen]
    if not kept:
        return None
    left = [group for group in kept if survives(plan, group, rule(group.index), stage, bound)]
    gone = {group.index for group in kept} - {group.index for group in left}
    weight = len(plan.kept) / len(kept)
    sizes = data_bytes(plan)
    saves = sum(sizes.get(index, 0) for index in gone) * weight
    return Estimate(round(len(left) * weight), int(saves))


def sorted_by(plan: Plan, column: Column) -> Estimate | None:
    """What would be read if the rows were sorted by a column, in as many row groups and pages as now."""
    found = column.values
    if found is None:
        return None
    there = [group for group in plan.groups if group.num_rows]
    total = sum(found.count(group) for group in found.groups)
    count, pages = len(there), _pages(plan, column)
    if count < 1 or total < count:
        return None
    ranks = np.sort(found.rank[found.rank >= 0])
    nans = sum(found.nans.values())
    groups, pieces = min(count, MOST_PIECES), min(count * pages, total, MOST_PIECES)
    reads = _left(plan, column, ranks, nans, 0, total, groups) * count / groups
    share = _left(plan, column, ranks, nans, 0, total, pieces) / pieces
    now = sum(data_bytes(plan).values())
    return Estimate(round(reads), int(now - share * _column_bytes(plan)))


def _column_bytes(plan: Plan) -> int:
    """Bytes of the chunks of the columns that are read, in all row groups."""
    total = 0
    for row_group in plan.file.row_groups:
        for leaf in plan.leaves:
            try:
                total += max(0, row_group.columns[leaf.leaf_index].metadata.total_compressed_size)
            except ParquetError:
                continue
    return total


def _left(plan: Plan, column: Column, ranks: Int64s, nans: int, start: int, end: int, pieces: int) -> int:
    """How many of `pieces` equal parts of the sorted values would be read."""
    if not _slice_survives(plan, column, ranks, nans, start, end):
        return 0
    if pieces == 1:
        return 1
    half = pieces // 2
    middle = start + (end - start) * half // pieces
    return _left(plan, column, ranks, nans, start, middle, half) + _left(
        plan, column, ranks, nans, middle, end, pieces - half
    )


def _slice_survives(plan: Plan, column: Column, ranks: Int64s, nans: int, start: int, end: int) -> bool:
    """Whether values `start` to `end` would be read; numbers come first, then NaNs, then nulls."""
    numbers = ranks[start : min(end, len(ranks))]
    not_null = len(ranks) + nans
    nan_here = max(0, min(end, not_null) - max(start, len(ranks)))
    claims = claims_of(column, numbers, end - start, nan_here)
    return survives(plan, None, by_claims(plan, column, claims))


def _pages(plan: Plan, column: Column) -> int:
    """Pages a row group by which the engine could skip: 1 if it has no page index to use."""
    found = column.values
    if found is None or PAGE_INDEX not in plan.engine.stages or not column.indexed:
        return 1
    return max(1, round(np.mean([len(found.pages[group]) for group in found.groups])))
