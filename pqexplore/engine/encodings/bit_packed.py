"""BIT_PACKED (= 4), deprecated: levels back to back, most significant bit first.

No header, no runs: value i lies at bits `[i * bit_width, (i + 1) * bit_width)`, where bit 0 is the *most*
significant bit of byte 0. Read backwards, byte for byte, that is packing with the least significant bit first and
the last value in front; so `bits` does the work. Specification: Encodings, "Bit-packed (Deprecated)".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pqexplore.engine.encodings import bits
from pqexplore.engine.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError

MAX_BIT_WIDTH = 32


def length(count: int, bit_width: int) -> int:
    """The bytes that `count` values of `bit_width` bits take: nothing in the page says so."""
    return bits.packed_size(bit_width, count)


def decode(buffer: Buffer, bit_width: int, count: int) -> tuple[UnsignedArray, int]:
    """`count` values of `bit_width` bits from the start of `buffer`, and how many bytes they take.

    The values have the smallest unsigned type that fits. Raises `CorruptFileError` when the buffer is too short
    or the bit width is not 0 to 32.
    """
    if not 0 <= bit_width <= MAX_BIT_WIDTH:
        raise CorruptFileError(f"a bit width is 0 to {MAX_BIT_WIDTH}, not {bit_width}")
    if count < 0:
        raise CorruptFileError(f"a page cannot have {count:,} values")
    size = length(count, bit_width)
    if size > len(buffer):
        raise CorruptFileError(
            f"{count:,} bit-packed values of {bit_width} bits take {size:,} bytes, but there are only {len(buffer):,}",
            offset=len(buffer),
        )
    backwards = np.frombuffer(buffer, np.uint8)[:size][::-1]
    padding = 8 * size - count * bit_width
    values = bits.unpack(np.ascontiguousarray(backwards), bit_width, count, padding)
    return values[::-1], size


def trace(buffer: Buffer, bit_width: int, count: int, *, first: int = 0) -> Iterator[Step]:
    """One step, `packed values`, with all values from number `first` on: there is no finer structure."""
    values, size = decode(buffer, bit_width, count)
    if count <= first:
        return
    facts = {
        "bit_width": bit_width,
        "bit_order": "most significant first",
        "bit_start": first * bit_width,
        "bit_end": count * bit_width,
    }
    label = f"{count - first:,} values of {bit_width} bits, most significant bit first"
    start = first * bit_width >> 3
    yield Step("packed values", label, start, size, first, count - first, values[first:], facts)


def encode(values: Any, bit_width: int) -> bytes:
    """The bytes of `values` (non-negative integers); `UsageError` when one does not fit."""
    given = np.asarray(values)
    padded = np.concatenate((given, np.zeros(-given.size % 8, given.dtype)))
    return bits.pack(padded[::-1], bit_width)[::-1][: length(given.size, bit_width)]
