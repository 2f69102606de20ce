"""The values of a leaf for which a clause is TRUE, as ranges in the leaf's own units.

`region` is the one step from a clause to values. Order keys (for bounds), PLAIN bytes (for Bloom filters) and comparisons
of whole arrays (for dictionaries and rows) are all made of the same ranges.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from fractions import Fraction

from pqexplore.insight.ask import patterns
from pqexplore.insight.ask.binding.domains import Domain, Number, Value, at_most
from pqexplore.insight.ask.binding.thresholds import Threshold, threshold
from pqexplore.insight.ask.predicate import (
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGRAL,
    Compare,
    Like,
    Literal,
    NanTest,
    NullTest,
    OneOf,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """Values from `low` to `high`; None is no bound on that side. An end is outside if `low_open` or `high_open`.

    Only ranges of bytes have open ends.
    """

    low: Value | None = None
    high: Value | None = None
    low_open: bool = False
    high_open: bool = False


EVERYTHING = (Range(),)


@dataclasses.dataclass(frozen=True, slots=True)
class Region:
    """The values for which a clause is TRUE: sorted ranges that do not overlap, and whether null and NaN are.

    `nan` is for engines in which NaN is larger than every number and equal to itself, `nan_unordered` for those in which
    it is unequal to everything. `exact` says that the ranges have no value for which the clause is not TRUE.
    """

    ranges: tuple[Range, ...]
    null: bool = False
    nan: bool = False
    nan_unordered: bool = False
    exact: bool = True
    remark: str = ""


_NOT_NAN = "NOT isnan(…) is TRUE for null in Spark, and null elsewhere: rows with null are not counted here"

Tested = Compare | OneOf | NullTest | NanTest | Like

_PLAIN = {"<=>": "=", "not <=>": "!=", "is true": "=", "is false": "="}


def region(clause: Tested, of: Domain, every: bool) -> Region:
    """The values of a domain for which a clause is TRUE: by `every` reading of its literals, or by one, Spark's.

    Raises as `threshold` does.
    """
    if isinstance(clause, NullTest):
        return Region(
            EVERYTHING if clause.negated else (),
            null=not clause.negated,
            nan=clause.negated,
            nan_unordered=clause.negated,
        )
    if isinstance(clause, NanTest):
        flag = not clause.negated
        # Spark's isnan(NULL) is FALSE, elsewhere it is NULL
        null = clause.negated and every
        remark = _NOT_NAN if clause.negated else ""
        ranges = EVERYTHING if clause.negated else ()
        return Region(ranges, null, nan=flag, nan_unordered=flag, remark=remark)
    if isinstance(clause, Like):
        return _like(clause, every)
    if isinstance(clause, Compare):
        literal = clause.literal
        if clause.operator in ("is true", "is false"):
            value = clause.operator == "is true"
            literal = dataclasses.replace(literal, value=value)
        found = _compared(_PLAIN.get(clause.operator, clause.operator), of, literal, every)
        return dataclasses.replace(found, null=clause.operator == "not <=>")
    return _one_of(clause, of, every)


def _compared(operator: str, of: Domain, literal: Literal, every: bool) -> Region:
    level = threshold(of.leaf, literal)
    floats = of.kind == "float"
    if of.error and every and isinstance(level.one, Fraction):
        low, high = _apart(level.low, -of.error), _apart(level.high, of.error)
        level = dataclasses.replace(level, low=low, high=high)
    if level.nan:
        return _against_nan(operator, every)
    cut = level.cut if operator not in ("<", ">=") else 0
    larger = floats and operator in (">", ">=", "!=")
    ranges = _bytes(operator, level.raw) if level.raw is not None else _numbers(operator, of, level, every)
    return Region(
        ranges,
        nan=larger,
        nan_unordered=floats and operator == "!=",
        exact=(level.certain and not cut) or not every,
        remark=level.remark,
    )


def _apart(number: Number, error: Fraction) -> Number:
    """A number with a relative error, which moves it down if it is negative."""
    return number if isinstance(number, float) else number + abs(number) * error


def _against_nan(operator: str, every: bool) -> Region:
    """Numbers that are not NaN, compared with NaN. Where NaN is unordered, only <> is TRUE."""
    smaller = operator in ("<", "<=", "!=")
    return Region(
        EVERYTHING if smaller else (),
        nan=operator in ("=", "<=", ">="),
        nan_unordered=operator == "!=",
        exact=operator not in ("<", "<="),
    )


def _numbers(operator: str, of: Domain, level: Threshold, every: bool) -> tuple[Range, ...]:
    if isinstance(level.one, float) and of.kind == "int":
        return _against_infinity(operator, level.one)
    low, high = (level.low, level.high) if every else level.equal or (level.one, level.one)
    before, after = (high, low) if every else (low, high)  # where < ends and > begins
    cut = level.cut if every else 0
    if operator == "!=":
        if every and low != high:
            return EVERYTHING
        return (*_numbers("<", of, level, every), *_numbers(">", of, level, every))
    if operator in ("<", "<="):
        last = of.floor(high + cut) if operator == "<=" else of.below(before)
        return () if last is None else (Range(None, last),)
    if operator in (">", ">="):
        first = of.ceiling(low) if operator == ">=" else of.beyond(after)
        return () if first is None else (Range(first, None),)
    first, last = of.ceiling(low), of.floor(high + cut)
    return () if first is None or last is None or first > last else (Range(first, last),)


def _against_infinity(operator: str, infinity: float) -> tuple[Range, ...]:
    """Whole numbers, which are all on one side of an infinity."""
    taken = operator in ("<", "<=") if infinity > 0 else operator in (">", ">=")
    return EVERYTHING if taken or operator == "!=" else ()


def _bytes(operator: str, raw: bytes) -> tuple[Range, ...]:
    below, above = Range(None, raw, high_open=True), Range(raw, None, low_open=True)
    return {
        "=": (Range(raw, raw),),
        "!=": (below, above),
        "<": (below,),
        "<=": (Range(None, raw),),
        ">": (above,),
        ">=": (Range(raw, None),),
    }[operator]


def _like(clause: Like, every: bool) -> Region:
    """Text that begins with the pattern's prefix; of other patterns the ranges accept too much."""
    prefix = clause.prefix.encode("utf-8", "surrogatepass")
    if clause.whole:
        text = patterns.text_of(clause.pattern).encode("utf-8", "surrogatepass")
        return Region(_bytes("!=" if clause.negated else "=", text))
    end = successor(prefix)
    if not clause.only_prefix:
        ranges = EVERYTHING if clause.negated or not prefix else (Range(prefix, end, high_open=True),)
        return Region(ranges, exact=False)
    if not prefix:
        return Region(() if clause.negated else EVERYTHING)
    if not clause.negated:
        return Region((Range(prefix, end, high_open=True),))
    after = () if end is None else (Range(end, None),)
    return Region((Range(None, prefix, high_open=True), *after))


