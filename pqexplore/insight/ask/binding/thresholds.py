"""What a literal means among the values of a leaf: exact numbers in the leaf's units, or bytes.

Engines do not all read a literal alike: one compares a FLOAT with 0.1 as floats, another as doubles; one cuts a timestamp
to the column's unit, another does not. So a literal has one reading, Spark's, and the range of all readings. A condition
is evaluated by the one, and data is skipped by the range.
"""

from __future__ import annotations

import dataclasses
import math
import re
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import TEXT as TEXT_ANNOTATIONS
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import clip
from pqexplore.insight.ask import literals
from pqexplore.insight.ask.binding.domains import Number, above, nearest
from pqexplore.insight.ask.predicate import BINARY, BOOLEAN, DECIMAL, DOUBLE, FLOAT, INTEGRAL, TEXT, TIME, UUID, Literal

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

DAY = 86_400_000_000_000
_UNITS = {"ms": 1_000_000, "us": 1_000, "ns": 1}
_WHOLE_TEXT = re.compile(r"\s*[+-]?[0-9]{1,400}\s*")
_DIGITS = 38
"""The most digits of a decimal in Spark and DuckDB."""

_NUMBERS = (INTEGRAL, DECIMAL, DOUBLE, FLOAT)


@dataclasses.dataclass(frozen=True, slots=True)
class Threshold:
    """A literal among the values of a leaf.

    `one` is its number in Spark's reading, `equal` the first and the last number that equal it there, None if only `one`
    does; `low` and `high` are the range of all readings; `nan` says that it is NaN. For
    text and bytes `raw` is set instead. `cut` is how many units an engine may take from a value before it compares: an
    INT96 loses its last three digits in Spark. `remark` says what was assumed, "" if nothing.
    """

    one: Number = 0.0
    low: Number = 0.0
    high: Number = 0.0
    nan: bool = False
    raw: bytes | None = None
    cut: int = 0
    remark: str = ""
    equal: tuple[Number, Number] | None = None

    @property
    def certain(self) -> bool:
        """Whether all readings agree."""
        return self.low == self.high


class CannotCompare(Exception):
    """A literal is compared with a column by a cast of the column; the message says which."""


def exactly(number: Number) -> Threshold:
    """A number that is read alike by all."""
    return Threshold(number, number, number)


def threshold(leaf: Leaf, literal: Literal) -> Threshold:
    """What a literal means for a leaf.

    UsageError if it does not fit the leaf's type. CannotCompare if engines would cast the column.
    """
    made = _of(leaf)(leaf, literal)
    if made is None:
        raise misfit(leaf, literal)
    return made


def misfit(leaf: Leaf, literal: Literal) -> UsageError:
    """The error for a literal that does not fit a leaf's type."""
    name = clip(".".join(leaf.path), 100)
    shown = clip(literal.sql, 100)
    return UsageError(
        f"{shown} ({literal.kind}) does not fit column {name!r} of type {describe(leaf)}: write {fitting(leaf)}"
    )


def fitting(leaf: Leaf) -> str:
    """An example of a literal for a leaf."""
    logical, physical = meaning(leaf), leaf.physical_type
    if logical.name in _EXAMPLES:
        return _EXAMPLES[logical.name]
    if logical.name == "TIMESTAMP" or physical == Type.INT96:
        zone = "Z" if logical.utc else ""
        return f"TIMESTAMP '2026-01-31 12:00:00{zone}'"
    if physical == Type.BOOLEAN:
        return "true or false"
    if physical in (Type.INT32, Type.INT64):
        return "a whole number, such as 5"
    if physical in (Type.FLOAT, Type.DOUBLE):
        return "a number, such as 2.5"
    return "bytes, such as X'00ff', or text"


_EXAMPLES = {
    "STRING": "text, such as 'abc'",
    "ENUM": "text, such as 'abc'",
    "JSON": "text, such as 'abc'",
    "DECIMAL": "a number, such as 2.5",
    "FLOAT16": "a number, such as 2.5",
    "DATE": "DATE '2026-01-31'",
    "TIME": "TIME '12:34:56'",
    "UUID": "text, such as '12345678-1234-5678-1234-567812345678'",
}

_Reading = Callable[["Leaf", Literal], Threshold | None]


def _of(leaf: Leaf) -> _Reading:
    name, physical = meaning(leaf).name, leaf.physical_type
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in TEXT_ANNOTATIONS:
        return _text
    if physical in (Type.FLOAT, Type.DOUBLE):
        return _float
    if physical in (Type.INT32, Type.INT64):
        return _integer
    if physical == Type.BOOLEAN:
        return _boolean
    if physical == Type.INT96:
        return _int96
    return _binary


