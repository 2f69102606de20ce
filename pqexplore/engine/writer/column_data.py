"""The levels and physical values of a column, as they go from one file to another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.file.chunk_reader import Spend, concatenate_arrays, decode_chunk, unlimited
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.types import physical_arrow_type

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf


def leaf_column(chunk: ColumnChunk, leaf: Leaf | None = None, spend: Spend = unlimited) -> LeafColumn:
    """The levels of a chunk and its physical values, as `leaf` (by default the chunk's own). Raises ParquetError."""
    decoded = decode_chunk(chunk, spend)
    own = leaf or chunk.leaf
    definition, values = decoded.definition_levels, decoded.physical
    if decoded.nullable:
        definition = np.asarray(values.is_valid()).astype(np.uint8)
        values = values.drop_null()
    return LeafColumn(own, definition, decoded.repetition_levels, values)


def records(column: LeafColumn) -> int:
    """The rows of a column, counted in its levels or values."""
    if column.repetition_levels is not None:
        return int(np.count_nonzero(column.repetition_levels == 0))
    levels = column.definition_levels
    return len(column.values) if levels is None else len(levels)


def joined(parts: Iterable[LeafColumn]) -> LeafColumn:
    """One column of the records of several, in their order."""
    found = list(parts)
    if len(found) == 1:
        return found[0]
    definition = [one.definition_levels for one in found if one.definition_levels is not None]
    repetition = [one.repetition_levels for one in found if one.repetition_levels is not None]
    return LeafColumn(
        found[0].leaf,
        np.concatenate(definition) if definition else None,
        np.concatenate(repetition) if repetition else None,
        concatenate_arrays([one.values for one in found], physical_arrow_type(found[0].leaf)),
    )


def empty(leaf: Leaf) -> LeafColumn:
    """The column of a file without row groups."""
    definition, repetition = (
        np.zeros(0, np.uint8) if maximum else None for maximum in (leaf.max_definition_level, leaf.max_repetition_level)
    )
    return LeafColumn(leaf, definition, repetition, pa.array([], physical_arrow_type(leaf)))
