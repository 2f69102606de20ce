"""Turns expressions of Spark's SQL, as sqlglot parses them, into terms that are computed for spans of their columns.

Every kind of expression is known with all of its arguments, or it is not computed: sqlglot may read an expression
differently from Spark. What is computed, and how exactly, is said in `terms` and `texts`.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.insight.ask import operands
from pqexplore.insight.ask.constants import string
from pqexplore.insight.ask.operands import function_name, sql_of, unwrapped
from pqexplore.insight.ask.parsed import Parsed
from pqexplore.lake.metadatastore import calendar, spans, terms, texts
from pqexplore.lake.metadatastore.spans import ANY, DOWN, NONE, UP, Span, Uncertain
from pqexplore.lake.metadatastore.terms import BITS, BOOLEAN, DATE, DOUBLE, LOCAL, NotComputed, Term, function

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression


OPERATORS = {
    "eq": "=",
    "neq": "!=",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
    "nullsafeeq": "<=>",
    "nullsafeneq": "not <=>",
}
"""Comparisons in Spark's SQL, by the keys of sqlglot's expressions."""
_TYPES = {
    "TINYINT": "byte",
    "SMALLINT": "short",
    "INT": "integer",
    "BIGINT": "long",
    "DOUBLE": "double",
    "TEXT": "string",
    "BOOLEAN": "boolean",
    "DATE": "date",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ"), "timestamp"),
    **dict.fromkeys(("TIMESTAMPNTZ", "TIMESTAMP_NTZ"), "timestamp_ntz"),
}
_CASTS = {"bigint": "long", "smallint": "short", "tinyint": "byte"}
"""Functions that cast to a type, which sqlglot does not know."""

_TIMES = {"hour": 3_600, "minute": 60, "second": 1}
_MAX_DEPTH = 100


def term(parsed: Parsed, types: Mapping[str, str], zone: datetime.tzinfo | None) -> Term:
    """The term of an expression. `types` has Spark types by lower-cased column. Raises NotComputed."""
    made = _Reader(parsed, types, zone).term(parsed.node)
    return terms.negation(made) if parsed.negated else made


def column(name: str, types: Mapping[str, str]) -> Term:
    """The term of a column, by its lower-cased dotted name."""
    if name not in types:
        raise NotComputed(f"the store does not have the type of {name}")
    return Term(types[name], lambda columns: columns.get(name, ANY), frozenset((name,)))


class _Reader:
    """Reads the expressions of one condition. Each method raises NotComputed for what is not computed exactly."""

    def __init__(self, parsed: Parsed, types: Mapping[str, str], zone: datetime.tzinfo | None) -> None:
        self.constants, self.names = parsed.constants, parsed.names
        self.types, self.zone = types, zone
        self.depth = 0
        self.readers: dict[str, Callable[[Expression], Term]] = {
            "not": lambda node: terms.negation(self.of(node)),
            "between": self.between,
            "in": self.one_of,
            "is": self.is_test,
            "cast": self.cast,
            "trycast": self.cast,
            "tsordstodate": lambda node: self.date(self.of(node, "safe")),
            "if": self.choice,
            "case": self.choice,
            "coalesce": self.coalesce,
            "nullif": self.null_if,
            "timestamptrunc": self.date_trunc,
            "datetrunc": self.trunc,
            "tsordsadd": self.date_add,
            "datediff": self.date_diff,
            "addmonths": self.add_months,
            **dict.fromkeys(("and", "or"), self.both),
            **dict.fromkeys(OPERATORS, self.comparison),
            **dict.fromkeys(BINARY, self.binary),
            **dict.fromkeys(UNARY, lambda node: UNARY[node.key](self.of(node))),
            **dict.fromkeys(texts.FUNCTIONS, self.text),
            **dict.fromkeys(texts.PATTERNS, self.pattern),
            **dict.fromkeys(("year", *calendar.PARTS), self.part),
            **dict.fromkeys(_TIMES, self.time),
            "lastday": lambda node: function(DATE, calendar.last_day, [self.date(self.of(node))], [UP]),
        }

    def term(self, node: Expression) -> Term:
        """The term of an expression."""
        node = unwrapped(node)
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotComputed("the expression is nested too deeply")
        try:
            return self._term(node)
        finally:
            self.depth -= 1

    def _term(self, node: Expression) -> Term:
        """The term of an expression without parentheses: a literal, a column, a function or an operator."""
        literal = self.constants.literal(node)
        if literal is not None:
            return terms.of_literal(literal, self.zone)
        operand = operands.operand(node, self.names)
        if operand is not None:
            if not operand.column or self.names.variable:
                raise NotComputed(f"{sql_of(node)} is not a column by itself")
            return column(operand.column, self.types)
        name = function_name(node)
        if name in _CASTS and len(node.expressions) == 1:
            return terms.cast(self.term(node.expressions[0]), _CASTS[name], self.zone)
        if name == "weekday" and len(node.expressions) == 1:
            return self.part_of_date(name, self.term(node.expressions[0]))
        if name in ("isnull", "isnotnull") and len(node.expressions) == 1:
            tested = terms.is_null(self.term(node.expressions[0]))
            return tested if name == "isnull" else terms.negation(tested)
        if node.key in self.readers:
            return self.readers[node.key](node)
        raise NotComputed(f"{name or node.key} is not computed here")

    def of(self, node: Expression, *allowed: str) -> Term:
        """The term of an expression's only argument."""
        _require(node, "this", *allowed)
        return self.term(node.this)

    # Conditions

    def comparison(self, node: Expression) -> Term:
        """A comparison of two values, also the ones that treat NULL as a value."""
        _require(node, "this", "expression")
        operator = OPERATORS[node.key]
        made = terms.comparison(
            operator.removeprefix("not "), self.term(node.this), self.term(node.expression), self.zone
        )
        return terms.negation(made) if operator.startswith("not ") else made

    def both(self, node: Expression) -> Term:
        """AND, OR."""
        _require(node, "this", "expression")
        parts = [self.term(node.this), self.term(node.expression)]
        join = spans.conjunction if node.key == "and" else spans.disjunction
        return terms.joined(parts, join)

    def between(self, node: Expression) -> Term:
        """`a BETWEEN low AND high`: two comparisons."""
        _require(node, "this", "low", "high")
        of = self.term(node.this)
        ends = [(">=", self.term(node.args["low"])), ("<=", self.term(node.args["high"]))]
        parts = [terms.comparison(operator, of, end, self.zone) for operator, end in ends]
        return terms.joined(parts, spans.conjunction)

    def one_of(self, node: Expression) -> Term:
        """`a IN (…)`: equal to one of the values, which have one type."""
        _require(node, "this", "expressions")
        of, listed = self.term(node.this), [self.term(one) for one in node.expressions]
        if len({one.type for one in listed} - {terms.NOTHING}) > 1:
            raise NotComputed("the values of IN do not have one type")
        parts = [terms.comparison("=", of, one, self.zone) for one in listed]
        return terms.joined(parts, spans.disjunction)

    def is_test(self, node: Expression) -> Term:
        """`IS [NOT] NULL`, `IS [NOT] TRUE`, `IS [NOT] FALSE`."""
        _require(node, "this", "expression")
        of, tested = self.term(node.this), unwrapped(node.expression)
        negated = tested.key == "not"
        tested = unwrapped(tested.this) if negated else tested
        if tested.key == "null":
            made = terms.is_null(of)
        elif tested.key == "boolean" and of.type == BOOLEAN:
            truth = terms.known(BOOLEAN, spans.one(bool(tested.this)))
            made = terms.comparison("<=>", of, truth, self.zone)
        else:
            raise NotComputed("it is not IS NULL, IS TRUE or IS FALSE")
        return terms.negation(made) if negated else made

    def choice(self, node: Expression) -> Term:
        """IF and CASE WHEN: the values of the branches that can be taken."""
        if node.key == "if":
            _require(node, "this", "true", "false")
            branches = [(self.term(node.this), self.term(node.args["true"]))]
            last = node.args.get("false")
        else:
            _require(node, "ifs", "default")
            branches = [(self.term(one.this), self.term(one.args["true"])) for one in node.args["ifs"]]
            last = node.args.get("default")
        otherwise = terms.known(terms.NOTHING, spans.NULL) if last is None else self.term(last)
        results = [result for _, result in branches] + [otherwise]
        kind = terms.one_type(results)

        def span(columns: terms.Columns) -> Span:
            found: list[Span] = []
            for test, result in branches:
                met = test.span(columns)
                if met.may_be_true:
                    found.append(result.span(columns))
                if not (met.may_be_false or met.null):
                    return spans.union(found)
            return spans.union([*found, otherwise.span(columns)])

        if any(test.type != BOOLEAN for test, _ in branches):
            raise NotComputed("a branch's condition is no condition")
        return Term(kind, span, terms.reads([*(test for test, _ in branches), *results]))

    def coalesce(self, node: Expression) -> Term:
        """`coalesce`: the first value that is not NULL."""
        _require(node, "this", "expressions")
        parts = [self.term(one) for one in (node.this, *node.expressions)]

        def span(columns: terms.Columns) -> Span:
            found: list[Span] = []
            for part in parts:
                one = part.span(columns)
                if not one.null:
                    return spans.union([*found, one])
                found.append(Span(one.low, one.high, any=one.any))
            return spans.union([*found, spans.NULL])

        return Term(terms.one_type(parts), span, terms.reads(parts))

    def null_if(self, node: Expression) -> Term:
        """`nullif(a, b)`: NULL where both are equal, else `a`."""
        _require(node, "this", "expression")
        of = self.term(node.this)
        equal = terms.comparison("=", of, self.term(node.expression), self.zone)

        def span(columns: terms.Columns) -> Span:
            met, value = equal.span(columns), of.span(columns)
            if not met.may_be_true:
                return value
            if not (met.may_be_false or met.null):
                return spans.NULL
            return spans.union([value, spans.NULL])

        return Term(of.type, span, terms.reads([of, equal]))

    # Values

    def cast(self, node: Expression) -> Term:
        """`CAST` and `TRY_CAST` to a type whose rules are known."""
        _require(node, "this", "to", "safe")
        to = node.args["to"]
        name = str(getattr(to.this, "name", to.this)).upper()
        kind = _TYPES.get(name, "")
        if name == "DECIMAL":
            sizes = [str(one.name) for one in to.expressions] or ["10"]
            kind = f"decimal({sizes[0]},{sizes[1] if len(sizes) > 1 else 0})"
        elif to.expressions or not kind:
            raise NotComputed(f"a cast to {name} is not computed")
        return terms.cast(self.term(node.this), kind, self.zone, bool(node.args.get("safe")))

    def binary(self, node: Expression) -> Term:
        """Arithmetic of two values; a date and a number of days give a date."""
        _require(node, "this", "expression", "typed", "safe")
        left, right = self.term(node.this), self.term(node.expression)
        if left.type == DATE and node.key in ("add", "sub"):
            return _days_later(left, right, 1 if node.key == "add" else -1)
        return BINARY[node.key](left, right)

    def text(self, node: Expression) -> Term:
        """A function of text."""
        allowed, of = texts.FUNCTIONS[node.key]
        _require(node, *allowed)
        given = [node.args.get(name) for name in allowed]
        listed = [one for some in given if some for one in (some if isinstance(some, list) else [some])]
        return of([self.term(one) for one in listed if not isinstance(one, bool)])

    def pattern(self, node: Expression) -> Term:
        """`LIKE` and its relatives, with a literal pattern."""
        _require(node, "this", "expression")
        text = string(unwrapped(node.expression))
        if text is None or not self.constants.certain_pattern:
            raise NotComputed("the pattern is not a literal whose value is certain")
        return texts.pattern(node.key, self.term(node.this), text)

    def date(self, of: Term) -> Term:
        """A value as a date."""
        return terms.cast(of, DATE, self.zone)

    def part(self, node: Expression) -> Term:
        """A part of a date, such as its month, of the only argument."""
        return self.part_of_date(node.key, self.of(node))

    def part_of_date(self, name: str, of: Term) -> Term:
        """The part of a date by its name: the year, or a part that comes again each period."""
        date = self.date(of)
        if name == "year":
            return function("integer", lambda days: calendar.date_of(days).year, [date], [UP])
        part, period, ends = calendar.PARTS[name]
        return periodic(date, part, period, ends)

    def time(self, node: Expression) -> Term:
        """`hour`, `minute` and `second` of a time in the session's zone."""
        local = terms.cast(self.of(node), LOCAL, self.zone)
        unit = _TIMES[node.key] * calendar.SECOND
        modulus = 24 if unit == 3_600 * calendar.SECOND else 60
        return periodic(local, lambda at: at // unit % modulus, lambda at: at // unit // modulus, (0, modulus - 1))

    def date_trunc(self, node: Expression) -> Term:
        """`date_trunc(unit, time)`: a timestamp, cut in the session's zone."""
        _require(node, "this", "unit")
        unit = str(node.args["unit"].name).upper()
        local = terms.cast(terms.cast(self.term(node.this), terms.TIMESTAMP, self.zone), LOCAL, self.zone)
        try:
            calendar.truncated(0, unit)
        except KeyError:
            raise NotComputed(f"date_trunc to {unit} is not computed") from None
        cut = function(LOCAL, lambda at: calendar.truncated(at, unit), [local], [UP])
        return terms.cast(cut, terms.TIMESTAMP, self.zone)

    def trunc(self, node: Expression) -> Term:
        """`trunc(date, unit)`: a date."""
        _require(node, "this", "unit")
        unit = str(node.args["unit"].name).upper()
        if unit not in calendar.TRUNCATED:
            raise NotComputed(f"trunc to {unit} is not computed")
        return function(DATE, calendar.TRUNCATED[unit], [self.date(self.term(node.this))], [UP])

    def date_add(self, node: Expression) -> Term:
        """`date_add(date, days)`."""
        _require(node, "this", "expression", "unit")
        if str(node.args["unit"].name).upper() != "DAY":
            raise NotComputed("only days are added to dates")
        return _days_later(self.date(self.term(node.this)), self.term(node.expression), 1)

    def date_diff(self, node: Expression) -> Term:
        """`datediff(end, start)`: days."""
        _require(node, "this", "expression")
        both = [self.date(self.term(one)) for one in (node.this, node.expression)]
        return function("integer", lambda a, b: a - b, both, [UP, spans.DOWN])

    def add_months(self, node: Expression) -> Term:
        """`add_months(date, months)`."""
        _require(node, "this", "expression")
        date, count = self.date(self.term(node.this)), self.term(node.expression)
        if count.type not in ("integer", "short", "byte"):
            raise NotComputed("the months to add are no whole number")
        return function(DATE, calendar.add_months, [date, count], [UP, NONE])


def _require(node: Expression, *allowed: str) -> None:
    """Raises NotComputed if an expression has other arguments."""
    beyond = {name for name, value in node.args.items() if value} - set(allowed)
    if beyond:
        raise NotComputed(f"{node.key} with {', '.join(sorted(beyond))} is not computed")


def _days_later(date: Term, count: Term, sign: int) -> Term:
    """A date and a number of days: their sum with `sign` 1, their difference with -1."""
    if count.type not in ("integer", "short", "byte"):
        raise NotComputed(f"{count.type} is not added to a date")
    return function(
        DATE,
        lambda days, more: terms.in_range("integer", days + sign * more),
        [date, count],
        [UP, UP if sign > 0 else spans.DOWN],
    )


# Functions of numbers, as terms.


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
