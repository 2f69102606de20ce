"""Passes the row groups of a file through an engine's stages.

Each stage rules on every test of the condition. A row group is skipped at the first stage at which the condition cannot
be TRUE; of the groups that are left, the page index gives the ranges of rows that can match.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided, tests
from pqexplore.insight.ask.claims import page_rows_of
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.pruning_result import (
    BLOOM,
    BOUNDS,
    CONSTANT,
    DICTIONARY,
    FILE,
    LAKE,
    NULLS,
    PAGE_INDEX,
    PARTITION,
    ROWS,
    Ruling,
)
from pqexplore.insight.ask.row_ranges import Ranges
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf

Rulings = dict[Test, list[Ruling]]

_LATER = (CONSTANT, PARTITION, LAKE, FILE, NULLS, BOUNDS, BLOOM, DICTIONARY, PAGE_INDEX)
"""Kinds of evidence, those that are asked later last. An OR is ruled out by the last one that it needs."""


@dataclasses.dataclass(slots=True)
class PageRuling:
    """What the page index says about a test for one data page: `index` among the data pages, `rows` half-open.

    `clause` is the test's SQL.
    """

    column: str
    leaf: int
    index: int
    address: str | None
    rows: tuple[int, int]
    ruling: Ruling
    clause: str = ""


@dataclasses.dataclass(slots=True)
class Group:
    """A row group after the cascade.

    `kept` is whether the engine reads it; `by` the stage that skipped it, or the evidence of the ruling that could not,
    `reason` why, in words, `evidence` the claim, `address` the node with it. `ranges` are the rows that the engine
    decodes: all of them unless the page index rules some out. `rulings` are those of all stages that were `asked`;
    `page_notes` say why page indexes ruled out nothing.
    """

    index: int
    num_rows: int
    kept: bool = True
    by: str = ""
    reason: str = ""
    evidence: str = ""
    address: str | None = None
    every: bool = False
    ranges: Ranges = ()
    rulings: Rulings = dataclasses.field(default_factory=dict)
    pages: list[PageRuling] = dataclasses.field(default_factory=list)
    asked: list[str] = dataclasses.field(default_factory=list)
    page_notes: list[str] = dataclasses.field(default_factory=list)
    error: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class StageResult:
    """How many row groups and rows entered a stage, how many it left, and why it did no more."""

    name: str
    groups_in: int
    groups_out: int
    rows_in: int
    rows_out: int
    why: str


Steps = Generator[float, None, list[Group]]


def run(
    file: ParquetFile, bound: Bound, engine: Engine, only: Sequence[int] | None = None, leaves: Sequence[Leaf] = ()
) -> Steps:
    """The row groups of a file (`only`: those of these numbers) after an engine's stages; yields how much is done.

    `leaves` are the columns that the query reads. LimitExceededError if that is more than the question may cost: a plan
    of half a file would say something else.
    """
    groups: list[Group] = []
    numbers = range(len(file.row_groups)) if only is None else only
    asked = list(tests(bound))
    whole = _of_file(file, asked, engine)
    for done, index in enumerate(numbers):
        group = _group(file, index, bound, asked, engine, whole, leaves)
        rulings = len(group.pages) + sum(map(len, group.rulings.values()))
        file.budget.charge(nodes=1 + rulings, address=group.address)
        groups.append(group)
        if done % 16 == 15:
            yield (done + 1) / len(numbers)
    return groups


def _of_file(file: ParquetFile, asked: Sequence[Test], engine: Engine) -> dict[Test, Ruling]:
    """The rulings about the file as a whole, for an engine that asks for them."""
    made = {}
    for test in asked if FILE in engine.stages else ():
        try:
            made[test] = dataclasses.replace(engine.by_file(test, file), clause=test.sql)
        except ParquetError as error:
            made[test] = Ruling(True, "", error.message, clause=test.sql)
    return made


def _group(
    file: ParquetFile,
    index: int,
    bound: Bound,
    asked: Sequence[Test],
    engine: Engine,
    whole: dict[Test, Ruling],
    leaves: Sequence[Leaf],
) -> Group:
    address = Address.of("row_groups", index)
    try:
        row_group = file.row_groups[index]
        group = Group(index, row_group.num_rows, address=address)
        columns = row_group.columns
    except ParquetError as error:
        return Group(index, 0, reason=error.message, error=error.message, address=address)
    group.ranges = row_ranges.whole(group.num_rows)
    if not group.num_rows:
        group.kept, group.by, group.reason = False, ROWS, "it has no rows"
        return group
    for stage in engine.stages:
        if group.every and engine.stops_at_all:
            break
        group.asked.append(stage)
        compared = engine.condition(bound, stage)
        if stage == PAGE_INDEX:
            if not engine.why_no_pages(row_group, leaves):
                _by_pages(group, row_group, compared, engine)
        else:
            now = {
                test: whole[test] if stage == FILE else rule(test, columns[test.leaf.leaf_index], stage, engine)
                for test in (asked if compared is bound else tests(compared))
            }
            for test in asked:
                group.rulings.setdefault(test, []).append(_about(test, now))
            verdict = combined(compared, group.rulings if engine.together else {t: [r] for t, r in now.items()})
            _take(group, verdict)
        if not group.kept:
            break
    return group


def _about(test: Test, now: dict[Test, Ruling]) -> Ruling:
    """The ruling about a test; that about another test of the column if the engine puts the question so."""
    for other, ruling in now.items():
        if other is test or other.leaf is test.leaf:
            return now.get(test, ruling)
    return Ruling(True, "", "it is not asked", clause=test.sql)


def rule(test: Test, chunk: ColumnChunk, stage: str, engine: Engine) -> Ruling:
    """An engine's ruling about a test for a chunk at one stage; damage is a reason to keep the row group."""
    ask: Callable[[], Ruling] = {
        BOUNDS: lambda: engine.by_bounds(test, engine.chunk_claims(chunk)),
        BLOOM: lambda: engine.by_bloom(test, chunk),
        DICTIONARY: lambda: engine.by_dictionary(test, chunk),
    }[stage]
    try:
        found = ask()
        found.clause = test.sql
        return found
    except ParquetError as error:
        why = f"it cannot be read: {error.message}"
        return Ruling(True, "", why, address=chunk.address, clause=test.sql)


