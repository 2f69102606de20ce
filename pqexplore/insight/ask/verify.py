"""Compares a plan with the values: which rows match, and whether each of them is among those that are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s, Mask
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import printable
from pqexplore.insight.ask import engines, matching, row_ranges, run_engines
from pqexplore.insight.ask.bound import Undecided, single, tests
from pqexplore.insight.ask.pruning_result import PAGE_INDEX
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import listing, plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.pruning import Group
    from pqexplore.insight.ask.run_engines import Observation


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What the values say of a plan.

    - `matches`: a row for each row group: file, row_group, kept, matching (rows that meet the condition), lost (those of
      them that the plan skips), rows (their half-open ranges in the row group, a list of structs start, end), and error:
      why the row group could not be checked; the counts are then null.
    - `false_positives`: the row groups that are read and have no matching row. `lost`: those with matching rows that the
      plan skips, by row group or by page.
    - `sentence`: the outcome. `differs`: what the engine that was run did otherwise than the plan says, "" if nothing.
      `engine_rows`: how many rows it returned, None if none was run; `observation`: what it did.
    """

    matches: pa.Table
    false_positives: tuple[int, ...]
    lost: tuple[int, ...]
    sentence: str
    engine_rows: int | None = None
    observation: Observation | None = None
    differs: str = ""

    def __repr__(self) -> str:
        return f"<Verification: {self.sentence}>"

    @property
    def matching(self) -> int:
        """How many rows match, in the row groups that could be checked."""
        return sum(count or 0 for count in self.matches["matching"].to_pylist())

    @property
    def errors(self) -> dict[int, str]:
        """Why row groups could not be checked, by row group."""
        pairs = zip(self.matches["row_group"].to_pylist(), self.matches["error"].to_pylist(), strict=True)
        return {index: error for index, error in pairs if error}


@dataclasses.dataclass(frozen=True, slots=True)
class _Checked:
    """The matching rows of one row group, as ranges; how many there are, and how many of them the plan skips."""

    group: Group
    starts: Int64s
    ends: Int64s
    lost: int = 0
    error: str = ""

    @property
    def matching(self) -> int:
        return int((self.ends - self.starts).sum())


Steps = Generator[float, None, Verification]


def verify(plan: Plan, engine: str | None = None) -> Verification:
    """See `Plan.verify`."""
    return finish(steps(plan, engine))


def steps(plan: Plan, engine: str | None = None) -> Steps:
    """The steps to a verification; they yield how much is done, from 0 to 1."""
    return (yield from plan.file.budget.steps("verify()", _steps(plan, engine)))


def _steps(plan: Plan, engine: str | None) -> Steps:
    nan_largest = _nan_largest(plan, engine)
    checked = []
    for group in plan.groups:
        checked.append(_check(plan, group, nan_largest))
        yield (group.index + 1) / len(plan.groups)
    seen = None if engine is None else run_engines.observe(engine, plan)
    made = (one for one in checked if not one.error)
    wrong = tuple(one.group.index for one in checked if one.lost)
    vain = tuple(one.group.index for one in made if one.group.kept and not one.matching)
    said = [*_about_nan(plan, nan_largest, engine), *_about_plan(checked), *_about_errors(checked)]
    differs = "" if seen is None else _against_plan(plan, seen)
    if seen is not None:
        said = [*filter(None, [differs]), *said, *_otherwise(plan, seen.engine)]
        said.append(_about_engine(checked, seen))
    said += [f"{one}." for one in matching.evaluated_elsewhere(plan.bound)]
    rows = None if seen is None else seen.rows
    sentence = printable(" ".join(said))
    return Verification(_table(plan, checked), vain, wrong, sentence, rows, seen, printable(differs))


def _nan_largest(plan: Plan, engine: str | None) -> bool:
    """How NaN compares: as in the engine that is run, or else as in the plan's; a condition in Spark's SQL by itself has NaN as the largest number."""
    chosen = engines.engine(engine) if engine in engines.ENGINES else plan.engine
    return chosen.nan_largest is not False


