"""Expressions with Spark's types, computed for spans of their columns: casts, and comparisons of different types.

Only what Spark computes alike with and without ANSI mode is computed. An overflow, a cast that fails or a division by
zero is an error with ANSI and NULL or another number without; the result is then `spans.ANY`, which rules out nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pqexplore.insight.ask import literals, predicate
from pqexplore.insight.ask.predicate import Literal
from pqexplore.lake.metadatastore import calendar, store_types, value_ranges
from pqexplore.lake.metadatastore.calendar import DAY
from pqexplore.lake.metadatastore.value_ranges import ANY, DOWN, UP, Span, Uncertain

Columns = Mapping[str, Span]
"""The values of an object's columns, by lower-cased name."""

STRING, BOOLEAN, DOUBLE, FLOAT, DATE = "string", "boolean", "double", "float", "date"
TIMESTAMP, LOCAL, NOTHING = "timestamp", "timestamp_ntz", "null"
MOMENTS = (DATE, TIMESTAMP, LOCAL)
BITS = {"byte": 7, "short": 15, "integer": 31, "long": 63}
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
MAX_DIGITS = 38


class NotComputed(Exception):
    """An expression that is not computed here; the message says which part."""


@dataclasses.dataclass(frozen=True)
class Term:
    """An expression: its Spark type, the span of its values for spans of columns, and the columns that it reads."""

    type: str
    span: Callable[[Columns], Span]
    columns: frozenset[str] = frozenset()

    @property
    def constant(self) -> Span | None:
        """The span of an expression without columns; None for others."""
        return None if self.columns else self.span({})


def function(kind: str, of: Callable[..., Any], arguments: Sequence[Term], directions: Sequence[str] = ()) -> Term:
    """A function of terms; see `spans.apply`. Without directions only single values are computed."""
    along = directions or [value_ranges.NONE] * len(arguments)
    return Term(
        kind, lambda columns: value_ranges.apply(of, [one.span(columns) for one in arguments], along), reads(arguments)
    )


def reads(terms: Sequence[Term]) -> frozenset[str]:
    """The columns that some terms read."""
    return frozenset[str]().union(*(one.columns for one in terms))


def known(kind: str, span: Span) -> Term:
    """A term with one span, whatever the columns."""
    return Term(kind, lambda columns: span)


def in_range(kind: str, number: int) -> int:
    """A whole number of a type. Raises Uncertain if it overflows."""
    limit = 1 << BITS[kind]
    if not -limit <= number < limit:
        raise Uncertain
    return number


def digits(kind: str) -> tuple[int, int] | None:
    """(precision, scale) of a decimal, or of the decimal type of a whole number; None for other types."""
    if kind in _DIGITS:
        return _DIGITS[kind], 0
    return store_types.decimal_parameters(kind)


