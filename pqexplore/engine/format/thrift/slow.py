"""The functions of `fast` without Apache Thrift's C reader: in Python, with `spans`, about ten times slower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.cursor import Buffer
from pqexplore.engine.format.thrift.declaration import S
from pqexplore.engine.format.thrift.offsets import set_chunk_offsets

if TYPE_CHECKING:
    from pqexplore.engine.format.thrift import struct_spans

# The functions import the span reader when they need it, which most programs never do.


def decode(struct_class: type[S], data: Buffer, offset: int) -> tuple[S, int]:
    """The struct at `offset` of `data` and the offset after it; see `fast.decode`."""
    from pqexplore.engine.format.thrift import struct_spans

    span = struct_spans.read(struct_class, data, offset)
    _raise(span)
    return struct_spans.object_of(struct_class, span), span.end


def index(data: Buffer) -> structs.FileMetaData:
    """The footer with offsets in place of column chunks; see `fast.index`."""
    from pqexplore.engine.format.thrift import struct_spans

    span = struct_spans.read(structs.FileMetaData, data, opaque={"ColumnChunk"})
    _raise(span)
    metadata = struct_spans.object_of(structs.FileMetaData, span)
    groups = span.field("row_groups")
    if metadata.row_groups is not None and groups is not None:
        for row_group, element in zip(metadata.row_groups, groups.value, strict=True):
            columns = element.value.field("columns")
            if row_group.columns is not None and columns is not None:
                offsets = [chunk.start for chunk in columns.value]
                set_chunk_offsets(row_group, offsets)
    return metadata


def head(data: Buffer) -> structs.FileMetaData:
    """Version, schema and number of rows; see `fast.head`."""
    from pqexplore.engine.format.thrift import struct_spans

    span = struct_spans.read(structs.FileMetaData, data, opaque={"RowGroup"})
    if span.error is not None and span.field("row_groups") is None:
        _raise(span)
    metadata = struct_spans.object_of(structs.FileMetaData, span)
    return structs.FileMetaData(version=metadata.version, schema=metadata.schema, num_rows=metadata.num_rows)


def _raise(span: struct_spans.StructSpan) -> None:
    """Raise the error of a span; limits become damage, because no caller of `fast` can set them."""
    if isinstance(span.error, LimitExceededError):
        raise CorruptFileError(span.error.message, offset=span.error.offset)
    if span.error is not None:
        raise span.error