def _check(plan: Plan, group: Group, nan_largest: bool) -> _Checked:
    none = np.zeros(0, np.int64)
    if group.error:
        return _Checked(group, none, none, error=group.error)
    try:
        mask = matching.rows(plan.file, group.index, plan.bound, nan_largest, evaluate=True).copy()
    except ParquetError as error:
        return _Checked(group, none, none, error=str(error))
    starts, ends = _ranges(mask)
    for start, end in group.ranges if group.kept else ():
        mask[start:end] = False
    return _Checked(group, starts, ends, int(np.count_nonzero(mask)))


def _ranges(mask: Mask) -> tuple[Int64s, Int64s]:
    """Starts and ends of the runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).view(np.int8)))
    return edges[::2], edges[1::2]


def _table(plan: Plan, checked: Sequence[_Checked]) -> pa.Table:
    names = [plan.file.name] * len(checked)
    offsets = np.cumsum([0, *(len(one.starts) for one in checked)])
    none = [np.zeros(0, np.int64)]
    ranges = pa.StructArray.from_arrays(
        [
            pa.array(np.concatenate([*none, *(one.starts for one in checked)]), pa.int64()),
            pa.array(np.concatenate([*none, *(one.ends for one in checked)]), pa.int64()),
        ],
        names=["start", "end"],
    )
    return pa.table(
        {
            "file": pa.array(names, pa.string()),
            "row_group": pa.array([one.group.index for one in checked], pa.int32()),
            "kept": pa.array([one.group.kept for one in checked], pa.bool_()),
            "matching": pa.array([None if one.error else one.matching for one in checked], pa.int64()),
            "lost": pa.array([None if one.error else one.lost for one in checked], pa.int64()),
            "rows": pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), ranges),
            "error": pa.array([one.error or None for one in checked], pa.string()),
        }
    )


def _about_nan(plan: Plan, nan_largest: bool, engine: str | None) -> list[str]:
    """How NaN is compared, if that is not as in SQL and matters."""
    matters = any(one.accepts.nan is not one.accepts.nan_unordered for one in tests(plan.bound))
    if nan_largest or not matters:
        return []
    return [f"In {plan.engine.name if engine is None else engine}, NaN is unequal to everything."]


def _lost(rows: int, matching: int, where: str) -> str:
    what = f"{rows:,} of the {matching:,} matching rows" if matching > 1 else "the only matching row"
    return f"LOST: {what} {'is' if rows == 1 else 'are'} skipped ({where})."


def _about_plan(checked: Sequence[_Checked]) -> list[str]:
    """Whether the rows that match are read, and which row groups are read in vain."""
    known = [one for one in checked if not one.error]
    total, lost = sum(one.matching for one in known), sum(one.lost for one in known)
    if lost:
        where = _named([one.group.index for one in known if one.lost])
        return [_lost(lost, total, where)]
    kept = [one for one in known if one.group.kept]
    of = f"the {plural(len(known), 'row group')} that could be checked" if len(known) < len(checked) else "the file"
    if not known:
        return []
    if not total:
        in_vain = f"{plural(len(kept), 'row group is', 'row groups are')} read in vain"
        return [f"No row of {of} matches; {in_vain if kept else 'no row group is read'}."]
    vain = sum(not one.matching for one in kept)
    first = "The only matching row" if total == 1 else f"All {total:,} matching rows"
    verb = "is" if total == 1 else "are"
    said = f"{first} of {of} {verb} among the rows that are read"
    if vain:
        return [
            f"{said}; {vain:,} of {plural(len(kept), 'row group')} that are read {'has' if vain == 1 else 'have'} none."
        ]
    return [f"{said}; each row group that is read has some."]


def _about_errors(checked: Sequence[_Checked]) -> list[str]:
    bad = [one for one in checked if one.error]
    if not bad:
        return []
    first = bad[0]
    more = f", and {plural(len(bad) - 1, 'other')}" if len(bad) > 1 else ""
    return [f"Row group {first.group.index:,}{more} could not be checked: {first.error}."]


def _against_plan(plan: Plan, seen: Observation) -> str:
    """What the engine of the plan read, if the plan says something else; "" about another engine.

    Where the plan says that the engine may skip more, only what it reads beyond the plan is a difference.
    """
    if seen.engine != plan.engine.name:
        return ""
    name = f"{seen.engine} {seen.version}".strip()
    fewer = any(isinstance(one, Undecided) and not one.certain for one in single(plan.used))
    found = _groups_against_plan(plan, seen, fewer)
    rows = sum(row_ranges.count(group.ranges) for group in plan.kept)
    if not found and PAGE_INDEX in plan.engine.stages and _outside(seen.rows_scanned, rows, rows, fewer):
        found = f"read {plural(seen.rows_scanned or 0, 'row')}, the plan says {rows:,}"
    low, high = plan.reading.least, plan.reading.most
    if not found and plan.engine.counts_bytes and _outside(seen.bytes_read, low, high, fewer):
        planned = f"{low:,}" if low == high else f"between {low:,} and {high:,}"
        found = f"read {plural(seen.bytes_read or 0, 'byte')}, the plan says {planned}"
    return f"The plan is wrong for this run: {name} {found}." if found else ""


def _outside(count: int | None, low: int, high: int, fewer: bool) -> bool:
    """Whether a count, if there is one, is not from `low` to `high`; `fewer`: it may be below."""
    return count is not None and (count > high or (count < low and not fewer))


def _groups_against_plan(plan: Plan, seen: Observation, fewer: bool) -> str:
    """What the engine read of the row groups, if that is not what the plan says; `fewer`: it may read less."""
    kept, total = [group.index for group in plan.kept], plural(len(plan.groups), "row group")
    if seen.row_groups is not None:
        more = sorted(set(seen.row_groups) - set(kept))
        less = [] if fewer else sorted(set(kept) - set(seen.row_groups))
        of = [f"it read {_named(more)}, too"] if more else []
        of += [f"it did not read {_named(less)}"] if less else []
        says = f"read {len(seen.row_groups):,} of {total}, the plan says {len(kept):,}"
        return f"{says}: {' and '.join(of)}" if of else ""
    read = len(kept) if seen.groups_read is None else seen.groups_read
    differs = read > len(kept) or (read < len(kept) and not fewer)
    return f"read {read:,} of {total}, the plan says {len(kept):,}" if differs else ""


def _otherwise(plan: Plan, engine: str) -> list[str]:
    """What the engine that is run makes of the condition otherwise than SQL."""
    return engines.engine(engine).all_otherwise(plan.bound, plan.file) if engine in engines.ENGINES else []


def _about_engine(checked: Sequence[_Checked], seen: Observation) -> str:
    """What an engine returned, compared with the rows that match. LOST needs a proof: what it did not read has matches."""
    name = printable(f"{seen.engine} {seen.version}".strip())
    total = sum(one.matching for one in checked)
    returned = f"{name} returned {plural(seen.rows, 'row')}"
    if any(one.error for one in checked):
        return f"{returned}; how many it should return is not known, as not all row groups could be checked."
    if seen.rows == total:
        return f"{returned}, as many as match."
    if seen.rows > total:
        return f"{returned}, {seen.rows - total:,} more than match."
    with_matches = [one.group.index for one in checked if one.matching]
    unread = [i for i in with_matches if seen.row_groups is not None and i not in seen.row_groups]
    if unread:
        return f"LOST: {returned} of the {total:,} that match; it did not read {_named(unread)}."
    read = len(checked) if seen.groups_read is None else seen.groups_read
    if read < len(with_matches):
        groups = plural(len(with_matches), "row group")
        return f"LOST: {returned} of the {total:,} that match; it read {read:,} of the {groups} that have them."
    return f"{returned}, {total - seen.rows:,} fewer than match."


def _named(indexes: Sequence[int]) -> str:
    """`row groups 1, 2 and 3`."""
    return f"row group{'s' if len(indexes) > 1 else ''} {listing([f'{i:,}' for i in indexes])}"
