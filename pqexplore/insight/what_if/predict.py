"""The size of the file that `rewrite` would write, without writing it.

If the budget suffices, the writer makes the whole file and discards its bytes. Else it makes files of some parts of the
row groups, and the total follows by their ratio to the sizes today.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Generator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.plan import ChunkPlan, Plan
from pqexplore.engine.writer.retype import NO_TYPES, Types
from pqexplore.engine.writer.rewriting import planned
from pqexplore.engine.writer.tail import Tail
from pqexplore.insight.what_if.budget import Budget
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.measure import Room

if TYPE_CHECKING:
    from pqexplore.insight.doctor.diagnose import Report
    from pqexplore.insight.doctor.diagnosis import Diagnosis


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted size of a file: `size` in bytes, `today` the size now.

    `sampled` says whether it is an estimate; `error` is twice its standard error in bytes, None if that is not known.
    `columns` is a table: column, bytes (chunks, indexes, Bloom filters), today (of the chunks), error.
    """

    size: int
    today: int
    sampled: bool
    error: int | None
    columns: pa.Table
    tail: Tail | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Diagnosis, ...] | None:
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
            report = diagnose(file)
        return None if self.tail.missed else report


Steps = Generator[float, None, Prediction]


def steps(
    file: ParquetFile, options: WriteOptions, budget: Budget, types: Types = NO_TYPES
) -> Steps:
    """The steps to a prediction; raises what `rewrite` raises."""
    return (yield from file.budget.steps("predict()", _steps(file, options, budget, types)))


def _steps(file: ParquetFile, options: WriteOptions, budget: Budget, types: Types) -> Steps:
    clock = budget.start()
    groups = list(file.row_groups)
    today = [[len(chunk.span) for chunk in group.columns] for group in groups]
    tail = Tail()
    empty = planned(file, options, [], types=types, out=tail).size
    parts = _parts([group.num_rows for group in groups], options.row_group_rows)
    plans: dict[int, Plan] = {}
    for at in spread(len(parts)):
        begun, affords = clock.left, clock.spend(sum(sum(today[group]) for group in parts[at]))
        if plans and (begun <= 0 or not affords):
            break
        tail = Tail()
        plans[at] = planned(file, options, parts[at], room=Room, types=types, out=tail)
        yield clock.done
        whole = (begun - clock.left) * len(parts) < clock.left
        if len(plans) == 1 and len(parts) > 1 and whole and clock.spend(sum(map(sum, today))):
            # Row groups are cut anew over the whole file, so parts do not add up to it exactly.
            parts, plans = [list(range(len(groups)))], {}
            tail = Tail()
            plans[0] = planned(file, options, room=Room, types=types, out=tail)
            break
    width = len(file.schema.leaves)
    sizes = [[sum(today[group][leaf] for group in part) for part in parts] for leaf in range(width)]
    columns = [
        by_ratio(
            sizes[leaf],
            {at: Estimate(float(sum(map(_bytes, plan.chunks[leaf::width])))) for at, plan in plans.items()},
        )
        for leaf in range(width)
    ]  # fmt: skip
    total = by_ratio(
        [sum(sum(today[group]) for group in part) for part in parts],
        {at: Estimate(float(plan.size - empty)) for at, plan in plans.items()},
    )
    table = pa.table(
        {
            "column": pa.array([".".join(leaf.path) for leaf in file.schema.leaves], pa.string()),
            "bytes": pa.array([round(one.total) for one in columns], pa.int64()),
            "today": pa.array([sum(one) for one in sizes], pa.int64()),
            "error": pa.array([_rounded(one.error) for one in columns], pa.int64()),
        }
    )
    size = empty + round(total.total)
    known = len(parts) == len(plans) <= 1 and options.encryption is None
    error = _rounded(total.error)
    return Prediction(size, file.size, total.sampled, error, table, tail if known else None)


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
