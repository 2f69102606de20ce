"""Rules about what lets a query skip: statistics, their trust, page indexes, Bloom filters, declared order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.ordering import Order, type_order
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import listing, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

STATISTICS = Source(
    "Parquet, Statistics in parquet.thrift",
    "https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift",
)
PAGE_INDEX = Source("Parquet, page index", "https://parquet.apache.org/docs/file-format/pageindex/")
BLOOM = Source("Parquet, Bloom filter", "https://parquet.apache.org/docs/file-format/bloomfilter/")

BLOOM_SHARE = 0.2
BLOOM_BYTES = 64 << 10
LISTED = 4


def _ordered(leaf: Leaf) -> bool:
    """Whether a column has an order, so that bounds of it would help."""
    return (
        type_order(leaf) is not Order.NONE and leaf.max_repetition_level == 0 and not inside(leaf)
    )


def _bare(subject: Subject, leaf: Leaf) -> bool:
    """Whether the file says nothing about the leaf's values that lets a reader skip chunks, or pages of them."""
    chunks = subject.column_chunks(leaf)
    for _, one in chunks:
        known = one.meta_data is not None and one.meta_data.statistics is not None
        if known or one.column_index_offset is not None:
            return False
    return bool(chunks) and not any(chunk.encrypted for chunk in subject.chunks(leaf))


def no_statistics(subject: Subject) -> Iterator[Diagnosis]:
    """Columns without statistics in any row group, in a file of several row groups."""
    if subject.groups < 2:
        return
    bare, ordered = [], 0
    for leaf in subject.leaves:
        if not _ordered(leaf):
            continue
        ordered += 1
        if _bare(subject, leaf):
            bare.append(leaf)
    if not bare:
        return
    names = listing([name(leaf.path) for leaf in bare], most=LISTED)
    whole = "No column" if len(bare) == ordered else f"{plural(len(bare), 'column')} of {ordered:,}"
    has = "has statistics" if len(bare) == ordered else f"have no statistics ({names})"
    yield Diagnosis(
        "no-statistics",
        Severity.SLOW,
        f"{whole} {has}: a query with a condition on them reads all {subject.groups:,} row groups.",
        Address.of("schema", bare[0].index),
        "" if len(bare) > 1 else ".".join(bare[0].path),
        evidence={
            "columns": [".".join(leaf.path) for leaf in bare[:100]],
            "row_groups": subject.groups,
        },
        cost=Cost("no row group can be skipped by a value", row_groups=subject.groups),
        fix="Let the writer write statistics; all common writers do by default.",
        code={
            "pyarrow": "pq.write_table(table, path, write_statistics=True)",
            "polars": "df.write_parquet(path, statistics=True)",
            "pqexplore": "pqexplore.WriteOptions(statistics=('chunk',))",
        },
        source=STATISTICS,
    )


def distrusted(subject: Subject) -> Iterator[Diagnosis]:
    """Columns whose bounds are there, and a careful reader must not use them."""
    if subject.groups < 2:
        return
    by_reason: dict[str, list[Leaf]] = {}
    for leaf in subject.leaves:
        if not _ordered(leaf):
            continue
        reasons = []
        for group, _ in subject.metadata(leaf):
            try:
                bounds = subject.bounds(leaf, group)
            except ParquetError:
                continue
            if bounds is None or not bounds.source:
                break
            reasons.append("" if bounds.trusted else bounds.why)
            if bounds.trusted:
                break
        if reasons and all(reasons):
            by_reason.setdefault(reasons[0], []).append(leaf)
    for reason, leaves in by_reason.items():
        names = listing([name(leaf.path) for leaf in leaves], most=LISTED)
        yield Diagnosis(
            "statistics-distrusted",
            Severity.SLOW,
            f"Careful readers ignore the bounds of {plural(len(leaves), 'column')} ({names}): {reason}.",
            Address.of("schema", leaves[0].index),
            "" if len(leaves) > 1 else ".".join(leaves[0].path),
            evidence={"columns": [".".join(leaf.path) for leaf in leaves[:100]], "reason": reason},
            cost=Cost(
                "no row group can be skipped by a value of these columns by a careful reader; a careless one may lose rows",
                row_groups=subject.groups,
            ),
            fix="Write the file again with a current writer.",
            source=STATISTICS,
        )


