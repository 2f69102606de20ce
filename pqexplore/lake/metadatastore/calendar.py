"""Spark's functions of dates and timestamps, of plain values: days and microseconds since 1970.

Spark uses the proleptic Gregorian calendar, as Python does. Years outside 1 to 9999 raise Uncertain. A session's zone is
a `datetime.tzinfo`, or None if it is not known. Zones are used from 1900 to 2099: before and after, versions of the
zone database differ most.
"""

from __future__ import annotations

import calendar as months
import datetime
from collections.abc import Callable

from pqexplore.lake.metadatastore.value_ranges import Uncertain

SECOND = 1_000_000
DAY = 86_400 * SECOND
FARTHEST = 18 * 3_600 * SECOND
"""The farthest that a zone is from UTC, in Spark."""
_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST, _LAST = -25_567 * DAY, 47_482 * DAY
"""1900-01-01 and 2100-01-01."""

Ends = tuple[int, int]
"""The first and last value that is possible."""


def date_of(days: int) -> datetime.date:
    """The date of a number of days."""
    try:
        return _EPOCH.date() + datetime.timedelta(days=days)
    except OverflowError:
        raise Uncertain from None


def days_of(date: datetime.date) -> int:
    """Days since 1970 of a date."""
    return (date - _EPOCH.date()).days


def _offset(instant: int, zone: datetime.tzinfo) -> int:
    if not _FIRST <= instant < _LAST:
        raise Uncertain
    at = (_EPOCH + datetime.timedelta(microseconds=instant)).replace(tzinfo=datetime.UTC)
    offset = at.astimezone(zone).utcoffset() or datetime.timedelta()
    return offset // datetime.timedelta(microseconds=1)


def utc(zone: datetime.tzinfo | None) -> bool:
    """Whether a zone is UTC."""
    return zone is not None and getattr(zone, "key", "") in ("UTC", "Etc/UTC", "GMT", "Z")


def clock(instant: int, zone: datetime.tzinfo | None, exact: bool) -> Ends:
    """What the session's clocks show at an instant.

    Without `exact`: at all instants up to it (the second end), and from it on (the first). These differ about a change
    of the clocks, because a clock that is set back shows earlier times later.
    """
    if utc(zone):
        return instant, instant
    if zone is None:
        return instant - FARTHEST, instant + FARTHEST
    here = _offset(instant, zone)
    near = {here} if exact else {_offset(instant + by, zone) for by in (-DAY, 0, DAY)}
    if len(near) > 1:
        return instant + here - DAY, instant + here + DAY
    return instant + here, instant + here


def instant(local: int, zone: datetime.tzinfo | None) -> Ends:
    """The instants at which the session's clocks show a time; for a time that they never show, those that Spark may take."""
    if utc(zone):
        return local, local
    if zone is None:
        return local - FARTHEST, local + FARTHEST
    offsets = [_offset(local + by, zone) for by in (-DAY, DAY)]
    return local - max(offsets), local - min(offsets)


def last_day(days: int) -> int:
    """The last day of a date's month."""
    date = date_of(days)
    return days_of(date.replace(day=months.monthrange(date.year, date.month)[1]))


def add_months(days: int, count: int) -> int:
    """A date some months later; the last day of the month if there is no such day."""
    date = date_of(days)
    number = date.year * 12 + date.month - 1 + count
    year, month = divmod(number, 12)
    if not 1 <= year <= 9_999:
        raise Uncertain
    day = min(date.day, months.monthrange(year, month + 1)[1])
    return days_of(datetime.date(year, month + 1, day))


def _first_of(size: int) -> Callable[[int], int]:
    """The first day of a date's period of some months: 1, 3 (a quarter) or 12."""

    def first(days: int) -> int:
        date = date_of(days)
        return days_of(date.replace(month=(date.month - 1) // size * size + 1, day=1))

    return first


TRUNCATED: dict[str, Callable[[int], int]] = {
    **dict.fromkeys(("YEAR", "YYYY", "YY"), _first_of(12)),
    "QUARTER": _first_of(3),
    **dict.fromkeys(("MONTH", "MM", "MON"), _first_of(1)),
    "WEEK": lambda days: days - (days + 3) % 7,
}
"""The first day of the year, quarter, month or week (from Monday) of a date, by Spark's names for the unit."""

_UNITS = {"DAY": DAY, "DD": DAY, "HOUR": 3_600 * SECOND, "MINUTE": 60 * SECOND, "SECOND": SECOND}


def truncated(local: int, unit: str) -> int:
    """A clock's time, truncated to a unit of `date_trunc`. Raises KeyError for other units."""
    if unit in _UNITS:
        return local // _UNITS[unit] * _UNITS[unit]
    return TRUNCATED[unit](local // DAY) * DAY


PARTS: dict[str, tuple[Callable[[int], int], Callable[[int], int], Ends]] = {
    "month": (lambda days: date_of(days).month, _first_of(12), (1, 12)),
    "quarter": (lambda days: (date_of(days).month + 2) // 3, _first_of(12), (1, 4)),
    "dayofyear": (lambda days: days - _first_of(12)(days) + 1, _first_of(12), (1, 366)),
    "day": (lambda days: date_of(days).day, _first_of(1), (1, 31)),
    "dayofmonth": (lambda days: date_of(days).day, _first_of(1), (1, 31)),
    "dayofweek": (lambda days: (days + 4) % 7 + 1, lambda days: (days + 4) // 7, (1, 7)),
    "weekday": (lambda days: (days + 3) % 7, lambda days: (days + 3) // 7, (0, 6)),
}
"""Parts of a date, by Spark's function: the part, the period in which it rises, and its range over all periods."""


def date_text(days: int) -> str:
    """A date as Spark casts it to text."""
    return date_of(days).isoformat()


def time_text(local: int) -> str:
    """A clock's time as Spark casts it to text: digits of the second without zeros at the end."""
    try:
        at = _EPOCH + datetime.timedelta(microseconds=local)
    except OverflowError:
        raise Uncertain from None
    text = at.isoformat(" ")
    return text.rstrip("0").rstrip(".") if "." in text else text
