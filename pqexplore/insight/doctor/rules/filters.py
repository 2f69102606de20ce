"""Rules about Bloom filters that read the filters: too full to help, or far larger than their values need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.bloom import optimal_bytes
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity
from pqexplore.insight.doctor.rules.rule import PAGES, Rule
from pqexplore.insight.doctor.rules.skipping import BLOOM
from pqexplore.insight.wording import factor, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

FULL = 0.25
"""The share of absent values for which a filter says "perhaps" from which it counts as too full."""

USUAL = 0.01
"""The usual rate of false answers, by which the size that the values need is computed."""

OVERSIZED = 8
"""A filter of so many times the size that its values need counts as oversized; smaller ones round up to a power of two."""

LEAST_BYTES = 64 << 10
FILTERS = 2_000
"""Filters that are read."""


def _filters(subject: Subject, leaf: Leaf) -> Iterator[tuple[int, int, float, float]]:
    """(row group, bytes, distinct values, rate of false answers) of the filters of a leaf."""
    for count, chunk in enumerate(subject.chunks(leaf)):
        if count >= FILTERS:
            return
        try:
            bloom = chunk.bloom_filter
            if bloom is not None:
                found = bloom.occupancy()
                yield chunk.row_group.index, bloom.size, found.ndv, found.fpp
        except ParquetError:
            continue


def full(subject: Subject) -> Iterator[Diagnosis]:
    """Filters that say "perhaps" to nearly everything."""
    for leaf in subject.leaves:
        found = [one for one in _filters(subject, leaf) if one[3] >= FULL]
        if not found:
            continue
        group, count, ndv, fpp = max(found, key=lambda one: one[3])
        column = ".".join(leaf.path)
        yield Diagnosis(
            "bloom-filter-too-full",
            Severity.SLOW,
            f"The Bloom filters of {name(leaf.path)} are too small in {plural(len(found), 'row group')}: that of row group "
            f"{group:,} has {size(count)} for about {ndv:,.0f} distinct values, and lets {percent(fpp)} of absent values pass.",
            Address.of("row_groups", group, "columns", leaf.leaf_index, "bloom_filter"),
            column,
            tuple(one[0] for one in found[:1_000]),
            evidence={"row_groups": len(found), "bytes": count, "ndv": ndv, "fpp": fpp},
            cost=Cost(
                f"a search for a value that is not there reads these row groups in {percent(fpp)} of the cases",
                row_groups=len(found),
            ),
            fix=f"Give the filter the number of distinct values: {size(optimal_bytes(int(ndv), USUAL))} would let 1 % pass.",
            code={
                "Spark": f"df.write.option('parquet.bloom.filter.expected.ndv#{column}', {int(ndv)}).parquet(path)",
                "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'bloom_filter': True, 'bloom_filter_ndv': {int(ndv)}}}}})",
            },
            source=BLOOM,
        )


def oversized(subject: Subject) -> Iterator[Diagnosis]:
    """Filters far larger than their values need."""
    for leaf in subject.leaves:
        found = list(_filters(subject, leaf))
        total = sum(count for _, count, _, _ in found)
        needed = sum(optimal_bytes(int(ndv), USUAL) for _, _, ndv, _ in found)
        if not found or total < LEAST_BYTES or total < OVERSIZED * needed:
            continue
        column = ".".join(leaf.path)
        ndv = max(int(one[2]) for one in found)
        yield Diagnosis(
            "bloom-filter-oversized",
            Severity.WASTEFUL,
            f"The Bloom filters of {name(leaf.path)} take {size(total)}; their values, at most about {ndv:,} distinct ones a row "
            f"group, need {size(needed)} for 1 % of false answers: {factor(total / needed)} as much.",
            Address.of("row_groups", found[0][0], "columns", leaf.leaf_index, "bloom_filter"),
            column,
            tuple(one[0] for one in found[:1_000]),
            evidence={"bytes": total, "needed": needed, "ndv": ndv},
            cost=Cost(f"{size(total - needed)} of the file", bytes=total - needed),
            fix="Give the filter the number of distinct values, not that of all values.",
            code={
                "Spark": f"df.write.option('parquet.bloom.filter.expected.ndv#{column}', {ndv}).parquet(path)",
                "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'bloom_filter': True, 'bloom_filter_ndv': {ndv}}}}})",
            },
            source=BLOOM,
        )


RULES = (
    Rule(
        "bloom-filter-too-full", Severity.SLOW, PAGES,
        "Bloom filters that are too full",
        "A filter with too many values says \"perhaps\" to nearly everything, and is read in vain.",
        full, BLOOM, f"At least {percent(FULL)} of absent values pass.",
    ),
    Rule(
        "bloom-filter-oversized", Severity.WASTEFUL, PAGES,
        "Bloom filters far larger than they need to be",
        "Writers that size a filter by the number of values, not of distinct values, waste most of it.",
        oversized, BLOOM,
        f"At least {size(LEAST_BYTES)}, and {OVERSIZED} times what 1 % of false answers needs.",
    ),
)  # fmt: skip
