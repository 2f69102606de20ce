"""Spark's sketch Bloom filter, which the Bloom filter indexes of a metadatastore use.

It is not Parquet's Bloom filter, which has blocks and xxHash: this one is a bit array with Murmur3. k hash values are
computed from two (Kirsch and Mitzenmacher): version 1 computes `h1 + i·h2` in 32 bits, version 2 in 64. Spark hashes
the bytes after the last whole word one at a time, sign-extended, which is not standard Murmur3.

A filter is a header and words, big-endian. A lookup reads k bits of the words, without unpacking them.
Source: Spark, `BloomFilterImpl`, `BloomFilterImplV2`, `Murmur3_x86_32`; verified bit for bit against both.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError, UsageError
from pqexplore.lake.metadatastore import java_stream

MAX_HASHES = 1_000
"""The maximum of a filter's hash functions; a false positive probability of 1e-300 needs this number."""

METADATA_CLASS = "io.xskipper.index.metadata.BloomFilterMetaData"
LEGACY_METADATA_CLASS = "com.ibm.metaindex.metadata.index.types.BloomFilterMetaData"
"""The class in stores of versions 1 and 2."""
PARENT_CLASS = "io.xskipper.index.metadata.MetadataType"
FILTER_CLASS = "org.apache.spark.util.sketch.BloomFilterImpl"
FILTER_FIELD = "bloomFilter"

PARENT_UID = 0x25E4F553292C5E68
FILTER_UID = 0x394D74921A9BCC14
"""serialVersionUIDs of xskipper for Scala 2.13 and of Spark 4.0; xskipper resolves classes by name and ignores them."""

_MASK = 0xFFFFFFFF
_U32 = npt.NDArray[np.uint32]


