"""Variants of an open file: one place of each, read from the columns that hold it and no others.

A column that is annotated VARIANT is one; so is, for who asks for it by name, a group that has the shape without saying
so, as Spark 4.0 writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError, located
from pqexplore.engine.reading import Budget, assembled, one_type
from pqexplore.engine.schema import Field
from pqexplore.engine.variant import get
from pqexplore.engine.variant.shape import is_variant_shape
from pqexplore.engine.variant.shredding import UNSHREDDED

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile


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
    budget, pieces = Budget(file, "variant_get()"), []
    for group in groups:
        typed = [leaf for leaf in leaves if leaf.path != (*field.path, "metadata")]
        if type_ is not None and typed:  # names are needed only for what is not shredded
            for array, _ in assembled(file, top, typed, [group], budget.spend):
                found = get.shredded(_descend(array, field.path[1:]), path, type_)
            if found is not None:
                pieces.append(found)
                continue
        for array, chunk in assembled(file, top, leaves, [group], budget.spend):
            with located(chunk.address, chunk.start):
                one = _descend(array, field.path[1:])
                made = get.variant_get(one, path, type_, strict=strict, limits=file.limits)
                pieces.append(made)
    return pa.chunked_array(one_type(pieces), type=None if pieces else type_ or UNSHREDDED)


def _variant(file: ParquetFile, column: str | tuple[str, ...]) -> Field:
    found = file.schema.fields_at(column)
    if len(found) != 1:
        raise UsageError(f"{'no' if not found else 'more than one'} column {column!r}")
    field = found[0]
    if field.kind != "variant" and not is_variant_shape(field):
        raise UsageError(f"{column!r} is no Variant: it has not the fields metadata and value")
    if field.max_repetition_level:
        raise UsageError(f"{column!r} lies in a list or map; variant_get reads one Variant a row")
    return field


def _descend(array: Any, names: Sequence[str]) -> Any:
    """A struct inside of structs, with the nulls of those around it."""
    for name in names:
        array = array.flatten()[array.type.get_field_index(name)]
    return array
