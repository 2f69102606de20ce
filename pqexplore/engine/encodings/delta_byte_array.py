"""DELTA_BYTE_ARRAY (7): each value as how much of the one before it repeats, and the rest.

Prefix lengths (DELTA_BINARY_PACKED), then the suffixes (DELTA_LENGTH_BYTE_ARRAY). A value needs the one before it,
which no vector operation can express; but "copy so many bytes from so far back, then these literal bytes" is what
an LZ decompressor does all day. So `decode` writes the prefix and suffix lengths down as a Snappy block, with numpy,
and lets the Snappy library follow it: the one pass over the values runs in compiled code.

The values can be far larger than the page: every prefix repeats bytes for free. Their total is known from the
lengths alone and is checked before anything is allocated.

Source: the specification's "Delta Strings".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cramjam
import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import delta_binary_packed, delta_length_byte_array
from pqexplore.engine.encodings.bits import Buffer
from pqexplore.engine.encodings.delta_length_byte_array import (
    binary_array,
    lengths_step,
    offsets_and_bytes,
)
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.limits import DEFAULT, Limits

BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 6, 7
"""The values of `Type` that this encoding is for."""

Array = np.ndarray[Any, np.dtype[Any]]

_COMPARED_BYTES = 1 << 20
"""How many bytes `encode` compares at once."""


def decode(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    limits: Limits = DEFAULT,
) -> pa.Array:
    """The `num_values` values of a values section: binary (large_binary beyond 2^31 - 1 bytes), or fixed_size_binary.

    Raises CorruptFileError where lengths are damaged or negative, a prefix is longer than the value before, the
    suffixes are longer than what is there, or a FIXED_LEN_BYTE_ARRAY value has another length than `type_length`;
    LimitExceededError where the values come to more than `limits.page_bytes`; UnsupportedFeatureError for
    another physical type.
    """
    fixed = _fixed_length(physical_type, type_length)
    if num_values == 0 and len(buffer) == 0:
        return pa.array([], pa.binary() if fixed is None else pa.binary(fixed))
    prefixes, suffixes, start = _lengths(buffer, num_values, fixed)
    offsets = np.zeros(num_values + 1, np.int64)
    np.cumsum(prefixes + suffixes, out=offsets[1:])
    total = int(offsets[-1])
    limits.check("page_bytes", total, "the values of a DELTA_BYTE_ARRAY page")
    data = memoryview(buffer)[start : start + int(suffixes.sum())]
    if prefixes.any():
        data = _joined(prefixes, suffixes, data, total)
    if fixed is None:
        return binary_array(offsets, data)
    return pa.Array.from_buffers(pa.binary(fixed), num_values, [None, pa.py_buffer(data)])


def _fixed_length(physical_type: int, type_length: int | None) -> int | None:
    if physical_type == BYTE_ARRAY:
        return None
    if physical_type != FIXED_LEN_BYTE_ARRAY:
        raise UnsupportedFeatureError(
            "DELTA_BYTE_ARRAY is for BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY, not for physical type "
            f"{int(physical_type)}"
        )
    if type_length is None or type_length < 0:
        raise CorruptFileError(f"FIXED_LEN_BYTE_ARRAY with the length {type_length}")
    return type_length


def _lengths(buffer: Buffer, num_values: int, fixed: int | None) -> tuple[Array, Array, int]:
    """The prefix and suffix lengths, checked, and where the suffixes' bytes begin."""
    prefixes, at = delta_binary_packed.decode_with_end(buffer, 0, num_values, 32)
    offsets, start = delta_length_byte_array.decode_offsets(buffer, at, num_values)
    suffixes = np.diff(offsets)
    before = np.zeros(num_values, np.int64)
    before[1:] = (prefixes + suffixes)[:-1]
    wrong = (prefixes < 0) | (prefixes > before)
    if wrong.any():
        bad = int(np.argmax(wrong))
        raise CorruptFileError(
            f"DELTA_BYTE_ARRAY: value {bad:,} repeats {int(prefixes[bad]):,} bytes of the value before it, "
            f"which has {int(before[bad]):,}",
            offset=0,
        )
    if fixed is not None and (wrong := prefixes + suffixes != fixed).any():
        bad = int(np.argmax(wrong))
        raise CorruptFileError(
            f"DELTA_BYTE_ARRAY: value {bad:,} has {int(prefixes[bad] + suffixes[bad]):,} bytes, "
            f"the column's type_length is {fixed}",
            offset=0,
        )
    return prefixes, suffixes, start


