"""A few values far from the rest that stretch the range: 9999-12-31 for "never", -1 for "unknown", '' or 'zzz'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.format.value_text import physical_value, python_value
from pqexplore.insight.ask.causes.cause import Cause
from pqexplore.insight.ask.causes.column import Column, columns_of, in_groups
from pqexplore.insight.ask.causes.estimate import Estimate, by_claims, claims_of, in_place, survives, worth
from pqexplore.insight.ask.causes.rewriting import Change, literal, replaced, scripts
from pqexplore.insight.wording import listing, plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.causes.values import Values
    from pqexplore.insight.ask.plan import Plan

SHARE = 0.5
"""A sentinel is the min or max of at least this share of the row groups that are read, and in fewer rows than this."""


def find(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose bounds would skip more without one or two of its values."""
    for column in columns_of(plan):
        found = column.values
        groups = [index for index, part in column.claims.items() if part.bounded]
        if found is None or not groups:
            continue
        groups = [index for index in groups if index in found.pages]
        for ranks in _candidates(found, groups):
            estimate = _without(plan, column, ranks)
            if worth(plan, estimate) and estimate is not None:
                yield _cause(plan, column, groups, ranks, estimate)
                break


def _candidates(found: Values, groups: list[int]) -> Iterator[tuple[int, ...]]:
    """The values that are the max or min of most row groups: the max, the min, both, or two at one end."""
    high = _commonest(found, groups, "max", ())
    low = _commonest(found, groups, "min", ())
    if high is not None:
        yield (high,)
    if low is not None:
        yield (low,)
    if high is not None and low is not None:
        yield (low, high)
    for end, first in (("max", high), ("min", low)):
        if first is not None:
            second = _commonest(found, groups, end, (first,))
            if second is not None:
                yield (first, second)


def _commonest(found: Values, groups: list[int], end: str, without: tuple[int, ...]) -> int | None:
    """The rank that is the min or max of most row groups, and rare among the values; None if there is none."""
    ends: Counter[int] = Counter()
    for group in groups:
        ranks = _rest(found.ranks(group), without)
        if len(ranks):
            ends[int(ranks.max() if end == "max" else ranks.min())] += 1
    if not ends:
        return None
    rank, count = ends.most_common(1)[0]
    rows = int((found.rank == rank).sum())
    enough = count >= 2 and count >= SHARE * len(groups)
    return rank if enough and rows <= SHARE * len(found.rank) else None


def _rest(ranks: Int64s, without: tuple[int, ...]) -> Int64s:
    rest: Int64s = ranks[~np.isin(ranks, without)]
    return rest


def _without(plan: Plan, column: Column, ranks: tuple[int, ...]) -> Estimate | None:
    """What would be read if these values were null; None if the condition asks for one of them."""
    found = column.values
    assert found is not None
    for rank in ranks:
        only = claims_of(column, np.array([rank], np.int64), 1)
        if survives(plan, None, by_claims(plan, column, only)):
            return None
    return in_place(
        plan,
        found.groups,
        lambda group: by_claims(
            plan, column, claims_of(column, _rest(found.ranks(group), ranks), found.count(group), found.nans[group])
        ),
    )


def _cause(plan: Plan, column: Column, groups: list[int], ranks: tuple[int, ...], estimate: Estimate) -> Cause:
    found = column.values
    assert found is not None
    texts = [column.text(rank) or "'' (empty text)" for rank in ranks]
    rows = int(np.isin(found.rank, ranks).sum())
    total = sum(found.count(group) for group in found.groups)
    stretched = 0
    for group in groups:
        own = found.ranks(group)
        stretched += bool(len(own)) and (own.max() in ranks or own.min() in ranks)
    example = next(g for g in groups if len(_rest(found.ranks(g), ranks)))
    rest = _rest(found.ranks(example), ranks)
    low, high = column.text(int(rest.min())), column.text(int(rest.max()))
    whose = listing(texts)
    sentence = (
        f"A few values stretch the range of {column.name}: {whose} {'is' if len(texts) == 1 else 'are'} in {rows:,} of "
        f"{plural(total, 'value')}{found.remark}, and at an end of the range "
        f"{in_groups(stretched, len(groups))}. Without {'it' if len(texts) == 1 else 'them'}, row group {example:,} would have the range {low} … {high}."
    )
    fix = (
        f"Store NULL instead of {whose}: about {plural(estimate.reads, 'row group')} instead of {len(plan.kept):,} would be "
        "read."
    )
    return Cause(
        "sentinel",
        column.path,
        sentence,
        fix,
        scripts(plan, _change(column, ranks)),
        {
            "values": texts,
            "rows": rows,
            "values_read": total,
            "row_groups": stretched,
            "min_without": low,
            "max_without": high,
        },
        tuple(column.claims[g].address or "" for g in groups[:8]),
        estimate.saves,
        estimate.reads,
    )


def _change(column: Column, ranks: tuple[int, ...]) -> Change:
    found = column.values
    assert found is not None
    values = [python_value(column.leaf, physical_value(column.leaf, found.raw(rank))) for rank in ranks]
    shown = [literal(value) for value in values]
    if None in shown:
        return Change(writers=())
    python = f"[{', '.join(map(repr, values))}]"
    sql = ", ".join(str(one) for one in shown)
    return replaced(
        column.leaf,
        f"pc.if_else(pc.is_in({{c}}, pa.array({python}, {{c}}.type)), None, {{c}})",
        f"CASE WHEN {{c}} NOT IN ({sql}) THEN {{c}} END",
        f"pl.when({{c}}.is_in({python}).not_()).then({{c}})",
        f"F.when(~{{c}}.isin({python}), {{c}})",
    )
