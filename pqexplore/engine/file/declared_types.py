"""The Arrow types that `ARROW:schema` declares, for data frames.

`read` has storage types, whatever `ARROW:schema` says. A data frame has the types that the writer's table had, as
`pyarrow.parquet.read_table` gives them: durations, UUIDs, time zones, categories of strings. The key is a hint from
the file and not trusted: where it does not fit the stored type, the column stays as stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import embedded

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

EXTENSIONS = ("arrow.uuid", "arrow.json")
"""Extension types that a frame gets; others stay as stored."""


def as_declared(
    file: ParquetFile, table: pa.Table, row_groups: Sequence[int] | None = None, *, extensions: bool = True
) -> pa.Table:
    """A table that was read from these row groups, with the declared types. Never raises for what the key says."""
    schema = _declared(file)
    if schema is None:
        return table
    for place, name in enumerate(table.column_names):
        at = schema.get_field_index(name)
        if at < 0:  # not there, or several
            continue
        column, declared = table.column(place), schema.field(at).type
        try:
            if pa.types.is_dictionary(declared):
                made = _categories(file, name, column, declared, row_groups)
            else:
                wanted = _wanted(column.type, declared, extensions)
                made = column if wanted == column.type else column.cast(wanted)
        except (pa.ArrowException, KeyError, OverflowError, TypeError, ValueError):  # no cast that loses nothing
            continue
        if made is not column:
            field = table.schema.field(place).with_type(made.type)
            table = table.set_column(place, field, made)
    return table


def _declared(file: ParquetFile) -> pa.Schema | None:
    text = file.key_value_metadata.get(embedded.ARROW)
    found = None if text is None else embedded.decode(embedded.ARROW, text)
    content = None if found is None else found.content
    return content if isinstance(content, pa.Schema) else None


def _wanted(stored: pa.DataType, declared: pa.DataType, extensions: bool) -> pa.DataType:
    """The declared type as far as values of the stored one are values of it, else the stored one."""
    types = pa.types
    if isinstance(declared, pa.BaseExtensionType):
        known = extensions and declared.extension_name in EXTENSIONS
        return declared if known and declared.storage_type == stored else stored
    if types.is_duration(declared):
        return declared if stored == pa.int64() else stored
    if types.is_timestamp(stored) and types.is_timestamp(declared):
        if not stored.tz or not declared.tz:
            return stored
        pa.lib.string_to_tzinfo(declared.tz)  # a zone that does not exist raises
        return pa.timestamp(stored.unit, declared.tz)
    if types.is_large_string(declared) and types.is_string(stored):
        return declared
    if types.is_large_binary(declared) and types.is_binary(stored):
        return declared
    return _wanted_inside(stored, declared, extensions)


def _wanted_inside(stored: pa.DataType, declared: pa.DataType, extensions: bool) -> pa.DataType:
    """The stored struct, map or list with the wanted types inside; other types as they are."""
    types = pa.types
    if types.is_struct(stored) and types.is_struct(declared):
        return pa.struct([_field(one, declared, extensions) for one in stored])
    if types.is_map(stored) and types.is_map(declared):
        key = _wanted(stored.key_type, declared.key_type, extensions)
        item = _wanted(stored.item_type, declared.item_type, extensions)
        return pa.map_(stored.key_field.with_type(key), stored.item_field.with_type(item))
    is_list = types.is_list(declared) or types.is_large_list(declared) or types.is_fixed_size_list(declared)
    if is_list and types.is_list(stored):
        value = _wanted(stored.value_type, declared.value_type, extensions)
        return pa.list_(stored.value_field.with_type(value))
    return stored


def _field(field: pa.Field, declared: pa.StructType, extensions: bool) -> pa.Field:
    at = declared.get_field_index(field.name)
    return field if at < 0 else field.with_type(_wanted(field.type, declared.field(at).type, extensions))


def _categories(
    file: ParquetFile, name: str, column: pa.ChunkedArray, declared: pa.DictionaryType, row_groups: Sequence[int] | None
) -> pa.ChunkedArray:
    """Strings or bytes as a dictionary: the values of the dictionary pages in their order, then those that are in none."""
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_binary(kind)):
        return column
    groups = range(len(file.row_groups)) if row_groups is None else row_groups
    parts: list[pa.Array] = []
    for group in groups:
        try:
            part = file.row_groups[group].columns[name].dictionary
        except (ParquetError, KeyError):
            continue
        if part is not None and part.type == kind:
            parts.append(part)
    values = pc.unique(pa.chunked_array([*parts, pc.unique(column.drop_null())], kind))
    indexes = pc.index_in(column, values)
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(one, values, ordered=declared.ordered) for one in indexes.chunks],
        pa.dictionary(pa.int32(), kind, declared.ordered),
    )
