"""Runs a plan's query in DataFusion."""

from __future__ import annotations

import datetime
import importlib.util
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import is_float
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test
from pqexplore.insight.ask.observed import Observation
from pqexplore.insight.ask.observed.process import local_path, run

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

_EPOCH = datetime.datetime(1970, 1, 1)


def observe(plan: Plan) -> Observation:
    """Run a plan's condition on its file in DataFusion. UsageError if it is not installed or cannot take it."""
    if importlib.util.find_spec("datafusion") is None:
        raise UsageError("DataFusion is not installed: pip install datafusion")
    answer = run("datafusion_process", [job(plan)])
    outcome = answer["outcomes"][0]
    if "error" in outcome:
        raise UsageError(f"DataFusion cannot run this query: {outcome['error'][:300]}")
    read = outcome["row_groups"]
    which = {0: (), len(plan.groups): tuple(group.index for group in plan.groups)}.get(read)
    return Observation(
        "datafusion",
        answer["version"],
        rows=outcome["rows"],
        row_groups=which,
        groups_read=read,
        rows_scanned=outcome["rows_scanned"],
        bytes_read=outcome["bytes"],
    )


def job(plan: Plan) -> dict[str, Any]:
    """A plan's query for `datafusion_process`."""
    names = dict.fromkeys(leaf.path[0] for leaf in plan.leaves)
    columns = ", ".join(map(quoted, names))
    query = f"SELECT {columns} FROM rows WHERE {where(plan.bound)}"
    return {"path": local_path(plan), "sql": query}


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text literal of SQL."""
    if "\0" in value:
        raise UsageError("text with a zero character cannot be handed to DataFusion")
    return "'" + value.replace("'", "''") + "'"


def where(bound: Bound) -> str:
    """A condition in DataFusion's SQL; names and literals are quoted. UsageError if DataFusion cannot be asked."""
    if isinstance(bound, Both | Either):
        joined = " AND " if isinstance(bound, Both) else " OR "
        return "(" + joined.join(map(where, bound.parts)) + ")"
    if isinstance(bound, Always):
        return "TRUE" if bound.value else "FALSE"
    if not isinstance(bound, Test):
        raise UsageError(f"DataFusion is not asked for {bound.sql}: {bound.why}")
    clause = bound.clause
    first, *rest = bound.leaf.path
    column = quoted(first) + "".join(f"[{text(name)}]" for name in rest)
    if isinstance(clause, predicate.NullTest):
        return f"{column} IS {'NOT ' if clause.negated else ''}NULL"
    if isinstance(clause, predicate.OneOf):
        values = ", ".join(_literal(bound, one) for one in clause.literals)
        return f"{column} {'NOT ' if clause.negated else ''}IN ({values})"
    if isinstance(clause, predicate.Compare):
        if clause.operator in ("is true", "is false"):
            return column if clause.operator == "is true" else f"NOT {column}"
        operators = {"<=>": "IS NOT DISTINCT FROM", "not <=>": "IS DISTINCT FROM", "!=": "<>"}
        operator = operators.get(clause.operator, clause.operator)
        return f"{column} {operator} {_literal(bound, clause.literal)}"
    raise UsageError(f"DataFusion is not asked for {bound.sql}")


def _literal(test: Test, literal: predicate.Literal) -> str:
    """A literal in SQL; numbers in the type of the column, if it is decimal or floating."""
    kind, value = literal.kind, literal.value
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if kind == predicate.TEXT:
        return text(value)
    if kind == predicate.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == predicate.DATE:
        return f"DATE '{(_EPOCH + datetime.timedelta(days=value)).date()}'"
    if kind in (predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP):
        moment = (_EPOCH + datetime.timedelta(microseconds=value)).isoformat()
        return f"TIMESTAMP '{moment}{'Z' if kind == predicate.TIMESTAMP else ''}'"
    if is_float(test.leaf):
        return f"CAST('{float(value)!r}' AS DOUBLE)"
    logical = meaning(test.leaf)
    if logical.name == "DECIMAL":
        whole, _, part = f"{value:f}".lstrip("-").partition(".")
        scale = max(logical.scale, len(part))
        precision = min(max(logical.precision, len(whole) + scale), 76)
        return f"CAST('{value:f}' AS DECIMAL({precision}, {scale}))"
    return f"{value:f}" if kind == predicate.DECIMAL else str(value)
