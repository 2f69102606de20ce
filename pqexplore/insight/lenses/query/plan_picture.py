"""The picture of the lens `query`: a plan as it is drawn, and the dataclasses that travel."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import clip, printable, printable_lines
from pqexplore.insight.ask.question import Example, Slider
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.pruning import Group

INLINE = 300
"""Max row groups whose reasons travel with the picture; more are requested."""

LISTED = 10_000
"""Max row groups in the picture and in the table."""

PAGES = 2_000
"""Max pages in the detail of a row group."""

RANGES = 2_000
"""Max ranges of rows in the detail of a row group."""

REASON = 300
"""Max characters of a reason in the picture."""

CAUSES = 12
"""Max causes in the picture."""

NAMED = 12
"""Max row groups, or addresses, that one remark names."""

READ = -1
"""Stands for "read" where a number says what skips a row group."""


@dataclasses.dataclass(slots=True)
class Choice:
    """An engine: the name by which it is chosen, and its title."""

    name: str
    title: str


@dataclasses.dataclass(slots=True)
class Danger:
    """Rows that the engine skips without proof: by what reason, why a careful reader does not, the first row groups."""

    rows: int
    why: str
    instead: str
    row_groups: list[int]
    more: int


@dataclasses.dataclass(slots=True)
class Stage:
    """One kind of evidence: how many row groups and rows it got and left, and why it did no more ("" if not known)."""

    name: str
    groups_in: int
    groups_out: int
    rows_in: int
    rows_out: int
    why: str


@dataclasses.dataclass(slots=True)
class Groups:
    """The row groups in the order of the file: lists of one length.

    `by` is -1 for one that is read, else the index into `names` of what skips it. `rows` are its rows, `read` those that
    are decoded. `start` and `end` are its bytes in the file, -1 if unknown. `reasons` says why; None if there are too many
    to travel with the picture. `total` counts all, listed or not.
    """

    names: list[str]
    by: list[int]
    rows: list[int]
    read: list[int]
    start: list[int]
    end: list[int]
    reasons: list[str] | None
    total: int


@dataclasses.dataclass(slots=True)
class PageLane:
    """What the page index says of one clause in a row group: rows `[first, end)` of each page, and whether it may match.

    `text` says why, `address` leads to the page. `start` and `stop` are its bytes, -1 if unknown.
    """

    clause: str
    column: str
    first: list[int]
    end: list[int]
    possible: list[bool]
    text: list[str]
    address: list[str | None]
    start: list[int]
    stop: list[int]


@dataclasses.dataclass(slots=True)
class Focus:
    """One row group in detail: its verdict in a sentence, its pages by clause, the rows `[first, end)` that are decoded."""

    group: int
    rows: int
    sentence: str
    lanes: list[PageLane]
    first: list[int]
    end: list[int]
    clipped: int


@dataclasses.dataclass(slots=True)
class Asked:
    """A plan as it is drawn: lost rows first, then the stages, the row groups, and one of them in detail.

    `why_not_more` says by the statistics of a column why the stages skip little; empty if they skip much.
    """

    danger: list[Danger]
    remarks: list[str]
    stages: list[Stage]
    why_not_more: list[str]
    groups: Groups
    focus: Focus | None


@dataclasses.dataclass(slots=True)
class CodeSample:
    """Code that fixes a cause, with one writer."""

    writer: str
    code: str


@dataclasses.dataclass(slots=True)
class Advice:
    """Why the query reads more than it needs, what would fix it, and how many bytes that saves (0: not known)."""

    name: str
    sentence: str
    fix: str
    code: list[CodeSample]
    saves: int
    addresses: list[str]


@dataclasses.dataclass(slots=True)
class Picture:
    """A condition and an engine, and what the query reads.

    `error` says why the condition cannot be asked. `asked` is the plan, None without a condition or with an error.
    `sliders` and the text `after` them are the condition in parts.
    """

    where: str
    engine: str
    engines: list[Choice]
    error: str
    examples: list[Example]
    asked: Asked | None
    sliders: list[Slider]
    after: str
    advice: list[Advice]


@dataclasses.dataclass(slots=True)
class Live:
    """The answer while a slider moves: without table and advice. `error` says why it cannot be asked."""

    sentence: str
    asked: Asked | None
    error: str


@dataclasses.dataclass(slots=True)
class Reasons:
    """Why `BLOCK` row groups from `start` are read or skipped."""

    start: int
    reasons: list[str]


@dataclasses.dataclass(slots=True)
class Skips:
    """What a query reads, for the other views: bytes as columns `start` and `end`, sorted, and verdicts of row groups.

    `by` is -1 for a row group that is read, else the index into `names`. `error` says why it cannot be asked.
    """

    columns: Columns
    names: list[str]
    by: list[int]
    error: str


def drawn(plan: Plan, index: int | None) -> Asked:
    """A plan as it is drawn, with the row group at `index` in detail; None chooses the first that is read."""
    listed = plan.groups[:LISTED]
    names, by = verdicts(listed)
    starts, ends = extents(plan.file, len(listed))
    few = len(plan.groups) <= INLINE
    groups = Groups(
        names,
        by,
        [one.num_rows for one in listed],
        [decoded(one) for one in listed],
        starts,
        ends,
        [reason_of(one) for one in listed] if few else None,
        len(plan.groups),
    )
    return Asked(
        [
            Danger(
                one.rows,
                clip(printable(one.why), REASON),
                clip(printable(one.instead), REASON),
                list(one.row_groups[:NAMED]),
                max(0, len(one.row_groups) - NAMED),
            )
            for one in plan.wrong_rows
        ],
        list(plan.remarks),
        [
            Stage(one.name, one.groups_in, one.groups_out, one.rows_in, one.rows_out, clip(printable(one.why), REASON))
            for one in plan.stages
        ],
        [clip(text, REASON) for text in plan.why_not_more],
        groups,
        _focus(plan, index),
    )


def verdicts(groups: Sequence[Group]) -> tuple[list[str], list[int]]:
    """(what skips row groups, the index into it for each group, or `READ`)."""
    names: dict[str, int] = {}
    by = [READ if one.kept else names.setdefault(one.by or "its rules", len(names)) for one in groups]
    return list(names), by


def decoded(group: Group) -> int:
    """How many rows of a row group are decoded."""
    from pqexplore.insight.ask import row_ranges

    return row_ranges.count(group.ranges) if group.kept else 0


def reason_of(group: Group) -> str:
    """Whether a row group is read, by what it is skipped, and why, in a few words."""
    by = group.by if not group.kept else ""
    done = f"skipped by {by}" if by else "read" if group.kept else "skipped"
    reason = clip(printable(group.reason), REASON)
    if group.kept and decoded(group) < group.num_rows:
        done = f"{decoded(group):,} of {plural(group.num_rows, 'row')} read"
    return f"{done}: {reason}" if reason else done


def extents(file: ParquetFile, count: int) -> tuple[list[int], list[int]]:
    """Where the first `count` row groups begin and end in the file; -1 if unknown."""

    def make() -> tuple[list[int], list[int]]:
        starts, ends = [], []
        for index in range(count):
            span = _extent(file, index)
            starts.append(-1 if span is None else span.start)
            ends.append(-1 if span is None else span.end)
        return starts, ends

    found: tuple[list[int], list[int]] = file.cache.get(
        ("extents of row groups", count), make, lambda made: 72 * len(made[0])
    )
    return found


def _extent(file: ParquetFile, index: int) -> Span | None:
    """From the first byte of a row group's first column chunk to the last one of its last."""
    try:
        chunks = file.row_groups[index].columns
        spans = [chunks[i].span for i in (0, -1)] if len(chunks) else []
    except ParquetError:
        return None
    if not spans or any(span.space != FILE for span in spans):
        return None
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def _focus(plan: Plan, index: int | None) -> Focus | None:
    """The detail of a row group: the one at `index`, or the first that is read, or else the first."""
    if not plan.groups:
        return None
    if index is None or index >= len(plan.groups):
        index = plan.kept[0].index if plan.kept else 0
    group = plan.groups[index]
    lanes: dict[tuple[str, str], PageLane] = {}
    for page in group.pages[:PAGES]:
        clause = clip(printable(page.clause or page.column), REASON)
        empty = PageLane(clause, printable(page.column), [], [], [], [], [], [], [])
        lane = lanes.setdefault((page.clause, page.column), empty)
        lane.first.append(page.rows[0])
        lane.end.append(page.rows[1])
        lane.possible.append(page.ruling.possible)
        lane.text.append(clip(printable(page.ruling.reason), 120))
        lane.address.append(page.address)
        span = _page_span(plan.file, index, page.leaf, page.index)
        lane.start.append(-1 if span is None else span.start)
        lane.stop.append(-1 if span is None else span.end)
    ranges = group.ranges[:RANGES] if group.kept else ()
    return Focus(
        index,
        group.num_rows,
        verdict_of(group),
        list(lanes.values()),
        [start for start, _ in ranges],
        [end for _, end in ranges],
        max(0, len(group.pages) - PAGES),
    )