def successor(prefix: bytes) -> bytes | None:
    """The smallest bytes that come after everything with a prefix; None if there are none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _one_of(clause: OneOf, of: Domain, every: bool) -> Region:
    floats = of.kind == "float"
    literals = clause.literals if floats else _of_one_type(clause.literals)
    found = [_compared("=", of, one, every) for one in literals]
    nan = any(one.nan for one in found)
    exact = all(one.exact for one in found)
    remark = next((one.remark for one in found if one.remark), "")
    ranges = union(one for region in found for one in region.ranges)
    if not clause.negated:
        return Region(ranges, nan=nan, exact=exact, remark=remark)
    gaps = complement(ranges, of) if exact else EVERYTHING
    return Region(gaps, nan=floats and not nan, nan_unordered=floats, exact=exact, remark=remark)


def _of_one_type(literals: Sequence[Literal]) -> Sequence[Literal]:
    """The literals of IN as engines take them that give a list one type: if one is a double, every number is one."""
    if not any(one.kind in (DOUBLE, FLOAT) for one in literals):
        return literals
    return [
        dataclasses.replace(one, kind=DOUBLE, value=float(one.value)) if one.kind in (INTEGRAL, DECIMAL) else one
        for one in literals
    ]


def union(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Closed ranges as sorted ones that do not overlap."""
    made: list[Range] = []
    for one in sorted(ranges, key=lambda one: (one.low, one.high)):
        assert one.low is not None and one.high is not None
        last = made[-1] if made else None
        if last is not None and last.high is not None and at_most(one.low, last.high):
            if not at_most(one.high, last.high):
                made[-1] = Range(last.low, one.high)
        else:
            made.append(one)
    return tuple(made)


def complement(ranges: Sequence[Range], of: Domain) -> tuple[Range, ...]:
    """What lies outside of sorted closed ranges."""
    made: list[Range] = []
    low: Value | None = None
    raw = of.kind == "bytes"
    for at, one in enumerate(ranges):
        assert one.low is not None and one.high is not None
        if raw:
            made.append(Range(low, one.low, low_open=at > 0, high_open=True))
            low = one.high
            continue
        last, first = of.previous(one.low), of.following(one.high)
        if last is not None and (at == 0 or (low is not None and at_most(low, last))):
            made.append(Range(low, last))
        if first is None:
            return tuple(made)
        low = first
    return (*made, Range(low, None, low_open=raw and bool(ranges)))
