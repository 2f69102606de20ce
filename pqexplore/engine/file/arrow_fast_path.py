"""Fast path: Arrow decodes a large chunk, wrapped in a synthetic one-column file.

Our code walks the chunk's pages, and checks, decrypts and decompresses them. What is left, each page's values section
(and definition levels, if they say no more than "null or not"), goes as it is into a Parquet file in memory, with one
column and a footer made for it. Arrow reads that file several times faster than numpy can.

What a maintainer should know:

- Nothing may be readable here that is damaged elsewhere. So only those types and encodings are listed in `_ENCODINGS`
  for which Arrow refuses what our decoders refuse; what Arrow lets pass is checked by `_check` first (ids of more bits
  than the width, counts in headers, sizes of streams). `test_damaged_files_are_read_alike_and_refused_alike` and
  `test_every_byte_of_a_page_header` hold both ways against each other on changed bytes.
- It rests on behaviour of Arrow that is not documented: that it refuses empty runs and ids beyond the dictionary, and
  that of a page with more values than its header counts only the sum shows it (the end of `decode`).
- If Arrow raises, or gives another number of values, the answer is None, and our own decoders read the chunk: they give
  the values, or the error with its place. So a change in Arrow costs speed; `test_that_arrow_is_asked` notices that.

`pages[i].values`, `trace` and the tree never come here.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.format.encodings import delta_stream, plain, rle
from pqexplore.engine.format.encodings.run_scan import MAX_BIT_WIDTH
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.format.varint import zigzag

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

MIN_VALUES = 1 << 16
"""Values from which on the fast path is faster: opening the synthetic file takes half a millisecond."""

MAX_BYTES = 1 << 30
"""Maximum bytes of all values; a larger chunk is decoded page by page, with the limits of a page."""

FOOTER_ROOM = 1 << 10
"""Bytes reserved for the synthetic footer, which has a few fixed names and a dozen numbers."""

DICTIONARY: set[int] = {Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY}


class EncodedPage(Protocol):
    """The encoded levels and values of one data page: `count` values, nulls included, in `size` bytes.

    If the column is nullable, they begin with definition levels of one bit in RLE, after their 4-byte length.
    """

    @property
    def count(self) -> int:
        """Values, nulls included."""

    @property
    def encoding(self) -> int:
        """Their Encoding."""

    @property
    def size(self) -> int:
        """Bytes of levels and values."""

    def fill(self, room: memoryview) -> int:
        """Writes all bytes into `room`; returns the offset of the values in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class EncodedValues:
    """A page without levels: the bytes of its values section, their number and their encoding."""

    data: memoryview
    count: int
    encoding: int

    @property
    def size(self) -> int:
        """Bytes of the section."""
        return len(self.data)

    def fill(self, room: memoryview) -> int:
        """Copies the section; there are no levels."""
        room[:] = self.data
        return 0


def decode(
    leaf: Leaf,
    bodies: Sequence[EncodedPage],
    entries: pa.Array | None,
    dictionary: memoryview | None,
    *,
    nullable: bool = False,
    most: int = MAX_BYTES,
) -> pa.Array | None:
    """The physical array of all values of the pages, one after the other; `nullable` where they have levels.

    `entries` is the dictionary as we decoded it, `dictionary` its bytes; `most` bounds the bytes of the values. None
    where the values are not for Arrow: too few, too large, of a type or encoding that it reads otherwise than we do, or
    damaged.
    """
    bodies = [body for body in bodies if body.count]
    count = sum(body.count for body in bodies)
    if count < MIN_VALUES or _size(leaf, bodies, entries, count) > min(most, MAX_BYTES):
        return None
    encodings = {body.encoding for body in bodies}
    width = plain.WIDTHS.get(leaf.physical_type, leaf.type_length or 0)
    ids = 0 if entries is None else len(entries)
    try:
        if encodings == {Encoding.PLAIN} and width and not nullable:
            return _joined(leaf, bodies, width, count)
        if not _is_for_arrow(leaf, encodings, nullable) or (entries is None and encodings & DICTIONARY):
            return None
        forged = _Forgery(bodies, dictionary, ids)
        stated = [_check(values, body, leaf, ids) for body, values in zip(bodies, forged.values, strict=True)]
    except (ParquetError, MemoryError, pa.ArrowMemoryError):
        return None
    column = _read(forged.finish(leaf, bodies, count, nullable=nullable), count)
    return None if column is None else _as_one(column, stated, bodies, count, nullable)


def _as_one(
    column: pa.ChunkedArray, stated: list[int | None], bodies: Sequence[EncodedPage], count: int, nullable: bool
) -> pa.Array | None:
    """The chunks of a column as one array; None if it is not what the pages state."""
    whole = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    present = count - whole.null_count
    if whole.offset or (not nullable and present < count) or not _as_stated(stated, bodies, present):
        return None
    return whole


