"""PLAIN (= 0): values back to back, as they are.

Numbers are little-endian, so the page's bytes *are* the array and nothing is copied. Booleans are bits, the first
one the lowest. BYTE_ARRAY values have their length in 4 bytes in front: there, the work is to find where values
begin (`byte_array_scan`), and to leave the lengths out.

The physical arrays that all encodings of values give are made here, too.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#PLAIN
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute
from pqexplore.engine.arrays import arrow_numbers, numpy_numbers
from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import byte_array_scan
from pqexplore.engine.format.encodings.bits import Buffer, packed_size
from pqexplore.engine.format.encodings.byte_array_scan import LENGTH_BYTES
from pqexplore.engine.format.encodings.encoding import Array, Structure, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import SHOWN, Form, Group, Part, Row, Step, bytes_part, little_endian, read_bits
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

_FLOATS: dict[int, tuple[int, int]] = {Type.FLOAT: (23, 8), Type.DOUBLE: (52, 11)}
"""Bits of the fraction and of the exponent."""


def value_groups(physical_type: int, size: int) -> tuple[Group, ...]:
    """What the bits of a PLAIN value of fixed width are."""
    if physical_type in _FLOATS:
        fraction, exponent = _FLOATS[physical_type]
        return (
            Group(0, fraction, "fraction", "fraction"),
            Group(fraction, fraction + exponent, "exponent", "exponent"),
            Group(8 * size - 1, 8 * size, "sign", "sign"),
        )
    if physical_type == Type.INT96:
        return (Group(0, 64, "nanoseconds of the day", "fraction"), Group(64, 96, "Julian day", "exponent"))
    return ()


def value_says(physical_type: int, raw: bytes) -> tuple[str, ...]:
    """How the bytes of a PLAIN value of fixed width are read."""
    if physical_type in (Type.INT32, Type.INT64):
        number = int.from_bytes(raw, "little", signed=True)
        return (f"{len(raw)} bytes, the lowest first, two's complement = {number:,}",)
    if physical_type in _FLOATS:
        fraction, exponent = _FLOATS[physical_type]
        bits = int.from_bytes(raw, "little")
        power = bits >> fraction & (1 << exponent) - 1
        rest = bits & (1 << fraction) - 1
        sign = "−" if bits >> (fraction + exponent) else "+"
        bias = (1 << (exponent - 1)) - 1
        if power == (1 << exponent) - 1:
            return ("the exponent is all ones: " + ("not a number" if rest else f"{sign}infinity"),)
        if not power:
            return (f"exponent 0: {sign}{rest:,} / 2^{fraction} × 2^{1 - bias}",)
        return (
            f"sign {sign}, exponent {power:,} − {bias:,} = {power - bias:,}, "
            f"fraction {rest:,} / 2^{fraction}: {sign}(1 + fraction) × 2^{power - bias:,}",
        )
    if physical_type == Type.INT96:
        day = int.from_bytes(raw[8:], "little", signed=True)
        nanos = int.from_bytes(raw[:8], "little", signed=True)
        return (f"Julian day {day:,} and {nanos:,} nanoseconds",)
    return (f"{len(raw):,} bytes as they are; the schema says how many",)


VALUE = Kind("value", "One value as it is.", "values")
BITS = Kind("bits", "Eight booleans in a byte, the first in its lowest bit.", "values")

MAX_BINARY_BYTES = (1 << 31) - 1
"""More bytes need large_binary: Arrow's binary has offsets of 32 bits."""

_NUMBERS: dict[int, pa.DataType] = {
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.FLOAT: pa.float32(),
    Type.DOUBLE: pa.float64(),
    Type.INT96: pa.binary(12),
}

