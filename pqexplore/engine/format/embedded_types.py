"""Whether Arrow or Spark stores a type of theirs as the Parquet type of a leaf.

Both have types that Parquet does not have: they are stored as another type and restored from the description. So two
types need not be equal: it is enough that a writer stores the first as the second.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.arrays import is_nested
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import types
from pqexplore.engine.format.logical import describe, meaning, physical_name
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_DEPTH = 200
"""Descriptions that nest deeper are not compared."""


def type_text(leaf: Leaf) -> str:
    """The type of a leaf in the file: the logical type, followed by the physical type if that is another word."""
    logical, physical = describe(leaf), physical_name(leaf)
    return logical if logical == physical else f"{logical} ({physical})"


def _unwrapped(kind: pa.DataType) -> pa.DataType:
    """The type of the values below extensions, dictionaries and run-end encoding."""
    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind) or kind.id == getattr(pa.lib, "Type_RUN_END_ENCODED", -1):
            kind = kind.value_type
        else:
            return kind


def _below(kind: pa.DataType) -> list[pa.DataType] | None:
    """Types of the children that become Parquet fields; None for a leaf."""
    if pa.types.is_struct(kind):
        return [kind.field(i).type for i in range(kind.num_fields)]
    if pa.types.is_map(kind):
        return [kind.key_type, kind.item_type]
    if is_nested(kind) and hasattr(kind, "value_type"):
        return [kind.value_type]
    return None


def arrow_leaves(kind: pa.DataType) -> list[pa.DataType] | None:
    """The types of the leaves below an Arrow type, in order; None if it nests deeper than 200 levels."""
    leaves = []
    todo = [(kind, 0)]
    while todo:
        here, depth = todo.pop()
        if depth > _DEPTH:
            return None
        here = _unwrapped(here)
        children = _below(here)
        if children is None:
            leaves.append(here)
        else:
            todo += [(child, depth + 1) for child in reversed(children)]
    return leaves


_TEXT = ("string", "large_string", "string_view")
_BYTES = ("binary", "large_binary", "binary_view")


def arrow_fits(kind: pa.DataType, leaf: Leaf) -> bool:
    """Whether an Arrow writer stores `kind` as the leaf is stored."""
    try:
        stored = types.arrow_type(leaf)
    except ParquetError:
        return True
    if kind == stored:
        return True
    spelt = str(kind)
    if pa.types.is_string(stored):
        return spelt in _TEXT or (meaning(leaf).name != "STRING" and spelt in _BYTES)
    if pa.types.is_binary(stored):
        unwritten = meaning(leaf).name in ("", "DECIMAL", "GEOMETRY", "GEOGRAPHY", "BSON")
        return spelt in _BYTES or (not unwritten and spelt in _TEXT)
    if pa.types.is_timestamp(stored):
        if not pa.types.is_timestamp(kind):
            return False
        return leaf.physical_type == Type.INT96 or (kind.tz is None) == (stored.tz is None)
    if pa.types.is_decimal(stored):
        return pa.types.is_decimal(kind) and (kind.precision, kind.scale) == (stored.precision, stored.scale)
    if pa.types.is_date(stored):
        return bool(pa.types.is_date(kind))
    if pa.types.is_time(stored):
        return bool(pa.types.is_time(kind))
    if pa.types.is_int64(stored):
        return bool(pa.types.is_duration(kind) or pa.types.is_uint32(kind))
    # Format version 1.0 has no small integers for Arrow's writer to annotate; intervals are 4 bytes of months.
    return bool(pa.types.is_int32(stored) and (pa.types.is_integer(kind) and kind.bit_width < 32))


_SPARK_STORED = {
    "boolean": (Type.BOOLEAN,),
    "byte": (Type.INT32,),
    "short": (Type.INT32,),
    "integer": (Type.INT32,),
    "long": (Type.INT64,),
    "float": (Type.FLOAT,),
    "double": (Type.DOUBLE,),
    "string": (Type.BYTE_ARRAY,),
    "binary": (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
    "date": (Type.INT32,),
    "timestamp": (Type.INT64, Type.INT96),
    "timestamp_ntz": (Type.INT64, Type.INT96),
    "void": (Type.BOOLEAN, Type.INT32, Type.BYTE_ARRAY),
}
_SPARK_MEANS = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP"}
_SPARK_DECIMAL = re.compile(r"decimal\((\d{1,3}),\s*(-?\d{1,3})\)")


def spark_leaves(kind: object) -> list[str] | None:
    """The leaf types (text) below a Spark type in JSON form, in order.

    None if they cannot be compared: Variants, whose leaves depend on shredding, and damaged descriptions.
    """
    leaves: list[str] = []
    todo: list[tuple[object, int]] = [(kind, 0)]
    while todo:
        here, depth = todo.pop()
        if depth > _DEPTH:
            return None
        if isinstance(here, str):
            if here == "variant":
                return None
            leaves.append(here)
            continue
        children = _spark_below(here)
        if children is None:
            return None
        todo += [(child, depth + 1) for child in reversed(children)]
    return leaves


def _spark_below(kind: object) -> list[object] | None:
    if not isinstance(kind, dict):
        return None
    if kind.get("type") == "struct":
        fields = kind.get("fields")
        if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
            return None
        return [field.get("type") for field in fields]
    if kind.get("type") == "array":
        return [kind.get("elementType")]
    if kind.get("type") == "map":
        return [kind.get("keyType"), kind.get("valueType")]
    return [kind.get("sqlType")] if kind.get("type") == "udt" else None


def spark_fits(kind: str, leaf: Leaf) -> bool:
    """Whether Spark stores its type (`long`, `decimal(10,2)`, …) as the leaf is stored; True for types unknown here."""
    logical = meaning(leaf)
    match = _SPARK_DECIMAL.fullmatch(kind)
    if match is not None:
        stated = (int(match[1]), int(match[2]))
        return logical.name == "DECIMAL" and stated == (logical.precision, logical.scale)
    if kind.startswith(("char(", "varchar(", "string collate")):
        kind = "string"
    stored = _SPARK_STORED.get(kind)
    if stored is None:
        return True
    if leaf.physical_type not in stored:
        return False
    means = _SPARK_MEANS.get(kind)
    if means is None or leaf.physical_type == Type.INT96:
        return logical.name != "DECIMAL"
    return logical.name == means
