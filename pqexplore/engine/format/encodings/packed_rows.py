"""Many bit-packed runs of equal count, each at its own place and with its own width: miniblocks, ALP's vectors.

Runs of one width are gathered into one and unpacked together, which costs some passes of numpy a width. Where a
width has few values that is dear, so the rare widths share one pass in which each value has its own shift.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.format.encodings import bits

Array = np.ndarray[Any, np.dtype[Any]]

_FEW_VALUES = 2048
"""Fewer values of one width than this are cheaper unpacked with their own shifts."""


def unpack_rows(octets: Array, starts: Array, widths: Array, out: Array) -> None:
    """Unpack the run at byte `starts[i]`, of `widths[i]` bits (0 to 64) a value, into the row `out[i]`.

    `octets` is uint8; `out` is an unsigned array, as wide as the widest, of a multiple of 8 columns. The caller
    has checked that all runs lie inside `octets`.
    """
    columns = out.shape[1]
    rows_of = np.bincount(widths, minlength=1)
    rare = (rows_of > 0) & (rows_of * columns < _FEW_VALUES)
    rare[0] = False
    if np.count_nonzero(rare) < 2:
        rare[:] = False
    for width in np.flatnonzero((rows_of > 0) & ~rare).tolist():
        alike: Any = slice(None) if rows_of[width] == widths.size else np.flatnonzero(widths == width)
        if width == 0:
            out[alike] = 0
            continue
        size = width * (columns // 8)
        # One item a run: an overlapping view whose item i is the bytes [i, i + size).
        anywhere: Array = np.ndarray((octets.size - size + 1,), f"V{size}", octets, 0, (1,))
        packed = anywhere[starts[alike]]
        out[alike] = bits.unpack(packed.view(np.uint8), width, packed.size * columns).reshape(-1, columns)
    if rare.any():
        rows = np.flatnonzero(rare[widths])
        out[rows] = _unpack_mixed(octets, starts[rows], widths[rows].astype(np.int64), columns)


def _unpack_mixed(octets: Array, starts: Array, widths: Array, columns: int) -> Array:
    """The same for few values of many widths: every value is cut out of the word where it begins."""
    first_bits = (8 * starts)[:, None] + widths[:, None] * np.arange(columns)
    at = first_bits >> 3
    reach = int(at[:, -1].max()) + 9
    if reach > octets.size:
        octets = np.concatenate([octets, np.zeros(reach - octets.size, np.uint8)])
    words: Array = np.ndarray((octets.size - 7,), "<u8", octets, 0, (1,))
    shifts = (first_bits & 7).astype(np.uint64)
    values: Array = words[at] >> shifts
    if int(widths.max()) > 57:
        # A value may end in the ninth byte. Numpy shifts by 64 to 0.
        values |= octets[at + 8].astype(np.uint64) << (np.uint64(64) - shifts)
    values &= (np.uint64(2**64 - 1) >> (64 - widths).astype(np.uint64))[:, None]
    return values
