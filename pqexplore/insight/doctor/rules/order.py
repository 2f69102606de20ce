"""Rules about the order of rows, as the bounds of the row groups show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.doctor.rules.skipping import STATISTICS
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Range, Subject

LISTED = 4

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


def undeclared_order(subject: Subject) -> Iterator[Diagnosis]:
    """Columns whose row groups follow each other in order, in a file without sorting columns."""
    if subject.groups < LEAST_GROUPS or subject.partial:
        return
    if any(group.metadata.sorting_columns for group in subject.file.row_groups):
        return
    found = []
    for leaf in subject.leaves:
        ranges = subject.ranges(leaf)
        order = None if ranges is None else row_order(leaf, ranges)
        if order is not None:
            found.append((leaf, *order))
    if not found:
        return
    names = listing([f"{name(leaf.path)}{' (descending)' * down}" for leaf, down, _ in found], most=LISTED)  # fmt: skip
    leaf, down, first = found[0]
    column = ".".join(leaf.path)
    yield Diagnosis(
        "order-not-declared",
        Severity.NOTE,
        f"By their bounds, the {subject.groups:,} row groups are in the order of {names}, and the footer declares no "
        "sorting column.",
        Address.of("schema", leaf.index),
        column,
        tuple(range(min(subject.groups, 1_000))),
        evidence={"columns": [".".join(one.path) for one, _, _ in found[:100]], "descending": down},
        fix="If the rows are sorted inside the row groups too, declare it: engines may then merge without sorting.",
        code={
            "pyarrow": f"pq.write_table(table, path, sorting_columns=[pq.SortingColumn({leaf.leaf_index}, {down}, {first})])",
            "pqexplore": f"pqexplore.WriteOptions(sorting_columns=[({column!r}, {down}, {first})])",
        },
        source=STATISTICS,
    )


RULES = (
    Rule(
        "order-not-declared", Severity.NOTE, FOOTER,
        "An order that the footer does not declare",
        "A reader that knows that rows are sorted can merge, and stop early.",
        undeclared_order, STATISTICS,
        f"{LEAST_GROUPS} row groups or more whose ranges follow each other, upwards or downwards.",
    ),
)  # fmt: skip
