"""Brings the columns of a file into those of its table: by field id or name, in the table's order and types.

A column that the file lacks has the value of its partition, its default, or nulls. A value that its column cannot hold, and
text in place of a number, is an error that names the column: an engine that goes by the log cannot read the file either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.text import clip
from pqexplore.insight.json_values import compact, json_values
from pqexplore.lake.logs.table_schema import LIST, STRUCT, TableColumn, TableSchema
from pqexplore.lake.rows import constants
from pqexplore.lake.rows.arrow_types import BINARY_VARIANT, JSON_VARIANT, arrow_type, widens


class Projection:
    """The columns of one file as those of its table.

    `columns` are those of the table that are wanted. `values` are the texts of the partition's values by column; they
    count where the file lacks the column, or always if `values_first`. `texts` as in `arrow_type`.
    """

    def __init__(
        self,
        table: TableSchema,
        columns: Sequence[TableColumn],
        schema: Schema,
        values: Mapping[str, str | None],
        *,
        format: str,
        texts: bool,
        values_first: bool = False,
    ) -> None:
        self._table, self._columns, self._values = table, columns, values
        self._format, self._texts = format, texts
        children = schema.root.children
        self._ids = table.uses_ids(schema.fields)
        if table.by_id and not self._ids and not any(one.stored for one in table.root.children) and children:
            raise UnsupportedFeatureError(
                "the file has no field ids, and the table no name mapping (schema.name-mapping.default): no one knows "
                "which columns it has",
                address="schema",
            )
        by_column = self._by_column(table.root, children)
        self._fields = {
            one.name: by_column[one.name]
            for one in columns
            if one.name in by_column and not (values_first and one.name in values)
        }

    @property
    def needed(self) -> list[tuple[str, ...]]:
        """The top-level columns of the file that are read."""
        return [field.path for field in self._fields.values()]

    @property
    def is_constant(self) -> bool:
        """Whether nothing has to be read of the file."""
        return not self._fields

    def table(self, read: pa.Table, rows: int) -> pa.Table:
        """The rows of the file, read with the columns of `needed`, as rows of the table.

        UnsupportedFeatureError for values that their column cannot hold.
        """
        at = {
            field.index: place for place, field in enumerate(sorted(self._fields.values(), key=lambda one: one.index))
        }
        arrays, fields = [], []
        for column in self._columns:
            field = self._fields.get(column.name)
            kind = arrow_type(column, self._format, self._texts)
            if field is None:
                array = self._absent(column, kind, rows)
            else:
                array = self._array(column, field, read.column(at[field.index]).combine_chunks(), column.name)
                array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
            arrays.append(array)
            fields.append(pa.field(column.name, array.type))
        if not arrays:
            return pa.table({"": pa.nulls(rows)}).select([])
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def _by_column(self, parent: TableColumn, fields: Sequence[Field]) -> dict[str, Field]:
        """The fields of a file by the name of the column that they are; `parent` has all columns there."""
        found: dict[str, Field] = {}
        for field in fields:
            column = self._table.child(parent, field, self._ids)
            if column is not None and field.leaves():
                if column.name in found:
                    raise UnsupportedFeatureError(f"the file has {clip(column.name, 200)!r} twice", address="schema")
                found[column.name] = field
        return found

    def _absent(self, column: TableColumn, kind: pa.DataType, rows: int) -> pa.Array:
        if column.name in self._values:
            one = constants.scalar(column.name, self._values[column.name], kind, self._format)
        elif column.default is not None:
            one = constants.default(column.name, column.default, kind)
        else:
            return pa.nulls(rows, kind)
        return pa.repeat(one, rows)

    def _array(self, column: TableColumn, field: Field, array: pa.Array, name: str) -> pa.Array:
        """The values of a field as those of a column. Lists and maps keep their offsets."""
        if column.type == STRUCT:
            return self._struct(column, field, array, name)
        if not column.is_nested:
            return self._leaf(column, field, array, name)
        validity_and_offsets = array.buffers()[:2]
        if column.type == LIST:
            inner = field.list_element
            if inner is None or not (pa.types.is_list(array.type) or pa.types.is_large_list(array.type)):
                raise _differs(name, field, "a list")
            values = self._array(column.children[0], inner, array.values, f"{name}.element")
            make = pa.large_list if pa.types.is_large_list(array.type) else pa.list_
            kind = make(pa.field("element", values.type))
            return pa.Array.from_buffers(kind, len(array), validity_and_offsets, -1, array.offset, [values])
        entries = field.list_element
        if entries is None or not pa.types.is_map(array.type) or len(entries.children) != 2:
            raise _differs(name, field, "a map")
        pair = [
            self._array(inner, of, some, f"{name}.{inner.name}")
            for inner, of, some in zip(column.children, entries.children, (array.keys, array.items), strict=True)
        ]
        kind = pa.map_(pair[0].type, pair[1].type)
        both = pa.StructArray.from_arrays(pair, fields=[kind.key_field, kind.item_field])
        return pa.Array.from_buffers(kind, len(array), validity_and_offsets, -1, array.offset, [both])

    def _struct(self, column: TableColumn, field: Field, array: pa.Array, name: str) -> pa.Array:
        if field.kind != "group" or not pa.types.is_struct(array.type):
            raise _differs(name, field, "a struct")
        inside = [one for one in field.children if one.leaves()]
        place = {one.index: at for at, one in enumerate(inside)}
        by_column = self._by_column(column, field.children)
        arrays, fields = [], []
        flat = array.flatten()
        for child in column.children:
            own = by_column.get(child.name)
            if own is None:
                kind = arrow_type(child, self._format, self._texts)
                one = pa.repeat(constants.default(child.name, child.default, kind), len(array))
            else:
                one = self._array(child, own, flat[place[own.index]], f"{name}.{child.name}")
            arrays.append(one)
            fields.append(pa.field(child.name, one.type))
        mask = array.is_null() if array.null_count else None
        if not arrays:
            return pa.nulls(len(array), pa.struct([]))
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)

    def _leaf(self, column: TableColumn, field: Field, array: pa.Array, name: str) -> pa.Array:
        kind = arrow_type(column, self._format, self._texts)
        if array.type == kind:
            return array
        if column.type == "variant" and pa.types.is_struct(array.type):
            return _variant(array, self._texts)
        if column.arrow is not None and not widens(array.type, kind):
            return array if self._texts else _as_text(array)
        if not widens(array.type, kind):
            raise _differs(name, field, str(kind))
        try:
            return array.cast(kind, safe=not pa.types.is_timestamp(array.type))
        except pa.ArrowException as error:
            raise UnsupportedFeatureError(
                f"column {clip(name, 200)!r} has a value that {kind} does not hold: {error}", address=""
            ) from None


def _differs(name: str, field: Field, wanted: str) -> UnsupportedFeatureError:
    stored = describe(field) if isinstance(field, Leaf) else f"a {field.kind}"
    return UnsupportedFeatureError(
        f"column {clip(name, 200)!r} is {stored} in this file, and {wanted} in the table", address="schema"
    )


def _as_text(array: pa.Array) -> pa.Array:
    """Values of any type as text: those of nested types as JSON."""
    texts = [None if one is None else one if isinstance(one, str) else compact(one) for one in json_values(array)]
    return pa.array(texts, pa.string())


def _variant(array: pa.Array, texts: bool) -> pa.Array:
    """A Variant whose group has no annotation, as Spark wrote before the format had one."""
    names = [one.name for one in array.type]
    if sorted(names) != ["metadata", "value"]:
        raise UnsupportedFeatureError("a shredded Variant without an annotation", address="schema")
    flat = dict(zip(names, array.flatten(), strict=True))
    mask = array.is_null()
    if not texts:
        both = [flat["metadata"].cast(pa.binary()), flat["value"].cast(pa.binary())]
        return pa.StructArray.from_arrays(both, fields=list(BINARY_VARIANT), mask=mask)
    there = array.is_valid().to_pylist()
    pairs = zip(there, flat["metadata"].to_pylist(), flat["value"].to_pylist(), strict=True)
    found = [to_json(metadata, value) if one else None for one, metadata, value in pairs]
    return pa.StructArray.from_arrays([pa.array(found, pa.large_string())], fields=list(JSON_VARIANT), mask=mask)
