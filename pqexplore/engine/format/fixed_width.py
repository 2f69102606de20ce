"""Bytes of fixed-size binary and binary arrays, and casts between them, right in every version of pyarrow that the project allows.

Before pyarrow 17 the cast of a sliced fixed-size binary array reads outside of its buffers and crashes the process;
before pyarrow 15 there is no cast to fixed-size binary.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import UsageError


def byte_rows(values: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    """The bytes of fixed-size binary values: uint8, shape (values, width), read-only, without a copy.

    Also for other types without nulls that store `width` bytes a value.
    """
    stored = np.frombuffer(values.buffers()[1] or b"", np.uint8)
    start = values.offset * width
    return stored[start : start + width * len(values)].reshape(len(values), width)


def offsets_and_bytes(values: pa.Array) -> tuple[Array, npt.NDArray[np.uint8]]:
    """The offsets (shape (values + 1,)) of `binary` or `large_binary` values, and the bytes that they point into."""
    kind = "<i8" if pa.types.is_large_binary(values.type) else "<i4"
    _, offsets, data = values.buffers()
    if not len(values):
        return np.zeros(1, kind), np.zeros(0, np.uint8)
    stored = np.frombuffer(offsets, kind)[values.offset : values.offset + len(values) + 1]
    return stored, np.frombuffer(data or b"", np.uint8)


def to_variable(values: pa.Array) -> pa.Array:
    """The same values as `binary`, from `binary`, `large_binary` or fixed-size binary. Nulls stay null."""
    if pa.types.is_fixed_size_binary(values.type) and values.offset:
        values = pa.concat_arrays([values])  # a copy without an offset
    return values.cast(pa.binary())


def to_fixed(values: pa.Array, width: int) -> pa.Array:
    """`binary` or `large_binary` values, without nulls, as fixed-size binary of `width` bytes.

    Raises UsageError, with the index of the first value of another length.
    """
    if not len(values):
        return pa.array([], pa.binary(width))
    offsets, _ = offsets_and_bytes(values)
    lengths = np.diff(offsets)
    if (lengths != width).any():
        first = int(np.argmax(lengths != width))
        raise UsageError(
            f"FIXED_LEN_BYTE_ARRAY({width}) stores values of {width} bytes; value {first:,} has {lengths[first]:,}"
        )
    data = values.buffers()[2] or pa.py_buffer(b"")
    stored = data.slice(int(offsets[0]), width * len(values))
    return pa.Array.from_buffers(pa.binary(width), len(values), [None, stored])