@dataclasses.dataclass(frozen=True, slots=True)
class SketchBloomFilter:
    """A filter: format version (1 or 2), number of hash functions, seed (0 in version 1) and bits.

    `words` are the stored bits: 64-bit words, big-endian; bit i is bit `i % 64` of word `i // 64`.
    """

    version: int
    hashes: int
    seed: int
    words: bytes

    @property
    def bits(self) -> int:
        """The number of bits."""
        return 8 * len(self.words)

    @property
    def ones(self) -> int:
        """The number of bits that are set."""
        return int(np.unpackbits(np.frombuffer(self.words, np.uint8)).sum())

    @property
    def occupancy(self) -> float:
        """The fraction of bits that are set; about 0.5 in a filter with the planned number of values."""
        return self.ones / self.bits

    @property
    def false_positive_probability(self) -> float:
        """The probability that `might_contain` is True for a value that was not added."""
        return self.occupancy**self.hashes

    @property
    def empty(self) -> bool:
        """Whether no value was added."""
        return self.words.count(0) == len(self.words)

    def might_contain(self, value: int | str | bytes) -> bool:
        """Whether a value may have been added: an integer of 64 bits, text, or bytes."""
        size, words = self.bits, self.words
        for index in bit_indexes(self, value):
            bit = index % size
            if not words[(bit >> 6 << 3) + 7 - (bit >> 3 & 7)] >> (bit & 7) & 1:
                return False
        return True

    def to_bytes(self) -> bytes:
        """Serializes the filter as Spark's `BloomFilter.writeTo` does."""
        seed = struct.pack(">i", self.seed) if self.version == 2 else b""
        head = struct.pack(">ii", self.version, self.hashes)
        return head + seed + struct.pack(">i", len(self.words) // 8) + self.words


def parse(payload: bytes) -> SketchBloomFilter:
    """Parses a filter from the bytes that Spark writes. Raises a ParquetError with the offset into them."""
    if len(payload) < 12:
        raise CorruptFileError(
            f"a sketch Bloom filter needs a header of at least 12 bytes, {len(payload)} are left", offset=0
        )
    version, hashes = struct.unpack_from(">ii", payload)
    seed, at = 0, 8
    if version == 2:
        seed, at = struct.unpack_from(">i", payload, 8)[0], 12
    elif version != 1:
        raise UnsupportedFeatureError(f"sketch Bloom filter of version {version}; versions 1 and 2 are known", offset=0)
    if hashes < 1:
        raise CorruptFileError(f"a sketch Bloom filter of {hashes} hash functions", offset=4)
    if hashes > MAX_HASHES:
        raise LimitExceededError(
            f"a sketch Bloom filter of {hashes:,} hash functions; at most {MAX_HASHES:,} are computed", offset=4
        )
    if len(payload) < at + 4:
        raise CorruptFileError("the sketch Bloom filter ends within its header", offset=at)
    words = struct.unpack_from(">i", payload, at)[0]
    if words < 1 or len(payload) - at - 4 != 8 * words:
        raise CorruptFileError(
            f"the sketch Bloom filter has a length of {words:,} words of 8 bytes, but {len(payload) - at - 4:,} bytes "
            "follow",
            offset=at,
        )
    return SketchBloomFilter(version, hashes, seed, bytes(payload[at + 4 :]))


def bit_indexes(filter: SketchBloomFilter, value: int | str | bytes) -> Iterator[int]:
    """Yields the k combined hashes of a value; each, modulo the number of bits, is the position of a bit."""
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise UsageError(f"{value} does not fit into 64 bits, as a sketch Bloom filter requires")
        first = _hash_long(value, filter.seed)
        second = _hash_long(value, first)
    else:
        raw = value.encode() if isinstance(value, str) else value
        first = _hash_bytes(raw, filter.seed)
        second = _hash_bytes(raw, first)
    if filter.version == 1:
        for i in range(1, filter.hashes + 1):
            combined = _signed(first + i * second)
            yield ~combined if combined < 0 else combined
    else:
        combined = first * 0x7FFFFFFF
        for _ in range(filter.hashes):
            combined = (combined + second + (1 << 63)) % (1 << 64) - (1 << 63)
            yield ~combined if combined < 0 else combined


def _signed(number: int) -> int:
    number &= _MASK
    return number - (1 << 32) if number >> 31 else number


def _mix(h: int, k: int) -> int:
    k = k * 0xCC9E2D51 & _MASK
    k = (k << 15 | k >> 17) * 0x1B873593 & _MASK
    h ^= k
    h = (h << 13 | h >> 19) & _MASK
    return h * 5 + 0xE6546B64 & _MASK


def _finish(h: int, length: int) -> int:
    h ^= length
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    return _signed(h ^ h >> 16)


def _hash_long(value: int, seed: int) -> int:
    value &= (1 << 64) - 1
    return _finish(_mix(_mix(seed & _MASK, value & _MASK), value >> 32), 8)


def _hash_bytes(value: bytes, seed: int) -> int:
    h, whole = seed & _MASK, len(value) & ~3
    for (word,) in struct.iter_unpack("<I", value[:whole]):
        h = _mix(h, word)
    for byte in value[whole:]:
        h = _mix(h, (byte - 256 if byte > 127 else byte) & _MASK)
    return _finish(h, len(value))


def build(ndv: int, fpp: float, numbers: Iterable[int] = (), texts: Iterable[str | bytes] = ()) -> SketchBloomFilter:
    """Builds a filter of version 1 with these values, sized for `ndv` distinct values as in `BloomFilter.create`."""
    return Builder(ndv, fpp).put_numbers(numbers).put_texts(texts).filter()


def size(ndv: int, fpp: float) -> int:
    """Bytes of a filter's bits for `ndv` distinct values and false positive probability `fpp`, by Spark's formula."""
    return 8 * -(-_bits(ndv, fpp) // 64)


def _bits(ndv: int, fpp: float) -> int:
    return int(-ndv * math.log(fpp) / (math.log(2) * math.log(2)))


class Builder:
    """Builds a filter of version 1; values are hashed in batches."""

    def __init__(self, ndv: int, fpp: float) -> None:
        if ndv < 1 or not 0 < fpp < 1:
            raise UsageError(f"a Bloom filter for ndv={ndv}, fpp={fpp}: ndv ≥ 1 and 0 < fpp < 1")
        room = size(ndv, fpp)
        if not 0 < room <= java_stream.MAX_BYTES - 4096:
            raise UsageError(f"a Bloom filter for ndv={ndv}, fpp={fpp} takes {room:,} bytes")
        self.hashes = max(1, math.floor(_bits(ndv, fpp) / ndv * math.log(2) + 0.5))
        self._bits = np.zeros(8 * room, np.bool_)

    def put_numbers(self, numbers: Iterable[int] | npt.NDArray[Any]) -> Builder:
        """Adds integers of at most 64 bits."""
        values = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.int64).view(np.uint64)
        low = (values & np.uint64(_MASK)).astype(np.uint32)
        high = (values >> np.uint64(32)).astype(np.uint32)
        self._set(lambda seed: _finish_many(_mix_many(_mix_many(seed, low), high), 8), len(values))
        return self

    def put_texts(self, texts: Iterable[str | bytes]) -> Builder:
        """Adds text, as UTF-8, or bytes."""
        lengths: dict[int, list[bytes]] = {}
        for text in texts:
            raw = text.encode() if isinstance(text, str) else text
            lengths.setdefault(len(raw), []).append(raw)
        for length, group in lengths.items():
            table = np.frombuffer(b"".join(group), np.uint8).reshape(len(group), length)
            self._set(lambda seed, table=table: _hash_table(table, seed), len(group))
        return self

    def _set(self, hashed: Any, count: int) -> None:
        if not count:
            return
        first = hashed(np.zeros(count, np.uint32))
        second = hashed(first)
        size = np.uint64(len(self._bits))
        combined = first
        for _ in range(self.hashes):
            combined = combined + second
            signed = combined.view(np.int32)
            index = np.where(signed < 0, ~signed, signed).astype(np.uint64)
            self._bits[(index % size).astype(np.int64)] = True

    def filter(self) -> SketchBloomFilter:
        """The filter with the values added so far."""
        packed = np.packbits(self._bits, bitorder="little")
        words = packed.view("<u8").astype(">u8").tobytes()
        return SketchBloomFilter(1, self.hashes, 0, words)


def _mix_many(h: _U32, k: _U32) -> _U32:
    k = k * np.uint32(0xCC9E2D51)
    k = (k << np.uint32(15) | k >> np.uint32(17)) * np.uint32(0x1B873593)
    h = h ^ k
    h = h << np.uint32(13) | h >> np.uint32(19)
    return h * np.uint32(5) + np.uint32(0xE6546B64)


def _finish_many(h: _U32, length: int) -> _U32:
    h = h ^ np.uint32(length)
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return h ^ h >> np.uint32(16)


def _hash_table(table: npt.NDArray[np.uint8], seed: _U32) -> _U32:
    """Hashes each row of an array of bytes, shape (rows, length)."""
    length = table.shape[1]
    whole = length & ~3
    words = np.ascontiguousarray(table[:, :whole]).view("<u4").astype(np.uint32)
    h = seed
    for position in range(whole // 4):
        h = _mix_many(h, words[:, position])
    for position in range(whole, length):
        h = _mix_many(h, table[:, position].view(np.int8).astype(np.int32).view(np.uint32))
    return _finish_many(h, length)


def from_java(stream: bytes) -> SketchBloomFilter | None:
    """The filter in a serialized `BloomFilterMetaData`; None if the object has none.

    Raises a ParquetError if the stream has another content. The filter's version is read from its bytes: the class
    names differ by version, and no version of the store records them.
    """
    found = java_stream.parse(stream)
    if FILTER_FIELD not in found.fields:
        raise UnsupportedFeatureError(f"a Bloom filter is expected, the stream has a {found.class_name!r}", offset=4)
    inner = found.fields[FILTER_FIELD]
    if inner is None:
        return None
    if not isinstance(inner, java_stream.JavaObject):
        raise CorruptFileError("the Bloom filter field of the serialized object is not an object", offset=4)
    return parse(inner.data)


def to_java(filter: SketchBloomFilter) -> bytes:
    """Serializes a filter as the `BloomFilterMetaData` that xskipper reads."""
    utf = java_stream.utf
    classes = [
        *(java_stream.MAGIC, b"\x73\x72", utf(METADATA_CLASS), struct.pack(">q", 1)),
        *(b"\x02\x00\x01L", utf(FILTER_FIELD), b"\x74"),
        *(utf("Lorg/apache/spark/util/sketch/BloomFilter;"), b"\x78\x72"),
        *(utf(PARENT_CLASS), struct.pack(">Q", PARENT_UID), b"\x02\x00\x00\x78\x70"),
        *(b"\x73\x72", utf(FILTER_CLASS), struct.pack(">Q", FILTER_UID)),
        *(b"\x03\x00\x02I", utf("numHashFunctions"), b"L", utf("bits"), b"\x74"),
        *(utf("Lorg/apache/spark/util/sketch/BitArray;"), b"\x78\x70"),
    ]
    return b"".join(classes) + java_stream.block_data(filter.to_bytes()) + b"\x78"
