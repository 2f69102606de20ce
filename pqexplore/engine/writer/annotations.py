"""Maps an Arrow type to the physical, logical and converted type of a leaf."""

from __future__ import annotations

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.converted import converted_type
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, SchemaElement, Type
from pqexplore.engine.writer.options import ColumnOptions


def annotate(element: SchemaElement, logical: structs.LogicalType, chosen: ColumnOptions) -> None:
    """Set the logical type, the corresponding converted type, or both, as `chosen.annotations` says.

    A converted type alone would turn local times into times in UTC, so they then have none.
    """
    converted = converted_type(logical)
    time = logical.TIME or logical.TIMESTAMP
    if chosen.annotations == "converted" and time is not None and not time.isAdjustedToUTC:
        converted = None
    if chosen.annotations != "logical" and converted is not None:
        element.converted_type = int(converted)
        if logical.DECIMAL is not None:
            element.scale, element.precision = logical.DECIMAL.scale, logical.DECIMAL.precision
    if chosen.annotations != "converted":
        element.logicalType = logical


def describe_leaf(element: SchemaElement, kind: pa.DataType, chosen: ColumnOptions, path: str) -> None:
    """Set the types of a leaf's element. Raises UsageError if Parquet has no such type, or the options do not fit."""
    logical, physical, length = _stored_as(kind, path)
    if chosen.logical_type is not None:
        logical = _chosen_type(chosen.logical_type, path)
    if physical is None and logical is not None and logical.DECIMAL is not None:
        physical, length = _decimal_storage(logical.DECIMAL.precision)
    physical = physical if chosen.physical_type is None else int(chosen.physical_type)
    if physical is None:
        raise UsageError(f"{path}: {kind} has no physical type of its own; expected the logical type DECIMAL")
    element.type = physical
    if element.type == Type.INT96:
        logical = None
    if element.type == Type.FIXED_LEN_BYTE_ARRAY:
        if chosen.type_length is not None:
            length = chosen.type_length
        elif length is None and logical is not None and logical.DECIMAL is not None:
            length = decimal_bytes(logical.DECIMAL.precision)
        if length is None:
            raise UsageError(f"{path}: FIXED_LEN_BYTE_ARRAY needs a type_length")
        element.type_length = length
    if _is_interval(kind, chosen):
        element.converted_type = int(ConvertedType.INTERVAL)
    elif logical is not None:
        annotate(element, logical, chosen)


def shredded_as(kind: pa.DataType) -> structs.LogicalType | None:
    """The logical type of a shredded Variant's column if it is not the one of Arrow's type; else None.

    Source: "Variant Shredding", section "Shredded Value Types".
    """
    if kind == pa.binary(16):
        return structs.LogicalType(UUID=structs.UUIDType())
    if kind == pa.time64("us"):
        time = structs.TimeType(isAdjustedToUTC=False, unit=_unit("us"))
        return structs.LogicalType(TIME=time)
    return None


def _is_interval(kind: pa.DataType, chosen: ColumnOptions) -> bool:
    if isinstance(chosen.logical_type, str):
        return chosen.logical_type.upper() == "INTERVAL"
    return chosen.logical_type is None and kind == pa.month_day_nano_interval()


def logical_name(logical: structs.LogicalType | str | None) -> str:
    """The name of a logical type, or NONE."""
    if isinstance(logical, str):
        return logical.upper()
    chosen = structs.union_field(logical)
    return chosen[0] if chosen else "NONE"


def _chosen_type(logical: structs.LogicalType | str, path: str) -> structs.LogicalType | None:
    """The LogicalType of an option, which is a name if it has no parameters; None for NONE and INTERVAL."""
    if not isinstance(logical, str):
        return logical
    name = logical.upper()
    if name in ("NONE", "INTERVAL"):
        return None
    field = next((f for f in structs.LogicalType.FIELDS if f.name == name), None)
    if field is None or field.struct is None:
        known = ", ".join(f.name for f in structs.LogicalType.FIELDS)
        raise UsageError(f"{path}: logical_type={logical!r} is unknown; expected {known}, INTERVAL or NONE")
    if any(f.required for f in field.struct.FIELDS):
        raise UsageError(f"{path}: {name} has parameters; give a structs.LogicalType")
    return structs.union_of(structs.LogicalType, name, field.struct())


