"""Runs a plan's query in polars."""

from __future__ import annotations

import importlib.util
import re
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test
from pqexplore.insight.ask.engines.untested_bounds import is_integer, whole_number
from pqexplore.insight.ask.run_engines import Observation
from pqexplore.insight.ask.run_engines.process import local_path, run

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

_DAY = 86_400_000_000_000

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
    predicate.FLOAT: "float",
    predicate.BINARY: "bytes",
    predicate.TIME: "time",
    predicate.UUID: "text",
}


def observe(plan: Plan) -> Observation:
    """Run a plan's condition on its file in polars. UsageError if polars is not installed or cannot take it."""
    job = [{"path": local_path(plan), "where": tree(plan.bound)}]
    if importlib.util.find_spec("polars") is None:
        raise UsageError("polars is not installed: pip install polars")
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
    if isinstance(clause, predicate.Constant | predicate.Opaque | predicate.Within):
        raise UsageError(f"polars is not asked for {bound.sql}")
    if clause.operand.variant or clause.operand.below:
        raise UsageError(f"polars is not asked for {bound.sql}")
    if clause.operand.element is not None:
        return _element(bound, clause)
    if bound.repeated:
        path = list(clause.operand.path)
    if isinstance(clause, predicate.NanTest):
        return ["nan", path, clause.negated]
    if isinstance(clause, predicate.Like):
        if clause.only_prefix:
            return ["like", path, clause.negated, True, clause.prefix]
        return ["like", path, clause.negated, False, _regular_expression(clause)]
    if isinstance(clause, predicate.NullTest):
        return ["null", path, clause.negated]
    if isinstance(clause, predicate.OneOf):
        return ["in", path, clause.negated, [_literal(bound, one) for one in clause.literals]]
    if isinstance(clause, predicate.Compare):
        if clause.operator in ("is true", "is false"):
            return [clause.operator.removeprefix("is "), path]
        return ["compare", path, clause.operator, _literal(bound, clause.literal)]
    raise UsageError(f"polars is not asked for {bound.sql}")


def _element(test: Test, clause: predicate.Leaf) -> list[Any]:
    """A clause about an element of a list, or about any element."""
    if isinstance(clause, predicate.Compare) and clause.operator == "=":
        element = clause.operand.element
        which = None if element == predicate.ANY else element
        return ["list", list(clause.operand.path), which, _literal(test, clause.literal)]
    raise UsageError(f"polars is not asked for {test.sql}")


def _regular_expression(clause: predicate.Like) -> str:
    """A pattern of LIKE as a regular expression."""
    wildcards = {predicate.Wildcard.TEXT: ".*", predicate.Wildcard.CHARACTER: "."}
    parts = (re.escape(part) if isinstance(part, str) else wildcards[part] for part in clause.pattern)
    return f"(?s)^{''.join(parts)}$"


def _literal(test: Test, literal: predicate.Literal) -> list[str]:
    """A literal's kind and value, as one would write it in Python for a column of this type."""
    if whole_number(literal) and is_integer(test.leaf):
        return ["int", str(int(literal.value))]
    kind, value = _written(test, literal)
    if not kind or meaning(test.leaf).name == "UUID":
        raise UsageError(f"polars is not asked for {test.sql}")
    if kind == "bool":
        return [kind, "true" if value else "false"]
    return [kind, value.hex() if isinstance(value, bytes) else str(value)]


def _written(test: Test, literal: predicate.Literal) -> tuple[str, Any]:
    """The kind and the value of a literal that is no whole number; "" for a kind that polars does not have."""
    kind, value, logical = _KINDS.get(literal.kind, ""), literal.value, meaning(test.leaf)
    moment = literal.moment
    written = ("text", "instant", "local") if logical.name == "TIMESTAMP" else ("text",)
    if kind in written and moment is not None and logical.name in ("DATE", "TIMESTAMP"):
        at = moment.instant if logical.name == "TIMESTAMP" and logical.utc else moment.clock
        kind = "date" if logical.name == "DATE" else "instant" if logical.utc else "local"
        value = at[0] // (_DAY if kind == "date" else 1_000)
    elif kind == "text" and moment is not None and test.leaf.physical_type == Type.INT96:
        kind, value = "local", moment.instant[0] // 1_000
    elif kind in ("text", "decimal", "int") and is_float(test.leaf):
        kind = "float"
    elif kind in ("text", "int") and logical.name == "DECIMAL":
        kind = "decimal"
    elif kind == "text" and is_integer(test.leaf):
        kind = "int"
    return kind, value
