"""Split block Bloom filters: a set of hashes that answers "certainly not here" or "perhaps".

The filter is a sequence of blocks of 32 bytes, each eight words of 32 bits. A value is hashed with XXH64. The upper
half of the hash chooses a block, the lower half one bit in each of its words, by multiplication with eight salts. The
value may be present if all eight bits are set.

`probe` returns every step to the answer; `occupancy` measures how full a filter is, and so how often it is wrong;
`build` makes a filter.

Specification: https://parquet.apache.org/docs/file-format/bloomfilter/
"""

from __future__ import annotations

import dataclasses
import functools
import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from pqexplore.engine.arrays import Array, Int64s, Mask
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.literals import plain_bytes
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.handle import Handle
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


# XXH64 with seed 0, the hash of Parquet's Bloom filters, of many numbers at once, in numpy.
#
# The `xxhash` package hashes single values; here the steps of the algorithm run over arrays. Values of 4 and of 8 bytes
# need one lane and the final mixing.
#
# Specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md

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


__all__ = ["BloomFilter", "Derivation", "Occupancy", "build", "expected_fpp", "hash_array"]
__all__ += ["build_for", "occupancy", "optimal_bytes", "plain_bytes", "probe", "probe_hashes"]

SALT = (*(0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D), *(0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31))
"""One odd multiplier for each word of a block."""

BLOCK_BYTES = 32
MAX_BYTES = 128 << 20
"""The largest filter that `optimal_bytes` proposes: parquet-java ignores larger ones."""

_WORDS = struct.Struct("<8I")
_SALT = np.array(SALT, np.uint32)
_BLOCKS_AT_ONCE = 1 << 13

Blocks = npt.NDArray[np.uint32]


def blocks_of(bitset: bytes | memoryview) -> Blocks:
    """The bitset as a uint32 array of shape (blocks, 8), not copied. Raises CorruptFileError unless it is whole blocks."""
    size = len(bitset)
    if size == 0 or size % BLOCK_BYTES:
        raise CorruptFileError(
            f"a Bloom filter of {size:,} bytes; it must be one or more blocks of {BLOCK_BYTES} bytes"
        )
    return np.frombuffer(bitset, "<u4").reshape(-1, 8)


@dataclasses.dataclass(frozen=True, slots=True)
class Derivation:
    """The steps to a filter's answer for one value.

    `plain` are the bytes that are hashed, `hash` their XXH64; `block` is the block that its upper half chooses.
    `bits` has the bit that the lower half chooses in each of the eight words (0 to 31, the least significant is 0), and
    `set` whether it is set; `words` are the block's words. `hit` is the answer: False is certain, True is "perhaps".
    """

    plain: bytes
    hash: int
    block: int
    words: tuple[int, ...]
    bits: tuple[int, ...]
    set: tuple[bool, ...]
    hit: bool

    @property
    def bit_indexes(self) -> tuple[int, ...]:
        """Positions of the eight bits in the whole bitset, counted from its first bit."""
        return tuple(self.block * 256 + 32 * i + bit for i, bit in enumerate(self.bits))


def derive(bitset: bytes | memoryview, plain: bytes) -> Derivation:
    """Look up the PLAIN bytes of a value in a filter. Raises CorruptFileError as `blocks_of` does."""
    return _derive(len(blocks_of(bitset)), lambda start, size: bitset[start : start + size], plain)


def _derive(blocks: int, read: Callable[[int, int], bytes | memoryview], plain: bytes) -> Derivation:
    """Look up PLAIN bytes in a filter of `blocks` blocks; `read(start, size)` reads the one block that matters."""
    digest = of_bytes(plain)
    block = ((digest >> 32) * blocks) >> 32
    low = digest & 0xFFFFFFFF
    words = _WORDS.unpack(read(block * BLOCK_BYTES, BLOCK_BYTES))
    bits = tuple((low * salt & 0xFFFFFFFF) >> 27 for salt in SALT)
    answers = tuple(bool(word >> bit & 1) for word, bit in zip(words, bits, strict=True))
    return Derivation(plain, digest, block, words, bits, answers, all(answers))


