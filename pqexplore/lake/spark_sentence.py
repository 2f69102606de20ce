"""The words about a scan of Spark's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.text import clip
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.wording import listing, plural, size

if TYPE_CHECKING:
    from pqexplore.lake.ask_spark import ScanPlan

NAMED = 3
"""Conditions, files or warnings of one kind that are named."""


def sentence(scan: ScanPlan) -> str:
    """What a scan reads of how much, which conditions do not help, and what the columns cost."""
    return " ".join(_sentences(scan))


def _sentences(scan: ScanPlan) -> Iterator[str]:
    for plan in scan.plans:
        if plan.wrong_rows:
            yield f"{clip(plan.file.name, 100)}: {plan.wrong_rows[0].sentence}"
            break
    yield from _read(scan)
    yield from _conditions(scan)
    yield from _columns(scan)


def _read(scan: ScanPlan) -> Iterator[str]:
    files, plans = scan.file_plans, scan.plans
    out = [one for one in files if one.left_out]
    if out:
        verb = "is" if len(out) == 1 else "are"
        yield f"{len(out):,} of {plural(len(files), 'file')} {verb} not read: {clip(out[0].left_out, 200)}."
    groups = [group for plan in plans for group in plan.groups]
    kept = [group for group in groups if group.kept]
    if plans:
        rows = sum(row_ranges.count(group.ranges) for group in kept)
        total = sum(group.num_rows for group in groups)
        read, whole = (sum(getattr(p.reading, n) for p in plans) for n in ("bytes", "all_bytes"))
        yield (
            f"Of {plural(len(plans), 'file')}, Spark reads {len(kept):,} of {plural(len(groups), 'row group')}, "
            f"{rows:,} of {plural(total, 'row')}, and {size(read)} of {size(whole)}."
        )
    closed = [one for one in files if one.problem]
    if closed:
        yield f"{plural(len(closed), 'file')} {'was' if len(closed) == 1 else 'were'} not looked at: {clip(closed[0].problem, 200)}."
    if not files:
        yield "It has no files."


def _conditions(scan: ScanPlan) -> Iterator[str]:
    on_rows = [one for one in scan.conditions if one.where != "partition"]
    if not on_rows:
        yield "There is no condition on its rows."
        return
    known = [one for one in on_rows if one.reaches]
    yield f"{len(known):,} of {plural(len(on_rows), 'condition')} {'reaches' if len(known) == 1 else 'reach'} parquet-java."
    others = [one for one in on_rows if one.reaches is False]
    for one in others[:NAMED]:
        printed = ", although the plan lists it in PushedFilters" if one.where == "pushed" else ""
        yield f"{clip(one.text, 100)} does not{printed}: {one.why}."
    if len(others) > NAMED:
        yield f"{len(others) - NAMED:,} more do not."
    unknown = [one for one in on_rows if one.reaches is None]
    for one in unknown[:1]:
        yield f"Of {clip(one.text, 100)}{' and others' if len(unknown) > 1 else ''} it is not known: {one.why}."


def _columns(scan: ScanPlan) -> Iterator[str]:
    if not scan.column_bytes:
        return
    read = [one for one in scan.column_bytes if one[1]]
    others = [one for one in scan.column_bytes if not one[1]]
    text = f"It reads {len(read):,} of {plural(len(scan.column_bytes), 'column')}"
    if others:
        largest = sorted(others, key=lambda one: -one[2])[:NAMED]
        names = listing([clip(name, 60) for name, _, _ in largest])
        text += f"; the others have {size(sum(one[2] for one in others))}, most of it {names}"
    yield text + "."
