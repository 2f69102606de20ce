"""Statistics that are not there, that readers distrust, or that do not count NaNs."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.format.ordering import Order, is_float
from pqexplore.engine.format.value_text import physical_value, python_value
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, columns_of, in_groups
from pqexplore.insight.ask.why_not_pruned.estimate import (
    Estimate,
    by_claims,
    by_claims_in,
    claims_of,
    in_place,
    of_group,
    survives,
    worth,
)
from pqexplore.insight.ask.why_not_pruned.rewriting import Change, literal, replaced, scripts
from pqexplore.insight.axis import text_of
from pqexplore.insight.wording import listing, plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.why_not_pruned.value_evidence import Values
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


# Bounds that are cut so short that they no longer tell row groups apart: all URLs begin with https://www.


def truncated(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose whole bounds would skip more than its truncated ones."""
    for column in columns_of(plan):
        found = column.values
        if found is None or found.order is not Order.BYTES:
            continue
        cut = [index for index in column.claims if _cut(column, index)]
        if not cut:
            continue
        estimate = in_place(plan, found.groups, by_claims_in(plan, column, set(cut), of_group))
        if not worth(plan, estimate) or estimate is None:
            continue
        lows = [bytes(raw) for raw, _ in map(column.ends, cut)]
        longest = max(len(raw or b"") for index in cut for raw in column.ends(index))
        prefix = _shared(lows)
        own = of_group(column, cut[0])
        mins = sorted(of_group(column, index).low or b"" for index in cut)
        differs = 1 + max((len(_shared(pair)) for pair in itertools.pairwise(mins)), default=0)
        said = (
            f"all of them have the min {text_of(column.leaf, prefix)}"
            if len(set(lows)) == 1
            else f"all mins begin with {text_of(column.leaf, prefix)}"
            if prefix
            else f"the min of row group {cut[0]:,} is {text_of(column.leaf, lows[0])}"
        )
        yield Cause(
            "truncated",
            column.path,
            f"The bounds of {column.name} are truncated to {longest:,} bytes {in_groups(len(cut), len(column.claims))}{found.remark}: {said}. The values of row group {cut[0]:,} "
            f"range from {text_of(column.leaf, own.low)} to {text_of(column.leaf, own.high)}.",
            f"Write bounds of at least {differs:,} bytes: about {plural(estimate.reads, 'row group')} instead of "
            f"{len(plan.kept):,} would be read.",
            scripts(
                plan,
                Change(
                    options=(
                        ("pqexplore", f"index_bytes={max(64, differs)}"),
                        ("Spark", f".option('parquet.columnindex.truncate.length', {max(64, differs)})"),
                    )
                ),
            ),
            {"bytes": longest, "row_groups": len(cut), "prefix": text_of(column.leaf, prefix), "bytes_needed": differs},
            tuple(column.claims[index].address or "" for index in cut[:8]),
            estimate.saves,
            estimate.reads,
        )  # fmt: skip


def _shared(values: Sequence[bytes]) -> bytes:
    """The longest prefix that all values have."""
    low, high = min(values), max(values)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:same]


def _cut(column: Column, index: int) -> bool:
    """Whether a row group's bounds are truncated: shorter than the min or max that its values have."""
    bounds, found = column.stored.get(index), column.values
    if bounds is None or found is None or not bounds.trusted or index not in found.pages:
        return False
    if bounds.min_exact is True and bounds.max_exact is True:
        return False
    own, min_raw, max_raw = of_group(column, index), bounds.min_raw, bounds.max_raw
    if own.low is None or own.high is None or min_raw is None or max_raw is None:
        return False
    low = len(min_raw) < len(own.low) and own.low.startswith(min_raw)
    high = len(max_raw) < len(own.high) and max_raw > own.high
    return low or high


# A few values far from the rest that stretch the range: 9999-12-31 for "never", -1 for "unknown", '' or 'zzz'.

SHARE = 0.5
"""A sentinel is the min or max of at least this share of the row groups that are read, and in fewer rows than this."""


def sentinel(plan: Plan) -> Iterator[Cause]:
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
                yield _sentinel_cause(plan, column, groups, ranks, estimate)
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


def _sentinel_cause(plan: Plan, column: Column, groups: list[int], ranks: tuple[int, ...], estimate: Estimate) -> Cause:
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
