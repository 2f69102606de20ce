"""Spark's types as named in stores: their Arrow and Parquet types, and their values as plain Python objects.

Plain values compare as Spark's do: dates are days and timestamps are microseconds since 1970 (ints, so that no year is
out of range), decimals are `Decimal`, text is `str`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format import logical
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import clip
from pqexplore.insight import spark_types

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

INTEGRAL = ("byte", "short", "integer", "long")
"""Spark's whole numbers, narrowest first."""
FRACTIONAL = ("float", "double")

_ARROW = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "binary": pa.binary(),
}
_DECIMAL = re.compile(r"decimal\((\d{1,2}),(\d{1,2})\)\Z")
_EPOCH = datetime.datetime(1970, 1, 1)
_NOT_INDEXED = frozenset(("BSON", "UNKNOWN"))


def decimal_parameters(spark_type: str) -> tuple[int, int] | None:
    """(precision, scale) of a decimal type; None for other types."""
    found = _DECIMAL.match(spark_type)
    return None if found is None else (int(found[1]), int(found[2]))


def arrow_type(spark_type: str) -> pa.DataType | None:
    """The Arrow type of a Spark type; None for types that cannot be indexed."""
    parameters = decimal_parameters(spark_type)
    if parameters is not None:
        return pa.decimal128(*parameters) if 1 <= parameters[0] <= 38 else None
    return _ARROW.get(spark_type)


_FAMILIES: tuple[tuple[frozenset[str], Callable[[pa.DataType], bool]], ...] = (
    (frozenset(INTEGRAL), pa.types.is_integer),
    (frozenset(FRACTIONAL), pa.types.is_floating),
    (frozenset(("string",)), pa.types.is_string),
    (frozenset(("boolean",)), pa.types.is_boolean),
    (frozenset(("date",)), pa.types.is_date),
    (frozenset(("timestamp", "timestamp_ntz")), pa.types.is_timestamp),
    (frozenset(("binary",)), pa.types.is_binary),
)


def fits(spark_type: str, stored: pa.DataType) -> bool:
    """Whether an Arrow type can hold the values of a Spark type; True for unknown Spark types."""
    if decimal_parameters(spark_type) is not None:
        return bool(pa.types.is_decimal(stored))
    return all(check(stored) for kinds, check in _FAMILIES if spark_type in kinds)


def of_leaf(leaf: Leaf) -> str | None:
    """The type that Spark gives a leaf; None if a column of that type cannot be indexed."""
    found, name = spark_types.of_leaf(leaf), logical.annotation(leaf).name
    fixed = leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY and name != "DECIMAL"
    return None if found.refused or fixed or name in _NOT_INDEXED else found.text


def widest(types: set[str]) -> str | None:
    """The type among `types` that holds the values of all of them; None if there is none."""
    if len(types) == 1:
        return next(iter(types))
    for family in (INTEGRAL, FRACTIONAL):
        if types and types <= set(family):
            return max(types, key=family.index)
    return None


def plain(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values of an Arrow array as plain Python objects; nulls are None.

    Structs become dicts, lists lists. Raises CorruptFileError for text that is not UTF-8.
    """
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in plain(chunk)]
    kind = array.type
    if pa.types.is_struct(kind):
        columns = [plain(child) for child in array.flatten()]
        valid = array.is_valid().to_pylist()
        keys = [kind.field(i).name for i in range(kind.num_fields)]
        return [
            dict(zip(keys, (column[row] for column in columns), strict=True)) if valid[row] else None
            for row in range(len(array))
        ]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        offsets = array.offsets.to_pylist()
        values = plain(array.values)
        return [
            values[offsets[row] : offsets[row + 1]] if ok else None
            for row, ok in enumerate(array.is_valid().to_pylist())
        ]
    if pa.types.is_timestamp(kind):
        return list(microseconds(array).to_pylist())
    if pa.types.is_date32(kind):
        return list(array.cast(pa.int32()).to_pylist())
    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        raise CorruptFileError("text of the metadatastore is not UTF-8") from None


def microseconds(array: pa.Array) -> pa.Array:
    """Timestamps as microseconds since 1970 (an int64 array), rounded down, which keeps their order."""
    counts = array.cast(pa.int64())
    unit = array.type.unit
    if unit == "us":
        return counts
    import pyarrow.compute as pc

    if unit == "ns":
        down = pc.divide(counts, 1000)
        rounded_up = pc.and_(pc.less(counts, 0), pc.not_equal(pc.multiply(down, 1000), counts))
        return pc.subtract(down, rounded_up.cast(pa.int64()))
    return pc.multiply_checked(counts, 1_000 if unit == "ms" else 1_000_000)


def shown(value: Any, spark_type: str | None) -> str:
    """Formats a plain value like SQL, clipped, for messages."""
    if value is None:
        return "NULL"
    if spark_type == "date" and isinstance(value, int):
        return _date_text(value)
    if spark_type in ("timestamp", "timestamp_ntz") and isinstance(value, int):
        return _timestamp_text(value) + ("Z" if spark_type == "timestamp" else "")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + clip(value, 60).replace("'", "\\'") + "'"
    return str(value)


def _date_text(days: int) -> str:
    try:
        return str((_EPOCH + datetime.timedelta(days=days)).date())
    except OverflowError:
        return f"day {days}"


def _timestamp_text(microseconds: int) -> str:
    try:
        return str(_EPOCH + datetime.timedelta(microseconds=microseconds))
    except OverflowError:
        return f"microsecond {microseconds}"
