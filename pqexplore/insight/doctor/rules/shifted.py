"""A rule about columns of times that repeat each other with a shift: by hours, as if a zone were added twice, or by the days
between the Julian and the Gregorian calendar.

The bounds choose the candidates, which costs nothing; values of the first pages are compared then, at level `data` all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import civil_date
from pqexplore.engine.rule import DATA, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, all_bounds
from pqexplore.insight.doctor.subject import ordered
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Int64s
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

CALENDARS = Source(
    "Spark, calendars of dates and timestamps", "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html"
)

COLUMNS = 64
"""Columns of times that are compared with each other."""

VALUES = {SAMPLE: 1 << 16, DATA: 1 << 20}
"""Values of a column that are compared, by level: whole pages, until there are so many."""

DAYS = 100_000
"""Days before 1582-10-15 that are moved to the other calendar: those of 274 years."""

QUARTER, ZONES = 900, 14 * 3_600
"""Zones are quarters of an hour apart, and at most 14 hours from UTC; in seconds."""

GREGORIAN = -141_427
"""1582-10-15, the first day of the Gregorian calendar, in days since 1970."""

_UNITS = {"ms": 10**3, "us": 10**6, "ns": 10**9}


class _Times(NamedTuple):
    """A column of times: its counts in a second (days: 0), and the smallest and the largest value of each row group."""

    leaf: Leaf
    second: int
    utc: bool
    ends: Int64s


def _columns(subject: Subject) -> Iterator[_Times]:
    """The columns of dates and timestamps whose bounds are known in all row groups, and are not all one value."""
    for leaf in subject.leaves:
        known = meaning(leaf)
        stored = {"DATE": Type.INT32, "TIMESTAMP": Type.INT64}.get(known.name)
        if stored != leaf.physical_type or not ordered(leaf):
            continue
        found = all_bounds(subject, leaf)
        if found is None:
            continue
        raw = b"".join(raw or b"" for one in found for raw in (one.min_raw, one.max_raw))
        ends = np.frombuffer(raw, "<i4" if known.name == "DATE" else "<i8").astype(np.int64)
        if len(ends) == 2 * len(found) and ends.min() < ends.max():
            yield _Times(leaf, _UNITS.get(known.unit, 0), known.utc, ends)


def shifted(subject: Subject) -> Iterator[Finding]:
    """Pairs of columns of one unit: the second has the values of the first, moved by hours or by a calendar."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    repeated: set[int] = set()
    for a, b in itertools.combinations(itertools.islice(_columns(subject), COLUMNS), 2):
        if (a.second, a.utc, len(a.ends)) != (b.second, b.utc, len(b.ends)) or b.leaf.leaf_index in repeated:
            continue
        how = _hours(a, b) if a.second else ""
        calendar = not how and _by_calendar(a, b)
        if not how and not calendar:
            continue
        looked = _compared(subject, a, b, calendar=calendar)
        if not looked:
            continue
        repeated.add(b.leaf.leaf_index)
        count, whole = looked
        rows = f"all {plural(count, 'row')}" if whole else f"all {count:,} rows that were compared"
        first, second = name(a.leaf.path), name(b.leaf.path)
        what = (
            f"{second} is {first} {how} in {rows}: the ends of intervals of one length, or the same times in another zone"
            if how
            else f"{second} is {first} in the Julian calendar in {rows}: days before 1582-10-15 differ, and one of the two is wrong"
        )
        yield Finding(
            "shifted-column",
            Address.of("schema", b.leaf.index),
            f"{what}.",
            {"columns": [".".join(a.leaf.path), ".".join(b.leaf.path)], "shift": how or "calendar", "rows": count},
            severity=Severity.NOTE if how else Severity.WRONG,  # windows of an hour are as common as zones
            column=".".join(b.leaf.path),
            rows=count,
            cost=Cost("who takes one column for the other gets times that are shifted"),
            fix="If they are the same times, store them once, as instants in UTC (isAdjustedToUTC = true), or in one calendar.",
        )


