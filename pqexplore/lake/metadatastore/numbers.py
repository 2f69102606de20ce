"""Functions of numbers, as terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pqexplore.lake.metadatastore import spans, terms
from pqexplore.lake.metadatastore.spans import DOWN, NONE, UP, Span, Uncertain
from pqexplore.lake.metadatastore.terms import BITS, DOUBLE, NotComputed, Term, function


def periodic(of: Term, part: Callable[[int], int], period: Callable[[int], int], ends: tuple[int, int]) -> Term:
    """A function that rises within each period, such as the month of a date in a year; `ends` are its least and most."""
    single = function("integer", part, [of], [UP])
    periods = function("integer", period, [of], [UP])

    def span(columns: terms.Columns) -> Span:
        of_period = periods.span(columns)
        if of_period.any or of_period.empty or of_period.low == of_period.high:
            return single.span(columns)
        return Span(*ends, of_period.null)

    return Term("integer", span, of.columns)


def _negative(of: Term) -> Term:
    if of.type in BITS:
        return function(of.type, lambda number: terms.in_range(of.type, -number), [of], [DOWN])
    if of.type == DOUBLE:
        return function(DOUBLE, lambda number: -number, [of], [DOWN])
    raise NotComputed(f"the negative of {of.type} is not computed")


def _absolute(of: Term) -> Term:
    if of.type not in BITS and of.type != DOUBLE:
        raise NotComputed(f"abs of {of.type} is not computed")

    def magnitude(number: Any) -> Any:
        return terms.in_range(of.type, abs(number)) if of.type in BITS else abs(number)

    positive = function(of.type, magnitude, [of], [spans.CORNERS])

    def span(columns: terms.Columns) -> Span:
        found, inner = positive.span(columns), of.span(columns)
        if found.any or found.empty or not inner.low < 0 < inner.high:
            return found
        zero = 0.0 if of.type == DOUBLE else 0
        return Span(zero, found.high, found.null)

    return Term(of.type, span, of.columns)


def _rounded(of: Term, rounded: Callable[[Any], int]) -> Term:
    """FLOOR and CEIL: of doubles and whole numbers a long, of decimals a decimal without fraction."""
    size = terms.digits(of.type)
    if of.type != DOUBLE and size is None:
        raise NotComputed(f"floor and ceil of {of.type} are not computed")
    kind = "long"
    if size is not None and of.type not in BITS:
        kind = f"decimal({min(38, size[0] - size[1] + 1)},0)"
        return function(kind, rounded, [of], [UP])
    return function(kind, lambda number: terms.in_range(kind, rounded(number)), [of], [UP])


UNARY: dict[str, Callable[[Term], Term]] = {
    "neg": _negative,
    "abs": _absolute,
    "floor": lambda of: _rounded(of, math.floor),
    "ceil": lambda of: _rounded(of, math.ceil),
}
"""Functions of one number, by sqlglot's name of the expression."""


def _quotient(number: int, divisor: int) -> int:
    """Java's division: towards zero."""
    found = abs(number) // abs(divisor)
    return found if (number < 0) == (divisor < 0) else -found


def _of_divisor(left: Term, right: Term) -> int | None:
    """The divisor, if it is one positive whole number."""
    if left.type not in BITS or right.type not in BITS:
        raise NotComputed("only whole numbers are divided so")
    found = right.constant
    return found.low if found is not None and found.point and found.low > 0 else None


def _whole_division(left: Term, right: Term) -> Term:
    divisor = _of_divisor(left, right)

    def divided(number: int, by: int) -> int:
        return terms.in_range("long", _quotient(number, by))

    return function("long", divided, [left, right], [NONE if divisor is None else UP, NONE])


def _remainder(left: Term, right: Term) -> Term:
    divisor = _of_divisor(left, right)
    kind = max(left.type, right.type, key=list(BITS).index)

    def remainder(number: int, by: int) -> int:
        if by == 0:
            raise Uncertain
        return number - by * _quotient(number, by)

    if divisor is None:
        return function(kind, remainder, [left, right])
    most = divisor - 1
    found = periodic(
        left, lambda number: remainder(number, divisor), lambda number: _quotient(number, divisor), (-most, most)
    )
    return Term(kind, found.span, found.columns)


BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "add": lambda left, right: terms.arithmetic("+", left, right),
    "sub": lambda left, right: terms.arithmetic("-", left, right),
    "mul": lambda left, right: terms.arithmetic("*", left, right),
    "div": lambda left, right: terms.arithmetic("/", left, right),
    "intdiv": _whole_division,
    "mod": _remainder,
}
"""Functions of two numbers, by sqlglot's name of the expression."""
