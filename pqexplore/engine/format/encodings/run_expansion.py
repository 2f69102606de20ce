"""From the runs of the RLE/bit-packing hybrid to their values: a few passes over all runs, and shortcuts for common buffers.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.bits import UnsignedArray
from pqexplore.engine.format.encodings.run_scan import Runs, find_repeats, long_header

LONG_RUN = 64
"""Values a run must have, on average, for a loop over runs to be faster than a mask over values."""


def at_once(raw: bytes, bit_width: int, count: int, start: int) -> UnsignedArray | None:
    """The values of a buffer of one run, of bit-packed runs of one size, or of RLE runs alone; None of any other."""
    for shortcut in (_one_run, _even_runs, _repeats):
        found = shortcut(raw, bit_width, count, start)
        if found is not None:
            return found
    return None


def expanded(raw: bytes, runs: Runs, bit_width: int) -> UnsignedArray:
    """The values of all runs. Raises `CorruptFileError` for an RLE run whose value needs more than `bit_width` bits."""
    count = int(runs.count.sum())
    if bit_width == 0:
        return np.zeros(count, np.uint8)
    packed_values = int(runs.count[runs.packed].sum())
    unpacked = np.zeros(0, bits.unsigned_type(bit_width))
    if packed_values:
        unpacked = bits.unpack(packed_bytes(raw, runs, bit_width), bit_width, packed_values)
        if packed_values == count:
            return unpacked
    repeated = repeated_values(np.frombuffer(raw, np.uint8), runs, bit_width)
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


def repeated_values(data: UnsignedArray, runs: Runs, bit_width: int) -> UnsignedArray:
    """The values of the RLE runs, one for each run. Raises as `expanded`."""
    dtype = bits.unsigned_type(bit_width)
    payload = runs.payload[~runs.packed]
    values: UnsignedArray = data.take(payload).astype(dtype)
    for byte in range(1, (bit_width + 7) >> 3):
        values |= data.take(payload + byte).astype(dtype) << dtype.type(8 * byte)
    if bit_width < 8 * dtype.itemsize:
        too_wide = values >> dtype.type(bit_width) != 0
        if too_wide.any():
            worst = int(np.argmax(too_wide))
            raise width_error(int(values[worst]), bit_width, int(payload[worst]))
    return values


def width_error(value: int, bit_width: int, offset: int) -> CorruptFileError:
    """The error about an RLE run at `offset` whose value needs more than `bit_width` bits."""
    return CorruptFileError(
        f"an RLE run repeats the value {value:,}, which does not fit into the bit width {bit_width}", offset=offset
    )


def packed_bytes(raw: bytes, runs: Runs, bit_width: int) -> UnsignedArray:
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
