"""The ColumnChunks of many column chunks, at a tenth of what a handle of each costs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

_FEW = 6
"""A chunk alone costs as much as so many of a row group that is read at once."""

_NEEDED = operator.attrgetter(*structs.ColumnMetaData.REQUIRED)


def chunk_structs(file: ParquetFile, group: int, columns: Sequence[int]) -> list[structs.ColumnChunk | None]:
    """The ColumnChunks of some leaves in a row group, with their metadata, decrypted if necessary.

    None for one that cannot be read. They lack what `fast.chunks` leaves out. If `encrypted_column_metadata` is set, its
    key is missing, and the metadata is the copy in plaintext, which may lack more.
    """
    leaves = len(file.schema.leaves)
    if len(columns) * _FEW < leaves:
        return [_alone(file, group, column) for column in columns]
    try:
        found = file.open_footer.chunks(group)
    except ParquetError:  # one of them is damaged
        return [_alone(file, group, column) for column in columns]
    if len(found) != leaves:
        return [None] * len(columns)
    made: list[structs.ColumnChunk | None] = []
    for column in columns:
        one = found[column]
        if one.meta_data is None or one.encrypted_column_metadata is not None:
            made.append(_alone(file, group, column))
        else:
            made.append(one if None not in _NEEDED(one.meta_data) else None)
    return made


def _alone(file: ParquetFile, group: int, column: int) -> structs.ColumnChunk | None:
    """One ColumnChunk by its handle, which decrypts its metadata."""
    try:
        chunk = file.row_groups[group].columns[column]
        metadata = chunk.metadata
    except ParquetError:
        return None
    given = {field.name: getattr(chunk.struct, field.name) for field in chunk.struct.FIELDS}
    given["meta_data"] = metadata
    if not chunk.locked:
        given["encrypted_column_metadata"] = None
    return structs.ColumnChunk(**given)
