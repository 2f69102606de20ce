"""The RLE/bit-packing hybrid (RLE = 3): small integers as runs, for levels, dictionary ids and booleans.

A stream is runs, one after the other. Each has a header, a ULEB128 integer: its lowest bit says which kind the
run is, the rest how long. An RLE run is one value, in whole bytes, and how often it repeats; a bit-packed run is
groups of eight values of `bit_width` bits (see `bits`). Neither the bit width nor the number of values is in the
stream: both come from outside.

`scan` finds the runs, `decode` expands what `scan` found in a few passes over all runs, `trace` explains it run by
run. Specification: Encodings, "Run Length Encoding / Bit-Packing Hybrid".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pqexplore.engine.encodings import bits
from pqexplore.engine.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.encodings.run_joining import aligned, fitting, joined, repetitions
from pqexplore.engine.encodings.run_scan import Runs, find_repeats, find_runs, long_header
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.thrift.encode import varint

MAX_BIT_WIDTH = 32
"""Of dictionary ids (specification); levels and booleans need far less."""

PREFIX_BYTES = 4
"""The little-endian length in front of the runs, where there is one."""

LONG_RUN = 64
"""Values a run must have, on average, for a loop over runs to be faster than a mask over values."""


def scan(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> Runs:
    """The runs that give `count` values of `bit_width` bits; they begin at byte `start` of `buffer`.

    Bytes after the last run needed are not looked at. Raises `CorruptFileError` when the stream ends too early,
    when a run is empty or its header too long, and when the bit width is not 0 to 32.
    """
    _check(bit_width, count)
    runs, problem = find_runs(bytes(buffer), bit_width, count, start)
    if problem is not None:
        raise problem
    return runs


def check_runs(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> None:
    """Raise what `decode` raises for runs of up to `count` values; fewer are fine if they end with the buffer.

    The values of bit-packed runs are not looked at.
    """
    _check(bit_width, count)
    raw = bytes(buffer)
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None and runs.end != len(raw):
        raise problem
    if bit_width and not runs.packed.all():
        _repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)


def decode(buffer: Buffer, bit_width: int, count: int, *, start: int = 0) -> UnsignedArray:
    """The `count` values whose runs begin at byte `start` of `buffer`.

    The result has the smallest of uint8, uint16, uint32 that fits `bit_width`. With a bit width of 0 every value
    is 0; runs may then be left out altogether, but those that are there have to add up. Raises what `scan` raises, and `CorruptFileError` when the value of an RLE run
    needs more than `bit_width` bits.
    """
    _check(bit_width, count)
    raw = bytes(buffer)
    if count == 0 or (bit_width == 0 and len(raw) <= start):
        return np.zeros(count, bits.unsigned_type(bit_width))
    for shortcut in (_one_run, _even_runs, _repeats):
        found = shortcut(raw, bit_width, count, start)
        if found is not None:
            return found
    runs, problem = find_runs(raw, bit_width, count, start)
    if problem is not None:
        raise problem
    if bit_width == 0:
        return np.zeros(count, np.uint8)
    packed_values = int(runs.count[runs.packed].sum())
    unpacked = np.zeros(0, bits.unsigned_type(bit_width))
    if packed_values:
        unpacked = bits.unpack(_packed_bytes(raw, runs, bit_width), bit_width, packed_values)
        if packed_values == count:
            return unpacked
    repeated = _repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)
    return _merge(unpacked, repeated, runs)


def _one_run(raw: bytes, bit_width: int, count: int, start: int) -> UnsignedArray | None:
    """The values where one sound run has them all, as the levels of a column without nulls; else None.

    A shortcut: the passes over runs cost far more than the few bytes of a run do.
    """
    if start >= len(raw):
        return None
    header, payload = (raw[start], start + 1) if raw[start] < 128 else long_header(raw, start)
    if payload < 0:
        return None
    if header & 1:
        if (header >> 1) * 8 < count or len(raw) - payload < bits.packed_size(bit_width, count):
            return None
        return bits.unpack(np.frombuffer(raw, np.uint8, offset=payload), bit_width, count)
    size = (bit_width + 7) >> 3
    value = int.from_bytes(raw[payload : payload + size], "little")
    if header >> 1 < count or len(raw) - payload < size or value >> bit_width:
        return None
    return np.full(count, value, bits.unsigned_type(bit_width))


def repeated_value(buffer: Buffer, bit_width: int, count: int, *, prefixed: bool) -> int | None:
    """The value of which one sound RLE run has `count`; None where there is more to it, or less."""
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


def _even_runs(raw: bytes, bit_width: int, count: int, start: int) -> UnsignedArray | None:
    """The values where bit-packed runs of one size have them all, as writers make them of mixed ids; else None."""
    header = raw[start] if start < len(raw) else 0
    if not header & 1 or not 1 < header < 128 or not bit_width:
        return None
    size, values = (header >> 1) * bit_width, (header >> 1) * 8
    runs = -(-count // values)
    last = start + (runs - 1) * (1 + size)
    rest = bits.packed_size(bit_width, count - (runs - 1) * values)
    if last + 1 + rest > len(raw):
        return None
    data = np.frombuffer(raw, np.uint8)
    headers = data[start : last + 1 : 1 + size]
    if (headers[:-1] != header).any() or not raw[last] & 1 or not 1 < raw[last] < 128:
        return None
    if (raw[last] >> 1) * bit_width < rest:
        return None
    packed = np.zeros((runs - 1) * size + rest + bits.REACH, np.uint8)
    whole = packed[: (runs - 1) * size].reshape(runs - 1, size)
    whole[:] = data[start:last].reshape(runs - 1, 1 + size)[:, 1:]
    packed[whole.size : whole.size + rest] = data[last + 1 : last + 1 + rest]
    return bits.unpack(packed, bit_width, count)


def _repeats(raw: bytes, bit_width: int, count: int, start: int) -> UnsignedArray | None:
    """The values where sound RLE runs have them all, as those of sorted values; else None."""
    if start >= len(raw) or raw[start] & 1:
        return None
    found = find_repeats(raw, (bit_width + 7) >> 3, start)
    if found is None:
        return None
    value_bytes, counts = found
    ends = counts.cumsum()
    if not ends.size or int(ends[-1]) < count or not counts.all():
        return None
    used = int(ends.searchsorted(count)) + 1
    counts = counts[:used]
    counts[-1] -= int(ends[used - 1]) - count
    dtype = bits.unsigned_type(bit_width)
    values = np.zeros(used, dtype)
    for nth, those in enumerate(value_bytes):
        values |= those[:used].astype(dtype) << dtype.type(8 * nth)
    if bit_width < 8 * dtype.itemsize and int(values.max()) >> bit_width:
        return None
    return values.repeat(counts)


def decode_prefixed(buffer: Buffer, bit_width: int, count: int) -> tuple[UnsignedArray, int]:
    """`count` values from runs that have their length in bytes in front, and how many bytes both take.

    So are the levels of data page V1 and boolean values. Raises what `decode` raises, and `CorruptFileError` when
    the length is missing or points past the buffer; no values may also be no bytes.
    """
    _check(bit_width, count)
    if count == 0 and len(buffer) == 0:
        return np.zeros(0, bits.unsigned_type(bit_width)), 0
    end = prefixed_end(buffer)
    return decode(memoryview(buffer)[:end], bit_width, count, start=PREFIX_BYTES), end


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


def _check(bit_width: int, count: int) -> None:
    if not 0 <= bit_width <= MAX_BIT_WIDTH:
        raise CorruptFileError(f"a bit width is 0 to {MAX_BIT_WIDTH}, not {bit_width}")
    if count < 0:
        raise CorruptFileError(f"a page cannot have {count:,} values")


def _repeated_values(data: UnsignedArray, runs: Runs, bit_width: int) -> UnsignedArray:
    """The values of the RLE runs, one a run."""
    dtype = bits.unsigned_type(bit_width)
    payload = runs.payload[~runs.packed]
    values: UnsignedArray = data.take(payload).astype(dtype)
    for byte in range(1, (bit_width + 7) >> 3):
        values |= data.take(payload + byte).astype(dtype) << dtype.type(8 * byte)
    if bit_width < 8 * dtype.itemsize:
        too_wide = values >> dtype.type(bit_width) != 0
        if too_wide.any():
            worst = int(np.argmax(too_wide))
            raise _too_wide(int(values[worst]), bit_width, int(payload[worst]))
    return values


def _too_wide(value: int, bit_width: int, offset: int) -> CorruptFileError:
    return CorruptFileError(
        f"an RLE run repeats the value {value:,}, which does not fit into the bit width {bit_width}",
        offset=offset,
    )


def _packed_bytes(raw: bytes, runs: Runs, bit_width: int) -> UnsignedArray:
    """The bytes of all bit-packed runs without what lies between them.

    Only the last run of a stream may have values that are not wanted, so the values stay back to back.
    """
    payload, sizes = runs.payload[runs.packed], (runs.count[runs.packed] * bit_width + 7) >> 3
    ends = payload + sizes
    if int(sizes.sum()) >= LONG_RUN * payload.size:
        pieces = map(raw.__getitem__, map(slice, payload.tolist(), ends.tolist()))
        return np.frombuffer(b"".join(pieces), np.uint8)
    lengths = np.empty(2 * payload.size, np.int64)
    lengths[0] = 0
    lengths[2::2] = payload[1:] - ends[:-1]
    lengths[1::2] = sizes
    wanted = np.repeat(np.tile(np.array([False, True]), payload.size), lengths)
    region = np.frombuffer(raw, np.uint8)[int(payload[0]) : int(ends[-1])]
    return np.compress(wanted, region)


def _merge(unpacked: UnsignedArray, repeated: UnsignedArray, runs: Runs) -> UnsignedArray:
    """The values of both kinds of runs in the order of the runs."""
    total = int(runs.count.sum())
    out: UnsignedArray
    if unpacked.size == 0:
        out = np.repeat(repeated, runs.count)
    elif runs.packed.size * LONG_RUN > total:
        each = np.zeros(runs.packed.size, unpacked.dtype)
        each[~runs.packed] = repeated
        out = np.repeat(each, runs.count)
        out[np.repeat(runs.packed, runs.count)] = unpacked
    else:
        out = np.empty(total, unpacked.dtype)
        position = taken = 0
        values = iter(repeated.tolist())
        for packed, count in zip(runs.packed.tolist(), runs.count.tolist(), strict=True):
            if packed:
                out[position : position + count] = unpacked[taken : taken + count]
                taken += count
            else:
                out[position : position + count] = next(values)
            position += count
    return out


def trace(
    buffer: Buffer, bit_width: int, count: int, *, start: int = 0, first: int = 0
) -> Iterator[Step]:
    """The runs one by one, from the run that has value number `first`.

    Steps are `rle run` (parts: `run header`, `repeated value`) and `bit-packed run` (parts: `run header`,
    `packed values`). Where the bit width is 0 and there are no runs at all, a step `implied zeros` without bytes
    gives the values. When the stream is damaged, the runs before the damage come first; then `CorruptFileError`.
    """
    _check(bit_width, count)
    raw = bytes(buffer)
    runs, problem = find_runs(raw, bit_width, count, start)
    before = np.cumsum(runs.count) - runs.count
    found = int(runs.count.sum())
    begin = max(int(np.searchsorted(before, first, "right")) - 1, 0)
    for run in range(begin, runs.packed.size):
        position, payload = int(runs.start[run]), int(runs.payload[run])
        number, yielded = int(before[run]), int(runs.count[run])
        if runs.packed[run]:
            yield _packed_step(raw, position, payload, number, yielded, bit_width)
        else:
            yield _repeated_step(raw, position, payload, number, yielded, bit_width)
    if problem is not None:
        if bit_width or len(raw) > start:
            raise problem
        zeros = np.broadcast_to(np.uint8(0), (count - found,))
        label = f"{count - found:,} × 0, because the bit width is 0"
        yield Step("implied zeros", label, runs.end, runs.end, found, count - found, zeros)


def trace_prefixed(buffer: Buffer, bit_width: int, count: int, *, first: int = 0) -> Iterator[Step]:
    """`trace` of runs that have their length in front: a step `length`, then the runs."""
    _check(bit_width, count)
    if count == 0 and len(buffer) == 0:
        return
    end = prefixed_end(buffer)
    length = end - PREFIX_BYTES
    yield Step("length", f"{length:,} bytes of runs", 0, PREFIX_BYTES, facts={"length": length})
    yield from trace(memoryview(buffer)[:end], bit_width, count, start=PREFIX_BYTES, first=first)


def _repeated_step(
    raw: bytes, position: int, payload: int, first: int, count: int, bit_width: int
) -> Step:
    length = _header(raw, position, payload) >> 1
    end = payload + ((bit_width + 7) >> 3)
    value = int.from_bytes(raw[payload:end], "little")
    if value >> bit_width:
        raise _too_wide(value, bit_width, payload)
    header = Step(
        "run header",
        f"RLE run of {length:,}",
        position,
        payload,
        facts={"header": length << 1, "run_length": length},
    )
    repeated = Step("repeated value", str(value), payload, end, facts={"value": value})
    return Step(
        "rle run",
        f"{count:,} × {value}",
        position,
        end,
        first,
        count,
        np.broadcast_to(bits.unsigned_type(bit_width).type(value), (count,)),
        {"run_length": length, "value": value, "bit_width": bit_width},
        (header, repeated),
    )


def _packed_step(
    raw: bytes, position: int, payload: int, first: int, count: int, bit_width: int
) -> Step:
    groups = _header(raw, position, payload) >> 1
    end = min(payload + groups * bit_width, len(raw))
    values = bits.unpack(memoryview(raw)[payload:end], bit_width, count)
    header = Step(
        "run header",
        f"bit-packed run of {groups:,} groups of 8",
        position,
        payload,
        facts={"header": groups << 1 | 1, "groups": groups},
    )
    facts = {
        "groups": groups,
        "bit_width": bit_width,
        "bit_start": 8 * payload,
        "bit_end": 8 * payload + count * bit_width,
        "padding_values": 8 * groups - count,
    }
    body = Step("packed values", f"{count:,} values of {bit_width} bits", payload, end, facts=facts)
    return Step(
        "bit-packed run",
        f"{count:,} values of {bit_width} bits",
        position,
        end,
        first,
        count,
        values,
        facts,
        (header, body),
    )


def _header(raw: bytes, position: int, payload: int) -> int:
    return sum((raw[position + i] & 127) << (7 * i) for i in range(payload - position))


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
        return varint(groups << 1 | 1) + bits.pack(given, bit_width).ljust(
            groups * bit_width, b"\0"
        )
    return joined(given, starts, ends, bit_width)


def encode_prefixed(values: Any, bit_width: int, *, minimum_run: int = 8) -> bytes:
    """`encode`, with the length of the runs in front (levels of data page V1, boolean values)."""
    runs = encode(values, bit_width, minimum_run=minimum_run)
    return len(runs).to_bytes(PREFIX_BYTES, "little") + runs
