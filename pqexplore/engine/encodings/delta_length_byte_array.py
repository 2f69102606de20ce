"""DELTA_LENGTH_BYTE_ARRAY (6): all lengths first, as DELTA_BINARY_PACKED, then all bytes, back to back.

The bytes are already laid out as Arrow wants them, so decoding is a sum: the lengths become offsets, and the array
is a view of the page. Nothing is copied.

Source: the specification's "Delta-length byte array".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import delta_binary_packed
from pqexplore.engine.encodings.bits import Buffer
from pqexplore.engine.encodings.delta_blocks import scan
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError

BYTE_ARRAY = 6
"""The value of `Type` that this encoding is for."""

Array = np.ndarray[Any, np.dtype[Any]]

_INT32_MAX = (1 << 31) - 1


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None
) -> pa.Array:
    """The `num_values` byte arrays of a values section, as a binary Arrow array over `buffer` itself.

    large_binary where the bytes are more than 2^31 - 1. An empty buffer holds no values.

    Raises CorruptFileError where the lengths are damaged, negative, or come to more bytes than there are;
    UnsupportedFeatureError for another physical type.
    """
    if physical_type != BYTE_ARRAY:
        raise UnsupportedFeatureError(
            f"DELTA_LENGTH_BYTE_ARRAY is for BYTE_ARRAY, not for physical type {int(physical_type)}"
        )
    if num_values == 0 and len(buffer) == 0:
        return pa.array([], pa.binary())
    offsets, start = decode_offsets(buffer, 0, num_values)
    return binary_array(offsets, memoryview(buffer)[start : start + int(offsets[-1])])


def decode_offsets(buffer: Buffer, offset: int, num_values: int) -> tuple[Array, int]:
    """What the stream at `offset` says of its values: where each begins among the bytes, and where the bytes begin.

    The offsets are int64 and one more than the values; the last is how many bytes there are. Raises
    CorruptFileError as `decode` does.
    """
    lengths, start = delta_binary_packed.decode_with_end(buffer, offset, num_values, 32)
    if lengths.size and int(lengths.min()) < 0:
        bad = int(np.argmax(lengths < 0))
        raise CorruptFileError(
            f"DELTA_LENGTH_BYTE_ARRAY: value {bad:,} has the negative length {int(lengths[bad]):,}",
            offset=offset,
        )
    offsets = np.empty(num_values + 1, np.int64)
    offsets[0] = 0
    np.cumsum(lengths, out=offsets[1:])
    if start + int(offsets[-1]) > len(buffer):
        bad = int(np.searchsorted(offsets, len(buffer) - start, "right")) - 1
        raise CorruptFileError(
            f"DELTA_LENGTH_BYTE_ARRAY: the lengths come to {int(offsets[-1]):,} bytes, but only "
            f"{len(buffer) - start:,} follow them; value {bad:,} is the first that does not fit",
            offset=len(buffer),
        )
    return offsets, start


def binary_array(offsets: Array, data: Any) -> pa.Array:
    """A binary (or large_binary) Arrow array of the slices of `data` between consecutive int64 `offsets`."""
    large = int(offsets[-1]) > _INT32_MAX
    stored = offsets if large else offsets.astype(np.int32)
    return pa.Array.from_buffers(
        pa.large_binary() if large else pa.binary(),
        len(offsets) - 1,
        [None, pa.py_buffer(stored), pa.py_buffer(data)],
    )


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    first: int = 0,
) -> Iterator[Step]:
    """The derivation: `lengths` (whose parts are DELTA_BINARY_PACKED's), then one `value` a value from `first` on.

    Damaged lengths raise at once; lengths that the bytes do not fit raise after `lengths`.
    """
    if num_values == 0 and len(buffer) == 0:
        return
    yield (step := lengths_step(buffer, 0, num_values, "lengths"))
    values = decode(buffer, num_values, physical_type, type_length)
    offsets, _ = offsets_and_bytes(values)
    for index in range(first, num_values):
        start, end = step.end + int(offsets[index]), step.end + int(offsets[index + 1])
        yield Step(
            "value",
            f"value {index:,}: {end - start:,} bytes",
            start,
            end,
            index,
            1,
            values.slice(index, 1),
            {"length": end - start},
        )


def lengths_step(buffer: Buffer, offset: int, num_values: int, kind: str) -> Step:
    """A stream of lengths as one step, which yields no values: its parts are the stream's own steps."""
    structure = scan(buffer, offset, num_values, 32)
    if structure.error is not None:
        raise structure.error
    return Step(
        kind,
        f"{num_values:,} {kind}",
        offset,
        structure.end,
        facts={"count": num_values},
        parts=delta_binary_packed.steps(buffer, structure, 32),
    )


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a binary or large_binary Arrow array without nulls."""
    offsets, data = offsets_and_bytes(values)
    lengths = np.diff(offsets).astype(np.int32)
    return delta_binary_packed.encode_integers(lengths, block_size, miniblocks) + bytes(data)


def offsets_and_bytes(values: pa.Array) -> tuple[Array, memoryview]:
    """The int64 offsets of a binary, large_binary or fixed_size_binary array, from 0, and the bytes they cut."""
    if pa.types.is_fixed_size_binary(values.type):
        width = values.type.byte_width
        offsets = np.arange(len(values) + 1, dtype=np.int64) * width
        start = values.offset * width
        whole = memoryview(values.buffers()[1] or b"")
        return offsets, whole[start : start + int(offsets[-1])]
    dtype = np.int64 if values.type == pa.large_binary() else np.int32
    if len(values) == 0:
        return np.zeros(1, np.int64), memoryview(b"")
    _, stored, data = values.buffers()
    offsets = np.frombuffer(stored, dtype)[values.offset : values.offset + len(values) + 1]
    start, end = int(offsets[0]), int(offsets[-1])
    return offsets.astype(np.int64) - start, memoryview(data or b"")[start:end]
