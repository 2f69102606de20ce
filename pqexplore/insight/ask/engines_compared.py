"""What each engine reads of one file for a condition, beside the others: what differs comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import listing, plural, printable
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.engines import ENGINES
from pqexplore.insight.ask.planning import plan_of
from pqexplore.insight.terminal import table, wrap
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.ask.plan import Plan

FORMAT = "format"
"""The reader that uses all that the format allows."""
LISTED = 40
"""Row groups that are listed. The others are only counted."""


def plans(
    file: ParquetFile, where: str, columns: Sequence[str] | None = None, timezone: str | None = None
) -> list[Plan]:
    """The plan of each engine, in the order of `ENGINES`. UsageError for a condition that cannot be asked."""
    return [plan_of(file, where, columns, name, timezone) for name in ENGINES]


def sentence(made: Sequence[Plan]) -> str:
    """Which engines read which row groups; which of them may lose rows comes first."""
    lose = [one.engine.name for one in made if one.wrong_rows]
    said = [f"Rows may be lost by {listing(lose)}."] if lose else []
    total = len(made[0].groups)
    by_groups: dict[tuple[int, ...], list[str]] = {}
    for one in made:
        by_groups.setdefault(_kept(one), []).append(one.engine.name)
    if len(by_groups) == 1:
        (kept,) = by_groups
        said.append(f"All engines read {_which(kept, total)}.")
    else:
        parts = [
            f"{listing(names)} {'read' if len(names) > 1 else 'reads'} {_which(kept, total)}"
            for kept, names in sorted(by_groups.items(), key=lambda one: len(one[0]))
        ]
        said.append(f"Engines differ: {'; '.join(parts)}.")
    return printable(" ".join(said))


def _kept(plan: Plan) -> tuple[int, ...]:
    return tuple(one.index for one in plan.kept)


def _which(kept: Sequence[int], total: int) -> str:
    r"""For instance "row groups 0 and 3 of 8", "all 8 row groups", "none of 8 row groups"."""
    if len(kept) == total:
        return f"all {plural(total, 'row group')}" if total > 1 else f"the {total:,} row group"
    if not kept:
        return f"none of {plural(total, 'row group')}"
    names = listing([f"{one:,}" for one in kept], most=8)
    return f"row group {names} of {total:,}" if len(kept) == 1 else f"row groups {names} of {total:,}"


def lines(made: Sequence[Plan], room: int) -> Iterator[str]:
    """The sentence, a row for each engine, and the row groups that not all of them read, each with the reasons."""
    yield from (f"  {line}" for line in wrap(sentence(made), room - 2))
    yield from ("", "Engines")
    rows = [
        (
            one["engine"],
            f"{len(one['row_groups']):,}",
            f"{one['rows']:,}",
            size(one["bytes"])
            if one["bytes_least"] == one["bytes_most"]
            else f"{size(one['bytes_least'])} to {size(one['bytes_most'])}",
            f"{one['requests']:,}",
            "yes" if one["may_lose_rows"] else "no",
        )
        for one in map(_document, made)
    ]
    yield from table(("engine", "row groups", "rows", "bytes", "requests", "may lose rows"), rows, room, right=" >>>> ")
    differ = [index for index in range(len(made[0].groups)) if len({one.groups[index].kept for one in made}) > 1]
    if differ:
        yield from ("", "Row groups that only some read")
    for index in differ[:LISTED]:
        first, *rest = wrap(_difference(made, index), room - 4)
        yield f"  {first}"
        yield from (f"    {line}" for line in rest)
    if len(differ) > LISTED:
        yield f"  and {len(differ) - LISTED:,} more"


def _difference(made: Sequence[Plan], index: int) -> str:
    """Who reads a row group, who skips it, and why."""
    groups = {one.engine.name: one.groups[index] for one in made}
    reasons: dict[str, list[str]] = {}
    for name, group in groups.items():
        if not group.kept:
            reasons.setdefault(group.reason, []).append(name)
    readers = listing([name for name, group in groups.items() if group.kept])
    skipped = [f"skipped by {listing(names)}, {reason}" for reason, names in reasons.items()]
    return printable("; ".join((f"row group {index:,}: read by {readers}", *skipped)))


def _document(plan: Plan) -> dict[str, Any]:
    reading = plan.reading
    return {
        "engine": plan.engine.name,
        "sentence": plan.sentence,
        "row_groups": list(_kept(plan)),
        "rows": sum(row_ranges.count(one.ranges) for one in plan.kept),
        "bytes": reading.bytes,
        "bytes_least": reading.least,
        "bytes_most": reading.most,
        "requests": len(reading.requests),
        "may_lose_rows": bool(plan.wrong_rows),
    }


def document(made: Sequence[Plan]) -> dict[str, Any]:
    """The same as JSON values."""
    return {"where": made[0].where, "sentence": sentence(made), "engines": [_document(one) for one in made]}
