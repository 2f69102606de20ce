"""The annotation of a schema element: its logical type, or the one that its converted type stands for.

There are two generations of annotations, and a file can have either or both; the logical type takes precedence.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType

CONVERTED_NULL = 24
"""A converted type that the format does not have: old versions of parquet-cpp wrote it on columns of nulls."""

_CONVERTED_INTEGERS: dict[int | None, tuple[int, bool]] = {
    ConvertedType.UINT_8: (8, False),
    ConvertedType.UINT_16: (16, False),
    ConvertedType.UINT_32: (32, False),
    ConvertedType.UINT_64: (64, False),
    ConvertedType.INT_8: (8, True),
    ConvertedType.INT_16: (16, True),
    ConvertedType.INT_32: (32, True),
    ConvertedType.INT_64: (64, True),
}
_CONVERTED_TIMES: dict[int | None, tuple[str, str]] = {
    ConvertedType.TIME_MILLIS: ("TIME", "MILLIS"),
    ConvertedType.TIME_MICROS: ("TIME", "MICROS"),
    ConvertedType.TIMESTAMP_MILLIS: ("TIMESTAMP", "MILLIS"),
    ConvertedType.TIMESTAMP_MICROS: ("TIMESTAMP", "MICROS"),
}
_CONVERTED_SIMPLE: dict[int | None, tuple[str, type[structs.Struct]]] = {
    ConvertedType.UTF8: ("STRING", structs.StringType),
    ConvertedType.MAP: ("MAP", structs.MapType),
    ConvertedType.MAP_KEY_VALUE: ("MAP", structs.MapType),
    ConvertedType.LIST: ("LIST", structs.ListType),
    ConvertedType.ENUM: ("ENUM", structs.EnumType),
    ConvertedType.DATE: ("DATE", structs.DateType),
    ConvertedType.JSON: ("JSON", structs.JsonType),
    ConvertedType.BSON: ("BSON", structs.BsonType),
}
_TIME_UNITS = {
    "MILLIS": structs.MilliSeconds,
    "MICROS": structs.MicroSeconds,
    "NANOS": structs.NanoSeconds,
}


def logical_type(element: structs.SchemaElement) -> structs.LogicalType | None:
    """The logical type of a schema element, or else the one that its converted type stands for.

    None if there is no annotation, and for INTERVAL, which has a converted type only (`logical.annotation` handles it).
    A logical type that this version does not know is a union without a field, unless there is a converted type.
    """
    stated = element.logicalType
    if structs.union_field(stated) is not None:
        return stated
    converted = element.converted_type
    if converted in _CONVERTED_SIMPLE:
        name, struct = _CONVERTED_SIMPLE[converted]
        return structs.union_of(structs.LogicalType, name, struct())
    if converted in _CONVERTED_INTEGERS:
        width, signed = _CONVERTED_INTEGERS[converted]
        return structs.LogicalType(INTEGER=structs.IntType(bitWidth=width, isSigned=signed))
    if converted in _CONVERTED_TIMES:
        name, unit = _CONVERTED_TIMES[converted]
        kind = structs.TimeType if name == "TIME" else structs.TimestampType
        counted = structs.union_of(structs.TimeUnit, unit, _TIME_UNITS[unit]())
        time = kind(isAdjustedToUTC=True, unit=counted)
        return structs.union_of(structs.LogicalType, name, time)
    if converted == ConvertedType.DECIMAL:
        decimal = structs.DecimalType(scale=element.scale or 0, precision=element.precision or 0)
        return structs.LogicalType(DECIMAL=decimal)
    if converted == CONVERTED_NULL:
        return structs.LogicalType(UNKNOWN=structs.NullType())
    return None if converted == ConvertedType.INTERVAL else stated


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """What the values of a leaf mean.

    `name` is the specification's (`TIMESTAMP`, `DECIMAL`, …), empty if there is no annotation. `unit` is `ms`, `us` or
    `ns`; `utc` is true for instants, false for local times. `problem` says why the annotation cannot be used to decode
    the values, None if it can.
    """

    name: str = ""
    unit: str = ""
    utc: bool = False
    precision: int = 0
    scale: int = 0
    bit_width: int = 0
    signed: bool = True
    crs: str | None = None
    algorithm: int | None = None
    problem: ParquetError | None = None
