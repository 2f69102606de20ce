"""DELTA_BINARY_PACKED, from miniblocks to values: many sums side by side.

A running sum takes each value from the one before it, which is slow one by one. So all miniblocks are summed up at
once: a matrix has a column for each, and its rows, their first deltas, their second ones and so on, are added one to
the next. Then only the miniblocks' totals remain to be summed one after the other.

Eight deltas of w bits fill w bytes, a *group*, which begins with a byte: the deltas of a group are cut out of a few
words of 64 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pqexplore.engine.encodings.delta_blocks import Structure
from pqexplore.engine.encodings.packed_rows import unpack_rows

Array = np.ndarray[Any, np.dtype[Any]]

_DELTAS_AT_ONCE = 32768
"""Deltas (256 KB) in hand at a time, so that they stay in the processor's cache."""

_MOST_GROUPS = 8
"""Groups in a column: a longer miniblock is taken for several, so that there are more columns than rows."""


def _values_of_a_word(width: int) -> int:
    """How many values of `width` bits, 8, 4, 2 or 1, can be cut out of one word, wherever in a group they are.

    A word is read from the byte where its first value begins. 0 where not even one fits.
    """
    for together in (8, 4, 2, 1):
        bits = together * width
        if all((word * bits & 7) + bits <= 64 for word in range(8 // together)):
            return together
    return 0


_TOGETHER = np.array([_values_of_a_word(width) for width in range(65)], np.uint8)
_MASKS = np.array([(1 << width) - 1 for width in range(65)], np.uint64)


def values_of(octets: Array, structure: Structure, int_bits: int) -> Array:
    """All values of a structure without error whose bytes are `octets`: an array of int32 or int64."""
    unsigned = np.dtype(f"u{int_bits // 8}")
    size = structure.miniblock_size
    rows = -(-max(structure.total_count - 1, 0) // size)
    values = np.empty(1 + rows * size, unsigned)
    values[0] = structure.first_value & ((1 << int_bits) - 1)
    if rows:
        widths = structure.bit_widths.reshape(-1)[:rows]
        starts = structure.miniblock_starts().reshape(-1)[:rows]
        min_deltas = np.repeat(structure.min_deltas, structure.miniblocks)[:rows]
        together = int(_TOGETHER.take(widths).min())
        if together:
            spare = np.zeros(8, np.uint8)  # the last word reaches beyond the last miniblock
            octets = np.concatenate((octets[structure.start : structure.end], spare))
            starts -= structure.start
            _sum(octets, starts, widths, min_deltas, together, values)
        else:
            deltas = values[1:].reshape(rows, size)
            unpack_rows(octets, starts, widths, deltas)
            deltas += min_deltas.astype(unsigned)[:, None]
            np.cumsum(values, out=values, dtype=unsigned)
    return values[: structure.total_count].view(f"i{int_bits // 8}")


def _sum(
    octets: Array, starts: Array, widths: Array, min_deltas: Array, together: int, values: Array
) -> None:
    """Fill `values`, whose first is there, from miniblocks of one size; `together` deltas are cut out of a word."""
    groups = (values.size - 1) // (8 * starts.size)
    parts = groups // math.gcd(groups, _MOST_GROUPS)
    if parts > 1:
        groups //= parts
        starts = (starts[:, None] + widths[:, None] * (groups * np.arange(parts))).reshape(-1)
        widths, min_deltas = np.repeat(widths, parts), np.repeat(min_deltas, parts)
    columns = max(_DELTAS_AT_ONCE // (8 * groups), 1)
    done = 0
    for column in range(0, starts.size, columns):
        some = slice(column, column + columns)
        sums = _deltas(octets, starts[some], widths[some], groups, together)
        sums += min_deltas[some]
        for nth in range(1, 8):
            sums[nth] += sums[nth - 1]
        # What lies before each group: the groups above it, the miniblocks to the left, and the first value.
        before = np.empty((groups, sums.shape[2]), np.uint64)
        totals = sums[7].copy()
        for group in range(1, groups):
            totals[group] += totals[group - 1]
        before[0, 0] = values[done]
        before[0, 1:] = totals[-1, :-1]
        np.cumsum(before[0], out=before[0])
        np.add(totals[:-1], before[0], out=before[1:])
        sums += before
        out = values[1 + done : 1 + done + sums.size].reshape(-1, groups, 8)
        np.copyto(out, sums.T, casting="unsafe")
        done += sums.size


def _deltas(octets: Array, starts: Array, widths: Array, groups: int, together: int) -> Array:
    """The packed deltas of miniblocks of so many groups, as uint64: `[n, g, m]` is the nth of group g of miniblock m."""
    nth = np.arange(together, dtype=np.uint64)
    if int(widths.min()) == int(widths.max()):
        width = int(widths[0])
        words = _words_of_one_width(octets, starts, width, groups, together)
        shifts, mask = nth * np.uint64(width), _MASKS[width]
    else:
        words = _words_of_any_width(octets, starts, widths, groups, together)
        shifts, mask = nth[:, None] * widths, _MASKS.take(widths)
    deltas: Array = words[:, None] >> shifts.reshape(together, 1, -1)
    deltas &= mask
    return deltas.reshape(8, groups, -1)


def _words_of_one_width(
    octets: Array, starts: Array, width: int, groups: int, together: int
) -> Array:
    """`[n, g, m]` is the word that has, of group g of miniblock m, the deltas from `n * together` on, lowest first."""
    words = np.zeros((8 // together, groups, starts.size), np.uint64)
    if not width:
        return words
    size = width * groups
    # One item a miniblock: an overlapping view whose item i is the bytes [i, i + size).
    anywhere: Array = np.ndarray((octets.size - size + 1,), f"V{size}", octets, 0, (1,))
    packed = np.empty(starts.size * size + 8, np.uint8)
    packed[:-8].view(anywhere.dtype)[:] = anywhere[starts]
    for word, part in enumerate(words):
        byte, low = divmod(word * together * width, 8)
        part[...] = np.ndarray(part.shape, "<u8", packed, byte, (width, size))
        if low:
            part >>= np.uint64(low)
    return words


def _words_of_any_width(
    octets: Array, starts: Array, widths: Array, groups: int, together: int
) -> Array:
    """The same where each miniblock has a width of its own."""
    wide = widths.astype(np.int64)
    at = starts + wide * np.arange(groups)[:, None]
    anywhere: Array = np.ndarray((octets.size - 7,), "<u8", octets, 0, (1,))
    words = np.empty((8 // together, *at.shape), np.uint64)
    words[0] = anywhere[at]
    for word in range(1, 8 // together):
        bit = word * together * wide
        words[word] = anywhere[at + (bit >> 3)]
        words[word] >>= (bit & 7).view(np.uint64)
    return words
