"""Converts an Arrow array of logical values to the physical array of its leaf, as it is stored.

The inverse of `types.to_arrow`. If the bits are the same, only the type of the array changes, not its buffers. A value
that cannot be stored (a decimal with more digits than the precision, an integer out of the range of its logical type,
invalid UTF-8) is refused, with the rule and the first such value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.field import Annotation, Leaf
from pqexplore.engine.format.fixed_width import byte_rows, to_fixed, to_variable
from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH
from pqexplore.engine.format.logical import TEXT, annotation, describe
from pqexplore.engine.format.thrift.structs import Type, enum_name

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": NANOSECONDS_PER_DAY}


def to_physical(values: pa.Array, leaf: Leaf) -> pa.Array:
    """The physical array of an Arrow array without nulls. Raises UsageError if a value, or the type, does not fit."""
    try:
        return _to_physical(values, leaf)
    except UsageError as error:
        raise UsageError(f"{'.'.join(leaf.path)}: {error}") from None
    except pa.ArrowInvalid as error:
        raise UsageError(f"{'.'.join(leaf.path)} ({describe(leaf)}): {error}") from None


def _to_physical(values: pa.Array, leaf: Leaf) -> pa.Array:
    logical, target, kind = annotation(leaf), leaf.physical_type, values.type
    if not len(values) or pa.types.is_null(kind):
        return pa.array([], plain.storage_type(target, leaf.type_length))
    if logical.name == "UNKNOWN":
        raise UsageError(f"UNKNOWN requires that all values are null; {len(values):,} are not")
    if logical.name == "DECIMAL":
        return _decimal(values, leaf, logical)
    if target == Type.INT96:
        return _int96(values)
    if target in (Type.INT32, Type.INT64):
        return _integers(values, leaf, logical)
    if target in (Type.FLOAT, Type.DOUBLE):
        wanted = pa.float32() if target == Type.FLOAT else pa.float64()
        if pa.types.is_floating(kind):
            return values if kind == wanted else values.cast(wanted)
    if target == Type.BOOLEAN and pa.types.is_boolean(kind):
        return values
    if target == Type.BYTE_ARRAY:
        return _byte_arrays(values, logical)
    if target == Type.FIXED_LEN_BYTE_ARRAY:
        return _fixed(values, leaf.type_length or 0)
    raise UsageError(f"{kind} cannot be stored as {enum_name(Type, target)}")


def _same_bits(values: pa.Array, kind: pa.DataType) -> Any:
    """The array with another type of the same layout; buffers are shared."""
    return pa.Array.from_buffers(kind, len(values), values.buffers(), 0, values.offset)


def _refuse(wrong: Any, values: pa.Array, rule: str) -> None:
    """Raise UsageError with the rule and the first value if `wrong` (bool, one for each value) has any."""
    if wrong.any():
        first = int(np.argmax(wrong))
        raise UsageError(f"{rule}; value {first:,} is {values[first]}")


def _refuse_outside(numbers: Any, values: pa.Array, bits: int, signed: bool) -> None:
    """Refuse integers that have no place in so many bits."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    info = np.iinfo(numbers.dtype)
    wrong = np.zeros(len(numbers), bool)
    if info.min < low:
        wrong |= numbers < low
    if info.max > high:
        wrong |= numbers > high
    _refuse(wrong, values, f"expected an integer from {low:,} to {high:,}")


def _integers(values: pa.Array, leaf: Leaf, logical: Annotation) -> Any:
    kind, wide = values.type, leaf.physical_type == Type.INT64
    target = pa.int64() if wide else pa.int32()
    if logical.name == "DATE" and pa.types.is_date(kind):
        return _same_bits(values.cast(pa.date32()), target)
    if logical.name == "TIME" and pa.types.is_time(kind):
        wanted = pa.time32("ms") if logical.unit == "ms" else pa.time64(logical.unit)
        return _same_bits(values.cast(wanted), target)
    if logical.name == "TIMESTAMP" and pa.types.is_timestamp(kind):
        return _same_bits(values.cast(pa.timestamp(logical.unit, kind.tz)), target)
    if pa.types.is_duration(kind) and wide:
        return _same_bits(values, target)
    if not pa.types.is_integer(kind):
        raise UsageError(f"{kind} cannot be stored as {describe(leaf)}")
    bits, signed = (logical.bit_width, logical.signed) if logical.name == "INTEGER" else (0, True)
    bits = bits or (64 if wide else 32)
    if kind == target and signed and bits == kind.bit_width:
        return values
    numbers = values.to_numpy(zero_copy_only=False)
    _refuse_outside(numbers, values, bits, signed)
    return pa.array(numbers.astype(np.int64 if wide else np.int32), target)


