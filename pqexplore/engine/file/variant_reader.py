"""Reads the value at one path of each Variant of a column, from the columns that can hold it.

A column annotated VARIANT is a Variant. A group that has its fields without the annotation, as Spark 4.0 writes it, is read
as one if it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import UsageError, located
from pqexplore.engine.file.table_reader import ReadTally, assembled, one_type
from pqexplore.engine.format.field import Field
from pqexplore.engine.format.variant import get
from pqexplore.engine.format.variant.shape import is_variant_shape
from pqexplore.engine.format.variant.shredding import UNSHREDDED

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def variant_get(
    file: ParquetFile,
    column: str | tuple[str, ...],
    path: str,
    type_: pa.DataType | None,
    strict: bool,
    row_groups: Sequence[int] | None,
) -> pa.ChunkedArray:
    """The value at a path of each Variant of a column; see `ParquetFile.variant_get`."""
    field = _variant(file, column)
    leaves = sorted(get.columns_for_path(field, path), key=lambda leaf: leaf.leaf_index)
    top = field
    while top.depth > 1 and top.parent is not None:
        top = top.parent
    groups = range(len(file.row_groups)) if row_groups is None else row_groups
    for group in groups:
        if not 0 <= group < len(file.row_groups):
            raise UsageError(f"row group {group} is asked for, the file has {len(file.row_groups)}")
    tally, pieces = ReadTally(file, "variant_get()"), []
    for group in groups:
        typed = [leaf for leaf in leaves if leaf.path != (*field.path, "metadata")]
        if type_ is not None and typed:  # field names are needed only for values that are not shredded
            for array, _ in assembled(file, top, typed, [group], tally.spend):
                shredded = get.shredded(_descend(array, field.path[1:]), path, type_)
            if shredded is not None:
                pieces.append(shredded)
                continue
        for array, chunk in assembled(file, top, leaves, [group], tally.spend):
            with located(chunk.address, chunk.start):
                variants = _descend(array, field.path[1:])
                pieces.append(get.variant_get(variants, path, type_, strict=strict, limits=file.limits))
    return pa.chunked_array(one_type(pieces), type=None if pieces else type_ or UNSHREDDED)


def _variant(file: ParquetFile, column: str | tuple[str, ...]) -> Field:
    fields = file.schema.fields_at(column)
    if len(fields) != 1:
        raise UsageError(f"{'no' if not fields else 'more than one'} column {column!r}")
    field = fields[0]
    if field.kind != "variant" and not is_variant_shape(field):
        raise UsageError(f"{column!r} is no Variant: it has not the fields metadata and value")
    if field.max_repetition_level:
        raise UsageError(f"{column!r} lies in a list or map; variant_get reads one Variant a row")
    return field


def _descend(array: pa.Array, names: Sequence[str]) -> pa.Array:
    """A struct inside structs, with the nulls of the outer ones."""
    for name in names:
        array = array.flatten()[array.type.get_field_index(name)]
    return array
