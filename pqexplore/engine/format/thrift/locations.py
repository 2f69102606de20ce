"""Page locations of an offset index as arrays, without an object for each page.

An OffsetIndex is mainly a long list of PageLocations, which writers write in a regular form: seven tokens (three times a
field header and a varint, then the stop byte); each ends with a byte below 128. So the tokens of the whole list
are found at once, in numpy. The C reader reads any other form.

Specification: https://github.com/apache/parquet-format/blob/master/PageIndex.md
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.arrays import Array, Int64s
from pqexplore.engine.format.thrift.cursor import Buffer
from pqexplore.engine.format.varint import read_varint

FEW = 512
"""For fewer bytes the C reader is faster."""

_TOKENS = 7
_WORD = 8
_HEADERS = np.array([0x16, 0x15, 0x16, 0x00], np.uint8)
"""Headers of field 1 (i64), field 2 (i32) and field 3 (i64), each one id after the field before, and the stop byte."""


def scan(buffer: Buffer) -> tuple[Int64s, Int64s] | None:
    """(offset, compressed_page_size) of each PageLocation of an OffsetIndex, as int64.

    None if there are few bytes, or they are not in the regular form, which does not mean damage. Bytes after the page
    locations are not read.
    """
    size = len(buffer)
    if size < FEW or buffer[0] != 0x19 or buffer[1] != 0xFC:
        return None
    count, begin = read_varint(buffer, 2, 5)
    if begin < 0 or not 0 < count <= (size - begin) // _TOKENS:
        return None
    data = np.zeros(size - begin + _WORD, np.uint8)  # padding, so that a word can be read at the start of every varint
    data[:-_WORD] = np.frombuffer(buffer, np.uint8, offset=begin)
    ends: Int64s = (data[:-_WORD] < 0x80).nonzero()[0][: _TOKENS * count]
    if ends.size < _TOKENS * count:
        return None
    lengths = np.empty_like(ends)
    lengths[0] = ends[0] + 1
    np.subtract(ends[1:], ends[:-1], out=lengths[1:])
    ends, lengths = ends.reshape(count, _TOKENS), lengths.reshape(count, _TOKENS)
    # Field headers and the stop byte are one byte each, and as expected; the varints between fit into a word.
    if (lengths[:, ::2] != 1).any() or (data[ends[:, ::2]] != _HEADERS).any():
        return None
    if int(lengths.max()) > _WORD:
        return None
    numbers = _varints(data, ends[:, 0:3:2] + 1, lengths[:, 1:4:2])
    return numbers[:, 0], numbers[:, 1]


_ONE = np.uint64(1)
_STEPS = tuple(
    (np.uint64(shift), np.uint64(low), np.uint64(high))
    for shift, low, high in (
        (1, 0x007F007F007F007F, 0x7F007F007F007F00),
        (2, 0x00003FFF00003FFF, 0x3FFF00003FFF0000),
        (4, 0x000000000FFFFFFF, 0x0FFFFFFF00000000),
    )
)
_WHOLE = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], np.uint64)


def _varints(data: Array, start: Int64s, length: Int64s) -> Int64s:
    """Zigzag varints of up to 8 bytes: reads them as words and removes every eighth bit in three steps."""
    words: Array = np.ndarray((data.size - _WORD + 1,), "<u8", data, 0, (1,))[start] & _WHOLE[length]
    for shift, low, high in _STEPS:
        upper = words & high
        upper >>= shift
        words &= low
        words |= upper
    numbers: Int64s = (words >> _ONE).view(np.int64)
    words &= _ONE
    numbers ^= -words.view(np.int64)
    return numbers