def combined(bound: Bound, rulings: Rulings) -> Ruling:
    """The ruling about a condition, from those about its tests."""
    if isinstance(bound, Test):
        return strongest(rulings.get(bound, []))
    if isinstance(bound, Undecided):
        return Ruling(True, "", bound.why, clause=bound.sql)
    if isinstance(bound, Always):
        why = bound.why or ("it is TRUE for every row" if bound.value else "it is never TRUE")
        return Ruling(bound.value, CONSTANT, why, every=bound.value, clause=bound.sql)
    parts = [combined(part, rulings) for part in bound.parts]
    every = all(one.every for one in parts) if isinstance(bound, Both) else any(one.every for one in parts)
    if isinstance(bound, Both):
        skips = next((one for one in parts if not one.possible), None)
        if skips is not None:
            return skips
        return _with_every(_telling(parts), every)
    if all(not one.possible for one in parts):
        reason = "; ".join(dict.fromkeys(one.said for one in parts))
        last = max(parts, key=lambda one: _LATER.index(one.by) if one.by in _LATER else -1)
        return dataclasses.replace(last, reason=reason, clause="")
    return _with_every(_telling([one for one in parts if one.possible]), every)


def strongest(rulings: Sequence[Ruling]) -> Ruling:
    """The ruling that counts: one that rules out, else the last one with evidence, else the first."""
    for one in rulings:
        if not one.possible:
            return one
    if not rulings:
        return Ruling(True, "", "nothing was asked")
    counts = next((one for one in reversed(rulings) if one.by), rulings[0])
    return _with_every(counts, any(one.every for one in rulings))


def _with_every(ruling: Ruling, every: bool) -> Ruling:
    return ruling if ruling.every == every else dataclasses.replace(ruling, every=every)


QUOTED = 3
"""Reasons that are quoted where several clauses keep a row group."""


def _telling(parts: Sequence[Ruling]) -> Ruling:
    """One ruling for several that keep a row group: the reasons of all, the evidence of the first that has some."""
    said = [one for one in parts if one.by != CONSTANT] or list(parts)
    first = next((one for one in said if one.by), said[0])
    reasons = list(dict.fromkeys(one.said for one in said))
    if len(reasons) == 1:
        return first
    more = f"; and {len(reasons) - QUOTED:,} more" if len(reasons) > QUOTED else ""
    return dataclasses.replace(first, reason="; ".join(reasons[:QUOTED]) + more, clause="")


def _take(group: Group, verdict: Ruling) -> None:
    if verdict.possible and not verdict.by and (group.by or group.reason):
        return  # an earlier stage said more, or as much
    group.kept = verdict.possible
    group.by, group.reason, group.evidence = verdict.by, verdict.said, verdict.evidence
    group.every = verdict.every
    group.address = verdict.address or group.address
    if not group.kept:
        group.ranges = ()


