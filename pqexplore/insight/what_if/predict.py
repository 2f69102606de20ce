"""The size of the file that `rewrite` would write, without writing it.

If the budget suffices, the writer makes the whole file and discards its bytes. Else it makes files of some parts of the
row groups, and the total follows by their ratio to the sizes today.

A sorted file has rows from everywhere in each row group, so all columns are read, and the sample is of the row groups of the
sorted file: their runs and ranges are the real ones.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.rule import FOOTER
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.plan import ChunkPlan, Plan
from pqexplore.engine.writer.retype import NO_TYPES, Types
from pqexplore.engine.writer.rewriting import SortedPlan, planned, sorted_plan
from pqexplore.engine.writer.tail import Tail
from pqexplore.insight.what_if.budget import Budget, Clock
from pqexplore.insight.what_if.column import profile
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.measure import Room

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.finding import Finding
    from pqexplore.insight.doctor.diagnose import Report


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted size of a file: `size` in bytes, `today` the size now.

    `sampled` says whether it is an estimate; `error` is how many bytes it may be off in 95 of 100 cases, None if that is not
    known. `columns` is a table: column, bytes (chunks, indexes, Bloom filters), today (of the chunks), error. `row_groups`, data
    `pages` and `values` (nulls included) are counts; `indexes` (page indexes) and `footer` are bytes. All but `row_groups` are
    estimates if it is sampled.
    """

    size: int
    today: int
    sampled: bool
    error: int | None
    columns: pa.Table
    row_groups: int
    pages: int
    values: int
    indexes: int
    footer: int
    tail: Tail | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Finding, ...] | None:
        """What `pqexplore.diagnose` says of the file, by its footer; None if that is not known: of an estimate, or encrypted."""
        return None if self._report is None else self._report.findings

    @property
    def diagnosis(self) -> str | None:
        """The same in a sentence."""
        return None if self._report is None else self._report.sentence

    @functools.cached_property
    def _report(self) -> Report | None:
        if self.tail is None:
            return None
        from pqexplore.insight.doctor.diagnose import diagnose  # takes long to load

        with self.tail.open("the predicted file") as file:
            report = diagnose(file, FOOTER)
        return None if self.tail.missed else report


@dataclasses.dataclass(frozen=True)
class Sample:
    """What is known of all parts of a file, and of those that were planned.

    `sizes` (a list for each leaf) and `whole` are bytes or rows of each part. `scale` is the share of a planned part's rows that
    its plan lacks, as a factor. `profiles` are bytes per row (see `profile`) of each leaf and part; none if all parts are alike.
    """

    sizes: Sequence[Sequence[float]]
    whole: Sequence[float]
    scale: dict[int, float]
    profiles: Sequence[Sequence[tuple[float, float]]] = ()

    @property
    def profile(self) -> list[list[float]]:
        """The same of all leaves together."""
        return [[sum(numbers) for numbers in zip(*part, strict=True)] for part in zip(*self.profiles, strict=True)]


Steps = Generator[float, None, Prediction]


def steps(
    file: ParquetFile, options: WriteOptions, budget: Budget, sort: Sequence[str] = (), types: Types = NO_TYPES
) -> Steps:
    """The steps to a prediction; raises what `rewrite` raises."""
    work = (_sorted if sort else _in_order)(file, options, budget, sort, types)
    return (yield from file.budget.steps("predict()", work))


def _in_order(file: ParquetFile, options: WriteOptions, budget: Budget, sort: Sequence[str], types: Types) -> Steps:
    clock = budget.start()
    groups = list(file.row_groups)
    today = _today(file)
    tail = Tail()
    empty = planned(file, options, [], types=types, out=tail)
    counts = [group.num_rows for group in groups]
    parts = _parts(counts, options.row_group_rows)
    plans: dict[int, Plan] = {}
    for at in spread(len(parts)):
        begun, affords = clock.left, clock.spend(sum(sum(today[group]) for group in parts[at]))
        if plans and (begun <= 0 or not affords):
            break
        tail = Tail()
        plans[at] = planned(
            file,
            options,
            parts[at],
            room=Room,
            types=types,
            out=tail,
            full=at < len(parts) - 1,
            before=file.size * at // len(parts),
        )
        yield clock.done
        whole = (begun - clock.left) * len(parts) < clock.left
        if len(plans) == 1 and len(parts) > 1 and whole and clock.spend(sum(map(sum, today))):
            # Row groups are cut anew over the whole file, so parts do not add up to it exactly.
            parts, plans = [list(range(len(groups)))], {}
            tail = Tail()
            plans[0] = planned(file, options, room=Room, types=types, out=tail)
            break
    width = len(file.schema.leaves)
    profiles = [[_profile(groups, part, leaf) for part in parts] for leaf in range(width)]
    sample = Sample(
        [[sum(today[group][leaf] for group in part) for part in parts] for leaf in range(width)],
        [sum(sum(today[group]) for group in part) for part in parts],
        # The rows of a part that did not fill a row group are with those of the next part in the file.
        {at: sum(counts[group] for group in parts[at]) / max(1, plan.num_rows) for at, plan in plans.items()},
        profiles,
    )
    return _prediction(file, options, sample, plans, empty, tail)


