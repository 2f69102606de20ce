"""Structs from bytes, fast: a footer can describe a million column chunks.

`head` stops before the first row group. `index` reads everything, with byte offsets in place of column chunks. `decode`
reads one complete struct, such as one of these column chunks, `chunks` those of a row group. `chunk_columns` reads a few numbers of every chunk as
arrays. The explorer uses `spans`, which also keeps what is silently dropped here: unknown fields, fields of a wrong type,
bytes that are not UTF-8.

`c_reader` does the work, or `slow` if Apache Thrift's C reader cannot be used.

Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain, repeat, starmap
from typing import Any

import numpy as np

from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift import c_reader, slow, structs
from pqexplore.engine.format.thrift.c_reader import Bulk, Mistyped, Stopped, collection_paused
from pqexplore.engine.format.thrift.cursor import Buffer, Truncated
from pqexplore.engine.format.thrift.declaration import S, Struct
from pqexplore.engine.format.thrift.offsets import chunk_offsets
from pqexplore.engine.format.varint import varint

__all__ = ["Truncated", "chunk_columns", "chunks", "collection_paused", "decode", "head", "index"]

_WINDOWS = (1 << 10, 1 << 14, 1 << 18)

_FLOOR, _CEILING = 200_000, 8_000_000
"""The numbers of structs that are allowed for any buffer, and for none."""

_PLAIN = c_reader.plain()


def decode(struct_class: type[S], buffer: Buffer, offset: int = 0, end: int | None = None) -> tuple[S, int]:
    """The struct that begins at `offset` of `buffer`, and the offset where it ends.

    No byte at or after `end` is read. Absent fields, and fields whose wire type is not the declared one, are None or
    have their default. Raises Truncated if the struct does not end before `end`, and CorruptFileError if the bytes are
    not a struct, nest deeper than 64 levels, or hold far more structs than a buffer of this size needs; the error's
    offset counts from the buffer's start.
    """
    end = len(buffer) if end is None else min(end, len(buffer))
    if not 0 <= offset <= end:
        raise Truncated(f"{struct_class.NAME} begins outside of the {end:,} bytes", offset=offset)
    inside = memoryview(buffer)[:end]
    if not c_reader.WORKS:
        return slow.decode(struct_class, inside, offset)
    # Try the first bytes: they are copied, and too few to make many structs, so that no budget is needed.
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
        struct = _everything.read(struct_class, stream, allowed(end - offset, 6), {})
    except Mistyped:
        return slow.decode(struct_class, inside, offset)
    except CorruptFileError as error:
        raise _moved(error, offset) from None
    return struct, offset + stream.tell()


def allowed(length: int, size: int) -> int:
    """How many structs may be made of `length` bytes, if a struct takes `size` bytes on average."""
    return min(_FLOOR + length // size, _CEILING)


def _moved(error: CorruptFileError, offset: int) -> CorruptFileError:
    error.offset = (error.offset or 0) + offset
    return error


def head(buffer: Buffer) -> structs.FileMetaData:
    """The footer's version, schema and number of rows; nothing is read from the first row group on.

    Writers put these fields before the row groups. Raises as `decode` does.
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
    """Set on `metadata` the fields before the first row group. Returns its offset, None if there are no row groups."""
    stream = BytesIO(data)
    try:
        budget = allowed(len(data), 6)
        _head.read(structs.FileMetaData, stream, budget, {"RowGroup": _stop}, metadata)
    except Stopped:
        return stream.tell()
    return None


def index(buffer: Buffer) -> structs.FileMetaData:
    """The footer, with `row_groups[g].columns` replaced by the offsets in `buffer` where column chunks begin.

    `decode(structs.ColumnChunk, buffer, offset)` reads a chunk. Raises as `decode` does; column chunks are skipped, so
    damage inside of them raises only when they are decoded.
    """
    data = bytes(buffer)
    if not c_reader.WORKS:
        return slow.index(data)
    stream = BytesIO(data)
    try:
        if len(data) < _FLOOR:  # no budget can be exceeded, and to count takes longer than to read
            return _small_index(stream)
        # tell is called at the start of each column chunk; a chunk needs 16 bytes to say where its data is
        tell = starmap(stream.tell, repeat((), allowed(len(data), 16))).__next__
        return read_index(stream, repeat((), allowed(len(data), 6)), {"ColumnChunk": tell})
    except Mistyped:
        return slow.index(data)


