"""ULEB128 integers, called varints, and zigzag: seven bits a byte, lowest first; the top bit says that more follow.

Zigzag makes signed numbers unsigned so that small negative ones stay short: 0, −1, 1, −2 become 0, 1, 2, 3. Parquet
uses both in Thrift's compact protocol, in the headers of runs and in DELTA_BINARY_PACKED. Loops that visit millions of
headers (`run_scan`, `delta_stream`, Thrift's readers) have the reading inlined, for speed.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_BYTES = 10
"""Bytes of the longest varint: a number of 64 bits."""

Array = np.ndarray[Any, np.dtype[Any]]


def varint(number: int) -> bytes:
    """A non-negative integer as a varint."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    """A signed integer as a zigzag varint."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def unzigzag(coded: int) -> int:
    """The signed integer of a zigzag number."""
    return (coded >> 1) ^ -(coded & 1)


def read_varint(raw: bytes | bytearray | memoryview, at: int = 0, most: int = MAX_BYTES) -> tuple[int, int]:
    """The varint at byte `at`, and the byte after it; −1 for that if it does not end within the bytes or `most` bytes."""
    value = 0
    for shift, byte in enumerate(raw[at : at + most]):
        value |= (byte & 127) << (7 * shift)
        if byte < 128:
            return value, at + shift + 1
    return value, -1


def read_zigzags(octets: Array, starts: Array, ends: Array) -> Array:
    """The zigzag varints at `[starts, ends)` of the uint8 array `octets`: uint64, the numbers modulo 2^64."""
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
