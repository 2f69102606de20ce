"""Finds the runs of an RLE/bit-packing hybrid stream, and where it ends.

Each header has the length of its run, and so the position of the next header: the runs must be visited one after the
other. Two optimisations make that fast. For the 128 one-byte headers, a table has the distance to the next header, so
that visiting a run is one look-up and one addition. After several consecutive runs of the same size, the headers at
that distance are compared all at once.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
from typing import Any

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.varint import read_varint

MAX_HEADER = (1 << 32) - 1
"""A run has at most 2³¹−1 values (specification), and its header one bit more."""

MAX_BIT_WIDTH = 32
"""Of dictionary ids (specification); levels and booleans need far less."""

PREFIX_BYTES = 4
"""The size of the little-endian length prefix, which some streams have before the runs."""

LAST_WINDOW = 1 << 20
"""The maximum of bytes to visit before searching for runs of equal size."""

STREAK = 4
"""Runs of equal size after which more of them are expected."""

REPEATS_AT_ONCE = 1 << 12
"""The number of RLE headers to compare at once."""

FEW_RUNS = 32
"""Runs up to which a loop over their headers takes less time than a pass over arrays of them."""

LONG_STREAK = 64
"""A search that finds this number of runs at once was worth it, and is soon repeated."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The runs of a stream, as arrays of equal length.

    `start` is the byte of the header, `payload` the byte after it, `count` the values that the run yields
    (in the last run only the values of the stream), `packed` whether it is bit-packed. `end` is the byte after the last
    run, or after its last group of eight values that the stream needs. `spare` is the number of values that the last run
    has after those of the stream and after the padding of their group, and `spare_end` the byte after them.
    """

    start: Int64s
    payload: Int64s
    count: Int64s
    packed: np.ndarray[Any, np.dtype[np.bool_]]
    end: int
    spare: int
    spare_end: int


def fills(raw: Buffer, bit_width: int, count: int, start: int) -> bool:
    """Whether a few sound runs from byte `start` have exactly `count` values, and end where the buffer ends.

    A last group of eight may have more values: these are padding. False for many runs, which `find_runs` must look at.
    """
    size, left = len(raw), count
    for _ in range(FEW_RUNS):
        if start >= size or left <= 0:
            return False
        header = raw[start]
        if header < 128:
            start += 1
        else:
            header, start = long_header(raw, start)
            if start < 0:
                return False
        groups = header >> 1
        if header & 1:
            left -= groups << 3
            start += groups * bit_width
        else:
            left -= groups
            start += bit_width + 7 >> 3
        if not groups or left <= (-8 if header & 1 else -1):
            return False
        if left <= 0:
            return start == size
    return False


def find_runs(raw: bytes, bit_width: int, count: int, start: int) -> tuple[Runs, CorruptFileError | None]:
    """The runs from byte `start` that yield `count` values of `bit_width` bits.

    If the stream is damaged, returns the runs before the damage, which yield fewer values, and the error. Time is
    bounded by the number of bytes and the number of values, not by the headers.
    """
    data = np.frombuffer(raw, np.uint8)
    size = len(raw)
    pieces: list[_Piece] = []
    steps = _steps(bit_width)
    found, position, window = 0, start, 0
    problem: CorruptFileError | None = None
    while found < count and position < size and problem is None:
        # So many runs of the size of this one, or more of what was visited in vain.
        window = min(window * 8, LAST_WINDOW) or LONG_STREAK * steps[raw[position] & 127]
        visited, position, problem = _visit(raw, bit_width, position, min(position + window, size))
        piece = _piece(data, np.array(visited, np.int64))
        pieces.append(piece)
        if position >= size:
            break
        found += int(piece.yielded.sum())
        stride = _stride(piece, position)
        if stride and found < count and problem is None:
            same = _streak(data, position, stride, int(piece.header[-1]), count - found)
            if same.size:
                pieces.append(_piece(data, same))
                found += int(pieces[-1].yielded.sum())
                position = int(same[-1]) + stride
            if same.size >= LONG_STREAK:
                window = 0
    return _clip(pieces, bit_width, count, size, problem)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Some runs in a row: the byte and the value of each header, the byte after it, the values it promises."""

    start: Int64s
    header: Int64s
    payload: Int64s
    yielded: Int64s


def _piece(data: UnsignedArray, start: Int64s) -> _Piece:
    """The runs whose headers, known to be whole, begin at `start`."""
    header: Int64s = data.take(start).astype(np.int64)
    payload = start + 1
    unfinished = np.flatnonzero(header > 127)
    if unfinished.size:
        header[unfinished] &= 127
        shift = 7
        while unfinished.size:
            byte = data.take(payload[unfinished]).astype(np.int64)
            header[unfinished] |= (byte & 127) << shift
            payload[unfinished] += 1
            unfinished = unfinished[byte > 127]
            shift += 7
    # An odd header counts groups of eight.
    return _Piece(start, header, payload, (header >> 1) << ((header & 1) * 3))


