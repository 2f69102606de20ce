"""Python values to PLAIN bytes of a column, to look them up in a Bloom filter or compare them with bounds.

A user passes `datetime(2024, 1, 1)` or `Decimal("9.99")`, or types `2024-01-01` into a field; a file has PLAIN bytes. A
value that the column cannot hold is a UsageError that says why.
"""

from __future__ import annotations

import datetime
import decimal
import json
import re
import struct
import uuid
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Annotation
from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_NANOSECONDS = {"ms": 1_000_000, "us": 1_000, "ns": 1}
_RANGES: dict[int, tuple[int, int]] = {Type.INT32: (-(1 << 31), (1 << 31) - 1), Type.INT64: (-(1 << 63), (1 << 63) - 1)}


def plain_bytes(leaf: Leaf, value: Any) -> bytes:
    """The PLAIN bytes of a value, without a length prefix: what a Bloom filter hashes and what bounds hold.

    `value` is a Python or numpy object of the logical type, or its text (ISO 8601 for dates and times, `0x…` for
    bytes). An int can also be a count of days, or of the units of a time or timestamp. Decimals in a BYTE_ARRAY take
    the fewest bytes, as the specification requires of writers. Raises UsageError for a value that the leaf cannot hold.
    """
    if hasattr(value, "item") and not isinstance(value, (bytes, str)):
        value = value.item()
    try:
        physical = _physical(leaf, meaning(leaf), value)
        return stored_bytes(leaf, physical)
    except UsageError:
        raise
    except (ValueError, TypeError, ArithmeticError, struct.error, KeyError) as error:
        kind = describe(leaf)
        raise UsageError(f"{value!r} is no value of {'.'.join(leaf.path)} ({kind}): {error}") from None


def _physical(leaf: Leaf, logical: Annotation, value: Any) -> Any:
    name = logical.name
    if leaf.physical_type in _RANGES:
        return _in_range(leaf, _count(logical, name, value))
    if leaf.physical_type == Type.BOOLEAN:
        if isinstance(value, str):
            return {"true": True, "false": False}[value.strip().lower()]
        return bool(value)
    if leaf.physical_type in (Type.FLOAT, Type.DOUBLE):
        return float(value)
    raw = _INTO_BYTES.get(name, _raw)(leaf, logical, value)
    if leaf.physical_type == Type.INT96 and name == "":
        raw = _int96(value)
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY and len(raw) != (leaf.type_length or 0):
        raise UsageError(f"{len(raw)} bytes; the column's values have {leaf.type_length or 0}")
    return raw


def _in_range(leaf: Leaf, number: int) -> int:
    low, high = _RANGES[leaf.physical_type]
    if not low <= number <= high:
        raise UsageError(f"{number:,} is out of the range of the column's stored integers")
    return number


def _count(logical: Annotation, name: str, value: Any) -> int:
    """The integer that an INT32 or INT64 column stores for a value."""
    if name == "DECIMAL":
        return _unscaled(logical, value)
    if name == "DATE":
        return _days(value)
    if name == "TIME":
        return _time_of_day(logical, value)
    if name == "TIMESTAMP":
        return _instant(logical, value)
    number = _whole(value)
    if name == "INTEGER":
        bits = logical.bit_width
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if logical.signed else (0, (1 << bits) - 1)
        if not low <= number <= high:
            raise UsageError(f"{number:,} does not fit {bits} bits")
        stored = 64 if bits == 64 else 32
        return number - (1 << stored) if number >> (stored - 1) > 0 else number
    return number


def _whole(value: Any) -> int:
    if isinstance(value, str):
        return int(value.strip().replace("_", ""), 0)
    if int(value) != value:
        raise UsageError(f"{value!r} is not a whole number")
    return int(value)


