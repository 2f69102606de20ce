"""Numbers and dates as text.

Text is compared byte by byte, so "10" is smaller than "9", and 01/02/2024 smaller than 31/01/2023. The estimate compares
the numbers, or the days, that the values stand for.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Bound, Test
from pqexplore.insight.ask.pruning_result import BOUNDS, Ruling
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, columns_of
from pqexplore.insight.ask.why_not_pruned.estimate import Estimate, in_place, worth
from pqexplore.insight.ask.why_not_pruned.rewriting import Change, replaced, scripts
from pqexplore.insight.ask.why_not_pruned.value_evidence import MAX_ENTRIES, Values
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,9})?", re.ASCII)

_DIGITS = re.compile(r"\d+", re.ASCII).fullmatch

_EPOCH = datetime.date(1970, 1, 1).toordinal()

FORMS = {
    "%d/%m/%Y": "day/month/year", "%m/%d/%Y": "month/day/year", "%d.%m.%Y": "day.month.year",
    "%d-%m-%Y": "day-month-year", "%m-%d-%Y": "month-day-year", "%Y-%m-%d": "year-month-day",
    "%Y/%m/%d": "year/month/day",
}  # fmt: skip
"""The forms of dates that are recognised, and their names."""

Numbers = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class _Reading:
    """How text is read: a function from text to a number, None for other text, and how the number is written in SQL."""

    number: Callable[[str], float | None]
    sql: Callable[[str], str]
    form: str = ""


def text_numbers(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column of text that holds numbers, if their bounds would skip."""
    for column in columns_of(plan):
        found = _recast(plan, column, _Reading(_number, str))
        if found is None:
            continue
        a, b, estimate, where = found
        fraction = any("." in text for text in _texts(column.values, _number) or [])
        arrow, sql, polars, spark = (
            ("pa.float64()", "DOUBLE", "pl.Float64", "double")
            if fraction
            else ("pa.int64()", "BIGINT", "pl.Int64", "bigint")
        )
        change = replaced(
            column.leaf,
            f"{{c}}.cast({arrow})",
            f"CAST({{c}} AS {sql})",
            f"{{c}}.cast({polars})",
            f"{{c}}.cast({spark!r})",
        )
        yield _cause(
            plan, column, estimate, where, "text_numbers",
            f"{column.name} holds numbers as text, which is compared byte by byte: '{b}' comes after '{a}'",
            "numbers", change,
        )  # fmt: skip


