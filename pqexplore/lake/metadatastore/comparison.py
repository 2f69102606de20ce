"""A column beside a literal: when may an index answer for Spark, and with which keys?

Spark makes both sides one type before it compares them. Where that changes nothing that matters (a whole number beside
a longer one, a decimal beside a double), both become keys that compare as Spark's values do. Where it depends on the
session (text beside numbers, timestamps without a zone), nothing is claimed: the answer is a reason in words.

Spark orders NaN above all numbers and equal to itself, takes −0.0 for 0.0, and orders text by its UTF-8 bytes.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pqexplore.lake.metadatastore import predicate, types
from pqexplore.lake.metadatastore.predicate import Literal

_NUMBERS = (predicate.INTEGRAL, predicate.DECIMAL, predicate.DOUBLE)
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
"""Digits of the decimal type that Spark makes of a whole number beside a decimal."""
_MOST_DIGITS = 38


@dataclasses.dataclass(frozen=True)
class Keys:
    """How values and a literal compare.

    `key` makes a key of a stored value (as `types.plain` has it). `points` are the keys that the literal may have:
    one, or two where Spark's cast depends on its configuration. `probe` is the value to look for in a Bloom filter,
    None where no probe is exact; `absent` is whether no value of the column's type can equal the literal.
    """

    key: Callable[[Any], Any]
    points: tuple[Any, ...]
    probe: int | str | None = None
    absent: bool = False


def keys(spark_type: str, literal: Literal) -> Keys | str:
    """The keys for values of a Spark type beside a literal, or why there are none."""
    kind = literal.kind
    if spark_type in types.INTEGRAL and kind in _NUMBERS:
        return _whole(spark_type, literal)
    if types.decimal_parameters(spark_type) is not None and kind in _NUMBERS:
        return _decimal(spark_type, literal)
    if spark_type in types.FRACTIONAL and kind in _NUMBERS:
        return _fraction(spark_type, literal)
    if spark_type == "string" and kind == predicate.TEXT:
        text: str = literal.value
        try:
            point = text.encode()
        except UnicodeEncodeError:
            return "the literal is no text that UTF-8 could hold"
        return Keys(str.encode, (point,), probe=text)
    if spark_type == "boolean" and kind == predicate.BOOLEAN:
        return Keys(bool, (literal.value,))
    if spark_type == "date" and kind == predicate.DATE:
        return Keys(int, (literal.value,))
    if spark_type == "date" and kind == predicate.TEXT:
        days = predicate.days(
            literal.value
        )  # the one cast of text that never depends on the session
        if days is not None:
            return Keys(int, (days,))
    if (spark_type, kind) in (
        ("timestamp", predicate.TIMESTAMP),
        ("timestamp_ntz", predicate.LOCAL_TIMESTAMP),
    ):
        return Keys(int, (literal.value,))
    if types.arrow_type(spark_type) is None:
        return f"values of type {spark_type} are not compared here"
    return f"a {kind} beside a column of type {spark_type} means a cast that depends on the session"


def float_key(value: Any) -> tuple[bool, float]:
    """A key that orders as Spark orders doubles: NaN last, and equal to itself."""
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
    if max(_DIGITS[spark_type], whole) + scale > _MOST_DIGITS:
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
    parameters = types.decimal_parameters(spark_type)
    assert parameters is not None
    number = _exact(literal.value)
    whole, scale = _digits(number)
    if literal.kind == predicate.INTEGRAL:
        whole = max(whole, 20)
    if max(parameters[0] - parameters[1], whole) + max(parameters[1], scale) > _MOST_DIGITS:
        return "the two have no common decimal type of 38 digits"
    return Keys(_exact, (number,))


def _fraction(spark_type: str, literal: Literal) -> Keys | str:
    try:
        wide = float(literal.value)
    except OverflowError:
        return "the literal is beyond the range of a double"
    points = [float_key(wide)]
    if spark_type == "float":
        # Beside a float, Spark casts whole numbers to float or to double, depending on spark.sql.ansi.enabled.
        try:
            points.append(float_key(struct.unpack("<f", struct.pack("<f", wide))[0]))
        except OverflowError:
            points.append(float_key(math.copysign(math.inf, wide)))
    return Keys(float_key, tuple(dict.fromkeys(points)))
