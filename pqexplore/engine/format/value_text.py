"""Formats one value: as stored, in its logical type, as text with a note.

`types` converts whole arrays, quickly; this converts a single value, and never fails: a timestamp in the year 292,277 or
a decimal of a thousand digits has a text, even if Python has no object for it.

A value has three forms. Its *PLAIN bytes* are in statistics, indexes and Bloom filters. Its *physical* value is bool,
int, float or bytes. Its *logical* value follows from the annotation.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

import datetime
import decimal
import math
import struct
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.format import wkb
from pqexplore.engine.format.field import Annotation
from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH, wrapped
from pqexplore.engine.format.logical import UNRECOGNISED, annotation, describe, physical_name
from pqexplore.engine.format.thrift.structs import ConvertedType, Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_STRUCTS: dict[int, str] = {Type.INT32: "<i", Type.INT64: "<q", Type.FLOAT: "<f", Type.DOUBLE: "<d"}
_LENGTHS: dict[int, int] = dict(zip(range(6), (1, 4, 8, 12, 4, 8), strict=True))
_PER_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MAX_DECIMAL_BYTES = 1_024
"""A decimal of more bytes (2,466 digits) is shown in hexadecimal: conversion takes quadratic time."""


def plain_length(leaf: Leaf) -> int | None:
    """Bytes of one PLAIN value without a length prefix; None for BYTE_ARRAY and unknown physical types."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return leaf.type_length or 0
    return _LENGTHS.get(leaf.physical_type)


def physical_value(leaf: Leaf, raw: bytes) -> Any:
    """PLAIN bytes (of a byte array without its length) as bool, int, float or bytes.

    Raises CorruptFileError if the number of bytes is not the type's.
    """
    length = plain_length(leaf)
    if length is not None and len(raw) != length:
        raise CorruptFileError(f"a value of {physical_name(leaf)} has {len(raw):,} bytes, expected {length:,}")
    if leaf.physical_type == Type.BOOLEAN:
        return bool(raw[0] & 1)
    code = _STRUCTS.get(leaf.physical_type)
    return struct.unpack(code, raw)[0] if code else bytes(raw)


def stored_bytes(leaf: Leaf, physical: Any) -> bytes:
    """The PLAIN bytes of a physical value, without a length prefix: the inverse of `physical_value`."""
    if leaf.physical_type == Type.BOOLEAN:
        return bytes([bool(physical)])
    code = _STRUCTS.get(leaf.physical_type)
    return struct.pack(code, physical) if code else bytes(physical)


