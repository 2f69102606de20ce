"""What `fast` does, without Apache Thrift's C reader: in Python, on the spans of fields, some ten times slower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.cursor import Buffer
from pqexplore.engine.thrift.declaration import Struct

if TYPE_CHECKING:
    from pqexplore.engine.thrift import spans

# The span reader is imported by the functions that need it: that is, in most programs, not at all.


def decode(struct_class: type[Struct], data: Buffer, offset: int) -> tuple[Any, int]:
    """The struct at `offset` of `data` and where it ends; see `fast.decode`."""
    from pqexplore.engine.thrift import spans

    span = spans.read(struct_class, data, offset)
    _raise(span)
    return spans.to_object(span), span.end


def index(data: Buffer) -> structs.FileMetaData:
    """The footer with offsets in place of column chunks; see `fast.index`."""
    from pqexplore.engine.thrift import spans

    span = spans.read(structs.FileMetaData, data, opaque={"ColumnChunk"})
    _raise(span)
    metadata = spans.to_object(span)
    groups = span.field("row_groups")
    if metadata.row_groups is not None and groups is not None:
        for row_group, element in zip(metadata.row_groups, groups.value, strict=True):
            columns = element.value.field("columns")
            if row_group.columns is not None and columns is not None:
                row_group.columns = [chunk.start for chunk in columns.value]
    assert isinstance(metadata, structs.FileMetaData)
    return metadata


def head(data: Buffer) -> structs.FileMetaData:
    """Version, schema and number of rows; see `fast.head`."""
    from pqexplore.engine.thrift import spans

    span = spans.read(structs.FileMetaData, data, opaque={"RowGroup"})
    if span.error is not None and span.field("row_groups") is None:
        _raise(span)
    metadata = spans.to_object(span)
    return structs.FileMetaData(
        version=metadata.version, schema=metadata.schema, num_rows=metadata.num_rows
    )


def _raise(span: spans.StructSpan) -> None:
    """Raise what ended the reading; limits count as damage here, where nobody can raise them."""
    if isinstance(span.error, LimitExceededError):
        raise CorruptFileError(span.error.message, offset=span.error.offset)
    if span.error is not None:
        raise span.error
