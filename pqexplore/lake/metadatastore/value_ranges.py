"""The values that an expression may have in an object: a range in Spark's order, NULL, or anything.

Expressions are computed with ranges in place of values. A range of one value gives one value, so that the same functions
compute exactly for a value of a list and safely for a minimum and maximum: the result always has all values that the
expression has in any row.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """The values from `low` to `high` (plain values, see `types.plain`), and NULL if `null`.

    Without `low` there is no value but NULL. If `any`, every value is possible, and `low` and `high` are None.
    """

    low: Any = None
    high: Any = None
    null: bool = False
    any: bool = False

    @property
    def point(self) -> bool:
        """Whether there is only one value, and not NULL."""
        return not self.null and self.low is not None and order(self.low) == order(self.high)

    @property
    def empty(self) -> bool:
        """Whether there is no value but NULL."""
        return self.low is None and not self.any

    @property
    def may_be_true(self) -> bool:
        """Whether a condition can be TRUE."""
        return self.any or self.high is True

    @property
    def may_be_false(self) -> bool:
        """Whether a condition can be FALSE."""
        return self.any or self.low is False


ANY = Span(null=True, any=True)
NULL = Span(null=True)


class Uncertain(Exception):
    """A function whose result is not certain for a value: Spark may fail, or its configuration decides."""


def one(value: Any) -> Span:
    """The span of one value; None is NULL."""
    return NULL if value is None else Span(value, value)


def truth(true: bool, false: bool, null: bool) -> Span:
    """The span of a condition that can be TRUE, FALSE or NULL."""
    if not (true or false):
        return Span(null=null)
    return Span(not false, true, null)


def order(value: Any) -> Any:
    """A key that orders values of one type as Spark does: NaN is equal to itself, and above all numbers."""
    if isinstance(value, float):
        return (True, 0.0) if math.isnan(value) else (False, value)
    return value


def union(spans: Iterable[Span]) -> Span:
    """The span of everything that one of some spans has."""
    some = list(spans)
    null = any(span.null for span in some)
    if any(span.any for span in some):
        return ANY
    ends = [end for span in some if not span.empty for end in (span.low, span.high)]
    if not ends:
        return Span(null=null)
    return Span(min(ends, key=order), max(ends, key=order), null)


UP, DOWN, CORNERS, NONE = "up", "down", "corners", "none"
"""How a function's result changes with an argument: rises or stays, falls or stays, one of both, or otherwise."""


def apply(function: Callable[..., Any], spans: Sequence[Span], directions: Sequence[str]) -> Span:
    """The span of a function of spans, NULL for NULL.

    `function` gets a value for each argument. It returns a value, None for NULL, or a pair (low, high) between which the
    value lies; it raises Uncertain where the result is not certain.
    """
    null = any(span.null for span in spans)
    if any(span.empty for span in spans):
        return NULL
    if any(span.any for span in spans):
        return ANY
    ends = _ends(spans, directions)
    if ends is None:
        return ANY
    if CORNERS in directions:
        chosen = list(itertools.product(*ends))
    else:
        chosen = [tuple(pair[0] for pair in ends), tuple(pair[-1] for pair in ends)]
    found: list[Any] = []
    try:
        for values in dict.fromkeys(chosen):
            result = function(*values)
            if result is None:
                return ANY if any(len(pair) > 1 for pair in ends) else NULL
            found += result if isinstance(result, tuple) else (result,)
    except (Uncertain, ArithmeticError, ValueError):
        return ANY
    if len(chosen) > 1 and any(_is_nan(value) for value in found):
        return ANY
    return Span(min(found, key=order), max(found, key=order), null)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _ends(spans: Sequence[Span], directions: Sequence[str]) -> list[tuple[Any, ...]] | None:
    """The arguments between which a function's result lies, of each span one or two; None if it may be anything."""
    ends: list[tuple[Any, ...]] = []
    for span, direction in zip(spans, directions, strict=True):
        single = order(span.low) == order(span.high)
        if not single and (direction == NONE or _endless(span)):
            return None
        both = (span.low, span.high) if direction != DOWN else (span.high, span.low)
        ends.append(both[:1] if single else both)
    return ends


def _endless(span: Span) -> bool:
    """Whether a span has NaN or infinity, from which arithmetic makes a NaN between its ends."""
    return any(isinstance(end, float) and not math.isfinite(end) for end in (span.low, span.high))


def compare(operator: str, left: Span, right: Span) -> Span:
    """The span of a comparison of values of one type; `operator` is one of < <= > >= = != <=>."""
    if operator in (">", ">="):
        return compare("<" if operator == ">" else "<=", right, left)
    null = left.null or right.null
    if operator == "<=>":
        return _null_safe(left, right)
    if left.empty or right.empty:
        return NULL
    if left.any or right.any:
        return Span(False, True, null)
    low, high = order(left.low), order(left.high)
    other_low, other_high = order(right.low), order(right.high)
    if operator == "<":
        return truth(low < other_high, high >= other_low, null)
    if operator == "<=":
        return truth(low <= other_high, high > other_low, null)
    equal = truth(low <= other_high and other_low <= high, not low == high == other_low == other_high, null)
    return equal if operator == "=" else negation(equal)


def _null_safe(left: Span, right: Span) -> Span:
    equal = compare("=", left, right)
    both = left.null and right.null
    one_sided = (left.null and not right.empty) or (right.null and not left.empty)
    return truth(equal.may_be_true or both, equal.may_be_false or one_sided, False)


def negation(span: Span) -> Span:
    """NOT of a condition."""
    if span.any or span.empty:
        return span
    return Span(not span.high, not span.low, span.null)


def conjunction(parts: Sequence[Span]) -> Span:
    """AND of conditions: TRUE if all are, NULL if all are TRUE or NULL and one is NULL."""
    true = all(part.may_be_true for part in parts)
    null = all(part.may_be_true or part.null for part in parts) and any(part.null for part in parts)
    return truth(true, any(part.may_be_false for part in parts), null)


def disjunction(parts: Sequence[Span]) -> Span:
    """OR of conditions."""
    return negation(conjunction([negation(part) for part in parts]))
