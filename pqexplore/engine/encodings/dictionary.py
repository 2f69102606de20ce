"""PLAIN_DICTIONARY (= 2) and RLE_DICTIONARY (= 8): values as indexes into the column chunk's dictionary.

The dictionary page has the entries, encoded with PLAIN. A data page has one byte, the bit width of the indexes,
and then the indexes themselves, the *ids*, as runs (see `rle`), to the end of the page.
Specification: Encodings, "Dictionary Encoding".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import plain, rle
from pqexplore.engine.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.limits import DEFAULT, Limits

_ID_TYPES = {1: pa.uint8(), 2: pa.uint16(), 4: pa.uint32()}


def decode_ids(buffer: Buffer, num_values: int, dictionary_length: int) -> UnsignedArray:
    """The `num_values` ids of `buffer` as uint8, uint16 or uint32, all below `dictionary_length`.

    No values need no bytes, not even the bit width. Raises `CorruptFileError` when the bit width is missing or more
    than 32, when an id is beyond the dictionary, and what `rle.decode` raises.
    """
    if num_values == 0:
        return np.zeros(0, np.uint8)
    ids = rle.decode(buffer, _bit_width(buffer), num_values, start=1)
    _check_range(ids, dictionary_length, 0)
    return ids


def _bit_width(buffer: Buffer) -> int:
    if len(buffer) == 0:
        raise CorruptFileError(
            "dictionary ids begin with a byte that has their bit width; there are no bytes",
            offset=0,
        )
    bit_width = buffer[0]
    if bit_width > rle.MAX_BIT_WIDTH:
        raise CorruptFileError(
            f"the bit width of dictionary ids is {bit_width}, at most {rle.MAX_BIT_WIDTH} is allowed",
            offset=0,
        )
    return bit_width


def _check_range(ids: UnsignedArray, dictionary_length: int, first: int) -> None:
    if ids.size and int(ids.max()) >= dictionary_length:
        index = int(np.argmax(ids >= dictionary_length))
        raise CorruptFileError(
            f"value {first + index:,} is the dictionary id {int(ids[index]):,}, but the dictionary has "
            f"{dictionary_length:,} entries"
        )


def take(dictionary: pa.Array, ids: UnsignedArray, *, limits: Limits = DEFAULT) -> pa.Array:
    """The entry of each id: a physical array as long as `ids`, which must be below `len(dictionary)`.

    Few long entries can become many bytes: raises `LimitExceededError` beyond `limits.read_bytes`. The result is
    large_binary where a binary array cannot hold the bytes.
    """
    if not ids.size:
        return dictionary.slice(0, 0)
    from pyarrow import compute  # slow to import: whoever looks at a footer should not wait for it

    kind = dictionary.type
    if pa.types.is_fixed_size_binary(kind):
        limits.check("read_bytes", kind.byte_width * ids.size, "looking up dictionary entries")
    elif _may_be_large(dictionary, ids):
        lengths = compute.binary_length(dictionary).to_numpy().astype(np.int64)
        total = int(lengths[ids].sum())
        limits.check("read_bytes", total, "looking up dictionary entries")
        if total > plain.MAX_BINARY_BYTES:
            dictionary = dictionary.cast(pa.large_binary())
    # Not pa.array(ids): given numpy's arrays it imports pandas.
    indices = pa.Array.from_buffers(
        _ID_TYPES[ids.itemsize], ids.size, [None, pa.py_buffer(np.ascontiguousarray(ids))]
    )
    return compute.take(dictionary, indices, boundscheck=False)


def _may_be_large(dictionary: pa.Array, ids: UnsignedArray) -> bool:
    """Whether so many ids of the longest entry would be more than a binary array can hold."""
    if not pa.types.is_binary(dictionary.type) and not pa.types.is_large_binary(dictionary.type):
        return False
    if dictionary.nbytes * ids.size <= plain.MAX_BINARY_BYTES:
        return False
    from pyarrow import compute

    longest = compute.max(compute.binary_length(dictionary)).as_py() or 0
    return bool(longest * ids.size > plain.MAX_BINARY_BYTES)


def trace(
    buffer: Buffer,
    num_values: int,
    dictionary: pa.Array | None = None,
    *,
    first: int = 0,
    limits: Limits = DEFAULT,
) -> Iterator[Step]:
    """A step `bit width`, then the runs of ids as `rle.trace` gives them, from the one with value number `first`.

    With the dictionary, the values of the runs are its entries, and the fact `ids` has the ids; without, the values
    are the ids.
    """
    if num_values == 0:
        return
    bit_width = _bit_width(buffer)
    label = f"ids have {bit_width} bits"
    yield Step("bit width", label, 0, 1, facts={"bit_width": bit_width})
    for step in rle.trace(buffer, bit_width, num_values, start=1, first=first):
        ids = step.values
        if dictionary is not None:
            _check_range(ids, len(dictionary), step.first)
            entries = take(dictionary, ids, limits=limits)
            step = dataclasses.replace(step, values=entries, facts={**step.facts, "ids": ids})
        yield step


def encode(ids: Any, bit_width: int | None = None, *, minimum_run: int = 8) -> bytes:
    """The values section of a data page with these ids; by default with the smallest bit width that fits."""
    given = np.asarray(ids)
    if bit_width is None:
        bit_width = int(given.max()).bit_length() if given.size else 0
    return bytes([bit_width]) + rle.encode(given, bit_width, minimum_run=minimum_run)


def build(values: pa.Array) -> tuple[pa.Array, UnsignedArray]:
    """The dictionary of a physical array, entries in order of first appearance, and the id of each value (uint32).

    Values are the same when their bytes are: −0.0 and 0.0 are two entries, and so are NaNs of different bits.
    """
    kind = values.type
    if pa.types.is_floating(kind):
        values = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    encoded = values.dictionary_encode()
    entries = encoded.dictionary
    ids = encoded.indices.to_numpy(zero_copy_only=False).astype(np.uint32)
    return entries.view(kind) if pa.types.is_floating(kind) else entries, ids
