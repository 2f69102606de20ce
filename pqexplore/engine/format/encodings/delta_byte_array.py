"""DELTA_BYTE_ARRAY (= 7): each value as the length of the prefix that it shares with the previous value, and a suffix.

Prefix lengths (DELTA_BINARY_PACKED), then the suffixes (DELTA_LENGTH_BYTE_ARRAY). Each value depends on the previous
one, which vector operations cannot express; but an LZ decompressor does exactly this: "copy n bytes from an offset
back, then literal bytes". So `decode` writes the prefix and suffix lengths as a Snappy block, with numpy, and the
Snappy library decompresses it: the loop over the values runs in compiled code.

The values can be much larger than the page, because prefixes repeat bytes. Their total size is computed from the
lengths, and checked before anything is allocated.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTASTRING
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import cramjam
import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import delta_binary_packed, plain
from pqexplore.engine.format.encodings.bits import Buffer
from pqexplore.engine.format.encodings.delta_binary_packed import Blocks
from pqexplore.engine.format.encodings.delta_length_byte_array import (
    Strings,
    binary_array,
    offsets_and_bytes,
    value_starts,
)
from pqexplore.engine.format.encodings.delta_stream import find_blocks
from pqexplore.engine.format.encodings.encoding import Array, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.format.varint import varint
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.limits import DEFAULT, Limits

_COMPARED_BYTES = 1 << 20
"""The number of bytes that `encode` compares at once."""


@dataclasses.dataclass(eq=False)
class Prefixed(Strings):
    """Two streams of lengths, then the suffixes."""

    fixed: int | None
    limits: Limits

    names: ClassVar[tuple[str, ...]] = ("prefix lengths", "suffix lengths")
    value: ClassVar[Kind] = Kind("value", "The bytes in which a value differs from the one before it.", "values")

    @once
    def values(self) -> pa.Array:
        """The binary or fixed_size_binary array."""
        if not self.streams:
            return pa.array([], pa.binary() if self.fixed is None else pa.binary(self.fixed))
        prefixes, suffixes = self.streams[0].integers.astype(np.int64), np.diff(self.starts)
        offsets = np.zeros(suffixes.size + 1, np.int64)
        np.cumsum(prefixes + suffixes, out=offsets[1:])
        total = int(offsets[-1])
        self.limits.check("page_bytes", total, "the values of a DELTA_BYTE_ARRAY page")
        data = memoryview(self.raw)[int(self.starts[0]) : self.end]
        if prefixes.any():
            data = _joined(prefixes, suffixes, data, total)
        if self.fixed is None:
            return binary_array(offsets, data)
        buffers = [None, pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.binary(self.fixed), suffixes.size, buffers)

    def lengths(self, index: int) -> tuple[int, int]:
        """The prefix length and the suffix length of a value."""
        return int(self.streams[0].integers[index]), super().lengths(index)[1]

    def value_label(self, prefix: int, own: int) -> str:
        """What the step of a value is."""
        return f"{prefix:,} from the value before, {own:,} of its own"

    def value_facts(self, prefix: int, own: int) -> dict[str, Any]:
        """A value's lengths."""
        return {"prefix_length": prefix, "suffix_length": own}

    def value_says(self, index: int, prefix: int, own: int) -> tuple[str, tuple[str, ...], str]:
        """The name of a value's bytes, the text of its lengths, and how the value is computed from them."""
        says = f"prefix length {index:,} is {prefix:,}", f"suffix length {index:,} is {own:,}"
        before = f"{prefix:,} bytes of value {index - 1:,}, then " if prefix else ""
        return "suffix", says, f"{before}{own:,} {'' if before else 'bytes '}of its own"

    def summary(self, what: str) -> str:
        """What is shared, and what the lengths take."""
        lengths, own = self.length_bytes()
        saved = int(self.streams[0].integers.sum(dtype=np.int64)) if self.streams else 0
        return (
            f"{what}, which repeat {saved:,} bytes of the value before and have {own:,} of their own; "
            f"{lengths:,} bytes say how many"
        )


