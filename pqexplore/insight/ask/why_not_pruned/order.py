"""Rows in an order that lets no row group be skipped: unsorted, or sorted only within each row group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, columns_of
from pqexplore.insight.ask.why_not_pruned.estimate import Estimate, sorted_by, worth
from pqexplore.insight.ask.why_not_pruned.rewriting import ordered, scripts
from pqexplore.insight.skippable import group_parts, joint_axis, judged
from pqexplore.insight.skipping import SEPARATE, SORTED, Skipping, number
from pqexplore.insight.wording import percent, plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.why_not_pruned.value_evidence import Values

SORTING = 0.5
"""The share of the bytes that sorting must save: it is more work than any other change."""

MOST_GROUPS = 10_000
"""Row groups whose ranges are compared at most."""


def unsorted(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose row groups overlap and whose rows are not sorted within them either."""
    for column, verdict, estimate in _overlapping(plan, within=False):
        found = column.values
        assert found is not None
        ascending = _ascending(found)
        if ascending is None:
            continue
        yield _cause(
            plan, column, verdict, estimate, "unsorted",
            f"{column.name} is not sorted: a typical value lies within the range of {number(verdict.reads)} of "
            f"{plural(verdict.parts, 'row group')}. Within the row groups, {percent(ascending)} of neighbouring values "
            f"ascend{found.remark}.",
            {"ascending": ascending},
        )  # fmt: skip


def clustered_within(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column that is sorted within each row group, but not from one to the next."""
    for column, verdict, estimate in _overlapping(plan, within=True):
        found = column.values
        assert found is not None
        first = column.claims[min(column.claims)]
        yield _cause(
            plan, column, verdict, estimate, "clustered_within",
            f"{column.name} is sorted within each row group{found.remark}, but not from one to the next: a typical value lies "
            f"within the range of {number(verdict.reads)} of {plural(verdict.parts, 'row group')}, such as "
            f"{first.range_text(column.leaf)} of row group {first.index:,}.",
            {},
        )  # fmt: skip


def _overlapping(plan: Plan, within: bool) -> Iterator[tuple[Column, Skipping, Estimate]]:
    """The columns whose row groups overlap, how much, and what sorting by the column would read.

    `within` is whether the values must be sorted within each row group, or must not.
    """
    for column in columns_of(plan):
        if column.values is None or not any(part.bounded for part in column.claims.values()):
            continue
        if _sorted_within(column.values) is not within:
            continue
        parts = list(group_parts(plan.file, column.leaf, MOST_GROUPS))
        try:
            verdict = judged(parts, joint_axis(column.leaf, parts))
        except ParquetError:
            continue
        if verdict.verdict in (SORTED, SEPARATE) or verdict.known < 2:
            continue
        estimate = sorted_by(plan, column)
        if worth(plan, estimate, SORTING) and estimate and estimate.reads < len(plan.kept):
            yield column, verdict, estimate


def _sorted_within(found: Values) -> bool:
    """Whether the values of each row group ascend, or those of each descend; they are not all the same."""
    steps = [np.diff(found.ranks(group)) for group in found.groups]
    if not any((one != 0).any() for one in steps):
        return False
    return all((one >= 0).all() for one in steps) or all((one <= 0).all() for one in steps)


def _ascending(found: Values) -> float | None:
    """The share of neighbours in the same row group that ascend, of those that differ; None if none do."""
    steps = np.concatenate([np.diff(found.ranks(group)) for group in found.groups])
    differ = int((steps != 0).sum())
    return float((steps > 0).sum() / differ) if differ else None


def _cause(
    plan: Plan, column: Column, verdict: Skipping, estimate: Estimate, name: str, sentence: str,
    evidence: dict[str, object],
) -> Cause:  # fmt: skip
    return Cause(
        name,
        column.path,
        sentence,
        f"Sort the rows by {column.name}: about {plural(estimate.reads, 'row group')} instead of {len(plan.kept):,} would be "
        "read.",
        scripts(plan, ordered(column.leaf)),
        {"overlap": round(verdict.reads, 3), "row_groups": verdict.parts, **evidence},
        tuple(part.address or "" for part in list(column.claims.values())[:8]),
        estimate.saves,
        estimate.reads,
    )
