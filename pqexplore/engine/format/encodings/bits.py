"""Bit packing, least significant bit first: integers of any width from 0 to 64 bits, back to back.

Values of up to 32 bits are unpacked from 64-bit words with two, four or eight values: in all words at once the upper
half of the values is shifted into position, then the upper half of each half, and so on. Other widths are unpacked by
phases. Eight values of width w fill exactly w bytes, so the first values of all groups of eight start at the same bit
of a byte, and so do all second values, and so on: each phase is one strided view of words, shifted and masked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.format.explain import Buffer as Buffer

REACH = 17
"""Bytes after packed values that may be read with them; if the buffer is shorter, the values are copied."""

FEW_VALUES = 1_000
"""Values up to which the number of calls decides how long unpacking takes."""

GROUPS_AT_ONCE = 8192
"""Groups of eight values unpacked at a time, so that their words (at most 256 KB) stay in the processor's cache."""

UnsignedArray = np.ndarray[Any, np.dtype[Any]]
"""A one-dimensional array of uint8, uint16, uint32 or uint64."""


def unsigned_type(bit_width: int) -> np.dtype[Any]:
    """The smallest unsigned integer type that holds values of `bit_width` bits (0 to 64)."""
    if not 0 <= bit_width <= 64:
        raise UsageError(f"a bit width is 0 to 64, not {bit_width}")
    for size in (1, 2, 4):
        if bit_width <= 8 * size:
            return np.dtype(f"u{size}")
    return np.dtype("u8")


def packed_size(bit_width: int, count: int, bit_offset: int = 0) -> int:
    """Bytes that `count` values of `bit_width` bits take when the first starts at bit `bit_offset`."""
    return (bit_offset + bit_width * count + 7) >> 3


def unpack(buffer: Buffer | UnsignedArray, bit_width: int, count: int, bit_offset: int = 0) -> UnsignedArray:
    """The `count` values of `bit_width` bits that start at bit `bit_offset` of `buffer`.

    The result has the smallest unsigned type that fits the width. For widths 8, 16, 32 and 64 it may be a
    read-only view of `buffer`.

    Raises `CorruptFileError` when the buffer is too short. Specification: Encodings, "Run Length Encoding /
    Bit-Packing Hybrid", note 1.
    """
    dtype = unsigned_type(bit_width)
    data = buffer if isinstance(buffer, np.ndarray) else np.frombuffer(buffer, np.uint8)
    needed = packed_size(bit_width, count, bit_offset)
    if needed > data.size:
        raise CorruptFileError(
            f"{count:,} bit-packed values of {bit_width} bits end at byte {needed:,}, but there are only "
            f"{data.size:,} bytes",
            offset=data.size,
        )
    if bit_width == 0 or count == 0:
        return np.zeros(count, dtype)
    data = data[bit_offset >> 3 :]
    shift = bit_offset & 7
    if shift == 0:
        if bit_width == 1:
            return np.unpackbits(data[: packed_size(1, count)], count=count, bitorder="little")
        if bit_width == 8 * dtype.itemsize:
            words = data[: count * dtype.itemsize].view(dtype.newbyteorder("<"))
            return words.astype(dtype, copy=False)
        if count <= FEW_VALUES:
            return _unpack_few(data, bit_width, count, dtype)
    groups = (count + 7) >> 3
    # A word is read whole where a value starts, and the last group is unpacked whole.
    reach = groups * bit_width + REACH
    if data.size < reach:
        padded = np.zeros(reach, np.uint8)
        padded[: data.size] = data
        data = padded
    held = 8 // dtype.itemsize
    if dtype.itemsize < 8 and all(
        (shift + first * bit_width & 7) + held * bit_width <= 64 for first in range(0, 8, held)
    ):
        return _unpack_words(data, bit_width, groups, shift, dtype)[:count]
    return _unpack_phases(data, bit_width, groups, shift, dtype)[:count]


def _unpack_few(data: UnsignedArray, bit_width: int, count: int, dtype: np.dtype[Any]) -> UnsignedArray:
    """Unpacks bit by bit, which takes the fewest calls."""
    places = np.zeros((count, 8 * dtype.itemsize), np.uint8)
    bits = np.unpackbits(data[: packed_size(bit_width, count)], count=count * bit_width, bitorder="little")
    places[:, :bit_width] = bits.reshape(count, bit_width)
    return np.packbits(places, bitorder="little").view(dtype.newbyteorder("<")).astype(dtype, copy=False)


