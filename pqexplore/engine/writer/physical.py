"""Values as they are stored: an Arrow array of logical values becomes the physical array of its leaf.

The reverse of `types.to_arrow`. Where the bits are the same, the array changes its type and keeps its buffers. A value
that the stored form cannot hold (a decimal of more digits than the precision, an integer out of its annotation's
range, text that is no UTF-8) is refused, with the rule and the first value that breaks it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import plain
from pqexplore.engine.errors import UsageError
from pqexplore.engine.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH
from pqexplore.engine.logical import Annotation, annotation, describe
from pqexplore.engine.schema import Leaf
from pqexplore.engine.thrift.structs import Type, enum_name

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": NANOSECONDS_PER_DAY}


def to_physical(values: pa.Array, leaf: Leaf) -> pa.Array:
    """The physical array of a null-free Arrow array; UsageError where a value does not fit, or the types do not."""
    try:
        return _to_physical(values, leaf)
    except UsageError as error:
        raise UsageError(f"{'.'.join(leaf.path)}: {error}") from None
    except pa.ArrowInvalid as error:
        raise UsageError(f"{'.'.join(leaf.path)} ({describe(leaf)}): {error}") from None


def _to_physical(values: pa.Array, leaf: Leaf) -> pa.Array:
    found, target, kind = annotation(leaf), leaf.physical_type, values.type
    if not len(values) or pa.types.is_null(kind):
        return pa.array([], plain.storage_type(target, leaf.type_length))
    if found.name == "UNKNOWN":
        raise UsageError(f"UNKNOWN says that all values are null, and {len(values):,} are not")
    if found.name == "DECIMAL":
        return _decimal(values, leaf, found)
    if target == Type.INT96:
        return _int96(values)
    if target in (Type.INT32, Type.INT64):
        return _integers(values, leaf, found)
    if target in (Type.FLOAT, Type.DOUBLE):
        wanted = pa.float32() if target == Type.FLOAT else pa.float64()
        if pa.types.is_floating(kind):
            return values if kind == wanted else values.cast(wanted)
    if target == Type.BOOLEAN and pa.types.is_boolean(kind):
        return values
    if target == Type.BYTE_ARRAY:
        return _byte_arrays(values, found)
    if target == Type.FIXED_LEN_BYTE_ARRAY:
        return _fixed(values, leaf.type_length or 0)
    raise UsageError(f"{kind} cannot be stored as {enum_name(Type, target)}")


def _same_bits(values: pa.Array, kind: pa.DataType) -> Any:
    """The array in another type of the same layout."""
    return pa.Array.from_buffers(kind, len(values), values.buffers(), 0, values.offset)


def _refuse(wrong: Any, values: pa.Array, rule: str) -> None:
    """Raise UsageError with the rule and the first value for which `wrong` holds."""
    if wrong.any():
        first = int(np.argmax(wrong))
        raise UsageError(f"{rule}; value {first:,} is {values[first]}")


def _integers(values: pa.Array, leaf: Leaf, found: Annotation) -> Any:
    kind, wide = values.type, leaf.physical_type == Type.INT64
    target = pa.int64() if wide else pa.int32()
    if found.name == "DATE" and pa.types.is_date(kind):
        return _same_bits(values.cast(pa.date32()), target)
    if found.name == "TIME" and pa.types.is_time(kind):
        wanted = pa.time32("ms") if found.unit == "ms" else pa.time64(found.unit)
        return _same_bits(values.cast(wanted), target)
    if found.name == "TIMESTAMP" and pa.types.is_timestamp(kind):
        return _same_bits(values.cast(pa.timestamp(found.unit, kind.tz)), target)
    if pa.types.is_duration(kind) and wide:
        return _same_bits(values, target)
    if not pa.types.is_integer(kind):
        raise UsageError(f"{kind} cannot be stored as {describe(leaf)}")
    bits, signed = (found.bit_width, found.signed) if found.name == "INTEGER" else (0, True)
    bits = bits or (64 if wide else 32)
    if kind == target and signed and bits == kind.bit_width:
        return values
    numbers = values.to_numpy(zero_copy_only=False)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    info = np.iinfo(numbers.dtype)
    wrong = np.zeros(len(numbers), bool)
    if info.min < low:
        wrong |= numbers < low
    if info.max > high:
        wrong |= numbers > high
    _refuse(wrong, values, f"an integer from {low:,} to {high:,} is needed")
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
    _refuse(days != days.astype(np.int32), values, "a Julian day has 4 bytes")
    out["day"] = days
    return pa.Array.from_buffers(pa.binary(12), len(out), [None, pa.py_buffer(out.tobytes())])


_TEXT = frozenset(("STRING", "ENUM", "JSON"))


def _byte_arrays(values: pa.Array, found: Annotation) -> Any:
    kind = values.type
    if str(kind).endswith("_view"):
        values = values.cast(pa.string() if str(kind) == "string_view" else pa.binary())
        kind = values.type
    if pa.types.is_fixed_size_binary(kind):
        values = values.cast(pa.binary())
        kind = values.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    if not text and not (pa.types.is_binary(kind) or large):
        raise UsageError(f"{kind} cannot be stored as BYTE_ARRAY")
    if found.name in _TEXT and not text:
        values.cast(pa.large_string() if large else pa.string())  # refuses what is no UTF-8
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
        return values.cast(pa.binary(length))
    raise UsageError(f"{kind} cannot be stored as FIXED_LEN_BYTE_ARRAY({length})")


def _intervals(values: pa.Array) -> Any:
    """Months, days and milliseconds, 4 bytes each, unsigned (specification, "INTERVAL")."""
    start = values.offset * 16
    stored = np.frombuffer(values.buffers()[1], np.uint8)[start : start + 16 * len(values)]
    parts = stored.view([("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")])
    _refuse(parts["nanos"] % 1_000_000 != 0, values, "an INTERVAL counts milliseconds")
    out = np.empty((len(values), 3), "<u4")
    for place, counts in enumerate((parts["months"], parts["days"], parts["nanos"] // 1_000_000)):
        _refuse((counts < 0) | (counts >= 1 << 32), values, "an INTERVAL has no negative parts")
        out[:, place] = counts
    return pa.Array.from_buffers(pa.binary(12), len(values), [None, pa.py_buffer(out.tobytes())])


def _decimal(values: pa.Array, leaf: Leaf, found: Annotation) -> Any:
    kind, physical = values.type, leaf.physical_type
    if pa.types.is_integer(kind) and physical in (Type.INT32, Type.INT64):  # unscaled already
        wide = pa.int64() if physical == Type.INT64 else pa.int32()
        numbers = values.cast(wide).to_numpy(zero_copy_only=False)
        most = 10**found.precision - 1
        wrong = (numbers > most) | (numbers < -most)
        _refuse(wrong, values, f"a precision of {found.precision} digits")
        return values.cast(wide)
    if not pa.types.is_decimal(kind):
        if physical in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            return (
                _byte_arrays(values, found)
                if physical == Type.BYTE_ARRAY
                else _fixed(values, leaf.type_length or 0)
            )
        raise UsageError(f"{kind} cannot be stored as DECIMAL")
    if found.precision <= 38:
        wanted, width = pa.decimal128(found.precision, found.scale), 16
    elif found.precision <= 76:
        wanted, width = pa.decimal256(found.precision, found.scale), 32
    else:
        raise UsageError("Arrow has no decimal of more than 76 digits; give the bytes")
    values = values if kind == wanted else values.cast(wanted)
    values.validate(full=True)  # Arrow does not keep a decimal from having too many digits
    start = values.offset * width
    stored = np.frombuffer(values.buffers()[1], np.uint8)[start : start + width * len(values)]
    rows = stored.reshape(-1, width)
    if physical in (Type.INT32, Type.INT64):
        return pa.array(
            rows.view("<i8")[:, 0].astype(np.int32 if physical == Type.INT32 else np.int64)
        )
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
        _refuse(lost, values, f"{length} bytes hold the decimal")
    return pa.Array.from_buffers(
        pa.binary(length), len(values), [None, pa.py_buffer(out.tobytes())]
    )


def _shortest(big_endian: bytes) -> bytes:
    """Two's complement in the fewest bytes, as the specification asks for decimals in a BYTE_ARRAY."""
    number = int.from_bytes(big_endian, "big", signed=True)
    bits = number.bit_length() if number >= 0 else (~number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)
