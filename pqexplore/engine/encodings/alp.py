"""ALP (10), a preview: decimal floating point as integers, in vectors, each with its own decimal scale.

Most doubles that people store are short decimals: 333.5 is 3335 × 10^3 × 10^-4. A vector keeps one exponent and one
factor, its integers as distances from the smallest one, bit-packed, and the values that this cannot say exactly
("exceptions") as they are. `alp_vectors.scan` finds the vectors; `trace` shows them; `decode` unpacks all full
vectors at once.

A value is `(delta + frame_of_reference) × 10^factor × 10^-exponent`: two multiplications in the column's own
precision with correctly rounded constants, so that every implementation gets the same bits.

Source: Encodings, "ALP", as of parquet-format after 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings.alp_vectors import (
    DOUBLE,
    FLOAT,
    HEADER,
    Kind,
    Vector,
    kind_of,
    scan,
)
from pqexplore.engine.encodings.bits import Buffer, pack, unpack
from pqexplore.engine.encodings.packed_rows import unpack_rows
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError, UsageError

Array = np.ndarray[Any, np.dtype[Any]]

_SAMPLES = 1024
"""Values of a page that `encode` tries every exponent and factor on."""
_CANDIDATES = 5
"""How many of the best pairs each vector tries."""


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The `num_values` values of a values section: a float32 or float64 Arrow array. An empty buffer holds none.

    Raises CorruptFileError for damage, UnsupportedFeatureError for a mode, an integer encoding or a physical type
    that is not defined.
    """
    kind = kind_of(physical_type)
    if num_values == 0 and len(buffer) == 0:
        return pa.array([], kind.arrow_type)
    structure = scan(buffer, num_values, physical_type)
    if structure.error is not None:
        raise structure.error
    values = _values(buffer, kind, structure.vectors, 1 << structure.log_vector_size)
    return pa.Array.from_buffers(kind.arrow_type, num_values, [None, pa.py_buffer(values)])


def _values(buffer: Buffer, kind: Kind, vectors: list[Vector], size: int) -> Array:
    """The values of consecutive vectors, all but the last of which have `size` values."""
    octets = np.frombuffer(buffer, np.uint8)
    total = sum(vector.count for vector in vectors)
    integers = np.empty(total, kind.unsigned)
    full = [vector for vector in vectors if vector.count == size]
    if full:
        starts = np.array([vector.packed_start for vector in full], np.int64)
        widths = np.array([vector.bit_width for vector in full], np.uint8)
        unpack_rows(octets, starts, widths, integers[: len(full) * size].reshape(-1, size))
    for vector in vectors[len(full) :]:
        packed = octets[vector.packed_start : vector.positions_start]
        integers[len(full) * size :] = unpack(packed, vector.bit_width, vector.count)

    counts = [vector.count for vector in vectors]
    frames = np.array([vector.frame_of_reference for vector in vectors], kind.signed)
    integers += np.repeat(frames.view(kind.unsigned), counts)
    values: Array = integers.view(kind.signed).astype(kind.float_type)
    values *= np.repeat(kind.powers[[vector.factor for vector in vectors]], counts)
    values *= np.repeat(kind.negative_powers[[vector.exponent for vector in vectors]], counts)

    # As integers, so that no NaN loses its payload on the way.
    stored = values.view(kind.unsigned)
    done = 0
    for vector in vectors:
        if vector.exceptions:
            positions, raw = _exceptions(octets, kind, vector)
            stored[done + positions] = raw
        done += vector.count
    return values


def _exceptions(octets: Array, kind: Kind, vector: Vector) -> tuple[Array, Array]:
    """The positions of a vector's exceptions, and their values' bits."""
    positions = octets[vector.positions_start : vector.values_start].view("<u2").astype(np.int64)
    if int(positions.max()) >= vector.count:
        raise CorruptFileError(
            f"ALP: an exception at position {int(positions.max()):,} of a vector of {vector.count:,} values",
            offset=vector.positions_start,
        )
    raw = octets[vector.values_start : vector.end].view(np.dtype(kind.unsigned).newbyteorder("<"))
    return positions, raw