def scan(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None, *, limits: Limits = DEFAULT
) -> Prefixed:
    """Find the lengths, and where each suffix begins. An empty buffer holds no values.

    Raises what `find_blocks` raises; damage after a stream's header is in the structure's `error`. The structure's
    values are at most `limits.page_bytes`.
    """
    ENCODING.require(physical_type)
    fixed = None
    if physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        fixed = plain.value_bytes(physical_type, type_length)
    if num_values == 0 and len(buffer) == 0:
        return Prefixed(buffer, (), np.zeros(1, np.int64), None, fixed, limits)
    prefixes = Blocks(buffer, find_blocks(buffer, 0, num_values, 32), 32)
    if prefixes.error is not None:
        at = np.array([prefixes.end])
        return Prefixed(buffer, (prefixes,), at, prefixes.error, fixed, limits)
    suffixes = Blocks(buffer, find_blocks(buffer, prefixes.end, num_values, 32), 32)
    streams = (prefixes, suffixes)
    try:
        starts = value_starts(suffixes)
        _check(prefixes.integers.astype(np.int64), np.diff(starts), fixed)
        return Prefixed(buffer, streams, starts, None, fixed, limits)
    except CorruptFileError as error:
        return Prefixed(buffer, streams, np.array([suffixes.end]), error, fixed, limits)


def decode(
    buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None, *, limits: Limits = DEFAULT
) -> pa.Array:
    """The `num_values` values of a values section: binary (large_binary beyond 2^31 - 1 bytes), or fixed_size_binary.

    Raises CorruptFileError where lengths are damaged or negative, a prefix is longer than the value before, the
    suffixes are longer than what is there, or a FIXED_LEN_BYTE_ARRAY value has another length than `type_length`;
    LimitExceededError where the values come to more than `limits.page_bytes`; UnsupportedFeatureError for
    another physical type.
    """
    structure = scan(buffer, num_values, physical_type, type_length, limits=limits)
    if structure.error is not None:
        raise structure.error
    return structure.values


def _check(prefixes: Array, suffixes: Array, fixed: int | None) -> None:
    """Raise CorruptFileError for a prefix longer than the value before it, and for a value of another length."""
    lengths = prefixes + suffixes
    before = np.zeros(prefixes.size, np.int64)
    before[1:] = lengths[:-1]
    wrong = (prefixes < 0) | (prefixes > before)
    if wrong.any():
        bad = int(np.argmax(wrong))
        raise CorruptFileError(
            f"DELTA_BYTE_ARRAY: value {bad:,} repeats {int(prefixes[bad]):,} bytes of the value before it, "
            f"which has {int(before[bad]):,}",
            offset=0,
        )
    if fixed is not None and (wrong := lengths != fixed).any():
        bad = int(np.argmax(wrong))
        raise CorruptFileError(
            f"DELTA_BYTE_ARRAY: value {bad:,} has {int(lengths[bad]):,} bytes, the column's type_length is {fixed}",
            offset=0,
        )


def _joined(prefixes: Array, suffixes: Array, data: memoryview, total: int) -> memoryview:
    """All values back to back: the Snappy block that says them, decompressed.

    Value i is `prefixes[i]` bytes copied from as far back as value i - 1 is long, in copies of at most 64 bytes,
    then a literal. All copies take the same number of bytes, enough for the farthest one.

    This is sound because Snappy's format, which is public and stable, means exactly that: a block is the length of
    what it holds, then elements, a literal or a copy "from offset bytes back". Two things are relied on beyond it:
    that `cramjam` (the Rust crate `snap`) refuses to write beyond the room it is given, and that copies with 4 bytes of
    offset, which few compressors write, are read. The offsets are ours, made of lengths that `_checked` has checked, so
    that a page can neither reach before its first byte nor past `total`. Guarded in test_delta_byte_array.py by
    `test_values_longer_than_a_snappy_offset`, and by the property test, which compares with `reference`.
    """
    before = np.zeros(prefixes.size, np.int64)
    before[1:] = (prefixes + suffixes)[:-1]
    copies = (prefixes + 63) >> 6
    copy_bytes = 3 if int(before.max()) < 1 << 16 else 5
    # A literal of up to 60 bytes has its length in its tag, up to 2^16 in two bytes after it, then in four.
    literal_bytes = (suffixes > 0).astype(np.int64)
    literal_bytes[suffixes > 60] = 3
    literal_bytes[suffixes > 1 << 16] = 5

    # What stands before the bytes of each suffix; before the first, which has no copies, the length of the whole, too.
    preamble = varint(total)
    heads = copies * copy_bytes + literal_bytes
    heads[0] += len(preamble)
    ends = np.cumsum(heads)
    tags = np.empty(int(ends[-1]) + 8, np.uint8)
    tags[: len(preamble)] = np.frombuffer(preamble, np.uint8)

    # A copy is written as the low bytes of a word. The other bytes of the word are overwritten later: first by the
    # next copies, then by the literals' tags.
    owner, nth = _expanded(copies)
    at = (ends - heads)[owner] + nth * copy_bytes
    length = np.minimum(prefixes[owner] - 64 * nth, 64)
    words: Array = np.ndarray((tags.size - 7,), "<u8", tags, 0, (1,))
    words[at] = before[owner] << 8 | (length - 1) << 2 | (2 if copy_bytes == 3 else 3)

    at = ends - literal_bytes
    short = literal_bytes == 1
    tags[at[short]] = (suffixes[short] - 1) << 2
    for bytes_of_tag, tag in ((3, 61 << 2), (5, 63 << 2)):
        these = np.flatnonzero(literal_bytes == bytes_of_tag)
        tags[at[these]] = tag
        for index in range(bytes_of_tag - 1):
            tags[at[these] + 1 + index] = (suffixes[these] - 1) >> (8 * index) & 255

    # Arrow joins the pieces of each value in compiled code, one value after the other: that is the block.
    joined = pc.binary_join_element_wise(_cut(heads, tags), _cut(suffixes, data), pa.scalar(b"", pa.large_binary()))
    out = np.empty(total, np.uint8)
    cramjam.snappy.decompress_raw_into(memoryview(joined.buffers()[2])[: int(ends[-1]) + len(data)], out.data)
    return out.data


