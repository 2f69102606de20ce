"""Brings the columns of a file into those of its table: by field id or name, in the table's order and types.

A column that the file lacks has the value of its partition, its default, or nulls. A value that its column cannot hold, and
text in place of a number, is an error that names the column: an engine that goes by the log cannot read the file either.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UnsupportedFeatureError
from pqexplore.engine.format import logical, types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.text import clip
from pqexplore.insight.json_values import compact, json_values
from pqexplore.insight.some_rows import AS_TEXT
from pqexplore.insight.wording import listing
from pqexplore.lake.logs.table_schema import LIST, MAP, STRUCT, TableColumn, TableSchema
from pqexplore.lake.rows import constants
from pqexplore.lake.rows.arrow_types import BINARY_VARIANT, JSON_VARIANT, arrow_type, widens
from pqexplore.lake.rows.constants import inferred


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


# One schema for the files of a folder without a log: their columns by name, then those of `key=value` folders.
#
# No log says which columns the folder has. So it has those of all files, in the order in which they come; a file that lacks
# one has nulls. Where files store a column in several types, the column has the type that holds all of them, or else text.


@dataclasses.dataclass
class _Seen:
    """A column as the files have it: each type with the first file that has it; `count` files have the column."""

    column: TableColumn
    types: dict[str, str]
    count: int = 1


def unite(
    schemas: Iterable[tuple[str, Schema]], values: Sequence[Mapping[str, str | None]], texts: bool
) -> tuple[TableSchema, list[str]]:
    """The schema of files, each with its name, and remarks on columns that not all files have, or in several types.

    `values` are the partition values of the files by their folders. `texts` as in `arrow_types.arrow_type`.
    """
    seen: dict[str, _Seen] = {}
    total = 0
    for file, schema in schemas:
        total += 1
        for field in schema.root.children:
            if not field.leaves():
                continue
            column, word = column_of(field, texts), _word(field)
            before = seen.setdefault(field.name, _Seen(column, {word: file}, 0))
            before.count += 1
            before.types.setdefault(word, file)
            before.column = _united(before.column, column)
    keys = list(dict.fromkeys(key for one in values for key in one))
    columns = [one.column for name, one in seen.items() if name not in keys]
    for key in keys:
        kind = inferred([one.get(key) for one in values])
        columns.append(TableColumn(key, "", stored=(key,), arrow=kind))
    return TableSchema(TableColumn("", STRUCT, children=tuple(columns)), by_id=False), _remarks(seen, keys, total)


def _remarks(seen: Mapping[str, _Seen], keys: Sequence[str], total: int) -> list[str]:
    made = []
    some = [name for name, one in seen.items() if one.count < total and name not in keys]
    if some:
        made.append(f"not all files have {_listed(some)}: null where it is not")
    for name, one in seen.items():
        if len(one.types) > 1:
            stored = listing([f"{word} in {file}" for word, file in one.types.items()], most=3)
            made.append(f"{clip(name, 100)} is {stored}")
    both = [key for key in keys if key in seen]
    if both:
        made.append(f"{_listed(both)} is in the files, too: the value is that of the folder")
    return made


def _listed(names: Sequence[str]) -> str:
    return listing([clip(one, 100) for one in names], most=4)


def column_of(field: Field, texts: bool) -> TableColumn:
    """A field of a file as a column that is found by its name."""
    if field.kind == "variant":
        return _column(field.name, "variant", arrow=JSON_VARIANT if texts else BINARY_VARIANT)
    element = field.list_element
    if field.kind == "list" and element is not None:
        return _column(field.name, LIST, (_named(column_of(element, texts), "element"),))
    if field.kind == "map" and element is not None and len(element.children) == 2:
        inner = (column_of(one, texts) for one in element.children)
        return _column(field.name, MAP, tuple(map(_named, inner, ("key", "value"))))
    if isinstance(field, Leaf):
        return _column(field.name, "", arrow=_arrow(field, texts))
    return _column(field.name, STRUCT, tuple(column_of(one, texts) for one in field.children if one.leaves()))


def _column(
    name: str, kind: str, children: tuple[TableColumn, ...] = (), arrow: pa.DataType | None = None
) -> TableColumn:
    return TableColumn(name, kind, stored=(name,), children=children, arrow=arrow)


def _named(column: TableColumn, name: str) -> TableColumn:
    return dataclasses.replace(column, name=name, stored=(name,))


def _arrow(leaf: Leaf, texts: bool) -> pa.DataType:
    if texts and logical.meaning(leaf).name in AS_TEXT:
        return pa.string()
    try:
        return types.arrow_type(leaf)
    except ParquetError:  # reading the column says what is wrong
        return pa.null()


def _word(field: Field) -> str:
    """A field's type in words, to tell types apart."""
    if isinstance(field, Leaf):
        return logical.describe(field)
    words = {"list": "a list", "map": "a map", "variant": "a Variant"}
    return words.get(field.kind, "a struct")


def _united(one: TableColumn, other: TableColumn) -> TableColumn:
    """A column that holds the values of both."""
    if one.type == other.type == STRUCT:
        children = {child.name: child for child in one.children}
        for child in other.children:
            before = children.get(child.name)
            children[child.name] = child if before is None else _united(before, child)
        return dataclasses.replace(one, children=tuple(children.values()))
    if one.type == other.type and one.type in (LIST, MAP):
        pairs = zip(one.children, other.children, strict=True)
        return dataclasses.replace(one, children=tuple(_united(*pair) for pair in pairs))
    if one.arrow is not None and one.arrow == other.arrow:
        return one
    arrow = None if one.arrow is None or other.arrow is None else _wider(one.arrow, other.arrow)
    return _column(one.name, "", arrow=arrow or pa.string())


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The type that holds the values of both; None if there is none."""
    schemas = [pa.schema([pa.field("", kind)]) for kind in (one, other)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None
