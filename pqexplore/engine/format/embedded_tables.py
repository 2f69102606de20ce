"""Compares the schemas that Iceberg, Avro and pandas leave in the key-value metadata with the leaves of a file.

Iceberg matches columns by field id, Avro by name; pandas says how a column was stored.

Specifications: https://iceberg.apache.org/spec/#schemas-and-data-types,
https://avro.apache.org/docs/1.12.0/specification/,
https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.format.embedded_types import name
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field
    from pqexplore.engine.format.schema import Schema

_ICEBERG = {
    "boolean": (Type.BOOLEAN,),
    "int": (Type.INT32,),
    "long": (Type.INT64, Type.INT32),
    "float": (Type.FLOAT,),
    "double": (Type.DOUBLE, Type.FLOAT),
    "date": (Type.INT32,),
    "time": (Type.INT64,),
    "timestamp": (Type.INT64, Type.INT96),
    "timestamptz": (Type.INT64, Type.INT96),
    "string": (Type.BYTE_ARRAY,),
    "uuid": (Type.FIXED_LEN_BYTE_ARRAY,),
    "binary": (Type.BYTE_ARRAY,),
}
"""Iceberg's types and how they are stored; `int` may have become `long`, and `float` `double`, after the file was written."""

_PANDAS = {
    "bool": (Type.BOOLEAN,),
    "int64": (Type.INT64,),
    "uint64": (Type.INT64,),
    "float32": (Type.FLOAT,),
    "float64": (Type.DOUBLE,),
    "unicode": (Type.BYTE_ARRAY,),
    "bytes": (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
}
"""The `pandas_type` of columns that pyarrow stores in one way only."""


def iceberg(content: dict[str, Any], schema: Schema) -> list[str]:
    """How `iceberg.schema` differs from the columns at the top of a schema, in sentences."""
    described = _fields(content, "struct")
    if described is None:
        return ["is not a struct with fields"]
    columns = {column.name: column for column in schema.root.children}
    sentences = list(_absent([field["name"] for field in described], columns))
    for field in described:
        column = columns.get(field["name"])
        if column is None:
            continue
        stated, stored = field.get("id"), column.element.field_id
        if isinstance(stated, int) and stored is not None and stated != stored:
            sentences.append(f"column {column.name!r} has the id {stated:,} there, {stored:,} in the file")
        sentences += _type(column, field.get("type"), _ICEBERG)
    return sentences


def avro(content: dict[str, Any], schema: Schema) -> list[str]:
    """How an Avro schema differs from the columns at the top of a schema, in sentences."""
    described = _fields(content, "record")
    if described is None:
        return ["is not a record with fields"]
    columns = {column.name: column for column in schema.root.children}
    return list(_absent([field["name"] for field in described], columns))


def pandas_types(columns: list[Any], schema: Schema) -> Iterator[str]:
    """The columns that pandas says to be of a type that the file stores otherwise."""
    by_name = {column.name: column for column in schema.root.children}
    for one in columns:
        column = by_name.get(str(one.get("field_name") or one.get("name")))
        if column is not None:
            yield from _type(column, one.get("pandas_type"), _PANDAS)


def _fields(content: dict[str, Any], kind: str) -> list[dict[str, Any]] | None:
    """The fields of a struct; None if it is none, or one has no name."""
    fields = content.get("fields")
    if content.get("type") != kind or not isinstance(fields, list):
        return None
    named = all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in fields)
    return fields if named else None


def _absent(names: list[str], columns: dict[str, Field]) -> Iterator[str]:
    for missing, words in (
        ([one for one in names if one not in columns], "describes columns that the file does not have"),
        ([one for one in columns if one not in set(names)], "does not describe the columns"),
    ):
        if missing:
            more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
            yield f"{words}: {', '.join(map(repr, missing[:5]))}{more}"


def _type(column: Field, stated: object, known: dict[str, tuple[Type, ...]]) -> Iterator[str]:
    """A sentence if a leaf with a type is not stored as its stated type is; a column of nulls need not have one."""
    if isinstance(column, Leaf) and meaning(column).name == "UNKNOWN":
        return
    stored = known.get(stated) if isinstance(stated, str) else None
    if isinstance(column, Leaf) and stored is not None and column.physical_type not in stored:
        yield f"column {column.name!r} is {stated} there, {name(column)} in the file"
