"""What engines make of a test before they compare it with bounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepts import Interval
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.thresholds import CannotCompare, threshold
from pqexplore.insight.ask.bound import Test


def about_group(test: Test) -> bool:
    """Whether a test asks whether a struct, list or map is null, and not its leaf."""
    clause = test.clause
    return isinstance(clause, predicate.NullTest) and len(clause.operand.path) < len(test.leaf.path)


def between(test: Test) -> Test:
    """The test with = and IN of numbers between two values of the column, such as `i = 100.5`, as compared with bounds.

    No value meets them, but an engine that compares numbers as doubles reads the row groups whose range has 100.5.
    """
    clause = test.clause
    if isinstance(clause, predicate.Compare) and clause.operator in ("=", "<=>"):
        literals: Sequence[predicate.Literal] = (clause.literal,)
    elif isinstance(clause, predicate.OneOf) and not clause.negated:
        literals = clause.literals
    else:
        return test
    more = [found for one in literals if (found := _around(test, one)) is not None]
    if not more:
        return test
    both = sorted((*test.accepts.intervals, *more), key=lambda one: one.high or b"")
    return dataclasses.replace(
        test, accepts=dataclasses.replace(test.accepts, intervals=tuple(both))
    )


def whole(test: Test, literal: predicate.Literal) -> bool:
    """Whether a literal is a number in whole units of the column, or the column has no units."""
    of = domain(test.leaf)
    if of is None or of.kind != "int":
        return True
    try:
        number = threshold(test.leaf, literal).one
    except (CannotCompare, UsageError):
        return True
    return not isinstance(number, Fraction) or number.denominator == 1


def _around(test: Test, literal: predicate.Literal) -> Interval | None:
    """The open interval between the two values of the column around a literal; None if the literal is a value."""
    of = domain(test.leaf)
    if of is None or whole(test, literal):
        return None
    number = threshold(test.leaf, literal).one
    low, high = of.floor(number), of.ceiling(number)
    if low is None or high is None:
        return None
    return Interval(of.key(low), of.key(high), True, True)
