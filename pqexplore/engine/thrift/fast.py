"""Structs from bytes, fast, in three tiers, because a footer can describe a million column chunks.

`head` stops before the first row group. `index` gets everything but leaves column chunks as byte offsets. `decode` makes
one struct with all that is in it, such as one of those column chunks, and `chunk_columns` gets a few numbers of every
chunk as arrays. What a person looks at goes through `spans`, which also keeps what is dropped here without a word:
unknown fields, fields of a wrong type, bytes that are not UTF-8.

The work is done by `c_reader`, or by `slow` where Apache Thrift's C reader is not usable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator
from io import BytesIO
from itertools import chain, repeat, starmap
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.thrift import c_reader, slow, structs
from pqexplore.engine.thrift.c_reader import Bulk, Mistyped, Stopped, collection_paused
from pqexplore.engine.thrift.cursor import Buffer, Truncated
from pqexplore.engine.thrift.declaration import Struct

__all__ = ["Truncated", "chunk_columns", "collection_paused", "decode", "head", "index"]

S = TypeVar("S", bound=Struct)

_WINDOWS = (1 << 10, 1 << 14, 1 << 18)

_FLOOR, _CEILING = 200_000, 8_000_000
"""So many structs are always allowed, and never more, whatever the size of the buffer."""

_PLAIN = c_reader.plain()


def decode(
    struct_class: type[S], buffer: Buffer, offset: int = 0, end: int | None = None
) -> tuple[S, int]:
    """The struct that begins at `offset` of `buffer`, and the offset where it ends.

    No byte at or beyond `end` is read. Absent fields, and fields whose wire type is not the declared one, are None or
    have their default. Raises `Truncated` where the struct goes on beyond `end`, and `CorruptFileError` where the bytes
    are no struct, nest deeper than 64 levels, or hold many more structs than their number of bytes can justify; the
    error's offset counts from the buffer's start.
    """
    end = len(buffer) if end is None else min(end, len(buffer))
    if not 0 <= offset <= end:
        raise Truncated(f"{struct_class.NAME} begins outside of the {end:,} bytes", offset=offset)
    inside = memoryview(buffer)[:end]
    if not c_reader.WORKS:
        return slow.decode(struct_class, inside, offset)
    # A struct is tried on its first bytes: they are copied, and too few for harm, so that they need no budget.
    for window in _WINDOWS:
        stream = BytesIO(inside[offset : offset + window])
        try:
            return c_reader.run(_PLAIN[struct_class.NAME], stream), offset + stream.tell()
        except Truncated as error:
            if end - offset <= window:
                raise _moved(error, offset) from None
        except Mistyped:
            return slow.decode(struct_class, inside, offset)
        except CorruptFileError as error:
            raise _moved(error, offset) from None
    stream = BytesIO(inside[offset:])
    try:
        found = _everything.read(struct_class, stream, allowed(end - offset, 6), {})
    except Mistyped:
        return slow.decode(struct_class, inside, offset)
    except CorruptFileError as error:
        raise _moved(error, offset) from None
    return found, offset + stream.tell()


def allowed(length: int, size: int) -> int:
    """How many structs may be made of so many bytes, if they take `size` bytes on average."""
    return min(_FLOOR + length // size, _CEILING)


def _moved(error: CorruptFileError, offset: int) -> CorruptFileError:
    error.offset = (error.offset or 0) + offset
    return error


def head(buffer: Buffer) -> structs.FileMetaData:
    """The footer's version, schema and number of rows; what comes after the first row group is not read at all.

    Writers put these before the row groups. Raises as `decode` does.
    """
    data = bytes(buffer)
    if not c_reader.WORKS:
        return slow.head(data)
    metadata = structs.FileMetaData()
    try:
        read_head(data, metadata)
    except Mistyped:
        return slow.head(data)
    return metadata


def read_head(data: bytes, metadata: structs.FileMetaData) -> int | None:
    """Set on `metadata` what comes before the first row group; where that begins, or None where there is none."""
    stream = BytesIO(data)
    try:
        budget = allowed(len(data), 6)
        _head.read(structs.FileMetaData, stream, budget, {"RowGroup": _stop}, metadata)
    except Stopped:
        return stream.tell()
    return None


def index(buffer: Buffer) -> structs.FileMetaData:
    """The footer, in which `row_groups[g].columns` is a list of the offsets in `buffer` where column chunks begin.

    Everything else is there. Give an offset to `decode(structs.ColumnChunk, buffer, offset)` for the chunk. Raises as
    `decode` does; a column chunk is not looked into, so what is wrong inside shows only when it is decoded.
    """
    data = bytes(buffer)
    if not c_reader.WORKS:
        return slow.index(data)
    stream = BytesIO(data)
    try:
        if len(data) < _FLOOR:  # no budget can be exceeded, and to count takes longer than to read
            return _small_index(stream)
        # tell is called where a column chunk begins; one of less than 16 bytes on average does not say where its data is
        tell = starmap(stream.tell, repeat((), allowed(len(data), 16))).__next__
        return read_index(stream, repeat((), allowed(len(data), 6)), {"ColumnChunk": tell})
    except Mistyped:
        return slow.index(data)


def read_index(
    stream: BytesIO, budget: Iterator[tuple[()]], instead: dict[str, Callable[..., Any]]
) -> structs.FileMetaData:
    """A FileMetaData whose column chunks are skipped; see `Bulk.read` for `budget` and `instead`."""
    found: structs.FileMetaData = _index.read(structs.FileMetaData, stream, budget, instead)
    return found


def _small_index(stream: BytesIO) -> structs.FileMetaData:
    """`read_index` without a budget."""
    instead = {"ColumnChunk": stream.tell}
    found: structs.FileMetaData = _uncounted.read(structs.FileMetaData, stream, 0, instead)
    return found


_CHUNK_NAMES = (
    *("file_offset", "offset_index_offset", "offset_index_length"),
    *("column_index_offset", "column_index_length"),
)
_META_DATA_NAMES = (
    *("data_page_offset", "dictionary_page_offset", "total_compressed_size"),
    *("total_uncompressed_size", "num_values", "codec"),
    *("bloom_filter_offset", "bloom_filter_length"),
)
CHUNK_COLUMNS = (*_CHUNK_NAMES, *_META_DATA_NAMES, "encodings")
"""What `chunk_columns` can give of every chunk."""


def chunk_columns(
    buffer: Buffer, names: Collection[str] = CHUNK_COLUMNS
) -> dict[str, npt.NDArray[Any]]:
    """Numbers of every column chunk of a footer as arrays, one element a chunk, row group by row group.

    `names` are those of `CHUNK_COLUMNS` that are wanted; the fewer, the faster. All are int64 with -1 for what is
    absent (file_offset 0, its default), except `encodings`, uint32, whose bit e is set if encoding e is used.
    `row_group` and `column` are the chunk's place, and always there. Raises as `decode` does.
    """
    with collection_paused():  # until the objects are gone again
        return _chunk_columns(bytes(buffer), frozenset(names))


def _chunk_columns(data: bytes, wanted: frozenset[str]) -> dict[str, npt.NDArray[Any]]:
    try:
        if not c_reader.WORKS:
            return _columns(_chunks_slowly(data), wanted)
        most = allowed(len(data), 16)
        instead = {
            "ColumnChunk": starmap(_Chunk, repeat((), most)).__next__,
            "ColumnMetaData": starmap(_MetaData, repeat((), most)).__next__,
        }
        found = _trimmed(wanted).read(structs.FileMetaData, BytesIO(data), most, instead)
    except Mistyped:
        return _columns(_chunks_slowly(data), wanted)
    return _columns([group.columns or [] for group in found.row_groups or ()], wanted)


class _MetaData:
    """The few fields of ColumnMetaData that the file says."""

    __slots__ = (*_META_DATA_NAMES, "encodings")


class _Chunk:
    """The few fields of ColumnChunk that the file says."""

    __slots__ = (*_CHUNK_NAMES, "meta_data")

    meta_data: Any


def _chunks_slowly(data: bytes) -> list[list[_Chunk]]:
    """Column chunks by row group, where the C reader cannot read the footer."""

    def trimmed(of: Struct, into: Any, names: Iterable[str]) -> Any:
        for name in names:
            value = getattr(of, name)
            if value is not None:
                setattr(into, name, value)
        return into

    def chunk(offset: int) -> _Chunk:
        found, _ = decode(structs.ColumnChunk, data, offset)
        made: _Chunk = trimmed(found, _Chunk(), _CHUNK_NAMES)
        if found.meta_data is not None:
            names = (*_META_DATA_NAMES, "encodings")
            made.meta_data = trimmed(found.meta_data, _MetaData(), names)
        return made

    groups = slow.index(data).row_groups or ()
    return [[chunk(offset) for offset in group.columns or ()] for group in groups]


def _columns(groups: list[list[_Chunk]], wanted: frozenset[str]) -> dict[str, npt.NDArray[Any]]:
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    chunks = list(chain.from_iterable(groups))
    count = len(chunks)

    def values(objects: list[Any], name: str, default: Any) -> Iterator[Any]:
        return map(getattr, objects, repeat(name), repeat(default))

    metadata = list(values(chunks, "meta_data", _MetaData()))
    found: dict[str, npt.NDArray[Any]] = {
        "row_group": np.repeat(np.arange(len(groups), dtype=np.int64), sizes),
        "column": np.arange(count, dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes),
    }
    for objects, names in ((chunks, _CHUNK_NAMES), (metadata, _META_DATA_NAMES)):
        for name in names:
            if name in wanted:
                default = 0 if name == "file_offset" else -1  # the declared default
                found[name] = np.fromiter(values(objects, name, default), np.int64, count)
    if "encodings" in wanted:
        lists = list(map(tuple, values(metadata, "encodings", ())))
        masks = {one: sum(1 << e for e in set(one) if 0 <= e < 32) for one in set(lists)}
        found["encodings"] = np.fromiter(map(masks.__getitem__, lists), np.uint32, count)
    return found


_HEAD_FIELDS = ("version", "schema", "num_rows", "row_groups")

_everything = Bulk()
_head = Bulk(lambda field, struct: struct != "FileMetaData" or field.name in _HEAD_FIELDS)
_index = Bulk(lambda field, struct: struct != "ColumnChunk")
_uncounted = Bulk(lambda field, struct: struct != "ColumnChunk", replaced=("ColumnChunk",))


@functools.cache
def _trimmed(wanted: frozenset[str]) -> Bulk:
    """A reader of the wanted fields of chunks, and of what leads to them."""
    fields = {
        "FileMetaData": {"row_groups"},
        "RowGroup": {"columns"},
        "ColumnChunk": {*wanted.intersection(_CHUNK_NAMES), "meta_data"},
        "ColumnMetaData": wanted.intersection((*_META_DATA_NAMES, "encodings")),
    }
    return Bulk(lambda field, struct: field.name in fields.get(struct, ()))


def _stop(struct: type) -> None:
    raise Stopped
