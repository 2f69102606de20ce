"""How a stored table is declared: a line for each column.

The table's Arrow schema is built from these lines, and Spark's DDL from the Arrow schema. So both sides agree on every
type: Spark accepts batches of exactly the declared types.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

_TYPES: dict[str, Any] = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", "UTC"),
    "array<string>": pa.list_(pa.field("element", pa.string())),
}
"""Arrow's type for each Spark type name in use."""


_LINE = re.compile(r"(\w+): (\w+(?:<\w+>)?) — (.+)")


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table: its name, Spark's name of its type, and what it means."""

    name: str
    type: str
    meaning: str


@dataclasses.dataclass(frozen=True)
class TableDefinition:
    """A table: its name, the meaning of a row, and its columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @functools.cached_property
    def schema(self) -> Any:
        """The Arrow schema; every column may be null."""
        return pa.schema([pa.field(c.name, _TYPES[c.type]) for c in self.columns])

    @property
    def ddl(self) -> str:
        """The same schema as Spark's DDL."""
        return ddl(self.schema)

    def batch(self, columns: Mapping[str, Any]) -> Any:
        """Builds a record batch of exactly these types. A column is a list or an Arrow array; a missing one is null."""
        arrays = [
            array(columns[field.name], field.type)
            if field.name in columns
            else pa.nulls(len(next(iter(columns.values()))), field.type)
            for field in self.schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def definition(name: str, meaning: str, lines: str) -> TableDefinition:
    """A table from the lines that declare its columns. TypeError for a line that does not."""
    columns = []
    for line in lines.strip().splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is None or match[2] not in _TYPES:
            raise TypeError(f"{name}: not the declaration of a column: {line.strip()!r}")
        columns.append(Column(*match.groups()))
    return TableDefinition(name, meaning, tuple(columns))


def array(values: Any, type: Any) -> Any:
    """Converts values to an Arrow array of exactly that type. Text that is not UTF-8 gets replacement characters."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        found = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return found if found.type == type else found.cast(type)
    try:
        return pa.array(values, type)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array([_encodable(value) for value in values], type)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    return value


def ddl(schema: Any) -> str:
    """Spark's DDL for an Arrow schema that uses the types of `_TYPES` only. KeyError for other types."""
    spark_names = {str(arrow): name for name, arrow in _TYPES.items()}
    return ", ".join(f"`{field.name}` {spark_names[str(field.type)]}" for field in schema)
