"""Physical and logical types to Arrow: what `read()` gives for a leaf.

A column's Arrow type follows from its schema element alone, never from `ARROW:schema` or the pyarrow version, so that a
file has the same types everywhere. Where the bits of a stored value already are the bits of the Arrow value, the
array changes its type and keeps its buffers; the others (decimals, small integers, INT96) are converted in numpy.

What a leaf means is in `logical`, one value for people in `values`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine import decimal, int96
from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.int96 import unit as int96_unit
from pqexplore.engine.logical import annotation, describe, logical_type
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

__all__ = [
    "arrow_type",
    "describe",
    "int96_unit",
    "logical_type",
    "physical_arrow_type",
    "to_arrow",
]

_PHYSICAL: dict[int, Any] = {
    Type.BOOLEAN: pa.bool_(),
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.INT96: pa.binary(12),
    Type.FLOAT: pa.float32(),
    Type.DOUBLE: pa.float64(),
    Type.BYTE_ARRAY: pa.binary(),
}
_TEXT = frozenset(("STRING", "JSON"))
"""Annotations whose storage type is text; an ENUM's is bytes, as Arrow's reader has it."""

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


def physical_arrow_type(leaf: Leaf) -> Any:
    """The Arrow type of the values as stored; UnsupportedFeatureError for a physical type that is not known."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return pa.binary(leaf.type_length or 0)
    known = _PHYSICAL.get(leaf.physical_type)
    if known is None:
        name = structs.enum_name(Type, leaf.physical_type)
        raise UnsupportedFeatureError(f"column {'.'.join(leaf.path)}: physical type {name}")
    return known


def arrow_type(leaf: Leaf, *, unit: str = "ns") -> Any:
    """The Arrow type of the values in their logical type; `unit` is that of INT96 (`int96_unit`).

    Raises CorruptFileError where the annotation contradicts the physical type or itself, UnsupportedFeatureError for a
    unit of time that is not known. An annotation that is not known leaves the physical type.
    """
    found = annotation(leaf)
    if found.problem is not None:
        raise found.problem
    if found.name in _TEXT:
        return pa.string()
    if found.name == "INTEGER":
        return _INTEGERS[found.bit_width, found.signed]
    if found.name == "DECIMAL":
        return decimal.arrow_type(found.precision, found.scale)
    if found.name == "DATE":
        return pa.date32()
    if found.name == "TIME":
        return pa.time32("ms") if found.unit == "ms" else pa.time64(found.unit)
    if found.name == "TIMESTAMP":
        return pa.timestamp(found.unit, "UTC" if found.utc else None)
    if found.name == "FLOAT16":
        return pa.float16()
    if found.name == "UNKNOWN":
        return pa.null()
    if leaf.physical_type == Type.INT96:
        return pa.timestamp(unit)
    return physical_arrow_type(leaf)


def to_arrow(physical: pa.Array, leaf: Leaf, *, unit: str | None = None) -> Any:
    """The physical array (no nulls) in its logical type; the buffers are shared where the bits are the same.

    `unit` is that of INT96, for which all chunks of a column have to agree (`int96_unit`); without it the values at
    hand decide. Text is not checked: invalid UTF-8 stays as it is, as in Arrow's own reader, and shows when it is
    turned into Python strings. An integer too large for its annotation keeps its low bits. Raises as `arrow_type`
    does, and CorruptFileError for decimals that do not fit.
    """
    if leaf.physical_type == Type.INT96 and unit is None:
        unit = int96_unit([physical])
    target = arrow_type(leaf, unit=unit or "ns")
    if target == physical.type:
        return physical
    if pa.types.is_null(target):
        return pa.nulls(len(physical))
    if leaf.physical_type == Type.INT96:
        return int96.to_arrow(physical, unit or "ns")
    found = annotation(leaf)
    if found.name == "DECIMAL":
        return decimal.to_arrow(physical, found.precision, found.scale)
    if found.name == "INTEGER" and found.bit_width < 32:
        low = physical.to_numpy(zero_copy_only=False).astype(target.to_pandas_dtype())
        return pa.array(low, type=target)
    if pa.types.is_large_binary(physical.type):
        target = pa.large_string() if pa.types.is_string(target) else physical.type
    return pa.Array.from_buffers(target, len(physical), physical.buffers(), 0, physical.offset)
