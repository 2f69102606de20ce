"""Equality that no filter can answer: no Bloom filter, or a dictionary that not all pages use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.bloom import optimal_bytes
from pqexplore.engine.format.ordering import order_key
from pqexplore.insight.ask.accepted_values import Accepts, point
from pqexplore.insight.ask.bound import Test
from pqexplore.insight.ask.claims import dictionary_only
from pqexplore.insight.ask.pruning_result import BLOOM, DICTIONARY, Ruling
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, columns_of, in_groups
from pqexplore.insight.ask.why_not_pruned.estimate import Estimate, data_bytes, in_place, worth
from pqexplore.insight.ask.why_not_pruned.rewriting import Change, scripts
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

FPP = 0.01
"""The false positive probability of the Bloom filters that are estimated."""

SOME = 1_000
"""How many values the mean length is taken from."""

REPEATED = 0.5
"""A dictionary is worth while if at most this share of the values are distinct."""


def no_bloom(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column asked for single values, without Bloom filters, if these would skip."""
    if BLOOM not in plan.engine.stages:
        return
    for column in columns_of(plan):
        found = column.values
        bare = [index for index, chunk in column.chunks.items() if chunk.metadata.bloom_filter_offset is None]
        asked = [test for test in column.tests if test.accepts.points and not test.accepts.null]
        if found is None or not bare or not asked:
            continue
        estimate = in_place(plan, found.groups, _bloom_rules(column, set(bare), asked), BLOOM)
        if estimate is None:
            continue
        distinct = max((len(np.unique(found.ranks(i))) for i in bare if i in found.pages), default=0)
        each = optimal_bytes(distinct, FPP)
        estimate = Estimate(estimate.reads, estimate.saves - each * len(plan.kept))
        if not worth(plan, estimate):
            continue
        name = column.path
        yield Cause(
            "no_bloom",
            name,
            f"{asked[0].sql} asks for single values, and {column.name} has no Bloom filter {in_groups(len(bare), len(column.claims))}. They have up to {distinct:,} distinct values each"
            f"{found.remark}.",
            f"Write Bloom filters for {column.name}: {size(each)} a row group are wrong for 1 % of the values that are not "
            f"there; about {plural(estimate.reads, 'row group')} instead of {len(plan.kept):,} would be read.",
            scripts(plan, _bloom_change(name, distinct)),
            {"row_groups": len(bare), "distinct": distinct, "filter_bytes": each, "fpp": FPP},
            tuple(column.chunks[index].address for index in bare[:8]),
            estimate.saves,
            estimate.reads,
        )


def _bloom_rules(column: Column, bare: set[int], asked: list[Test]) -> Callable[[int], Callable[[Test], Ruling | None]]:
    found = column.values
    assert found is not None
    wanted = {test: np.array([low for low, _ in found.between(points_of(column, test))], np.int64) for test in asked}

    def rule(group: int) -> Callable[[Test], Ruling | None]:
        ranks = found.ranks(group)

        def ruling(test: Test) -> Ruling | None:
            if test not in wanted or group not in bare:
                return None
            there = bool(np.isin(wanted[test], ranks).any())
            return Ruling(there, BLOOM, "by the values")

        return ruling

    return rule


def points_of(column: Column, test: Test) -> Accepts:
    """The single values for which a clause asks, as intervals."""
    found = column.values
    assert found is not None
    keys = []
    for plain in test.accepts.points or ():
        try:
            key = order_key(column.leaf, plain, found.order)
        except ParquetError:
            continue
        if key is not None:
            keys.append(key)
    return Accepts(found.order, tuple(map(point, keys)))


def _bloom_change(name: str, distinct: int) -> Change:
    spark = (
        f".option({f'parquet.bloom.filter.enabled#{name}'!r}, True)"
        f".option({f'parquet.bloom.filter.expected.ndv#{name}'!r}, {distinct})"
    )
    return Change(
        options=(
            ("pyarrow", f"bloom_filter_options={{{name!r}: {{'ndv': {distinct}, 'fpp': {FPP}}}}}"),
            ("pqexplore", f"columns={{{name!r}: {{'bloom_filter': True}}}}"),
            ("Spark", spark),
        ),
        writers=("pyarrow", "pqexplore", "Spark"),
    )


