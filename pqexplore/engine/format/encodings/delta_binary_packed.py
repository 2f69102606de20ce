"""DELTA_BINARY_PACKED (= 5): integers as differences, in blocks, each block's miniblocks packed at their own width.

    header: block size · miniblocks in a block · total count · first value
    block:  min delta · a bit width per miniblock · the miniblocks

Two passes, both in `delta_stream`. The first finds the structure; the second turns it into values at once: deltas are
unpacked, each block's smallest is added, and their sums, which wrap around as the specification asks, are
the values. `reference` does the same a value at a time, as the specification reads.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTAENC
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings.bits import Buffer, pack
from pqexplore.engine.format.encodings.delta_stream import NO_BLOCKS, DeltaStream, find_blocks, values_of
from pqexplore.engine.format.encodings.encoding import Array, Fault, Structure, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import Group, Part, Row, Step, bits_text, number_part, packed_part, read_bits
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.format.varint import read_varint, unzigzag, varint, zigzag
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural

HEADER = Kind("header", "How large blocks and miniblocks are, and how many values there are.")
FIRST = Kind("first value", "The only value that is stored whole.", "values")
BLOCK = Kind("block", "A smallest difference, a bit width a miniblock, and the rest.", "values")

MINIBLOCKS = 8
"""Miniblocks of a block that are explained one by one."""


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Blocks:
    """Find the blocks and their miniblocks. An empty buffer holds no values.

    Raises CorruptFileError for a header that cannot be, or that counts another number of values; later damage is in
    the structure's `error`.
    """
    ENCODING.require(physical_type)
    int_bits = 32 if physical_type == Type.INT32 else 64
    nothing = num_values == 0 and len(buffer) == 0
    stream = NO_BLOCKS if nothing else find_blocks(buffer, 0, num_values, int_bits)
    return Blocks(buffer, stream, int_bits)


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
    """The `num_values` integers of a values section: an int32 or int64 Arrow array.

    Bytes after the stream are not looked at. An empty buffer holds no values.

    Raises CorruptFileError where the header counts another number of values, the bytes end early, or a
    miniblock is wider than the type; UnsupportedFeatureError for another physical type.
    """
    structure = scan(buffer, num_values, physical_type)
    if structure.error is not None:
        raise structure.error
    return structure.values


@dataclasses.dataclass(eq=False)
class Blocks(Structure):
    """The header, the first value, and a step for each sound block."""

    raw: Buffer
    stream: DeltaStream
    int_bits: int

    def __post_init__(self) -> None:
        self.error = self.stream.error

    @property
    def end(self) -> int:
        """The byte after the last block."""
        return self.stream.end

    @once
    def steps(self) -> Steps:
        """`header`, `first value`, and the blocks."""
        steps, stream = Steps(HEADER, FIRST, BLOCK), self.stream
        if stream.end:
            starts, size, total = stream.block_starts, stream.block_size, stream.total_count
            ends = np.append(starts[1:], stream.end)[: starts.size]
            firsts = 1 + np.arange(starts.size, dtype=np.int64) * size
            at = stream.first_value_start
            steps.add(HEADER, stream.start, at)
            steps.add(FIRST, at, stream.first_value_end, 0, min(1, total))
            steps.add(BLOCK, starts, ends, firsts, np.minimum(size, total - firsts))
        return steps

    def faults(self) -> Iterator[Fault]:
        """A block or a miniblock of a size that the specification does not allow."""
        stream, size = self.stream, self.stream.miniblock_size
        wrong = []
        if stream.block_size % 128:
            wrong.append(f"a block has {stream.block_size:,} values, not a multiple of 128")
        if size % 32:
            wrong.append(f"a miniblock has {size:,} values, not a multiple of 32")
        if wrong and stream.end:
            yield Fault(
                "delta-block-size",
                " and ".join(wrong),
                {"block_size": stream.block_size, "miniblocks": stream.miniblocks},
                "the block size is a multiple of 128; the miniblock count per block is a divisor of the block size such "
                "that their quotient, the number of values in a miniblock, is a multiple of 32",
            )

    @once
    def integers(self) -> Array:
        """The values of the sound blocks: int32 or int64."""
        stream = self.stream
        if stream.error is not None:
            sound = min(stream.total_count, 1 + stream.block_starts.size * stream.block_size)
            stream = dataclasses.replace(stream, total_count=sound)
        return values_of(np.frombuffer(self.raw, np.uint8), stream, self.int_bits)

    @once
    def values(self) -> pa.Array:
        """The same as an Arrow array."""
        arrow_type = pa.int32() if self.int_bits == 32 else pa.int64()
        stored = pa.py_buffer(self.integers)
        return pa.Array.from_buffers(arrow_type, self.integers.size, [None, stored])

    def yielded(self, step: int) -> Array | None:
        """The values of a step, as a numpy array."""
        _, _, _, first, count = self.steps[step]
        return self.integers[first : first + count] if count else None

    def _block(self, step: int) -> tuple[int, int, list[int]]:
        """A block's number, its min delta, and the bit widths of the miniblocks that have values."""
        block, unsigned = step - 2, f"u{self.int_bits // 8}"
        least = self.stream.min_deltas[block : block + 1].astype(unsigned).view(self.integers.dtype)
        used = -(-self.steps[step].count // self.stream.miniblock_size)
        return block, int(least[0]), self.stream.bit_widths[block][:used].tolist()

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        kind, _, _, _, count = self.steps[step]
        if kind is HEADER:
            size, number = self.stream.block_size, plural(self.stream.miniblocks, "miniblock")
            return f"{self.stream.total_count:,} values, blocks of {size:,} in {number}"
        if kind is FIRST:
            return f"first value {self.stream.first_value:,}"
        block, least, widths = self._block(step)
        low, high = min(widths), max(widths)
        bits = f"{low} bits" if low == high else f"{low} to {high} bits"
        return f"block {block:,}: {count:,} differences, each {least:,} and {bits} more"

    def facts(self, step: int) -> dict[str, Any]:
        """The numbers of the header; the first value; a block's min delta and stored bit widths."""
        stream = self.stream
        kind = self.steps[step].kind
        if kind is HEADER:
            names = ("block_size", "miniblocks", "miniblock_size", "total_count")
            return {name: getattr(stream, name) for name in names}
        if kind is FIRST:
            return {"first_value": stream.first_value}
        block, least, _ = self._block(step)
        at = int(stream.width_starts[block])
        return {"min_delta": least, "bit_widths": list(self.raw[at : at + stream.miniblocks])}

    def pieces(self, step: int) -> tuple[Step, ...]:
        """A block's min delta, its bit widths, and the miniblocks that have values."""
        kind, start, _, first, count = self.steps[step]
        if kind is not BLOCK:
            return ()
        block, least, widths = self._block(step)
        at, size = int(self.stream.width_starts[block]), self.stream.miniblock_size
        body = at + self.stream.miniblocks
        stored = list(self.raw[at:body])
        pieces = [
            Step("min delta", f"min delta {least:,}", start, at, first),
            Step("bit widths", f"bit widths {stored}", at, body, first),
        ]
        at = body
        for width, skipped in zip(widths, range(0, count, size), strict=False):
            own, number = first + skipped, min(size, count - skipped)
            facts = {"bit_width": width, "bit_start": 8 * at, "padding": size - number}
            label, end = f"{number} deltas of {width} bits", at + size // 8 * width
            values = self.integers[own : own + number]
            pieces.append(Step("miniblock", label, at, end, own, number, values, facts))
            at = end
        return tuple(pieces)

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The varints of the header; a block's min delta, widths and the miniblocks around the values shown."""
        stream = self.stream
        kind, start, end, _, _ = self.steps[step]
        if kind is HEADER:
            parts, at = [], start
            for name in ("block size", "miniblocks", "number of values"):
                _, end = read_varint(self.raw, at)
                parts.append(number_part(name, self.raw, at, end))
                at = end
            return parts, []
        if kind is FIRST:
            whole = number_part("first value", self.raw, start, end, signed=True)
            return [whole], [Row(i, "", "stored whole", None, stream.first_value) for i in shown]
        _, least, stored = self._block(step)
        first, widths, *miniblocks = self.pieces(step)
        rows = [self._row(index, miniblocks, least) for index in shown]
        near = (shown.start - first.first) // stream.miniblock_size
        begin = max(0, min(near - MINIBLOCKS // 2, len(miniblocks) - MINIBLOCKS))
        parts = [
            number_part(first.kind, self.raw, first.start, first.end, signed=True),
            self._widths_part(widths, stored),
        ]
        for nth, piece in enumerate(miniblocks[begin : begin + MINIBLOCKS], begin):
            labels = [str(int(row.bits or "0", 2)) for row in rows] if nth == near else []
            focus, width = shown.start if nth == near else piece.first, piece.facts["bit_width"]
            says = f"{piece.count:,} × {width} bits, of {stream.miniblock_size:,}"
            if not width:
                says = f"{piece.count:,} differences of 0 bits: each is the smallest one, {least:,}"
            name = f"miniblock {nth}"
            parts.append(packed_part(self.raw, piece, focus, labels, says, name=name))
        return parts, rows

    def _widths_part(self, piece: Step, widths: list[int]) -> Part:
        """One byte a miniblock; those without values have a width, too."""
        own, used = bytes(self.raw[piece.start : piece.end][:32]), len(widths)
        unused = piece.end - piece.start - used
        says = f"one byte a miniblock: {', '.join(map(str, widths[:32]))} bits"
        if unused:
            says += f"; {plural(unused, 'miniblock has', 'miniblocks have')} no values"
        groups = [
            Group(8 * i, 8 * i + 8, f"miniblock {i}", ("number", "exponent")[i % 2])
            if i < used
            else Group(8 * i, 8 * i + 8, "unused", "padding")
            for i in range(len(own))
        ]
        return Part(piece.kind, piece.start, piece.end, piece.start, own, tuple(groups), (says,))

    def _row(self, index: int, miniblocks: list[Step], least: int) -> Row:
        """The value before it, plus the smallest difference, plus its own bits."""
        at, within = divmod(index - miniblocks[0].first, self.stream.miniblock_size)
        width, bit = miniblocks[at].facts["bit_width"], miniblocks[at].facts["bit_start"]
        bits = bits_text(self.raw, bit + within * width, width)
        rest, before, value = (int(bits or "0", 2), int(self.integers[index - 1]), int(self.integers[index]))
        spelt = f"{bits} = {rest:,}" if bits else "no bits: 0"
        how = f"{spelt}; {before:,} + {f'({least:,})' if least < 0 else f'{least:,}'} + {rest:,}"
        if before + least + rest != value:
            how += f", wrapped to {self.int_bits} bits"
        return Row(index, bits, f"{how} = {value:,}", None, value)

    def summary(self, what: str) -> str:
        """How many blocks, and how wide their deltas."""
        if not self.stream.block_starts.size:
            return f"{what} as differences (there is only the first, which is stored whole)"
        blocks, widths = self.stream.block_starts.size, self.stream.bit_widths.reshape(-1)
        widths = widths[: -(-(self.stream.total_count - 1) // self.stream.miniblock_size)]
        size = self.stream.block_size
        return f"{what} as differences in {plural(blocks, 'block')} of {size:,}, {bits_range(widths)}"


def bits_range(widths: Any) -> str:
    """The smallest and the largest of some bit widths: "3 to 7 bits each"."""
    low, high = int(min(widths)), int(max(widths))
    return f"{plural(low, 'bit')} each" if low == high else f"{low} to {high} bits each"


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of an int32 or int64 Arrow array without nulls."""
    if values.type not in (pa.int32(), pa.int64()):
        raise UsageError(f"DELTA_BINARY_PACKED encodes int32 and int64, not {values.type}")
    return encode_integers(numpy_numbers(values), block_size, miniblocks)


def encode_integers(values: Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a numpy array of int32 or int64."""
    if block_size % (8 * miniblocks):
        raise UsageError("a miniblock must hold a multiple of 8 values (32, says the specification)")
    signed = values.dtype
    unsigned = np.dtype(f"u{signed.itemsize}")
    first = int(values[0]) if len(values) else 0
    header = b"".join(map(varint, (block_size, miniblocks, len(values)))) + zigzag(first)
    count = max(len(values) - 1, 0)
    blocks = -(-count // block_size)
    stored = np.ascontiguousarray(values).view(unsigned)
    deltas = np.zeros(blocks * block_size, unsigned)
    np.subtract(stored[1:], stored[:-1], out=deltas[:count])
    if count:
        deltas[count:] = deltas[count - 1]  # must not change the block's smallest
    rows = deltas.reshape(blocks, block_size)
    min_deltas = rows.view(signed).min(1) if blocks else np.zeros(0, signed)
    rows -= min_deltas.view(unsigned)[:, None]
    deltas[count:] = 0

    packed_rows = deltas.reshape(-1, block_size // miniblocks)
    widths = _bit_lengths(packed_rows.max(1) if blocks else np.zeros(0, unsigned))
    bodies: list[bytes] = [b""] * len(widths)
    for width in np.unique(widths).tolist():
        alike = np.flatnonzero(widths == width)
        size = width * packed_rows.shape[1] // 8
        packed = pack(packed_rows[alike].reshape(-1), width)
        for index, at in zip(alike.tolist(), range(0, len(packed), max(size, 1)), strict=False):
            bodies[index] = packed[at : at + size]
    pieces = [header]
    for block, min_delta in enumerate(min_deltas.tolist()):
        own = slice(block * miniblocks, (block + 1) * miniblocks)
        pieces += (zigzag(min_delta), widths[own].astype(np.uint8).tobytes(), *bodies[own])
    return b"".join(pieces)


def _bit_lengths(values: Array) -> Array:
    """How many bits each unsigned integer needs; 0 for 0."""
    lengths = np.zeros(values.size, np.int64)
    rest = values.astype(np.uint64)
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >= np.uint64(1 << step)
        lengths[large] += step
        rest[large] >>= np.uint64(step)
    return lengths + (rest > 0)


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[int]:
    """The values as the specification reads them, one at a time."""
    return reference_stream(buffer, 32 if physical_type == Type.INT32 else 64)[0]


def reference_stream(buffer: Buffer, int_bits: int, at: int = 0) -> tuple[list[int], int]:
    """The integers of the stream at byte `at`, and the byte after it."""
    half = 1 << (int_bits - 1)
    block_size, at = read_varint(buffer, at)
    miniblocks, at = read_varint(buffer, at)
    total_count, at = read_varint(buffer, at)
    coded, at = read_varint(buffer, at)
    value = unzigzag(coded)
    values = [value][:total_count]
    while len(values) < total_count:
        coded, at = read_varint(buffer, at)
        min_delta = unzigzag(coded)
        bit_widths = bytes(buffer[at : at + miniblocks])
        at += miniblocks
        for bit_width in bit_widths:
            if len(values) == total_count:
                break  # a miniblock without values has a width, but no bytes
            for nth in range(block_size // miniblocks):
                delta = min_delta + read_bits(buffer, 8 * at + nth * bit_width, bit_width)
                value = (value + delta + half) % (2 * half) - half  # wraps around
                if len(values) < total_count:
                    values.append(value)
            at += block_size // miniblocks * bit_width // 8
    return values, at


ENCODING = ValueEncoding(
    Encoding.DELTA_BINARY_PACKED,
    (Type.INT32, Type.INT64),
    scan,
    decode,
    encode,
    reference,
    options=("delta_block_size", "delta_miniblocks"),
)
