"""Physical and logical types as Arrow types, and conversion of arrays to them.

The Arrow type of a column follows from its schema element, never from `ARROW:schema` or the version of pyarrow, so a file
has the same types everywhere. Values that this type cannot hold get a wider one: decimals with too many digits, and
INT96. If the stored bits are the bits of the Arrow value, the array gets another type and keeps its buffers; other
values (decimals, small integers, INT96) are converted in numpy.

`logical` has the meaning of a leaf, `value_text` formats single values.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.arrays import arrow_numbers, numpy_numbers
from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.format import decimal, int96
from pqexplore.engine.format.field import logical_type
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

__all__ = ["arrow_type", "describe", "logical_type", "physical_arrow_type", "to_arrow", "type_of"]

_PHYSICAL: dict[int, pa.DataType] = {
    Type.BOOLEAN: pa.bool_(),
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.INT96: pa.binary(12),
    Type.FLOAT: pa.float32(),
    Type.DOUBLE: pa.float64(),
    Type.BYTE_ARRAY: pa.binary(),
}
_TEXT = frozenset(("STRING", "JSON"))
"""Annotations whose Arrow type is text; that of an ENUM is bytes, as in Arrow's reader."""

_INTEGERS = {
    (8, True): pa.int8(),
    (16, True): pa.int16(),
    (32, True): pa.int32(),
    (64, True): pa.int64(),
    (8, False): pa.uint8(),
    (16, False): pa.uint16(),
    (32, False): pa.uint32(),
    (64, False): pa.uint64(),
}


def physical_arrow_type(leaf: Leaf) -> pa.DataType:
    """The Arrow type of the values as stored. Raises UnsupportedFeatureError for an unknown physical type."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return pa.binary(leaf.type_length or 0)
    stored = _PHYSICAL.get(leaf.physical_type)
    if stored is None:
        name = structs.enum_name(Type, leaf.physical_type)
        raise UnsupportedFeatureError(f"column {'.'.join(leaf.path)}: physical type {name}")
    return stored


def arrow_type(leaf: Leaf) -> pa.DataType:
    """The Arrow type of the values in their logical type, as the schema declares it; `type_of` looks at the values, too.

    If the annotation is unknown, or contradicts the physical type or itself, this is the physical type. Raises
    UnsupportedFeatureError for an unknown physical type.
    """
    logical = meaning(leaf)
    if logical.name in _TEXT:
        return pa.string()
    if logical.name == "INTEGER":
        return _INTEGERS[logical.bit_width, logical.signed]
    if logical.name == "DECIMAL":
        return decimal.arrow_type(logical.precision, logical.scale)
    if logical.name == "DATE":
        return pa.date32()
    if logical.name == "TIME":
        return pa.time32("ms") if logical.unit == "ms" else pa.time64(logical.unit)
    if logical.name == "TIMESTAMP":
        return pa.timestamp(logical.unit, "UTC" if logical.utc else None)
    if logical.name == "FLOAT16":
        return pa.float16()
    if logical.name == "UNKNOWN":
        return pa.null()
    if leaf.physical_type == Type.INT96:
        return pa.timestamp("ns")
    return physical_arrow_type(leaf)


def type_of(leaf: Leaf, arrays: Sequence[pa.Array]) -> pa.DataType:
    """The Arrow type that holds all values of the physical arrays (no nulls) of a column.

    It is `arrow_type(leaf)`, but `timestamp[us]` or `fixed_size_binary[12]` for INT96 that nanoseconds cannot hold
    (`int96.arrow_type`), and for decimals beyond their declared precision a decimal of 38 digits, of 76 digits, or
    `binary` (`decimal.precision_of`).
    """
    declared = arrow_type(leaf)
    if leaf.physical_type == Type.INT96 and pa.types.is_timestamp(declared):
        return int96.arrow_type(arrays)
    if pa.types.is_decimal(declared):
        precision = decimal.precision_of(arrays, declared.precision)
        return decimal.arrow_type(precision, declared.scale)
    return declared


def to_arrow(physical: pa.Array, leaf: Leaf, target: pa.DataType | None = None) -> pa.Array:
    """The physical array (no nulls) in its logical type; buffers are shared if the bits are the same.

    `target` is the type of all chunks of a column (`type_of`); without it the values in `physical` decide. Text is not
    checked: as in Arrow's own reader, invalid UTF-8 is kept, and is an error when it is converted to Python strings. An
    integer that is too large for its annotation keeps its low bits, a decimal beyond its declared precision gets a wider
    type. Raises as `arrow_type` does, CorruptFileError for decimals that do not fit into `target`.
    """
    if target is None:
        target = type_of(leaf, [physical])
    if target == physical.type:
        return physical
    if pa.types.is_null(target):
        return pa.nulls(len(physical))
    if leaf.physical_type == Type.INT96:
        return int96.to_arrow(physical, target.unit)
    logical = meaning(leaf)
    if logical.name == "DECIMAL":
        return decimal.to_arrow(physical, target)
    if logical.name == "INTEGER" and logical.bit_width < 32:
        low = numpy_numbers(physical).astype(target.to_pandas_dtype())
        return arrow_numbers(low)
    if pa.types.is_large_binary(physical.type):
        target = pa.large_string() if pa.types.is_string(target) else physical.type
    return pa.Array.from_buffers(target, len(physical), physical.buffers(), 0, physical.offset)
