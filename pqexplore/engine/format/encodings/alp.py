"""ALP (= 10), a preview: decimal floating point as integers, in vectors, each with its own decimal scale.

Most doubles that people store are short decimals: 333.5 is 3335 × 10^3 × 10^-4. A vector keeps one exponent and one
factor, its integers as distances from the smallest one, bit-packed, and the values that this cannot say exactly
("exceptions") as they are. `alp_vectors` finds the vectors; `decode` unpacks all full vectors at once.

A value is `(delta + frame_of_reference) × 10^factor × 10^-exponent`: two multiplications in the column's own
precision with correctly rounded constants, so that every implementation gets the same bits.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#ALP
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError
from pqexplore.engine.format.encodings.bits import Buffer, pack, packed_size, unpack
from pqexplore.engine.format.encodings.delta_binary_packed import bits_range
from pqexplore.engine.format.encodings.encoding import Array, Structure, ValueEncoding
from pqexplore.engine.format.encodings.packed_rows import unpack_rows
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import Group, Part, Row, Step, bits_text, bytes_part, packed_part, read_bits
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

# The structure of an ALP page: its header, and where each vector and its parts lie.
#
#     header:  compression mode u8 · integer encoding u8 · log2 of the vector size u8 · number of elements i32
#     offsets: u32 a vector, from the start of the offsets
#     vector:  exponent u8 · factor u8 · number of exceptions u16 · frame of reference i32 or i64 · bit width u8 ·
#              packed deltas · positions of the exceptions, u16 · the exceptions
#
# All little-endian. Source: Encodings, "ALP", a preview as of parquet-format after 2.13.

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


HEAD = Kind("header", "How it is compressed, how large vectors are, and how many values there are.")
OFFSETS = Kind("offsets", "Where each vector begins, in 4 bytes each.")
VECTOR = Kind("vector", "A power of ten, a smallest integer, the distances from it, and exceptions.", "values")

_SAMPLES = 1024
"""Values of a page that `encode` tries every exponent and factor on."""
_CANDIDATES = 5
"""How many of the best pairs each vector tries."""


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Vectors:
    """Find the vectors and their parts. An empty buffer holds no values.

    Raises what `find_vectors` raises; damage in a vector is in the structure's `error`.
    """
    ENCODING.require(physical_type)
    precision = precision_of(physical_type)
    nothing = num_values == 0 and len(buffer) == 0
    found = NO_VECTORS if nothing else find_vectors(buffer, num_values, physical_type)
    return Vectors(buffer, precision, found)


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
    """The `num_values` values of a values section: a float32 or float64 Arrow array. An empty buffer holds none.

    Raises CorruptFileError for damage, UnsupportedFeatureError for a mode, an integer encoding or a physical type
    that is not defined.
    """
    structure = scan(buffer, num_values, physical_type)
    if structure.error is not None:
        raise structure.error
    return structure.values


@dataclasses.dataclass(eq=False)
class Vectors(Structure):
    """The header, the offsets, and a step for each sound vector."""

    raw: Buffer
    precision: Precision
    found: FoundVectors

    def __post_init__(self) -> None:
        self.vectors = self.found.vectors
        self.error = self.found.error

    @property
    def end(self) -> int:
        """The byte after the last vector."""
        return max((one.end for one in self.vectors), default=self.found.offsets_end)

    @once
    def steps(self) -> Steps:
        """`header`, `offsets`, and the vectors."""
        steps = Steps(HEAD, OFFSETS, VECTOR)
        if self.end:
            steps.add(HEAD, 0, HEADER.size)
            steps.add(OFFSETS, HEADER.size, self.found.offsets_end)
        if self.vectors:
            names = ("start", "end", "first", "count")
            steps.add(VECTOR, *(np.array([getattr(v, n) for v in self.vectors]) for n in names))
        return steps

    def leftovers(self, size: int) -> list[tuple[int, int]]:
        """The bytes before, between and after the vectors, which may begin anywhere after the offsets."""
        if self.error is not None:
            return []
        found, at = [], self.found.offsets_end
        for start, end in [*sorted((one.start, one.end) for one in self.vectors), (size, size)]:
            if start > at:
                found.append((at, start))
            at = max(at, end)
        return found

    @once
    def values(self) -> pa.Array:
        """The float32 or float64 array of the sound vectors."""
        size = 1 << self.found.log_vector_size
        values = _values(self.raw, self.precision, self.vectors, size)
        stored = [None, pa.py_buffer(values)]
        return pa.Array.from_buffers(self.precision.arrow_type, values.size, stored)

    def yielded(self, step: int) -> Array | None:
        """The values of a vector, as a numpy array."""
        if step < 2:
            return None
        one = self.vectors[step - 2]
        return _values(self.raw, self.precision, [one], one.count + 1)

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        if step == 0:
            return f"{self.found.num_elements:,} values in vectors of {1 << self.found.log_vector_size:,}"
        if step == 1:
            return f"where {plural(len(self.vectors), 'vector')} begin"
        one = self.vectors[step - 2]
        return (
            f"vector {step - 2:,}: {one.count:,} values of {one.bit_width} bits × 10^{one.factor - one.exponent}, "
            f"{plural(one.exceptions, 'exception')}"
        )

    def facts(self, step: int) -> dict[str, Any]:
        """The numbers of the header, or of a vector."""
        if step == 0:
            modes = {"compression_mode": 0, "integer_encoding": 0}
            names: tuple[str, ...] = ("log_vector_size", "num_elements")
            return modes | {name: getattr(self.found, name) for name in names}
        if step == 1:
            return {}
        one, names = (self.vectors[step - 2], ("exponent", "factor", "frame_of_reference", "bit_width"))
        return {name: getattr(one, name) for name in names} | {"num_exceptions": one.exceptions}

    def pieces(self, step: int) -> tuple[Step, ...]:
        """A vector's parameters, deltas, and exceptions with their positions."""
        if step < 2:
            return ()
        one, facts = self.vectors[step - 2], self.facts(step)
        label = f"{one.count:,} deltas of {one.bit_width} bits"
        packed = {"bit_width": one.bit_width, "bit_start": 8 * one.packed_start}
        first, starts = one.first, (one.packed_start, one.positions_start, one.values_start)
        pieces = (
            Step("parameters", "", one.start, starts[0], first, facts=facts),
            Step("deltas", label, starts[0], starts[1], first, facts=packed),
        )
        if not one.exceptions:
            return pieces
        positions, raw = _exceptions(np.frombuffer(self.raw, np.uint8), self.precision, one)
        values = raw.astype(self.precision.unsigned).view(self.precision.float_type)
        many = plural(one.exceptions, "position")
        return (
            *pieces,
            Step("exception positions", many, *starts[1:], first, facts={"positions": positions}),
            Step("exceptions", "values as they are", starts[2], one.end, first, facts={"values": values}),
        )

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The numbers of the header, the offsets, or a vector's parameters, deltas and exceptions."""
        _, start, end, _, _ = self.steps[step]
        if step == 0:
            _, _, log_size, _ = numbers = HEADER.unpack_from(self.raw)
            says = f"2^{log_size} = {1 << log_size:,} values a vector"
            return [_numbers("header", self.raw, 0, _NAMES, (1, 1, 1, 4), numbers, says)], []
        if step == 1:
            offsets = np.frombuffer(self.raw, "<u4", (end - start) // 4, start)
            says = f"from byte {start:,} on: {', '.join(f'{one:,}' for one in offsets[:8].tolist())}"
            more = f", … {offsets.size - 8:,} more" if offsets.size > 8 else ""
            return [bytes_part("offsets", self.raw, start, end, (says + more,))], []
        one, size = self.vectors[step - 2], self.precision.int_bits // 8
        _, deltas, *exceptions = self.pieces(step)
        values: dict[int, Any] = {}
        if exceptions:
            positions, stored = exceptions[0].facts["positions"], exceptions[1].facts["values"]
            values = dict(zip(positions.tolist(), stored.tolist(), strict=True))
        rows = [self._row(one, index, values) for index in shown]
        numbers = self.precision.vector.unpack_from(self.raw, start)
        # Stored are exponent, factor, number of exceptions, frame of reference and bit width.
        says = f"each value is (delta + {one.frame_of_reference:,}) × 10^{one.factor} × 10^−{one.exponent}"
        labels = [f"{int(row.bits or '0', 2):,}" for row in rows]
        many = f"{one.count:,} × {one.bit_width} bits"
        parts = [
            _numbers("parameters", self.raw, start, _FIELDS, (1, 1, 2, size, 1), numbers, says),
            packed_part(self.raw, dataclasses.replace(deltas, count=one.count), shown.start, labels, many),
        ]
        some = ", ".join(f"{one.first + at:,}" for at in list(values)[:8])
        which = f"2 bytes each, from the vector's beginning: value{'s' * (len(values) > 1)} {some}"
        for piece, line in zip(exceptions, (which, f"{size} bytes each, as they are"), strict=False):
            parts.append(bytes_part(piece.kind, self.raw, piece.start, piece.end, (line,)))
        if shown.start - one.first in values:
            start = parts[-1].start + size * list(values).index(shown.start - one.first)
            group = Group(0, 8 * size, "exception", "value", shown.start)
            raw = bytes(self.raw[start : start + size])
            parts[-1] = dataclasses.replace(parts[-1], at=start, shown=raw, groups=(group,))
        return parts, rows

    def _row(self, one: Vector, index: int, exceptions: dict[int, Any]) -> Row:
        """A value's own bits and what is done with them, or the exception that stands for it."""
        within = index - one.first
        bits = bits_text(self.raw, 8 * one.packed_start + within * one.bit_width, one.bit_width)
        if within in exceptions:
            how = f"an exception: {exceptions[within]!r} as it is, not {bits or '0'}"
            return Row(index, bits, how)
        delta = int(bits or "0", 2)
        spelt = f"{bits} = {delta:,}" if bits else "no bits: 0"
        scale = f"× 10^{one.factor} × 10^−{one.exponent}"
        return Row(index, bits, f"{spelt}; ({delta:,} + {one.frame_of_reference:,}) {scale}")

    def summary(self, what: str) -> str:
        """How many vectors, how wide their deltas, how many exceptions."""
        exceptions = sum(one.exceptions for one in self.vectors)
        widths = bits_range([one.bit_width for one in self.vectors] or [0])
        return (
            f"{what} as decimal integers in {plural(len(self.vectors), 'vector')}, {widths}, "
            f"{plural(exceptions, 'exception')}"
        )


_NAMES = ("compression mode", "integer encoding", "log2 of the vector size", "number of values")
_FIELDS = ("exponent", "factor", "number of exceptions", "frame of reference", "bit width")


def _numbers(
    name: str,
    raw: Buffer,
    start: int,
    labels: tuple[str, ...],
    sizes: tuple[int, ...],
    numbers: tuple[int, ...],
    says: str,
) -> Part:
    """Numbers of fixed width, one after the other: the label, the bytes, and the number of each."""
    groups, bit = [], 0
    for nth, (label, size) in enumerate(zip(labels, sizes, strict=True)):
        groups.append(Group(bit, bit + 8 * size, label, ("number", "exponent", "flag")[nth % 3]))
        bit += 8 * size
    each = ", ".join(f"{label} {number:,}" for label, number in zip(labels, numbers, strict=True))
    end = start + bit // 8
    return Part(name, start, end, start, bytes(raw[start:end]), tuple(groups), (each, says))


def _values(buffer: Buffer, precision: Precision, vectors: list[Vector], size: int) -> Array:
    """The values of consecutive vectors; all but the last have `size` values."""
    octets = np.frombuffer(buffer, np.uint8)
    total = sum(vector.count for vector in vectors)
    integers = np.empty(total, precision.unsigned)
    full = [vector for vector in vectors if vector.count == size]
    if full:
        starts = np.array([vector.packed_start for vector in full], np.int64)
        widths = np.array([vector.bit_width for vector in full], np.uint8)
        unpack_rows(octets, starts, widths, integers[: len(full) * size].reshape(-1, size))
    for vector in vectors[len(full) :]:
        packed = octets[vector.packed_start : vector.positions_start]
        integers[len(full) * size :] = unpack(packed, vector.bit_width, vector.count)

    counts = [vector.count for vector in vectors]
    frames = np.array([vector.frame_of_reference for vector in vectors], precision.signed)
    integers += np.repeat(frames.view(precision.unsigned), counts)
    values: Array = integers.view(precision.signed).astype(precision.float_type)
    values *= np.repeat(precision.powers[[vector.factor for vector in vectors]], counts)
    values *= np.repeat(precision.negative_powers[[vector.exponent for vector in vectors]], counts)

    # As integers, so that no NaN loses its payload on the way.
    stored = values.view(precision.unsigned)
    done = 0
    for vector in vectors:
        if vector.exceptions:
            positions, raw = _exceptions(octets, precision, vector)
            stored[done + positions] = raw
        done += vector.count
    return values


def _exceptions(octets: Array, precision: Precision, vector: Vector) -> tuple[Array, Array]:
    """The positions of a vector's exceptions, and their values' bits."""
    positions = octets[vector.positions_start : vector.values_start].view("<u2").astype(np.int64)
    raw = octets[vector.values_start : vector.end].view(np.dtype(precision.unsigned).newbyteorder("<"))
    return positions, raw


def encode(values: pa.Array, log_vector_size: int = 10, scale: tuple[int, int] | None = None) -> bytes:
    """The page of a float32 or float64 Arrow array without nulls; every bit of every value is kept.

    `scale` is the exponent and the factor for all vectors. Without it, the pairs that suit a sample of the values
    best are tried on each vector.
    """
    if values.type not in (pa.float32(), pa.float64()):
        raise UsageError(f"ALP encodes float32 and float64, not {values.type}")
    if not 3 <= log_vector_size <= 15:
        raise UsageError(f"the log of the vector size is 3 to 15, not {log_vector_size}")
    precision = precision_of(Type.FLOAT if values.type == pa.float32() else Type.DOUBLE)
    if scale is not None and not 0 <= scale[1] <= scale[0] <= precision.max_exponent:
        raise UsageError(f"factor ≤ exponent ≤ {precision.max_exponent} does not hold for {scale}")
    floats = values.to_numpy(zero_copy_only=False)
    scales = [scale] if scale is not None else _scales(precision, floats)
    size = 1 << log_vector_size
    vectors = [
        min((_encode_vector(precision, floats[first : first + size], pair) for pair in scales), key=len)
        for first in range(0, len(floats), size)
    ]
    lengths = np.array([len(vector) for vector in vectors], np.int64)
    offsets = 4 * len(vectors) + np.cumsum(lengths) - lengths
    header = HEADER.pack(0, 0, log_vector_size, len(floats))
    return b"".join((header, offsets.astype("<u4").tobytes(), *vectors))


def _scales(precision: Precision, floats: Array) -> list[tuple[int, int]]:
    """The pairs of exponent and factor that make a sample of the values smallest, best first."""
    sample = floats[:: -(-len(floats) // _SAMPLES) or 1]
    pairs = [(e, f) for e in range(precision.max_exponent + 1) for f in range(e + 1)]
    integers, exact = _integers(precision, sample, *np.array(pairs).T[:, :, np.newaxis])
    limits = np.iinfo(precision.signed)
    low = np.where(exact, integers, limits.max).min(axis=1, initial=limits.max).tolist()
    high = np.where(exact, integers, limits.min).max(axis=1, initial=limits.min).tolist()
    exceptions = (~exact).sum(axis=1).tolist()
    sizes = [
        -(-len(sample) * max(0, above - below).bit_length() // 8) + many * (2 + precision.int_bits // 8)
        for below, above, many in zip(low, high, exceptions, strict=True)
    ]
    return [pairs[at] for at in sorted(range(len(pairs)), key=sizes.__getitem__)[:_CANDIDATES]]


def _integers(precision: Precision, floats: Array, exponent: Any, factor: Any) -> tuple[Array, Array]:
    """The values as decimal integers, and where these are exact; columns of exponents and factors make a row for each."""
    limit = precision.float_type(2.0 ** (precision.int_bits - 1))
    with np.errstate(all="ignore"):
        scaled = np.rint(floats * precision.powers[exponent] * precision.negative_powers[factor])
        fits = np.abs(scaled) < limit
        integers = np.where(fits, scaled, 0).astype(precision.signed)
        decoded = integers.astype(precision.float_type) * precision.powers[factor]
        decoded *= precision.negative_powers[exponent]
    stored = np.ascontiguousarray(floats).view(precision.unsigned)
    return integers, fits & (decoded.view(precision.unsigned) == stored)


def _encode_vector(precision: Precision, floats: Array, scale: tuple[int, int]) -> bytes:
    exponent, factor = scale
    integers, exact = _integers(precision, floats, exponent, factor)
    stored = np.ascontiguousarray(floats).view(precision.unsigned)
    frame = int(integers[exact].min()) if exact.any() else 0
    integers[~exact] = frame
    deltas = (integers - precision.signed(frame)).view(precision.unsigned)
    bit_width = int(deltas.max()).bit_length() if len(deltas) else 0
    positions = np.flatnonzero(~exact)
    return b"".join(
        (
            precision.vector.pack(exponent, factor, len(positions), frame, bit_width),
            pack(deltas, bit_width),
            positions.astype("<u2").tobytes(),
            stored[positions].astype(np.dtype(precision.unsigned).newbyteorder("<")).tobytes(),
        )
    )


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[float]:
    """The values as the specification reads them, one at a time."""
    precision = precision_of(physical_type)
    size, values = precision.int_bits // 8, list[float]()
    stored = "f" if physical_type == Type.FLOAT else "d"
    _, _, log_vector_size, num_elements = HEADER.unpack_from(buffer)
    for vector in range(-(-num_elements >> log_vector_size)):
        at = HEADER.size + int.from_bytes(buffer[HEADER.size + 4 * vector :][:4], "little")
        exponent, factor, num_exceptions, frame, width = precision.vector.unpack_from(buffer, at)
        at += precision.vector.size
        count = min(1 << log_vector_size, num_elements - len(values))
        scale = precision.powers[factor], precision.negative_powers[exponent]
        own = []
        for nth in range(count):
            delta = read_bits(buffer, 8 * at + nth * width, width)
            integer = (frame + delta + (1 << 8 * size - 1)) % (1 << 8 * size) - (1 << 8 * size - 1)
            own.append(float(precision.float_type(integer) * scale[0] * scale[1]))
        at += (count * width + 7) // 8
        for nth in range(num_exceptions):
            (position,) = struct.unpack_from("<H", buffer, at + 2 * nth)
            exceptions = at + 2 * num_exceptions
            (own[position],) = struct.unpack_from(f"<{stored}", buffer, exceptions + size * nth)
        values += own
    return values


ENCODING = ValueEncoding(
    Encoding.ALP, (Type.FLOAT, Type.DOUBLE), scan, decode, encode, reference, options=("alp_log_vector_size",)
)
