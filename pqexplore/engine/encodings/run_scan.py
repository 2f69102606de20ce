"""Where the runs of an RLE/bit-packing hybrid stream are.

Each header says how long its run is, and so where the next header lies: the runs have to be visited one after the
other. Two tricks make that quick. For the 128 one-byte headers, a table has the distance to the next header, so
that visiting a run is one look-up and one addition. And where several runs in a row had the same size, the
headers that would follow at that distance are compared all at once.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from pqexplore.engine.encodings.bits import UnsignedArray
from pqexplore.engine.errors import CorruptFileError

MAX_HEADER = (1 << 32) - 1
"""A run has at most 2³¹−1 values (specification), and its header one bit more."""

FIRST_WINDOW = 512
LAST_WINDOW = 1 << 20
"""Bytes visited before looking for runs of equal size; the window grows where there are none."""

STREAK = 4
"""Runs of equal size after which more of them are expected."""

LONG_STREAK = 64
"""Runs found at once for which the search has paid, so that it is worth another one soon."""

IndexArray = np.ndarray[Any, np.dtype[np.int64]]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The runs of a stream, as arrays of equal length.

    `start` is the byte of the header, `payload` the byte after it, `count` the values that the run yields
    (the last run's without those that are not wanted), `packed` whether it is bit-packed. `end` is the byte after
    the last run.
    """

    start: IndexArray
    payload: IndexArray
    count: IndexArray
    packed: np.ndarray[Any, np.dtype[np.bool_]]
    end: int


def find_runs(
    raw: bytes, bit_width: int, count: int, start: int
) -> tuple[Runs, CorruptFileError | None]:
    """The runs from byte `start` that yield `count` values of `bit_width` bits.

    When the stream is damaged: the runs before the damage, which yield fewer values, and what is wrong. The work
    is bounded by the number of bytes and the number of values, whatever the headers claim.
    """
    value_bytes = (bit_width + 7) >> 3
    data = np.frombuffer(raw, np.uint8)
    size = len(raw)
    starts: list[IndexArray] = []
    headers: list[IndexArray] = []
    payloads: list[IndexArray] = []
    found, position, window = 0, start, FIRST_WINDOW
    problem: CorruptFileError | None = None
    while found < count and position < size and problem is None:
        visited, long, position, problem = _visit(
            raw, bit_width, position, min(position + window, size)
        )
        window = min(window * 4, LAST_WINDOW)
        at = np.array(visited, np.int64)
        header = data[at].astype(np.int64)
        payload = at + 1
        for index, value, after in long:
            header[index], payload[index] = value, after
        found += int(_yielded(header).sum())
        starts.append(at)
        headers.append(header)
        payloads.append(payload)
        stride = _stride(at, payload, position)
        if stride and found < count and problem is None:
            same = _streak(data, position, stride, int(header[-1]), count - found)
            if same.size:
                header = data[same].astype(np.int64)
                found += int(_yielded(header).sum())
                starts.append(same)
                headers.append(header)
                payloads.append(same + 1)
                position = int(same[-1]) + stride
            if same.size >= LONG_STREAK:
                window = FIRST_WINDOW
    return _clip(starts, headers, payloads, (bit_width, value_bytes, count, size), problem)


def _yielded(header: IndexArray) -> IndexArray:
    """Values of the runs with these headers."""
    return (header >> 1) << np.where(header & 1, 3, 0)


@functools.lru_cache(maxsize=64)
def _steps(bit_width: int) -> list[int | None]:
    """The distance to the next header for each first byte; None where the header has more bytes."""
    value_bytes = (bit_width + 7) >> 3
    short = [1 + (h >> 1) * bit_width if h & 1 else 1 + value_bytes for h in range(128)]
    return [*short, *[None] * 128]


