"""Runs a plan's query in DuckDB."""

from __future__ import annotations

import collections
import importlib.util
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask.run_engines import Observation
from pqexplore.insight.ask.run_engines.dialects import condition, quoted
from pqexplore.insight.ask.run_engines.process import local_path, run

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
    read = collections.Counter(leaf.path[0] for leaf in plan.leaves)
    there = collections.Counter(leaf.path[0] for leaf in plan.file.schema.leaves)
    names = dict.fromkeys(_column(leaf, read[leaf.path[0]] == there[leaf.path[0]]) for leaf in plan.leaves)
    return {"path": local_path(plan), "where": where, "columns": ", ".join(names) or "1", "table": quoted(table or "t")}


def _column(leaf: Leaf, all_of_it: bool) -> str:
    """The column with a leaf: the whole top-level column if all of it is read or it has lists, or else the field."""
    whole = all_of_it or leaf.max_repetition_level > 0
    return quoted(leaf.path[0]) if whole else ".".join(map(quoted, leaf.path))