def _int96(values: pa.Array) -> Any:
    if values.type == pa.binary(12):
        return values
    if not pa.types.is_timestamp(values.type):
        raise UsageError(f"{values.type} cannot be stored as INT96")
    per_day = _PER_DAY[values.type.unit]
    counts = _same_bits(values, pa.int64()).to_numpy(zero_copy_only=False)
    days, rest = np.divmod(counts, per_day)
    out = np.empty(len(counts), [("nanos", "<i8"), ("day", "<i4")])
    out["nanos"] = rest * (NANOSECONDS_PER_DAY // per_day)
    days = days + UNIX_EPOCH
    _refuse(days != days.astype(np.int32), values, "INT96 stores the Julian day in 4 bytes")
    out["day"] = days
    return pa.Array.from_buffers(pa.binary(12), len(out), [None, pa.py_buffer(out.tobytes())])


def _byte_arrays(values: pa.Array, logical: Annotation) -> Any:
    kind = values.type
    if str(kind).endswith("_view"):
        values = values.cast(pa.string() if str(kind) == "string_view" else pa.binary())
        kind = values.type
    if pa.types.is_fixed_size_binary(kind):
        values = to_variable(values)
        kind = values.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    if not text and not (pa.types.is_binary(kind) or large):
        raise UsageError(f"{kind} cannot be stored as BYTE_ARRAY")
    if logical.name in TEXT and not text:
        values.cast(pa.large_string() if large else pa.string())  # raises for invalid UTF-8
    return _same_bits(values, pa.large_binary() if large else pa.binary())


def _fixed(values: pa.Array, length: int) -> Any:
    kind = values.type
    if pa.types.is_float16(kind) and length == 2:
        return _same_bits(values, pa.binary(2))
    if kind == pa.month_day_nano_interval() and length == 12:
        return _intervals(values)
    if pa.types.is_fixed_size_binary(kind) and kind.byte_width == length:
        return values
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return to_fixed(values, length)
    raise UsageError(f"{kind} cannot be stored as FIXED_LEN_BYTE_ARRAY({length})")


def _intervals(values: pa.Array) -> Any:
    """Months, days and milliseconds, 4 bytes each, unsigned (specification, "INTERVAL")."""
    parts = byte_rows(values, 16).view([("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")])[:, 0]
    _refuse(parts["nanos"] % 1_000_000 != 0, values, "an INTERVAL stores whole milliseconds")
    out = np.empty((len(values), 3), "<u4")
    for position, counts in enumerate((parts["months"], parts["days"], parts["nanos"] // 1_000_000)):
        _refuse((counts < 0) | (counts >= 1 << 32), values, "an INTERVAL stores unsigned 32-bit parts")
        out[:, position] = counts
    return pa.Array.from_buffers(pa.binary(12), len(values), [None, pa.py_buffer(out.tobytes())])


def _decimal(values: pa.Array, leaf: Leaf, logical: Annotation) -> Any:
    kind, physical = values.type, leaf.physical_type
    if pa.types.is_integer(kind) and physical in (Type.INT32, Type.INT64):  # unscaled already
        wide = pa.int64() if physical == Type.INT64 else pa.int32()
        numbers = values.cast(wide).to_numpy(zero_copy_only=False)
        largest = 10**logical.precision - 1
        wrong = (numbers > largest) | (numbers < -largest)
        _refuse(wrong, values, f"expected at most {logical.precision} digits")
        return values.cast(wide)
    if not pa.types.is_decimal(kind):
        if physical in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            return (
                _byte_arrays(values, logical) if physical == Type.BYTE_ARRAY else _fixed(values, leaf.type_length or 0)
            )
        raise UsageError(f"{kind} cannot be stored as DECIMAL")
    if logical.precision <= 38:
        wanted, width = pa.decimal128(logical.precision, logical.scale), 16
    elif logical.precision <= 76:
        wanted, width = pa.decimal256(logical.precision, logical.scale), 32
    else:
        raise UsageError("Arrow has no decimal of more than 76 digits; give the values as binary")
    values = values if kind == wanted else values.cast(wanted)
    values.validate(full=True)  # raises for too many digits, which Arrow's decimals may have
    rows = byte_rows(values, width)
    if physical in (Type.INT32, Type.INT64):
        return pa.array(rows.view("<i8")[:, 0].astype(np.int32 if physical == Type.INT32 else np.int64))
    big_endian = rows[:, ::-1]
    if physical == Type.FIXED_LEN_BYTE_ARRAY:
        return _fixed_decimal(big_endian, values, leaf.type_length or 0)
    return pa.array([_shortest(bytes(row)) for row in big_endian], pa.binary())


def _fixed_decimal(big_endian: Any, values: pa.Array, length: int) -> Any:
    width = big_endian.shape[1]
    out = np.empty((len(values), length), np.uint8)
    sign = np.where(big_endian[:, 0] >= 0x80, np.uint8(0xFF), np.uint8(0))
    kept = min(length, width)
    out[:, : length - kept] = sign[:, None]
    out[:, length - kept :] = big_endian[:, width - kept :]
    if length < width:
        lost = (big_endian[:, : width - length] != sign[:, None]).any(axis=1)
        lost |= (out[:, 0] >= 0x80) != (sign != 0)
        _refuse(lost, values, f"a decimal does not fit into {length} bytes")
    return pa.Array.from_buffers(pa.binary(length), len(values), [None, pa.py_buffer(out.tobytes())])


def _shortest(big_endian: bytes) -> bytes:
    """Two's complement in the fewest bytes, as the specification asks for decimals in a BYTE_ARRAY."""
    number = int.from_bytes(big_endian, "big", signed=True)
    bits = number.bit_length() if number >= 0 else (~number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)
