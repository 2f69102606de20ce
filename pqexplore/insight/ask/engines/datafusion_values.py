"""The values that a condition asks of columns by = and IN, as DataFusion finds them.

It finds contradictions with them before it reads anything, and asks Bloom filters for them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.thresholds import CannotCompare, threshold
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided

Values = dict[int, tuple[Test, dict[bytes, predicate.Literal]]]
"""By column: a test of it, and the values that it must have, by their PLAIN bytes."""


def conjuncts(bound: Bound) -> Iterator[Bound]:
    """Yields the parts that a condition joins by AND, at any depth."""
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from conjuncts(part)
    else:
        yield bound


def points(bound: Bound) -> Values:
    """The value that a test asks of its column by =; empty for other conditions."""
    if not isinstance(bound, Test):
        return {}
    clause = bound.clause
    if not isinstance(clause, predicate.Compare) or clause.operator != "=":
        return {}
    return _of_literals(bound, (clause.literal,))


def lists(bound: Bound) -> Values:
    """The values of an IN, or of an OR of =; empty for one value and for other conditions."""
    return {} if points(bound) else listed(bound)


def listed(bound: Bound) -> Values:
    """The values that a test asks of its column by = or IN, or an OR of such tests of one column; else empty."""
    if isinstance(bound, Either):
        parts = [listed(part) for part in bound.parts]
        if not parts or len({tuple(part) for part in parts}) > 1 or not parts[0]:
            return {}
        return _united(parts, set(parts[0]))
    if isinstance(bound, Test) and isinstance(bound.clause, predicate.OneOf):
        return {} if bound.clause.negated else _of_literals(bound, bound.clause.literals)
    return points(bound)


def _of_literals(test: Test, literals: Sequence[predicate.Literal]) -> Values:
    if test.leaf.physical_type == Type.BOOLEAN:
        return {}
    values = {}
    for literal in literals:
        raw = plain_of(test, literal)
        if raw is None:
            return {}
        values[raw] = literal
    return {test.leaf.leaf_index: (test, values)}


def plain_of(test: Test, literal: predicate.Literal) -> bytes | None:
    """The PLAIN bytes of a literal in the type of its column, with its sign if it is zero; None if it has none."""
    of = domain(test.leaf)
    if of is None:
        return None
    try:
        found = threshold(test.leaf, literal)
    except (CannotCompare, UsageError):
        return None
    if found.raw is not None:
        return found.raw
    if found.nan:
        return of.plain(math.nan) if of.kind == "float" else None
    if of.kind == "float":
        value = float(found.one)
        return of.plain(math.copysign(value, literal.value) if value == 0 else value)
    if not isinstance(found.one, Fraction) or found.one.denominator != 1:
        return None
    number = int(found.one)
    fits = (of.low is None or number >= of.low) and (of.high is None or number <= of.high)
    return of.plain(number) if fits else None


def _united(parts: Sequence[Values], columns: Iterable[int]) -> Values:
    """The values that a column has in one of the parts, for the columns that are in each."""
    made: Values = {}
    for column in columns:
        values = {raw: one for part in parts for raw, one in part[column][1].items()}
        made[column] = parts[0][column][0], values
    return made


def disjoint(parts: Sequence[Values]) -> bool:
    """Whether two of the parts ask different values of one column."""
    met: Values = {}
    for part in parts:
        for column, (test, values) in part.items():
            before = met.setdefault(column, (test, values))[1]
            if not before.keys() & values.keys():
                return True
            met[column] = test, {raw: one for raw, one in before.items() if raw in values}
    return False


def asked_of_filters(bound: Bound) -> Bound:
    """The values that columns must have for a condition to be TRUE, as IN conditions joined by AND.

    A column is left out if two conjuncts ask different values of it, as DataFusion does.
    """
    met: Values = {}
    for conjunct in conjuncts(bound):
        if isinstance(conjunct, Always) and not conjunct.value:
            return conjunct
        for column, (test, values) in _required(conjunct).items():
            before = met.get(column, (test, values))[1]
            met[column] = test, {raw: one for raw, one in before.items() if raw in values}
    made = []
    for test, values in met.values():
        if values and isinstance(test.clause, predicate.OneOf | predicate.Compare):
            clause = predicate.OneOf(test.clause.operand, tuple(values.values()), False, test.sql)
            made.append(dataclasses.replace(test, clause=clause))
    if not made:
        return Undecided("it asks no column for certain values", bound.sql)
    return Both(tuple(made), bound.sql)


def _required(conjunct: Bound) -> Values:
    """The values that columns must have for a conjunct to be TRUE; empty if there are none."""
    direct = listed(conjunct)
    if direct or not isinstance(conjunct, Either):
        return direct
    parts: list[Values] = []
    for part in conjunct.parts:
        found: Values = {}
        for term in part.parts if isinstance(part, Both) else (part,):
            found |= points(term)
        parts.append(found)
    return _united(parts, set(parts[0]).intersection(*parts)) if parts else {}
