"""Reads Roaring bitmaps of 64-bit numbers, in the portable serialization that Delta and Iceberg share.

Bytes are not trusted: counts are checked against the bytes that are there, and numbers against `POSITIONS`.

Sources: https://github.com/RoaringBitmap/RoaringFormatSpec, with its extension for 64-bit numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import CorruptFileError, LimitExceededError

POSITIONS = 50_000_000
"""Max numbers of a bitmap."""

Positions = npt.NDArray[np.int64]

_WITH_RUNS, _WITHOUT_RUNS = 12347, 12346
_OFFSETS_FROM = 4
"""Containers from which on a bitmap with runs has a list of offsets."""
_ARRAY = 4096
"""Max numbers of a container that lists them."""
_BITS = 8192
"""Bytes of a container of bits."""


class _Bytes:
    """Reads numbers from the beginning to the end."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._at = 0

    def take(self, length: int) -> memoryview:
        part = self._data[self._at : self._at + length]
        if length < 0 or len(part) < length:
            raise CorruptFileError("the bitmap of deleted rows is cut off", address="")
        self._at += length
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def numbers(self, count: int) -> npt.NDArray[np.int64]:
        return np.frombuffer(self.take(2 * count), "<u2").astype(np.int64)


def positions(data: bytes) -> Positions:
    """The numbers of a bitmap, ascending. CorruptFileError if it is none, LimitExceededError for too many numbers."""
    source, found, total, before = _Bytes(data), list[Positions](), 0, -1
    for _ in range(source.number(8)):
        high = source.number(4)
        if not before < high < 1 << 31:
            raise CorruptFileError("the parts of the bitmap of deleted rows are not in order", address="")
        before = high
        for low in _containers(source):
            total += len(low)
            if total > POSITIONS:
                raise LimitExceededError(f"a bitmap has more than {POSITIONS:,} deleted rows", address="")
            found.append((high << 32) + low)
    whole = np.concatenate(found) if found else np.zeros(0, np.int64)
    if (np.diff(whole) <= 0).any():
        raise CorruptFileError("the bitmap of deleted rows is not in order", address="")
    return whole


def _containers(source: _Bytes) -> Iterator[Positions]:
    """The numbers of a bitmap of 32-bit numbers, by container."""
    cookie = source.number(4)
    runs = b""
    if cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        runs = bytes(source.take((count + 7) // 8))
    elif cookie == _WITHOUT_RUNS:
        count = source.number(4)
    else:
        raise CorruptFileError("the bitmap of deleted rows is no Roaring bitmap", address="")
    heads = source.numbers(2 * count)
    if not runs or count >= _OFFSETS_FROM:
        source.take(4 * count)
    for index in range(count):
        key, size = int(heads[2 * index]) << 16, int(heads[2 * index + 1]) + 1
        if runs and runs[index // 8] >> index % 8 & 1:
            yield key + _runs(source)
        elif size <= _ARRAY:
            yield key + source.numbers(size)
        else:
            bits = np.unpackbits(np.frombuffer(source.take(_BITS), np.uint8), bitorder="little")
            yield key + np.flatnonzero(bits).astype(np.int64)


def _runs(source: _Bytes) -> Positions:
    """The numbers of a container of runs: pairs of a first number and how many follow it."""
    pairs = source.numbers(2 * source.number(2)).reshape(-1, 2)
    ends = pairs.sum(axis=1)
    if len(pairs) and ((ends > 0xFFFF).any() or (pairs[1:, 0] <= ends[:-1]).any()):
        raise CorruptFileError("the bitmap of deleted rows has runs that overlap", address="")
    return np.concatenate(
        [np.arange(a, b + 1) for a, b in zip(pairs[:, 0], ends, strict=True)] or [np.zeros(0, np.int64)]
    )
