"""The size of the file that `rewrite` would write, without writing it.

If the budget suffices, the writer makes the whole file and discards its bytes. Else it makes files of some parts of the
row groups, and the total follows by their ratio to the sizes today.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.plan import ChunkPlan, Plan
from pqexplore.engine.writer.rewriting import planned
from pqexplore.insight.what_if.budget import Budget
from pqexplore.insight.what_if.column import profile
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.measure import Room

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted size of a file: `size` in bytes, `today` the size now.

    `sampled` says whether it is an estimate; `error` is how many bytes it may be off in 95 of 100
    cases, None if that is not known.
    `columns` is a table: column, bytes (chunks, indexes, Bloom filters), today (of the chunks), error.
    """

    size: int
    today: int
    sampled: bool
    error: int | None
    columns: pa.Table


Steps = Generator[float, None, Prediction]


def steps(file: ParquetFile, options: WriteOptions, budget: Budget) -> Steps:
    """The steps to a prediction; raises what `rewrite` raises."""
    return (yield from file.budget.steps("predict()", _steps(file, options, budget)))


def _steps(file: ParquetFile, options: WriteOptions, budget: Budget) -> Steps:
    clock = budget.start()
    groups = list(file.row_groups)
    today = [[len(chunk.span) for chunk in group.columns] for group in groups]
    empty = planned(file, options, []).size
    counts = [group.num_rows for group in groups]
    parts = _parts(counts, options.row_group_rows)
    plans: dict[int, Plan] = {}
    for at in spread(len(parts)):
        begun, affords = clock.left, clock.spend(sum(sum(today[group]) for group in parts[at]))
        if plans and (begun <= 0 or not affords):
            break
        plans[at] = planned(
            file,
            options,
            parts[at],
            room=Room,
            full=at < len(parts) - 1,
            before=file.size * at // len(parts),
        )
        yield clock.done
        whole = (begun - clock.left) * len(parts) < clock.left
        if len(plans) == 1 and len(parts) > 1 and whole and clock.spend(sum(map(sum, today))):
            # Row groups are cut anew over the whole file, so parts do not add up to it exactly.
            parts, plans = [list(range(len(groups)))], {}
            plans[0] = planned(file, options, room=Room)
            break
    width = len(file.schema.leaves)
    # The rows of a part that did not fill a row group are with those of the next part in the file.
    scale = {
        at: sum(counts[group] for group in parts[at]) / max(1, plan.num_rows)
        for at, plan in plans.items()
    }
    profiles = [[_profile(groups, part, leaf) for part in parts] for leaf in range(width)]
    sizes = [[sum(today[group][leaf] for group in part) for part in parts] for leaf in range(width)]
    columns = [
        by_ratio(
            sizes[leaf],
            {at: Estimate(scale[at] * sum(map(_bytes, plan.chunks[leaf::width]))) for at, plan in plans.items()},
            profiles[leaf],
        )
        for leaf in range(width)
    ]  # fmt: skip
    total = by_ratio(
        [sum(sum(today[group]) for group in part) for part in parts],
        {at: Estimate(scale[at] * (plan.size - empty)) for at, plan in plans.items()},
        [
            [sum(numbers) for numbers in zip(*part, strict=True)]
            for part in zip(*profiles, strict=True)
        ],
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
    return Prediction(size, file.size, total.sampled, _rounded(total.error), table)


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
