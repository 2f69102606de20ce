"""Rules about Bloom filters: too full to help, far larger than their values need, or beside what answers better."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.bloom import optimal_bytes
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules.dictionaries import is_whole
from pqexplore.insight.doctor.rules.order import LEAST_GROUPS
from pqexplore.insight.wording import factor, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

BLOOM = Source("Parquet, Bloom filter", "https://parquet.apache.org/docs/file-format/bloomfilter/")
JAVA_WRITER = Source(
    "parquet-java, ParquetFileWriter.writeColumnChunk",
    "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/src/main/java/org/apache/parquet/hadoop/ParquetFileWriter.java",
)

FULL = 0.25
"""The share of absent values for which a filter says "perhaps" from which it counts as too full."""

USUAL = 0.01
"""The usual rate of false answers, by which the size that the values need is computed."""

OVERSIZED = 8
"""A filter of so many times the size that its values need counts as oversized; smaller ones round up to a power of two."""

SHARE = 0.1
"""The share of a file from which its filters are a large part of it."""

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
                yield chunk.row_group.index, len(chunk.bloom_filter_span or ()), found.ndv, found.fpp
        except ParquetError:
            continue


def _code(column: str, ndv: int) -> dict[str, str]:
    """Code that writes a filter for so many distinct values."""
    return {
        "pyarrow": f"pq.write_table(table, path, bloom_filter_options={{{column!r}: {{'ndv': {ndv}, 'fpp': {USUAL}}}}})",
        "Spark": f"df.write.option({f'parquet.bloom.filter.expected.ndv#{column}'!r}, {ndv}).parquet(path)",
        "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'bloom_filter': True, 'bloom_filter_ndv': {ndv}}}}})",
    }


def _code_without(column: str) -> dict[str, str]:
    """Code that writes no filter for a column; pyarrow's default writes none."""
    return {
        "pyarrow": "pq.write_table(table, path)",
        "Spark": f"df.write.option({f'parquet.bloom.filter.enabled#{column}'!r}, 'false').parquet(path)",
        "DuckDB": "COPY tbl TO 'file.parquet' (FORMAT parquet, WRITE_BLOOM_FILTER false)",
        "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'bloom_filter': False}}}})",
    }


def _total(subject: Subject, leaf: Leaf) -> int:
    """The bytes of all filters of a leaf."""
    return int(subject.filter_bytes[:, leaf.leaf_index].sum())


def full(subject: Subject) -> Iterator[Finding]:
    """Filters that say "perhaps" to nearly everything."""
    for leaf in subject.leaves:
        found = [one for one in _filters(subject, leaf) if one[3] >= FULL]
        if not found:
            continue
        group, count, ndv, fpp = max(found, key=lambda one: one[3])
        column = ".".join(leaf.path)
        yield Finding(
            "bloom-filter-too-full",
            Address.of("row_groups", group, "columns", leaf.leaf_index, "bloom_filter"),
            f"The Bloom filters of {name(leaf.path)} are too small in {plural(len(found), 'row group')}: that of row group "
            f"{group:,} has {size(count)} for about {ndv:,.0f} distinct values, and lets {percent(fpp)} of absent values pass.",
            {"row_groups": len(found), "bytes": count, "ndv": ndv, "fpp": fpp},
            column=column,
            row_groups=tuple(one[0] for one in found[:1_000]),
            cost=Cost(
                f"a search for a value that is not there reads these row groups in {percent(fpp)} of the cases",
                row_groups=len(found),
            ),
            fix=f"Give the filter the number of distinct values: {size(optimal_bytes(int(ndv), USUAL))} would let 1 % pass.",
            code=_code(column, int(ndv)),
        )


def oversized(subject: Subject) -> Iterator[Finding]:
    """Filters far larger than their values need."""
    for leaf in subject.leaves:
        found = list(_filters(subject, leaf))
        total = sum(count for _, count, _, _ in found)
        needed = sum(optimal_bytes(int(ndv), USUAL) for _, _, ndv, _ in found)
        if not found or total < LEAST_BYTES or total < OVERSIZED * needed:
            continue
        column = ".".join(leaf.path)
        ndv = max(int(one[2]) for one in found)
        yield Finding(
            "bloom-filter-oversized",
            Address.of("row_groups", found[0][0], "columns", leaf.leaf_index, "bloom_filter"),
            f"The Bloom filters of {name(leaf.path)} take {size(total)}, {percent(total / subject.file.size)} of the file; their values, at most about {ndv:,} distinct ones a row "
            f"group, need {size(needed)} for 1 % of false answers: {factor(total / needed)} as much.",
            {"bytes": total, "needed": needed, "ndv": ndv},
            column=column,
            row_groups=tuple(one[0] for one in found[:1_000]),
            cost=Cost(f"{size(total - needed)} of the file", bytes=total - needed),
            fix="Give the filter the number of distinct values, not that of all values.",
            code=_code(column, ndv),
        )


