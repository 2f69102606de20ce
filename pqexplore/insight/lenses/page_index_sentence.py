"""The sentence of the page index lens: how much a filter on one value reads, and why.

Apart from `page_index.py`, because both together are longer than one file should be.
"""

from __future__ import annotations

from pqexplore.engine.format.thrift.structs import BoundaryOrder, ColumnIndex, OffsetIndex, enum_name
from pqexplore.insight import skipping
from pqexplore.insight.parts import Skippable
from pqexplore.insight.skipping import Skipping, number


def sentence_of(
    column_index: ColumnIndex | None,
    offset_index: OffsetIndex | None,
    parts: list[Skippable],
    verdict: Skipping,
    in_order: bool,
) -> str:
    """What a filter on one value reads by the page index, and why.

    `in_order` tells whether the pages are in the order that the column index claims.
    """
    count = len(parts)
    pages = f"{count:,} page{'' if count == 1 else 's'}"
    if column_index is None:
        return (
            f"{pages}, each with its place and first row: one row costs one page. There is no column index, so a "
            "filter on values cannot leave pages out."
        )
    if count <= 1:
        return f"{pages}: the page index can skip nothing that the row group's statistics do not."
    where = "" if offset_index is not None else " There is no offset index, so their offsets are unknown."
    empty = f" {verdict.empty:,} of them {'has' if verdict.empty == 1 else 'have'} nulls only." * bool(verdict.empty)
    order = boundary_order(column_index)
    way = (order or "").lower()
    if verdict.verdict == skipping.NO_STATISTICS:
        why = next((part.why for part in parts if part.why), "they have no values")
        return f"{pages}, and a filter on one value cannot use their bounds: {why}.{empty}{where}"
    reads = f"a filter on one value reads {number(verdict.reads)} of {pages} on average"
    if verdict.verdict in (skipping.SORTED, skipping.SEPARATE, skipping.ALONE):
        if order == "UNORDERED" and verdict.direction and verdict.verdict == skipping.SORTED:
            because = (
                ", because their ranges follow one another; the writer says UNORDERED all the same, so a reader has to "
                "look at each page's bounds"
            )
        elif in_order:
            because = f", because they are {way}: a reader finds the page by halving"
        else:
            because = ", because their ranges do not overlap"
    elif verdict.verdict == skipping.USELESS_FOR_SKIPPING:
        because = ", because each of them has nearly the same range"
    elif in_order:
        because = f": their bounds are {way}, and neighbours share part of their range"
    else:
        because = ", because their ranges overlap"
    return f"{reads[0].upper()}{reads[1:]}{because}.{empty}{where}"


def boundary_order(column_index: ColumnIndex | None) -> str | None:
    """The boundary order of a column index by name; None if absent."""
    if column_index is None or column_index.boundary_order is None:
        return None
    return enum_name(BoundaryOrder, column_index.boundary_order)
