"""Finds the blocks and miniblocks of a DELTA_BINARY_PACKED stream, and computes its values, many at a time.

`find_blocks` finds the structure. The length of a block follows from its width bytes, so the function visits one block
after the other, without reading packed values. The specification requires a block size that is a multiple of 128, and a
multiple of 32 values in a miniblock; multiples of 8 are read, because the specification's own examples need it.

`values_of` computes the values. A running sum one value at a time is slow, so all miniblocks are summed at once: a
matrix has a column for each miniblock, its first row has their first deltas, its second row their second deltas, and
each row is added to the next. Then only the miniblocks' totals are summed one after the other. Eight deltas of w bits
fill w bytes, a *group*, which starts at a byte: the deltas of a group are extracted from a few 64-bit words.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTAENC
"""

from __future__ import annotations

import dataclasses
import math
from array import array

import numpy as np

from pqexplore.engine.arrays import Array as Array
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings.bits import Buffer
from pqexplore.engine.format.encodings.packed_rows import unpack_rows
from pqexplore.engine.format.varint import MAX_BYTES, read_varint, read_zigzags, unzigzag

MAX_BLOCK_SIZE = 1 << 20
"""Values of a block. Writers use 128 to 2048. A block is unpacked whole, so its size must be bounded."""

_STREAK_BLOCKS = 4096
"""The number of blocks of equal length to search for at once."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DeltaStream:
    """Where the parts of a DELTA_BINARY_PACKED stream are. Positions are byte offsets in the buffer.

    For block k: `block_starts[k]` is where its min delta begins, `width_starts[k]` where its bit widths begin,
    `min_deltas[k]` is its min delta modulo 2^64, and `bit_widths[k]` the widths of its miniblocks, with 0 for those
    without values, even if their byte is not 0. `error` stopped the scan: the blocks before it are good.
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


_NONE, _NO_WIDTHS = np.zeros(0, np.int64), np.zeros((0, 1), np.uint8)
NO_BLOCKS = DeltaStream(0, 1, 1, 0, 0, 0, 0, _NONE, _NONE, _NONE, _NO_WIDTHS, 0, None)
"""The structure of an empty buffer."""


