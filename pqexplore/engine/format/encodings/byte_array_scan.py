"""Finds where the values of a PLAIN page of BYTE_ARRAY start.

Each value has a length of 4 bytes before it, so the values must be visited one after the other. A Python loop takes
50 ns a value, ten times slower than Arrow reads PLAIN strings. So this module searches for chains of lengths:

Most values are shorter than 256 bytes. Then three bytes of the length are 0, which is rare in text: positions with
three zero bytes are candidates, found all at once. The first value starts at byte 0, and each next value where the
previous one ends. So if each candidate's length leads exactly to the next candidate, the whole chain is proved. A wrong
candidate (zeros inside a value) only breaks a chain. At a break, one length is read by itself; after frequent breaks,
all lengths are.

The search depends only on the format. In test_plain.py, `test_byte_arrays_of_all_sorts`,
`test_damaged_byte_arrays_are_noticed` and `test_values_are_found_across_windows` compare it with reading one by one.
"""

from __future__ import annotations

import itertools
import struct
from array import array

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray

LENGTH_BYTES = 4

WINDOW = 1 << 18
"""Bytes searched for candidates at once."""

MIN_CHAIN = 24
"""Values that an unbroken chain must have, on average, to be worth the search."""

MAX_BEFORE_DAMAGE = 1_000_000
"""Values before damage that are visited one by one."""

_read_length = struct.Struct("<I").unpack_from


def find_values(raw: Buffer, count: int) -> tuple[Int64s, int]:
    """The positions of the lengths of `count` values, and the byte after the last value.

    Raises `CorruptFileError` when the values do not fit into `raw`.
    """
    if LENGTH_BYTES * count > len(raw):
        raise CorruptFileError(
            f"{count:,} byte arrays take at least {LENGTH_BYTES * count:,} bytes for their lengths, "
            f"but there are only {len(raw):,}",
            offset=len(raw),
        )
    data = np.frombuffer(raw, np.uint8)
    pieces = [np.zeros(0, np.int64)]
    found = position = 0
    while found < count:
        window_end = min(position + WINDOW, len(raw))
        piece, position, worthwhile = _chains(raw, data, position, window_end, found, count)
        pieces.append(piece)
        found += piece.size
        if not worthwhile:
            piece, position = _visit(raw, position, found, count)
            pieces.append(piece)
            found += piece.size
    return np.concatenate(pieces), position


def values_before_damage(raw: Buffer, count: int) -> tuple[Int64s, int]:
    """Like `find_values`, for the values that fit into `raw`; at most the first million."""
    positions, position = array("q"), 0
    try:
        while len(positions) < min(count, MAX_BEFORE_DAMAGE):
            end = value_end(raw, position, len(positions), count)
            positions.append(position)
            position = end
    except CorruptFileError:
        pass
    return np.frombuffer(positions, np.int64), position


def value_end(raw: Buffer, position: int, index: int, count: int) -> int:
    """The end of value number `index` (of `count`), whose length is at `position`.

    Raises `CorruptFileError` if the end is after the end of `raw`.
    """
    start = position + LENGTH_BYTES
    if start > len(raw):
        raise CorruptFileError(f"the byte arrays end after {index:,} values, expected {count:,}", offset=len(raw))
    end = start + int.from_bytes(raw[position:start], "little")
    if end > len(raw):
        raise CorruptFileError(
            f"byte array number {index:,} says it has {end - start:,} bytes, but only {len(raw) - start:,} are left",
            offset=position,
        )
    return end


def _chains(
    raw: Buffer, data: UnsignedArray, position: int, stop: int, found: int, count: int
) -> tuple[Int64s, int, bool]:
    """The values that start in `[position, stop)`: positions, the next value's position, whether the search was fast.

    Stops early when chains are short.
    """
    zero = data[position:stop] == 0
    if zero.all():
        empty = min((stop - position) // LENGTH_BYTES, count - found)
        values_at = position + LENGTH_BYTES * np.arange(empty)
        return values_at, position + LENGTH_BYTES * empty, empty > 0
    candidates = np.flatnonzero(zero[1:-2] & zero[2:-1] & zero[3:]) + position
    following = candidates + LENGTH_BYTES + data[candidates]
    breaks = np.flatnonzero(following[:-1] != candidates[1:])
    if breaks.size:
        # Nothing leads to a false candidate, such as the byte before an empty value.
        reached = np.zeros(stop - position + LENGTH_BYTES + 256, bool)
        reached[0] = True
        reached[following - position] = True
        kept = reached[candidates - position]
        candidates, following = candidates[kept], following[kept]
        breaks = np.flatnonzero(following[:-1] != candidates[1:])
    pieces = [np.zeros(0, np.int64)]
    values = tries = 0
    while found + values < count and position < stop - LENGTH_BYTES:
        tries += 1
        index = int(np.searchsorted(candidates, position))
        if index < candidates.size and candidates[index] == position:
            end = int(np.searchsorted(breaks, index))
            last = int(breaks[end]) if end < breaks.size else candidates.size - 1
            last = min(last, index + count - found - values - 1)
            chain = candidates[index : last + 1]
            position = int(following[last])
            if position > len(raw):
                value_end(raw, int(chain[-1]), found + values + chain.size - 1, count)
        else:
            chain = np.array([position])
            position = value_end(raw, position, found + values, count)
        pieces.append(chain)
        values += chain.size
        if tries >= 8 and values < MIN_CHAIN * tries:
            return np.concatenate(pieces), position, False
    return np.concatenate(pieces), position, values > 0


def _visit(raw: Buffer, position: int, found: int, count: int) -> tuple[Int64s, int]:
    """The values from `position` on, one by one."""
    visited: list[int] = []
    add = visited.append
    read = _read_length
    try:
        for _ in itertools.repeat(None, min(count - found, WINDOW)):
            add(position)
            position += LENGTH_BYTES + read(raw, position)[0]
    except struct.error:
        position = visited.pop()
    if visited and position > len(raw):
        # A length led past the end: say so of the value that has it.
        value_end(raw, visited[-1], found + len(visited) - 1, count)
    if found + len(visited) < min(count, found + WINDOW):
        value_end(raw, position, found + len(visited), count)
    return np.array(visited, np.int64), position