def _unscaled(logical: Annotation, value: Any) -> int:
    number = decimal.Decimal(repr(value) if isinstance(value, float) else value)
    if not number.is_finite():
        raise UsageError(f"{number} is not a decimal number")
    sign, digits, exponent = number.as_tuple()
    shift = int(exponent) + logical.scale
    unscaled = int("".join(map(str, digits)))
    if len(digits) + abs(shift) > 4_000:
        raise UsageError("a decimal of so many digits is not supported")
    if shift >= 0:
        unscaled *= 10**shift
    else:
        unscaled, cut = divmod(unscaled, 10**-shift)
        if cut:
            raise UsageError(f"the column has {logical.scale} digits after the decimal point")
    return int(-unscaled if sign else unscaled)


def _days(value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        value = datetime.date.fromisoformat(value.strip())
    if isinstance(value, datetime.datetime):
        value = value.date()
    return int((value - datetime.date(1970, 1, 1)).days)


def _time_of_day(logical: Annotation, value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        value = datetime.time.fromisoformat(value.strip())
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return _cut(seconds * 1_000_000_000 + value.microsecond * 1_000, logical.unit)


def _cut(nanoseconds: int, unit: str) -> int:
    count, rest = divmod(nanoseconds, _NANOSECONDS[unit])
    if rest:
        raise UsageError(f"the column counts in {unit}, the value is more precise")
    return count


_FRACTION = re.compile(r"(?<=[.,])\d+")


def _since_epoch(value: Any, utc: bool) -> int:
    """Nanoseconds since 1970 of a datetime, date or ISO text; a value without a time zone is taken as UTC."""
    finer = 0
    if isinstance(value, str):
        value = value.strip()
        fraction = _FRACTION.search(value)
        if fraction is not None and len(fraction[0]) > 6:
            finer = int(fraction[0][6:9].ljust(3, "0"))
            value = value[: fraction.start() + 6] + value[fraction.end() :]
        value = datetime.datetime.fromisoformat(value)
    elif not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    finer += getattr(value, "nanosecond", 0)
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.UTC)
    elif not utc:
        raise UsageError("the column has local timestamps, the value a time zone")
    since: datetime.timedelta = value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    whole = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    return whole * 1_000 + int(finer)


def _instant(logical: Annotation, value: Any) -> int:
    return value if isinstance(value, int) else _cut(_since_epoch(value, logical.utc), logical.unit)


def _raw(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    """Bytes as they are; text as UTF-8, or as hexadecimal after `0x`."""
    if isinstance(value, str):
        return bytes.fromhex(value[2:]) if value[:2] in ("0x", "0X") else value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if leaf.physical_type == Type.INT96:
        return b""
    raise UsageError(f"expected bytes or text, got {type(value).__name__}")


def _text(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    if logical.name == "JSON" and isinstance(value, (dict, list)):
        return json.dumps(value).encode()
    return value.encode() if isinstance(value, str) else bytes(memoryview(value))


def _decimal(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    unscaled = _unscaled(logical, value)
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return unscaled.to_bytes(leaf.type_length or 0, "big", signed=True)
    magnitude = unscaled if unscaled >= 0 else ~unscaled
    return unscaled.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def _uuid(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    if isinstance(value, uuid.UUID):
        return value.bytes
    return uuid.UUID(value).bytes if isinstance(value, str) else bytes(memoryview(value))


def _float16(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    return struct.pack("<e", float(value))


def _interval(leaf: Leaf, logical: Annotation, value: Any) -> bytes:
    if isinstance(value, dict):
        value = value["months"], value["days"], value["milliseconds"]
    return struct.pack("<III", *value) if isinstance(value, (tuple, list)) else bytes(memoryview(value))


def _int96(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
    else:
        days, nanos = divmod(_since_epoch(value, utc=True), NANOSECONDS_PER_DAY)
        raw = struct.pack("<qi", nanos, days + UNIX_EPOCH)
    if len(raw) != 12:
        raise UsageError(f"{len(raw)} bytes; INT96 has 12")
    return raw


_INTO_BYTES = {
    "STRING": _text,
    "ENUM": _text,
    "JSON": _text,
    "DECIMAL": _decimal,
    "UUID": _uuid,
    "FLOAT16": _float16,
    "INTERVAL": _interval,
}