def dictionary_given_up(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose dictionary does not have all values, if whole dictionaries would skip."""
    if DICTIONARY not in plan.engine.stages:
        return
    for column in columns_of(plan):
        found = column.values
        partial = [
            index
            for index, chunk in column.chunks.items()
            if found and index in found.pages and _given_up(column, index, chunk.dictionary_page is not None)
        ]  # fmt: skip
        if found is None or not partial:
            continue
        estimate = in_place(plan, found.groups, _dictionary_rules(column, set(partial)), DICTIONARY)
        if estimate is None:
            continue
        need = {index: _dictionary_bytes(column, index) for index in partial}
        largest = max(need.values())
        estimate = Estimate(
            estimate.reads,
            min(estimate.saves, sum(data_bytes(plan).values())) - largest * (len(plan.kept) - estimate.reads),
        )  # fmt: skip
        if not worth(plan, estimate):
            continue
        first = partial[0]
        page = column.chunks[first].dictionary_page
        entries = 0 if page is None else page.num_values
        distinct = len(np.unique(found.ranks(first)))
        limit = 1 << max(12, (largest * 5 // 4).bit_length())
        name = column.path
        yield Cause(
            "dictionary_given_up",
            name,
            f"The writer stopped using the dictionary of {column.name} {in_groups(len(partial), len(column.claims))}: that of row group {first:,} has {entries:,} of {plural(distinct, 'distinct value')}{found.remark}, "
            "so it cannot rule any value out.",
            f"Allow dictionaries of {size(limit)} for {column.name}: about {plural(estimate.reads, 'row group')} instead of "
            f"{len(plan.kept):,} would be read.",
            scripts(
                plan,
                Change(
                    options=(
                        ("pyarrow", f"dictionary_pagesize_limit={limit}"),
                        ("pqexplore", f"columns={{{name!r}: {{'dictionary_bytes': {limit}}}}}"),
                        ("Spark", f".option('parquet.dictionary.page.size', {limit})"),
                    ),
                    writers=("pyarrow", "pqexplore", "Spark"),
                ),
            ),
            {"row_groups": len(partial), "entries": entries, "distinct": distinct, "bytes": largest},
            tuple(column.chunks[index].address for index in partial[:8]),
            estimate.saves,
            estimate.reads,
        )  # fmt: skip


def _given_up(column: Column, index: int, has_dictionary: bool) -> bool:
    """Whether a chunk has a dictionary that not all pages use, although its values repeat."""
    found = column.values
    assert found is not None
    why = dictionary_only(column.chunks[index])
    if not has_dictionary or why in ("", "there is no dictionary"):
        return False
    ranks = found.ranks(index)
    return bool(len(ranks)) and len(np.unique(ranks)) <= REPEATED * len(ranks)


def _dictionary_bytes(column: Column, index: int) -> int:
    """The bytes of a dictionary with all values of a row group, in PLAIN."""
    found = column.values
    assert found is not None
    prefix = 4 if column.leaf.type_length is None and column.leaf.physical_type == 6 else 0
    ranks = np.unique(found.ranks(index))
    some = ranks[:: max(1, len(ranks) // SOME)]
    mean = sum(len(found.raw(rank)) for rank in some) / len(some)
    return int(len(ranks) * (mean + prefix))


def _dictionary_rules(column: Column, partial: set[int]) -> Callable[[int], Callable[[Test], Ruling | None]]:
    found = column.values
    assert found is not None

    def rule(group: int) -> Callable[[Test], Ruling | None]:
        ranks = found.ranks(group)

        def ruling(test: Test) -> Ruling | None:
            if test not in column.tests or group not in partial or test.accepts.null:
                return None
            some = found.nans[group] > 0 or any(
                bool(((ranks >= low) & (ranks < high)).any()) for low, high in found.between(test.accepts)
            )
            return Ruling(some, DICTIONARY, "by the values")

        return ruling

    return rule