def _page_span(file: ParquetFile, group: int, leaf: int, page: int) -> Span | None:
    """The bytes of a data page by the offset index."""
    try:
        chunk = file.row_groups[group].columns[leaf]
        index = chunk.offset_index
        location = None if index is None else index.page_locations[page]
    except (ParquetError, IndexError):
        return None
    if location is None or chunk.space != FILE:
        return None
    return Span(location.offset, location.offset + max(0, location.compressed_page_size))


def verdict_of(group: Group) -> str:
    """Whether a row group is read, and why, as a sentence."""
    done = "read" if group.kept else "skipped"
    by = f" by {group.by}" if group.by and not group.kept else ""
    why = f": {clip(group.reason, REASON)}" if group.reason else ""
    return f"Row group {group.index:,} is {done}{by}{why}."


def advice_of(plan: Plan) -> list[Advice]:
    """The causes for which a query reads more than it needs; empty if the file is damaged where one was looked for."""
    try:
        causes = plan.causes
    except ParquetError:
        return []
    return [
        Advice(
            one.name,
            printable(one.sentence),
            printable(one.fix),
            [CodeSample(writer, printable_lines(code)) for writer, code in one.code.items()],
            one.saves,
            list(one.addresses[:NAMED]),
        )
        for one in causes[:CAUSES]
    ]
