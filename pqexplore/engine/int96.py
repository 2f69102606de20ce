"""INT96 timestamps: 12 bytes that Impala, Hive and Spark wrote before there was TIMESTAMP.

The first 8 bytes are nanoseconds of the day, the last 4 the Julian day, both little-endian and signed. The type is
deprecated, has no annotation, and reaches further than any Arrow timestamp, so the unit is chosen by the values:
nanoseconds where all of a column fit, else microseconds, which cut what is below them.

Spark counts microseconds since the Julian epoch in 64 bits before it splits them, and past the year 287,000 or so this
count wraps around: day and nanoseconds both become negative, as no date makes them. Such values are wrapped back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.errors import UnsupportedFeatureError

UNIX_EPOCH = 2_440_588
"""The Julian day of 1970-01-01."""

NANOSECONDS_PER_DAY = 86_400_000_000_000

_PER_DAY = {"ns": NANOSECONDS_PER_DAY, "us": 86_400_000_000}
_INT64 = np.iinfo(np.int64)


def _stored(physical: pa.Array) -> npt.NDArray[Any]:
    """The array's bytes as records of `nanos` and `day`."""
    start = physical.offset * 12
    stored = np.frombuffer(physical.buffers()[1] or b"", np.uint8)
    return stored[start : start + 12 * len(physical)].view([("nanos", "<i8"), ("day", "<i4")])


def split(
    physical: pa.Array,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(days since 1970-01-01, nanoseconds of the day in [0, one day)) of a `fixed_size_binary(12)` array.

    Nanoseconds beyond a day, which are legal bits, are carried over into days. Julian day 0, in 4713 BC, is what
    values have that nobody set: like Arrow's reader, this takes it for 1970-01-01.
    """
    parts = _stored(physical)
    carried, nanos = np.divmod(parts["nanos"], np.int64(NANOSECONDS_PER_DAY))
    days = parts["day"].astype(np.int64) - UNIX_EPOCH + carried
    unset = parts["day"] == 0
    return np.where(unset, 0, days), np.where(unset, 0, nanos)


def _fits(days: npt.NDArray[np.int64], nanos: npt.NDArray[np.int64], unit: str) -> Any:
    """Whether each value fits into int64 as a count of `unit`; never overflows itself."""
    per_day = _PER_DAY[unit]
    counted = nanos // (NANOSECONDS_PER_DAY // per_day)
    first_day, first_rest = divmod(int(_INT64.min), per_day)
    last_day, last_rest = divmod(int(_INT64.max), per_day)
    inside = (days > first_day) & (days < last_day)
    inside |= (days == first_day) & (counted >= first_rest)
    return inside | ((days == last_day) & (counted <= last_rest))


def wrapped(day: Any, nanos: Any) -> Any:
    """Whether a stored day and nanoseconds, ints or arrays, are what Spark's overflow leaves."""
    return (day < 0) & (nanos < 0)


def unit(arrays: Iterable[pa.Array]) -> str:
    """`ns` where every value of the arrays fits into nanoseconds since 1970 (1677 to 2262), else `us`."""
    for array in arrays:
        if not _fits(*split(array), "ns").all():
            return "us"
    return "ns"


def to_arrow(physical: pa.Array, unit: str) -> Any:
    """A `fixed_size_binary(12)` array as `timestamp[unit]`, without time zone.

    Raises UnsupportedFeatureError for a value beyond the unit's range: a wrapped date would be a lie.
    """
    days, nanos = split(physical)
    fits = _fits(days, nanos, unit)
    if unit == "us" and not fits.all():
        stored = _stored(physical)
        fits |= wrapped(stored["day"], stored["nanos"]) & _fits(days + UNIX_EPOCH, nanos, unit)
    if not fits.all():
        index = int(np.argmin(fits))
        raise UnsupportedFeatureError(
            f"INT96 value {index:,} is {int(days[index]):,} days from 1970-01-01, out of the range of "
            f"timestamp[{unit}]; page.physical has it as stored"
        )
    per_day = _PER_DAY[unit]
    with np.errstate(
        over="ignore"
    ):  # modulo 2^64: overflows of the product or of the writer come back
        counted = days * per_day + nanos // (NANOSECONDS_PER_DAY // per_day)
    return pa.Array.from_buffers(pa.timestamp(unit), len(physical), [None, pa.py_buffer(counted)])
