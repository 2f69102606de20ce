"""Where an offset index says that pages are, as arrays, without an object for each page.

An OffsetIndex is little but a long list of PageLocations, and what writers write is perfectly regular: each one is seven
tokens (a field header and a varint three times, and the stop byte), and a token ends at a byte below 128. So the tokens
of the whole list are found at once. Whatever is not of that form is left to the C reader.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pqexplore.engine.thrift.cursor import Buffer

Int64s = npt.NDArray[np.int64]

FEW = 512
"""Bytes up to which the C reader is faster."""

_TOKENS = 7
_WORD = 8
_HEADERS = np.array([0x16, 0x15, 0x16, 0x00], np.uint8)
"""Field 1 as i64, then field 2 as i32, then field 3 as i64, each one id up from the field before; stop."""


def scan(buffer: Buffer) -> tuple[Int64s, Int64s] | None:
    """(offset, compressed_page_size) of each PageLocation of an OffsetIndex.

    None where the bytes are few or not of the regular form, which does not mean that they are damaged. What comes after
    the page locations is not looked at.
    """
    size = len(buffer)
    if size < FEW or buffer[0] != 0x19 or buffer[1] != 0xFC:
        return None
    count, begin = _varint(bytes(buffer[2:7]))
    begin += 2
    if not 0 < count <= (size - begin) // _TOKENS:
        return None
    data = np.zeros(size - begin + _WORD, np.uint8)  # a word can be read wherever a varint begins
    data[:-_WORD] = np.frombuffer(buffer, np.uint8, offset=begin)
    ends: Any = (data[:-_WORD] < 0x80).nonzero()[0][: _TOKENS * count]
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


def _varint(raw: bytes) -> tuple[int, int]:
    """A ULEB128 integer at the start, and its length; 0 for one that does not end."""
    value = 0
    for index, byte in enumerate(raw):
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value, index + 1
    return 0, 0


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


def _varints(data: npt.NDArray[np.uint8], start: Any, length: Any) -> Int64s:
    """Zigzag varints of up to 8 bytes: bytes become words, and words lose every eighth bit in three steps."""
    words: Any = np.ndarray((data.size - _WORD + 1,), "<u8", data, 0, (1,))[start] & _WHOLE[length]
    for shift, low, high in _STEPS:
        upper = words & high
        upper >>= shift
        words &= low
        words |= upper
    numbers: Int64s = (words >> _ONE).view(np.int64)
    words &= _ONE
    numbers ^= -words.view(np.int64)
    return numbers
