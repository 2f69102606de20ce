"""PLAIN (= 0): values back to back, as they are.

Numbers are little-endian, so the page's bytes *are* the array and nothing is copied. Booleans are bits, the first
one the lowest. BYTE_ARRAY values have their length in 4 bytes in front: there, the work is to find where values
begin (`byte_array_scan`), and to leave the lengths out. Specification: Encodings, "Plain".

The physical arrays that all encodings of values give are made here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import byte_array_scan
from pqexplore.engine.encodings.bits import Buffer, packed_size
from pqexplore.engine.encodings.byte_array_scan import LENGTH_BYTES
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.thrift.structs import Type

MAX_BINARY_BYTES = (1 << 31) - 1
"""More bytes need large_binary: Arrow's binary has offsets of 32 bits."""

LABEL_BYTES = 40
"""Bytes of a value that a step's label shows."""

_NUMBERS: dict[int, pa.DataType] = {
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.FLOAT: pa.float32(),
    Type.DOUBLE: pa.float64(),
    Type.INT96: pa.binary(12),
}


def storage_type(physical_type: int, type_length: int | None = None) -> pa.DataType:
    """The Arrow type of physical arrays; `type_length` is the schema's, for FIXED_LEN_BYTE_ARRAY.

    Raises `UnsupportedFeatureError` for an unknown physical type, and `CorruptFileError` when the length that a
    FIXED_LEN_BYTE_ARRAY needs is missing or negative.
    """
    if physical_type == Type.BOOLEAN:
        return pa.bool_()
    if physical_type == Type.BYTE_ARRAY:
        return pa.binary()
    if physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        if type_length is None or type_length < 0:
            raise CorruptFileError(
                f"a FIXED_LEN_BYTE_ARRAY needs a type_length in the schema, not {type_length}"
            )
        return pa.binary(type_length)
    if physical_type not in _NUMBERS:
        raise UnsupportedFeatureError(f"the physical type number {physical_type} is unknown")
    return _NUMBERS[physical_type]


def value_bytes(physical_type: int, type_length: int | None = None) -> int:
    """The bytes a value of a type of fixed width takes (not BOOLEAN, not BYTE_ARRAY)."""
    width: int = storage_type(physical_type, type_length).bit_width // 8
    return width


