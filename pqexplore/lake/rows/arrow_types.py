"""The Arrow types of a table's columns, and whether values of a file fit them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.text import clip
from pqexplore.insight.json_values import VARIANT
from pqexplore.lake.logs.table_schema import LIST, MAP, STRUCT, TableColumn

JSON_VARIANT = pa.struct([(VARIANT, pa.large_string())])
"""A Variant as `insight.some_rows` gives it."""
BINARY_VARIANT = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])

_PRIMITIVE: dict[str, pa.DataType] = {
    **dict.fromkeys(("boolean",), pa.bool_()),
    "byte": pa.int8(),
    "short": pa.int16(),
    **dict.fromkeys(("integer", "int"), pa.int32()),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp_ntz": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz_ns": pa.timestamp("ns", "UTC"),
    **dict.fromkeys(("void", "null", "unknown"), pa.null()),
}
"""By the names of both formats; those of `timestamp` differ."""

_DECIMAL = re.compile(r"decimal\((\d{1,2})\s*,\s*(\d{1,2})\)")
_FIXED = re.compile(r"fixed\[(\d{1,9})\]")
_TEXT = re.compile(r"(?:var)?char\(\d+\)")
_GEOSPATIAL = re.compile(r"geo(?:metry|graphy)\b.*", re.DOTALL)


def arrow_type(column: TableColumn, format: str, texts: bool) -> pa.DataType:
    """The Arrow type of a column of a Delta or Iceberg table, as `ParquetFile.read` has it.

    With `texts`, types whose values people read as text are text, and Variants JSON, as in `insight.some_rows`. Raises
    UnsupportedFeatureError for a type that is not known.
    """
    if column.arrow is not None:
        return column.arrow
    inner = [pa.field(one.name, arrow_type(one, format, texts)) for one in column.children]
    if column.type == STRUCT:
        return pa.struct(inner)
    if column.type == LIST:
        return pa.list_(inner[0])
    if column.type == MAP:
        return pa.map_(inner[0].type, inner[1].type)
    return _primitive(column, format, texts)


def _primitive(column: TableColumn, format: str, texts: bool) -> pa.DataType:
    name = column.type
    if name == "timestamp":  # an instant in Delta, a local time in Iceberg
        return pa.timestamp("us", "UTC" if format == "delta" else None)
    if name in _PRIMITIVE:
        return _PRIMITIVE[name]
    if name == "variant":
        return JSON_VARIANT if texts else BINARY_VARIANT
    if name == "uuid":
        return pa.string() if texts else pa.binary(16)
    if _GEOSPATIAL.fullmatch(name):
        return pa.string() if texts else pa.binary()
    if _TEXT.fullmatch(name):
        return pa.string()
    decimal, fixed = _DECIMAL.fullmatch(name), _FIXED.fullmatch(name)
    if decimal and 0 < int(decimal[1]) <= 76:
        make = pa.decimal128 if int(decimal[1]) <= 38 else pa.decimal256
        return make(int(decimal[1]), int(decimal[2]))
    if fixed and 0 < int(fixed[1]) < 1 << 30:
        return pa.binary(int(fixed[1]))
    raise UnsupportedFeatureError(f"column {clip(column.name, 100)!r} has the type {clip(name, 100)}", address="")


def _binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


_Kind = Callable[[pa.DataType], bool]

_WIDENS: tuple[tuple[_Kind, tuple[_Kind, ...]], ...] = (
    (pa.types.is_null, (lambda kind: True,)),
    (pa.types.is_integer, (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)),
    (pa.types.is_floating, (pa.types.is_floating,)),
    (pa.types.is_decimal, (pa.types.is_decimal,)),
    (pa.types.is_date, (pa.types.is_date, pa.types.is_timestamp)),
    (pa.types.is_timestamp, (pa.types.is_timestamp,)),
    (pa.types.is_time, (pa.types.is_time,)),
    (_binary, (_binary, _text)),
    (_text, (_text, _binary)),
)
"""Which types may become which: the promotions of both formats, and what older writers stored under other annotations.
A cast says of the values whether they fit."""


def widens(stored: pa.DataType, target: pa.DataType) -> bool:
    """Whether values of a stored type may be those of a column; text is never taken for a number, nor a number for text."""
    return stored == target or any(kind(stored) and any(one(target) for one in targets) for kind, targets in _WIDENS)