def trace(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> Iterator[Step]:
    """The derivation: `header`, `offsets`, then a `vector` with its parameters, deltas and exceptions.

    A damaged page yields the vectors before the damage, then raises its CorruptFileError.
    """
    kind = kind_of(physical_type)
    if num_values == 0 and len(buffer) == 0:
        return
    structure = scan(buffer, num_values, physical_type)
    size = 1 << structure.log_vector_size
    yield Step(
        "header",
        f"{structure.num_elements:,} values in vectors of {size:,}",
        0,
        HEADER.size,
        facts={
            "compression_mode": 0,
            "integer_encoding": 0,
            "log_vector_size": structure.log_vector_size,
            "num_elements": structure.num_elements,
        },
    )
    yield Step(
        "offsets",
        f"where {-(-num_values // size):,} vectors begin",
        HEADER.size,
        structure.offsets_end,
    )
    for index, vector in enumerate(structure.vectors):
        yield _vector_step(buffer, kind, index, vector)
    if structure.error is not None:
        raise structure.error


def _vector_step(buffer: Buffer, kind: Kind, index: int, vector: Vector) -> Step:
    values = _values(buffer, kind, [vector], vector.count + 1)
    facts: dict[str, Any] = {
        "exponent": vector.exponent,
        "factor": vector.factor,
        "frame_of_reference": vector.frame_of_reference,
        "bit_width": vector.bit_width,
        "num_exceptions": vector.exceptions,
    }
    parts = [
        Step(
            "parameters",
            f"exponent {vector.exponent}, factor {vector.factor}, frame of reference "
            f"{vector.frame_of_reference:,}, bit width {vector.bit_width}",
            vector.start,
            vector.packed_start,
            vector.first,
            facts=facts,
        ),
        Step(
            "deltas",
            f"{vector.count:,} deltas of {vector.bit_width} bits",
            vector.packed_start,
            vector.positions_start,
            vector.first,
            facts={"bit_width": vector.bit_width, "bit_start": 8 * vector.packed_start},
        ),
    ]
    if vector.exceptions:
        positions, _ = _exceptions(np.frombuffer(buffer, np.uint8), kind, vector)
        parts += [
            Step(
                "exception positions",
                f"{vector.exceptions:,} positions",
                vector.positions_start,
                vector.values_start,
                vector.first,
                facts={"positions": positions},
            ),
            Step(
                "exceptions",
                f"{vector.exceptions:,} values as they are",
                vector.values_start,
                vector.end,
                vector.first,
                facts={"values": values[positions]},
            ),
        ]
    return Step(
        "vector",
        f"vector {index}: {vector.count:,} values, {vector.exceptions:,} exceptions",
        vector.start,
        vector.end,
        vector.first,
        vector.count,
        values,
        facts,
        tuple(parts),
    )


def encode(
    values: pa.Array, log_vector_size: int = 10, scale: tuple[int, int] | None = None
) -> bytes:
    """The page of a float32 or float64 Arrow array without nulls; every bit of every value is kept.

    `scale` is the exponent and the factor for all vectors. Without it, the pairs that suit a sample of the values
    best are tried on each vector.
    """
    if values.type not in (pa.float32(), pa.float64()):
        raise UsageError(f"ALP encodes float32 and float64, not {values.type}")
    if not 3 <= log_vector_size <= 15:
        raise UsageError(f"the log of the vector size is 3 to 15, not {log_vector_size}")
    kind = kind_of(FLOAT if values.type == pa.float32() else DOUBLE)
    if scale is not None and not 0 <= scale[1] <= scale[0] <= kind.max_exponent:
        raise UsageError(f"factor ≤ exponent ≤ {kind.max_exponent} does not hold for {scale}")
    floats = values.to_numpy(zero_copy_only=False)
    scales = [scale] if scale is not None else _scales(kind, floats)
    size = 1 << log_vector_size
    vectors = [
        min((_encode_vector(kind, floats[first : first + size], pair) for pair in scales), key=len)
        for first in range(0, len(floats), size)
    ]
    lengths = np.array([len(vector) for vector in vectors], np.int64)
    offsets = 4 * len(vectors) + np.cumsum(lengths) - lengths
    header = HEADER.pack(0, 0, log_vector_size, len(floats))
    return b"".join((header, offsets.astype("<u4").tobytes(), *vectors))


def _scales(kind: Kind, floats: Array) -> list[tuple[int, int]]:
    """The pairs of exponent and factor that make a sample of the values smallest, best first."""
    sample = floats[:: -(-len(floats) // _SAMPLES) or 1]
    pairs = [(e, f) for e in range(kind.max_exponent + 1) for f in range(e + 1)]
    return sorted(pairs, key=lambda pair: len(_encode_vector(kind, sample, pair)))[:_CANDIDATES]


def _encode_vector(kind: Kind, floats: Array, scale: tuple[int, int]) -> bytes:
    exponent, factor = scale
    limit = kind.float_type(2.0 ** (kind.int_bits - 1))
    with np.errstate(all="ignore"):
        scaled = np.rint(floats * kind.powers[exponent] * kind.negative_powers[factor])
        fits = np.abs(scaled) < limit
        integers = np.where(fits, scaled, 0).astype(kind.signed)
        decoded = integers.astype(kind.float_type) * kind.powers[factor]
        decoded *= kind.negative_powers[exponent]
    stored = np.ascontiguousarray(floats).view(kind.unsigned)
    exact = fits & (decoded.view(kind.unsigned) == stored)
    frame = int(integers[exact].min()) if exact.any() else 0
    integers[~exact] = frame
    deltas = (integers - kind.signed(frame)).view(kind.unsigned)
    bit_width = int(deltas.max()).bit_length() if len(deltas) else 0
    positions = np.flatnonzero(~exact)
    return b"".join(
        (
            kind.vector.pack(exponent, factor, len(positions), frame, bit_width),
            pack(deltas, bit_width),
            positions.astype("<u2").tobytes(),
            stored[positions].astype(np.dtype(kind.unsigned).newbyteorder("<")).tobytes(),
        )
    )