def probe(bitset: bytes | memoryview, leaf: Leaf, value: object) -> Derivation:
    """Look up a Python value of the leaf's type in a filter (see `plain_bytes` for the forms it may have).

    Bits are hashed, not numbers: -0.0 and +0.0 are different values here, and so are decimals stored in different
    numbers of bytes. Raises UsageError for a value that the leaf cannot hold, CorruptFileError as `blocks_of` does.
    """
    return derive(bitset, plain_bytes(leaf, value))


def _chosen(blocks: int, hashes: Hashes) -> tuple[Int64s, Blocks]:
    """(block of each hash, bits as uint32 of shape (hashes, 8)) in a filter of `blocks` blocks."""
    high = hashes >> np.uint64(32)
    block = (high * np.uint64(blocks)) >> np.uint64(32)
    with np.errstate(over="ignore"):
        bits = (hashes.astype(np.uint32)[:, None] * _SALT) >> np.uint32(27)
    return block.astype(np.int64), bits


def probe_hashes(bitset: bytes | memoryview, hashes: Hashes) -> Mask:
    """The answers for many hashes at once; True is "perhaps"."""
    blocks = blocks_of(bitset)
    answers = np.empty(len(hashes), np.bool_)
    for start in range(0, len(hashes), 1 << 16):
        block, bits = _chosen(len(blocks), hashes[start : start + (1 << 16)])
        answers[start : start + (1 << 16)] = ((blocks[block] >> bits) & 1).all(axis=1)
    return answers