def civil_date(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a count of days since 1970-01-01, in the proleptic Gregorian calendar, for any int.

    Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    """
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, day


def _date_text(days: int) -> str:
    year, month, day = civil_date(days)
    sign = "" if 0 <= year <= 9999 else "+" if year > 0 else "-"
    return f"{sign}{abs(year):04}-{month:02}-{day:02}"


def _clock_text(count: int, unit: str) -> str:
    """`HH:MM:SS.fff` of a count within a day, with as many decimals as the unit has."""
    seconds, fraction = divmod(count, _PER_SECOND[unit])
    digits = {"ms": 3, "us": 6, "ns": 9}[unit]
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:0{digits}}"


def _timestamp_text(count: int, unit: str) -> str:
    days, rest = divmod(count, 86_400 * _PER_SECOND[unit])
    return f"{_date_text(days)} {_clock_text(rest, unit)}"


def _datetime(count: int, unit: str, utc: bool) -> datetime.datetime | None:
    """The Python object, truncated to microseconds; None for years outside of 1 to 9999."""
    microseconds = count * 1_000_000 // _PER_SECOND[unit]
    zone = datetime.UTC if utc else None
    try:
        epoch = datetime.datetime(1970, 1, 1, tzinfo=zone)
        return epoch + datetime.timedelta(microseconds=microseconds)
    except OverflowError:
        return None


Reading = tuple[Any, str, str]
"""(Python object, text, note) of a physical value."""


def _text(value: bytes, _: Annotation) -> Reading:
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        note = f"not valid UTF-8: byte {error.start:,} is 0x{value[error.start]:02x}"
        return value, value.decode(errors="backslashreplace"), note
    return text, text, ""


def _integer(value: int, logical: Annotation) -> Reading:
    bits = logical.bit_width
    kept = value & (1 << bits) - 1
    if logical.signed and kept >> (bits - 1):
        kept -= 1 << bits
    stored_width = 64 if bits == 64 else 32
    if kept == value or (not logical.signed and kept == value & (1 << stored_width) - 1):
        return kept, str(kept), ""
    return kept, str(kept), f"the stored {value:,} does not fit {bits} bits; the low bits are read"


def _decimal(value: int | bytes, logical: Annotation) -> Reading:
    note = "no bytes are stored; they are read as 0" if value == b"" else ""
    if isinstance(value, bytes):
        if len(value) > _MAX_DECIMAL_BYTES:
            return None, "0x" + value.hex(), f"a decimal of {len(value):,} bytes is not read"
        value = int.from_bytes(value, "big", signed=True)
    digits = tuple(map(int, str(abs(value))))
    number = decimal.Decimal((value < 0, digits, -logical.scale))
    text = format(number, "f") if logical.scale <= 1_000 else str(number)
    if value and len(digits) > logical.precision:
        note = f"{len(digits)} digits, the precision allows {logical.precision}"
    return number, text, note


def _date(value: int, _: Annotation) -> Reading:
    text = _date_text(value)
    try:
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=value), text, ""
    except OverflowError:
        return None, text, "beyond the years 1 to 9999 of Python's dates"


def _time(value: int, logical: Annotation) -> Reading:
    if not 0 <= value < 86_400 * _PER_SECOND[logical.unit]:
        return None, f"{value:,} {logical.unit} after midnight", "not within a day"
    seconds, fraction = divmod(value, _PER_SECOND[logical.unit])
    microseconds = fraction * 1_000_000 // _PER_SECOND[logical.unit]
    zone = datetime.UTC if logical.utc else None
    hour, minute = seconds // 3600, seconds // 60 % 60
    python = datetime.time(hour, minute, seconds % 60, microseconds, tzinfo=zone)
    text = _clock_text(value, logical.unit)
    return (python, f"{text} UTC", "") if logical.utc else (python, text, "local time of day")


def _timestamp(value: int, logical: Annotation) -> Reading:
    text = _timestamp_text(value, logical.unit)
    if logical.utc:
        text, note = f"{text} UTC", "an instant"
    else:
        note = "local: what a clock on the wall shows, not an instant"
    python = _datetime(value, logical.unit, logical.utc)
    if python is None:
        note += "; beyond the years 1 to 9999 of Python's datetime"
    return python, text, note


def int96_parts(value: bytes) -> tuple[int, int]:
    """(Julian day, nanoseconds of the day) of an INT96 timestamp, both signed, as stored."""
    nanos, day = struct.unpack("<qi", value)
    return day, nanos


def _int96(value: bytes) -> Reading:
    day, nanos = int96_parts(value)
    count = (day - UNIX_EPOCH) * NANOSECONDS_PER_DAY + nanos
    note = f"Julian day {day:,}, {nanos:,} ns of the day; INT96 does not say whether it is an instant"
    microseconds = count // 1_000
    if wrapped(day, nanos) and -(1 << 63) > microseconds >= -(1 << 64):
        note += "; both are negative because the writer's count overflowed, which is undone here"
        return None, _timestamp_text(microseconds + (1 << 64), "us"), note
    if not 0 <= nanos < NANOSECONDS_PER_DAY:
        note += "; the nanoseconds are not within a day"
    return _datetime(count, "ns", False), _timestamp_text(count, "ns"), note


def _interval(value: bytes, _: Annotation) -> Reading:
    months, days, milliseconds = struct.unpack("<III", value)
    parts = {"months": months, "days": days, "milliseconds": milliseconds}
    return parts, f"{months:,} months {days:,} days {milliseconds:,} ms", ""


def _float16(value: bytes, _: Annotation) -> Reading:
    number = struct.unpack("<e", value)[0]
    return number, _float_text(number, 5), ""


def _uuid(value: bytes, _: Annotation) -> Reading:
    identifier = uuid.UUID(bytes=value)
    return identifier, str(identifier), ""


def _geometry(value: bytes, logical: Annotation) -> Reading:
    try:
        shape = wkb.parse(value)
    except ParquetError as error:
        return value, "0x" + value.hex(), error.message
    return value, wkb.text(shape), f"{shape.describe()}"


def _unknown(value: Any, _: Annotation) -> Reading:
    text = "0x" + value.hex() if isinstance(value, bytes) else str(value)
    return None, "null", f"UNKNOWN declares that all values are null, but one is stored: {text}"


_READINGS: dict[str, Callable[[Any, Annotation], Reading]] = {
    "STRING": _text,
    "ENUM": _text,
    "JSON": _text,
    "INTEGER": _integer,
    "DECIMAL": _decimal,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "INTERVAL": _interval,
    "FLOAT16": _float16,
    "UUID": _uuid,
    "GEOMETRY": _geometry,
    "GEOGRAPHY": _geometry,
    "UNKNOWN": _unknown,
}


def _float_text(value: float, digits: int) -> str:
    """The shortest text of at most `digits` significant digits that reads back as the same stored number."""
    if math.isnan(value) or math.isinf(value):
        return str(value)
    code = {5: "<e", 9: "<f", 17: "<d"}[digits]
    stored = struct.pack(code, value)
    for count in range(1, digits):
        text = f"{value:.{count}g}"
        try:
            if struct.pack(code, float(text)) == stored:
                return repr(float(text))
        except OverflowError:
            continue
    return repr(value)


def _unannotated(leaf: Leaf, value: Any) -> Reading:
    if leaf.physical_type == Type.INT96:
        return _int96(value)
    if leaf.physical_type == Type.FLOAT:
        return value, _float_text(value, 9), ""
    if isinstance(value, bytes):
        printable = value[:4096].decode("utf-8", errors="replace")
        readable = bool(value) and printable.isprintable() and "\ufffd" not in printable
        return value, "0x" + value.hex(), "printable as text" if readable else ""
    return value, "true" if value is True else "false" if value is False else str(value), ""


def _is_interval(leaf: Leaf) -> bool:
    """Whether UNKNOWN means INTERVAL: parquet-java writes both, because LogicalType has no interval."""
    return leaf.element.converted_type == ConvertedType.INTERVAL and plain_length(leaf) == 12


def reading(leaf: Leaf, physical: Any) -> Reading:
    """(Python object, text, note) of a physical value. The object is None if Python has none.

    A value whose annotation is damaged or unknown is read as stored, and the note says so.
    """
    logical = annotation(leaf)
    if logical.problem is not None:
        python, text, _ = _unannotated(leaf, physical)
        return python, text, logical.problem.message
    if logical.name == UNRECOGNISED:
        python, text, _ = _unannotated(leaf, physical)
        return python, text, "the annotation is unknown to this version"
    if logical.name == "UNKNOWN" and _is_interval(leaf):
        parts, text, _ = _interval(physical, logical)
        return parts, text, "an INTERVAL by its converted type, UNKNOWN by its logical type"
    make = _READINGS.get(logical.name)
    if make is None:
        return _unannotated(leaf, physical)
    return make(physical, logical)


def python_value(leaf: Leaf, physical: Any) -> Any:
    """The Python object of a physical value (`datetime`, `Decimal`, `UUID`, str, …); None if Python has none."""
    return reading(leaf, physical)[0]


def format_value(leaf: Leaf, physical: Any) -> str:
    """The text of a physical value in its logical type; `null` for None. Not clipped, not escaped."""
    return "null" if physical is None else reading(leaf, physical)[1]


def explain_value(leaf: Leaf, physical: Any) -> dict[str, Any]:
    """One value in all forms: `type`, `physical`, `logical`, `hex`, `python` and `note`.

    `physical` is the value as stored (an element of `page.physical` as a Python object, or None for null), `logical`
    its text, `hex` its PLAIN bytes, without a length, in the order of the file; `note` can be empty. Nothing is clipped
    or escaped.
    """
    if physical is None:
        python, text, note, stored = None, "null", "", ""
    else:
        python, text, note = reading(leaf, physical)
        stored = stored_bytes(leaf, physical).hex()
    return {
        "type": describe(leaf),
        "physical": physical,
        "logical": text,
        "hex": stored,
        "python": python,
        "note": note,
    }
