"""A hash of each value of an Arrow array, the same for equal values: NaN equals NaN, both zeros are equal.

Equal values have equal hashes; different ones share a hash of 64 bits about once in 10^19 pairs. Numbers are mixed by the
finaliser of SplitMix64 (https://doi.org/10.1145/2714064.2660195), texts hashed by BLAKE2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
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
        made = _of_texts(array.to_pylist())
    elif pa.types.is_floating(kind):
        numbers = array.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False) + 0.0
        made = _mixed(np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64))
    elif pa.types.is_boolean(kind):
        made = _mixed(array.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64))
    elif _width(kind) in _UNSIGNED:
        bits = array.view(_UNSIGNED[_width(kind)]).fill_null(0)
        made = _mixed(bits.to_numpy(zero_copy_only=False).astype(np.uint64))
    else:
        made = _by_value(array)
    if array.null_count:
        made[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return made


def _mixed(bits: UInt64s) -> UInt64s:
    made = bits + _NULL
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        made ^= made >> np.uint64(shift)
        made *= np.uint64(factor)
    made ^= made >> np.uint64(31)
    return made


def _of_texts(values: Iterable[Any]) -> UInt64s:
    """Hashes of Python values by their text."""
    texts = (repr(one).encode("utf-8", "surrogatepass") for one in values)
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, np.uint64).copy()


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
    each = _of_texts(encoded.dictionary.to_pylist())
    if not len(each):
        return np.full(len(array), _NULL)
    found: UInt64s = each[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return found
