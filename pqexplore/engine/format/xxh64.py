"""XXH64 with seed 0, the hash of Parquet's Bloom filters, of many numbers at once, in numpy.

The `xxhash` package hashes single values; here the steps of the algorithm run over arrays. Values of 4 and of 8 bytes
need one lane and the final mixing.

Specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import xxhash

from pqexplore.engine.arrays import Array

_PRIME_1 = np.uint64(0x9E3779B185EBCA87)
_PRIME_2 = np.uint64(0xC2B2AE3D27D4EB4F)
_PRIME_3 = np.uint64(0x165667B19E3779F9)
_PRIME_4 = np.uint64(0x85EBCA77C2B2AE63)
_PRIME_5 = np.uint64(0x27D4EB2F165667C5)
_BLOCK = 1 << 15
"""Values hashed at a time: their intermediate results stay in the cache."""

Hashes = npt.NDArray[np.uint64]


def of_bytes(raw: bytes | memoryview) -> int:
    """The hash of one value."""
    digest: int = xxhash.xxh64_intdigest(raw)
    return digest


def of_words(words: Array) -> Hashes:
    """Hashes (uint64) of a one-dimensional array of 4-byte or 8-byte values; their little-endian bits are hashed."""
    hashes = np.empty(len(words), np.uint64)
    kind = "<u4" if words.dtype.itemsize == 4 else "<u8"
    bits = np.ascontiguousarray(words).view(kind)
    step = _hash_4 if words.dtype.itemsize == 4 else _hash_8
    scratch = np.empty(min(_BLOCK, len(words)), np.uint64)
    with np.errstate(over="ignore"):
        for start in range(0, len(words), _BLOCK):
            part = hashes[start : start + _BLOCK]
            step(bits[start : start + _BLOCK], part, scratch[: len(part)])
    return hashes


def _rotate(value: Hashes, by: int, scratch: Hashes) -> None:
    np.right_shift(value, np.uint64(64 - by), out=scratch)
    np.left_shift(value, np.uint64(by), out=value)
    np.bitwise_or(value, scratch, out=value)


def _mix(value: Hashes, scratch: Hashes) -> None:
    for shift, prime in ((33, _PRIME_2), (29, _PRIME_3), (32, None)):
        np.right_shift(value, np.uint64(shift), out=scratch)
        np.bitwise_xor(value, scratch, out=value)
        if prime is not None:
            np.multiply(value, prime, out=value)


def _hash_8(bits: Array, out: Hashes, scratch: Hashes) -> None:
    np.multiply(bits, _PRIME_2, out=out)
    _rotate(out, 31, scratch)
    np.multiply(out, _PRIME_1, out=out)
    np.bitwise_xor(out, _PRIME_5 + np.uint64(8), out=out)
    _rotate(out, 27, scratch)
    np.multiply(out, _PRIME_1, out=out)
    np.add(out, _PRIME_4, out=out)
    _mix(out, scratch)


def _hash_4(bits: Array, out: Hashes, scratch: Hashes) -> None:
    out[:] = bits
    np.multiply(out, _PRIME_1, out=out)
    np.bitwise_xor(out, _PRIME_5 + np.uint64(4), out=out)
    _rotate(out, 23, scratch)
    np.multiply(out, _PRIME_2, out=out)
    np.add(out, _PRIME_3, out=out)
    _mix(out, scratch)