def bloom_share(subject: Subject) -> Iterator[Finding]:
    """Bloom filters that are a large part of the file."""
    by_leaf = {leaf.leaf_index: _total(subject, leaf) for leaf in subject.leaves}
    total = sum(by_leaf.values())
    share = total / subject.file.size if subject.file.size else 0
    if total < LEAST_BYTES or share < SHARE or share > 1:
        return
    largest = subject.leaves[max(by_leaf, key=lambda index: by_leaf[index])]
    column = ".".join(largest.path)
    yield Finding(
        "large-bloom-filters",
        Address.of("schema", largest.index),
        f"Bloom filters take {size(total)}, {percent(share)} of the file; those of {name(largest.path)} take "
        f"{size(by_leaf[largest.leaf_index])}.",
        {"bytes": total, "columns": sum(map(bool, by_leaf.values()))},
        column=column,
        cost=Cost(bytes=total),
        fix="Give the writer the number of distinct values, or let it count them.",
        code={
            "Spark": f"df.write.option({f'parquet.bloom.filter.adaptive.enabled#{column}'!r}, 'true').parquet(path)",
            "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'bloom_filter': True}}}})",
        },
    )


def beside_dictionary(subject: Subject) -> Iterator[Finding]:
    """Filters of chunks whose dictionary has every value."""
    for leaf in subject.leaves:
        if _total(subject, leaf) < LEAST_BYTES:
            continue
        lengths = subject.filter_bytes[:, leaf.leaf_index]
        chunks = [chunk for chunk in subject.chunks(leaf) if lengths[chunk.row_group.index] and is_whole(chunk)]
        total = int(sum(lengths[chunk.row_group.index] for chunk in chunks))
        if not chunks or total < LEAST_BYTES:
            continue
        one = len(chunks) == 1
        yield Finding(
            "bloom-filter-beside-dictionary",
            Address.of(chunks[0].address, "bloom_filter"),
            f"The Bloom {'filter' if one else 'filters'} of {name(leaf.path)} {'takes' if one else 'take'} {size(total)} in "
            f"{plural(len(chunks), 'row group')} {'whose dictionary has' if one else 'whose dictionaries have'} every value: "
            "parquet-java and Impala ask the dictionary, which answers exactly.",
            {"bytes": total, "row_groups": len(chunks)},
            column=".".join(leaf.path),
            row_groups=tuple(chunk.row_group.index for chunk in chunks[:1_000]),
            cost=Cost(bytes=total),
            fix="Leave the filter out, unless DuckDB or DataFusion search by it: they do not ask the dictionary.",
            code=_code_without(".".join(leaf.path)),
        )


def beside_bounds(subject: Subject) -> Iterator[Finding]:
    """Filters of columns whose row groups have no value in common, by their bounds."""
    if subject.groups < LEAST_GROUPS or subject.partial:
        return
    for leaf in subject.leaves:
        total = _total(subject, leaf)
        ranges = subject.ranges(leaf) if total >= LEAST_BYTES else None
        if ranges is None:
            continue
        ranges = sorted(ranges)
        if not all(one.high < next.low for one, next in pairwise(ranges)):
            continue
        yield Finding(
            "bloom-filter-beside-bounds",
            Address.of("row_groups", 0, "columns", leaf.leaf_index, "bloom_filter"),
            f"The {subject.groups:,} row groups have no value of {name(leaf.path)} in common: by the bounds, a search for one "
            f"value reads at most one of them. The Bloom filters, {size(total)}, can spare only that one.",
            {"bytes": total, "row_groups": subject.groups},
            column=".".join(leaf.path),
            row_groups=tuple(range(min(subject.groups, 1_000))),
            cost=Cost(bytes=total),
            fix="Leave the filters out, unless many searches are for values that are not there.",
            code=_code_without(".".join(leaf.path)),
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
        repeats=("large-bloom-filters",),
    ),
    Rule(
        "large-bloom-filters", Severity.WASTEFUL, FOOTER,
        "Bloom filters that are a large part of the file",
        "A filter that is sized for more values than there are wastes bytes; one beside a dictionary adds little.",
        bloom_share, BLOOM, f"At least {size(LEAST_BYTES)}, and {percent(SHARE)} of the file.",
    ),
    Rule(
        "bloom-filter-beside-dictionary", Severity.NOTE, FOOTER,
        "Bloom filters beside a dictionary of all values",
        "A dictionary says exactly which values a column chunk has. parquet-java leaves out the filter of such a chunk when it writes.",
        beside_dictionary, JAVA_WRITER, f"Filters of at least {size(LEAST_BYTES)}.",
    ),
    Rule(
        "bloom-filter-beside-bounds", Severity.NOTE, FOOTER,
        "Bloom filters beside bounds that separate",
        "If the ranges of the row groups do not overlap, the bounds leave one row group to search.",
        beside_bounds, BLOOM,
        f"Filters of at least {size(LEAST_BYTES)} in {LEAST_GROUPS} row groups or more, and no two share a value.",
    ),
)  # fmt: skip