def hash_array(physical: pa.Array) -> Hashes:
    """XXH64 of each value of a physical array without nulls, as uint64: numbers vectorised, byte arrays one by one."""
    if pa.types.is_integer(physical.type) or pa.types.is_floating(physical.type):
        return of_words(physical.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(physical.type):
        by_value = np.array([of_bytes(b"\0"), of_bytes(b"\1")], np.uint64)
        chosen: Hashes = by_value[physical.to_numpy(zero_copy_only=False).astype(np.intp)]
        return chosen
    return np.fromiter((of_bytes(value.as_buffer()) for value in physical), np.uint64, len(physical))


def build(hashes: Hashes, num_bytes: int) -> bytes:
    """A bitset of `num_bytes` bytes, whole blocks, with all hashes (uint64) inserted."""
    if num_bytes <= 0 or num_bytes % BLOCK_BYTES:
        raise ValueError(f"{num_bytes} bytes are not whole blocks of {BLOCK_BYTES}")
    words = np.zeros(num_bytes // 4, np.uint32)
    for start in range(0, len(hashes), 1 << 16):
        block, bits = _chosen(num_bytes // BLOCK_BYTES, hashes[start : start + (1 << 16)])
        positions = block[:, None] * 8 + np.arange(8)
        np.bitwise_or.at(words, positions.ravel(), (np.uint32(1) << bits).ravel())
    return words.astype("<u4").tobytes()


_FULLEST = 1 << 11
"""With so many values a block, all bits are set."""
_VALUES = np.arange(1, 2 * _FULLEST)
_LOG_FACTORIALS = np.cumsum(np.log(_VALUES))
_ALL_EIGHT_SET = (1 - (31 / 32) ** _VALUES) ** 8
"""For a block of 1, 2, … values: the probability that the eight bits of another value are set."""


def expected_fpp(values_per_block: float) -> float:
    """The false positive probability of a filter of many blocks with a mean number of distinct values in each.

    How many values a block gets varies as in a Poisson distribution. Fuller blocks are wrong much more often, so a split
    block filter needs more bits than the formula of a plain Bloom filter gives (specification, "Sizing an SBBF").
    """
    likelihood = np.exp(_VALUES * math.log(values_per_block) - values_per_block - _LOG_FACTORIALS)
    return float(likelihood @ _ALL_EIGHT_SET)


@functools.lru_cache(maxsize=64)
def _values_per_block(fpp: float) -> float:
    """The largest mean number of values in a block for a false positive probability, by bisection."""
    low, high = 0.0, float(_FULLEST)
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (low, middle) if expected_fpp(middle) > fpp else (middle, high)
    return low or high


def optimal_bytes(ndv: int, fpp: float) -> int:
    """Bytes of the smallest filter with a false positive probability of at most `fpp` for `ndv` distinct values.

    A multiple of 32, at most `MAX_BYTES`. It agrees with the specification's table: 10.5 bits a value for 1 %, 26.4 for
    0.01 %.
    """
    if not 0 < fpp < 1:
        raise ValueError(f"a probability between 0 and 1 is needed, not {fpp}")
    blocks = math.ceil(max(ndv, 1) / _values_per_block(fpp))
    return min(blocks * BLOCK_BYTES, MAX_BYTES)


LENIENCE = 1.05
"""A filter may let through so many times what was asked for: less than two digits of a percentage show."""


def build_for(hashes: Hashes, fpp: float) -> bytes:
    """A bitset with all hashes (uint64) of distinct values inserted, which lets through about `fpp` of other values.

    `optimal_bytes` is right on average. In a small filter, blocks that happen to get more values than others let more
    through: such a filter gets more blocks until it measures what was asked for.
    """
    size = optimal_bytes(len(hashes), fpp)
    most = min(2 * size, MAX_BYTES)
    bits = build(hashes, size)
    while size < most and occupancy(bits).fpp > LENIENCE * fpp:
        size = min(most, size + max(1, size // BLOCK_BYTES // 64) * BLOCK_BYTES)
        bits = build(hashes, size)
    return bits


@dataclasses.dataclass(frozen=True, slots=True)
class Occupancy:
    """How full a filter is.

    `per_block` is the number of set bits of each block (uint16, 0 to 256), `histogram` the number of blocks with 0…256
    set bits (int64, 257 elements). `ndv` estimates how many distinct values were inserted (a lower bound if blocks are
    `saturated`), `fpp` the probability of "perhaps" for a value that was not inserted.
    """

    per_block: npt.NDArray[np.uint16]
    histogram: Int64s
    bits_set: int
    bits: int
    ndv: float
    fpp: float
    saturated: int


def _bit_counter() -> Callable[[Blocks], npt.NDArray[np.uint8]]:
    """A function that counts the set bits of each uint32; numpy has one since version 2."""
    counter: Callable[[Blocks], npt.NDArray[np.uint8]] | None = getattr(np, "bitwise_count", None)
    if counter is not None:
        return counter
    table = np.zeros(1 << 16, np.uint8)
    for bit in range(16):
        table += (np.arange(1 << 16) >> bit & 1).astype(np.uint8)

    def by_table(words: Blocks) -> npt.NDArray[np.uint8]:
        return table[words & 0xFFFF] + table[words >> 16]  # type: ignore[no-any-return]

    return by_table


def _sum_of_eight(counts: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Sums of rows of eight small numbers (up to 32), added within words of 8 bytes: six times faster than `sum`."""
    folded = counts.view(np.uint64)[:, 0]
    folded = folded + (folded >> np.uint64(32))
    pairs = np.uint64(0x00FF00FF)
    folded = (folded & pairs) + (folded >> np.uint64(8) & pairs)
    return (folded + (folded >> np.uint64(16))) & np.uint64(0x1FF)


def occupancy(bitset: bytes | memoryview) -> Occupancy:
    """Count the bits of a filter and estimate how many values were inserted.

    A value sets one of 32 bits in each word, so after `k` values a share of (31/32)^k of a word's bits is zero: solved
    for `k` per block, and summed, this estimates the distinct values. The probability of "perhaps" for a value that is
    not in the filter is the product of its block's eight fill ratios, averaged over the blocks.
    """
    blocks = blocks_of(bitset)
    count = _bit_counter()
    per_block = np.empty(len(blocks), np.uint16)
    false_positives = 0.0
    for start in range(0, len(blocks), _BLOCKS_AT_ONCE):
        per_word = count(blocks[start : start + _BLOCKS_AT_ONCE])
        per_block[start : start + _BLOCKS_AT_ONCE] = _sum_of_eight(per_word)
        product = per_word[:, 0].astype(np.float32)
        for word in range(1, 8):
            product *= per_word[:, word]
        false_positives += float(product.sum(dtype=np.float64)) / 32**8
    histogram = np.bincount(per_block, minlength=257)
    zeros = np.maximum(1 - np.arange(257) / 256, 1 / 512)
    return Occupancy(
        per_block,
        histogram,
        int(histogram @ np.arange(257)),
        256 * len(blocks),
        float(histogram @ np.log(zeros)) / math.log(31 / 32),
        false_positives / len(blocks),
        int(histogram[256]),
    )


class BloomFilter(Handle):
    """The Bloom filter of a column chunk: its header, its bitset, and where it lies in the file.

    `header_length` counts the bytes of the header as it is stored (encrypted or not), so the bitset starts at
    `offset + header_length`.
    """

    __slots__ = ("_read", "header", "header_length", "leaf", "offset", "size")

    INTERNAL = frozenset({"read_header"})

    def __init__(
        self,
        header: structs.BloomFilterHeader,
        bitset: memoryview | Callable[[int, int], memoryview],
        leaf: Leaf,
        offset: int,
        header_length: int,
    ) -> None:
        """`bitset` holds the bytes, or is a function `(start, size)` that reads them; the header was checked."""
        self.header = header
        self.leaf = leaf
        self.offset = offset
        self.header_length = header_length
        self.size: int = header.numBytes
        if callable(bitset):
            self._read = bitset
        elif len(bitset) == self.size:
            self._read = lambda start, size: bitset[start : start + size]
        else:
            raise CorruptFileError(f"the Bloom filter has {len(bitset):,} bytes, its header says {self.size:,}")

    def __repr__(self) -> str:
        place = f"{self.size // BLOCK_BYTES:,} blocks, {self.size:,} bytes at {self.offset:,}"
        return printable(f"<BloomFilter of {'.'.join(self.leaf.path)}: {place}>")

    @property
    def bitset(self) -> memoryview:
        """All blocks: `size` bytes."""
        return self._read(0, self.size)

    @staticmethod
    def read_header(buffer: bytes | memoryview) -> tuple[structs.BloomFilterHeader, int]:
        """(header, its length) at the start of a buffer.

        Raises CorruptFileError where the size is not that of whole blocks, UnsupportedFeatureError for an algorithm,
        hash or compression that the format did not have when this was written.
        """
        header, length = fast.decode(structs.BloomFilterHeader, buffer)
        size = header.numBytes
        if size is None or size <= 0 or size % BLOCK_BYTES:
            stated = "does not say its size" if size is None else f"says {size:,} bytes"
            raise CorruptFileError(
                f"the Bloom filter's header {stated}; it must be one or more blocks of {BLOCK_BYTES} bytes", offset=0
            )
        for name, known in (("algorithm", "BLOCK"), ("hash", "XXHASH"), ("compression", "UNCOMPRESSED")):
            chosen = structs.union_field(getattr(header, name))
            if chosen is None or chosen[0] != known:
                raise UnsupportedFeatureError(
                    f"the Bloom filter's {name} is not {known}, the only one that is known", offset=0
                )
        return header, length

    @property
    def num_blocks(self) -> int:
        """Blocks of 32 bytes."""
        return self.size // BLOCK_BYTES

    def probe(self, value: object) -> Derivation:
        """Look up a Python value of the column's type; reads one block. Raises UsageError as `plain_bytes` does."""
        return self.look_up(plain_bytes(self.leaf, value))

    def look_up(self, plain: bytes) -> Derivation:
        """Look up the PLAIN bytes of a value; reads one block."""
        return _derive(self.num_blocks, self._read, plain)

    def occupancy(self) -> Occupancy:
        """How full the filter is."""
        return occupancy(self.bitset)


def new_header(num_bytes: int) -> structs.BloomFilterHeader:
    """The header of a filter of `num_bytes` bytes."""
    return structs.BloomFilterHeader(
        numBytes=num_bytes,
        algorithm=structs.BloomFilterAlgorithm(BLOCK=structs.SplitBlockAlgorithm()),
        hash=structs.BloomFilterHash(XXHASH=structs.XxHash()),
        compression=structs.BloomFilterCompression(UNCOMPRESSED=structs.Uncompressed()),
    )