def _by_pages(group: Group, row_group: RowGroup, bound: Bound, engine: Engine) -> None:
    """Narrows a row group's ranges by the page indexes of the tests' columns."""
    found = _ranges(bound, group, row_group, engine)
    if not found:
        group.kept, group.by = False, PAGE_INDEX
        group.reason = "no page of it can have a matching row"
        group.evidence, group.every = _left(group.pages), False
        group.address = next((page.address for page in group.pages), group.address)
    group.ranges = found


def _left(pages: Sequence[PageRuling]) -> str:
    """How many pages each clause leaves: "2 of 9 pages by `i > 5`, 1 of 4 by …"."""
    left: dict[str, list[bool]] = {}
    for page in pages:
        left.setdefault(page.clause, []).append(page.ruling.possible)
    return ", ".join(f"{sum(kept):,} of {plural(len(kept), 'page')} by {clause}" for clause, kept in left.items())


def _ranges(bound: Bound, group: Group, row_group: RowGroup, engine: Engine) -> Ranges:
    everything = row_ranges.whole(group.num_rows)
    if isinstance(bound, Always):
        return everything if bound.value else ()
    if isinstance(bound, Undecided):
        return everything
    if isinstance(bound, Test):
        known = group.rulings.get(bound, [])
        if engine.together and any(not one.possible for one in known):
            return ()
        return _test_ranges(bound, group, row_group, engine)
    parts = [_ranges(part, group, row_group, engine) for part in bound.parts]
    if isinstance(bound, Either):
        return row_ranges.united(parts)
    found = everything
    for one in parts:
        found = row_ranges.intersected(found, one)
    return found


def _test_ranges(test: Test, group: Group, row_group: RowGroup, engine: Engine) -> Ranges:
    everything = row_ranges.whole(group.num_rows)
    chunk = row_group.columns[test.leaf.leaf_index]
    try:
        claims = engine.page_claims(chunk)
        rows = page_rows_of(chunk) if claims else None
    except ParquetError as error:
        group.page_notes.append(f"{test.column}: {error.message}")
        return everything
    if rows is None or len(rows) != len(claims):
        if chunk.struct.column_index_offset is None:
            note = "has no column index"
        else:
            note = "has one page a row group" if not claims else "has no usable offset index"
        group.page_notes.append(f"{test.column} {note}")
        return everything
    kept = []
    for claim, span in zip(claims, rows, strict=True):
        ruling = engine.by_bounds(test, claim)
        group.pages.append(
            PageRuling(test.column, test.leaf.leaf_index, claim.index, claim.address, span, ruling, test.sql)
        )
        if ruling.possible:
            kept.append(span)
    return row_ranges.normal(kept)


def stages_of(groups: Sequence[Group], engine: Engine) -> list[StageResult]:
    """How many row groups and rows each stage of an engine left."""
    made = []
    alive = list(groups)
    for stage in (ROWS, *engine.stages):
        rows_in = sum(group.num_rows for group in alive)
        out = [group for group in alive if group.kept or group.by != _named(stage, group)]
        if stage == ROWS and len(out) == len(alive):
            continue
        last = stage == PAGE_INDEX
        rows_out = sum(row_ranges.count(g.ranges) if last else g.num_rows for g in out)
        made.append(StageResult(stage, len(alive), len(out), rows_in, rows_out, _why(out, groups, stage)))
        alive = out
    return made


def _named(stage: str, group: Group) -> str:
    """The `by` of a group that this stage skipped: the last one that it was asked about."""
    if group.by == ROWS:
        return ROWS if stage == ROWS else ""
    return group.by if group.asked and group.asked[-1] == stage else ""


def _why(alive: Sequence[Group], groups: Sequence[Group], stage: str) -> str:
    """The commonest reason for which a stage could not rule out a group that survives it; "" if there is none.

    "in places" if that does not hold for each row group and each part of the condition.
    """
    counts: dict[str, int] = {}
    for group in alive:
        for reason, without in _reasons(group, stage):
            if without:
                counts[reason] = counts.get(reason, 0) + 1
    if not counts:
        return ""
    why = max(counts, key=lambda reason: counts[reason])
    everywhere = {reason for group in groups for reason, _ in _reasons(group, stage)} == {why}
    return why if everywhere else f"in places, {why}"


def _reasons(group: Group, stage: str) -> Iterator[tuple[str, bool]]:
    """The reasons that a stage gave about a group, and whether each is that there was no evidence."""
    if stage not in group.asked:
        return
    if stage == PAGE_INDEX:
        yield from ((page.ruling.reason, False) for page in group.pages)
        yield from ((note, True) for note in group.page_notes)
        return
    at = group.asked.index(stage)
    for rulings in group.rulings.values():
        if at < len(rulings):
            yield rulings[at].reason, rulings[at].possible and not rulings[at].by
