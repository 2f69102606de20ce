"""The structure of a DELTA_BINARY_PACKED stream: its header, and where each block and miniblock lies.

    header: block size · miniblocks in a block · total count · first value
    block:  min delta · a bit width per miniblock · the miniblocks

All but the widths and the miniblocks are ULEB128 integers, the signed ones zigzag. Nothing says how long a block
is but its own width bytes, so `scan` hops from block to block; it looks at no packed value.

The block size should be a multiple of 128 and a miniblock hold a multiple of 32 values; here multiples of 8 are
read, as the specification's own examples need. Source: the specification's "Delta Encoding".
"""

from __future__ import annotations

import dataclasses
from array import array
from typing import Any

import numpy as np

from pqexplore.engine.encodings.bits import Buffer
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.limits import DEFAULT

MAX_BLOCK_SIZE = 1 << 20
"""Values of a block. Writers use 128 to 2048; a block is unpacked whole, so a page must not ask for any size."""

_MAX_VARINT_BYTES = 10
_STREAK_BLOCKS = 4096
"""How many blocks of equal length are looked for at once."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Where the parts of a DELTA_BINARY_PACKED stream are. Positions are byte offsets in the buffer.

    For block k: `block_starts[k]` is where its min delta begins, `width_starts[k]` where its bit widths begin,
    `min_deltas[k]` is its min delta modulo 2^64, and `bit_widths[k]` the widths of its miniblocks, with 0 for those
    that hold no values, whatever their byte says. `error` is what stopped the scan: the blocks before it are good.
    """

    start: int
    block_size: int
    miniblocks: int
    total_count: int
    first_value: int
    first_value_start: int
    first_value_end: int
    block_starts: Array
    width_starts: Array
    min_deltas: Array
    bit_widths: Array
    end: int
    error: CorruptFileError | None

    @property
    def miniblock_size(self) -> int:
        """Values of a miniblock."""
        return self.block_size // self.miniblocks

    def miniblock_starts(self) -> Array:
        """Where each miniblock's packed bytes begin, shaped as `bit_widths`."""
        starts: Array = np.cumsum(self.bit_widths, 1, dtype=np.int64)
        starts -= self.bit_widths
        starts *= self.miniblock_size // 8
        starts += (self.width_starts + self.miniblocks)[:, None]
        return starts