def _sorted(file: ParquetFile, options: WriteOptions, budget: Budget, sort: Sequence[str], types: Types) -> Steps:
    clock = budget.start()
    with sorted_plan(file, options, sort, Room, types) as made:
        for _ in made.rows.fill():
            yield clock.done
        return (yield from encoded(file, options, made, clock))


def encoded(file: ParquetFile, options: WriteOptions, made: SortedPlan, clock: Clock) -> Steps:
    """The prediction of a sorted file whose columns are read, from as many of its row groups as the time allows, one at least."""
    counts: list[float] = [stop - start for start, stop in made.rows.ranges]
    plans: dict[int, Plan] = {}
    tail = Tail()
    empty = made.encode(tail, None, [], written=False)
    for at in spread(len(counts)):
        begun = clock.left
        if plans and begun <= 0:
            break
        tail = Tail()
        plans[at] = made.encode(tail, None, [at], written=False)
        yield clock.done
        if len(plans) == 1 < len(counts) and (begun - clock.left) * len(counts) < clock.left:
            tail = Tail()
            plans, counts = {0: made.encode(tail, None, written=False)}, [sum(counts)]
            break
    sample = Sample([counts] * len(file.schema.leaves), counts, dict.fromkeys(plans, 1.0))
    return _prediction(file, options, sample, plans, empty, tail)


def _today(file: ParquetFile) -> list[list[int]]:
    """The bytes of the chunks of each row group."""
    return [[len(chunk.span) for chunk in group.columns] for group in file.row_groups]


def _prediction(
    file: ParquetFile, options: WriteOptions, sample: Sample, plans: dict[int, Plan], empty: Plan, tail: Tail
) -> Prediction:
    """The totals of some parts of the file. `empty` is a file without row groups, `tail` the end of the last plan."""
    width = len(file.schema.leaves)
    columns = [
        by_ratio(
            sample.sizes[leaf],
            {at: Estimate(sample.scale[at] * sum(map(_bytes, plan.chunks[leaf::width]))) for at, plan in plans.items()},
            sample.profiles[leaf] if sample.profiles else (),
        )
        for leaf in range(width)
    ]  # fmt: skip

    def total(count: Callable[[Plan], int]) -> Estimate:
        found = {at: Estimate(sample.scale[at] * count(plan)) for at, plan in plans.items()}
        return by_ratio(sample.whole, found, sample.profile)

    size = total(lambda plan: plan.size - empty.size)
    pages = total(lambda plan: sum(chunk.num_pages for chunk in plan.chunks))
    values = total(lambda plan: sum(chunk.num_values for chunk in plan.chunks))
    indexes = total(lambda plan: sum(one.column_index + one.offset_index for one in plan.chunks))
    footer = total(lambda plan: plan.footer_bytes - empty.footer_bytes)
    today = [sum(leaf) for leaf in zip(*_today(file), strict=True)] or [0] * width
    table = pa.table(
        {
            "column": pa.array([".".join(leaf.path) for leaf in file.schema.leaves], pa.string()),
            "bytes": pa.array([round(one.total) for one in columns], pa.int64()),
            "today": pa.array(today, pa.int64()),
            "error": pa.array([_rounded(one.error) for one in columns], pa.int64()),
        }
    )
    rows = sum(group.num_rows for group in file.row_groups)
    known = not size.sampled and len(plans) <= 1 and options.encryption is None
    return Prediction(
        empty.size + round(size.total),
        file.size,
        size.sampled,
        _rounded(size.error),
        table,
        -(-rows // options.row_group_rows),
        round(pages.total),
        round(values.total),
        round(indexes.total),
        empty.footer_bytes + round(footer.total),
        tail if known else None,
    )


def _profile(groups: Sequence[RowGroup], part: Sequence[int], leaf: int) -> tuple[float, float]:
    rows = sum(groups[at].num_rows for at in part)
    return profile([groups[at].columns[leaf] for at in part], rows)


def _rounded(error: float | None) -> int | None:
    return None if error is None else round(error)


def _bytes(chunk: ChunkPlan) -> int:
    return chunk.compressed + chunk.column_index + chunk.offset_index + chunk.bloom_filter


def _parts(counts: list[int], rows: int) -> list[list[int]]:
    """The row groups in parts, side by side, of at least `rows` rows each: the writer joins as many for a row group."""
    parts: list[list[int]] = []
    held = rows
    for at, count in enumerate(counts):
        if held >= rows:
            parts.append([])
            held = 0
        parts[-1].append(at)
        held += count
    return parts
