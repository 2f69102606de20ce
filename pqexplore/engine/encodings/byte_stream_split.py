"""BYTE_STREAM_SPLIT (= 9): the first bytes of all values, then all second bytes, and so on.

Values of K bytes become K streams, one behind the other, each as long as there are values. Nothing gets smaller;
but sign and exponent bytes, now side by side, are alike, and compress well. In code it is the transposition of a
matrix. Specification: Encodings, "Byte Stream Split".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import plain
from pqexplore.engine.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.thrift.structs import Type, enum_name

TYPES = (Type.FLOAT, Type.DOUBLE, Type.INT32, Type.INT64, Type.FIXED_LEN_BYTE_ARRAY)
"""The physical types that the specification allows."""

WIDE = 64
"""Bytes a value must have for a copy value by value to be faster than one stream by stream."""


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The `num_values` values of `buffer`, as a physical array.

    Raises `CorruptFileError` when the buffer is not exactly `num_values` × width bytes ("No padding is allowed
    inside the data page"), and for other physical types than FLOAT, DOUBLE, INT32, INT64, FIXED_LEN_BYTE_ARRAY.
    """
    streams = _streams(buffer, num_values, physical_type, type_length)
    width = streams.shape[0]
    if width == 4:
        values = _zipped(streams)
    elif width > WIDE:
        values = np.ascontiguousarray(streams.T)
    else:
        values = np.empty((num_values, width), np.uint8)
        for byte in range(width):
            values[:, byte] = streams[byte]
    return plain.fixed_width_array(values.reshape(-1), num_values, physical_type, type_length)


def _zipped(streams: UnsignedArray) -> UnsignedArray:
    """The bytes of values of 4 bytes: two streams become one of twice the width, and again."""
    for width in (2, 4):
        wider: UnsignedArray = streams.astype(f"<u{width}")
        high = wider[1::2]
        high <<= 4 * width
        streams = wider[::2]
        streams |= high
    together: UnsignedArray = streams[0].view(np.uint8)
    return together


def _streams(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None
) -> UnsignedArray:
    """The bytes as a matrix: one row a stream, one column a value."""
    if physical_type not in TYPES:
        raise CorruptFileError(
            f"BYTE_STREAM_SPLIT does not encode values of physical type {enum_name(Type, physical_type)}"
        )
    width = plain.value_bytes(physical_type, type_length)
    if num_values < 0:
        raise CorruptFileError(f"a page cannot have {num_values:,} values")
    if num_values * width != len(buffer):
        raise CorruptFileError(
            f"{num_values:,} values of {width} bytes split into streams take {num_values * width:,} bytes, "
            f"but there are {len(buffer):,}",
            offset=min(num_values * width, len(buffer)),
        )
    return np.frombuffer(buffer, np.uint8).reshape(width, num_values)


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    first: int = 0,
) -> Iterator[Step]:
    """The streams (steps `stream`, no values), then the values from number `first` on (steps `value`).

    The bytes of a value are one in each stream: its parts `byte`. Its span reaches from the first to the last of
    them, so the spans of values overlap.
    """
    width = _streams(buffer, num_values, physical_type, type_length).shape[0]
    for stream in range(width):
        start = stream * num_values
        yield Step(
            "stream",
            f"byte {stream} of each value",
            start,
            start + num_values,
            facts={"stream": stream},
        )
    values = decode(buffer, num_values, physical_type, type_length)
    for index in range(first, num_values):
        value = values.slice(index, 1)
        positions = [stream * num_values + index for stream in range(width)]
        parts = tuple(
            Step("byte", f"{buffer[at]:02x}", at, at + 1, facts={"stream": stream})
            for stream, at in enumerate(positions)
        )
        start = positions[0] if positions else 0
        end = positions[-1] + 1 if positions else 0
        label = plain.label(value[0].as_py())
        yield Step("value", label, start, end, index, 1, value, {"positions": positions}, parts)


def encode(values: pa.Array) -> bytes:
    """The streams of a physical array of one of `TYPES`."""
    if len(values) == 0:
        return b""
    return np.frombuffer(plain.encode(values), np.uint8).reshape(len(values), -1).T.tobytes()
