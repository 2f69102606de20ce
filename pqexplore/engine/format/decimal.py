"""DECIMAL columns to Arrow: unscaled integers of any width become 16 or 32 bytes of little-endian two's complement.

Parquet stores the unscaled value as INT32 or INT64, or as big-endian two's complement in as many bytes as the column
or the value has; Arrow needs a fixed width, the least significant byte first. The bits are kept: a value with more
digits than the precision allows is not changed.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#decimal
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.fixed_width import to_variable

MAX_DIGITS = 76
"""Digits of Arrow's widest decimal; a column with more stays binary."""


def arrow_type(precision: int, scale: int) -> pa.DataType:
    """`decimal128`, or `decimal256` from 39 digits, or `binary` beyond 76."""
    if precision <= 38:
        return pa.decimal128(precision, scale)
    if precision <= MAX_DIGITS:
        return pa.decimal256(precision, scale)
    return pa.binary()


def to_arrow(physical: pa.Array, precision: int, scale: int) -> pa.Array:
    """A physical array (int32, int64, binary, large_binary or fixed-size binary, no nulls) as `arrow_type(…)`.

    Raises CorruptFileError, with the value's index, for a value that does not fit into the target's bytes or has none.
    """
    target = arrow_type(precision, scale)
    if pa.types.is_binary(target):
        variable = pa.types.is_binary(physical.type) or pa.types.is_large_binary(physical.type)
        return physical if variable else to_variable(physical)
    width = 16 if precision <= 38 else 32
    if pa.types.is_integer(physical.type):
        unscaled = _from_integers(physical, width)
    elif pa.types.is_fixed_size_binary(physical.type):
        unscaled = _from_fixed(physical, width)
    else:
        unscaled = _from_variable(physical, width)
    return pa.Array.from_buffers(target, len(physical), [None, pa.py_buffer(unscaled)])


def _from_integers(physical: pa.Array, width: int) -> Array:
    words = np.empty((len(physical), width // 8), "<i8")
    words[:, 0] = physical.to_numpy(zero_copy_only=False)
    words[:, 1:] = (words[:, 0] >> 63)[:, None]
    return words


def _bytes_of(buffer: pa.Buffer | None) -> npt.NDArray[np.uint8]:
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _from_fixed(physical: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    length, count = physical.type.byte_width, len(physical)
    unscaled = np.zeros((count, width), np.uint8)
    if count == 0:
        return unscaled
    if length == 0:
        raise CorruptFileError("a DECIMAL value of no bytes (value 0); at least one is needed")
    start = physical.offset * length
    stored = _bytes_of(physical.buffers()[1])[start : start + count * length]
    stored = stored.reshape(count, length)
    sign = np.where(stored[:, 0] >= 0x80, np.uint8(0xFF), np.uint8(0))
    kept = min(length, width)
    unscaled[:, kept:] = sign[:, None]
    unscaled[:, :kept] = stored[:, ::-1][:, :kept]
    if length > width:
        fits = (stored[:, : length - width] == sign[:, None]).all(axis=1)
        fits &= (unscaled[:, -1] >= 0x80) == (sign != 0)
        if not fits.all():
            _too_wide(int(np.argmin(fits)), length, width)
    return unscaled


def _from_variable(physical: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    count = len(physical)
    unscaled = np.zeros((count, width), np.uint8)
    if count == 0:
        return unscaled
    _, offsets_buffer, data_buffer = physical.buffers()
    kind = "<i8" if pa.types.is_large_binary(physical.type) else "<i4"
    offsets = np.frombuffer(offsets_buffer, kind)[physical.offset : physical.offset + count + 1]
    data, starts, ends = _bytes_of(data_buffer), offsets[:-1], offsets[1:]
    lengths = ends - starts
    if not lengths.all():
        first = int(np.argmin(lengths != 0))
        raise CorruptFileError(
            f"a DECIMAL value of no bytes (value {first:,}); at least one is needed"
        )
    longest = int(lengths.max())
    if longest > width:
        _too_wide(int(np.argmax(lengths > width)), longest, width)
    sign = np.where(data[starts] >= 0x80, np.uint8(0xFF), np.uint8(0))
    unscaled[:] = sign[:, None]
    for nth in range(longest):
        if nth < lengths.min():
            unscaled[:, nth] = data[ends - 1 - nth]
        else:
            rows = np.flatnonzero(lengths > nth)
            unscaled[rows, nth] = data[ends[rows] - 1 - nth]
    return unscaled


def _too_wide(index: int, length: int, width: int) -> None:
    raise CorruptFileError(
        f"a DECIMAL value of {length:,} bytes (value {index:,}) does not fit the column's precision, "
        f"for which {width} bytes are enough"
    )
