"""Runs a plan's query in Arrow C++, through `pyarrow.dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask.bound import Undecided, single
from pqexplore.insight.ask.observed import Observation
from pqexplore.insight.ask.observed.polars import tree
from pqexplore.insight.ask.observed.process import local_path, run

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


def observe(plan: Plan) -> Observation:
    """Run a plan's condition on its file in Arrow C++. UsageError if it cannot take the condition."""
    answer = run("pyarrow_process", [job(plan)])
    outcome = answer["outcomes"][0]
    if "error" in outcome:
        raise UsageError(f"pyarrow cannot run this query: {outcome['error'][:300]}")
    groups = tuple(outcome["row_groups"])
    return Observation(
        "pyarrow",
        answer["version"],
        rows=outcome["rows"],
        row_groups=groups,
        groups_read=len(groups),
        rows_scanned=sum(one.num_rows for one in plan.groups if one.index in groups),
        bytes_read=outcome["bytes"],
    )


def job(plan: Plan, read: bool = True) -> dict[str, Any]:
    """A plan's query for `pyarrow_process`. Unless `read`, only the row groups are asked for."""
    unknown = next((one for one in single(plan.bound) if isinstance(one, Undecided)), None)
    if unknown is not None:
        raise UsageError(f"pyarrow is not asked for {unknown.sql}: {unknown.why}")
    columns = list(dict.fromkeys(leaf.path[0] for leaf in plan.leaves))
    return {"path": local_path(plan), "where": tree(plan.bound), "columns": columns, "read": read}
