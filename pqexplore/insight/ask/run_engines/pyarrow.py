"""Runs a plan's query in Arrow C++, through `pyarrow.dataset`."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test
from pqexplore.insight.ask.engines.asked import possible
from pqexplore.insight.ask.run_engines import Observation
from pqexplore.insight.ask.run_engines.process import local_path, run
from pqexplore.insight.ask.run_engines.typed import nanoseconds, typed

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
    columns = list(dict.fromkeys(leaf.path[0] for leaf in plan.leaves))
    return {"path": local_path(plan), "where": tree(plan.bound), "columns": columns, "read": read}


def tree(bound: Bound) -> list[Any]:
    """A condition as nested lists: `["and", [part, …]]`, `["compare", path, operator, literal]` and so on.

    UsageError for one that Arrow's expressions do not have.
    """
    if isinstance(bound, Both | Either):
        return ["and" if isinstance(bound, Both) else "or", [tree(part) for part in bound.parts]]
    if isinstance(bound, Always):
        return ["constant", bound.value]
    if not isinstance(bound, Test):
        raise UsageError(f"pyarrow is not asked for {bound.sql}: {bound.why}")
    clause, path = bound.clause, list(bound.leaf.path)
    if isinstance(clause, predicate.NullTest) and not clause.operand.variant:
        return ["null", path[: len(clause.operand.path)], clause.negated]
    if bound.leaf.max_repetition_level or inside(bound.leaf):
        raise UsageError(f"pyarrow has no expression for {bound.sql}")
    if isinstance(clause, predicate.NanTest):
        return ["nan", path, clause.negated]
    if isinstance(clause, predicate.Like):
        return ["like", path, clause.negated, clause.text]
    if isinstance(clause, predicate.OneOf):
        # No value of the column equals the others.
        values = [one for one in clause.literals if possible(bound, one)]
        return ["in", path, clause.negated, [_literal(bound, one) for one in values]]
    if isinstance(clause, predicate.Compare):
        if clause.not_in:
            return ["in", path, True, [_literal(bound, clause.literal)]]
        if clause.operator in ("is true", "is false"):
            return [clause.operator.removeprefix("is "), path]
        return ["compare", path, clause.operator, _literal(bound, clause.literal)]
    raise UsageError(f"pyarrow is not asked for {bound.sql}")


def _literal(test: Test, literal: predicate.Literal) -> list[Any]:
    """`["bytes", hex]`, `["number", numerator, denominator]` in units of the column,
    `["moment", nanoseconds]` for one between two of them, or `["float", text]`.
    """
    found = typed(test, literal)
    if found.raw is not None:
        return ["bytes", found.raw.hex()]
    if is_float(test.leaf) and found.number == 0:
        return ["float", str(float(literal.value))]  # with its sign
    moment = nanoseconds(test, found) if found.whole is None else None
    if moment is not None:
        return ["moment", moment]
    if isinstance(found.number, Fraction):
        return ["number", found.number.numerator, found.number.denominator]
    return ["float", str(found.number)]