def _cut(lengths: Array, data: Array | memoryview) -> pa.Array:
    """Bytes as an array of pieces of these lengths."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return pa.Array.from_buffers(pa.large_binary(), lengths.size, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _expanded(counts: Array) -> tuple[Array, Array]:
    """`np.repeat(arange(n), counts)`, and each element's index within its group."""
    if int(counts.max()) == 1:
        owner = np.flatnonzero(counts)
        return owner, np.zeros(owner.size, np.int64)
    owner = np.repeat(np.arange(counts.size), counts)
    return owner, np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a binary, large_binary or fixed_size_binary Arrow array without nulls."""
    offsets, data = offsets_and_bytes(values)
    octets = np.frombuffer(data, np.uint8)
    prefixes = _common_prefixes(offsets, octets)
    suffixes = np.diff(offsets) - prefixes
    # The bytes of each value after its prefix: +1 where they start, -1 where they end.
    edges = np.zeros(octets.size + 1, np.int32)
    np.add.at(edges, offsets[:-1] + prefixes, 1)
    np.add.at(edges, offsets[1:], -1)
    kept = octets[np.cumsum(edges[:-1]) > 0]
    return b"".join(
        (
            delta_binary_packed.encode_integers(prefixes.astype(np.int32), block_size, miniblocks),
            delta_binary_packed.encode_integers(suffixes.astype(np.int32), block_size, miniblocks),
            kept.tobytes(),
        )
    )


def _common_prefixes(offsets: Array, octets: Array) -> Array:
    """The number of bytes that each value shares with the previous one; 0 for the first. Shape (values,)."""
    lengths = np.diff(offsets)
    prefixes = np.zeros(lengths.size, np.int64)
    if lengths.size < 2:
        return prefixes
    shorter = np.minimum(lengths[1:], lengths[:-1])
    cuts = np.searchsorted(np.cumsum(shorter), np.arange(_COMPARED_BYTES, int(shorter.sum()), _COMPARED_BYTES))
    for rows in np.split(np.arange(shorter.size), np.unique(cuts)):
        count = shorter[rows]
        first = np.cumsum(count) - count
        nth = np.arange(int(count.sum())) - np.repeat(first, count)
        mine = octets[np.repeat(offsets[rows + 1], count) + nth]
        differs = np.flatnonzero(mine != octets[np.repeat(offsets[rows], count) + nth])
        # The first difference at or after each value's first byte, or the end of the compared bytes.
        found = np.searchsorted(differs, first)
        at = np.append(differs, nth.size)[found]
        prefixes[rows + 1] = np.minimum(at - first, count)
    return prefixes


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[bytes]:
    """The values as the specification reads them, one at a time."""
    prefix_lengths, at = delta_binary_packed.reference_stream(buffer, 32)
    suffix_lengths, at = delta_binary_packed.reference_stream(buffer, 32, at)
    values: list[bytes] = []
    value = b""
    for prefix, suffix in zip(prefix_lengths, suffix_lengths, strict=True):
        value = value[:prefix] + bytes(buffer[at : at + suffix])
        values.append(value)
        at += suffix
    return values


ENCODING = ValueEncoding(
    Encoding.DELTA_BYTE_ARRAY,
    (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
    scan,
    decode,
    encode,
    reference,
    options=("delta_block_size", "delta_miniblocks"),
    expands=True,
)
