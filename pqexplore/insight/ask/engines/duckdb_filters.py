"""The filters of single columns that DuckDB makes of a condition when it plans a query."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepts import Interval
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided, columns, single
from pqexplore.insight.ask.engines.stored import fits, is_integer, whole_number

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
_INTEGER_DIGITS = ((31, 10), (63, 19))
"""The digits that an integer literal has as a decimal, if it has at most so many bits."""
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def cast_for(test: Test) -> str:
    """Why DuckDB casts the column to compare it with a literal; "" if it does not, or no filters are lost by it."""
    clause = test.clause
    if isinstance(clause, predicate.Compare):
        literals: tuple[predicate.Literal, ...] = (clause.literal,)
    elif isinstance(clause, predicate.OneOf):
        literals = clause.literals
    else:
        return ""
    cast = next((one for one in literals if _wider(test.leaf, one)), None)
    return "" if cast is None else f"DuckDB casts the column to compare it with {clip(cast.sql, 100)}"


def _wider(leaf: Leaf, literal: predicate.Literal) -> bool:
    """Whether the type of a literal is wider than that of a column."""
    logical, kind = meaning(leaf), literal.kind
    if is_integer(leaf):
        fraction = kind in (predicate.DECIMAL, predicate.DOUBLE, predicate.FLOAT)
        if whole_number(literal):
            return literal.kind == predicate.INTEGRAL and not fits(leaf, literal)
        return fraction
    if logical.name == "DECIMAL":
        finer = kind == predicate.DECIMAL and _digits(literal.value) > logical.scale
        return finer or kind in (predicate.DOUBLE, predicate.FLOAT)
    return kind == predicate.DOUBLE and (leaf.physical_type == Type.FLOAT or logical.name == "FLOAT16")


def _digits(value: Decimal) -> int:
    """Digits after the decimal point."""
    return max(0, -int(value.as_tuple().exponent))


def _list_of_casts(test: Test) -> str:
    """Why DuckDB makes no filter of a list whose type is not the column's; "" if it does."""
    clause, logical = test.clause, meaning(test.leaf)
    if not isinstance(clause, predicate.OneOf) or clause.negated:
        return ""
    kinds = {one.kind for one in clause.literals}
    scale = logical.scale if logical.name == "DECIMAL" else 0
    if logical.name == "DECIMAL":
        finer = any(_digits(one.value) > scale for one in clause.literals if one.kind == predicate.DECIMAL)
        numbers = [one for one in clause.literals if whole_number(one)]
        integers = any(_integer_digits(one) + scale > logical.precision for one in numbers)
        casts = finer or integers
    elif logical.name == "DATE":
        casts = bool(kinds & {predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP, predicate.ZONELESS, predicate.FINE})
    else:
        decimal = any(one.kind == predicate.DECIMAL and not whole_number(one) for one in clause.literals)
        casts = decimal and test.accepts.order in (Order.SIGNED, Order.UNSIGNED)
    return "DuckDB casts the column to compare it with this list, and makes no filter of it" if casts else ""


def _integer_digits(literal: predicate.Literal) -> int:
    """The digits of a decimal that holds every number of the literal's integer type: INTEGER, BIGINT or HUGEINT."""
    bits = int(literal.value).bit_length()
    return next((digits for most, digits in _INTEGER_DIGITS if bits <= most), 39)


def filtered(bound: Bound) -> Bound:
    """The condition as filters of single columns; conditions that contradict each other are never TRUE."""
    parts = list(_conjuncts(bound))
    if _contradictory(parts):
        return Always(False, bound.sql, "its parts contradict each other")
    made = tuple(_filters(part) for part in parts)
    return made[0] if len(made) == 1 else Both(made, bound.sql)


def _conjuncts(bound: Bound) -> Iterable[Bound]:
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from _conjuncts(part)
    else:
        yield bound


def _contradictory(parts: Sequence[Bound]) -> bool:
    """Whether comparisons of one column with literals leave no value, which DuckDB sees when it plans the query.

    It does not know that no integer lies between 50 and 51.
    """
    found: dict[tuple[int, str], list[tuple[str, Any]]] = {}
    for part in parts:
        if isinstance(part, Test) and isinstance(part.clause, predicate.Compare):
            clause = part.clause
            if clause.operator in _COMPARISONS and clause.operand.column:
                kind = "number" if clause.literal.kind in _NUMBERS else clause.literal.kind
                value = clause.literal.value
                if value == value:  # not NaN
                    known = found.setdefault((part.leaf.leaf_index, kind), [])
                    known.append((clause.operator, value))
    return any(not _meet(compared) for compared in found.values())


