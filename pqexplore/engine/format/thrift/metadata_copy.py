"""The copy of a chunk's metadata that old writers leave after its pages: a ColumnMetaData, or a ColumnChunk with one."""

from __future__ import annotations

from typing import NamedTuple

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.cursor import Buffer

_KINDS: tuple[type[structs.ColumnMetaData] | type[structs.ColumnChunk], ...]
_KINDS = (structs.ColumnMetaData, structs.ColumnChunk)


class MetadataCopy(NamedTuple):
    """A copy: the name of its struct, the metadata, and the bytes that it takes."""

    kind: str
    metadata: structs.ColumnMetaData
    size: int


def metadata_copy(data: Buffer) -> MetadataCopy | None:
    """The copy that bytes begin with; None if they begin with something else."""
    for kind in _KINDS:
        try:
            found: structs.ColumnMetaData | structs.ColumnChunk
            found, size = fast.decode(kind, data)
        except ParquetError:
            continue
        metadata = found if isinstance(found, structs.ColumnMetaData) else found.meta_data
        if metadata is not None and not structs.missing(metadata) and metadata.path_in_schema:
            return MetadataCopy(kind.NAME, metadata, size)
    return None