def _as_stated(stated: Sequence[int | None], bodies: Sequence[EncodedPage], present: int) -> bool:
    """Whether the pages have as many values as they state, None where a page states none.

    Arrow has had enough values on each page. If the sum is right, it has not had more than enough either.
    """
    count = sum(body.count for body in bodies)
    if all(number is None for number in stated):
        return True
    if present < count and None in stated:
        return False
    return present == sum(body.count if number is None else number for body, number in zip(bodies, stated, strict=True))


def _joined(leaf: Leaf, bodies: Sequence[EncodedPage], width: int, count: int) -> pa.Array | None:
    """PLAIN values of fixed width, which are their own bytes: brought back to back."""
    if any(body.size != body.count * width for body in bodies):
        return None
    stored = pa.allocate_buffer(count * width)
    room = memoryview(stored).cast("B")
    at = 0
    for body in bodies:
        body.fill(room[at : at + body.size])
        at += body.size
    kind = plain.storage_type(leaf.physical_type, leaf.type_length)
    return pa.Array.from_buffers(kind, count, [None, stored])


def _is_for_arrow(leaf: Leaf, encodings: set[int], nullable: bool) -> bool:
    """Whether Arrow has a decoder that gives what ours gives, and is faster."""
    physical = leaf.physical_type
    if physical == Type.FIXED_LEN_BYTE_ARRAY and not leaf.type_length:
        return False
    if not encodings <= _ENCODINGS.get(physical, set()):
        return False
    # Required PLAIN values need no decoder, nor do booleans, which are decoded as quickly by us.
    return nullable or encodings != {Encoding.PLAIN} or physical == Type.BYTE_ARRAY


def _size(leaf: Leaf, bodies: Sequence[EncodedPage], entries: pa.Array | None, count: int) -> int:
    """A bound of the bytes that the values come to: the pages', or what the dictionary's longest entry makes."""
    size = sum(body.size for body in bodies)
    if entries is not None and pa.types.is_binary(entries.type):
        return size + count * _longest(entries)
    return size + count * plain.WIDTHS.get(leaf.physical_type, leaf.type_length or 1)


_FIXED: set[int] = {Encoding.PLAIN, *DICTIONARY, Encoding.BYTE_STREAM_SPLIT}
_ENCODINGS: dict[int, set[int]] = {
    Type.BOOLEAN: {Encoding.PLAIN},
    Type.INT32: {*_FIXED, Encoding.DELTA_BINARY_PACKED},
    Type.INT64: {*_FIXED, Encoding.DELTA_BINARY_PACKED},
    Type.FLOAT: _FIXED,
    Type.DOUBLE: _FIXED,
    Type.BYTE_ARRAY: {Encoding.PLAIN, *DICTIONARY, Encoding.DELTA_LENGTH_BYTE_ARRAY},
    Type.FIXED_LEN_BYTE_ARRAY: _FIXED,
}
"""INT96 is not among the types: Arrow makes timestamps of them, and wraps around. DELTA_BYTE_ARRAY is not among the
encodings: how large its values are shows only when they are decoded."""


def _longest(entries: pa.Array) -> int:
    """Bytes of the longest entry."""
    stored = np.frombuffer(entries.buffers()[1] or b"", np.int32)
    offsets = stored[entries.offset : entries.offset + len(entries) + 1]
    return int(np.diff(offsets).max(initial=0))


def _check(data: memoryview, body: EncodedPage, leaf: Leaf, entries: int) -> int | None:
    """Check what Arrow lets pass; the number of values that the section itself states, or None where it does not.

    `data` is the values section of the page. Raises ParquetError where our decoders would raise, or where a quick
    look cannot decide it.
    """
    count, encoding = body.count, body.encoding
    if encoding in DICTIONARY:
        width = data[0] if len(data) else MAX_BIT_WIDTH + 1
        # Arrow refuses empty runs and ids beyond the dictionary, but not values of more bits than `width`.
        if not 0 < width < 32 or (entries > 1 << width and not _is_even(data, width)):
            rle.check_runs(data, width, count, start=1)
    elif encoding in (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY):
        return delta_stream.total_count(data)
    elif encoding == Encoding.BYTE_STREAM_SPLIT:
        width = plain.WIDTHS.get(leaf.physical_type, leaf.type_length or 0)
        if len(data) % width:
            raise CorruptFileError("streams of different lengths")
        return len(data) // width
    return None


