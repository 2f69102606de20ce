"""A hash of each value of an Arrow array, the same for equal values: NaN equals NaN, both zeros are equal.

Equal values have equal hashes; different ones share a hash of 64 bits about once in 10^19 pairs. Numbers are mixed by the
finaliser of SplitMix64 (https://doi.org/10.1145/2714064.2660195), and so are short texts, eight bytes at a time; long
ones are hashed by BLAKE2. A struct mixes the hashes of its fields, a list those of its elements.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import floats_of_halves

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Array, UInt64s

_NULL = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0x100000001B3)
LONG = 256
"""Bytes up to which a value is mixed word by word."""

_AT_ONCE = 4 << 20
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
    if pa.types.is_float16(array.type):
        array = floats_of_halves(pa.chunked_array([array])).combine_chunks()
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
    """Hashes of text, bytes and decimals, those of one length together."""
    data, offsets = _bytes(array)
    lengths = np.diff(offsets)
    made = np.empty(len(array), np.uint64)
    few = lengths.max(initial=0) < 1 << 16
    order = np.argsort(lengths.astype(np.uint16) if few else lengths, kind="stable")  # a radix sort
    ends = np.flatnonzero(np.append(np.diff(lengths[order]), 1)) + 1
    for start, end in zip([0, *ends[:-1]], ends, strict=True) if len(array) else ():
        length = int(lengths[order[start]])
        step = max(1, _AT_ONCE // (length + 1))
        for first in range(start, end, step):
            places = order[first : min(end, first + step)]
            of_length = _of_texts if length > LONG else _of_words
            made[places] = of_length(data, offsets[places], length)
    return made


def _bytes(array: pa.Array) -> tuple[Array, Array]:
    """The bytes of all values, and the offsets in them: one more than there are values."""
    kind, buffers = array.type, array.buffers()
    count = len(array) + 1
    if pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind):
        offsets = (np.arange(count) + array.offset) * kind.byte_width
        data = buffers[1]
    else:
        large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
        offsets = np.frombuffer(buffers[1] or bytes(8), np.int64 if large else np.int32)
        offsets = offsets[array.offset : array.offset + count].astype(np.int64)
        data = buffers[2]
    return np.frombuffer(data or b"", np.uint8), offsets


def _of_words(data: Array, starts: Array, length: int) -> UInt64s:
    """Hashes of the values of `length` bytes at `starts`: words of 8 bytes are mixed one after the other."""
    made = np.full(len(starts), length, np.uint64)
    if length:
        block = np.zeros((len(starts), -(-length // 8) * 8), np.uint8)
        block[:, :length] = np.lib.stride_tricks.sliding_window_view(data, length)[starts]
        for word in block.view(np.uint64).T:
            made = _mixed(made) ^ word
    return _mixed(made)


def _of_texts(data: Array, starts: Array, length: int) -> UInt64s:
    """The same of long values, by BLAKE2."""
    texts = (data[at : at + length].tobytes() for at in starts)
    digests = (hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), np.uint64)