def _integer(leaf: Leaf, literal: Literal) -> Threshold | None:
    value = literal.value
    if literal.kind == TEXT:
        return exactly(Fraction(int(value))) if _WHOLE_TEXT.fullmatch(value) else None
    if literal.kind == INTEGRAL:
        return exactly(Fraction(value))
    if literal.kind == DECIMAL:
        exact = Fraction(value)
        return _around(exact, exact, 0) if _too_long(20, 0, value) else exactly(exact)
    if literal.kind in (DOUBLE, FLOAT):
        if math.isnan(value) or math.isinf(value):
            return Threshold(nan=True) if math.isnan(value) else exactly(value)
        exact, bits = Fraction(value), 53 if literal.kind == DOUBLE else 24
        if abs(exact) < 1 << bits:
            return exactly(exact)
        found = _around(exact, exact, abs(exact) / (1 << bits - 1))
        return dataclasses.replace(found, equal=_rounded_to(int(exact), bits))
    return None


def _rounded_to(number: int, bits: int) -> tuple[Fraction, Fraction]:
    """The first and the last whole number that a column's cast makes this one: `bits` of it are kept, a half goes to the even one."""
    size = abs(number)
    step = size.bit_length() - bits
    odd = size >> step & 1
    half = Fraction(1 << step, 2)
    down = half / 2 if size == 1 << size.bit_length() - 1 else half  # below a power of two, numbers are closer
    first, last = size - down + odd, size + half - odd
    return (first, last) if number > 0 else (-last, -first)


def _too_long(whole: int, scale: int, value: Decimal) -> bool:
    """Whether a column and a literal have no common decimal type of 38 digits, so that one is rounded."""
    _, digits, exponent = value.as_tuple()
    after = max(0, -int(exponent))
    return max(whole, len(digits) - after) + max(scale, after) > _DIGITS


def _around(one: Fraction, number: Fraction, error: Fraction | int) -> Threshold:
    """A number with an error, and at least that of four roundings to a double."""
    least = max(Fraction(error), abs(number) / (1 << 50))
    return Threshold(one, number - least, number + least)


def _decimal(leaf: Leaf, literal: Literal) -> Threshold | None:
    logical = meaning(leaf)
    value, unit = literal.value, 10**logical.scale
    if literal.kind == TEXT:
        number = literals.floating(value)
        if number is None or not math.isfinite(number):
            return None
        exact = Fraction(value.strip())
        return _around(exact * unit, exact * unit, 1)
    if literal.kind == INTEGRAL:
        value = Decimal(value)
    if literal.kind in (INTEGRAL, DECIMAL):
        exact = Fraction(value)
        whole = logical.precision - logical.scale
        if not _too_long(whole, logical.scale, value):
            return exactly(exact * unit)
        digits = max(whole, len(value.as_tuple().digits) - max(0, -int(value.as_tuple().exponent)))
        step = Fraction(unit, 10 ** max(0, _DIGITS - digits))
        return _around(exact * unit, exact * unit, step)
    if literal.kind in (DOUBLE, FLOAT):
        if not math.isfinite(value):
            return Threshold(nan=True) if math.isnan(value) else exactly(value)
        exact = Fraction(value) * unit
        error = abs(exact) / (1 << 22) if literal.kind == FLOAT else 0  # both as floats
        return _around(Fraction(_shortest(value, literal.kind)) * unit, exact, error)
    return None


def _shortest(value: float, kind: str) -> str:
    """The shortest decimal number that reads back as a double or float."""
    if kind == FLOAT:
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if literals.float32(float(text)) == value:
                return text
    return repr(value)


def _number(literal: Literal) -> float | Decimal | None:
    """The number that a literal is, or that its text writes; None for other literals."""
    if literal.kind == TEXT:
        value = literals.floating(literal.value)
        return Decimal(literal.value.strip()) if value is not None and math.isfinite(value) else value
    if literal.kind not in _NUMBERS:
        return None
    value = literal.value
    return Decimal(value) if literal.kind == INTEGRAL else value


def _float(leaf: Leaf, literal: Literal) -> Threshold | None:
    value = _number(literal)
    if value is None:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return Threshold(nan=True) if math.isnan(value) else exactly(value)
    width = 2 if meaning(leaf).name == "FLOAT16" else 4 if leaf.physical_type == Type.FLOAT else 8
    exact = Fraction(value)
    double = nearest(exact, 8)
    readings = [double] + [nearest(exact, size) for size in (2, 4) if width <= size]
    low, high = min(readings), max(readings)
    if isinstance(value, Decimal):
        for size in (4, 8):
            if width <= size and _hard(value, size):
                low = min(low, -above(above(-nearest(exact, size), size), size))
                high = max(high, above(above(nearest(exact, size), size), size))
    one, least, most = (number if math.isinf(number) else Fraction(number) for number in (double, low, high))
    remark = ""
    if width == 4 and isinstance(value, Decimal) and double != nearest(exact, 4):
        remark = (
            f"{clip(literal.sql, 100)} is no FLOAT, and {'.'.join(leaf.path)} is compared with it as a double; "
            "DuckDB compares both as floats, and may find other rows"
        )
    return Threshold(one, least, most, remark=remark)


