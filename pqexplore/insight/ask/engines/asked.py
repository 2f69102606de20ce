"""What engines make of a test before they compare it with bounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.ordering import Order
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Interval
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.thresholds import CannotCompare, threshold
from pqexplore.insight.ask.bound import Test


def numeric(test: Test) -> Test:
    """The test with floats in numeric order, in which both zeros are equal, whatever order the file declares."""
    accepts = test.accepts
    if accepts.order is not Order.TOTAL:
        return test
    intervals = tuple(
        dataclasses.replace(one, low=_one_zero(one.low), high=_one_zero(one.high)) for one in accepts.intervals
    )
    return dataclasses.replace(test, accepts=dataclasses.replace(accepts, order=Order.FLOAT, intervals=intervals))


def _one_zero(key: bytes | None) -> bytes | None:
    """The key of +0 for that of -0, which is the one before it in the total order; other keys as they are."""
    if not key or key != b"\x7f" + b"\xff" * (len(key) - 1):
        return key
    return b"\x80" + bytes(len(key) - 1)


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
    return dataclasses.replace(test, accepts=dataclasses.replace(test.accepts, intervals=tuple(both)))


def whole(test: Test, literal: predicate.Literal) -> bool:
    """Whether a literal is a number in whole units of the column, or the column has no units."""
    number = _number(test, literal)
    return number is None or number.denominator == 1


def possible(test: Test, literal: predicate.Literal) -> bool:
    """Whether the column can have the value of a literal; True if the column has no units."""
    number, of = _number(test, literal), domain(test.leaf)
    if number is None or of is None:
        return True
    return number.denominator == 1 and of.floor(number) == of.ceiling(number)


def _number(test: Test, literal: predicate.Literal) -> Fraction | None:
    of = domain(test.leaf)
    if of is None or of.kind != "int":
        return None
    try:
        number = threshold(test.leaf, literal).one
    except (CannotCompare, UsageError):
        return None
    return number if isinstance(number, Fraction) else None


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
