"""Runs a plan's query in DataFusion."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import TEXT, meaning
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test
from pqexplore.insight.ask.run_engines import Observation
from pqexplore.insight.ask.run_engines.dialects import quoted
from pqexplore.insight.ask.run_engines.process import local_path, run
from pqexplore.insight.ask.run_engines.typed import Typed, nanoseconds, typed

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan


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
    columns = ", ".join(dict.fromkeys(map(_read, plan.leaves)))
    query = f"SELECT {columns} FROM rows WHERE {where(plan.bound)}"
    rows = [group.num_rows for group in plan.groups]
    return {"path": local_path(plan), "sql": query, "group_rows": rows}


def column(path: Sequence[str]) -> str:
    """A column, or a field of a struct, as an expression of SQL."""
    first, *rest = path
    return quoted(first) + "".join(f"[{text(name)}]" for name in rest)


def _read(leaf: Leaf) -> str:
    """What is selected for a leaf: the whole top-level column for one in a list, a map or a Variant."""
    return column(leaf.path[:1] if leaf.max_repetition_level or inside(leaf) else leaf.path)


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
    if isinstance(clause, predicate.NullTest) and not clause.operand.variant:
        group = column(bound.leaf.path[: len(clause.operand.path)])
        return f"{group} IS {'NOT ' if clause.negated else ''}NULL"
    if bound.leaf.max_repetition_level or inside(bound.leaf):
        raise UsageError(f"DataFusion is not asked for {bound.sql}")
    asked = column(bound.leaf.path)
    never = "NOT " if getattr(clause, "negated", False) else ""
    if isinstance(clause, predicate.NanTest):
        return f"{never}isnan({asked})"
    if isinstance(clause, predicate.Like):
        return f"{asked} {never}LIKE {text(clause.text)}"
    if isinstance(clause, predicate.OneOf):
        values = ", ".join(_literal(bound, one) for one in clause.literals)
        return f"{asked} {never}IN ({values})"
    if isinstance(clause, predicate.Compare):
        if clause.operator in ("is true", "is false"):
            return asked if clause.operator == "is true" else f"NOT {asked}"
        operators = {"<=>": "IS NOT DISTINCT FROM", "not <=>": "IS DISTINCT FROM", "!=": "<>"}
        operator = operators.get(clause.operator, clause.operator)
        return f"({asked} {operator} {_literal(bound, clause.literal)})"
    raise UsageError(f"DataFusion is not asked for {bound.sql}")


def _literal(test: Test, literal: predicate.Literal) -> str:
    """A literal in SQL, in the type of the column if it fits."""
    found, leaf = typed(test, literal), test.leaf
    logical = meaning(leaf)
    if found.raw is not None:
        if logical.name in TEXT:
            return text(found.raw.decode(errors="replace"))
        return f"X'{found.raw.hex()}'"
    if is_float(leaf):
        number = float(literal.value) if found.number == 0 else float(found.number)
        return f"CAST('{number!r}' AS DOUBLE)"
    whole = found.whole
    if leaf.physical_type == Type.BOOLEAN:
        return "TRUE" if whole else "FALSE"
    if logical.name == "DECIMAL":
        return _decimal(found, logical.precision, logical.scale)
    moment = nanoseconds(test, found) if whole is None else None
    if moment is not None:
        zone = 'Some("UTC")' if logical.utc else "None"
        return f"arrow_cast({moment}, 'Timestamp(Nanosecond, {zone})')"
    if whole is None:
        return f"CAST('{float(found.number)!r}' AS DOUBLE)"
    kind = _arrow_type(leaf)
    return f"arrow_cast({whole}, '{kind}')" if kind else str(whole)


def _decimal(found: Typed, precision: int, scale: int) -> str:
    """A decimal number, of the column's precision and scale if it fits."""
    if not isinstance(found.number, Fraction):
        return f"CAST('{found.number!r}' AS DOUBLE)"
    number, more = found.number, 0
    while number.denominator != 1 and more < 40:
        number, more = number * 10, more + 1
    digits = len(str(abs(int(number))))
    value = Decimal(int(number)).scaleb(-scale - more, Context(prec=120))
    return f"CAST('{value:f}' AS DECIMAL({min(76, max(precision + more, digits))}, {scale + more}))"


_UNITS = {"ms": "Millisecond", "us": "Microsecond", "ns": "Nanosecond"}


def _arrow_type(leaf: Leaf) -> str:
    """The Arrow type of dates, times and timestamps, whose literals are counts of its unit; "" for other types."""
    logical = meaning(leaf)
    if logical.name == "DATE":
        return "Date32"
    if logical.name == "TIME":
        return f"Time{32 if logical.unit == 'ms' else 64}({_UNITS[logical.unit]})"
    if leaf.physical_type == Type.INT96:
        return "Timestamp(Nanosecond, None)"
    if logical.name == "TIMESTAMP":
        zone = 'Some("UTC")' if logical.utc else "None"
        return f"Timestamp({_UNITS[logical.unit]}, {zone})"
    return ""
