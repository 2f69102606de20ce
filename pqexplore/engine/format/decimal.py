"""DECIMAL columns to Arrow: unscaled integers of any width become 16 or 32 bytes of little-endian two's complement.

Parquet stores the unscaled value as INT32 or INT64, or as big-endian two's complement in as many bytes as the column
or the value has; Arrow needs a fixed width, the least significant byte first. The bits are kept.

A value can have more digits than the column's precision allows. Arrow calls such a decimal invalid, so the values decide
the precision (`precision_of`): the declared one if all values have at most so many digits, else 38, else 76, else no
decimal can hold them, and they stay bytes. A value of no bytes is 0, as DuckDB reads it.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#decimal
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.arrays import Array, Mask, numpy_numbers
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.fixed_width import byte_rows, offsets_and_bytes, to_variable

MAX_DIGITS = 76
"""Digits of Arrow's widest decimal; a column with more stays binary."""

_WIDER = (38, MAX_DIGITS, MAX_DIGITS + 1)
"""Precisions of decimal128, of decimal256, and one for which there is no decimal."""


def arrow_type(precision: int, scale: int) -> pa.DataType:
    """`decimal128`, or `decimal256` from 39 digits, or `binary` beyond 76."""
    if precision <= 38:
        return pa.decimal128(precision, scale)
    if precision <= MAX_DIGITS:
        return pa.decimal256(precision, scale)
    return pa.binary()


def precision_of(arrays: Iterable[pa.Array], precision: int) -> int:
    """The declared `precision` if no value of the physical arrays has more digits; else 38, 76, or 77 (too many)."""
    for physical in arrays:
        while precision <= MAX_DIGITS and beyond(physical, precision).any():
            precision = next(wider for wider in _WIDER if wider > precision)
    return precision