def _unpack_words(data: UnsignedArray, bit_width: int, groups: int, shift: int, dtype: np.dtype[Any]) -> UnsignedArray:
    """Unpacks by words: each word holds as many packed values as a word of the result holds unpacked ones."""
    held, place = 8 // dtype.itemsize, 8 * dtype.itemsize
    period = held  # values after which a word begins at the same bit again
    while period * bit_width & 7:
        period *= 2
    stride, rows = period * bit_width >> 3, period // held
    out = np.empty((groups * 8 // period, rows), np.uint64)
    at_once = GROUPS_AT_ONCE * 8 // period
    for start in range(0, len(out), at_once):
        words = out[start : start + at_once]
        for row in range(rows):
            byte, low = divmod(shift + row * held * bit_width, 8)
            packed: UnsignedArray = np.ndarray((len(words),), "<u8", data, start * stride + byte, (stride,))
            words[:, row] = packed.astype(np.uint64) >> np.uint64(low) if low else packed
        half = held >> 1
        moved = np.empty_like(words)
        while half:
            # Of every 2 × half values, the upper ones move up to where their places begin.
            kept = sum(((1 << half * bit_width) - 1) << at for at in range(0, 64, 2 * half * place))
            np.left_shift(words, np.uint64(half * (place - bit_width)), out=moved)
            moved &= np.uint64(kept << half * place)
            words &= np.uint64(kept)
            words |= moved
            half >>= 1
    spread = out.reshape(-1).astype("<u8", copy=False).view(dtype.newbyteorder("<"))
    return spread.astype(dtype, copy=False)


def _unpack_phases(data: UnsignedArray, bit_width: int, groups: int, shift: int, dtype: np.dtype[Any]) -> UnsignedArray:
    """Eight passes, each over every eighth value; `shift` is the first value's bit in its byte."""
    word = np.dtype("u4" if bit_width <= 8 else "u8")
    word_bits = 8 * word.itemsize
    stored = word.newbyteorder("<")
    mask = word.type((1 << bit_width) - 1)
    out = np.empty((groups, 8), dtype)

    def words_at(byte: int) -> UnsignedArray:
        view: UnsignedArray = np.ndarray((groups,), stored, data, byte, (bit_width,))
        return view.astype(word)

    phase = 0
    while phase < 8:
        bit = shift + phase * bit_width
        byte, low = bit >> 3, bit & 7
        whole = min(8 - phase, (word_bits - low) // bit_width)
        if whole:
            words = words_at(byte)
            for _ in range(whole):
                shifted = words >> word.type(low)
                shifted &= mask
                out[:, phase] = shifted
                low += bit_width
                phase += 1
        else:
            # More than 64 bits from the start of the byte: the ninth byte has the rest.
            high: UnsignedArray = np.ndarray((groups,), np.uint8, data, byte + 8, (bit_width,))
            rest = high.astype(word) << word.type(word_bits - low)
            out[:, phase] = ((words_at(byte) >> word.type(low)) | rest) & mask
            phase += 1
    return out.reshape(-1)


def pack(values: Any, bit_width: int) -> bytes:
    """The bytes of `values` (non-negative integers) packed with `bit_width` bits each; the last byte is padded with 0.

    Raises `UsageError` when a value does not fit.
    """
    dtype = unsigned_type(bit_width)
    given = np.asarray(values)
    count = given.size
    if count and (int(given.min()) < 0 or int(given.max()) >> bit_width):
        raise UsageError(f"values from {int(given.min())} to {int(given.max())} do not fit into {bit_width} bits")
    if count == 0 or bit_width == 0:
        return b""
    groups = (count + 7) >> 3
    padded = np.zeros(groups * 8, dtype)
    padded[:count] = given
    phases = padded.reshape(groups, 8)
    out = np.zeros((groups, bit_width), np.uint8)
    for phase in range(8):
        start = phase * bit_width
        column = np.ascontiguousarray(phases[:, phase])
        for byte in range(start >> 3, (start + bit_width + 7) >> 3):
            move = 8 * byte - start
            part = column >> dtype.type(move) if move >= 0 else column << dtype.type(-move)
            out[:, byte] |= part.astype(np.uint8)
    return out.tobytes()[: packed_size(bit_width, count)]
