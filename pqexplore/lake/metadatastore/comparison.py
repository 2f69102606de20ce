"""Compares a column with a literal as Spark does, or says why the result is not certain.

Spark casts both sides to one type before it compares them. If the cast is the same in every session (a whole number
with a longer one, a decimal with a double), both sides become keys that compare as Spark's values do. If it depends on
the session (text with numbers, timestamps without a zone), the result is a reason in words.

Spark orders NaN above all numbers and equal to itself, treats −0.0 as 0.0, and orders text by its UTF-8 bytes.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.predicate import Literal
from pqexplore.lake.metadatastore import store_types

_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE)
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
"""Digits of the decimal type to which Spark casts a whole number that it compares with a decimal."""
_MAX_DIGITS = 38


@dataclasses.dataclass(frozen=True)
class Keys:
    """How values and a literal compare.

    `key` turns a stored value (as `types.plain` returns it) into a key. `points` are the keys that the literal may
    have: one, or two if Spark's cast depends on its configuration. `probe` is the value to look up in a Bloom filter,
    None if no lookup is exact; `absent` is whether no value of the column's type can equal the literal.
    """

    key: Callable[[Any], Any]
    points: tuple[Any, ...]
    probe: int | str | None = None
    absent: bool = False


_AS_STORED: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("boolean", predicate.BOOLEAN): bool,
    ("date", predicate.DATE): int,
    ("timestamp", predicate.TIMESTAMP): int,
    ("timestamp_ntz", predicate.LOCAL_TIMESTAMP): int,
}
"""Types and kinds of literals whose value is the key, and what makes a key of a stored value."""


def keys(spark_type: str, literal: Literal) -> Keys | str:
    """The keys that compare values of a Spark type with a literal, or text: why there are none."""
    kind = literal.kind
    if kind == predicate.DOUBLE and math.isnan(literal.value):
        return "NaN is not compared here"
    if spark_type in store_types.INTEGRAL and kind in _NUMBERS:
        return _whole(spark_type, literal)
    if store_types.decimal_parameters(spark_type) is not None and kind in _NUMBERS:
        return _decimal(spark_type, literal)
    if spark_type in store_types.FRACTIONAL and kind in _NUMBERS:
        return _fraction(spark_type, literal)
    if spark_type == "string" and kind == predicate.TEXT:
        text: str = literal.value
        try:
            point = text.encode()
        except UnicodeEncodeError:
            return "the literal cannot be written in UTF-8"
        return Keys(str.encode, (point,), probe=text)
    if (spark_type, kind) in _AS_STORED:
        return Keys(_AS_STORED[spark_type, kind], (literal.value,))
    if spark_type == "date" and kind == predicate.TEXT:
        # the only cast of text that does not depend on the session
        days = predicate.days(literal.value)
        if days is not None:
            return Keys(int, (days,))
    if store_types.arrow_type(spark_type) is None:
        return f"values of type {spark_type} are not compared here"
    return f"comparing a column of type {spark_type} with a {kind} needs a cast that depends on the session"


def float_key(value: Any) -> tuple[bool, float]:
    """A key that orders doubles as Spark does: NaN last, and equal to itself."""
    number = float(value)
    return (True, 0.0) if math.isnan(number) else (False, number)


def _exact(number: Any) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(number)


def _digits(number: Decimal) -> tuple[int, int]:
    """(digits before the point, digits after it) of a decimal literal."""
    _, digits, exponent = number.as_tuple()
    scale = max(0, -int(exponent))
    return max(0, len(digits) + int(exponent)), scale


def _whole(spark_type: str, literal: Literal) -> Keys | str:
    if literal.kind == predicate.INTEGRAL:
        return Keys(int, (literal.value,), **_integer_probe(literal.value))
    if literal.kind == predicate.DOUBLE:
        return Keys(float_key, (float_key(literal.value),))
    whole, scale = _digits(literal.value)
    if max(_DIGITS[spark_type], whole) + scale > _MAX_DIGITS:
        return "the two have no common decimal type of 38 digits"
    number = int(literal.value) if literal.value == int(literal.value) else None
    probe = {"absent": True} if number is None else _integer_probe(number)
    return Keys(_exact, (literal.value,), **probe)


def _integer_probe(number: int) -> dict[str, Any]:
    fits = -(1 << 63) <= number < 1 << 63
    return {"probe": number} if fits else {"absent": True}


def _decimal(spark_type: str, literal: Literal) -> Keys | str:
    if literal.kind == predicate.DOUBLE:
        return Keys(float_key, (float_key(literal.value),))
    parameters = store_types.decimal_parameters(spark_type)
    assert parameters is not None
    number = _exact(literal.value)
    whole, scale = _digits(number)
    if literal.kind == predicate.INTEGRAL:
        whole = max(whole, 20)
    if max(parameters[0] - parameters[1], whole) + max(parameters[1], scale) > _MAX_DIGITS:
        return "the two have no common decimal type of 38 digits"
    return Keys(_exact, (number,))


def _fraction(spark_type: str, literal: Literal) -> Keys | str:
    try:
        wide = float(literal.value)
    except OverflowError:
        return "the literal is outside the range of a double"
    points = [float_key(wide)]
    if spark_type == "float":
        # Spark compares a float with a whole number as float or as double, depending on spark.sql.ansi.enabled.
        try:
            points.append(float_key(struct.unpack("<f", struct.pack("<f", wide))[0]))
        except OverflowError:
            points.append(float_key(math.copysign(math.inf, wide)))
    return Keys(float_key, tuple(dict.fromkeys(points)))
