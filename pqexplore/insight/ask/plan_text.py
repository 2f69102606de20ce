"""A plan as lines of text for a terminal, and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.text import printable, printable_lines
from pqexplore.insight.ask.lookups import probes, sentences
from pqexplore.insight.ask.plan import GROUP, RANGE
from pqexplore.insight.ask.pruning_result import BLOOM
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import table, wrap
from pqexplore.insight.wording import listing

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.verify import Verification
    from pqexplore.insight.ask.why_not_pruned import Cause

LISTED = 40
"""Rows of a table that are printed. The others are only counted."""


def plan_report(plan: Plan, room: int, found: Verification | None = None, advice: bool = True) -> Iterator[str]:
    """A plan: its sentence, the stages, the row groups, the rows to decode, remarks, advice.

    Where a run differs from the plan (`found`), the difference is the sentence.
    """
    yield from _wrapped(sentence_of(plan, found), room)
    yield from ("", "Stages")
    rows = [
        (one.name, f"{one.groups_in:,} → {one.groups_out:,}", f"{one.rows_in:,} → {one.rows_out:,}", one.why)
        for one in plan.stages
    ]  # fmt: skip
    yield from table(("evidence", "row groups", "rows", "remark"), rows, room, right=" >> ")
    for text in plan.why_not_more:
        yield from _wrapped(text, room)
    yield from ("", "Row groups")
    kept = sorted(plan.groups, key=lambda group: not group.kept)
    shown = {one.index for one in kept[:LISTED]}
    listed = [row for one, row in zip(plan.groups, plan.group_rows(), strict=True) if one.index in shown]
    yield from _listed(GROUP, listed, ("row_group", "num_rows", "rows", "kept", "by", "reason"), room)
    if len(plan.groups) > LISTED:
        yield f"  and {len(plan.groups) - LISTED:,} more"
    if any(group.kept and group.ranges and group.ranges != ((0, group.num_rows),) for group in plan.groups):
        yield from ("", "Rows that are decoded")
        yield from _listed(RANGE, list(plan.range_rows()), ("row_group", "start", "end", "first_row"), room)
    asked = (
        list(sentences(probes(plan), len(plan.groups)))
        if any(g.asked and BLOOM in g.asked for g in plan.groups)
        else []
    )
    if asked:
        yield from ("", "Bloom filters")
        for text in asked:
            yield from _wrapped(text, room)
    if plan.remarks:
        yield from ("", "Remarks")
        for remark in plan.remarks:
            yield from _wrapped(remark, room)
    if not advice:
        yield from ("", "Advice")
        yield from _wrapped("Not asked for: it may read pages. --advice gives it.", room)
    elif plan.advice:
        yield from ("", "Advice")
        for cause in plan.advice:
            yield from _advice(cause, room)


def sentence_of(plan: Plan, found: Verification | None) -> str:
    """The plan's sentence, or how a run differs from the plan."""
    return found.differs if found is not None and found.differs else plan.sentence


def _advice(cause: Cause, room: int) -> Iterator[str]:
    yield from _wrapped(f"{cause.sentence} {cause.fix}", room)
    writers = list(cause.code)
    for writer in writers[:1]:
        others = f" (also for {listing(writers[1:])}, with --json)" if len(writers) > 1 else ""
        yield f"  {writer}{others}:"
        yield from (f"    {line}".rstrip() for line in printable_lines(cause.code[writer]).split("\n"))


def verification_report(found: Verification, room: int) -> Iterator[str]:
    """What the values say of a plan."""
    yield from ("", "Verified")
    yield from _wrapped(found.sentence, room)


def _listed(
    columns: Mapping[str, pa.DataType], rows: Sequence[Sequence[object]], names: Sequence[str], room: int
) -> Iterator[str]:
    """The first rows of some columns of a plan's table."""
    order = list(columns)
    places = [order.index(name) for name in names]
    right = "".join(">" if pa.types.is_integer(columns[name]) else " " for name in names)
    cells = [[_cell(row[place]) for place in places] for row in rows[:LISTED]]
    yield from table([name.replace("_", " ") for name in names], cells, room, right=right)
    if len(rows) > LISTED:
        yield f"  and {len(rows) - LISTED:,} more"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _wrapped(text: str, room: int) -> list[str]:
    return [f"  {line}" for line in wrap(printable(text), room - 2)]


def plan_document(plan: Plan, found: Verification | None = None, advice: bool = True) -> dict[str, Any]:
    """A plan as JSON values: the sentence, the stages and why they skip little, the tables, the bytes, remarks and advice (None if it is not asked for)."""
    reading = plan.reading
    return {
        "where": plan.where,
        "engine": plan.engine.name,
        "sentence": sentence_of(plan, found),
        "stages": [plain(one) for one in plan.stages],
        "why_not_more": list(plan.why_not_more),
        "row_groups": plain(plan.row_groups.to_pylist()),
        "pages": plain(plan.pages.to_pylist()),
        "row_ranges": plain(plan.row_ranges.to_pylist()),
        "bytes": reading.bytes,
        "bytes_least": reading.least,
        "bytes_most": reading.most,
        "requests": [{"start": span.start, "end": span.end} for span in reading.requests],
        "wrong_rows": [plain(one) for one in plan.wrong_rows],
        "remarks": list(plan.remarks),
        "advice": [plain(one) for one in plan.advice] if advice else None,
    }


def verification_document(found: Verification) -> dict[str, Any]:
    """A verification as JSON values."""
    return {
        "sentence": found.sentence,
        "matches": plain(found.matches.to_pylist()),
        "false_positives": list(found.false_positives),
        "lost": list(found.lost),
        "engine_rows": found.engine_rows,
        "differs": found.differs,
    }
