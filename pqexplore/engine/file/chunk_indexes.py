"""Reads what belongs to a column chunk and lies elsewhere in the file: page index and Bloom filter."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Array, Int64s
from pqexplore.engine.errors import CorruptFileError, ParquetError, located
from pqexplore.engine.file.chunk_walks import at_once
from pqexplore.engine.file.window import Window
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.cursor import Buffer
from pqexplore.engine.format.thrift.declaration import S
from pqexplore.engine.format.varint import read_varint

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.bloom import BloomFilter
    from pqexplore.engine.format.encryption.column_cipher import ColumnCipher


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


CHUNKS_AT_ONCE = 256
"""Column chunks of a remote file whose small parts are read ahead."""

BLOOM_HEADER = 256
"""Bytes in which the header of a Bloom filter fits: it has four small fields."""

_INDEXES: dict[type[structs.Struct], str] = {structs.ColumnIndex: "column_index", structs.OffsetIndex: "offset_index"}


def read_index(chunk: ColumnChunk, kind: type[S]) -> S | None:
    """The chunk's ColumnIndex or OffsetIndex; None if absent. Raises ParquetError if it cannot be read."""
    where = place(chunk, kind)
    if where is None:
        return None
    address = Address.of(chunk.address, _INDEXES[kind])

    def make() -> S:
        data = _stored(chunk, kind, address, *where)
        with located(address, where[0]):
            return fast.decode(kind, data)[0]

    return chunk.file.cache.get((address, "struct"), make, lambda _: where[1] * 4)


def read_places(chunk: ColumnChunk) -> tuple[Int64s, Int64s] | None:
    """The offset and compressed_page_size of each data page as arrays, straight from the offset index's bytes.

    None if there is no offset index, or its bytes have another form than this expects: then `read_index` reads it.
    """
    where = place(chunk, structs.OffsetIndex)
    if where is None:
        return None
    address = Address.of(chunk.address, "offset_index")
    return scan(_stored(chunk, structs.OffsetIndex, address, *where))


def place(chunk: ColumnChunk, kind: type[structs.Struct]) -> tuple[int, int] | None:
    """Offset and length of an index by the footer; None if absent. CorruptFileError if outside the file."""
    name = _INDEXES[kind]
    offset = getattr(chunk.struct, f"{name}_offset")
    length = getattr(chunk.struct, f"{name}_length")
    if offset is None:
        return None
    address, words, file = Address.of(chunk.address, name), name.replace("_", " "), chunk.file
    if length is None or length <= 0 or offset < 4 or offset + length > chunk.home.size:
        raise CorruptFileError(
            f"the {words} is said to lie at byte {offset:,}, {length} bytes long; the file has {chunk.home.size:,}",
            offset=file.footer.start,
            address=address,
        )
    file.limits.check("index_bytes", length, f"the {words}", offset=offset, address=address)
    return offset, length


def _stored(
    chunk: ColumnChunk, kind: type[structs.Struct], address: str, offset: int, length: int
) -> bytes | memoryview:
    """The bytes of an index, decrypted if necessary."""
    home = chunk.home
    if home.local:
        data = home.read(offset, length)
    else:  # `read_places` and `read_index` may both ask for them
        key = (address, "stored")
        data = chunk.file.cache.get(key, lambda: home.read(offset, length), len)
    cipher = chunk.cipher
    if cipher is None:
        return data
    from pqexplore.engine.format.encryption.modules import ModuleType

    with located(address, offset):
        return cipher.column.decrypt(ModuleType[_INDEXES[kind].upper()], data)


def read_ahead(file: ParquetFile, chunks: Iterable[ColumnChunk], *, whole: bool = False) -> Iterator[ColumnChunk]:
    """Yields column chunks of a file; their offset indexes, Bloom filter headers and page headers are read ahead.

    Without an offset index, up to `chunk_walks.WALKS_AT_ONCE` chunks are walked at the same time.

    With `whole`, the column indexes and the Bloom filters, too. A local file is read as it is asked for. Raises what
    `chunks` raises, after the chunks before it.
    """
    if file.source.local:
        yield from chunks
        return
    for some in _batches(chunks):
        small = [one for chunk in some for one in _small_parts(chunk, whole)]
        with file.source.expecting(small):
            headers = [np.asarray(chunk.expected_headers).reshape(-1, 2) for chunk in some]
            with file.source.expecting(np.concatenate(headers)), contextlib.closing(at_once(some)) as walked:
                for chunk in walked:
                    file.budget.charge(address=chunk.address)  # it may be cancelled by now
                    yield chunk


def bloom_headers_ahead(file: ParquetFile, chunks: Iterable[ColumnChunk]) -> Iterator[ColumnChunk]:
    """Yields column chunks of a file; the headers of their Bloom filters are read ahead if each read is a round trip."""
    for some in _batches(chunks):
        offsets = [chunk.struct.meta_data.bloom_filter_offset for chunk in some if chunk.struct.meta_data is not None]
        headers = [(offset, BLOOM_HEADER) for offset in offsets if offset is not None and 4 <= offset < file.size]
        with contextlib.nullcontext() if file.source.local else file.source.expecting(headers):
            for chunk in some:
                file.budget.charge(nodes=1, address=chunk.address)
                yield chunk