def scan(
    buffer: Buffer, offset: int = 0, expected: int | None = None, int_bits: int = 64
) -> Structure:
    """The structure of the stream that begins at `offset`.

    `expected` is how many values there must be (None: as many as the stream says, as far as its bytes can hold
    them); `int_bits` is 32 or 64, the most that a width may be. Raises CorruptFileError for a header that cannot
    be; what is wrong behind the header is in the structure's `error`.
    """
    # Indexing bytes is twice as fast as indexing a memoryview. A stream of known count has a greatest length, so
    # that the strings behind a stream of lengths are not copied with it.
    view = memoryview(buffer)[offset:]
    reader = _Varints(bytes(view[: 4 * _MAX_VARINT_BYTES]), offset)
    block_size = reader.unsigned("block size")
    miniblocks = reader.unsigned("number of miniblocks")
    total_count = reader.unsigned("value count")
    first_value_at = reader.position
    first_value = reader.zigzag("first value", int_bits)
    if not 0 < block_size <= MAX_BLOCK_SIZE:
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: a block of {block_size:,} values; expected a multiple of 128 up to {MAX_BLOCK_SIZE:,}",
            offset=offset,
        )
    if not 0 < miniblocks <= block_size or block_size % (8 * miniblocks):
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: {miniblocks:,} miniblocks in a block of {block_size:,} values; "
            "expected a divisor that leaves each a multiple of 32 values",
            offset=offset,
        )
    _check_count(
        total_count, expected, (len(view) // (1 + miniblocks) + 1) * block_size + 1, offset
    )
    blocks = -(-max(total_count - 1, 0) // block_size)
    longest = _MAX_VARINT_BYTES + miniblocks + block_size * int_bits // 8
    data = bytes(view[: reader.position + blocks * longest])
    first_block = reader.position
    block_starts, width_starts, end, problem = _hop(
        data, first_block, max(total_count - 1, 0), block_size, miniblocks
    )
    good = len(width_starts)
    octets = np.frombuffer(data, np.uint8)
    bit_widths = _rows(octets, width_starts, miniblocks)
    if good and good == blocks:
        needed = -(-(total_count - 1 - (blocks - 1) * block_size) // (block_size // miniblocks))
        bit_widths[-1, needed:] = 0
    if bit_widths.size and int(bit_widths.max()) > int_bits:
        good = int(np.argmax((bit_widths > int_bits).any(1)))
        end = int(block_starts[good])
        problem = f"a bit width of {int(bit_widths[good].max())} for integers of {int_bits} bits"
    error = None
    if problem is not None:
        error = CorruptFileError(
            f"DELTA_BINARY_PACKED, block {good:,}: {problem}", offset=offset + end
        )
    return Structure(
        start=offset,
        block_size=block_size,
        miniblocks=miniblocks,
        total_count=total_count,
        first_value=first_value,
        first_value_start=offset + first_value_at,
        first_value_end=offset + first_block,
        block_starts=block_starts[:good] + offset,
        width_starts=width_starts[:good] + offset,
        min_deltas=_zigzag_varints(octets, block_starts[:good], width_starts[:good]),
        bit_widths=bit_widths[:good],
        end=offset + end,
        error=error,
    )


def total_count(buffer: Buffer) -> int:
    """The number of values that a stream's header counts. Raises CorruptFileError where the header ends early."""
    reader = _Varints(bytes(buffer[: 3 * _MAX_VARINT_BYTES]), 0)
    reader.unsigned("block size")
    reader.unsigned("number of miniblocks")
    return reader.unsigned("value count")


def _check_count(total_count: int, expected: int | None, most: int, offset: int) -> None:
    if expected is not None and total_count != expected:
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: the header counts {total_count:,} values, the page has {expected:,}",
            offset=offset,
        )
    if expected is None and total_count > most:
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: the header counts {total_count:,} values, the bytes behind it hold at most {most:,}",
            offset=offset,
        )
    if expected is None:
        DEFAULT.check("page_values", total_count, "a DELTA_BINARY_PACKED header", offset=offset)


class _Varints:
    """Reads the ULEB128 integers of a header; `position` is the next byte."""

    def __init__(self, data: bytes, offset: int) -> None:
        self.data = data
        self.offset = offset
        self.position = 0

    def unsigned(self, what: str) -> int:
        value = 0
        for index in range(_MAX_VARINT_BYTES):
            if self.position == len(self.data):
                raise CorruptFileError(
                    f"DELTA_BINARY_PACKED: the bytes end inside the {what}",
                    offset=self.offset + self.position,
                )
            byte = self.data[self.position]
            self.position += 1
            value |= (byte & 127) << (7 * index)
            if byte < 128:
                return value
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: the {what} has more than {_MAX_VARINT_BYTES} bytes",
            offset=self.offset + self.position,
        )

    def zigzag(self, what: str, int_bits: int) -> int:
        """A signed integer, reduced to `int_bits` bits."""
        coded = self.unsigned(what)
        value = (coded >> 1) ^ -(coded & 1)
        half = 1 << (int_bits - 1)
        return (value + half) % (2 * half) - half