def read_index(
    stream: BytesIO, budget: Iterator[tuple[()]], instead: dict[str, Callable[..., Any]]
) -> structs.FileMetaData:
    """A FileMetaData whose column chunks are skipped; see `Bulk.read` for `budget` and `instead`."""
    return _index.read(structs.FileMetaData, stream, budget, instead)


def _small_index(stream: BytesIO) -> structs.FileMetaData:
    """`read_index` without a budget."""
    instead = {"ColumnChunk": stream.tell}
    return _uncounted.read(structs.FileMetaData, stream, 0, instead)


_CHUNK_NAMES = (
    *("file_offset", "offset_index_offset", "offset_index_length"),
    *("column_index_offset", "column_index_length"),
)
_META_DATA_NAMES = (
    *("data_page_offset", "dictionary_page_offset", "total_compressed_size"),
    *("total_uncompressed_size", "num_values", "codec"),
    *("bloom_filter_offset", "bloom_filter_length"),
)
CHUNK_COLUMNS = (*_CHUNK_NAMES, *_META_DATA_NAMES, "encodings", "file_path")
"""The fields that `chunk_columns` can read."""


def chunk_columns(buffer: Buffer, names: Collection[str] = CHUNK_COLUMNS) -> dict[str, Array]:
    """Numbers of every column chunk of a footer as arrays, one element a chunk, row group by row group.

    `names` are the fields to read, of `CHUNK_COLUMNS`; fewer are faster. All arrays are int64, with -1 for absent fields
    (file_offset 0, its default), except `encodings`, uint32, whose bit e is set if encoding e is used, and `file_path`,
    objects, None if absent. `row_group` and `column`, the chunk's position, are always included. Raises as `decode` does.
    """
    with collection_paused():  # until the objects are freed
        return _chunk_columns(bytes(buffer), frozenset(names))


def _chunk_columns(data: bytes, wanted: frozenset[str]) -> dict[str, Array]:
    try:
        if not c_reader.WORKS:
            return _columns(_chunks_slowly(data), wanted)
        budget = allowed(len(data), 16)
        instead = {
            "ColumnChunk": starmap(_Chunk, repeat((), budget)).__next__,
            "ColumnMetaData": starmap(_MetaData, repeat((), budget)).__next__,
        }
        metadata: Any = _trimmed(wanted).read(structs.FileMetaData, BytesIO(data), budget, instead)
    except Mistyped:
        return _columns(_chunks_slowly(data), wanted)
    return _columns([group.columns or [] for group in metadata.row_groups or ()], wanted)


class _MetaData:
    """The fields of ColumnMetaData that are read and present."""

    __slots__ = (*_META_DATA_NAMES, "encodings")


class _Chunk:
    """The fields of ColumnChunk that are read and present."""

    __slots__ = (*_CHUNK_NAMES, "file_path", "meta_data")

    meta_data: _MetaData


def _chunks_slowly(data: bytes) -> list[list[_Chunk]]:
    """Column chunks by row group, if the C reader cannot read the footer."""

    def trimmed(struct: Struct, into: Any, names: Iterable[str]) -> Any:
        for name in names:
            value = getattr(struct, name)
            if value is not None:
                setattr(into, name, value)
        return into

    def chunk(offset: int) -> _Chunk:
        struct, _ = decode(structs.ColumnChunk, data, offset)
        fields: _Chunk = trimmed(struct, _Chunk(), (*_CHUNK_NAMES, "file_path"))
        if struct.meta_data is not None:
            names = (*_META_DATA_NAMES, "encodings")
            fields.meta_data = trimmed(struct.meta_data, _MetaData(), names)
        return fields

    groups = slow.index(data).row_groups or ()
    return [[chunk(offset) for offset in chunk_offsets(group)] for group in groups]


