"""The exercises of chapter 12."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterable

from pqexplore.course.equal_answers import same
from pqexplore.course.exercise import exercise

EPOCH = 2_440_588
"""The Julian day number of 1970-01-01."""


@exercise(
    "12.1",
    "Which integer is in the four bytes of a decimal?",
    "In a FIXED_LEN_BYTE_ARRAY the highest byte comes first.",
    "The first bit is set, so the number is negative: int.from_bytes has an argument `signed`.",
)
def unscaled(answer: object) -> bool | str | None:
    """The bytes of the file, as a signed number."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("prices.parquet") as file:
        column = file.row_groups[0].columns["FIXED_LEN_BYTE_ARRAY"]
        data = bytes(column.pages[0].physical[3].as_py())
    if same(answer, int.from_bytes(data, "little", signed=True)):
        return "Here the highest byte comes first."
    if same(answer, int.from_bytes(data, "big")):
        return "These are the bytes without a sign; the number is in two's complement."
    right = int.from_bytes(data, "big", signed=True)
    if same(answer, right / 100):
        return "That is the price, with the decimal point. Which integer is stored?"
    return same(answer, right)


@exercise(
    "12.2",
    "How many bytes does DECIMAL(20, 2) need?",
    "The scale does not matter: the largest unscaled value has 20 nines.",
    "Which is the first n with 2**(8 * n - 1) - 1 of at least 10**20 - 1?",
)
def bytes_of_decimal(answer: object) -> bool | str | None:
    """The rule of the specification for the largest precision of n bytes."""
    largest = 10**20 - 1
    right = next(n for n in range(1, 17) if (1 << 8 * n - 1) - 1 >= largest)
    if any(same(answer, n) for n in range(right + 1, 33)):
        return "That is enough, but fewer bytes are enough, too."
    if any(same(answer, n) for n in range(1, right)):
        return "The largest number of 20 digits does not fit."
    return same(answer, right)


@exercise(
    "12.3",
    "Which number stores an instant of Berlin?",
    "What do the clocks show in UTC at that moment?",
    "datetime.timestamp() counts seconds; give the datetime a tzinfo before you ask it.",
)
def instant(answer: object) -> bool | str | None:
    """Two hours before 09:00 in UTC, in milliseconds."""
    local = dt.datetime(2026, 7, 1, 9, tzinfo=dt.UTC)
    seconds = int((local - dt.timedelta(hours=2)).timestamp())
    if isinstance(answer, dt.datetime):
        return "Answer with the number that is stored."
    if same(answer, int(local.timestamp()) * 1_000):
        return "That is 09:00 in UTC, when it is 11:00 in Berlin."
    if same(answer, (seconds + 4 * 3_600) * 1_000):
        return "That is 11:00 in UTC. Berlin is ahead: is it later or earlier in UTC?"
    if same(answer, seconds) or same(answer, seconds * 1_000_000):
        return "The moment is right, the unit is not."
    return same(answer, seconds * 1_000)


@exercise(
    "12.4",
    "Which twelve bytes are noon of 2000-01-01 as INT96?",
    "Eight bytes for the nanoseconds since midnight, then four for the day.",
    "The day is 2,440,588 plus the days since 1970-01-01; int.to_bytes(8, 'little') gives the bytes of a number.",
)
def int96(answer: object) -> bool | str | None:
    """Nanoseconds of the day, then the Julian day."""
    noon, day = 12 * 3_600 * 10**9, EPOCH + (dt.date(2000, 1, 1) - dt.date(1970, 1, 1)).days
    if isinstance(answer, str):
        return "Answer with bytes, such as bytes.fromhex(…) gives."
    if same(answer, struct.pack("<qi", noon, day - EPOCH)):
        return "INT96 does not count its days from 1970-01-01."
    if same(answer, struct.pack("<iq", day, noon)):
        return "The nanoseconds come first."
    if same(answer, struct.pack(">qi", noon, day)):
        return "The lowest byte of each number comes first."
    return same(answer, struct.pack("<qi", noon, day))


@exercise(
    "12.5",
    "Which date did the author of an old file mean?",
    "What does the key org.apache.spark.legacyDateTime say about the calendar of these numbers?",
    "Take the number of days of row 1, not the date that was made of it, and the function `julian`.",
)
def old_date(answer: object) -> bool | str | None:
    """The stored number in the Julian calendar."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("history.parquet") as file:
        first, read = file.read()["day"].to_pylist()[:2]
    if isinstance(answer, dt.datetime):
        answer = answer.date()
    given = answer.isoformat() if isinstance(answer, dt.date) else answer
    if same(given, read.isoformat()):
        return "That is what a reader makes of it that does not look at the key."
    if same(given, _julian((first - dt.date(1970, 1, 1)).days)):
        return "That is row 0."
    return same(given, _julian((read - dt.date(1970, 1, 1)).days))


def _julian(days: int) -> str:
    """The date in the Julian calendar of a day that is counted from 1970-01-01."""
    since = days + EPOCH + 32_082  # from 1 March of the year −4800
    year = (4 * since + 3) // 1461
    rest = since - 1461 * year // 4
    month = (5 * rest + 2) // 153
    day = rest - (153 * month + 2) // 5 + 1
    return f"{year - 4800 + month // 10:04}-{month + 3 - 12 * (month // 10):02}-{day:02}"


@exercise(
    "12.6",
    "For which columns does the footer prove that there is no NaN?",
    "Bounds leave NaN out, so they prove nothing about it.",
    "What does an absent nan_count say, and what does one of zero say?",
)
def without_nan(answer: object) -> bool | str | None:
    """The columns whose nan_count is 0."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("sensors.parquet") as file:
        counts = {
            chunk.leaf.path[0]: chunk.statistics and chunk.statistics.nan_count for chunk in file.row_groups[0].columns
        }
    given = _names(answer)
    if given & {name for name, count in counts.items() if count is None}:
        return "One of them has no nan_count: then there may be a NaN."
    right = {name for name, count in counts.items() if count == 0}
    if given and given < right:
        return "That is right, as far as it goes. There are more."
    return given == right


def _names(answer: object) -> set[object]:
    """Names in any container. TypeError if it is none."""
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise TypeError("not a set of names")
    return set(answer)
