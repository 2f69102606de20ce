"""Rules about the order of rows, as the bounds of the row groups show it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import order_key
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity
from pqexplore.insight.doctor.rules.dictionaries import is_whole
from pqexplore.insight.doctor.rules.skipping import STATISTICS
from pqexplore.insight.wording import listing, name, percent, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Range, Subject

LISTED = 4

MANY_GROUPS = 8
"""Row groups from which it matters how many of them a search reads."""

SEPARATED = 0.5
"""The share of row groups that a search reads up to which the bounds of a column separate them."""

COMMON = 0.9
"""The share of a column's values in the ranges of all row groups from which its rows count as unsorted."""

MOST_ENTRIES = 5_000
REPEATED = 10
"""Entries of a dictionary, and values for each: a column of few values is likely one that queries filter by."""

LEAST_GROUPS = 3
"""Row groups from which their order is no chance: two are in some order always."""


def row_order(leaf: Leaf, ranges: Sequence[Range]) -> tuple[bool, bool] | None:
    """(descending, nulls first) by which row groups or pages are sorted, as far as their bounds show; None if they are not.

    A column with one value is in no order. Nulls must be all in the first one, or all in the last one.
    """
    if all(one.low == ranges[0].low == one.high for one in ranges):
        return None
    rising = all(one.high <= next.low for one, next in pairwise(ranges))
    if not rising and not all(one.low >= next.high for one, next in pairwise(ranges)):
        return None
    nulls = [one.nulls if leaf.max_definition_level else 0 for one in ranges]
    if not any(nulls[:-1]) and None not in nulls:
        return not rising, False
    return (not rising, True) if nulls[0] and not any(nulls[1:]) and None not in nulls else None


def _while_in_order(ranges: Iterable[Range]) -> Iterator[Range]:
    """Ranges up to the first that breaks the order: bounds of the others need not be decoded."""
    rising = falling = True
    last: Range | None = None
    for one in ranges:
        if last is not None:
            rising, falling = rising and last.high <= one.low, falling and last.low >= one.high
        if not rising and not falling:
            return
        yield one
        last = one


def undeclared_order(subject: Subject) -> Iterator[Finding]:
    """Columns whose row groups follow each other in order, in a file without sorting columns."""
    if subject.groups < LEAST_GROUPS or subject.partial:
        return
    if any(group.metadata.sorting_columns for group in subject.file.row_groups):
        return
    found = []
    for leaf in subject.leaves:
        ranges = list(_while_in_order(subject.each_range(leaf)))
        order = row_order(leaf, ranges) if len(ranges) == subject.groups else None
        if order is not None:
            found.append((leaf, *order))
    if not found:
        return
    names = listing([f"{name(leaf.path)}{' (descending)' * down}" for leaf, down, _ in found], most=LISTED)  # fmt: skip
    leaf, down, first = found[0]
    column = ".".join(leaf.path)
    yield Finding(
        "order-not-declared",
        Address.of("schema", leaf.index),
        f"By their bounds, the {subject.groups:,} row groups are in the order of {names}, and the footer declares no "
        "sorting column.",
        {"columns": [".".join(one.path) for one, _, _ in found[:100]], "descending": down},
        column=column,
        row_groups=tuple(range(min(subject.groups, 1_000))),
        cost=Cost("an engine that needs this order sorts the rows again"),
        fix="If the rows are sorted inside the row groups too, declare it: engines may then merge without sorting.",
        code={
            "pyarrow": f"pq.write_table(table, path, sorting_columns=[pq.SortingColumn({leaf.leaf_index}, {down}, {first})])",
            "pqexplore": f"pqexplore.WriteOptions(sorting_columns=[({column!r}, {down}, {first})])",
        },
    )


def hits(ranges: Sequence[Range]) -> float:
    """The mean share of the row groups that a search reads by their ranges, for a value at a bound of one of them."""
    lows, highs = sorted(one.low for one in ranges), sorted(one.high for one in ranges)
    probes = lows + highs
    read = sum(bisect_right(lows, value) - bisect_left(highs, value) for value in probes)
    return read / len(probes) / len(ranges)


class _Common(NamedTuple):
    """The dictionary of a chunk: how many of its entries lie in the ranges of all row groups, and how many it has."""

    inside: int
    entries: int
    leaf: Leaf