def fixed_width_array(
    data: Any, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The physical array over `data`, contiguous little-endian values: a view, or a copy where it is not aligned."""
    kind = storage_type(physical_type, type_length)
    stored = pa.py_buffer(data)
    alignment = 1 if pa.types.is_fixed_size_binary(kind) else kind.bit_width // 8
    if stored.size and stored.address % alignment:
        stored = pa.py_buffer(bytes(data))
    return pa.Array.from_buffers(kind, num_values, [None, stored])


def booleans(values: np.ndarray[Any, Any]) -> pa.Array:
    """The Arrow array of booleans given as an array of 0 and 1."""
    packed = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), values.size, [None, pa.py_buffer(packed)])


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The first `num_values` values of `buffer`, as a physical array; bytes after them are not looked at.

    Values of fixed width are a view of `buffer`; those of BYTE_ARRAY are copied. Raises `CorruptFileError` when the
    buffer is too short or a length points past its end, and what `storage_type` raises.
    """
    kind = storage_type(physical_type, type_length)
    if physical_type == Type.BYTE_ARRAY:
        _check_count(num_values)
        return _decode_byte_arrays(buffer, num_values)
    size = _fixed_size(buffer, num_values, kind)
    view = memoryview(buffer)[:size]
    if physical_type == Type.BOOLEAN:
        return pa.Array.from_buffers(kind, num_values, [None, pa.py_buffer(view)])
    return fixed_width_array(view, num_values, physical_type, type_length)


def _check_count(num_values: int) -> None:
    if num_values < 0:
        raise CorruptFileError(f"a page cannot have {num_values:,} values")


def _fixed_size(buffer: Buffer, num_values: int, kind: pa.DataType) -> int:
    """The bytes of all values, which must be there."""
    _check_count(num_values)
    size = packed_size(kind.bit_width, num_values)
    if size > len(buffer):
        raise CorruptFileError(
            f"{num_values:,} values of {kind.bit_width} bits take {size:,} bytes, but there are only {len(buffer):,}",
            offset=len(buffer),
        )
    return size


def _decode_byte_arrays(buffer: Buffer, num_values: int) -> pa.Array:
    """Lengths and values, read as one array of twice as many slices; of those, Arrow takes every second."""
    raw = bytes(buffer)
    positions, end = byte_array_scan.find_values(raw, num_values)
    large = len(raw) > MAX_BINARY_BYTES
    offsets = np.empty(2 * num_values + 1, np.int64 if large else np.int32)
    offsets[:-1:2] = positions
    offsets[1::2] = positions + LENGTH_BYTES
    offsets[-1] = end
    kind = pa.large_binary() if large else pa.binary()
    slices = pa.Array.from_buffers(
        kind, 2 * num_values, [None, pa.py_buffer(offsets), pa.py_buffer(raw)]
    )
    return slices.take(pa.array(np.arange(1, 2 * num_values, 2)))


def label(value: Any) -> str:
    """A short text for one physical value."""
    if not isinstance(value, bytes):
        return str(value)
    text = repr(value[:LABEL_BYTES])[1:]
    return text if len(value) <= LABEL_BYTES else f"{text}… ({len(value):,} bytes)"


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    first: int = 0,
) -> Iterator[Step]:
    """One step `value` a value, from number `first` on; for BOOLEAN one step `bits` a byte, from the one it is in.

    A BYTE_ARRAY value has the parts `length` and `bytes`. When the buffer ends too early, the BYTE_ARRAY values
    before that come first; then `CorruptFileError`.
    """
    kind = storage_type(physical_type, type_length)
    if physical_type == Type.BYTE_ARRAY:
        _check_count(num_values)
        return _trace_byte_arrays(bytes(buffer), num_values, first)
    values = decode(buffer, num_values, physical_type, type_length)
    if physical_type == Type.BOOLEAN:
        return _trace_booleans(values, num_values, first)
    return _trace_fixed(values, num_values, kind.bit_width // 8, first)


def _trace_fixed(values: pa.Array, num_values: int, width: int, first: int) -> Iterator[Step]:
    for index in range(first, num_values):
        value = values.slice(index, 1)
        start = index * width
        yield Step("value", label(value[0].as_py()), start, start + width, index, 1, value)


def _trace_booleans(values: pa.Array, num_values: int, first: int) -> Iterator[Step]:
    for byte in range(first >> 3, (num_values + 7) >> 3):
        start = 8 * byte
        count = min(8, num_values - start)
        bools = values.slice(start, count)
        text = "".join("01"[value.as_py()] for value in bools)
        facts = {"bit_width": 1, "bit_start": start, "bit_end": start + count}
        yield Step("bits", text, byte, byte + 1, start, count, bools, facts)


def _trace_byte_arrays(raw: bytes, num_values: int, first: int) -> Iterator[Step]:
    _, position = byte_array_scan.find_values(raw, first)
    for index in range(first, num_values):
        start = position + LENGTH_BYTES
        position, begin = byte_array_scan.value_end(raw, position, index, num_values), position
        length = position - start
        value = raw[start:position]
        parts = (
            Step("length", f"{length:,} bytes", begin, start, facts={"length": length}),
            Step("bytes", label(value), start, position),
        )
        array = pa.array([value], pa.binary())
        facts = {"length": length}
        yield Step("value", label(value), begin, position, index, 1, array, facts, parts)


def encode(values: pa.Array) -> bytes:
    """The bytes of a physical array."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return np.packbits(values.to_numpy(zero_copy_only=False), bitorder="little").tobytes()
    if pa.types.is_fixed_size_binary(kind):
        start = values.offset * kind.byte_width
        stored = memoryview(values.buffers()[1] or b"")
        return bytes(stored[start : start + len(values) * kind.byte_width])
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        return bytes(values.to_numpy().tobytes())
    return _encode_byte_arrays(values)


def _encode_byte_arrays(values: pa.Array) -> bytes:
    """Values and lengths, each put where it belongs: value i moves back by i + 1 lengths."""
    if len(values) == 0:
        return b""
    wide = pa.types.is_large_binary(values.type)
    _, offset_buffer, data_buffer = values.buffers()
    stored = np.frombuffer(offset_buffer, np.dtype("i8" if wide else "i4"))
    offsets = stored[values.offset : values.offset + len(values) + 1].astype(np.int64)
    data = np.frombuffer(data_buffer if data_buffer is not None else b"", np.uint8)
    data = data[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    lengths = np.diff(offsets)
    out = np.empty(data.size + LENGTH_BYTES * lengths.size, np.uint8)
    places = (offsets[:-1] + LENGTH_BYTES * np.arange(lengths.size))[:, None] + np.arange(
        LENGTH_BYTES
    )
    is_data = np.ones(out.size, bool)
    is_data[places] = False
    out[is_data] = data
    out[places] = lengths.astype("<u4").view(np.uint8).reshape(-1, LENGTH_BYTES)
    return out.tobytes()
