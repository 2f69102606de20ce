"""A hash of each value of an Arrow array, the same for equal values: NaN equals NaN, both zeros are equal.

Equal values have equal hashes; different ones share a hash of 64 bits about once in 10^19 pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

if TYPE_CHECKING:
    from pqexplore.engine.arrays import UInt64s

_NULL = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0x100000001B3)
_UNSIGNED = {1: pa.uint8(), 2: pa.uint16(), 4: pa.uint32(), 8: pa.uint64()}


def hashes(array: pa.Array) -> UInt64s:
    """uint64 array as long as the Arrow array."""
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), _NULL)
    if pa.types.is_nested(kind):
        found = pd.util.hash_array(np.array([repr(one) for one in array.to_pylist()], object))
    elif pa.types.is_floating(kind):
        numbers = array.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False) + 0.0
        found = pd.util.hash_array(np.where(np.isnan(numbers), np.nan, numbers))
    elif pa.types.is_boolean(kind):
        found = pd.util.hash_array(array.fill_null(False).to_numpy(zero_copy_only=False))
    elif _width(kind) in _UNSIGNED:
        bits = array.view(_UNSIGNED[_width(kind)]).fill_null(0)
        found = pd.util.hash_array(bits.to_numpy(zero_copy_only=False).astype(np.uint64))
    else:
        found = _by_value(array)
    made: UInt64s = np.array(found, np.uint64)
    if array.null_count:
        made[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return made


def of_rows(columns: list[UInt64s]) -> UInt64s:
    """One hash a row, of the hashes of its values in their order."""
    made = np.zeros(len(columns[0]), np.uint64)
    for one in columns:
        made = made * _FACTOR ^ one
    return made


def _width(kind: pa.DataType) -> int:
    """Bytes of a value of an integer or a temporal type; 0 for others."""
    if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
        return int(kind.bit_width) // 8
    return 0


def _by_value(array: pa.Array) -> UInt64s:
    """Hashes of text, bytes and decimals: of each different value once."""
    encoded = array.dictionary_encode()
    values = np.array([repr(one) for one in encoded.dictionary.to_pylist()], object)
    each = pd.util.hash_array(values)
    if not len(each):
        return np.full(len(array), _NULL)
    at = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    found: UInt64s = np.asarray(each[at], np.uint64)
    return found
