"""Floats of the same value with other bits: zeros of both signs, and NaNs of other payloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Array

_UNSIGNED = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


def other_bits(one: pa.Array, two: pa.Array) -> Array:
    """The rows in which two arrays have the same float with other bits; none for arrays of another type."""
    none = np.zeros(0, np.int64)
    if not pa.types.is_floating(one.type) or one.type != two.type:
        return none
    first, second = (array.view(_UNSIGNED[array.type.bit_width]) for array in (one, two))
    if first.equals(second):
        return none
    raw, raw_two = (bits.fill_null(0).to_numpy(zero_copy_only=False) for bits in (first, second))
    kind = f"f{one.type.bit_width // 8}"
    floats, floats_two = raw.view(kind), raw_two.view(kind)
    same = (floats == floats_two) | (np.isnan(floats) & np.isnan(floats_two))
    return np.flatnonzero((raw != raw_two) & same)


def text(value: pa.Scalar) -> str:
    """A zero with its sign; a NaN with its bits."""
    kind = _UNSIGNED[value.type.bit_width]
    raw = pa.array([value.as_py()], value.type).view(kind)[0].as_py()
    number = float(value.as_py())
    return f"NaN of the bits {raw:#x}" if number != number else repr(number)
