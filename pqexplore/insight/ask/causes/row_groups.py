"""Row groups so large that a query reads many rows for few: smaller ones, in the same order, would be skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.insight.ask.causes.cause import Cause
from pqexplore.insight.ask.causes.column import Column, columns_of
from pqexplore.insight.ask.causes.estimate import Estimate, by_claims, claims_of, data_bytes, survives, worth
from pqexplore.insight.ask.causes.rewriting import Change, scripts
from pqexplore.insight.ask.ruling import PAGE_INDEX
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.insight.ask.cascade import Group
    from pqexplore.insight.ask.plan import Plan

PARTS = 8
"""Into how many row groups each one is divided in the estimate."""

FEWEST = 2_048
"""Rows that a row group has at least in the estimate; DuckDB writes no smaller ones."""

LEAST = 64_000
"""Bytes that it must save: more row groups have a cost, too."""


def find(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose row groups, divided, would be skipped for the most part."""
    largest = max((group.num_rows for group in plan.kept), default=0)
    parts = min(PARTS, largest // FEWEST)
    if parts < 2:
        return
    rows = -(-largest // parts)
    sizes = data_bytes(plan)
    for column in columns_of(plan):
        found = column.values
        if found is None or _pages_help(plan, column):
            continue
        left, saves, made = 0, 0.0, 0
        read = [group for group in plan.kept if group.index in found.pages]
        for group in read:
            count, alive = _divided(plan, column, group, rows)
            made, left = made + count, left + alive
            saves += sizes.get(group.index, 0) * (1 - alive / max(1, count))
        if not read:
            continue
        weight = len(plan.kept) / len(read)
        estimate = Estimate(round(left * weight), int(saves * weight))
        if estimate.saves < LEAST or not worth(plan, estimate):
            continue
        yield Cause(
            "large_row_groups",
            column.path,
            f"The row groups that are read have up to {plural(largest, 'row')} and {size(max(sizes.values()))}, and are read "
            f"whole. In their order, {column.name} can match in {left:,} of {plural(made, 'part')} of {rows:,} rows"
            f"{found.remark}.",
            f"Write row groups of {rows:,} rows: about {estimate.reads:,} of these smaller ones would be read.",
            scripts(plan, Change(rows=rows)),
            {"rows": largest, "row_groups": len(plan.kept), "parts": made, "parts_left": left},
            tuple(part.address or "" for part in list(column.claims.values())[:8]),
            estimate.saves,
            estimate.reads,
        )


def _pages_help(plan: Plan, column: Column) -> bool:
    """Whether the engine can skip pages of the column, so that row groups need not be small."""
    found = column.values
    assert found is not None
    several = any(len(pages) > 1 for pages in found.pages.values())
    return PAGE_INDEX in plan.engine.stages and column.indexed and several


def _divided(plan: Plan, column: Column, group: Group, rows: int) -> tuple[int, int]:
    """Into how many parts of `rows` values a row group is divided, and how many of these would be read."""
    found = column.values
    assert found is not None
    total = found.count(group.index)
    left = 0
    starts = range(0, total, rows)
    for start in starts:
        here = found.part(group.index, start, start + rows)
        numbers = here[here >= 0]
        claims = claims_of(column, numbers, min(rows, total - start), len(here) - len(numbers))
        left += survives(plan, group, by_claims(plan, column, claims))
    return len(starts), left