def beyond(physical: pa.Array, precision: int) -> Mask:
    """Which values of a physical array (no nulls) have more than `precision` digits: bool, shape (values,)."""
    count = len(physical)
    if pa.types.is_integer(physical.type):
        if precision > 18:
            return np.zeros(count, np.bool_)
        numbers = numpy_numbers(physical)
        outside: Mask = (numbers > 10**precision - 1) | (numbers < 1 - 10**precision)
        return outside
    if _surely_within(physical, precision):
        return np.zeros(count, np.bool_)
    width = 16 if precision < 38 else 32
    unscaled, lost = _unscaled(physical, width)
    if precision > MAX_DIGITS:
        long = np.zeros(count, np.bool_)
        for index in np.flatnonzero(lost):
            long[index] = _has_more_digits(physical[int(index)].as_py(), precision)
        return long
    words = unscaled.view("<i8").reshape(count, width // 8)
    return ~_at_least(words, 1 - 10**precision) | _at_least(words, 10**precision) | lost


def is_padded(physical: pa.Array) -> Mask:
    """Which values of a binary array begin with a byte that they do not need: bool, shape (values,)."""
    offsets, data = offsets_and_bytes(physical)
    padded = np.diff(offsets) > 1
    rows = np.flatnonzero(padded)
    sign, following = data[offsets[rows]], data[offsets[rows] + 1]
    padded[rows] = ((sign == 0) & (following < 0x80)) | ((sign == 0xFF) & (following >= 0x80))
    return padded


def _surely_within(physical: pa.Array, precision: int) -> bool:
    """Quick check: whether the first eight bytes of the values, or their lengths, leave no room for more digits."""
    if not len(physical):
        return True
    limit = 10 ** min(precision, MAX_DIGITS + 1)
    if not pa.types.is_fixed_size_binary(physical.type):
        longest = int(np.diff(offsets_and_bytes(physical)[0]).max())
        return not longest or (longest <= 32 and limit >= 1 << (8 * longest - 1))
    length = physical.type.byte_width
    if not length:
        return True
    rows = byte_rows(physical, length)
    if length < 8:
        padded = np.zeros((len(rows), 8), np.uint8)
        padded[:, :length] = rows
        rows, limit = padded, limit << 8 * (8 - length)
    else:
        limit >>= 8 * (length - 8)
    first = np.ndarray((len(rows),), ">i8", rows, strides=(rows.shape[1],))
    return bool(int(first.max()) < limit and int(first.min()) > -limit)


def _at_least(words: Array, limit: int) -> Mask:
    """Which numbers, as words of 64 bits (int64, the least significant first), are `limit` or more."""
    result = np.ones(len(words), np.bool_)
    last = words.shape[1] - 1
    for position in range(last + 1):
        part = limit >> 64 * position
        word = words[:, position]
        if position < last:
            word, part = word.view(np.uint64), part & (1 << 64) - 1
        result &= word == part
        result |= word > part
    return result


def _has_more_digits(raw: bytes, precision: int) -> bool:
    """Whether two's complement of any length has more digits; takes no more time than its bytes are worth."""
    number = abs(int.from_bytes(raw, "big", signed=True))
    digits = number.bit_length() * math.log10(2)
    if abs(digits - precision) > 2:
        return digits > precision
    return bool(number >= 10**precision)


def to_arrow(physical: pa.Array, target: pa.DataType) -> pa.Array:
    """A physical array (int32, int64, binary, large_binary or fixed-size binary, no nulls) as an `arrow_type`.

    Raises CorruptFileError, with the value's index, for a value that does not fit into the target's bytes.
    """
    if pa.types.is_binary(target):
        variable = pa.types.is_binary(physical.type) or pa.types.is_large_binary(physical.type)
        return physical if variable else to_variable(physical)
    width = target.byte_width
    if pa.types.is_integer(physical.type):
        unscaled = _from_integers(physical, width)
    else:
        unscaled, lost = _unscaled(physical, width)
        if lost.any():
            raise CorruptFileError(f"a DECIMAL value (value {int(np.argmax(lost)):,}) does not fit into {width} bytes")
    return pa.Array.from_buffers(target, len(physical), [None, pa.py_buffer(unscaled)])


def _from_integers(physical: pa.Array, width: int) -> Array:
    words = np.empty((len(physical), width // 8), "<i8")
    words[:, 0] = numpy_numbers(physical)
    words[:, 1:] = (words[:, 0] >> 63)[:, None]
    return words


def _unscaled(physical: pa.Array, width: int) -> tuple[npt.NDArray[np.uint8], Mask]:
    """(the values in `width` bytes, little-endian; which values do not fit). A value of no bytes is 0."""
    if pa.types.is_fixed_size_binary(physical.type):
        return _from_fixed(physical, width)
    return _from_variable(physical, width)


def _from_fixed(physical: pa.Array, width: int) -> tuple[npt.NDArray[np.uint8], Mask]:
    length, count = physical.type.byte_width, len(physical)
    unscaled, lost = np.zeros((count, width), np.uint8), np.zeros(count, np.bool_)
    if count == 0 or length == 0:
        return unscaled, lost
    stored = byte_rows(physical, length)
    sign = np.where(stored[:, 0] >= 0x80, np.uint8(0xFF), np.uint8(0))
    kept = min(length, width)
    unscaled[:, kept:] = sign[:, None]
    unscaled[:, :kept] = stored[:, ::-1][:, :kept]
    if length > width:
        lost = (stored[:, : length - width] != sign[:, None]).any(axis=1)
        lost |= (unscaled[:, -1] >= 0x80) != (sign != 0)
    return unscaled, lost


def _from_variable(physical: pa.Array, width: int) -> tuple[npt.NDArray[np.uint8], Mask]:
    count = len(physical)
    unscaled, lost = np.zeros((count, width), np.uint8), np.zeros(count, np.bool_)
    if count == 0:
        return unscaled, lost
    offsets, data = offsets_and_bytes(physical)
    starts, ends = offsets[:-1], offsets[1:]
    lengths = ends - starts
    present = np.flatnonzero(lengths)
    sign = np.zeros(count, np.uint8)
    sign[present[data[starts[present]] >= 0x80]] = 0xFF
    unscaled[:] = sign[:, None]
    for nth in range(min(width, int(lengths.max()))):
        if nth < lengths.min():
            unscaled[:, nth] = data[ends - 1 - nth]
        else:
            rows = np.flatnonzero(lengths > nth)
            unscaled[rows, nth] = data[ends[rows] - 1 - nth]
    for row in np.flatnonzero(lengths > width):
        before = data[starts[row] : ends[row] - width]
        lost[row] = (before != sign[row]).any() or (unscaled[row, -1] >= 0x80) != (sign[row] != 0)
    return unscaled, lost