def text_dates(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column of text that holds dates in a form that does not sort, if their bounds would skip."""
    for column in columns_of(plan):
        best: tuple[str, str, Estimate, str] | None = None
        chosen = ""
        for form in FORMS:
            found = _recast(plan, column, _dates(form))
            if found is not None and (best is None or found[2].saves > best[2].saves):
                best, chosen = found, form
        if best is None:
            continue
        a, b, estimate, where = best
        change = replaced(
            column.leaf,
            f"pc.strptime({{c}}, format={chosen!r}, unit='s').cast(pa.date32())",
            f"CAST(strptime({{c}}, '{chosen}') AS DATE)",
            f"{{c}}.str.to_date({chosen!r})",
            f"F.to_date({{c}}, {_spark_form(chosen)!r})",
        )
        yield _cause(
            plan, column, estimate, where, "text_dates",
            f"{column.name} holds dates as text ({FORMS[chosen]}), which is compared byte by byte: '{b}' comes after '{a}'",
            "dates", change, {"form": chosen},
        )  # fmt: skip


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _dates(form: str) -> _Reading:
    separator = form[2]
    places = {letter: form.split(separator).index(f"%{letter}") for letter in "dmY"}
    widths = [4 if part == "%Y" else 2 for part in form.split(separator)]

    def number(text: str) -> float | None:
        parts = text.split(separator)
        if [len(part) for part in parts] != widths or not all(map(_DIGITS, parts)):
            return None
        year, month, day = (int(parts[places[letter]]) for letter in "Ymd")
        try:
            return float(datetime.date(year, month, day).toordinal() - _EPOCH)
        except ValueError:
            return None

    def sql(text: str) -> str:
        return f"DATE '{datetime.datetime.strptime(text, form).date().isoformat()}'"

    return _Reading(number, sql, form)


def _spark_form(form: str) -> str:
    return form.replace("%d", "dd").replace("%m", "MM").replace("%Y", "yyyy")


def _texts(found: Values | None, form: Callable[[str], float | None]) -> list[str] | None:
    """The distinct values as text, in the order of text; None if some are not of this form, or are too many."""
    if found is None or found.leaf.physical_type != Type.BYTE_ARRAY or found.order is not Order.BYTES:
        return None  # fmt: skip
    count = len(found.distinct)
    if not 0 < count <= MAX_ENTRIES:
        return None
    try:
        if any(form(found.raw(rank).decode()) is None for rank in (0, count // 2, count - 1)):
            return None
        return [found.raw(rank).decode() for rank in range(len(found.distinct))]
    except UnicodeDecodeError:
        return None


def _recast(plan: Plan, column: Column, reading: _Reading) -> tuple[str, str, Estimate, str] | None:
    """Two values whose order as text is not that of what they stand for, the estimate, and the condition to ask then."""
    found, texts = column.values, _texts(column.values, reading.number)
    if found is None or not texts:
        return None
    numbers: list[float] = []
    for text in texts:
        value = reading.number(text)
        if value is None:
            return None
        numbers.append(value)
    known = np.array(numbers, np.float64)
    falls = np.flatnonzero(np.diff(known) < 0)
    if not len(falls):
        return None  # the order of the text is that of the values

    def bounds(literal: predicate.Literal) -> float | None:
        return reading.number(literal.value) if isinstance(literal.value, str) else None

    estimate = estimate_by(plan, column, found, known, lambda test: asked(test, bounds))
    if not worth(plan, estimate) or estimate is None:
        return None
    where = plan.where
    for test in column.tests:
        for literal in _literals(test.clause):
            where = where.replace(literal.sql, reading.sql(literal.value))
    at = int(falls[len(falls) // 2])
    return texts[at], texts[at + 1], estimate, where


def _literals(clause: predicate.Leaf) -> tuple[predicate.Literal, ...]:
    if isinstance(clause, predicate.Compare):
        return (clause.literal,)
    return clause.literals if isinstance(clause, predicate.OneOf) and not clause.negated else ()


def asked(test: Test, number: Callable[[predicate.Literal], float | None]) -> Callable[[float, float], bool] | None:
    """Whether a clause can be TRUE for a range of numbers; None if it is no comparison, or a literal is no number."""
    literals = _literals(test.clause)
    numbers = [number(literal) for literal in literals]
    points = [one for one in numbers if one is not None]
    if not literals or len(points) < len(numbers):
        return None
    operator = test.clause.operator if isinstance(test.clause, predicate.Compare) else "="
    asks: dict[str, Callable[[float, float], bool]] = {
        "=": lambda low, high: any(low <= one <= high for one in points),
        "<=>": lambda low, high: any(low <= one <= high for one in points),
        "<": lambda low, high: low < points[0],
        "<=": lambda low, high: low <= points[0],
        ">": lambda low, high: high > points[0],
        ">=": lambda low, high: high >= points[0],
    }
    return asks.get(operator)


def estimate_by(
    plan: Plan,
    column: Column,
    found: Values,
    numbers: Numbers,
    asks: Callable[[Test], Callable[[float, float], bool] | None],
    bound: Bound | None = None,
) -> Estimate | None:
    """What would be read if bounds were those of `numbers`, by rank; None if a test cannot be compared with them."""
    by_test = {test: asks(test) for test in column.tests}
    if not by_test or any(ask is None for ask in by_test.values()):
        return None

    def rule(group: int) -> Callable[[Test], Ruling | None]:
        own = numbers[found.ranks(group)]

        def ruling(test: Test) -> Ruling | None:
            ask = by_test.get(test)
            if ask is None:
                return None
            possible = bool(len(own)) and ask(float(own.min()), float(own.max()))
            return Ruling(possible, BOUNDS, "by the values that the text stands for")

        return ruling

    return in_place(plan, found.groups, rule, bound=bound)


def _cause(
    plan: Plan, column: Column, estimate: Estimate, where: str, name: str, sentence: str, what: str,
    change: Change, more: dict[str, object] | None = None,
) -> Cause:  # fmt: skip
    found = column.values
    assert found is not None
    rows = len(found.rank)
    return Cause(
        name,
        column.path,
        f"{sentence}. All {plural(rows, 'value')} that were read are {what}{found.remark}.",
        f"Store {what}, and ask {where}: about {plural(estimate.reads, 'row group')} instead of {len(plan.kept):,} would be "
        "read.",
        scripts(plan, dataclasses.replace(change, retyped=column.leaf.path[0])),
        {"values": rows, "where": where, **(more or {})},
        tuple(part.address or "" for part in list(column.claims.values())[:8]),
        estimate.saves,
        estimate.reads,
    )