_WITHOUT_ANNOTATION: dict[pa.DataType, tuple[Type, int | None]] = {
    pa.bool_(): (Type.BOOLEAN, None),
    pa.int32(): (Type.INT32, None),
    pa.int64(): (Type.INT64, None),
    pa.float32(): (Type.FLOAT, None),
    pa.float64(): (Type.DOUBLE, None),
    pa.month_day_nano_interval(): (Type.FIXED_LEN_BYTE_ARRAY, 12),
    **{pa.duration(unit): (Type.INT64, None) for unit in ("s", "ms", "us", "ns")},
}
"""Physical type and type length of Arrow types without a logical type."""


def _stored_as(kind: pa.DataType, path: str) -> tuple[structs.LogicalType | None, int | None, int | None]:
    """Logical type, physical type and type length of an Arrow type."""
    types = pa.types
    if kind in _WITHOUT_ANNOTATION:
        physical, length = _WITHOUT_ANNOTATION[kind]
        return None, int(physical), length
    if types.is_integer(kind):
        signed = bool(types.is_signed_integer(kind))
        integer = structs.IntType(bitWidth=kind.bit_width, isSigned=signed)
        physical = Type.INT64 if kind.bit_width == 64 else Type.INT32
        return structs.LogicalType(INTEGER=integer), int(physical), None
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return structs.LogicalType(STRING=structs.StringType()), int(Type.BYTE_ARRAY), None
    if types.is_fixed_size_binary(kind):
        return None, int(Type.FIXED_LEN_BYTE_ARRAY), int(kind.byte_width)
    if types.is_binary(kind) or types.is_large_binary(kind) or str(kind) == "binary_view":
        return None, int(Type.BYTE_ARRAY), None
    if types.is_date(kind):
        return structs.LogicalType(DATE=structs.DateType()), int(Type.INT32), None
    if types.is_time(kind):
        unit = "ms" if kind.unit == "s" else kind.unit
        time = structs.TimeType(isAdjustedToUTC=True, unit=_unit(unit))
        physical = Type.INT32 if unit == "ms" else Type.INT64
        return structs.LogicalType(TIME=time), int(physical), None
    if types.is_timestamp(kind):
        unit = "ms" if kind.unit == "s" else kind.unit
        stamp = structs.TimestampType(isAdjustedToUTC=kind.tz is not None, unit=_unit(unit))
        return structs.LogicalType(TIMESTAMP=stamp), int(Type.INT64), None
    if types.is_float16(kind):
        return structs.LogicalType(FLOAT16=structs.Float16Type()), int(Type.FIXED_LEN_BYTE_ARRAY), 2
    if types.is_null(kind):
        return structs.LogicalType(UNKNOWN=structs.NullType()), int(Type.INT32), None
    if types.is_decimal(kind):
        decimal = structs.DecimalType(scale=kind.scale, precision=kind.precision)
        return structs.LogicalType(DECIMAL=decimal), None, None
    raise UsageError(f"{path}: Parquet has no type for Arrow's {kind}")


def _decimal_storage(precision: int) -> tuple[int, int | None]:
    """The narrowest storage of a decimal: INT32 up to 9 digits, INT64 up to 18, else fixed-length bytes."""
    if precision <= 18:
        return int(Type.INT32 if precision <= 9 else Type.INT64), None
    return int(Type.FIXED_LEN_BYTE_ARRAY), decimal_bytes(precision)


def decimal_bytes(precision: int) -> int:
    """Bytes of two's complement that hold every number of `precision` digits."""
    return (int("9" * precision).bit_length() + 8) // 8


_UNITS = {
    "ms": ("MILLIS", structs.MilliSeconds),
    "us": ("MICROS", structs.MicroSeconds),
    "ns": ("NANOS", structs.NanoSeconds),
}


def _unit(unit: str) -> structs.TimeUnit:
    name, kind = _UNITS[unit]
    return structs.union_of(structs.TimeUnit, name, kind())
