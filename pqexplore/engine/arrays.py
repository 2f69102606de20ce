"""Types of numpy arrays, for annotations, and numpy to Arrow. A docstring says dtype and shape where the type does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array: TypeAlias = npt.NDArray[Any]
"""An array of any dtype and shape."""

Levels: TypeAlias = npt.NDArray[Any]
"""Definition or repetition levels: one dimension, unsigned integers as narrow as the maximum allows."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""A truth value for each element of something: one dimension."""

Int64s: TypeAlias = npt.NDArray[np.int64]
"""Offsets, positions, counts: one dimension."""

UInt64s: TypeAlias = npt.NDArray[np.uint64]
"""Hashes, or bits of 8-byte values: one dimension."""


def arrow_numbers(numbers: Array) -> pa.Array:
    """An Arrow array of numbers or truth values without nulls, over the same bytes where it can.

    `pa.array` imports pandas when it is first called: 0.1 s.
    """
    kind = pa.from_numpy_dtype(numbers.dtype)
    stored = np.packbits(numbers, bitorder="little") if numbers.dtype == bool else numbers
    buffer = pa.py_buffer(np.ascontiguousarray(stored))
    return pa.Array.from_buffers(kind, len(numbers), [None, buffer])


def numpy_numbers(values: pa.Array) -> Array:
    """The numbers of an Arrow array without nulls, or truth values: shape (values,), numbers read-only and over the same bytes.

    `Array.to_numpy` imports pandas, as `pa.array` does.
    """
    if pa.types.is_boolean(values.type):
        bits = np.frombuffer(values.buffers()[1] or b"", np.uint8)
        end = values.offset + len(values)
        return np.unpackbits(bits, count=end, bitorder="little")[values.offset :].view(np.bool_)
    width = values.type.bit_width // 8
    kind = "f" if pa.types.is_floating(values.type) else "iu"[pa.types.is_unsigned_integer(values.type)]
    stored = values.buffers()[1] or b""
    return np.frombuffer(stored, f"<{kind}{width}", len(values), values.offset * width)


def is_nested(kind: pa.DataType) -> bool:
    """Whether a type has others inside: lists, maps, structs, unions. pyarrow 15 and older leave out lists of a fixed size."""
    return bool(pa.types.is_nested(kind) or pa.types.is_fixed_size_list(kind))


def floats_of_halves(halves: pa.ChunkedArray) -> pa.ChunkedArray:
    """FLOAT16 as FLOAT. By numpy: pyarrow 15 and older cast none."""
    made = [
        pa.array(chunk.to_numpy(zero_copy_only=False).astype(np.float32), mask=np.asarray(chunk.is_null()))
        for chunk in halves.chunks
    ]
    return pa.chunked_array(made, pa.float32())


def arrow_strings(texts: Sequence[str]) -> pa.Array:
    """An Arrow array of strings, less than 2 GiB of them; without pandas, as `arrow_numbers`."""
    joined = "".join(texts)
    if joined.isascii():  # nearly always, and then there is a byte for each letter
        raw, lengths = joined.encode(), map(len, texts)
    else:
        encoded = [text.encode() for text in texts]
        raw, lengths = b"".join(encoded), map(len, encoded)
    offsets = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(lengths, np.int32, len(texts)), out=offsets[1:])
    return arrow_texts(np.frombuffer(raw, np.uint8), offsets)


def arrow_texts(raw: Array, offsets: Array) -> pa.Array:
    """The Arrow array of strings with these bytes of UTF-8, uint8: the one at i is `[offsets[i], offsets[i + 1])`."""
    buffers = [None, pa.py_buffer(offsets.astype(np.int32, copy=False)), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)


def text_bytes(texts: pa.Array) -> tuple[Array, Array]:
    """The bytes of an Arrow array of strings without nulls, uint8, and the offsets, as `arrow_texts` takes them."""
    _, offsets, raw = texts.buffers()
    places = np.frombuffer(offsets or bytes(4), np.int32, len(texts) + 1, 4 * texts.offset)
    return np.frombuffer(raw or b"", np.uint8), places
