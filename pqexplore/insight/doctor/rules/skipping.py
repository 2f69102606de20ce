"""Rules about what lets a query skip: statistics, and their trust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
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
            if one.column_index_offset is None and (one.meta_data is None or one.meta_data.statistics is None)
        ]
        if bare and not any(chunk.encrypted for chunk in subject.chunks(leaf)):
            yield leaf, bare, len(chunks)


def _evidence(subject: Subject, leaf: Leaf, bare: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """The engines that `ask` says can skip some of these row groups for a value of a column, each with its evidence."""
    from pqexplore.insight.ask import evidence  # not before a file lacks statistics: it loads all engines' rules

    asked = evidence.Evidence(leaf, subject.file.schema)
    found: dict[tuple[str, str], None] = {}
    wanted = set(bare)
    for chunk in subject.chunks(leaf) if asked.possible else ():
        if chunk.row_group.index in wanted:
            found.update(dict.fromkeys(asked.of(chunk)))
    return tuple(found)


def _who_reads(found: Sequence[tuple[str, str]], which: str, some: str) -> tuple[str, str]:
    """Who reads row groups without bounds for a condition, as the end of a sentence; and what that costs.

    `which` are the row groups, `some` those of them that an engine with evidence can skip.
    """
    from pqexplore.insight.ask import evidence

    able = {reader for reader, _ in found}
    others = listing(evidence.titles([name for name in evidence.READERS if name not in able]))
    cost = f"{others} cannot skip {'it' if some == 'it' else 'them'} by a value"
    if not found:
        return f"reads {which}", cost
    return f"reads {which} in {others}; {evidence.by_engine(found)} can skip {some}", cost


CODE_STATISTICS = {
    "pyarrow": "pq.write_table(table, path, write_statistics=True)",
    "polars": "df.write_parquet(path, statistics=True)",
    "pqexplore": "pqexplore.WriteOptions(statistics=('chunk',))",
}


def no_statistics(subject: Subject) -> Iterator[Finding]:
    """Columns without statistics in any row group, in a file of several row groups."""
    if subject.groups < 2:
        return
    bare = [leaf for leaf, groups, count in _without_statistics(subject) if 0 < count == len(groups)]
    if not bare:
        return
    alike: dict[tuple[tuple[str, str], ...], list[Leaf]] = {}
    every = range(subject.groups)
    for leaf in bare:
        alike.setdefault(_evidence(subject, leaf, every), []).append(leaf)
    for found, leaves in alike.items():
        yield _no_statistics(subject, leaves, found)


def _no_statistics(subject: Subject, leaves: list[Leaf], found: tuple[tuple[str, str], ...]) -> Finding:
    names = listing([name(leaf.path) for leaf in leaves], most=LISTED)
    one = len(leaves) == 1
    reads, cost = _who_reads(found, f"all {subject.groups:,} row groups", "some")
    return Finding(
        "no-statistics",
        Address.of("schema", leaves[0].index),
        f"{names} {'has' if one else 'have'} no statistics in any row group: a query with a condition on "
        f"{'it' if one else 'one of them'} {reads}.",
        {
            "columns": [".".join(leaf.path) for leaf in leaves[:100]],
            "row_groups": subject.groups,
            "skipped_by": [f"{reader}: {kind}" for reader, kind in found],
        },
        column=".".join(leaves[0].path) if one else "",
        row_groups=tuple(range(min(subject.groups, 1_000))),
        cost=Cost(cost, row_groups=subject.groups),
        fix="Let the writer write statistics; all common writers do by default.",
        code=CODE_STATISTICS,
    )


def some_statistics(subject: Subject) -> Iterator[Finding]:
    """Columns with statistics in some row groups, and none in others."""
    found = [(leaf, groups, count) for leaf, groups, count in _without_statistics(subject) if 0 < len(groups) < count]
    if not found:
        return
    leaf, groups, count = max(found, key=lambda one: len(one[1]))
    more = f"; so {'has' if len(found) == 2 else 'have'} {plural(len(found) - 1, 'other column')}"
    skipped_by = _evidence(subject, leaf, groups)
    always = "" if skipped_by else "always "
    which, some = ("this one", "it") if len(groups) == 1 else ("these", "some")
    reads, cost = _who_reads(skipped_by, which, some)
    yield Finding(
        "some-statistics",
        Address.of("row_groups", groups[0], "columns", leaf.leaf_index),
        f"{name(leaf.path)} has no statistics in {len(groups):,} of {plural(count, 'row group')}"
        f"{more if len(found) > 1 else ''}: a query with a condition on it {always}{reads}.",
        {"columns": [".".join(one.path) for one, _, _ in found[:100]], "row_groups": len(groups)},
        column=".".join(leaf.path),
        row_groups=tuple(groups[:1_000]),
        cost=Cost(cost, row_groups=len(groups)),
        fix="Write these row groups again with statistics. Files that were joined from others often have it.",
        code=CODE_STATISTICS,
    )


def distrusted(subject: Subject) -> Iterator[Finding]:
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
            if bounds is None or not bounds.source or bounds.trusted or subject.bound_is_wrong(leaf, group):
                reasons.clear()
                break
            reasons.append(bounds.why)
        if reasons:
            by_reason.setdefault(reasons[0], []).append(leaf)
    for reason, leaves in by_reason.items():
        names = listing([name(leaf.path) for leaf in leaves], most=LISTED)
        yield Finding(
            "statistics-distrusted",
            Address.of("schema", leaves[0].index),
            f"Careful readers ignore the bounds of {plural(len(leaves), 'column')} ({names}): {reason}.",
            {"columns": [".".join(leaf.path) for leaf in leaves[:100]], "reason": reason},
            column="" if len(leaves) > 1 else ".".join(leaves[0].path),
            cost=Cost(
                "a careful reader can skip no row group by these bounds; a careless one may lose rows",
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
        )


RULES = (
    Rule(
        "no-statistics", Severity.SLOW, FOOTER,
        "Columns without statistics",
        "Without a minimum and a maximum most readers can skip no row group by a value; some ask dictionaries or Bloom filters.",
        no_statistics, STATISTICS, "A file of two row groups or more, and a column with an order.",
    ),
    Rule(
        "some-statistics", Severity.NOTE, FOOTER,
        "Statistics in some row groups only",
        "A row group without a minimum and a maximum is read by most queries; some readers ask dictionaries or Bloom filters.",
        some_statistics, STATISTICS, "A column with an order.",
    ),
    Rule(
        "statistics-distrusted", Severity.SLOW, FOOTER,
        "Statistics that readers must ignore",
        "Old or incomplete statistics may be wrong for their type, so a careful reader reads as if there were none.",
        distrusted, STATISTICS, "In every row group of a file of two or more.",
    ),
)  # fmt: skip
