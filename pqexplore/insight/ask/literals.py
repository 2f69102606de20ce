"""Parses literals of Spark's SQL: numbers, dates and timestamps, in forms whose value is the same in every session.

Every function returns None for other text; the literal's clause then skips nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import struct
from decimal import Decimal

from pqexplore.insight.ask.predicate import (
    BINARY,
    DATE,
    DECIMAL,
    DOUBLE,
    FINE,
    FLOAT,
    INTEGRAL,
    LOCAL_TIMESTAMP,
    TEXT,
    TIME,
    TIMESTAMP,
    UUID,
    ZONELESS,
    Literal,
    Moment,
    days,
)

_EPOCH = datetime.datetime(1970, 1, 1)


def number(text: str, sql: str) -> Literal | None:
    """Parses a number: INTEGRAL, with a point DECIMAL, with an exponent DOUBLE."""
    if re.fullmatch(r"[0-9]{1,40}", text):
        value = int(text)
        if value < 1 << 63:
            return Literal(INTEGRAL, value, sql)
        return Literal(DECIMAL, Decimal(value), sql) if len(text) <= 38 else None
    if re.fullmatch(r"[0-9]*\.[0-9]*", text) and 1 < len(text) <= 39:
        return Literal(DECIMAL, Decimal(text), sql)
    if re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,4}", text):
        return Literal(DOUBLE, float(text), sql)
    return None


_RANGES = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


def cast_number(inner: Literal, name: str, parameters: list[int], sql: str) -> Literal | None:
    """Casts a number with a type suffix, such as `5L`, `5.0D` and `1.5BD`; sqlglot parses these as casts.

    `name` is the type's name, `parameters` the precision and scale of a DECIMAL.
    """
    if name in _RANGES and inner.kind == INTEGRAL:
        half = 1 << (_RANGES[name] - 1)
        return Literal(INTEGRAL, inner.value, sql) if -half <= inner.value < half else None
    if name in ("DOUBLE", "FLOAT") and inner.kind in (INTEGRAL, DECIMAL, DOUBLE, TEXT):
        number = _floating(inner)
        if number is None or name == "DOUBLE":
            return None if number is None else Literal(DOUBLE, number, sql)
        return Literal(FLOAT, float32(number), sql)
    if name in ("BINARY", "UUID") and inner.kind == TEXT:
        return _cast_text(inner, name, sql)
    if name == "DECIMAL" and inner.kind in (TEXT, INTEGRAL, DECIMAL):
        return _cast_decimal(inner, parameters, sql)
    return None


_FLOATING = re.compile(
    r"[+-]?(([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?|inf(inity)?)|nan", re.IGNORECASE
)


def floating(text: str) -> float | None:
    """The double in a text: a number, `NaN` or `Infinity` in any case; None for other text."""
    return float(text) if _FLOATING.fullmatch(text.strip()) else None


def _floating(inner: Literal) -> float | None:
    if inner.kind == TEXT:
        return floating(inner.value)
    try:
        return float(inner.value)
    except OverflowError:
        return None


def float32(number: float) -> float:
    """The nearest float of 32 bits."""
    try:
        found: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return found


def _cast_text(inner: Literal, name: str, sql: str) -> Literal | None:
    if name == "BINARY":
        try:
            return Literal(BINARY, inner.value.encode(), sql)
        except UnicodeEncodeError:
            return None
    return Literal(UUID, inner.value, sql)


def binary(digits: str, sql: str) -> Literal | None:
    """Parses the hexadecimal digits of X'…'; an odd number of them has a 0 in front, as in Spark."""
    try:
        return Literal(BINARY, bytes.fromhex("0" * (len(digits) % 2) + digits), sql)
    except ValueError:
        return None


def _cast_decimal(inner: Literal, parameters: list[int], sql: str) -> Literal | None:
    text = str(inner.value)
    if len(parameters) != 2 or not re.fullmatch(r"-?[0-9]*\.?[0-9]*", text) or len(text) > 40:
        return None
    if not any(character.isdigit() for character in text):
        return None
    precision, scale = parameters
    whole, _, digits = text.lstrip("-").partition(".")
    fits = len(digits) <= scale and len(whole.lstrip("0")) <= precision - scale
    return Literal(DECIMAL, Decimal(text), sql) if fits else None


_INSTANT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?\Z", re.ASCII)


def date(text: str | None, sql: str, zone: datetime.tzinfo | None = None) -> Literal | None:
    """Parses a date; its value is in days since 1970. `zone` is the session's."""
    count = None if text is None else days(text)
    if text is None or count is None:
        return None
    return Literal(DATE, count, sql, moment(text, zone))