def _hours(a: _Times, b: _Times) -> str:
    """Words such as "plus 2 h" if the bounds of b are those of a moved by what zones differ by; "" if not."""
    shift = b.ends - a.ends
    if (shift != shift[0]).any() or not shift[0]:
        return ""
    seconds, rest = divmod(abs(int(shift[0])), a.second)
    if rest or seconds % QUARTER or seconds > ZONES:
        return ""
    hours, minutes = divmod(seconds // 60, 60)
    words = " ".join([f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes))
    return f"{'plus' if shift[0] > 0 else 'minus'} {words}"


def _by_calendar(a: _Times, b: _Times) -> bool:
    """Whether the bounds of b are those of a with the same date in the other calendar, and differ somewhere."""
    day = a.second * 86_400 if a.second else 1
    moved = _julian(a.ends, day)
    return bool((moved == b.ends).all() and (moved != a.ends).any())


def _julian(counts: Int64s, day: int) -> Int64s:
    """Counts since 1970 of the same dates, read as dates of the Julian calendar before 1582-10-15; `day` is a day's count."""
    days, rest = np.divmod(counts, day)
    old = days < GREGORIAN
    if not old.any():
        return counts
    distinct, of = np.unique(days[old], return_inverse=True)
    if len(distinct) > DAYS:
        return counts
    moved = days.copy()
    moved[old] = np.array([_julian_day(*civil_date(int(one))) for one in distinct], np.int64)[of]
    made: Int64s = moved * day + rest
    return made


def _julian_day(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date of the Julian calendar (Fliegel and Van Flandern)."""
    early = (14 - month) // 12
    years, months = year + 4800 - early, month + 12 * early - 3
    return day + (153 * months + 2) // 5 + 365 * years + years // 4 - 32_083 - 2_440_588


def _compared(subject: Subject, a: _Times, b: _Times, *, calendar: bool) -> tuple[int, bool] | None:
    """How many rows show the shift, and whether these are all; None if one does not, or if a page cannot be read."""
    most, count, whole = VALUES.get(subject.level, 0), 0, not subject.partial
    day, shift = a.second * 86_400 if a.second else 1, b.ends[0] - a.ends[0]
    for group in range(subject.groups):
        if count >= most:
            whole = False
            break
        try:
            chunks = [subject.file.row_groups[group].columns[one.leaf.leaf_index] for one in (a, b)]
            left, right = (_values(chunk.pages, most - count) for chunk in chunks)
        except ParquetError:
            return None
        if left is None or right is None:
            return None
        both = min(len(left), len(right))
        whole = whole and both == chunks[0].num_values
        expected = _julian(left[:both], day) if calendar else left[:both] + shift
        if (expected != right[:both]).any():
            return None
        count += both
    return (count, whole) if count else None


def _values(pages: Sequence[Page], most: int) -> Int64s | None:
    """The values of the first pages of a chunk, until there are `most`; None if one is null."""
    found: list[Int64s] = []
    total = 0
    for page in pages:
        if total >= most:
            break
        if not page.is_data:
            continue
        if page.num_present != page.num_values:
            return None
        values = numpy_numbers(page.physical).astype(np.int64)
        found.append(values)
        total += len(values)
    return np.concatenate(found) if found else None


RULES = (
    Rule(
        "shifted-column", Severity.NOTE, SAMPLE, "Times that repeat another column with a shift",
        "A zone that is added twice, or a calendar that is taken for the other, moves all times, and nothing else shows it.",
        shifted, CALENDARS,
        f"Two columns of one type and unit without nulls, in a file of at least {LEAST_ROWS:,} rows: each value that is compared is "
        "shifted by the same quarters of an hour, 14 h at most, or is the same date in the Julian calendar.",
    ),
)  # fmt: skip
