"""Runs a plan's query in DuckDB."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask.observed import Observation
from pqexplore.insight.ask.observed.dialects import condition, quoted
from pqexplore.insight.ask.observed.process import local_path, run

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan


def observe(plan: Plan) -> Observation:
    """Run a plan's condition on its file in DuckDB. UsageError if DuckDB is not installed or cannot take it."""
    if importlib.util.find_spec("duckdb") is None:
        raise UsageError("DuckDB is not installed: pip install duckdb")
    answer = run("duckdb_process", [job(plan)])
    outcome = answer["outcomes"][0]
    if "error" in outcome:
        raise UsageError(f"DuckDB cannot run this query: {outcome['error'][:300]}")
    return Observation(
        "duckdb",
        answer["version"],
        int(outcome["rows"]),
        tuple(outcome["groups"]),
        int(outcome["read"]),
        int(outcome["scanned"]),
        int(outcome["bytes"]),
    )


def job(plan: Plan) -> dict[str, str]:
    """A plan's query for `duckdb_process`."""
    where, table = condition(plan.where, "duckdb")
    names = dict.fromkeys(_column(leaf) for leaf in plan.leaves)
    return {
        "path": local_path(plan),
        "where": where,
        "columns": ", ".join(names) or "1",
        "table": quoted(table or "t"),
    }


def _column(leaf: Leaf) -> str:
    """A leaf, or the top-level column that holds it if it is in a list or map."""
    path = leaf.path[:1] if leaf.max_repetition_level else leaf.path
    return ".".join(map(quoted, path))
