"""Rules about what lets a query skip: statistics, and their trust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.doctor.subject import ordered
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

STATISTICS = Source(
    "Parquet, Statistics in parquet.thrift",
    "https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift",
)

LISTED = 4


def _without_statistics(subject: Subject) -> Iterator[tuple[Leaf, list[int], int]]:
    """(leaf, row groups without statistics, row groups) for each leaf that has an order and is not encrypted.

    Only leaves with such a row group. A column index stands for statistics: it lets a reader skip pages.
    """
    for leaf in filter(ordered, subject.leaves):
        chunks = subject.column_chunks(leaf)
        bare = [
            group
            for group, one in chunks
            if one.column_index_offset is None
            and (one.meta_data is None or one.meta_data.statistics is None)
        ]
        if bare and not any(chunk.encrypted for chunk in subject.chunks(leaf)):
            yield leaf, bare, len(chunks)


CODE_STATISTICS = {
    "pyarrow": "pq.write_table(table, path, write_statistics=True)",
    "polars": "df.write_parquet(path, statistics=True)",
    "pqexplore": "pqexplore.WriteOptions(statistics=('chunk',))",
}


def no_statistics(subject: Subject) -> Iterator[Diagnosis]:
    """Columns without statistics in any row group, in a file of several row groups."""
    if subject.groups < 2:
        return
    bare = [
        leaf for leaf, groups, count in _without_statistics(subject) if 0 < count == len(groups)
    ]
    if not bare:
        return
    names = listing([name(leaf.path) for leaf in bare], most=LISTED)
    one = len(bare) == 1
    yield Diagnosis(
        "no-statistics",
        Severity.SLOW,
        f"{names} {'has' if one else 'have'} no statistics in any row group: a query with a condition on "
        f"{'it' if one else 'one of them'} reads all {subject.groups:,} row groups.",
        Address.of("schema", bare[0].index),
        ".".join(bare[0].path) if one else "",
        tuple(range(min(subject.groups, 1_000))),
        evidence={
            "columns": [".".join(leaf.path) for leaf in bare[:100]],
            "row_groups": subject.groups,
        },
        cost=Cost("no row group can be skipped by a value", row_groups=subject.groups),
        fix="Let the writer write statistics; all common writers do by default.",
        code=CODE_STATISTICS,
        source=STATISTICS,
    )


def some_statistics(subject: Subject) -> Iterator[Diagnosis]:
    """Columns with statistics in some row groups, and none in others."""
    found = [
        (leaf, groups, count)
        for leaf, groups, count in _without_statistics(subject)
        if 0 < len(groups) < count
    ]
    if not found:
        return
    leaf, groups, count = max(found, key=lambda one: len(one[1]))
    more = f"; so {'has' if len(found) == 2 else 'have'} {plural(len(found) - 1, 'other column')}"
    yield Diagnosis(
        "some-statistics",
        Severity.NOTE,
        f"{name(leaf.path)} has no statistics in {len(groups):,} of {plural(count, 'row group')}"
        f"{more if len(found) > 1 else ''}: a query with a condition on it always reads "
        f"{'this one' if len(groups) == 1 else 'these'}.",
        Address.of("row_groups", groups[0], "columns", leaf.leaf_index),
        ".".join(leaf.path),
        tuple(groups[:1_000]),
        evidence={
            "columns": [".".join(one.path) for one, _, _ in found[:100]],
            "row_groups": len(groups),
        },
        cost=Cost("these row groups cannot be skipped by a value", row_groups=len(groups)),
        fix="Write these row groups again with statistics. Files that were joined from others often have it.",
        code=CODE_STATISTICS,
        source=STATISTICS,
    )


def distrusted(subject: Subject) -> Iterator[Diagnosis]:
    """Columns whose bounds are there, and a careful reader must not use them."""
    if subject.groups < 2:
        return
    by_reason: dict[str, list[Leaf]] = {}
    for leaf in subject.leaves:
        if not ordered(leaf):
            continue
        reasons: list[str] = []
        for group, _ in subject.metadata(leaf):
            try:
                bounds = subject.bounds(leaf, group)
            except ParquetError:
                continue
            if bounds is None or not bounds.source or bounds.trusted:
                reasons.clear()
                break
            reasons.append(bounds.why)
        if reasons:
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
            code={
                "pyarrow": "pq.write_table(table, path)",
                "Spark": "df.write.parquet(path)",
                "DuckDB": "COPY tbl TO 'file.parquet' (FORMAT parquet)",
                "polars": "df.write_parquet(path)",
                "pqexplore": "pqexplore.WriteOptions()",
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
        "some-statistics", Severity.NOTE, FOOTER,
        "Statistics in some row groups only",
        "A row group without a minimum and a maximum is read by each query.",
        some_statistics, STATISTICS, "A column with an order.",
    ),
    Rule(
        "statistics-distrusted", Severity.SLOW, FOOTER,
        "Statistics that readers must ignore",
        "Old or incomplete statistics may be wrong for their type, so a careful reader reads as if there were none.",
        distrusted, STATISTICS, "In every row group of a file of two or more.",
    ),
)  # fmt: skip
