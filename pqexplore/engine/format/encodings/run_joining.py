"""Encodes runs: finds the values that repeat often enough for an RLE run, and writes all runs at once.

Between two RLE runs the values are bit-packed, in whole groups of eight. So a repetition first fills the group before
it, and may then be too short. numpy computes the positions of all headers, repeated values and packed bytes; if runs
are not adjacent, there is a loop over repetitions, not over values.
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import UnsignedArray


def fitting(values: UnsignedArray, bit_width: int) -> UnsignedArray:
    """The values as int64; UsageError if one does not fit into `bit_width` bits."""
    values = values.astype(np.int64)
    wrong = (values < 0) | (values >> bit_width != 0)
    if wrong.any():
        raise UsageError(f"the value {values[np.argmax(wrong)]} does not fit into {bit_width} bits")
    return values


def repetitions(given: UnsignedArray, minimum_run: int) -> tuple[UnsignedArray, UnsignedArray]:
    """The starts and ends of at least `minimum_run` equal values: two int64 arrays."""
    same = given[1:] == given[:-1]
    if minimum_run == 1:
        starts = np.concatenate(([0], np.flatnonzero(~same) + 1)) if given.size else np.zeros(0, int)
        return starts, np.append(starts[1:], given.size)[: starts.size]
    bounded = np.concatenate(([False], same, [False]))
    edges = np.flatnonzero(bounded[1:] != bounded[:-1])
    starts, ends = edges[::2], edges[1::2] + 1
    long = ends - starts >= minimum_run
    return starts[long], ends[long]


def aligned(starts: UnsignedArray, ends: UnsignedArray, minimum_run: int) -> tuple[UnsignedArray, UnsignedArray]:
    """The repetitions after each has given values to the bit-packed run before it, which needs whole groups.

    A repetition with fewer than `minimum_run` remaining values is dropped: its values are bit-packed.
    """
    spare = ends - starts - minimum_run
    if ((np.append(0, ends)[:-1] - starts) % 8 <= spare).all():  # as where one follows the other
        return starts + (np.append(0, ends)[:-1] - starts) % 8, ends
    kept = []
    pending = 0  # where the RLE run before ends
    for start, end, most in zip(starts.tolist(), ends.tolist(), spare.tolist(), strict=True):
        remains = (pending - start) & 7 <= most
        kept.append(remains)
        if remains:
            pending = end
    remaining = np.array(kept, bool)
    starts, ends = starts[remaining], ends[remaining]
    return starts + (np.append(0, ends)[:-1] - starts) % 8, ends


def joined(given: UnsignedArray, starts: UnsignedArray, ends: UnsignedArray, bit_width: int) -> bytes:
    """The bytes of a stream with RLE runs `[starts, ends)` and bit-packed runs between them."""
    repeated = fitting(given[starts], bit_width)
    # A bit-packed run before each RLE run and after the last; those that are empty are left out.
    groups = (np.append(starts, given.size) - np.append(0, ends) + 7) >> 3
    sizes = (bit_width + 7) >> 3
    headers = np.zeros(2 * starts.size + 1, np.int64)
    headers[::2], headers[1::2] = groups << 1 | 1, ends - starts << 1
    payloads = np.full(headers.size, sizes)
    payloads[::2] = groups * bit_width
    wanted = headers != 1
    repeats = (headers & 1 == 0)[wanted]
    headers, payloads = headers[wanted], payloads[wanted]
    lengths = np.ones(headers.size, np.int64)
    for bits_held in range(7, int(headers.max(initial=0)).bit_length(), 7):
        lengths += headers >> bits_held != 0
    places = np.cumsum(lengths + payloads) - lengths - payloads
    out = np.zeros(int(lengths.sum() + payloads.sum()), np.uint8)
    free = np.ones(out.size, bool)  # bytes that are neither header nor repeated value
    for byte in range(int(lengths.max(initial=0))):
        here = lengths > byte
        at = places[here] + byte
        more = (lengths[here] > byte + 1) << 7
        out[at] = (headers[here] >> 7 * byte) & 127 | more
        free[at] = False
    after = (places + lengths)[repeats]
    for byte in range(sizes):
        out[after + byte] = (repeated >> 8 * byte) & 255
        free[after + byte] = False
    literal = given
    if starts.size:
        edges = np.zeros(given.size + 1, np.int8)
        edges[starts] += 1
        edges[ends] -= 1
        literal = given[np.cumsum(edges[:-1], dtype=np.int8) == 0]
    packed = bits.pack(literal, bit_width)
    packed += bytes(-literal.size % 8 * bit_width // 8)
    out[free] = np.frombuffer(packed, np.uint8)
    return out.tobytes()