def _in_all(leaf: Leaf, ranges: Sequence[Range], chunk: ColumnChunk) -> _Common | None:
    """The entries of a chunk's dictionary that are in the range of every row group; None if they are many or hardly repeat.

    Raises ParquetError if the dictionary cannot be read.
    """
    page = chunk.dictionary_page
    most = min(MOST_ENTRIES, chunk.metadata.num_values // REPEATED)
    if page is None or not 2 <= page.num_values <= most:
        return None
    low, high = max(one.low for one in ranges), min(one.high for one in ranges)
    keys = [order_key(leaf, stored_bytes(leaf, value.as_py())) for value in page.physical]
    inside = sum(key is not None and low <= key <= high for key in keys)
    return _Common(inside, len(keys), leaf)


def unsorted(subject: Subject) -> Iterator[Finding]:
    """A file of many row groups: a search can skip none by bounds, though a column has few values, or times."""
    if subject.groups < MANY_GROUPS or subject.partial:
        return
    known = [(leaf, subject.ranges(leaf)) for leaf in subject.leaves]
    ranged = [(leaf, ranges) for leaf, ranges in known if ranges is not None]
    if any(hits(ranges) <= SEPARATED for _, ranges in ranged):
        return
    best = _few_values(subject, ranged)
    if best is None:
        yield from _times(subject, ranged)
        return
    leaf = best.leaf
    yield _unsorted(
        subject,
        leaf,
        f"{best.inside:,} of the {plural(best.entries, 'value')} of {name(leaf.path)} in row group 0 lie in the ranges of all "
        f"{subject.groups:,} row groups",
        {"columns": len(ranged), "values": best.entries, "in_all_ranges": best.inside},
        f"If queries look for values of {name(leaf.path)}, sort the rows by it before they are written.",
    )


def _few_values(subject: Subject, ranged: Sequence[tuple[Leaf, Sequence[Range]]]) -> _Common | None:
    """The column with the fewest values of those whose dictionary lies in the ranges of all row groups."""
    found = []
    for leaf, ranges in ranged:
        chunks = list(subject.chunks(leaf))
        if len(leaf.path) > 1 or not all(map(is_whole, chunks)) or chunks[0].locked or chunks[0].elsewhere:
            continue
        try:
            found.append(_in_all(leaf, ranges, chunks[0]))
        except ParquetError:
            continue
    common = [one for one in found if one is not None and one.inside >= COMMON * one.entries]
    return min(common, key=lambda one: one.entries, default=None)


def _times(subject: Subject, ranged: Sequence[tuple[Leaf, Sequence[Range]]]) -> Iterator[Finding]:
    """The first column of dates or times whose bounds lie in the ranges of nearly all row groups."""
    for leaf, ranges in ranged:
        if meaning(leaf).name in ("DATE", "TIMESTAMP") and len(leaf.path) == 1:
            low, high = max(one.low for one in ranges), min(one.high for one in ranges)
            if low < high:
                yield _unsorted(
                    subject,
                    leaf,
                    f"All {subject.groups:,} row groups have a part of the time of {name(leaf.path)} in common",
                    {"columns": len(ranged)},
                    f"If queries look for a time, sort the rows by {name(leaf.path)} before they are written.",
                )
                return


def _unsorted(subject: Subject, leaf: Leaf, said: str, evidence: dict[str, object], fix: str) -> Finding:
    column = ".".join(leaf.path)
    return Finding(
        "rows-unsorted",
        Address.of("schema", leaf.index),
        f"{said}, and the bounds of no column let an average search skip half of them.",
        evidence,
        column=column,
        row_groups=tuple(range(min(subject.groups, 1_000))),
        cost=Cost("a search for such a value reads every row group", row_groups=subject.groups),
        fix=fix,
        code=_sorted_code(column),
    )


def _sorted_code(column: str) -> dict[str, str]:
    quoted = column.replace('"', '""')
    return {
        "pyarrow": f"pq.write_table(table.sort_by({column!r}), path)",
        "Spark": f"df.repartitionByRange({column!r}).sortWithinPartitions({column!r}).write.parquet(path)",
        "DuckDB": f"COPY (FROM tbl ORDER BY \"{quoted}\") TO 'file.parquet' (FORMAT parquet)",
        "polars": f"df.sort({column!r}).write_parquet(path)",
    }


RULES = (
    Rule(
        "order-not-declared", Severity.NOTE, FOOTER,
        "An order that the footer does not declare",
        "A reader that knows that rows are sorted can merge, and stop early.",
        undeclared_order, STATISTICS,
        f"{LEAST_GROUPS} row groups or more whose ranges follow each other, upwards or downwards.",
    ),
    Rule(
        "rows-unsorted", Severity.SLOW, PAGES,
        "Rows in no order that bounds could use",
        "If every row group has values from the whole range of a column, each search reads every row group.",
        unsorted, STATISTICS,
        f"{MANY_GROUPS} row groups or more; a search for a bound of any column reads more than half of them; and a dictionary of at most "
        f"{MOST_ENTRIES:,} entries for {REPEATED} values or more each: {percent(COMMON)} of the entries lie in the ranges of all row groups; "
        "else all row groups have a part of the range of a column of dates or times in common.",
    ),
)  # fmt: skip
