"""Bounds that are cut so short that they no longer tell row groups apart: all URLs begin with https://www."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.format.ordering import Order
from pqexplore.insight.ask.causes.cause import Cause
from pqexplore.insight.ask.causes.column import Column, columns_of, in_groups
from pqexplore.insight.ask.causes.estimate import by_claims_in, in_place, of_group, worth
from pqexplore.insight.ask.causes.rewriting import Change, scripts
from pqexplore.insight.axis import text_of
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


def find(plan: Plan) -> Iterator[Cause]:
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
