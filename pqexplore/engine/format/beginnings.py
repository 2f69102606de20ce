"""The first bytes of a compressed page, without decompressing the others.

A view that shows a few rows needs a few entries of each dictionary, and writers append entries in the order in which they
first occur: those of the first rows are the first of perhaps a million. Nothing here says what is wrong with a page: where
the beginning cannot be had, `codecs.decompress` is asked for the whole, and says it.
"""

from __future__ import annotations

import pyarrow as pa

from pqexplore.engine.format.thrift.structs import CompressionCodec

STREAMED: dict[int, str] = {
    CompressionCodec.GZIP: "gzip",
    CompressionCodec.BROTLI: "brotli",
    CompressionCodec.ZSTD: "zstd",
}
"""Codecs whose data Arrow decompresses piece by piece, and Arrow's name of each."""

MAX_VARINT = 5
"""Bytes of the longest length at the start of a Snappy block: a number of 32 bits."""


def beginning(codec: int, data: memoryview, size: int, count: int) -> bytes | None:
    """The first `count` of the `size` bytes that a page decompresses to; None if they cannot be had so.

    `data` may lack its end. LZ4 and LZO are not read piece by piece: None.
    """
    if not 0 < count <= size:
        return None
    if codec == CompressionCodec.UNCOMPRESSED:
        found = bytes(data[:count])
    elif codec == CompressionCodec.SNAPPY:
        found = _snappy(data, size, count) or b""
    elif codec in STREAMED:
        found = _streamed(STREAMED[codec], data, count)
    else:
        return None
    return found if len(found) == count else None


def _streamed(name: str, data: memoryview, count: int) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), name) as stream:
            return bytes(stream.read(count))
    except (OSError, pa.ArrowException):
        return b""


def _snappy(data: memoryview, size: int, count: int) -> bytes | None:
    """By the elements of the block: literals, and copies of what was written before.

    Source: https://github.com/google/snappy/blob/main/format_description.txt
    """
    own = at = 0
    out = bytearray()
    try:
        while True:
            own |= (data[at] & 127) << 7 * at
            at += 1
            if data[at - 1] < 128:
                break
            if at == MAX_VARINT:
                return None
        if own != size:
            return None
        while len(out) < count:
            tag = data[at]
            at += 1
            if not tag & 3:
                length = (tag >> 2) + 1
                if length > 60:
                    extra = length - 60
                    length = 1 + int.from_bytes(data[at : at + extra], "little")
                    at += extra
                out += data[at : at + min(length, count - len(out))]
                at += length
                if at > len(data) and len(out) < count:
                    return None
                continue
            if tag & 3 == 1:
                length, offset = 4 + (tag >> 2 & 7), (tag >> 5) << 8 | data[at]
                at += 1
            else:
                length, extra = (tag >> 2) + 1, 2 if tag & 3 == 2 else 4
                offset = int.from_bytes(data[at : at + extra], "little")
                at += extra
            if not 0 < offset <= len(out) or at > len(data):
                return None
            copied = out[len(out) - offset :][:length]
            out += (copied * (length // offset + 1))[:length]  # a copy may repeat its own bytes
    except IndexError:
        return None
    return bytes(out[:count])
