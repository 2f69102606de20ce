"""Parses literals of Spark's SQL: numbers, dates and timestamps, in forms whose value is the same in every session.

Every function returns None for other text; the literal's clause then skips nothing.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

from pqexplore.insight.ask.predicate import (
    DATE,
    DECIMAL,
    DOUBLE,
    INTEGRAL,
    LOCAL_TIMESTAMP,
    TEXT,
    TIMESTAMP,
    Literal,
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
    if name == "DOUBLE" and inner.kind in (INTEGRAL, DECIMAL, DOUBLE):
        return Literal(DOUBLE, float(inner.value), sql)
    if name == "DECIMAL" and inner.kind in (TEXT, INTEGRAL, DECIMAL):
        return _cast_decimal(inner, parameters, sql)
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


_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?\Z", re.ASCII
)


def date(text: str | None, sql: str) -> Literal | None:
    """Parses a date; its value is in days since 1970."""
    count = None if text is None else days(text)
    return None if count is None else Literal(DATE, count, sql)


def _instant(text: str | None) -> tuple[datetime.datetime, str] | None:
    """(date and time, zone as written) of a timestamp; None for forms whose meaning is not certain."""
    found = None if text is None else _INSTANT.match(text)
    if found is None:
        return None
    fraction = (found[3] or "").ljust(7, "0") if found[3] else ""
    try:
        moment = datetime.datetime.fromisoformat(f"{found[1]} {found[2] or '00:00:00'}{fraction}")
    except ValueError:
        return None
    return moment, found[4] or ""


def _microseconds(moment: datetime.datetime) -> int:
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def timestamp(text: str | None, sql: str, zone: datetime.tzinfo | None) -> Literal | None:
    """Parses a TIMESTAMP; its value is in microseconds since 1970, UTC. `zone` is for text without a zone."""
    found = _instant(text)
    if found is None:
        return None
    moment, written = found
    if not written:
        if zone is None:
            return None
        offset = moment.replace(tzinfo=zone).utcoffset() or datetime.timedelta()
    elif written == "Z":
        offset = datetime.timedelta()
    else:
        hours, minutes = int(written[1:3]), int(written[4:6])
        if hours > 18 or minutes > 59:
            return None
        offset = datetime.timedelta(hours=hours, minutes=minutes) * (-1 if written[0] == "-" else 1)
    since = _microseconds(moment) - int(offset / datetime.timedelta(microseconds=1))
    return Literal(TIMESTAMP, since, sql)


def local_timestamp(text: str | None, sql: str) -> Literal | None:
    """Parses a TIMESTAMP_NTZ; its value is in microseconds since 1970. None if the text has a zone."""
    found = _instant(text)
    if found is None or found[1]:
        return None
    return Literal(LOCAL_TIMESTAMP, _microseconds(found[0]), sql)