def time(text: str | None, sql: str) -> Literal | None:
    """Parses a time of day; its value is in nanoseconds since midnight."""
    found = None if text is None else re.fullmatch(r"(\d\d):(\d\d):(\d\d)(\.\d{1,9})?", text, re.ASCII)
    if found is None:
        return None
    hour, minute, second = (int(found[i]) for i in (1, 2, 3))
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = int((found[4] or ".0")[1:].ljust(9, "0"))
    return Literal(TIME, ((hour * 60 + minute) * 60 + second) * _SECOND + fraction, sql)


_SECOND, _DAY = 1_000_000_000, 86_400_000_000_000


@dataclasses.dataclass(frozen=True)
class _Written:
    """A timestamp as written: the clock's time in nanoseconds since 1970, and its offset from UTC, None if absent."""

    clock: int
    at: datetime.datetime
    offset: int | None


def _written(text: str | None) -> _Written | None:
    """The timestamp in a text; None for forms whose meaning is not certain."""
    found = None if text is None else _INSTANT.match(text)
    if found is None:
        return None
    try:
        at = datetime.datetime.fromisoformat(f"{found[1]} {found[2] or '00:00:00'}")
    except ValueError:
        return None
    clock = _nanoseconds(at) + int((found[3] or ".0")[1:].ljust(9, "0"))
    if not found[4]:
        return _Written(clock, at, None)
    if found[4] == "Z":
        return _Written(clock, at, 0)
    hours, minutes = int(found[4][1:3]), int(found[4][4:6])
    if hours > 18 or minutes > 59:
        return None
    sign = -1 if found[4][0] == "-" else 1
    return _Written(clock, at, sign * (hours * 60 + minutes) * 60 * _SECOND)


def _nanoseconds(at: datetime.datetime) -> int:
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * _SECOND


def moment(text: str, zone: datetime.tzinfo | None) -> Moment | None:
    """Both readings of a date or timestamp; None for other text. `zone` is the session's, None if it is not known."""
    written = _written(text)
    if written is None:
        return None
    clock = written.clock
    if written.offset is None:
        if zone is None:
            return Moment((clock, clock), (clock, clock), clock, "instant")
        offsets = [_offset(zone, written.at.replace(fold=fold)) for fold in (0, 1)]
        both = (clock - max(offsets), clock - min(offsets))
        return Moment((clock, clock), both, clock - offsets[0])
    instant = clock - written.offset
    if zone is None:
        return Moment((instant, instant), (instant, instant), instant, "clock")
    return Moment(_clock(instant, zone), (instant, instant), instant)


def _offset(zone: datetime.tzinfo, at: datetime.datetime) -> int:
    """The zone's offset from UTC when its clocks show a time, in nanoseconds."""
    offset = at.replace(tzinfo=zone, fold=at.fold).utcoffset() or datetime.timedelta()
    return int(offset / datetime.timedelta(microseconds=1)) * 1_000


def _clock(instant: int, zone: datetime.tzinfo) -> tuple[int, int]:
    """What the zone's clocks show at an instant; a range of a day around it if they are changed about then."""
    offsets = set()
    for nearby in (instant - _DAY, instant, instant + _DAY):
        try:
            at = (_EPOCH + datetime.timedelta(microseconds=nearby // 1_000)).replace(tzinfo=datetime.UTC)
            found = at.astimezone(zone).utcoffset() or datetime.timedelta()
        except OverflowError:
            return instant - _DAY, instant + _DAY
        offsets.add(int(found / datetime.timedelta(microseconds=1)) * 1_000)
    if len(offsets) > 1:
        return instant - _DAY, instant + _DAY
    [offset] = offsets
    return instant + offset, instant + offset


def timestamp(text: str | None, sql: str, zone: datetime.tzinfo | None) -> Literal | None:
    """Parses a TIMESTAMP; its value is in microseconds since 1970, UTC. `zone` is for text without a zone."""
    written = _written(text)
    if text is None or written is None:
        return None
    read = moment(text, zone)
    assert read is not None
    instant = read.chosen
    if written.offset is None and zone is None:
        return Literal(ZONELESS, written.clock, sql, read)
    if written.clock % 1_000:
        return Literal(FINE, instant, sql, read)
    return Literal(TIMESTAMP, instant // 1_000, sql, read)


def local_timestamp(text: str | None, sql: str, zone: datetime.tzinfo | None = None) -> Literal | None:
    """Parses a TIMESTAMP_NTZ; its value is in microseconds since 1970. None if the text has a zone."""
    written = _written(text)
    if text is None or written is None or written.offset is not None:
        return None
    read = moment(text, zone)
    if written.clock % 1_000:
        return Literal(FINE, written.clock, sql, read)
    return Literal(LOCAL_TIMESTAMP, written.clock // 1_000, sql, read)


def text(value: str, sql: str, zone: datetime.tzinfo | None) -> Literal:
    """Text; it is also read as a date or timestamp, for columns of these types."""
    return Literal(TEXT, value, sql, moment(value, zone))
