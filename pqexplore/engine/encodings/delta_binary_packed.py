"""DELTA_BINARY_PACKED (5): integers as differences, in blocks, each block's miniblocks packed at their own width.

Two passes. The first finds the structure (`delta_blocks.scan`), and `trace` shows it. The second turns it into values
at once (`delta_sums`): deltas are unpacked, each block's smallest is added, and their sums, which wrap around as the
specification asks, are the values.

Source: the specification's "Delta Encoding".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import delta_sums
from pqexplore.engine.encodings.bits import Buffer, pack
from pqexplore.engine.encodings.delta_blocks import Structure, scan
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import UnsupportedFeatureError, UsageError
from pqexplore.engine.tree import LazySequence

INT32, INT64 = 1, 2
"""The values of `Type` that this encoding is for."""

Array = np.ndarray[Any, np.dtype[Any]]


def _values(buffer: Buffer, structure: Structure, int_bits: int) -> Array:
    """All values of a structure without error, as a signed array."""
    return delta_sums.values_of(np.frombuffer(buffer, np.uint8), structure, int_bits)


def decode_with_end(
    buffer: Buffer, offset: int = 0, expected: int | None = None, bits: int = 64
) -> tuple[Array, int]:
    """The values of the stream at `offset`, as int64, and the byte behind its end.

    `expected` and `bits` (32 or 64) as for `scan`. Raises CorruptFileError for whatever is not such a stream.
    """
    structure = scan(buffer, offset, expected, bits)
    if structure.error is not None:
        raise structure.error
    return _values(buffer, structure, bits).astype(np.int64, copy=False), structure.end


def _int_bits(physical_type: int) -> int:
    if physical_type not in (INT32, INT64):
        raise UnsupportedFeatureError(
            f"DELTA_BINARY_PACKED is for INT32 and INT64, not for physical type {int(physical_type)}"
        )
    return 32 if physical_type == INT32 else 64


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The `num_values` integers of a values section: an int32 or int64 Arrow array.

    Bytes behind the stream are not looked at. An empty buffer holds no values.

    Raises CorruptFileError where the header counts another number of values, the bytes end early, or a
    miniblock is wider than the type; UnsupportedFeatureError for another physical type.
    """
    int_bits = _int_bits(physical_type)
    arrow_type = pa.int32() if int_bits == 32 else pa.int64()
    if num_values == 0 and len(buffer) == 0:
        return pa.array([], arrow_type)
    structure = scan(buffer, 0, num_values, int_bits)
    if structure.error is not None:
        raise structure.error
    values = _values(buffer, structure, int_bits)
    return pa.Array.from_buffers(arrow_type, num_values, [None, pa.py_buffer(values)])


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    first: int = 0,
) -> Iterator[Step]:
    """The derivation: `header`, `first value`, then a `block` with its min delta, bit widths and miniblocks.

    Blocks before the one with value number `first` are left out. A damaged stream yields the blocks before the
    damage, then raises its CorruptFileError.
    """
    int_bits = _int_bits(physical_type)
    if num_values == 0 and len(buffer) == 0:
        return
    structure = scan(buffer, 0, num_values, int_bits)
    made = steps(buffer, structure, int_bits)
    yield from made[:2]
    block = max(first - 1, 0) // structure.block_size
    yield from map(made.__getitem__, range(2 + block, len(made)))
    if structure.error is not None:
        raise structure.error


def steps(buffer: Buffer, structure: Structure, int_bits: int) -> LazySequence[Step]:
    """`header`, `first value` and a `block` for each that is sound, made on access."""
    blocks = len(structure.block_starts)
    sound = min(structure.total_count, 1 + blocks * structure.block_size)
    values = _values(buffer, dataclasses.replace(structure, total_count=sound), int_bits)
    miniblock_starts = structure.miniblock_starts()

    def make(index: int) -> Step:
        if index == 0:
            return _header_step(structure)
        if index == 1:
            return _first_value_step(structure, values[:1])
        return _block_step(buffer, structure, index - 2, values, miniblock_starts)

    return LazySequence(2 + blocks, make)


