"""BYTE_STREAM_SPLIT (= 9): the first bytes of all values, then all second bytes, and so on.

Values of K bytes become K streams, one after the other, each with one byte of every value. The size stays the same,
but similar bytes, such as those with sign and exponent, are adjacent and compress well. In code it is the transposition
of a matrix.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#BYTESTREAMSPLIT
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.encoding import Structure, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import SHOWN, Form, Part, Row, Step, bytes_part
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

STREAM = Kind("stream", "One byte of every value: all first bytes, all second bytes, …")
VALUE = plain.VALUE

WIDE = 64
"""Bytes of a value from which a copy value by value is faster than a copy stream by stream."""


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
    """The `num_values` values of `buffer`, as a physical array.

    Raises `CorruptFileError` when the buffer is not exactly `num_values` × width bytes ("No padding is allowed
    inside the data page"), and UnsupportedFeatureError for a physical type that is not of fixed width, or INT96.
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


def _streams(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None) -> UnsignedArray:
    """The bytes as a matrix: one row a stream, one column a value."""
    ENCODING.require(physical_type)
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


@dataclasses.dataclass(eq=False)
class Streams(Structure):
    """The streams, then the values, whose bytes lie one in each stream; so the spans of values overlap."""

    raw: Buffer
    count: int
    width: int
    physical_type: int
    type_length: int | None
    error = None

    @property
    def end(self) -> int:
        """The byte after the last stream."""
        return self.width * self.count

    @once
    def steps(self) -> Steps:
        """`width` streams, then `count` values."""
        steps, count, end = Steps(STREAM, VALUE), self.count, self.end
        if end:
            steps.add(STREAM, range(0, end, count), range(count, end + 1, count))
        reach = end - count + 1 if end else 0
        steps.add(VALUE, range(count), range(reach, reach + count), range(count), 1)
        return steps

    @once
    def values(self) -> pa.Array:
        """The physical array."""
        return decode(self.raw, self.count, self.physical_type, self.type_length)

    def positions(self, step: int) -> range:
        """Where the bytes of a value are."""
        index = self.steps[step].first
        return range(index, index + self.end, self.count)[: self.width]

    def label(self, step: int) -> str:
        """Which byte of the values a stream has."""
        kind, start, _, _, _ = self.steps[step]
        if kind is STREAM:
            return f"byte {start // self.count} of {self.count:,} values"
        return f"one byte of each of {self.width} streams"

    def size(self, step: int) -> int:
        """The bytes that are the step's own: a value has one in each stream."""
        return self.count if self.steps[step].kind is STREAM else self.width

    def facts(self, step: int) -> dict[str, Any]:
        """The stream's number, or the positions of a value's bytes."""
        if self.steps[step].kind is STREAM:
            return {"stream": step}
        return {"positions": list(self.positions(step))}

    def pieces(self, step: int) -> tuple[Step, ...]:
        """The bytes of a value."""
        if self.steps[step].kind is STREAM:
            return ()
        return tuple(
            Step("byte", f"{self.raw[at]:02x}", at, at + 1, facts={"stream": stream})
            for stream, at in enumerate(self.positions(step))
        )

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """How many different bytes a stream has; a value's bytes, put side by side."""
        kind, start, end, index, _ = self.steps[step]
        if kind is STREAM:
            variety = len(set(bytes(self.raw[start:end])))
            says = (
                f"{variety:,} different bytes among {end - start:,}: the fewer there are, the better the stream "
                "compresses"
            )
            return [bytes_part("stream", self.raw, start, end, (says,))], []
        places = tuple(self.positions(step)[:SHOWN])
        raw = bytes(self.raw[place] for place in places)
        lines = plain.value_says(self.physical_type, raw)
        if self.width > SHOWN:
            lines = (f"{self.width:,} bytes as they are; the schema says how many",)
        groups = plain.value_groups(self.physical_type, len(raw))
        says = f"byte {index:,} of each of the {self.width} streams, put side by side"
        form: Form = "bits" if groups else "bytes"
        part = Part("value", start, end, start, raw, groups, (says, *lines), form, places=places)
        return [part], [Row(index, "", lines[0])]

    def summary(self, what: str) -> str:
        """How many streams."""
        return f"{what} of {plural(self.width, 'byte')} in {plural(self.width, 'stream')}"

    def remark(self) -> str:
        """Why one does it."""
        return "; it is the compression after it that gains"


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Streams:
    """The streams. Raises as `decode`."""
    width = _streams(buffer, num_values, physical_type, type_length).shape[0]
    return Streams(buffer, num_values, width, physical_type, type_length)


def encode(values: pa.Array) -> bytes:
    """The streams of a physical array of fixed width."""
    if len(values) == 0:
        return b""
    return np.frombuffer(plain.encode(values), np.uint8).reshape(len(values), -1).T.tobytes()


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[Any]:
    """Byte s of value i is byte i of stream s; put together, they are a PLAIN value."""
    width = plain.value_bytes(physical_type, type_length)
    values = []
    for index in range(num_values):
        raw = bytes(buffer[stream * num_values + index] for stream in range(width))
        values += plain.reference(raw, 1, physical_type, type_length)
    return values


ENCODING = ValueEncoding(
    Encoding.BYTE_STREAM_SPLIT,
    (Type.FLOAT, Type.DOUBLE, Type.INT32, Type.INT64, Type.FIXED_LEN_BYTE_ARRAY),
    scan,
    decode,
    encode,
    reference,
    fixed_width=True,
)