def _join(pieces: list[_Piece]) -> _Piece:
    if len(pieces) == 1:
        return pieces[0]
    if not pieces:
        none = np.zeros(0, np.int64)
        return _Piece(none, none, none, none)
    return _Piece(
        *(np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in dataclasses.fields(_Piece))
    )


@functools.lru_cache(maxsize=64)
def _steps(bit_width: int) -> list[int]:
    """The distance to the next header for each header of one byte."""
    value_bytes = (bit_width + 7) >> 3
    return [1 + (h >> 1) * bit_width if h & 1 else 1 + value_bytes for h in range(128)]


def _visit(raw: bytes, bit_width: int, position: int, stop: int) -> tuple[list[int], int, CorruptFileError | None]:
    """The headers from `position` up to `stop`, and where the next one is."""
    steps = _steps(bit_width)
    value_bytes = (bit_width + 7) >> 3
    visited: list[int] = []
    add = visited.append
    while position < stop:
        add(position)
        header = raw[position]
        if header < 128:
            position += steps[header]
            continue
        header, after = long_header(raw, position)
        if after < 0:
            visited.pop()
            return visited, position, _bad_header(raw, position)
        position = after + ((header >> 1) * bit_width if header & 1 else value_bytes)
    return visited, position, None


def long_header(raw: Buffer, position: int) -> tuple[int, int]:
    """A run's header of up to 5 bytes and the byte after it; -1 for that if it is longer, or does not end.

    Most headers that are not one byte are two: these are read without a loop.
    """
    if position + 1 < len(raw) and raw[position + 1] < 128:
        return raw[position] & 127 | raw[position + 1] << 7, position + 2
    value, end = read_varint(raw, position, 5)
    return value, end if value <= MAX_HEADER else -1


def _bad_header(raw: bytes, position: int) -> CorruptFileError:
    header = raw[position : position + 5]
    if len(header) < 5 and all(byte > 127 for byte in header):
        message = f"the data ends inside a run's header: {len(header)} bytes of it are there, and it goes on"
    else:
        message = "a run's header is more than 32 bits long; runs have at most 2³¹−1 values"
    return CorruptFileError(message, offset=position)


