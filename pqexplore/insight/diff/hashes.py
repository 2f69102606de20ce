"""A hash of each value of an Arrow array, the same for equal values: NaN equals NaN, both zeros are equal.

Equal values have equal hashes; different ones share a hash of 64 bits about once in 10^19 pairs. Numbers are mixed by the
finaliser of SplitMix64 (https://doi.org/10.1145/2714064.2660195), texts hashed by BLAKE2. A struct mixes the hashes of its
fields, a list those of its elements.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

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
    if pa.types.is_struct(kind):
        fields = [hashes(array.field(i)) for i in range(kind.num_fields)]
        made = _mixed(of_rows(fields)) if fields else np.zeros(len(array), np.uint64)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        made = _of_lists(array)
    elif pa.types.is_fixed_size_list(kind):
        made = _of_lists(array.cast(pa.list_(kind.value_type)))
    elif pa.types.is_floating(kind):
        made = _of_floats(array)
    elif pa.types.is_boolean(kind):
        made = _mixed(array.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64))
    elif _width(kind) in _UNSIGNED:
        bits = array.view(_UNSIGNED[_width(kind)]).fill_null(0)
        made = _mixed(bits.to_numpy(zero_copy_only=False).astype(np.uint64))
    else:
        made = _of_bytes(array)
    if array.null_count:
        made[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return made


def _of_floats(array: pa.Array) -> UInt64s:
    numbers = array.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False).copy()
    numbers[numbers == 0] = 0
    numbers[np.isnan(numbers)] = np.nan
    return _mixed(numbers.view(np.uint64))


def _of_lists(array: pa.Array) -> UInt64s:
    """Hashes of lists: the sum of their elements' hashes, each mixed with its place in the list."""
    offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    start, end = int(offsets[0]), int(offsets[-1])
    if pa.types.is_map(array.type):
        elements = [hashes(one[start:end]) for one in (array.keys, array.items)]
    else:
        elements = [hashes(array.values[start:end])]
    lengths = np.diff(offsets)
    places = np.arange(end - start) - np.repeat(offsets[:-1] - start, lengths)
    placed = _mixed(of_rows([*elements, places.astype(np.uint64)]))
    sums = np.append(np.uint64(0), np.cumsum(placed, dtype=np.uint64))[offsets - start]
    return _mixed(sums[1:] - sums[:-1] + lengths.astype(np.uint64))


def _mixed(bits: UInt64s) -> UInt64s:
    made = bits + _NULL
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        made ^= made >> np.uint64(shift)
        made *= np.uint64(factor)
    made ^= made >> np.uint64(31)
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


def _of_bytes(array: pa.Array) -> UInt64s:
    """Hashes of text, bytes and decimals: of each different value once."""
    kind = array.type
    if pa.types.is_decimal(kind):
        array = array.view(pa.binary(kind.byte_width))
    elif pa.types.is_string(kind):
        array = array.cast(pa.binary())
    elif pa.types.is_large_string(kind):
        array = array.cast(pa.large_binary())
    encoded = array.dictionary_encode()
    digests = b"".join(
        hashlib.blake2b(one, digest_size=8).digest() for one in encoded.dictionary.to_pylist()
    )
    each = np.frombuffer(digests, np.uint64)
    if not len(each):
        return np.full(len(array), _NULL)
    found: UInt64s = each[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return found
