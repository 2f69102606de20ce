"""The RLE/bit-packing hybrid (RLE = 3): small integers as runs, for levels, dictionary ids and booleans.

A stream is runs, one after the other. Each has a header, a ULEB128 integer: its lowest bit says which kind the
run is, the rest how long. An RLE run is one value, in whole bytes, and how often it repeats; a bit-packed run is
groups of eight values of `bit_width` bits (see `bits`). Neither the bit width nor the number of values is in the
stream: both come from outside.

`scan` finds the runs, which `run_steps` explains one by one; `decode` expands them in a few passes over all runs.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.run_expansion import at_once, expanded, packed_bytes, repeated_values
from pqexplore.engine.format.encodings.run_scan import (
    MAX_BIT_WIDTH,
    PREFIX_BYTES,
    check_numbers,
    find_runs,
    long_header,
    prefixed_end,
)
from pqexplore.engine.format.encodings.run_steps import Hybrid
from pqexplore.engine.format.encodings.run_values import RunValues
from pqexplore.engine.format.encodings.steps import Kind
from pqexplore.engine.format.explain import read_bits
from pqexplore.engine.format.varint import read_varint, varint


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


def scan(buffer: Buffer, bit_width: int, count: int, *, prefix: Kind | None = None) -> Hybrid:
    """The runs that give `count` values of `bit_width` bits; `LENGTH` as prefix: after their length in 4 bytes.

    Bytes after the last run needed are not looked at. Raises `CorruptFileError` for a bit width that is not 0 to 32 and
    for a length beyond the buffer. A stream that ends too early, a run that is empty and a header that is too long are
    in the structure's `error`.
    """
    return Hybrid.of(buffer, bit_width, count, prefix)


def check_runs(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> None:
    """Raise what `decode` raises for runs of up to `count` values; fewer are fine if they end with the buffer.

    The values of bit-packed runs are not looked at.
    """
    check_numbers(bit_width, count)
    raw = bytes(buffer)
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None and runs.end != len(raw):
        raise problem
    if bit_width and not runs.packed.all():
        repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)


def decode(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> UnsignedArray:
    """The `count` values whose runs begin at byte `start` of `buffer`.

    The result has the smallest of uint8, uint16, uint32 that fits `bit_width`. With a bit width of 0 every value
    is 0; runs may then be left out altogether, but those that are there have to add up. Raises what `scan` raises, and `CorruptFileError` when the value of an RLE run
    needs more than `bit_width` bits.
    """
    check_numbers(bit_width, count)
    raw = bytes(buffer)
    if count == 0 or (bit_width == 0 and len(raw) <= start):
        return np.zeros(count, bits.unsigned_type(bit_width))
    found = at_once(raw, bit_width, count, start)
    if found is not None:
        return found
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None:
        raise problem
    return expanded(raw, runs, bit_width)


def repeated_value(buffer: Buffer, bit_width: int, count: int, *, prefixed: bool) -> int | None:
    """The value of a buffer that is one intact RLE run of `count` values; None for any other buffer."""
    start = PREFIX_BYTES if prefixed else 0
    raw = bytes(buffer[: start + 10])  # a header and a value take at most 9
    end = start + int.from_bytes(raw[:start], "little") if prefixed else len(buffer)
    if count <= 0 or not start < end <= len(buffer):
        return None
    header, payload = (raw[start], start + 1) if raw[start] < 128 else long_header(raw, start)
    size = (bit_width + 7) >> 3
    if payload < 0 or header & 1 or header >> 1 < count or end < payload + size:
        return None
    value = int.from_bytes(raw[payload : payload + size], "little")
    return None if value >> bit_width else value


def one_run(count: int, value: int) -> bytes:
    """`count` times the same value, with as many bits as it needs: as nearly all writers encode levels that are all alike."""
    return varint(count << 1) + value.to_bytes((value.bit_length() + 7) >> 3, "little")


def run_values(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> RunValues:
    """Like `decode`, but as runs: a repeated value is stored once. Raises the same errors."""
    check_numbers(bit_width, count)
    raw = bytes(buffer)
    if count == 0 or (bit_width == 0 and len(raw) <= start):
        one = np.zeros(min(count, 1), np.int64)
        return RunValues(one.astype(np.uint8), one + count, one.astype(bool), one)
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None:
        raise problem
    values = np.zeros(int(np.count_nonzero(~runs.packed)), np.uint8)
    if bit_width:
        values = repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)
    unpacked = int(runs.count[runs.packed].sum())
    if unpacked and bit_width:
        packed = bits.unpack(packed_bytes(raw, runs, bit_width), bit_width, unpacked)
        values = np.concatenate((packed, values))
    elif unpacked:
        values = np.zeros(unpacked + values.size, values.dtype)
    in_packed = np.where(runs.packed, runs.count, 0)
    place = np.where(runs.packed, np.cumsum(in_packed) - in_packed, unpacked + np.cumsum(~runs.packed) - 1)
    return RunValues(values, np.cumsum(runs.count), runs.packed, place)


def decode_prefixed(buffer: Buffer, bit_width: int, count: int) -> tuple[UnsignedArray, int]:
    """`count` values from runs that have their length in bytes in front, and how many bytes both take.

    So are the levels of data page V1 and boolean values. Raises what `decode` raises, and `CorruptFileError` when
    the length is missing or points past the buffer; no values may also be no bytes.
    """
    check_numbers(bit_width, count)
    if count == 0 and len(buffer) == 0:
        return np.zeros(0, bits.unsigned_type(bit_width)), 0
    end = prefixed_end(buffer)
    return decode(memoryview(buffer)[:end], bit_width, count, start=PREFIX_BYTES), end


def encode(values: Any, bit_width: int, *, minimum_run: int = 8) -> bytes:
    """The runs of `values` (unsigned integers): RLE where at least `minimum_run` are equal, bit-packed elsewhere.

    A bit-packed run that is not the last has a multiple of eight values, so it may take some from the RLE run that
    follows. Raises `UsageError` when a value does not fit.
    """
    if not 0 <= bit_width <= MAX_BIT_WIDTH or minimum_run < 1:
        raise UsageError(f"no runs of at least {minimum_run} values of {bit_width} bits")
    given = np.asarray(values)
    if given.size >= minimum_run and (given == given[0]).all():
        value = fitting(given[:1], bit_width)[0]
        return varint(given.size << 1) + int(value).to_bytes((bit_width + 7) >> 3, "little")
    starts, ends = aligned(*repetitions(given, minimum_run), minimum_run)
    if not starts.size and given.size:
        groups = (given.size + 7) >> 3
        return varint(groups << 1 | 1) + bits.pack(given, bit_width).ljust(groups * bit_width, b"\0")
    return joined(given, starts, ends, bit_width)


def encode_prefixed(values: Any, bit_width: int, *, minimum_run: int = 8) -> bytes:
    """`encode`, with the length of the runs in front (levels of data page V1, boolean values)."""
    runs = encode(values, bit_width, minimum_run=minimum_run)
    return len(runs).to_bytes(PREFIX_BYTES, "little") + runs


def reference(buffer: Buffer, bit_width: int, count: int, at: int = 0) -> list[int]:
    """The values as the specification reads them, one at a time."""
    values: list[int] = []
    while len(values) < count:
        header, at = read_varint(buffer, at)
        if header & 1:
            groups = header >> 1
            for nth in range(8 * groups):
                values.append(read_bits(buffer, 8 * at + nth * bit_width, bit_width))
            at += groups * bit_width
        else:
            size = (bit_width + 7) // 8
            values += [int.from_bytes(buffer[at : at + size], "little")] * (header >> 1)
            at += size
    return values[:count]