def find_repeats(raw: bytes, value_bytes: int, start: int) -> tuple[list[UnsignedArray], Int64s] | None:
    """Finds consecutive RLE runs from byte `start` on. Returns (value bytes by position, run lengths).

    Sorted and clustered columns often have only RLE runs of a few values, and visiting them one by one takes longer
    than Arrow needs for the page. RLE runs with one-byte headers all have the same size, so their headers are at a
    stride: one comparison finds all of them up to the next header of another kind (bit-packed, or of several bytes).
    After such a header the phase changes; `others` keeps the result for each phase, so that no byte is compared twice.
    Stops at the first bit-packed run. None if headers of several bytes are too frequent for this search to be faster.

    The search depends only on the format: a header is accepted only where the previous run ends. Guarded by
    `test_the_shortcuts_change_nothing`, which compares it with reading run by run.
    """
    data = np.frombuffer(raw, np.uint8)
    size = 1 + value_bytes
    is_header = np.zeros(len(raw), bool)
    long_headers: list[tuple[int, int, int]] = []
    # By phase: where the bytes are that would be other headers, and up to where that is known.
    others: dict[int, tuple[list[int], int]] = {}
    position, last = start, len(raw) - size
    while position <= last:
        found, known = others.get(position % size, ([], 0))
        if position >= known:
            known = min(position + REPEATS_AT_ONCE * size, last + 1)
            other = (data[position:known:size] & 129) != 0
            found = (other.nonzero()[0] * size + position).tolist()
            others[position % size] = found, known
        nearest = bisect.bisect_left(found, position)
        is_other = nearest < len(found)
        stop = found[nearest] if is_other else position + -(-(known - position) // size) * size
        is_header[position:stop:size] = True
        position = stop
        if not is_other:
            continue
        header, payload = long_header(raw, position)
        if header & 1 or payload < 0 or payload + value_bytes > len(raw):
            break
        is_header[position] = True
        long_headers.append((position, payload, header >> 1))
        position = payload + value_bytes
        if len(long_headers) > STREAK + (position - start) // (8 * size):
            return None
    nth_bytes = range(1, size)
    if not long_headers:
        counts = (data[start:position:size] >> 1).astype(np.int64)
        return [data[start + nth : position + nth : size] for nth in nth_bytes], counts
    at = is_header.nonzero()[0]
    counts = (data.take(at) >> 1).astype(np.int64)
    where, payloads, count = np.array(long_headers, np.int64).T
    where = at.searchsorted(where)
    counts[where] = count
    at[where] = payloads - 1
    return [data.take(at + nth) for nth in nth_bytes], counts


def _stride(piece: _Piece, position: int) -> int:
    """The size of the last runs where the last few have the same size and one-byte headers; else 0."""
    starts = piece.start[-STREAK:].tolist()
    if len(starts) < STREAK or piece.payload[-STREAK:].tolist() != [at + 1 for at in starts]:
        return 0
    stride = position - starts[-1]
    even = all(b - a == stride for a, b in itertools.pairwise(starts))
    return stride if even else 0


def _streak(data: UnsignedArray, position: int, stride: int, header: int, wanted: int) -> Int64s:
    """The headers from `position`, `stride` bytes apart, as far as they are of the size `stride`."""
    total = 0
    limit = min(-(-(data.size - position) // stride), wanted)
    length = 64
    while total < limit:
        length = min(length * 4, limit - total)
        headers = data[position + total * stride :: stride][:length]
        # Every RLE run has the same size; a bit-packed run's size is in its header.
        different = headers != header if header & 1 else headers & 129 != 0
        if different.any():
            total += int(np.argmax(different))
            break
        total += length
    return position + stride * np.arange(total, dtype=np.int64)


def _clip(
    pieces: list[_Piece], bit_width: int, count: int, size: int, problem: CorruptFileError | None
) -> tuple[Runs, CorruptFileError | None]:
    """The runs up to the value that is wanted last, or up to the first run that is not whole."""
    runs = _join(pieces)
    total = np.cumsum(runs.yielded)
    used = int(np.searchsorted(total, count)) + 1 if count else 0
    if used <= runs.start.size:
        problem = None
    else:
        used = runs.start.size
    if not runs.yielded[:used].all():
        used = int(np.argmin(runs.yielded[:used]))
        problem = CorruptFileError(
            "a run has no values; the specification asks for at least one", offset=int(runs.start[used])
        )
    end = spare = spare_end = 0
    yielded = runs.yielded[:used].copy()
    if used:
        last = used - 1
        header, payload = int(runs.header[last]), int(runs.payload[last])
        wanted = min(int(yielded[last]), count - int(total[last] - yielded[last]))
        if header & 1:
            groups = wanted + 7 >> 3
            end, spare = min(payload + groups * bit_width, size), 8 * ((header >> 1) - groups)
            spare_end = min(payload + (header >> 1) * bit_width, size)
            # Some writers leave out what the last group has beyond the last value.
            if bit_width:
                wanted = min(wanted, (size - payload) * 8 // bit_width)
        else:
            spare_end = end = payload + ((bit_width + 7) >> 3)
            spare = (header >> 1) - wanted
        yielded[last] = wanted
        if end > size:
            used, spare = last, 0
            spare_end = end = int(runs.start[last])
            problem = CorruptFileError(
                f"the data ends inside an RLE run, whose value takes {(bit_width + 7) >> 3} bytes", offset=end
            )
    yielded = yielded[:used]
    found = int(yielded.sum())
    if found < count and problem is None:
        problem = CorruptFileError(
            f"the runs have {found:,} values of {bit_width} bits, expected {count:,}", offset=size
        )
    packed = (runs.header[:used] & 1).astype(bool)
    arrays = runs.start[:used], runs.payload[:used], yielded, packed
    return Runs(*arrays, end, spare, spare_end), problem


def prefixed_end(buffer: Buffer) -> int:
    """Where runs end that have their length in front; `CorruptFileError` when it points past the buffer."""
    if len(buffer) < PREFIX_BYTES:
        raise CorruptFileError(
            f"the runs should begin with their length in {PREFIX_BYTES} bytes, but only {len(buffer)} bytes are left",
            offset=0,
        )
    end = PREFIX_BYTES + int.from_bytes(buffer[:PREFIX_BYTES], "little")
    if end > len(buffer):
        raise CorruptFileError(
            f"the runs say they take {end - PREFIX_BYTES:,} bytes, but only {len(buffer) - PREFIX_BYTES:,} are left",
            offset=0,
        )
    return end


def check_numbers(bit_width: int, count: int) -> None:
    """Raise `CorruptFileError` for a bit width or a number of values that no stream can have."""
    if not 0 <= bit_width <= MAX_BIT_WIDTH:
        raise CorruptFileError(f"a bit width is 0 to {MAX_BIT_WIDTH}, not {bit_width}")
    if count < 0:
        raise CorruptFileError(f"a page cannot have {count:,} values")