def _header_step(structure: Structure) -> Step:
    return Step(
        "header",
        f"{structure.total_count:,} values in blocks of {structure.block_size}, "
        f"{structure.miniblocks} miniblocks each",
        structure.start,
        structure.first_value_start,
        facts={
            "block_size": structure.block_size,
            "miniblocks": structure.miniblocks,
            "miniblock_size": structure.miniblock_size,
            "total_count": structure.total_count,
        },
    )


def _first_value_step(structure: Structure, value: Array) -> Step:
    return Step(
        "first value",
        f"first value {structure.first_value:,}",
        structure.first_value_start,
        structure.first_value_end,
        count=len(value),
        values=value if len(value) else None,
        facts={"first_value": structure.first_value},
    )


def _block_step(
    buffer: Buffer, structure: Structure, index: int, all_values: Array, miniblock_starts: Array
) -> Step:
    first = 1 + index * structure.block_size
    values = all_values[first : first + structure.block_size]
    count = len(values)
    start, width_start = int(structure.block_starts[index]), int(structure.width_starts[index])
    is_last = index + 1 == len(structure.block_starts)
    end = structure.end if is_last else int(structure.block_starts[index + 1])
    body = width_start + structure.miniblocks
    signed = all_values.dtype
    min_delta = int(structure.min_deltas[index].astype(f"u{signed.itemsize}").astype(signed))
    stored_widths = list(memoryview(buffer)[width_start:body])
    parts = [
        Step("min delta", f"min delta {min_delta:,}", start, width_start, first),
        Step("bit widths", f"bit widths {stored_widths}", width_start, body, first),
    ]
    size = structure.miniblock_size
    for at, width, skipped in zip(
        miniblock_starts[index].tolist(),
        structure.bit_widths[index].tolist(),
        range(0, count, size),
        strict=False,
    ):
        part = values[skipped : skipped + size]
        parts.append(
            Step(
                "miniblock",
                f"{len(part)} deltas of {width} bits",
                at,
                at + size // 8 * width,
                first + skipped,
                len(part),
                part,
                {"bit_width": width, "bit_start": 8 * at, "padding": size - len(part)},
            )
        )
    return Step(
        "block",
        f"block {index}: {count} values, min delta {min_delta:,}",
        start,
        end,
        first,
        count,
        values,
        {"min_delta": min_delta, "bit_widths": stored_widths},
        tuple(parts),
    )


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of an int32 or int64 Arrow array without nulls."""
    if values.type not in (pa.int32(), pa.int64()):
        raise UsageError(f"DELTA_BINARY_PACKED encodes int32 and int64, not {values.type}")
    return encode_integers(values.to_numpy(zero_copy_only=False), block_size, miniblocks)


def encode_integers(values: Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a numpy array of int32 or int64."""
    if block_size % (8 * miniblocks):
        raise UsageError(
            "a miniblock must hold a multiple of 8 values (32, says the specification)"
        )
    signed = values.dtype
    unsigned = np.dtype(f"u{signed.itemsize}")
    first = int(values[0]) if len(values) else 0
    header = b"".join(
        map(varint, (block_size, miniblocks, len(values), (first << 1) ^ (first >> 63)))
    )
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
        zigzag = (min_delta << 1) ^ (min_delta >> 63)
        pieces += (varint(zigzag), widths[own].astype(np.uint8).tobytes(), *bodies[own])
    return b"".join(pieces)


def varint(value: int) -> bytes:
    """A non-negative integer as ULEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bit_lengths(values: Array) -> Array:
    """How many bits each unsigned integer needs; 0 for 0."""
    lengths = np.zeros(values.size, np.int64)
    rest = values.astype(np.uint64)
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >= np.uint64(1 << step)
        lengths[large] += step
        rest[large] >>= np.uint64(step)
    return lengths + (rest > 0)