def find_blocks(buffer: Buffer, offset: int, expected: int, int_bits: int) -> DeltaStream:
    """The structure of the stream that begins at `offset`.

    `expected` is the number of values; `int_bits` is 32 or 64, the maximum of a width. Raises CorruptFileError for an
    invalid header; damage after the header is in the stream's `error`.
    """
    # Indexing bytes is twice as fast as indexing a memoryview. The count gives a maximum length, so that
    # the strings after a stream of lengths are not copied with it.
    view = memoryview(buffer)[offset:]
    block_size, miniblocks, total_count, coded, first_value_at, first_block = _header(
        bytes(view[: 4 * MAX_BYTES]), offset
    )
    half = 1 << (int_bits - 1)
    first_value = (unzigzag(coded) + half) % (2 * half) - half
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
    if total_count != expected:
        raise CorruptFileError(
            f"DELTA_BINARY_PACKED: the header counts {total_count:,} values, the page has {expected:,}", offset=offset
        )
    blocks = -(-max(total_count - 1, 0) // block_size)
    longest = MAX_BYTES + miniblocks + block_size * int_bits // 8
    data = bytes(view[: first_block + blocks * longest])
    block_starts, width_starts, end, problem = _hop(data, first_block, max(total_count - 1, 0), block_size, miniblocks)
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
        error = CorruptFileError(f"DELTA_BINARY_PACKED, block {good:,}: {problem}", offset=offset + end)
    return DeltaStream(
        start=offset,
        block_size=block_size,
        miniblocks=miniblocks,
        total_count=total_count,
        first_value=first_value,
        first_value_start=offset + first_value_at,
        first_value_end=offset + first_block,
        block_starts=block_starts[:good] + offset,
        width_starts=width_starts[:good] + offset,
        min_deltas=read_zigzags(octets, block_starts[:good], width_starts[:good]),
        bit_widths=bit_widths[:good],
        end=offset + end,
        error=error,
    )


def total_count(buffer: Buffer) -> int:
    """The number of values that a stream's header counts. Raises CorruptFileError where the header ends early."""
    return _header(bytes(buffer[: 4 * MAX_BYTES]), 0)[2]


def _header(data: bytes, offset: int) -> tuple[int, int, int, int, int, int]:
    """Block size, miniblocks, value count, first value (still zigzag), and where the first value begins and ends."""
    numbers, at, start = [], 0, 0
    for what in ("block size", "number of miniblocks", "value count", "first value"):
        start = at
        number, at = read_varint(data, start)
        if at < 0:
            ends = len(data) - start < MAX_BYTES
            raise CorruptFileError(
                f"DELTA_BINARY_PACKED: the bytes end inside the {what}"
                if ends
                else f"DELTA_BINARY_PACKED: the {what} has more than {MAX_BYTES} bytes",
                offset=offset + (len(data) if ends else start + MAX_BYTES),
            )
        numbers.append(number)
    block_size, miniblocks, total_count, first_value = numbers
    return block_size, miniblocks, total_count, first_value, start, at


def _hop(
    data: bytes, position: int, left: int, block_size: int, miniblocks: int
) -> tuple[Array, Array, int, str | None]:
    """Visits the blocks: the starts of blocks, the starts of their bit widths, the end of the last, what stopped it.

    No block stores its length, so each must be visited to find the next: 1 µs a block in Python, which would be most of
    the time of decoding. But consecutive blocks often have the same length. After two of one length, the positions at
    that stride are tested together (`_equal_blocks`). If a block has that length, and its min delta the same number of
    bytes, the next block is at the stride; so all blocks before the first that fails the test are proved. After a test
    that finds few blocks, the next test waits for a longer streak, so that streams without streaks lose little time.

    Guarded by `test_long_streaks_of_equal_blocks_are_found_whole`.
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
        if at - start > MAX_BYTES:
            problem = f"its min delta has more than {MAX_BYTES} bytes"
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
    # A block that ends after the buffer is the last: there are no bytes after it.
    if position > len(data):
        block_starts.pop()
        width_starts.pop()
        problem = f"it ends at byte {position:,}, but there are only {len(data):,}"
        position = start
    return (np.frombuffer(block_starts, np.int64), np.frombuffer(width_starts, np.int64), position, problem)


def _equal_blocks(octets: Array, position: int, length: int, min_bytes: int, head: int, unit: int, most: int) -> int:
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


_DELTAS_AT_ONCE = 32768
"""Deltas (256 KB) in hand at a time, so that they stay in the processor's cache."""

_MAX_GROUPS = 8
"""Groups in a column: a longer miniblock is taken for several, so that there are more columns than rows."""


def _values_of_a_word(width: int) -> int:
    """How many values of `width` bits, 8, 4, 2 or 1, can be cut out of one word, at any place in a group.

    A word is read from the byte where its first value begins. 0 where not even one fits.
    """
    for together in (8, 4, 2, 1):
        bits = together * width
        if all((word * bits & 7) + bits <= 64 for word in range(8 // together)):
            return together
    return 0


_TOGETHER = np.array([_values_of_a_word(width) for width in range(65)], np.uint8)
_MASKS = np.array([(1 << width) - 1 for width in range(65)], np.uint64)


def values_of(octets: Array, stream: DeltaStream, int_bits: int) -> Array:
    """All values of a stream without error whose bytes are `octets`: an array of int32 or int64."""
    unsigned = np.dtype(f"u{int_bits // 8}")
    size = stream.miniblock_size
    rows = -(-max(stream.total_count - 1, 0) // size)
    values = np.empty(1 + rows * size, unsigned)
    values[0] = stream.first_value & ((1 << int_bits) - 1)
    if rows:
        widths = stream.bit_widths.reshape(-1)[:rows]
        starts = stream.miniblock_starts().reshape(-1)[:rows]
        min_deltas = np.repeat(stream.min_deltas, stream.miniblocks)[:rows]
        together = int(_TOGETHER.take(widths).min())
        if together:
            spare = np.zeros(8, np.uint8)  # the last word reaches beyond the last miniblock
            octets = np.concatenate((octets[stream.start : stream.end], spare))
            starts -= stream.start
            _sum(octets, starts, widths, min_deltas, together, values)
        else:
            deltas = values[1:].reshape(rows, size)
            unpack_rows(octets, starts, widths, deltas)
            deltas += min_deltas.astype(unsigned)[:, None]
            np.cumsum(values, out=values, dtype=unsigned)
    return values[: stream.total_count].view(f"i{int_bits // 8}")


def _sum(octets: Array, starts: Array, widths: Array, min_deltas: Array, together: int, values: Array) -> None:
    """Fill `values`, whose first is there, from miniblocks of one size; `together` deltas are cut out of a word."""
    groups = (values.size - 1) // (8 * starts.size)
    parts = groups // math.gcd(groups, _MAX_GROUPS)
    if parts > 1:
        groups //= parts
        starts = (starts[:, None] + widths[:, None] * (groups * np.arange(parts))).reshape(-1)
        widths, min_deltas = np.repeat(widths, parts), np.repeat(min_deltas, parts)
    columns = max(_DELTAS_AT_ONCE // (8 * groups), 1)
    done = 0
    for column in range(0, starts.size, columns):
        some = slice(column, column + columns)
        sums = _deltas(octets, starts[some], widths[some], groups, together)
        sums += min_deltas[some]
        for nth in range(1, 8):
            sums[nth] += sums[nth - 1]
        # What lies before each group: the groups above it, the miniblocks to the left, and the first value.
        before = np.empty((groups, sums.shape[2]), np.uint64)
        totals = sums[7].copy()
        for group in range(1, groups):
            totals[group] += totals[group - 1]
        before[0, 0] = values[done]
        before[0, 1:] = totals[-1, :-1]
        np.cumsum(before[0], out=before[0])
        np.add(totals[:-1], before[0], out=before[1:])
        sums += before
        out = values[1 + done : 1 + done + sums.size].reshape(-1, groups, 8)
        np.copyto(out, sums.T, casting="unsafe")
        done += sums.size


def _deltas(octets: Array, starts: Array, widths: Array, groups: int, together: int) -> Array:
    """The packed deltas of miniblocks of so many groups, as uint64: `[n, g, m]` is the nth of group g of miniblock m."""
    nth = np.arange(together, dtype=np.uint64)
    if int(widths.min()) == int(widths.max()):
        width = int(widths[0])
        words = _words_of_one_width(octets, starts, width, groups, together)
        shifts, mask = nth * np.uint64(width), _MASKS[width]
    else:
        words = _words_of_any_width(octets, starts, widths, groups, together)
        shifts, mask = nth[:, None] * widths, _MASKS.take(widths)
    deltas: Array = words[:, None] >> shifts.reshape(together, 1, -1)
    deltas &= mask
    return deltas.reshape(8, groups, -1)


def _words_of_one_width(octets: Array, starts: Array, width: int, groups: int, together: int) -> Array:
    """`[n, g, m]` is the word that has, of group g of miniblock m, the deltas from `n * together` on, lowest first."""
    words = np.zeros((8 // together, groups, starts.size), np.uint64)
    if not width:
        return words
    size = width * groups
    # One item a miniblock: an overlapping view whose item i is the bytes [i, i + size).
    anywhere: Array = np.ndarray((octets.size - size + 1,), f"V{size}", octets, 0, (1,))
    packed = np.empty(starts.size * size + 8, np.uint8)
    packed[:-8].view(anywhere.dtype)[:] = anywhere[starts]
    for word, part in enumerate(words):
        byte, low = divmod(word * together * width, 8)
        part[...] = np.ndarray(part.shape, "<u8", packed, byte, (width, size))
        if low:
            part >>= np.uint64(low)
    return words


def _words_of_any_width(octets: Array, starts: Array, widths: Array, groups: int, together: int) -> Array:
    """The same where each miniblock has a width of its own."""
    wide = widths.astype(np.int64)
    at = starts + wide * np.arange(groups)[:, None]
    anywhere: Array = np.ndarray((octets.size - 7,), "<u8", octets, 0, (1,))
    words = np.empty((8 // together, *at.shape), np.uint64)
    words[0] = anywhere[at]
    for word in range(1, 8 // together):
        bit = word * together * wide
        words[word] = anywhere[at + (bit >> 3)]
        words[word] >>= (bit & 7).view(np.uint64)
    return words
