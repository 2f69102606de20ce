"""From a stored value to what it means: the arithmetic of each logical type, in a line.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md. Beside the lens value, which would be
too long with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pqexplore.engine.format.field import Annotation, Leaf
from pqexplore.engine.format.int96 import UNIX_EPOCH
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import int96_parts
from pqexplore.insight.wording import plural

DIGITS = 40
"""Digits of a decimal that are written out."""

_UNITS = {"ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}


def how(leaf: Leaf, physical: Any) -> str:
    """How a stored value becomes what it means; `physical` is bool, int, float or bytes."""
    logical = meaning(leaf)
    say = _SAYS.get(logical.name)
    if say is not None:
        return say(physical, logical)
    if leaf.physical_type == Type.INT96 and not logical.name:
        day, nanos = int96_parts(physical)
        days = day - UNIX_EPOCH
        return f"Julian day {day:,} − {UNIX_EPOCH:,} = {days:,} days after 1970-01-01, and {nanos:,} ns"
    if not logical.name:
        return "the column has no logical type: the value is what is stored"
    return f"{logical.name}: read from the stored bytes"


def _text(value: bytes, _: Annotation) -> str:
    try:
        return f"{plural(len(value), 'byte')} of UTF-8, {plural(len(value.decode()), 'character')}"
    except UnicodeDecodeError:
        return f"{plural(len(value), 'byte')} that are not valid UTF-8"


def _decimal(value: int | bytes, logical: Annotation) -> str:
    first = ""
    if isinstance(value, bytes):
        if len(value) > DIGITS // 3:
            return f"{len(value):,} bytes, the highest first, are a whole number; it is divided by 10^{logical.scale}"
        value, first = int.from_bytes(value, "big", signed=True), "bytes, the highest first, are "
    return f"{first}{value:,} / 10^{logical.scale}"


def _integer(value: int, logical: Annotation) -> str:
    if not logical.signed and value < 0:
        width = 64 if logical.bit_width == 64 else 32
        return f"unsigned: {value:,} + 2^{width} = {value + (1 << width):,}"
    sign = "signed" if logical.signed else "unsigned"
    return f"a number of {logical.bit_width} bits, {sign}"


def _date(value: int, _: Annotation) -> str:
    return _since(value, "day", "1970-01-01")


def _time(value: int, logical: Annotation) -> str:
    return _since(value, _UNITS[logical.unit], "midnight" + (" UTC" if logical.utc else ""))


def _timestamp(value: int, logical: Annotation) -> str:
    zone = " UTC" if logical.utc else " of a clock without a time zone"
    return _since(value, _UNITS[logical.unit], f"1970-01-01 00:00:00{zone}")


def _since(count: int, unit: str, start: str) -> str:
    return f"{plural(abs(count), unit)} {'before' if count < 0 else 'after'} {start}"


def _uuid(_value: bytes, _: Annotation) -> str:
    return "16 bytes, the highest first, as hexadecimal digits"


def _float16(_value: bytes, _: Annotation) -> str:
    return "2 bytes, the lowest first: a number of 16 bits (IEEE 754 binary16)"


def _interval(_value: bytes, _: Annotation) -> str:
    return "3 numbers of 4 bytes, the lowest first: months, days, milliseconds"


_SAYS: dict[str, Callable[[Any, Annotation], str]] = {
    "STRING": _text,
    "ENUM": _text,
    "JSON": _text,
    "DECIMAL": _decimal,
    "INTEGER": _integer,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "UUID": _uuid,
    "FLOAT16": _float16,
    "INTERVAL": _interval,
}