def bloom_share(subject: Subject) -> Iterator[Diagnosis]:
    """Bloom filters that are a large part of the file, by the lengths in the footer."""
    lengths = ((leaf, subject.total("bloom_filter_length", leaf)) for leaf in subject.leaves)
    by_leaf = {leaf.leaf_index: length for leaf, length in lengths if length}
    total = sum(by_leaf.values())
    share = total / subject.file.size if subject.file.size else 0
    if total < BLOOM_BYTES or share < BLOOM_SHARE or share > 1:
        return
    largest = subject.leaves[max(by_leaf, key=lambda index: by_leaf[index])]
    yield Diagnosis(
        "large-bloom-filters",
        Severity.WASTEFUL,
        f"Bloom filters take {size(total)}, {percent(share)} of the file; those of {name(largest.path)} take "
        f"{size(by_leaf[largest.leaf_index])}.",
        Address.of("schema", largest.index),
        ".".join(largest.path),
        evidence={"bytes": total, "columns": len(by_leaf)},
        cost=Cost(f"{size(total)} of the file", bytes=total),
        fix="Give the writer the number of distinct values, or leave out filters of columns that a dictionary covers.",
        code={
            "Spark": f"df.write.option('parquet.bloom.filter.expected.ndv#{'.'.join(largest.path)}', n).parquet(path)",
            "pqexplore": f"pqexplore.WriteOptions(columns={{{'.'.join(largest.path)!r}: {{'bloom_filter': True, 'bloom_filter_ndv': n}}}})",
        },
        source=BLOOM,
    )


def undeclared_order(subject: Subject) -> Iterator[Diagnosis]:
    """A column whose row groups follow each other in order, and no sorting column says so."""
    if subject.groups < 3:
        return
    declared: set[int] = set()
    for index in range(subject.groups):
        for one in subject.file.row_groups[index].metadata.sorting_columns or ():
            declared.add(int(one.column_idx))
    found = []
    for leaf in subject.leaves:
        if leaf.leaf_index in declared or not _ordered(leaf):
            continue
        keys: list[tuple[bytes, bytes]] = []
        for group, _ in subject.metadata(leaf):
            try:
                bounds = subject.bounds(leaf, group)
            except ParquetError:
                break
            if (
                bounds is None
                or not bounds.trusted
                or bounds.min_key is None
                or bounds.max_key is None
                or (keys and bounds.min_key < keys[-1][1])
            ):
                break
            keys.append((bounds.min_key, bounds.max_key))
        if len(keys) == subject.groups and keys[0][0] != keys[-1][1]:
            found.append(leaf)
    if not found:
        return
    names = listing([name(leaf.path) for leaf in found], most=LISTED)
    yield Diagnosis(
        "order-not-declared",
        Severity.NOTE,
        f"By their bounds, the row groups are in the order of {names}, and the footer declares no sorting "
        f"{'column' if len(found) == 1 else 'columns'} for {'it' if len(found) == 1 else 'them'}.",
        Address.of("schema", found[0].index),
        ".".join(found[0].path),
        evidence={"columns": [".".join(leaf.path) for leaf in found[:100]]},
        fix="If the rows are sorted inside the row groups too, declare it: engines may then merge without sorting.",
        code={
            "pyarrow": f"pq.write_table(table, path, sorting_columns=[pq.SortingColumn({found[0].leaf_index})])",
            "pqexplore": f"pqexplore.WriteOptions(sorting_columns=[({'.'.join(found[0].path)!r}, False, False)])",
        },
        source=STATISTICS,
    )


RULES = (
    Rule(
        "no-statistics", Severity.SLOW, FOOTER,
        "Columns without statistics",
        "Without a minimum and a maximum no reader can skip a row group by a value.",
        no_statistics, STATISTICS, "A file of two row groups or more, and a column with an order.",
    ),
    Rule(
        "statistics-distrusted", Severity.SLOW, FOOTER,
        "Statistics that readers must ignore",
        "Old or incomplete statistics may be wrong for their type, so a careful reader reads as if there were none.",
        distrusted, STATISTICS, "In every row group of a file of two or more.",
    ),
    Rule(
        "large-bloom-filters", Severity.WASTEFUL, FOOTER,
        "Bloom filters that are a large part of the file",
        "A filter that is sized for more values than there are wastes bytes; one beside a dictionary adds little.",
        bloom_share, BLOOM,
        f"At least {size(BLOOM_BYTES)}, and {percent(BLOOM_SHARE)} of the file.",
    ),
    Rule(
        "order-not-declared", Severity.NOTE, FOOTER,
        "An order that the footer does not declare",
        "A reader that knows that rows are sorted can merge, and stop early.",
        undeclared_order, STATISTICS, "Three row groups or more whose ranges follow each other.",
    ),
)  # fmt: skip
