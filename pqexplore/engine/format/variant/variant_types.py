"""The types of Variant values: the tables of the specification, and Python values for them.

A Variant value begins with one byte: its two low bits are the basic type (primitive, short string, object, array),
the six high bits a header whose meaning depends on it. For a primitive the header is the id of a type in
`PRIMITIVES`. Python has an exact counterpart for most of them; `Temporal` holds dates and times that `datetime`
cannot, `Unsupported` the bytes of a type this version does not know, and `Typed` asks the encoder for one type.

Specification: "Encoding types" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

PRIMITIVE, SHORT_STRING, OBJECT, ARRAY = range(4)
"""The basic types."""

BASIC_TYPES = ("primitive", "short string", "object", "array")
"""Names of the basic types by id."""

MAX_SHORT_STRING = 63
"""Maximum bytes of a short string: its length has six bits."""

MAX_SCALE = 38
"""The largest scale of a decimal."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """One row of the table of primitive types.

    `width` is the number of bytes after the header byte, None if the data begins with a 4-byte length. `equivalence`
    names the class of types that differ only in width.
    """

    id: int
    name: str
    equivalence: str
    parquet: str
    width: int | None
    meaning: str


PRIMITIVES: tuple[Primitive, ...] = (
    Primitive(0, "null", "NullType", "UNKNOWN", 0, "A null that is a value: present, and null."),
    Primitive(1, "true", "Boolean", "BOOLEAN", 0, "True; the header is the whole value."),
    Primitive(2, "false", "Boolean", "BOOLEAN", 0, "False; the header is the whole value."),
    Primitive(3, "int8", "Exact Numeric", "INT(8, true)", 1, "1 byte, two's complement."),
    Primitive(4, "int16", "Exact Numeric", "INT(16, true)", 2, "2 bytes, little-endian."),
    Primitive(5, "int32", "Exact Numeric", "INT(32, true)", 4, "4 bytes, little-endian."),
    Primitive(6, "int64", "Exact Numeric", "INT(64, true)", 8, "8 bytes, little-endian."),
    Primitive(7, "double", "Double", "DOUBLE", 8, "IEEE 754 binary64, little-endian."),
    Primitive(8, "decimal4", "Exact Numeric", "DECIMAL(P, S)", 5, "Scale, then 4 bytes little-endian."),
    Primitive(9, "decimal8", "Exact Numeric", "DECIMAL(P, S)", 9, "Scale, then 8 bytes little-endian."),
    Primitive(10, "decimal16", "Exact Numeric", "DECIMAL(P, S)", 17, "Scale, then 16 bytes little-endian."),
    Primitive(11, "date", "Date", "DATE", 4, "Days since 1970-01-01."),
    Primitive(
        12, "timestamptz(6)", "Timestamp", "TIMESTAMP(true, MICROS)", 8, "Microseconds since 1970-01-01T00:00:00 UTC."
    ),
    Primitive(
        13,
        "timestampntz(6)",
        "TimestampNTZ",
        "TIMESTAMP(false, MICROS)",
        8,
        "Microseconds since 1970-01-01T00:00:00 on a local clock.",
    ),
    Primitive(14, "float", "Float", "FLOAT", 4, "IEEE 754 binary32, little-endian."),
    Primitive(15, "binary", "Binary", "BINARY", None, "4-byte length, then the bytes."),
    Primitive(16, "string", "String", "STRING", None, "4-byte length, then UTF-8."),
    Primitive(17, "time", "TimeNTZ", "TIME(false, MICROS)", 8, "Microseconds since midnight."),
    Primitive(
        18, "timestamptz(9)", "Timestamp", "TIMESTAMP(true, NANOS)", 8, "Nanoseconds since 1970-01-01T00:00:00 UTC."
    ),
    Primitive(
        19,
        "timestampntz(9)",
        "TimestampNTZ",
        "TIMESTAMP(false, NANOS)",
        8,
        "Nanoseconds since 1970-01-01T00:00:00 on a local clock.",
    ),
    Primitive(20, "uuid", "UUID", "UUID", 16, "16 bytes, big-endian."),
)
"""The primitive types; the index is the type id."""

(
    NULL,
    TRUE,
    FALSE,
    INT8,
    INT16,
    INT32,
    INT64,
    DOUBLE,
    DECIMAL4,
    DECIMAL8,
    DECIMAL16,
    DATE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    FLOAT,
    BINARY,
    STRING,
    TIME,
    TIMESTAMP_NANOS,
    TIMESTAMP_NTZ_NANOS,
    UUID,
) = range(21)

TYPE_IDS = {p.name: p.id for p in PRIMITIVES}
"""Type ids by the names of `PRIMITIVES`."""

DECIMAL_BYTES = {DECIMAL4: 4, DECIMAL8: 8, DECIMAL16: 16}
"""Bytes of the unscaled value of each decimal type."""

DECIMAL_DIGITS = {DECIMAL4: 9, DECIMAL8: 18, DECIMAL16: 38}
"""Largest precision that the specification gives each decimal type."""

INTEGER_BYTES = {INT8: 1, INT16: 2, INT32: 4, INT64: 8}
"""Bytes of each integer type."""

VARIANT_NULL = b"\x00"
"""The encoded Variant null."""

EMPTY_METADATA = b"\x01\x00\x00"
"""Metadata of a value without field names: version 1, no strings, the one offset."""

_PER_DAY = 86_400_000_000_000
_TICKS = {TIMESTAMP: 1_000, TIMESTAMP_NTZ: 1_000, TIMESTAMP_NANOS: 1, TIMESTAMP_NTZ_NANOS: 1}


@dataclass(frozen=True, slots=True)
class Temporal:
    """A date or time as stored, if `datetime` cannot hold it: nanoseconds, and years outside of 1 to 9999.

    `type_id` is the Variant type (date, time, or one of the four timestamps), `ticks` the stored integer: days,
    microseconds or nanoseconds as that type says.
    """

    type_id: int
    ticks: int

    @property
    def name(self) -> str:
        """The type's name, as in `PRIMITIVES`."""
        return PRIMITIVES[self.type_id].name

    def __str__(self) -> str:
        """ISO 8601 with a space before the time; years outside of 0 to 9999 have a sign."""
        if self.type_id == DATE:
            return civil_date(self.ticks)
        if self.type_id == TIME:
            return clock(self.ticks * 1_000)
        days, rest = divmod(self.ticks * _TICKS[self.type_id], _PER_DAY)
        zone = "+00:00" if self.type_id in (TIMESTAMP, TIMESTAMP_NANOS) else ""
        return f"{civil_date(days)} {clock(rest)}{zone}"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A value of a primitive type that this version does not know: its id and its bytes after the header."""

    type_id: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Typed:
    """A value and the type to encode it as, by id or by name: `Typed("int64", 5)`, `Typed("string", "a")`.

    For decimals the scale is that of the `Decimal`. `value` may be the stored integer of a date or time.
    """

    type: int | str
    value: Any


def civil_date(days: int) -> str:
    """The proleptic Gregorian date of a number of days since 1970-01-01, any year."""
    # Whole 400-year cycles of 146,097 days are moved away, so that datetime does the calendar.
    cycles, day = divmod(days + 135_140, 146_097)  # 1600-01-01 is day -135,140
    date = datetime.date(1600, 1, 1) + datetime.timedelta(day)
    year = date.year + 400 * cycles
    text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return f"{text}-{date.month:02d}-{date.day:02d}"


def clock(nanoseconds: int) -> str:
    """A time of day from nanoseconds since midnight; the fraction has no trailing zeros."""
    seconds, fraction = divmod(nanoseconds, 1_000_000_000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:09d}".rstrip("0") if fraction else text


def type_name(header: int) -> str:
    """The type in a value's first byte: `object`, `short string`, `int8`, `unknown primitive 42`."""
    basic, rest = header & 3, header >> 2
    if basic != PRIMITIVE:
        return BASIC_TYPES[basic]
    return PRIMITIVES[rest].name if rest < len(PRIMITIVES) else f"unknown primitive {rest}"