def of_literal(literal: Literal, zone: datetime.tzinfo | None) -> Term:
    """The term of a literal."""
    kind, value = literal.kind, literal.value
    if kind == predicate.INTEGRAL:
        return known("integer" if -(1 << 31) <= value < 1 << 31 else "long", value_ranges.one(value))
    if kind == predicate.DECIMAL:
        _, shown, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        precision = max(len(shown) + max(0, int(exponent)), scale, 1)
        return known(f"decimal({precision},{scale})", value_ranges.one(value))
    if kind == predicate.TEXT:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotComputed("the literal cannot be written in UTF-8") from None
    if kind in _LITERALS:
        return known(_LITERALS[kind], value_ranges.one(value))
    if kind == predicate.ZONELESS and literal.moment is not None and value % 1_000 == 0:
        return known(TIMESTAMP, Span(*calendar.instant(value // 1_000, zone)))
    raise NotComputed(f"a {kind} is not computed with")


_LITERALS = {
    predicate.DOUBLE: DOUBLE,
    predicate.TEXT: STRING,
    predicate.BOOLEAN: BOOLEAN,
    predicate.DATE: DATE,
    predicate.TIMESTAMP: TIMESTAMP,
    predicate.LOCAL_TIMESTAMP: LOCAL,
    predicate.NULL: NOTHING,
}


# Casts


def cast(term: Term, kind: str, zone: datetime.tzinfo | None, failing: bool = False) -> Term:
    """CAST of a term. With `failing` (TRY_CAST), text that is no number gives NULL. Raises NotComputed."""
    source = term.type
    if source == kind:
        return term
    if source == NOTHING:
        return known(kind, value_ranges.NULL)
    if source in MOMENTS and kind in MOMENTS:
        return _moment(term, kind, zone)
    if kind == STRING:
        return _to_text(term, zone)
    if source == STRING and kind in MOMENTS:
        return function(kind, lambda text: _moment_of_text(text, kind, zone), [term])
    if kind in BITS:
        return _to_whole(term, kind, failing)
    if kind == DOUBLE and (source == FLOAT or digits(source)):
        return function(DOUBLE, float, [term], [UP])
    wide, narrow = store_types.decimal_parameters(kind), digits(source)
    if wide and narrow and wide[1] >= narrow[1] and wide[0] - wide[1] >= narrow[0] - narrow[1]:
        return function(kind, Decimal, [term], [UP])
    raise _no_cast(source, kind)


def _no_cast(source: str, kind: str) -> NotComputed:
    return NotComputed(f"a cast from {source} to {kind} is not computed")


def _to_whole(term: Term, kind: str, failing: bool) -> Term:
    """CAST of a term to a type of whole numbers."""
    source = term.type
    if source == STRING:
        return function(kind, lambda text: _whole_of_text(text, kind, failing), [term])
    if source == TIMESTAMP:
        term = function("long", lambda at: at // calendar.SECOND, [term], [UP])
        if kind == term.type:
            return term
    elif source not in BITS and source not in store_types.FRACTIONAL and not digits(source):
        raise _no_cast(source, kind)
    return function(kind, lambda number: in_range(kind, math.trunc(number)), [term], [UP])


def _moment(term: Term, kind: str, zone: datetime.tzinfo | None) -> Term:
    source = term.type
    if source == DATE:
        midnight = function(LOCAL, lambda days: days * DAY, [term], [UP])
        return midnight if kind == LOCAL else _moment(midnight, kind, zone)
    if source == TIMESTAMP:
        local = Term(LOCAL, lambda columns: _clock(term.span(columns), zone), term.columns)
        return local if kind == LOCAL else _moment(local, kind, zone)
    if kind == DATE:
        return function(DATE, lambda local: local // DAY, [term], [UP])
    return function(TIMESTAMP, lambda local: calendar.instant(local, zone), [term], [UP])


def _clock(span: Span, zone: datetime.tzinfo | None) -> Span:
    """What the session's clocks show at the instants of a span."""
    if span.any or span.empty:
        return span
    exact = span.low == span.high
    try:
        low = calendar.clock(span.low, zone, exact)
        return Span(low[0], calendar.clock(span.high, zone, exact)[1], span.null)
    except (Uncertain, OverflowError):
        return ANY


def _to_text(term: Term, zone: datetime.tzinfo | None) -> Term:
    if term.type in BITS:
        return function(STRING, str, [term])
    if term.type == BOOLEAN:
        return function(STRING, lambda value: "true" if value else "false", [term], [UP])
    if term.type == DATE:
        return function(STRING, calendar.date_text, [term], [UP])
    if term.type in (TIMESTAMP, LOCAL):
        return function(STRING, calendar.time_text, [cast(term, LOCAL, zone)], [UP])
    raise NotComputed(f"a cast from {term.type} to text is not computed")


_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NOT_A_NUMBER = re.compile(r"[A-Za-z][A-Za-z-]*")


def _whole_of_text(text: str, kind: str, failing: bool) -> int | None:
    if _NUMBER.fullmatch(text):
        return in_range(kind, int(text))
    if failing and _NOT_A_NUMBER.fullmatch(text):
        return None
    raise Uncertain


def _moment_of_text(text: str, kind: str, zone: datetime.tzinfo | None) -> int | calendar.Ends:
    days = predicate.days(text)
    if kind == DATE:
        if days is None:
            raise Uncertain
        return days
    read = literals.timestamp(text, "", datetime.UTC)
    if read is None or read.kind != predicate.TIMESTAMP:
        raise Uncertain
    if literals.local_timestamp(text, "") is None:  # the text has a zone
        if kind == LOCAL:
            raise Uncertain
        return int(read.value)
    return calendar.instant(read.value, zone) if kind == TIMESTAMP else int(read.value)


# Two terms of one type


def _require_common_decimal(*sizes: tuple[int, int]) -> None:
    whole = max(precision - scale for precision, scale in sizes)
    if whole + max(scale for _, scale in sizes) > MAX_DIGITS:
        raise NotComputed("the two have no common decimal type of 38 digits")


def common(left: Term, right: Term, zone: datetime.tzinfo | None) -> tuple[Term, Term]:
    """Both terms, cast to the type in which Spark compares them. Raises NotComputed if that is not certain."""
    kinds = {left.type, right.type}
    if len(kinds) == 1 and store_types.arrow_type(left.type) is not None and left.type != "binary":
        return left, right
    if NOTHING in kinds:
        return left, right
    if kinds <= set(MOMENTS):
        kind = TIMESTAMP if TIMESTAMP in kinds else LOCAL
        return cast(left, kind, zone), cast(right, kind, zone)
    if STRING in kinds:
        text, other = (left, right) if left.type == STRING else (right, left)
        read = _text_as(text, other.type, zone)
        return (read, other) if text is left else (other, read)
    sizes = digits(left.type), digits(right.type)
    if sizes[0] and sizes[1]:
        _require_common_decimal(sizes[0], sizes[1])
        return left, right
    if DOUBLE in kinds and all(
        size or one.type in store_types.FRACTIONAL for one, size in zip((left, right), sizes, strict=True)
    ):
        return cast(left, DOUBLE, zone), cast(right, DOUBLE, zone)
    raise NotComputed(f"comparing {left.type} with {right.type} needs a cast that depends on the session")


def _text_as(text: Term, kind: str, zone: datetime.tzinfo | None) -> Term:
    """Text in a comparison with another type, which Spark casts to that type."""
    if kind in MOMENTS:
        return cast(text, kind, zone)
    if kind in ("integer", "long"):
        small = function(kind, _small_number, [text])
        return small
    raise NotComputed(f"comparing text with {kind} needs a cast that depends on the session")


def _small_number(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
        raise Uncertain
    return int(text)


def comparison(operator: str, left: Term, right: Term, zone: datetime.tzinfo | None) -> Term:
    """A comparison; `operator` is one of those of `spans.compare`."""
    first, second = common(left, right, zone)
    return Term(
        BOOLEAN,
        lambda columns: value_ranges.compare(operator, first.span(columns), second.span(columns)),
        reads([first, second]),
    )


# Arithmetic


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """`+`, `-`, `*` or `/` of two numbers."""
    if FLOAT in (left.type, right.type) or not all(map(_is_number, (left, right))):
        raise NotComputed(f"{left.type} {operator} {right.type} is not computed")
    if operator == "/":
        return _division(left, right)
    along = {"+": (UP, UP), "-": (UP, DOWN), "*": (value_ranges.CORNERS, value_ranges.CORNERS)}[operator]
    of = _ARITHMETIC[operator]
    if DOUBLE in (left.type, right.type):
        both = [cast(one, DOUBLE, None) for one in (left, right)]
        return function(DOUBLE, of, both, along)
    if left.type in BITS and right.type in BITS:
        kind = max(left.type, right.type, key=store_types.INTEGRAL.index)
        return function(kind, lambda a, b: in_range(kind, of(a, b)), [left, right], along)
    (p1, s1), (p2, s2) = digits(left.type) or (0, 0), digits(right.type) or (0, 0)
    precision, scale = max(p1 - s1, p2 - s2) + max(s1, s2) + 1, max(s1, s2)
    if operator == "*":
        precision, scale = p1 + p2 + 1, s1 + s2
    if precision > 28:  # Python's decimals are rounded to 28 digits, Spark's to 38
        raise NotComputed("the result has too many digits")
    return function(f"decimal({precision},{scale})", of, [left, right], along)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _is_number(term: Term) -> bool:
    return term.type == DOUBLE or digits(term.type) is not None


def _division(left: Term, right: Term) -> Term:
    if any(store_types.decimal_parameters(one.type) for one in (left, right)):
        raise NotComputed("a division of decimals is not computed")
    divisor = right.constant
    rising = UP if divisor is not None and divisor.point and divisor.low > 0 else value_ranges.NONE
    both = [cast(one, DOUBLE, None) for one in (left, right)]
    return function(DOUBLE, lambda a, b: a / b, both, [rising, value_ranges.NONE])


def negation(of: Term) -> Term:
    """NOT of a condition."""
    if of.type != BOOLEAN:
        raise NotComputed("it is no condition")
    return Term(BOOLEAN, lambda columns: value_ranges.negation(of.span(columns)), of.columns)


def joined(parts: list[Term], join: Callable[[list[Span]], Span]) -> Term:
    """AND or OR of conditions, by a function of their spans."""
    if any(part.type not in (BOOLEAN, NOTHING) for part in parts):
        raise NotComputed("a part is no condition")
    return Term(BOOLEAN, lambda columns: join([part.span(columns) for part in parts]), reads(parts))


def is_null(of: Term) -> Term:
    """`of IS NULL`."""

    def span(columns: Columns) -> Span:
        found = of.span(columns)
        return value_ranges.truth(found.null, found.any or not found.empty, False)

    return Term(BOOLEAN, span, of.columns)


def one_type(parts: list[Term]) -> str:
    """The type of all terms; the widest of whole numbers. Raises NotComputed if Spark would cast them otherwise."""
    kinds = {part.type for part in parts} - {NOTHING}
    if kinds <= set(BITS) and kinds:
        return max(kinds, key=list(BITS).index)
    if len(kinds) != 1:
        raise NotComputed(f"values of the types {', '.join(sorted(kinds))} are not joined")
    return kinds.pop()