def _meet(compared: Sequence[tuple[str, Any]]) -> bool:
    """Whether a value of a dense order could meet all of these comparisons."""
    lows = [(value, operator == ">") for operator, value in compared if operator in (">", ">=", "=")]
    highs = [(value, operator == "<") for operator, value in compared if operator in ("<", "<=", "=")]
    if not lows or not highs:
        return True
    low, above = max(lows)
    high = min(value for value, _ in highs)
    below = any(value == high and strict for value, strict in highs)
    if low < high:
        return True
    excluded = any(operator == "!=" and value == low for operator, value in compared)
    return bool(low == high) and not above and not below and not excluded


def _filters(bound: Bound) -> Bound:
    """What DuckDB makes of one condition of an AND: itself if it is about one column, or what its branches share."""
    if isinstance(bound, Test | Undecided):
        return _filter(bound)
    if not isinstance(bound, Either):
        return bound
    bound = dataclasses.replace(bound, parts=tuple(map(_branch, bound.parts)))
    about = columns(bound)
    listed = _listed(bound)
    if listed is not None:
        return listed
    undecided = any(isinstance(one, Undecided) for one in single(bound))
    names = dict.fromkeys(leaf.path[0] for leaf in about)
    if len(names) <= 1 and not undecided:
        return _without_bloom(bound)
    shared = [_without_bloom(made) for name in names if (made := _about(bound, name)) is not None]
    if not shared:
        why = "DuckDB makes no filter of an OR over several columns"
        return Undecided(why, bound.sql, tuple(about))
    return shared[0] if len(shared) == 1 else Both(tuple(shared), bound.sql)


def _branch(bound: Bound) -> Bound:
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(map(_branch, bound.parts)))
    return _filter(bound) if isinstance(bound, Test | Undecided) else bound


def _filter(test: Test | Undecided) -> Test | Undecided:
    """A test as a filter of its column; undecided if DuckDB has no statistics for it."""
    if isinstance(test, Undecided):
        why = f"{test.why}, but DuckDB works out the bounds of some casts and functions"
        return dataclasses.replace(test, why=why, certain=False)
    clause, why = test.clause, _list_of_casts(test)
    if meaning(test.leaf).name == "TIME" and meaning(test.leaf).utc:
        why = "DuckDB has no statistics of times that are adjusted to UTC"
    if isinstance(clause, predicate.NullTest) and len(test.leaf.path) > len(clause.operand.path):
        why = "DuckDB counts no nulls of structs and lists"
    return Undecided(why, test.sql, (test.leaf,), clause) if why else test


def _listed(bound: Either) -> Test | None:
    """`x = 1 OR x = 2` as `x IN (1, 2)`; None for other conditions."""
    literals: list[predicate.Literal] = []
    points: list[bytes] = []
    intervals: dict[bytes | None, Interval] = {}
    first = bound.parts[0]
    if isinstance(first, Test) and len(first.leaf.path) > 1:
        return None
    for one in bound.parts:
        if not isinstance(one, Test) or not isinstance(one.clause, predicate.Compare):
            return None
        same = isinstance(first, Test) and one.leaf is first.leaf and not cast_for(one)
        if one.clause.operator != "=" or one.accepts.points is None or not same:
            return None
        literals.append(one.clause.literal)
        points += one.accepts.points
        intervals.update((interval.low, interval) for interval in one.accepts.intervals)
    assert isinstance(first, Test) and isinstance(first.clause, predicate.Compare)
    clause = predicate.OneOf(first.clause.operand, tuple(literals), False, bound.sql)
    ordered = tuple(intervals[low] for low in sorted(intervals, key=lambda low: low or b""))
    accepts = dataclasses.replace(first.accepts, intervals=ordered, points=tuple(points))
    return dataclasses.replace(first, clause=clause, accepts=accepts, sql=bound.sql)


def _about(bound: Bound, name: str) -> Bound | None:
    """What a condition says about one top-level column; None if it says nothing for sure."""
    if isinstance(bound, Test):
        return bound if bound.leaf.path[0] == name else None
    if isinstance(bound, Both):
        parts = [made for part in bound.parts if (made := _about(part, name)) is not None]
        return Both(tuple(parts), bound.sql) if parts else None
    if isinstance(bound, Either):
        branches = [_about(part, name) for part in bound.parts]
        known = tuple(one for one in branches if one is not None)
        return Either(known, bound.sql) if len(known) == len(branches) else None
    return None


def _without_bloom(bound: Bound) -> Bound:
    """An OR whose tests of struct fields and list elements list no values for Bloom filters."""
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(map(_without_bloom, bound.parts)))
    if not isinstance(bound, Test) or len(bound.leaf.path) == 1:
        return bound
    return dataclasses.replace(bound, accepts=dataclasses.replace(bound.accepts, points=None))