def _hard(value: Decimal, width: int) -> bool:
    """Whether engines may round a decimal literal twice on the way to a float: quotients of inexact parts."""
    _, digits, exponent = value.as_tuple()
    unscaled = int("".join(map(str, digits)))
    if exponent == 0 and unscaled < 1 << 63:
        return False
    exact_powers, bits = (10, 24) if width == 4 else (22, 53)
    return unscaled > 1 << bits or not -exact_powers <= int(exponent) <= 0


def _boolean(leaf: Leaf, literal: Literal) -> Threshold | None:
    if literal.kind == BOOLEAN:
        return exactly(Fraction(int(literal.value)))
    if literal.kind == TEXT and literal.value.strip().lower() in ("true", "false"):
        return exactly(Fraction(int(literal.value.strip().lower() == "true")))
    return None


def _date(leaf: Leaf, literal: Literal) -> Threshold | None:
    moment = literal.moment
    if moment is None or (literal.kind == TEXT and len(literal.value) != 10):
        return None
    low, high = (Fraction(end, DAY) for end in moment.clock)
    return Threshold(low, low, high, remark=_assumed(literal, "clock"))


def _timestamp(leaf: Leaf, literal: Literal) -> Threshold | None:
    logical, moment = meaning(leaf), literal.moment
    if moment is None:
        return None
    reading = "instant" if logical.utc else "clock"
    ends = moment.instant if logical.utc else moment.clock
    made = _ticks(ends, logical.unit, _assumed(literal, reading))
    return _chosen(made, moment.chosen, logical.unit) if logical.utc else made


def _int96(leaf: Leaf, literal: Literal) -> Threshold | None:
    moment = literal.moment
    if moment is None:
        return None
    ends = (*moment.instant, *moment.clock)
    made = _ticks((min(ends), max(ends)), "ns", _assumed(literal, "instant"))
    return dataclasses.replace(_chosen(made, moment.chosen, "ns"), cut=999)


def _chosen(made: Threshold, instant: int, unit: str) -> Threshold:
    return dataclasses.replace(made, one=Fraction(instant, _UNITS[unit]))


def _ticks(ends: tuple[int, int], unit: str, remark: str) -> Threshold:
    """A timestamp in a column's unit; engines may cut the literal to this unit, or to microseconds."""
    per = _UNITS[unit]
    coarser = max(per, 1_000)
    low, high = ends[0] // coarser * coarser, -(-ends[1] // coarser) * coarser
    return Threshold(Fraction(ends[0], per), Fraction(low, per), Fraction(high, per), remark=remark)


def _assumed(literal: Literal, reading: str) -> str:
    moment = literal.moment
    if moment is None or moment.assumed != reading:
        return ""
    what = "has no time zone" if reading == "instant" else "is compared with local timestamps"
    return f"{clip(literal.sql, 100)} {what}, and is read in UTC; pass timezone= to read it in another"


def _time(leaf: Leaf, literal: Literal) -> Threshold | None:
    found: Literal | None = literal
    if literal.kind == TEXT:
        found = literals.time(literal.value, literal.sql)
    if found is None or found.kind != TIME:
        return None
    number = Fraction(found.value, _UNITS[meaning(leaf).unit])
    return Threshold(number, Fraction(math.floor(number)), Fraction(math.ceil(number)))


def _text(leaf: Leaf, literal: Literal) -> Threshold | None:
    if literal.kind == BINARY:
        return Threshold(raw=literal.value)
    if literal.kind != TEXT:
        raise CannotCompare(f"the column has text, and is cast to be compared with a {literal.kind}")
    try:
        return Threshold(raw=literal.value.encode())
    except UnicodeEncodeError:
        raise misfit(leaf, literal) from None


def _binary(leaf: Leaf, literal: Literal) -> Threshold | None:
    if literal.kind == TEXT and "\\" in literal.value:
        raise CannotCompare("engines read a backslash in text for binary columns differently")
    return _text(leaf, literal) if literal.kind in (TEXT, BINARY) else None


def _uuid(leaf: Leaf, literal: Literal) -> Threshold | None:
    if literal.kind == BINARY:
        return Threshold(raw=literal.value) if len(literal.value) == 16 else None
    if literal.kind not in (TEXT, UUID) or len(literal.value) > 64:
        return None
    try:
        return Threshold(raw=uuid.UUID(literal.value.strip()).bytes)
    except ValueError:
        return None


_BY_NAME: dict[str, _Reading] = {
    "DECIMAL": _decimal,
    "DATE": _date,
    "TIMESTAMP": _timestamp,
    "TIME": _time,
    "UUID": _uuid,
    "FLOAT16": _float,
}
