"""A plan of the profile `spark`, compared with what `ParquetJava` says of the same query."""

import pqexplore
from pqexplore.insight.ask import planning, row_ranges
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, DICTIONARY


def plan_of(path, where):
    steps = planning.steps(pqexplore.open(path), where, engine="spark", timezone="UTC")
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def after(plan, stage):
    """The row groups that a stage left."""
    stages = plan.engine.stages
    return [group.index for group in plan.groups if group.kept or stages.index(group.asked[-1]) > stages.index(stage)]


def numbers(plan, said):
    """The row groups whose first rows are named."""
    first, starts = 0, {}
    for group in plan.groups:
        starts[first] = group.index
        first += group.num_rows
    return [starts[int(start)] for start in said.split(",") if start]


def compared(said, plan):
    """What the filters of parquet-java keep and the plan does not, or the other way round: (theirs, ours) by name."""
    pairs = {stage: (numbers(plan, said[stage]), after(plan, stage)) for stage in (BOUNDS, DICTIONARY, BLOOM)}
    rows = sum(row_ranges.count(group.ranges) for group in plan.kept)
    pairs["rows after the column index"] = (int(said["filtered"]), rows)
    if "scanned" in said:
        pairs["rows of Spark's scan"] = (int(said["scanned"]), rows)
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
