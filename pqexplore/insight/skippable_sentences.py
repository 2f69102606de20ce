"""What the ranges of row groups and pages are worth to a query, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import within
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight import skipping
from pqexplore.insight.axis import order_of, text_of
from pqexplore.insight.skippable import Skippable
from pqexplore.insight.skipping import Skipping, number
from pqexplore.insight.wording import name


def groups_sentence(file: ParquetFile, leaf: Leaf, groups: Sequence[Skippable], verdict: Skipping) -> str:
    """The sentence on the row groups of a column."""
    count = len(groups)
    many = f"{count:,} row groups" if count > 1 else "the only row group"
    if verdict.verdict == skipping.NO_STATISTICS:
        if not any(part.values for part in groups) and not any(part.error for part in groups):
            return "There are no values, and nothing that a filter could skip."
        if verdict.empty == count:
            return f"Nulls only: a filter on a value skips {many} by the null count."
        return f"No statistics that a query can use: it reads {many}, because {_reason(leaf, groups)}."
    reads = f"a filter on one value reads {number(verdict.reads)} of {count:,} on average"
    if verdict.verdict == skipping.ALONE:
        one = next(part for part in groups if part.bounded)
        alone = "There is one row group" if count == 1 else f"One of {count:,} row groups has values"
        low, high = text_of(leaf, one.low), text_of(leaf, one.high)
        return f"{alone}, from {low} to {high}: this range can only skip it as a whole."
    missing = count - verdict.known - verdict.empty
    extra = f", {missing:,} of them without usable bounds" if missing else ""
    if verdict.verdict == skipping.SORTED:
        way = "ascending" if verdict.direction > 0 else "descending"
        return f"Row groups are sorted: {reads}, because their ranges follow one another in {way} order."
    if verdict.verdict == skipping.SEPARATE:
        return f"Row groups do not overlap: {reads}, though they are in no order."
    declared = _declared_sorting(file, leaf, count)
    if verdict.verdict == skipping.USELESS_FOR_SKIPPING:
        why = "too few have usable bounds" if missing else "each of them has nearly the same range"
        return f"The row groups' ranges are useless for skipping: {reads}{extra}, because {why}{declared}."
    if missing:
        return f"Row groups overlap: {reads}{extra}{declared}."
    if verdict.direction:
        return f"Row groups overlap: {reads}, because neighbours share part of their range{declared}."
    return f"Row groups overlap: {reads}, because the rows are not sorted by this column{declared}."


def hindrance(file: ParquetFile, leaf: Leaf, groups: Sequence[Skippable], verdict: Skipping) -> str:
    """Why the ranges of a column's row groups let a query skip little; "" if they do not stand in its way."""
    column = name(leaf.path)
    if verdict.verdict in (skipping.SORTED, skipping.SEPARATE) or verdict.empty == len(groups):
        return ""
    if verdict.verdict == skipping.NO_STATISTICS:
        if not any(part.values for part in groups) and not any(part.error for part in groups):
            return ""
        return f"{column} has no statistics that a query can use: {_reason(leaf, groups)}."
    if verdict.verdict == skipping.USELESS_FOR_SKIPPING and verdict.known + verdict.empty == len(groups):
        unsorted = " is not sorted across row groups" if _out_of_order(leaf, groups, verdict) else ""
        declared = _declared_sorting(file, leaf, len(groups))
        return f"{column}{unsorted}: each row group spans nearly the whole range{declared}."
    sentence = groups_sentence(file, leaf, groups, verdict)
    return f"{column}: {sentence[0].lower()}{sentence[1:]}"


def _out_of_order(leaf: Leaf, groups: Sequence[Skippable], verdict: Skipping) -> bool:
    """Whether the ranges prove that the rows are not sorted: they go up and down, or overlap and are exact.

    Sorted text can have overlapping ranges if they are truncated.
    """
    if not verdict.direction:
        return True
    unmarked = leaf.physical_type != Type.BYTE_ARRAY
    sides = (side for part in groups if part.bounded for side in (part.low_exact, part.high_exact))
    return not verdict.apart and all(unmarked if side is None else side for side in sides)


def pages_sentence(group: Skippable, pages: int, verdict: Skipping) -> str:
    """The sentence on the pages of a column chunk."""
    if group.error:
        return f"The statistics of this chunk cannot be used: {group.error}."
    if not pages:
        return "There is no column index, so this chunk is read as a whole or not at all."
    if pages == 1:
        return "This chunk has one page in its column index."
    if verdict.verdict == skipping.NO_STATISTICS:
        what = "are nulls only" if verdict.empty == pages else "have no usable bounds"
        return f"The {pages:,} pages of this chunk {what}."
    words = {
        skipping.SORTED: "are sorted",
        skipping.SEPARATE: "do not overlap",
        skipping.OVERLAPPING: "overlap",
        skipping.USELESS_FOR_SKIPPING: "all span nearly the same range",
        skipping.ALONE: "have nulls only, but for one",
    }[verdict.verdict]
    return (
        f"The {pages:,} pages of this chunk {words}: "
        f"a filter on one value reads {number(verdict.reads)} of them on average."
    )


def _reason(leaf: Leaf, groups: Sequence[Skippable]) -> str:
    """Why no row group has usable bounds."""
    whys = [part.error or part.why for part in groups if not part.only_nulls or part.elsewhere]
    first = whys[0] if whys else ""
    if order_of(leaf) is Order.NONE:
        return "values of this type have no order, so that minimum and maximum would mean nothing"
    if any(part.bounded for part in groups):
        return "the only bounds are NaN"
    if first in ("no statistics", ""):
        return "the writer left none for this column"
    if first == "no minimum and maximum":
        return "the writer counted nulls and left minimum and maximum out"
    return first[0].lower() + first[1:]


def _declared_sorting(file: ParquetFile, leaf: Leaf, groups: int) -> str:
    """What the footer claims about the order of the rows by this column, and whether it is known to be wrong."""
    claimed = wrong = 0
    known = [one for one in file.findings if one.rule == "not-sorted"]
    for group in file.row_groups[:groups]:
        orders = group.metadata.sorting_columns
        if orders and orders[0].column_idx == leaf.leaf_index:
            claimed += 1
            address = Address.of("footer", group.address, "sorting_columns", 0)
            wrong += bool(within(known, address))
    if not claimed:
        return ""
    where = "each row group" if claimed == groups else f"{claimed:,} of {groups:,} row groups"
    what = f", although the footer says that the rows are sorted by it within {where}"
    return f"{what}, which is wrong in {wrong:,}" if wrong else what