def _hop(
    data: bytes, position: int, left: int, block_size: int, miniblocks: int
) -> tuple[Array, Array, int, str | None]:
    """From block to block: where they and their bit widths begin, where the last one ends, what stopped it early.

    Blocks often have the same length for a while. After two of a length, the blocks that would follow at that
    stride are tested together; a test that finds few makes the next one wait for a longer streak.
    """
    octets = np.frombuffer(data, np.uint8)
    unit = block_size // miniblocks // 8
    block_starts, width_starts = array("q"), array("q")
    start, length, streak, patience, problem = position, 0, 0, 2, None
    while left > 0:
        start = at = position
        try:
            while data[at] > 127:
                at += 1
        except IndexError:
            problem = "the bytes end inside its min delta"
            break
        at += 1
        if at - start > _MAX_VARINT_BYTES:
            problem = f"its min delta has more than {_MAX_VARINT_BYTES} bytes"
            break
        block_starts.append(start)
        width_starts.append(at)
        if left >= block_size:
            position = at + miniblocks + sum(data[at : at + miniblocks]) * unit
        else:
            needed = -(-left // (unit * 8))
            position = at + miniblocks + sum(data[at : at + needed]) * unit
        left -= block_size
        if position - start != length:
            length, streak = position - start, 0
            continue
        streak += 1
        if streak < patience or left < 4 * block_size:
            continue
        streak = 0
        head = at - start + miniblocks
        found = _equal_blocks(octets, position, length, at - start, head, unit, left // block_size)
        patience = 2 if found >= 24 else min(patience * 4, 256)
        if not found:
            continue
        these = np.arange(position, position + found * length, length, dtype=np.int64)
        block_starts.frombytes(these.tobytes())
        these += at - start
        width_starts.frombytes(these.tobytes())
        position += found * length
        left -= found * block_size
    # A block that ends outside is the last one met: behind it there is no byte to go on with.
    if position > len(data):
        block_starts.pop()
        width_starts.pop()
        problem = f"it ends at byte {position:,}, but there are only {len(data):,}"
        position = start
    return (
        np.frombuffer(block_starts, np.int64),
        np.frombuffer(width_starts, np.int64),
        position,
        problem,
    )


def _equal_blocks(
    octets: Array, position: int, length: int, min_bytes: int, head: int, unit: int, most: int
) -> int:
    """How many of the blocks from `position` on are `length` bytes long, with a min delta of `min_bytes` bytes."""
    count = min(most, _STREAK_BLOCKS, (octets.size - position) // length)
    if count <= 0:
        return 0
    heads: Array = np.ndarray((count, head), np.uint8, octets, position, (length, 1))
    equal = heads[:, min_bytes:].sum(1, dtype=np.int64) * unit == length - head
    equal &= heads[:, min_bytes - 1] < 128
    if min_bytes > 1:
        equal &= (heads[:, : min_bytes - 1] > 127).all(1)
    return count if equal.all() else int(equal.argmin())


def _rows(octets: Array, starts: Array, size: int) -> Array:
    """The `size` bytes from each of `starts` on, a row each; they lie inside `octets`."""
    if not starts.size:
        return np.zeros((0, size), np.uint8)
    # One item a row: an overlapping view whose item i is the bytes [i, i + size).
    anywhere: Array = np.ndarray((octets.size - size + 1,), f"V{size}", octets, 0, (1,))
    return anywhere[starts].view(np.uint8).reshape(-1, size)


def _zigzag_varints(octets: Array, starts: Array, ends: Array) -> Array:
    """The zigzag varints at `[starts, ends)`, modulo 2^64."""
    if starts.size == 0:
        return np.zeros(0, np.uint64)
    coded = np.zeros(starts.size, np.uint64)
    sizes = ends - starts
    longest, shortest = int(sizes.max()), int(sizes.min())
    for nth in range(longest):
        sevens = octets.take(starts + nth, mode="clip").astype(np.uint64)
        sevens &= np.uint64(127)
        if nth >= shortest:
            sevens[sizes <= nth] = 0
        sevens <<= np.uint64(7 * nth)
        coded |= sevens
    decoded: Array = (coded >> np.uint64(1)) ^ -(coded & np.uint64(1))
    return decoded