def _is_even(data: memoryview, width: int) -> bool:
    """Whether ids are bit-packed runs of one size, as most writers make them: then there is no run to check."""
    if len(data) < 2 or not data[1] & 1 or not 1 < data[1] < 128:
        return False
    headers = np.frombuffer(data, np.uint8)[1 :: 1 + (data[1] >> 1) * width]
    last = int(headers[-1])
    return bool((headers[:-1] == data[1]).all()) and bool(last & 1) and 1 < last < 128


def _read(stored: object, count: int) -> pa.ChunkedArray | None:
    import pyarrow.parquet as pq  # slow to import, and few programs need it

    try:
        with pq.ParquetFile(pa.BufferReader(stored), memory_map=False) as file:
            column = file.read(use_threads=False).column(0)
    except (pa.ArrowException, OSError, ValueError):
        return None
    return column if len(column) == count else None


class _Forgery:
    """A Parquet file of uncompressed V1 pages of one column, put together in one piece of memory.

    `values` are the values sections of the pages, as they lie there.
    """

    def __init__(self, bodies: Sequence[EncodedPage], dictionary: memoryview | None, entries: int) -> None:
        first = b"PAR1"
        if dictionary is not None:
            first += _dictionary_header(len(dictionary), entries)
        headers = [_data_header(body.size, body.count, body.encoding) for body in bodies]
        self._data_page = len(first) + (0 if dictionary is None else len(dictionary))
        self._dictionary_page = None if dictionary is None else 4
        pages = sum(map(len, headers)) + sum(body.size for body in bodies)
        self._buffer = pa.allocate_buffer(self._data_page + pages + FOOTER_ROOM)
        self._room = memoryview(self._buffer).cast("B")
        self._room[: len(first)] = first
        if dictionary is not None:
            self._room[len(first) : self._data_page] = dictionary
        self.values: list[memoryview] = []
        at = self._data_page
        for header, body in zip(headers, bodies, strict=True):
            start, end = at + len(header), at + len(header) + body.size
            self._room[at:start] = header
            place = self._room[start:end]
            self.values.append(place[body.fill(place) :].toreadonly())
            at = end
        self._end = at

    def finish(self, leaf: Leaf, bodies: Sequence[EncodedPage], count: int, *, nullable: bool) -> Any:
        """The whole file; its column is required or optional."""
        footer = _footer(
            leaf,
            count,
            nullable=nullable,
            dictionary_page=self._dictionary_page,
            data_page=self._data_page,
            end=self._end,
            encodings=sorted({int(body.encoding) for body in bodies}),
        )
        last = footer + len(footer).to_bytes(4, "little") + b"PAR1"
        self._room[self._end : self._end + len(last)] = last
        return self._buffer.slice(0, self._end + len(last))


def _footer(
    leaf: Leaf,
    count: int,
    *,
    nullable: bool,
    dictionary_page: int | None,
    data_page: int,
    end: int,
    encodings: Iterable[int],
) -> bytes:
    metadata = structs.ColumnMetaData(
        type=int(leaf.physical_type),
        encodings=list(encodings),
        path_in_schema=["values"],
        codec=0,
        num_values=count,
        total_uncompressed_size=end - 4,
        total_compressed_size=end - 4,
        data_page_offset=data_page,
        dictionary_page_offset=dictionary_page,
    )
    column = structs.ColumnChunk(file_offset=0, meta_data=metadata)
    return encode(
        structs.FileMetaData(
            version=2,
            schema=[
                structs.SchemaElement(name="schema", num_children=1),
                structs.SchemaElement(
                    type=int(leaf.physical_type),
                    type_length=leaf.type_length,
                    repetition_type=int(nullable),
                    name="values",
                ),
            ],
            num_rows=count,
            row_groups=[structs.RowGroup(columns=[column], total_byte_size=end - 4, num_rows=count)],
        )
    )


@functools.lru_cache(maxsize=1 << 10)
def _data_header(size: int, count: int, encoding: int) -> bytes:
    """A PageHeader with its DataPageHeader. Written out: there can be thousands, and they differ in three numbers."""
    length = zigzag(size)
    return b"".join(
        (
            b"\x15\x00\x15" + length + b"\x15" + length,  # DATA_PAGE, both sizes
            b"\x2c\x15" + zigzag(count) + b"\x15" + zigzag(encoding),
            b"\x15\x06\x15\x06\x00\x00",  # levels are RLE, if there are any
        )
    )


def _dictionary_header(size: int, count: int) -> bytes:
    """A PageHeader with its DictionaryPageHeader, PLAIN."""
    header = structs.DictionaryPageHeader(num_values=count, encoding=int(Encoding.PLAIN))
    return encode(
        structs.PageHeader(
            type=int(PageType.DICTIONARY_PAGE),
            uncompressed_page_size=size,
            compressed_page_size=size,
            dictionary_page_header=header,
        )
    )
