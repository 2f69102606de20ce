"""The Python value of one primitive Variant value, and the numbers at the start of a container.

`decode` reads a primitive or short string whose span is known. `READERS` is a table of functions by primitive type, each
`(buffer, position after the header) → (value, end)`. They do not check the length of the buffer: the caller compares
`end` with the end of the value.

Specification: "Value encoding" and "Encoding types" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import datetime
import decimal
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.variant_types import Temporal

EPOCH = datetime.datetime(1970, 1, 1)
EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
DAY = 86_400_000_000
"""Microseconds in a day."""

_EXACT = decimal.Context(prec=variant_types.MAX_SCALE + 2)
_EPOCH_ORDINAL = datetime.date(1970, 1, 1).toordinal()

_int8 = struct.Struct("<b").unpack_from
_int16 = struct.Struct("<h").unpack_from
_int32 = struct.Struct("<i").unpack_from
_int64 = struct.Struct("<q").unpack_from
_uint32 = struct.Struct("<I").unpack_from
_float = struct.Struct("<f").unpack_from
_double = struct.Struct("<d").unpack_from

Reader = Callable[[bytes, int], tuple[Any, int]]


@dataclass(frozen=True, slots=True)
class Container:
    """The layout of an object or array: positions in the buffer, sizes in bytes."""

    count: int
    ids: int
    id_size: int
    offsets: int
    offset_size: int
    values: int


def container(raw: bytes, start: int, end: int) -> Container:
    """The layout of the object or array that starts at `start` and must end at or before `end`.

    Raises CorruptFileError if its numbers do not fit; the offsets themselves are not checked.
    """
    byte = raw[start]
    is_object = byte & 3 == variant_types.OBJECT
    large = byte >> (6 if is_object else 4) & 1
    ids = start + (5 if large else 2)
    name = variant_types.BASIC_TYPES[byte & 3]
    if ids > end:
        raise CorruptFileError(f"a Variant {name} ends inside its number of elements", offset=start)
    count = int.from_bytes(raw[start + 1 : ids], "little")
    id_size = (byte >> 4 & 3) + 1 if is_object else 0
    offset_size = (byte >> 2 & 3) + 1
    offsets = ids + count * id_size
    values = offsets + (count + 1) * offset_size
    if values > end:
        raise CorruptFileError(
            f"a Variant {name} of {count:,} elements needs {values - start:,} bytes before its values, "
            f"{end - start:,} are left",
            offset=start + 1,
        )
    return Container(count, ids, id_size, offsets, offset_size, values)


def decode(raw: bytes, start: int, end: int) -> Any:
    """The Python value of the primitive or short string that takes exactly `[start, end)`.

    Raises CorruptFileError for text that is not UTF-8 and a scale above 38, UnsupportedFeatureError for an unknown type.
    `variant.decode.decode` lists the Python types.
    """
    byte = raw[start]
    if byte & 3 == variant_types.SHORT_STRING:
        return text(raw, start + 1, end)
    kind = byte >> 2
    if kind >= len(READERS):
        raise UnsupportedFeatureError(f"primitive type {kind} of a Variant value is not known", offset=start)
    if kind == variant_types.STRING:
        return text(raw, start + 5, end)
    if kind in variant_types.DECIMAL_BYTES and raw[start + 1] > variant_types.MAX_SCALE:
        raise CorruptFileError(
            f"a Variant decimal has scale {raw[start + 1]}; the largest is {variant_types.MAX_SCALE}", offset=start + 1
        )
    if kind == variant_types.TIME:
        ticks = _int64(raw, start + 1)[0]
        if not 0 <= ticks < DAY:
            return Temporal(variant_types.TIME, ticks)
    return READERS[kind](raw, start + 1)[0]


def text(raw: bytes, start: int, end: int) -> str:
    """UTF-8 as text. Raises CorruptFileError at the first invalid byte."""
    try:
        return raw[start:end].decode()
    except UnicodeDecodeError as error:
        raise CorruptFileError(f"a Variant string is not UTF-8: {error.reason}", offset=start + error.start) from None


def unscaled(value: int, scale: int) -> decimal.Decimal:
    """A decimal from its digits and scale, exactly; scales up to 38."""
    return decimal.Decimal(value).scaleb(-scale, _EXACT)


def _null(raw: bytes, at: int) -> tuple[Any, int]:
    return None, at


def _true(raw: bytes, at: int) -> tuple[Any, int]:
    return True, at


def _false(raw: bytes, at: int) -> tuple[Any, int]:
    return False, at


def _int8_at(raw: bytes, at: int) -> tuple[Any, int]:
    return _int8(raw, at)[0], at + 1


def _int16_at(raw: bytes, at: int) -> tuple[Any, int]:
    return _int16(raw, at)[0], at + 2


def _int32_at(raw: bytes, at: int) -> tuple[Any, int]:
    return _int32(raw, at)[0], at + 4


def _int64_at(raw: bytes, at: int) -> tuple[Any, int]:
    return _int64(raw, at)[0], at + 8


def _double_at(raw: bytes, at: int) -> tuple[Any, int]:
    return _double(raw, at)[0], at + 8


def _float_at(raw: bytes, at: int) -> tuple[Any, int]:
    return np.float32(_float(raw, at)[0]), at + 4


def _decimal(size: int) -> Reader:
    def read(raw: bytes, at: int) -> tuple[Any, int]:
        scale = raw[at]
        if scale > variant_types.MAX_SCALE:
            raise ValueError(scale)
        end = at + 1 + size
        return unscaled(int.from_bytes(raw[at + 1 : end], "little", signed=True), scale), end

    return read


def _date(raw: bytes, at: int) -> tuple[Any, int]:
    days = _int32(raw, at)[0]
    ordinal = days + _EPOCH_ORDINAL
    if 1 <= ordinal <= 3_652_059:
        return datetime.date.fromordinal(ordinal), at + 4
    return Temporal(variant_types.DATE, days), at + 4


def _timestamp(type_id: int, epoch: datetime.datetime) -> Reader:
    def read(raw: bytes, at: int) -> tuple[Any, int]:
        ticks = _int64(raw, at)[0]
        try:
            return epoch + datetime.timedelta(microseconds=ticks), at + 8
        except OverflowError:
            return Temporal(type_id, ticks), at + 8

    return read


def _nanos(type_id: int) -> Reader:
    def read(raw: bytes, at: int) -> tuple[Any, int]:
        return Temporal(type_id, _int64(raw, at)[0]), at + 8

    return read


def _time(raw: bytes, at: int) -> tuple[Any, int]:
    ticks = _int64(raw, at)[0]
    if not 0 <= ticks < DAY:
        return Temporal(variant_types.TIME, ticks), at + 8
    return (EPOCH + datetime.timedelta(microseconds=ticks)).time(), at + 8


def _binary(raw: bytes, at: int) -> tuple[Any, int]:
    end = at + 4 + _uint32(raw, at)[0]
    return raw[at + 4 : end], end


def _string(raw: bytes, at: int) -> tuple[Any, int]:
    end = at + 4 + _uint32(raw, at)[0]
    return raw[at + 4 : end].decode(), end


def _uuid(raw: bytes, at: int) -> tuple[Any, int]:
    return uuid.UUID(bytes=raw[at : at + 16]), at + 16


READERS: tuple[Reader, ...] = (
    _null,
    _true,
    _false,
    _int8_at,
    _int16_at,
    _int32_at,
    _int64_at,
    _double_at,
    _decimal(4),
    _decimal(8),
    _decimal(16),
    _date,
    _timestamp(variant_types.TIMESTAMP, EPOCH_UTC),
    _timestamp(variant_types.TIMESTAMP_NTZ, EPOCH),
    _float_at,
    _binary,
    _string,
    _time,
    _nanos(variant_types.TIMESTAMP_NANOS),
    _nanos(variant_types.TIMESTAMP_NTZ_NANOS),
    _uuid,
)
"""Readers by primitive type. They can raise IndexError, ValueError and struct.error; callers then use `spans`."""

SIZES = tuple(-1 if p.width is None else p.width for p in variant_types.PRIMITIVES)
"""Bytes after the header by primitive type; -1 if the value has a length."""