def _columns(groups: list[list[_Chunk]], wanted: frozenset[str]) -> dict[str, Array]:
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    chunks = list(chain.from_iterable(groups))
    count = len(chunks)

    def values(objects: list[Any], name: str, default: Any) -> Iterator[Any]:
        return map(getattr, objects, repeat(name), repeat(default))

    metadata = list(values(chunks, "meta_data", _MetaData()))
    arrays: dict[str, Array] = {
        "row_group": np.repeat(np.arange(len(groups), dtype=np.int64), sizes),
        "column": np.arange(count, dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes),
    }
    for objects, names in ((chunks, _CHUNK_NAMES), (metadata, _META_DATA_NAMES)):
        for name in names:
            if name in wanted:
                default = 0 if name == "file_offset" else -1  # the declared default
                arrays[name] = np.fromiter(values(objects, name, default), np.int64, count)
    if "encodings" in wanted:
        lists = list(map(tuple, values(metadata, "encodings", ())))
        masks = {one: sum(1 << e for e in set(one) if 0 <= e < 32) for one in set(lists)}
        arrays["encodings"] = np.fromiter(map(masks.__getitem__, lists), np.uint32, count)
    if "file_path" in wanted:
        arrays["file_path"] = np.array(list(values(chunks, "file_path", None)), np.object_)
    return arrays


EMPTIED = frozenset(("SizeStatistics", "GeospatialStatistics"))
"""Structs that `chunks` returns without their fields: only that they are there is said."""


def chunks(buffer: Buffer, offsets: Sequence[int], end: int) -> list[structs.ColumnChunk]:
    """The column chunks at `offsets`, which are those of one row group by `index`, but for the fields of `EMPTIED`.

    Takes a sixth of the time of `decode` for each. `end` is where the next row group's first chunk begins, or the end of the buffer. Raises as `decode` does.
    """
    if c_reader.WORKS and len(offsets):
        # From the first chunk on, the bytes are the rest of a RowGroup whose field 1 is the list of chunks.
        listed = b"\x19\xfc" + varint(len(offsets)) + memoryview(buffer)[offsets[0] : end]
        budget = allowed(len(listed), 6)
        with suppress(CorruptFileError):
            found = _chunks.read(structs.RowGroup, BytesIO(listed), budget, {}).columns
            if len(found) == len(offsets):
                return found
    found = [decode(structs.ColumnChunk, buffer, offset)[0] for offset in offsets]
    return [outline(chunk) for chunk in found]


def outline(chunk: structs.ColumnChunk) -> structs.ColumnChunk:
    """The struct without what `chunks` does not read."""
    metadata = chunk.meta_data
    if metadata is not None:
        if metadata.size_statistics is not None:
            metadata.size_statistics = structs.SizeStatistics()
        if metadata.geospatial_statistics is not None:
            metadata.geospatial_statistics = structs.GeospatialStatistics()
    return chunk


_HEAD_FIELDS = ("version", "schema", "num_rows", "row_groups")

_everything = Bulk()
_head = Bulk(lambda field, struct: struct != "FileMetaData" or field.name in _HEAD_FIELDS)
_index = Bulk(lambda field, struct: struct != "ColumnChunk")
_chunks = Bulk(lambda field, struct: field.name == "columns" if struct == "RowGroup" else struct not in EMPTIED)
_uncounted = Bulk(lambda field, struct: struct != "ColumnChunk", replaced=("ColumnChunk",))


@functools.cache
def _trimmed(wanted: frozenset[str]) -> Bulk:
    """A reader of the wanted fields of chunks only."""
    fields = {
        "FileMetaData": {"row_groups"},
        "RowGroup": {"columns"},
        "ColumnChunk": {*wanted.intersection((*_CHUNK_NAMES, "file_path")), "meta_data"},
        "ColumnMetaData": wanted.intersection((*_META_DATA_NAMES, "encodings")),
    }
    return Bulk(lambda field, struct: field.name in fields.get(struct, ()))


def _stop(struct: type) -> None:
    raise Stopped
