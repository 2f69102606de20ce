"""The words and tables of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.text import clip, printable
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Test, Undecided, single
from pqexplore.insight.ask.ruling import CLAUSE
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


def of(plan: Plan) -> str:
    """The answer in a few sentences."""
    said = [one.sentence for one in plan.wrong_rows[:2]]
    said.append(_read(plan))
    said += _why(plan)
    return " ".join(said)


def _why(plan: Plan) -> Iterator[str]:
    """Why the first row group that is read is read, and why the first that is skipped is skipped."""
    kept = plan.kept
    gone = [group for group in plan.groups if not group.kept]
    if kept:
        first = kept[0]
        verb = "is read" if gone or first.ranges != ((0, first.num_rows),) else "is read whole"
        yield f"Row group {first.index:,} {verb}: {first.reason}."
    if gone:
        yield f"Row group {gone[0].index:,} is skipped: {gone[0].reason}."


def _read(plan: Plan) -> str:
    reading, groups = plan.reading, plan.groups
    rows = sum(row_ranges.count(group.ranges) for group in plan.kept)
    total = sum(group.num_rows for group in groups)
    title = plan.engine.title
    part = f"{size(reading.bytes)} of {size(reading.all_bytes)}"
    if reading.bytes > reading.all_bytes:
        part = f"{size(reading.bytes)}, more than the {size(reading.all_bytes)} of the file,"
    how = f"in {plural(len(reading.requests), 'request')}"
    low, high = size(reading.least), size(reading.most)
    if low != high:
        part = f"between {low} and {high} (the file has {size(reading.all_bytes)})"
        how = "by the rows that match and the speed that it measures"
    return (
        f"{title[:1].upper()}{title[1:]} reads {len(plan.kept):,} of {plural(len(groups), 'row group')}, {rows:,} of "
        f"{plural(total, 'row')}, and {part} {how}."
    )


def remarks(plan: Plan) -> Iterator[str]:
    """What was assumed, what decides nothing, and what the engine makes of a clause otherwise than SQL."""
    yield from plan.engine.all_otherwise(plan.bound, plan.file)
    for one in single(plan.used):
        if isinstance(one, Undecided):
            does = "skips nothing" if one.certain else "may skip more than the plan says"
            yield f"{clip(one.sql, CLAUSE)} {does}: {one.why}."
        elif isinstance(one, Test) and one.remark:
            yield one.remark


def pages_table(plan: Plan) -> pa.Table:
    """The table `Plan.pages`."""
    names = {leaf.leaf_index: ".".join(leaf.path) for leaf in plan.leaves}
    rows: dict[tuple[object, ...], tuple[object, ...]] = {}  # a page that is read twice has one row
    whole: set[tuple[int, int]] = set()
    for piece in plan.reading.pieces:
        if piece.row_group is None or piece.leaf is None or piece.what not in _READ:
            continue
        if piece.what == "column chunk":
            whole.add((piece.row_group, piece.leaf))
        rows[piece.row_group, piece.leaf, piece.what, piece.index] = (
            plan.file.name, piece.row_group, names.get(piece.leaf), piece.index, True, piece.what,
            *(piece.rows or (None, None)), piece.span.start, piece.span.end, "", "", piece.address,
        )  # fmt: skip
    for group in plan.groups:
        for page in group.pages:
            key = group.index, page.leaf, "data page", page.index
            # Another clause under OR may need a page that this one rules out.
            if page.ruling.possible or key in rows or key[:2] in whole:
                continue
            rows[key] = (
                plan.file.name, group.index, page.column, page.index, False, "data page", *page.rows,
                None, None, page.ruling.by, printable(page.ruling.reason), page.address,
            )  # fmt: skip
    made = rows.values()
    return pa.table({name: pa.array([row[i] for row in made], kind) for i, (name, kind) in enumerate(_PAGES.items())})


_READ = ("data page", "dictionary page", "column chunk")

_PAGES: dict[str, pa.DataType] = {
    "file": pa.string(),
    "row_group": pa.int32(),
    "column": pa.string(),
    "page": pa.int32(),
    "kept": pa.bool_(),
    "what": pa.string(),
    "first_row": pa.int64(),
    "end_row": pa.int64(),
    "start": pa.int64(),
    "end": pa.int64(),
    "by": pa.string(),
    "reason": pa.string(),
    "address": pa.string(),
}
