"""The structure of an ALP page: its header, and where each vector and its parts lie.

    header:  compression mode u8 · integer encoding u8 · log2 of the vector size u8 · number of elements i32
    offsets: u32 a vector, from the start of the offsets
    vector:  exponent u8 · factor u8 · number of exceptions u16 · frame of reference i32 or i64 · bit width u8 ·
             packed deltas · positions of the exceptions, u16 · the exceptions

All little-endian. Source: Encodings, "ALP", a preview as of parquet-format after 2.13.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings.bits import Buffer, packed_size
from pqexplore.engine.format.thrift.structs import Type

Array = np.ndarray[Any, np.dtype[Any]]

HEADER = struct.Struct("<BBBi")
"""Compression mode, integer encoding, log2 of the vector size, number of elements."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Precision:
    """What differs between FLOAT and DOUBLE."""

    float_type: Any
    unsigned: Any
    signed: Any
    int_bits: int
    max_exponent: int
    vector: struct.Struct
    arrow_type: Any

    @property
    def powers(self) -> Array:
        """10^0, 10^1, …, correctly rounded."""
        return np.array([float(f"1e{n}") for n in range(self.max_exponent + 1)], self.float_type)

    @property
    def negative_powers(self) -> Array:
        """10^0, 10^-1, …, correctly rounded."""
        return np.array([float(f"1e-{n}") for n in range(self.max_exponent + 1)], self.float_type)


_PRECISIONS: dict[int, Precision] = {
    Type.FLOAT: Precision(np.float32, np.uint32, np.int32, 32, 10, struct.Struct("<BBHiB"), pa.float32()),
    Type.DOUBLE: Precision(np.float64, np.uint64, np.int64, 64, 18, struct.Struct("<BBHqB"), pa.float64()),
}


def precision_of(physical_type: int) -> Precision:
    """FLOAT's or DOUBLE's."""
    return _PRECISIONS[physical_type]


@dataclasses.dataclass(frozen=True, slots=True)
class Vector:
    """One vector: where its parts are in the buffer, and its parameters. It holds `[first, first + count)`."""

    start: int
    first: int
    count: int
    exponent: int
    factor: int
    exceptions: int
    frame_of_reference: int
    bit_width: int
    packed_start: int
    positions_start: int
    values_start: int
    end: int


@dataclasses.dataclass(frozen=True, slots=True)
class FoundVectors:
    """A page's header and vectors. `error` is what stopped the scan: the vectors before it are good."""

    log_vector_size: int
    num_elements: int
    offsets_end: int
    vectors: list[Vector]
    error: CorruptFileError | None


NO_VECTORS = FoundVectors(0, 0, 0, [], None)
"""Where there are no bytes."""


def find_vectors(buffer: Buffer, num_values: int, physical_type: int) -> FoundVectors:
    """Find the vectors. Raises CorruptFileError for a header or offsets that cannot be; later damage is in `error`."""
    precision = precision_of(physical_type)
    if len(buffer) < HEADER.size:
        raise CorruptFileError(f"ALP: {len(buffer)} bytes, its header has {HEADER.size}", offset=0)
    mode, integer_encoding, log_size, num_elements = HEADER.unpack_from(buffer)
    if mode != 0 or integer_encoding != 0:
        raise UnsupportedFeatureError(
            f"ALP with compression mode {mode} and integer encoding {integer_encoding}; only 0 and 0 are defined",
            offset=0,
        )
    if not 3 <= log_size <= 15:
        raise CorruptFileError(f"ALP: the log of the vector size is {log_size}; expected 3 to 15", offset=2)
    if num_elements != num_values:
        raise CorruptFileError(f"ALP: the header counts {num_elements:,} values, the page has {num_values:,}", offset=3)
    size = 1 << log_size
    vectors = -(-num_elements // size)
    offsets_end = HEADER.size + 4 * vectors
    if offsets_end > len(buffer):
        raise CorruptFileError(
            f"ALP: the offsets of {vectors:,} vectors end at byte {offsets_end:,}, there are only {len(buffer):,}",
            offset=len(buffer),
        )
    offsets = np.frombuffer(buffer, "<u4", vectors, HEADER.size).tolist()
    found: list[Vector] = []
    error = None
    for index, offset in enumerate(offsets):
        first = index * size
        try:
            found.append(
                _vector(buffer, precision, HEADER.size + offset, first, min(size, num_elements - first), offsets_end)
            )
        except CorruptFileError as damage:
            damage.message = f"ALP, vector {index:,}: {damage.message}"
            error = damage
            break
    return FoundVectors(log_size, num_elements, offsets_end, found, error)


def _vector(buffer: Buffer, precision: Precision, start: int, first: int, count: int, offsets_end: int) -> Vector:
    if start < offsets_end or start + precision.vector.size > len(buffer):
        raise CorruptFileError(
            f"it is said to begin at byte {start:,}; expected {offsets_end:,} to {len(buffer) - precision.vector.size:,}",
            offset=min(start, len(buffer)),
        )
    exponent, factor, exceptions, frame, bit_width = precision.vector.unpack_from(buffer, start)
    if exponent > precision.max_exponent or factor > exponent:
        raise CorruptFileError(
            f"exponent {exponent} and factor {factor}; expected factor ≤ exponent ≤ {precision.max_exponent}",
            offset=start,
        )
    if bit_width > precision.int_bits:
        raise CorruptFileError(f"a bit width of {bit_width} for integers of {precision.int_bits} bits", offset=start)
    if exceptions > count:
        raise CorruptFileError(f"{exceptions:,} exceptions among {count:,} values", offset=start)
    packed_start = start + precision.vector.size
    positions_start = packed_start + packed_size(bit_width, count)
    values_start = positions_start + 2 * exceptions
    end = values_start + precision.int_bits // 8 * exceptions
    if end > len(buffer):
        raise CorruptFileError(f"it ends at byte {end:,}, but there are only {len(buffer):,}", offset=start)
    positions = np.frombuffer(buffer, "<u2", exceptions, positions_start)
    if exceptions and int(positions.max()) >= count:
        raise CorruptFileError(
            f"an exception at position {int(positions.max()):,} of a vector of {count:,} values", offset=positions_start
        )
    return Vector(
        start,
        first,
        count,
        exponent,
        factor,
        exceptions,
        frame,
        bit_width,
        packed_start,
        positions_start,
        values_start,
        end,
    )
