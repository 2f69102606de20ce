"""DELTA_BINARY_PACKED (5): integers as differences, in blocks, each block's miniblocks packed at their own width.

Two passes. The first finds the structure (`delta_blocks.scan`), and `trace` shows it. The second, `decode`, turns
it into values at once: the miniblocks of equal width are unpacked together, each block's smallest delta is added,
and one cumulative sum, which wraps around as the specification asks, makes values of the deltas.

Source: the specification's "Delta Encoding".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings.bits import Buffer, pack
from pqexplore.engine.encodings.delta_blocks import Structure, scan
from pqexplore.engine.encodings.packed_rows import unpack_rows
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import UnsupportedFeatureError, UsageError

INT32, INT64 = 1, 2
"""The values of `Type` that this encoding is for."""

Array = np.ndarray[Any, np.dtype[Any]]


def _values(buffer: Buffer, structure: Structure, int_bits: int) -> Array:
    """All values of a structure without error, as a signed array."""
    unsigned = np.dtype(f"u{int_bits // 8}")
    blocks = len(structure.block_starts)
    size = structure.block_size
    values = np.empty(1 + blocks * size, unsigned)
    values[0] = structure.first_value & ((1 << int_bits) - 1)
    deltas = values[1:].reshape(blocks, size)
    unpack_rows(
        np.frombuffer(buffer, np.uint8),
        structure.miniblock_starts().reshape(-1),
        structure.bit_widths.reshape(-1),
        deltas.reshape(-1, structure.miniblock_size),
    )
    deltas += structure.min_deltas.astype(unsigned)[:, None]
    values = values[: structure.total_count]
    np.cumsum(values, out=values, dtype=unsigned)
    return values.view(f"i{int_bits // 8}")


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
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> Iterator[Step]:
    """The derivation: `header`, `first value`, then a `block` with its min delta, bit widths and miniblocks.

    A damaged stream yields the blocks before the damage, then raises its CorruptFileError.
    """
    if num_values == 0 and len(buffer) == 0:
        return iter(())
    return trace_at(buffer, 0, num_values, _int_bits(physical_type))


def trace_at(buffer: Buffer, offset: int, expected: int, int_bits: int) -> Iterator[Step]:
    """`trace` for a stream inside a buffer, as the lengths of DELTA_LENGTH_BYTE_ARRAY are."""
    structure = scan(buffer, offset, expected, int_bits)
    yield Step(
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
    signed = np.dtype(f"i{int_bits // 8}")
    last = np.array([structure.first_value], signed)[: structure.total_count]
    yield Step(
        "first value",
        f"first value {structure.first_value:,}",
        structure.first_value_start,
        structure.first_value_end,
        count=len(last),
        values=last if len(last) else None,
        facts={"first_value": structure.first_value},
    )
    ends = [*structure.block_starts[1:].tolist(), structure.end]
    for index, end in enumerate(ends[: len(structure.block_starts)]):
        step = _block_step(buffer, structure, index, end, last[-1:], int_bits)
        yield step
        last = step.values
    if structure.error is not None:
        raise structure.error


def _block_step(
    buffer: Buffer, structure: Structure, index: int, end: int, previous: Array, int_bits: int
) -> Step:
    first = 1 + index * structure.block_size
    count = min(structure.block_size, structure.total_count - first)
    start, width_start = int(structure.block_starts[index]), int(structure.width_starts[index])
    # The block as a stream of its own, whose first value is the last one of the block before.
    alone = dataclasses.replace(
        structure,
        first_value=int(previous[0]),
        total_count=1 + count,
        block_starts=structure.block_starts[index : index + 1],
        width_starts=structure.width_starts[index : index + 1],
        min_deltas=structure.min_deltas[index : index + 1],
        bit_widths=structure.bit_widths[index : index + 1],
    )
    values = _values(buffer, alone, int_bits)[1:]
    body = width_start + structure.miniblocks
    min_delta = int(alone.min_deltas.astype(f"u{int_bits // 8}").view(f"i{int_bits // 8}")[0])
    stored_widths = list(memoryview(buffer)[width_start:body])
    parts = [
        Step("min delta", f"min delta {min_delta:,}", start, width_start, first),
        Step("bit widths", f"bit widths {stored_widths}", width_start, body, first),
    ]
    size = structure.miniblock_size
    for at, width, skipped in zip(
        alone.miniblock_starts()[0].tolist(),
        alone.bit_widths[0].tolist(),
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