WIDTHS: dict[int, int] = {physical: kind.bit_width // 8 for physical, kind in _NUMBERS.items()}
"""Bytes of a value, of the types whose values have all the same."""


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
            raise CorruptFileError(f"a FIXED_LEN_BYTE_ARRAY needs a type_length in the schema, not {type_length}")
        return pa.binary(type_length)
    if physical_type not in _NUMBERS:
        raise UnsupportedFeatureError(f"the physical type number {physical_type} is unknown")
    return _NUMBERS[physical_type]


def value_bytes(physical_type: int, type_length: int | None = None) -> int:
    """The bytes a value of a type of fixed width takes (not BOOLEAN, not BYTE_ARRAY)."""
    width: int = storage_type(physical_type, type_length).bit_width // 8
    return width


def fixed_width_array(data: Any, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
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


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
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
            f"{plural(num_values, 'value')} of {plural(kind.bit_width, 'bit')} "
            f"{'takes' if num_values == 1 else 'take'} {plural(size, 'byte')}, but there are only {len(buffer):,}",
            offset=len(buffer),
        )
    return size


def _decode_byte_arrays(buffer: Buffer, num_values: int) -> pa.Array:
    raw = memoryview(buffer)  # not copied: a page can be large
    return byte_arrays(raw, *byte_array_scan.find_values(raw, num_values))


def byte_arrays(raw: memoryview, positions: Array, end: int) -> pa.Array:
    """The values that `byte_array_scan.find_values` found.

    Lengths and values, read as one array of twice as many slices; of those, Arrow takes every second.
    """
    num_values = positions.size
    large = len(raw) > MAX_BINARY_BYTES
    offsets = np.empty(2 * num_values + 1, np.int64 if large else np.int32)
    offsets[:-1:2] = positions
    offsets[1::2] = positions + LENGTH_BYTES
    offsets[-1] = end
    kind = pa.large_binary() if large else pa.binary()
    slices = pa.Array.from_buffers(kind, 2 * num_values, [None, pa.py_buffer(offsets), pa.py_buffer(raw)])
    return compute.take(slices, arrow_numbers(np.arange(1, 2 * num_values, 2)), boundscheck=False)


@dataclasses.dataclass(eq=False)
class Values(Structure):
    """The structure of a PLAIN section: a value is a step, or of booleans a byte.

    `positions` are the bytes where the values of BYTE_ARRAY begin, each with its length; `used` are those of all values.
    """

    raw: Buffer
    count: int
    physical_type: int
    type_length: int | None
    width: int
    positions: Array
    used: int
    error: ParquetError | None
    about_plain = True

    @property
    def end(self) -> int:
        """The byte after the last value."""
        return self.used

    @once
    def steps(self) -> Steps:
        """Values, or bytes of booleans."""
        steps, count = Steps(VALUE, BITS), self.count
        if self.physical_type == Type.BYTE_ARRAY:
            ends = np.append(self.positions[1:], self.end)[:count]
            steps.add(VALUE, self.positions, ends, range(count), 1)
        elif self.physical_type == Type.BOOLEAN:
            octets = count + 7 >> 3
            counts = np.full(octets, 8)
            counts[-1:] -= 8 * octets - count
            steps.add(BITS, range(octets), range(1, octets + 1), range(0, 8 * octets, 8), counts)
        elif self.width:
            starts, size = range(0, self.end, self.width), self.width
            steps.add(VALUE, starts, range(size, self.end + 1, size), range(count), 1)
        elif count:
            steps.add(VALUE, 0, 0, range(count), 1)
        return steps

    @once
    def values(self) -> pa.Array:
        """The physical array of the values before the damage."""
        if self.physical_type == Type.BYTE_ARRAY:
            return byte_arrays(memoryview(self.raw), self.positions, self.end)
        return decode(self.raw, self.count, self.physical_type, self.type_length)

    def label(self, step: int) -> str:
        """The bits of booleans, or the size of a value."""
        kind, start, end, first, count = self.steps[step]
        if kind is BITS:
            return "".join("01"[self.values[i].as_py()] for i in range(first, first + count))
        if self.physical_type == Type.BYTE_ARRAY:
            return f"{LENGTH_BYTES} bytes of length, {end - start - LENGTH_BYTES:,} of value"
        return f"{end - start:,} bytes"

    def facts(self, step: int) -> dict[str, Any]:
        """The length of a byte array; which bits are booleans."""
        kind, start, end, _, count = self.steps[step]
        if kind is BITS:
            return {"bit_width": 1, "bit_start": 8 * start, "bit_end": 8 * start + count}
        return {"length": end - start - LENGTH_BYTES} if self.physical_type == Type.BYTE_ARRAY else {}

    def pieces(self, step: int) -> tuple[Step, ...]:
        """A byte array's length and bytes."""
        if self.physical_type != Type.BYTE_ARRAY:
            return ()
        _, start, end, _, _ = self.steps[step]
        begin = start + LENGTH_BYTES
        length = end - begin
        return (
            Step("length", f"{length:,} bytes", start, begin, facts={"length": length}),
            Step("bytes", "the value", begin, end),
        )

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The bits of a number, the length of a byte array, the booleans of a byte."""
        kind, start, end, first, count = self.steps[step]
        if kind is BITS:
            return _explain_booleans(bytes(self.raw[start:end]), start, first, count)
        if pieces := self.pieces(step):
            length, body = pieces
            return [
                little_endian(length.kind, self.raw, start, LENGTH_BYTES),
                bytes_part(body.kind, self.raw, body.start, body.end, (), "text"),
            ], [Row(first, "", f"the {body.end - body.start:,} bytes after the length")]
        raw = bytes(self.raw[start:end])
        says, groups = (value_says(self.physical_type, raw), value_groups(self.physical_type, end - start))
        if self.physical_type in (Type.INT32, Type.INT64):
            groups = (Group(0, 8 * len(raw), "value", "value", first),)
        form: Form = "bits" if groups else "bytes"
        return [Part("value", start, end, start, raw[:SHOWN], groups, says, form)], [Row(first, "", says[0])]

    def summary(self, what: str) -> str:
        """Nothing is done."""
        return f"{what} as {'they are' if self.count != 1 else 'it is'} (PLAIN)"

    def remark(self) -> str:
        """What one value takes."""
        if self.physical_type == Type.BOOLEAN:
            return ", a bit each"
        if self.physical_type == Type.BYTE_ARRAY:
            return f"; {4 * self.count:,} of them say how long each value is"
        return f", {self.width:,} each" if self.count else ""


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Values:
    """Find where values begin. Raises what `storage_type` raises; damage is in the structure's `error`."""
    kind, error = storage_type(physical_type, type_length), None
    _check_count(num_values)
    if physical_type == Type.BYTE_ARRAY:
        raw = memoryview(buffer)
        try:
            positions, end = byte_array_scan.find_values(raw, num_values)
        except CorruptFileError as damage:
            positions, end = byte_array_scan.values_before_damage(raw, num_values)
            error = damage
        return Values(raw, positions.size, physical_type, type_length, 0, positions, end, error)
    bits, positions = kind.bit_width, np.zeros(0, np.int64)
    try:
        end = _fixed_size(buffer, num_values, kind)
    except CorruptFileError as damage:
        num_values, error = len(buffer) * 8 // bits, damage
        end = packed_size(bits, num_values)
    return Values(buffer, num_values, physical_type, type_length, bits // 8, positions, end, error)


def _explain_booleans(byte: bytes, start: int, first: int, count: int) -> tuple[list[Part], list[Row]]:
    rows, groups = [], []
    for bit in range(count):
        value = byte[0] >> bit & 1
        groups.append(Group(bit, bit + 1, f"{bool(value)}".lower(), "value", first + bit))
        rows.append(Row(first + bit, str(value), f"bit {bit} of the byte = {value}"))
    if count < 8:
        groups.append(Group(count, 8, "padding", "padding"))
    says = "a bit a value; the first value is the lowest bit"
    return [Part("bits", start, start + 1, start, byte, tuple(groups), (says,))], rows


def encode(values: pa.Array) -> bytes:
    """The bytes of a physical array."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return np.packbits(numpy_numbers(values), bitorder="little").tobytes()
    if pa.types.is_fixed_size_binary(kind):
        start = values.offset * kind.byte_width
        stored = memoryview(values.buffers()[1] or b"")
        return bytes(stored[start : start + len(values) * kind.byte_width])
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        return numpy_numbers(values).tobytes()
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
    places = (offsets[:-1] + LENGTH_BYTES * np.arange(lengths.size))[:, None] + np.arange(LENGTH_BYTES)
    is_data = np.ones(out.size, bool)
    is_data[places] = False
    out[is_data] = data
    out[places] = lengths.astype("<u4").view(np.uint8).reshape(-1, LENGTH_BYTES)
    return out.tobytes()


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[Any]:
    """The values as the specification reads them, one at a time: int, float, bool or bytes."""
    formats: dict[int, str] = {Type.INT32: "<i", Type.INT64: "<q", Type.FLOAT: "<f", Type.DOUBLE: "<d"}
    raw, at, values = bytes(buffer), 0, list[Any]()
    for index in range(num_values):
        if physical_type == Type.BOOLEAN:
            values.append(bool(read_bits(raw, index, 1)))
        elif physical_type == Type.BYTE_ARRAY:
            length = int.from_bytes(raw[at : at + 4], "little")
            values.append(raw[at + 4 : at + 4 + length])
            at += 4 + length
        elif physical_type in formats:
            values.append(struct.unpack_from(formats[physical_type], raw, at)[0])
            at += struct.calcsize(formats[physical_type])
        else:  # INT96, FIXED_LEN_BYTE_ARRAY
            size = 12 if physical_type == Type.INT96 else type_length or 0
            values.append(raw[at : at + size])
            at += size
    return values


ENCODING = ValueEncoding(Encoding.PLAIN, tuple(Type), scan, decode, encode, reference, fixed_width=True)
