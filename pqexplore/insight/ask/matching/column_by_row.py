"""Reads the values of a clause's column in a row group, with the row of each value.

A list has several values in a row, so each value keeps its row and its position in the innermost list.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s, Mask
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import FieldRepetitionType, SchemaElement, Type
from pqexplore.engine.format.types import arrow_type
from pqexplore.engine.format.variant.vectors import validity
from pqexplore.insight.ask.binding.find_column import found
from pqexplore.insight.ask.binding.variants import WHOLE, decimal_parameters, family

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.ask.predicate import NullTest, Operand


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """The values of a leaf, nulls included.

    `rows` has the row of each value and `positions` its position in the innermost list; both are None if every row has
    one value. `lengths` has the length of that list, for each value.
    """

    leaf: Leaf
    values: pa.Array
    num_rows: int
    rows: Int64s | None = None
    positions: Int64s | None = None
    lengths: Int64s | None = None

    def by_row(self, mask: Mask, null: bool, element: int | None) -> Mask:
        """The rows that have a value of the mask; with `element`, those whose element at this position is of the mask.

        A missing element is null, and `null` is whether the clause is TRUE for null.
        """
        if self.rows is None:
            return mask
        if element is None:
            return self._rows_with(mask)
        assert self.positions is not None and self.lengths is not None
        there = self.positions == (element if element >= 0 else self.lengths + element)
        taken = self._rows_with(mask & there)
        return taken | ~self._rows_with(there) if null else taken

    def _rows_with(self, mask: Mask) -> Mask:
        found = np.zeros(self.num_rows, bool)
        assert self.rows is not None
        found[self.rows[mask]] = True
        return found


def of_leaf(file: ParquetFile, row_group: int, leaf: Leaf) -> Column:
    """The values of a leaf in a row group. Raises ParquetError as `ParquetFile.read` does."""
    table = file.read(columns=[leaf.path], row_groups=[row_group])
    array, num_rows = _combined(table.column(0)), table.num_rows
    rows: Int64s | None = None
    positions = lengths = None
    while pa.types.is_nested(array.type):
        if pa.types.is_struct(array.type):
            array = array.flatten()[0]
            continue
        counts = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        outer = np.arange(len(array)) if rows is None else rows
        rows = np.repeat(outer, counts)
        positions = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        lengths = np.repeat(counts, counts)
        array = _elements(array, leaf)
    return Column(leaf, array, num_rows, rows, positions, lengths)


def _combined(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _elements(array: pa.Array, leaf: Leaf) -> pa.Array:
    if not pa.types.is_map(array.type):
        return array.flatten()
    begin, end = array.offsets[0].as_py(), array.offsets[len(array)].as_py()
    first = leaf.parent is not None and leaf.parent.children[0] is leaf
    return (array.keys if first else array.items).slice(begin, end - begin)


def levels(file: ParquetFile, row_group: int, clause: NullTest) -> Mask | None:
    """Whether the field that IS NULL asks about is there in each row; None if it asks about an element of a list."""
    if clause.operand.element is not None:
        return None
    field = found(clause.operand, file.schema).field
    below = field.leaves()
    outer = field.parent
    if not below or (outer is not None and outer.max_repetition_level):
        return None
    inside = next((leaf for leaf in below if not leaf.max_repetition_level), below[0])
    array = _combined(file.read(columns=[inside.path], row_groups=[row_group]).column(0))
    for name in _names(field)[1:]:
        array = array.flatten()[array.type.get_field_index(name)]
    return validity(array)


def _names(field: Field) -> tuple[str, ...]:
    return field.path


_DTYPES: dict[str, tuple[int, str, structs.Struct | None]] = {
    "float": (Type.FLOAT, "", None),
    "double": (Type.DOUBLE, "", None),
    "boolean": (Type.BOOLEAN, "", None),
    "binary": (Type.BYTE_ARRAY, "", None),
    "text": (Type.BYTE_ARRAY, "STRING", structs.StringType()),
    "date": (Type.INT32, "DATE", structs.DateType()),
    "UUID": (Type.FIXED_LEN_BYTE_ARRAY, "UUID", structs.UUIDType()),
}
_WIDTHS = dict(zip(WHOLE, (8, 8, 16, 16, 32, 32, 64, 64), strict=True))


def of_variant(file: ParquetFile, row_group: int, operand: Operand) -> Column:
    """The values at a path in the Variants of a row group, in the type that is asked for; null where they do not fit.

    Raises ParquetError as `ParquetFile.variant_get` does.
    """
    leaf = as_asked(operand.variant_type)
    field = found(operand, file.schema).field
    values = file.variant_get(field.path, operand.variant, arrow_type(leaf), row_groups=[row_group])
    return Column(leaf, _combined(values), len(values))


def as_asked(type_: str) -> Leaf:
    """A leaf of the type that `variant_get` is asked for."""
    name = family(type_)
    length = None
    if name in _DTYPES:
        physical, annotation, struct = _DTYPES[name]
        length = 16 if name == "UUID" else None
    elif name == "whole":
        bits = _WIDTHS[type_]
        physical, annotation = Type.INT64 if bits == 64 else Type.INT32, "INTEGER"
        struct = structs.IntType(bitWidth=bits, isSigned=True)
    elif name == "decimal":
        precision, scale = decimal_parameters(type_)
        physical, annotation, length = Type.FIXED_LEN_BYTE_ARRAY, "DECIMAL", 16
        struct = structs.DecimalType(precision=precision, scale=scale)
    else:
        physical, annotation = Type.INT64, "TIMESTAMP"
        unit = structs.TimeUnit(MICROS=structs.MicroSeconds())
        struct = structs.TimestampType(isAdjustedToUTC=name == "timestamp", unit=unit)
    logical = None if struct is None else structs.union_of(structs.LogicalType, annotation, struct)
    element = SchemaElement(
        type=physical, type_length=length, repetition_type=FieldRepetitionType.OPTIONAL, name=type_, logicalType=logical
    )
    root = Field(SchemaElement(name="schema", num_children=1), 0, None)
    return Leaf(element, 1, root, 0, lambda: None)
