"""INT96 timestamps: 12 bytes that Impala, Hive and Spark wrote before TIMESTAMP existed.

The first 8 bytes are nanoseconds of the day, the last 4 the Julian day, both little-endian and signed. The type is
deprecated, has no annotation, and has a larger range than any Arrow timestamp, so the values decide the type:
nanoseconds if all values of a column fit, else microseconds, which truncates the rest. A day that not even microseconds
reach, such as one of a damaged value, leaves the column as its 12 bytes.

Spark counts microseconds since the Julian epoch in 64 bits before it splits them into day and nanoseconds. After about
the year 287,000 this count overflows: day and nanoseconds both become negative, which no date gives. The overflow is
undone here.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#timestamp
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Array, Int64s, Mask

UNIX_EPOCH = 2_440_588
"""The Julian day of 1970-01-01."""

NANOSECONDS_PER_DAY = 86_400_000_000_000

_PER_DAY = {"ns": NANOSECONDS_PER_DAY, "us": 86_400_000_000}
_INT64 = np.iinfo(np.int64)


def _stored(physical: pa.Array) -> Array:
    """The array's bytes as records of `nanos` (int64) and `day` (int32)."""
    start = physical.offset * 12
    stored = np.frombuffer(physical.buffers()[1] or b"", np.uint8)
    return stored[start : start + 12 * len(physical)].view([("nanos", "<i8"), ("day", "<i4")])


def split(physical: pa.Array) -> tuple[Int64s, Int64s]:
    """(days since 1970-01-01, nanoseconds of the day in [0, one day)) of a `fixed_size_binary(12)` array, as int64.

    Nanoseconds beyond a day, which are legal, are carried over into days. Julian day 0, in 4713 BC, stands for unset
    values: like Arrow's reader, this takes it for 1970-01-01.
    """
    parts = _stored(physical)
    carried, nanos = np.divmod(parts["nanos"], np.int64(NANOSECONDS_PER_DAY))
    days = parts["day"].astype(np.int64) - UNIX_EPOCH + carried
    unset = parts["day"] == 0
    return np.where(unset, 0, days), np.where(unset, 0, nanos)


def unset(physical: pa.Array) -> Mask:
    """Which values are of Julian day 0, which `split` takes for 1970-01-01."""
    return np.asarray(_stored(physical)["day"] == 0)


def _fits(days: Int64s, nanos: Int64s, unit: str) -> Mask:
    """Whether each value fits into int64 as a count of `unit`; computed without overflow."""
    per_day = _PER_DAY[unit]
    counted = nanos // (NANOSECONDS_PER_DAY // per_day)
    first_day, first_rest = divmod(int(_INT64.min), per_day)
    last_day, last_rest = divmod(int(_INT64.max), per_day)
    inside: Mask = (days > first_day) & (days < last_day)
    inside |= (days == first_day) & (counted >= first_rest)
    inside |= (days == last_day) & (counted <= last_rest)
    return inside


def wrapped(day: int, nanos: int) -> bool:
    """Whether a stored day and nanoseconds are what Spark's overflow leaves: both negative."""
    return day < 0 and nanos < 0


def beyond(physical: pa.Array) -> Mask:
    """Which values are no timestamp in microseconds, whose years are -290,308 to 294,247: bool, shape (values,)."""
    days, nanos = split(physical)
    outside = ~_fits(days, nanos, "us")
    if outside.any():
        stored = _stored(physical)
        overflowed = (stored["day"] < 0) & (stored["nanos"] < 0)
        outside &= ~(overflowed & _fits(days + UNIX_EPOCH, nanos, "us"))
    return outside


def clamped(physical: pa.Array) -> Int64s:
    """Microseconds since 1970-01-01; of values that `beyond` names, the smallest or largest int64."""
    counted: Int64s = to_arrow(physical, "us").cast(pa.int64()).to_numpy().copy()
    far = beyond(physical)
    counted[far] = np.where(split(physical)[0][far] < 0, _INT64.min, _INT64.max)
    return counted


def arrow_type(arrays: Iterable[pa.Array]) -> pa.DataType:
    """The type of all values of the arrays of a column.

    `timestamp[ns]` if every value fits (years 1677 to 2262), else `timestamp[us]`, else `fixed_size_binary[12]`: the
    values as stored.
    """
    found = "ns"
    for array in arrays:
        if _fits(*split(array), "ns").all():
            continue
        if beyond(array).any():
            return pa.binary(12)
        found = "us"
    return pa.timestamp(found)


def to_arrow(physical: pa.Array, unit: str) -> pa.Array:
    """A `fixed_size_binary(12)` array as `timestamp[unit]`, without time zone; `unit` is one that `arrow_type` gives."""
    days, nanos = split(physical)
    per_day = _PER_DAY[unit]
    with np.errstate(over="ignore"):  # modulo 2^64, which undoes Spark's overflow
        counted = days * per_day + nanos // (NANOSECONDS_PER_DAY // per_day)
    return pa.Array.from_buffers(pa.timestamp(unit), len(physical), [None, pa.py_buffer(counted)])