def _batches(chunks: Iterable[ColumnChunk]) -> Iterator[list[ColumnChunk]]:
    """Lists of up to `CHUNKS_AT_ONCE` chunks; those before an error come before it."""
    some: list[ColumnChunk] = []
    try:
        for chunk in chunks:
            some.append(chunk)
            if len(some) == CHUNKS_AT_ONCE:
                yield some
                some = []
    except ParquetError:
        if some:
            yield some
        raise
    if some:
        yield some


def _small_parts(chunk: ColumnChunk, whole: bool) -> list[tuple[int, int]]:
    """The ranges of a chunk's indexes and Bloom filter in this file, by the footer."""
    parts: list[tuple[int, int]] = []
    with contextlib.suppress(ParquetError):
        if not chunk.elsewhere:
            kinds = (structs.ColumnIndex, structs.OffsetIndex) if whole else (structs.OffsetIndex,)
            parts += [found for kind in kinds if (found := place(chunk, kind)) is not None]
            offset, length = chunk.metadata.bloom_filter_offset, chunk.metadata.bloom_filter_length
            if offset is not None:
                parts.append((offset, max(length or 0, BLOOM_HEADER) if whole else BLOOM_HEADER))
    return parts


def bitset_overhead(cipher: ColumnCipher) -> int:
    """Bytes that encryption adds to the bitset of a Bloom filter."""
    from pqexplore.engine.format.encryption.modules import ModuleType

    return cipher.overhead(ModuleType.BLOOM_FILTER_BITSET)


def read_bloom_filter(chunk: ColumnChunk) -> BloomFilter:
    """The Bloom filter that the chunk's metadata points at."""
    from pqexplore.engine.format.bloom import BloomFilter

    offset = chunk.metadata.bloom_filter_offset
    assert offset is not None  # callers check that first
    home = chunk.home
    with located(Address.of(chunk.address, "bloom_filter"), offset):
        if not 4 <= offset < home.size:
            raise CorruptFileError(f"the Bloom filter is said to lie at byte {offset:,} of {home.size:,}")
        window = Window(home, offset, offset + BLOOM_HEADER, home.size)
        if chunk.cipher is not None:
            return _read_encrypted(chunk, window, offset)
        header, length = BloomFilter.read_header(window.at(offset, BLOOM_HEADER))
        size = header.numBytes
        _check_size(chunk, offset, length, size, "the Bloom filter")
    return BloomFilter(header, _bitset(chunk, offset + length, size), chunk.leaf, offset, length)


def _bitset(chunk: ColumnChunk, begin: int, size: int) -> Callable[[int, int], memoryview]:
    """Makes a function that reads parts of a bitset; the whole bitset is kept for a while once it was read."""
    file, key = chunk.file, (chunk.address, "bitset")

    def read(start: int, length: int) -> memoryview:
        with located(Address.of(chunk.address, "bloom_filter"), begin):
            if length == size:
                return file.cache.get(key, lambda: memoryview(chunk.home.read(begin, size)), len)
            kept = file.cache.peek(key)
            if kept is not None:
                return memoryview(kept)[start : start + length]
            return memoryview(chunk.home.read(begin + start, length))

    return read


def _check_size(chunk: ColumnChunk, offset: int, begins: int, size: int, what: str) -> None:
    """Raises if `size` bytes from `offset + begins` are more than the file has or the limit allows."""
    left = chunk.home.size - offset - begins
    if size > left:
        raise CorruptFileError(f"{what} is said to have {size:,} bytes, {left:,} are left in the file", offset=begins)
    chunk.file.limits.check("index_bytes", size, what, offset=begins)


def _read_encrypted(chunk: ColumnChunk, window: Window, offset: int) -> BloomFilter:
    """Reads an encrypted filter: its header and its bitset are one module each, back to back."""
    from pqexplore.engine.format.bloom import BloomFilter
    from pqexplore.engine.format.encryption.modules import ModuleType, module_size

    cipher = chunk.cipher
    assert cipher is not None
    length = module_size(window.at(offset, 4))
    _check_size(chunk, offset, 0, length, "the Bloom filter's header")
    plain = cipher.column.decrypt(ModuleType.BLOOM_FILTER_HEADER, window.at(offset, length))
    header, _ = BloomFilter.read_header(plain)
    size = module_size(window.at(offset + length, 4))
    _check_size(chunk, offset, length, size, "the Bloom filter")
    module = chunk.home.read(offset + length, size)
    bitset = cipher.column.decrypt(ModuleType.BLOOM_FILTER_BITSET, module)
    return BloomFilter(header, memoryview(bitset), chunk.leaf, offset, length)