def _joined(prefixes: Array, suffixes: Array, data: memoryview, total: int) -> memoryview:
    """All values back to back: the Snappy block that says them, decompressed.

    Value i is `prefixes[i]` bytes copied from as far back as value i - 1 is long, in copies of at most 64 bytes,
    then a literal. All copies take the same number of bytes, enough for the farthest one.
    """
    before = np.zeros(prefixes.size, np.int64)
    before[1:] = (prefixes + suffixes)[:-1]
    copies = (prefixes + 63) >> 6
    copy_bytes = 3 if int(before.max()) < 1 << 16 else 5
    # A literal of up to 60 bytes has its length in its tag, up to 2^16 in two bytes behind it, then in four.
    literal_bytes = (suffixes > 0).astype(np.int64)
    literal_bytes[suffixes > 60] = 3
    literal_bytes[suffixes > 1 << 16] = 5

    preamble = delta_binary_packed.varint(total)
    heads = copies * copy_bytes + literal_bytes
    ends = np.cumsum(heads + suffixes) + len(preamble)
    size = int(ends[-1])
    block = np.empty(size + 8, np.uint8)
    block[: len(preamble)] = np.frombuffer(preamble, np.uint8)

    # A copy is written as the low bytes of a word; what the word spills behind them is written over by what
    # belongs there, which comes later: the next copies first, then the literals' tags and bytes.
    owner, nth = _expanded(copies)
    at = (ends - heads - suffixes)[owner] + nth * copy_bytes
    length = np.minimum(prefixes[owner] - 64 * nth, 64)
    words: Array = np.ndarray((size + 1,), "<u8", block, 0, (1,))
    words[at] = before[owner] << 8 | (length - 1) << 2 | (2 if copy_bytes == 3 else 3)

    at = ends - suffixes - literal_bytes
    short = literal_bytes == 1
    block[at[short]] = (suffixes[short] - 1) << 2
    for bytes_of_tag, tag in ((3, 61 << 2), (5, 63 << 2)):
        these = np.flatnonzero(literal_bytes == bytes_of_tag)
        block[at[these]] = tag
        for index in range(bytes_of_tag - 1):
            block[at[these] + 1 + index] = (suffixes[these] - 1) >> (8 * index) & 255

    pieces = np.empty(2 * prefixes.size, np.int64)
    pieces[0::2], pieces[1::2] = heads, suffixes
    is_data = np.repeat(np.tile([False, True], prefixes.size), pieces)
    block[len(preamble) : size][is_data] = np.frombuffer(data, np.uint8)

    out = np.empty(total, np.uint8)
    cramjam.snappy.decompress_raw_into(block[:size].data, out.data)
    return out.data


def _expanded(counts: Array) -> tuple[Array, Array]:
    """For each of `counts[i]` things of i: i, and how many things of i come before it."""
    if int(counts.max()) == 1:
        owner = np.flatnonzero(counts)
        return owner, np.zeros(owner.size, np.int64)
    owner = np.repeat(np.arange(counts.size), counts)
    return owner, np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int,
    type_length: int | None = None,
    *,
    first: int = 0,
    limits: Limits = DEFAULT,
) -> Iterator[Step]:
    """The derivation: `prefix lengths`, `suffix lengths`, then one `value` a value with the bytes of its suffix.

    Values before number `first` are left out.
    """
    if num_values == 0 and len(buffer) == 0:
        return
    yield (step := lengths_step(buffer, 0, num_values, "prefix lengths"))
    yield (step := lengths_step(buffer, step.end, num_values, "suffix lengths"))
    prefixes, suffixes, position = _lengths(
        buffer, num_values, _fixed_length(physical_type, type_length)
    )
    values = decode(buffer, num_values, physical_type, type_length, limits=limits)
    position += int(suffixes[:first].sum())
    for index in range(first, num_values):
        prefix, suffix = int(prefixes[index]), int(suffixes[index])
        yield Step(
            "value",
            f"value {index:,}: {prefix:,} bytes of the value before, then {suffix:,}",
            position,
            position + suffix,
            index,
            1,
            values.slice(index, 1),
            {"prefix_length": prefix, "suffix_length": suffix},
        )
        position += suffix


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a binary, large_binary or fixed_size_binary Arrow array without nulls."""
    offsets, data = offsets_and_bytes(values)
    octets = np.frombuffer(data, np.uint8)
    prefixes = _common_prefixes(offsets, octets)
    suffixes = np.diff(offsets) - prefixes
    # Of each value, the bytes behind the prefix: +1 where they begin, -1 where they end.
    edges = np.zeros(octets.size + 1, np.int32)
    np.add.at(edges, offsets[:-1] + prefixes, 1)
    np.add.at(edges, offsets[1:], -1)
    kept = octets[np.cumsum(edges[:-1]) > 0]
    return b"".join(
        (
            delta_binary_packed.encode_integers(prefixes.astype(np.int32), block_size, miniblocks),
            delta_binary_packed.encode_integers(suffixes.astype(np.int32), block_size, miniblocks),
            kept.tobytes(),
        )
    )


def _common_prefixes(offsets: Array, octets: Array) -> Array:
    """How many bytes each value has in common with the one before it; 0 for the first."""
    lengths = np.diff(offsets)
    prefixes = np.zeros(lengths.size, np.int64)
    if lengths.size < 2:
        return prefixes
    shorter = np.minimum(lengths[1:], lengths[:-1])
    cuts = np.searchsorted(
        np.cumsum(shorter), np.arange(_COMPARED_BYTES, int(shorter.sum()), _COMPARED_BYTES)
    )
    for rows in np.split(np.arange(shorter.size), np.unique(cuts)):
        count = shorter[rows]
        first = np.cumsum(count) - count
        nth = np.arange(int(count.sum())) - np.repeat(first, count)
        mine = octets[np.repeat(offsets[rows + 1], count) + nth]
        differs = np.flatnonzero(mine != octets[np.repeat(offsets[rows], count) + nth])
        # The first difference at or behind each value's first byte, or the end of what was compared.
        found = np.searchsorted(differs, first)
        at = np.append(differs, nth.size)[found]
        prefixes[rows + 1] = np.minimum(at - first, count)
    return prefixes