def _visit(
    raw: bytes, bit_width: int, position: int, stop: int
) -> tuple[list[int], list[tuple[int, int, int]], int, CorruptFileError | None]:
    """The headers from `position` up to `stop`; for long ones index, value and end; where the next one is."""
    steps: Any = _steps(bit_width)
    value_bytes = (bit_width + 7) >> 3
    visited: list[int] = []
    long: list[tuple[int, int, int]] = []
    add = visited.append
    while position < stop:
        try:
            while position < stop:
                add(position)
                position += steps[raw[position]]
        except TypeError:
            value, after = _long_header(raw, position)
            if after < 0:
                visited.pop()
                return visited, long, position, _bad_header(raw, position)
            long.append((len(visited) - 1, value, after))
            position = after + ((value >> 1) * bit_width if value & 1 else value_bytes)
    return visited, long, position, None


def _long_header(raw: bytes, position: int) -> tuple[int, int]:
    """A ULEB128 integer of up to 5 bytes and the byte after it; -1 for that where it is none."""
    value = 0
    for index, byte in enumerate(raw[position : position + 5]):
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value, position + index + 1 if value <= MAX_HEADER else -1
    return value, -1


def _bad_header(raw: bytes, position: int) -> CorruptFileError:
    header = raw[position : position + 5]
    if len(header) < 5 and all(byte > 127 for byte in header):
        message = "the data ends inside a run's header"
    else:
        message = "a run's header is more than 32 bits long; runs have at most 2³¹−1 values"
    return CorruptFileError(message, offset=position)


def _stride(at: IndexArray, payload: IndexArray, position: int) -> int:
    """The size of the last runs where the last few have the same size and one-byte headers; else 0."""
    if at.size < STREAK:
        return 0
    stride = position - int(at[-1])
    same = (np.diff(at[-STREAK:]) == stride).all() and (payload[-STREAK:] == at[-STREAK:] + 1).all()
    return stride if same else 0


def _streak(
    data: UnsignedArray, position: int, stride: int, header: int, wanted: int
) -> IndexArray:
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
    starts: list[IndexArray],
    headers: list[IndexArray],
    payloads: list[IndexArray],
    stream: tuple[int, int, int, int],
    problem: CorruptFileError | None,
) -> tuple[Runs, CorruptFileError | None]:
    """The runs up to the value that is wanted last, or up to the first run that is not whole."""
    bit_width, value_bytes, count, size = stream
    none = np.zeros(0, np.int64)
    start = np.concatenate([none, *starts])
    payload = np.concatenate([none, *payloads])
    header = np.concatenate([none, *headers])
    packed = (header & 1).astype(bool)
    yielded = _yielded(header)
    total = np.cumsum(yielded)
    used = min(int(np.searchsorted(total, count)) + 1, start.size) if count else 0
    if used and int(yielded[:used].min()) == 0:
        used = int(np.argmin(yielded[:used]))
        problem = CorruptFileError(
            "a run has no values; the specification asks for at least one", offset=int(start[used])
        )
    elif used and total[used - 1] >= count:
        problem = None
    start, payload, packed = start[:used], payload[:used], packed[:used]
    yielded = yielded[:used]
    end = 0
    if used:
        last = used - 1
        yielded[last] -= max(int(total[last]) - count, 0)
        room = size - int(payload[last])
        if packed[last]:
            # Some writers leave out what the last group has beyond the last value.
            if bit_width:
                yielded[last] = min(int(yielded[last]), room * 8 // bit_width)
            end = min(int(payload[last]) + (int(header[last]) >> 1) * bit_width, size)
        elif room < value_bytes:
            problem = CorruptFileError(
                f"the data ends inside an RLE run: its value takes {value_bytes} bytes, {room} are left",
                offset=int(start[last]),
            )
            used = last
            end = int(start[last])
            start, payload, packed = start[:used], payload[:used], packed[:used]
            yielded = yielded[:used]
        else:
            end = int(payload[last]) + value_bytes
    found = int(yielded.sum())
    if found < count and problem is None:
        problem = CorruptFileError(
            f"the runs have {found:,} values of {bit_width} bits, expected {count:,}", offset=size
        )
    return Runs(start, payload, yielded, packed, end), problem
