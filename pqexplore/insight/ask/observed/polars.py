"""Runs a plan's query in polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.ordering import is_float
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test
from pqexplore.insight.ask.observed import Observation
from pqexplore.insight.ask.observed.process import local_path, run

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

ENVIRONMENT = {"POLARS_VERBOSE": "1", "POLARS_OUTPUT_SKIP_BATCH_PRED": "1"}
"""Makes polars log which row groups it reads, and the condition by which it skips."""

_KINDS = {
    predicate.INTEGRAL: "int",
    predicate.DECIMAL: "decimal",
    predicate.DOUBLE: "float",
    predicate.TEXT: "text",
    predicate.BOOLEAN: "bool",
    predicate.DATE: "date",
    predicate.TIMESTAMP: "instant",
    predicate.LOCAL_TIMESTAMP: "local",
}


def observe(plan: Plan) -> Observation:
    """Run a plan's condition on its file in polars. UsageError if polars is not installed or cannot take it."""
    job = [{"path": local_path(plan), "where": tree(plan.bound)}]
    answer = run("polars_process", job, ENVIRONMENT)
    outcome = answer["outcomes"][0]
    if "error" in outcome:
        raise UsageError(f"polars cannot run this query: {outcome['error'][:300]}")
    groups = plan.groups
    read = len(groups) if outcome["read"] is None else int(outcome["read"])
    which = {0: (), len(groups): tuple(group.index for group in groups)}.get(read)
    return Observation("polars", answer["version"], int(outcome["rows"]), which, read)


def tree(bound: Bound) -> list[Any]:
    """A condition as nested lists, for `polars_process`: `["and", [part, …]]`, `["=", path, operator, literal]` and so on."""
    if isinstance(bound, Both | Either):
        return ["and" if isinstance(bound, Both) else "or", [tree(part) for part in bound.parts]]
    if isinstance(bound, Always):
        return ["constant", bound.value]
    if not isinstance(bound, Test):
        raise UsageError(f"polars is not asked for {bound.sql}: {bound.why}")
    clause, path = bound.clause, list(bound.leaf.path)
    if isinstance(clause, predicate.NullTest):
        return ["null", path, clause.negated]
    if isinstance(clause, predicate.OneOf):
        return ["in", path, clause.negated, [_literal(bound, one) for one in clause.literals]]
    if isinstance(clause, predicate.Compare):
        if clause.operator in ("is true", "is false"):
            return [clause.operator.removeprefix("is "), path]
        return ["compare", path, clause.operator, _literal(bound, clause.literal)]
    raise UsageError(f"polars is not asked for {bound.sql}")


def _literal(test: Test, literal: predicate.Literal) -> list[str]:
    """A literal's kind and value; a decimal number is compared with a float column as a float, as in Python."""
    kind, value = _KINDS[literal.kind], literal.value
    if kind == "decimal" and is_float(test.leaf):
        kind = "float"
    if kind == "bool":
        return [kind, "true" if value else "false"]
    return [kind, value.hex() if isinstance(value, bytes) else str(value)]
