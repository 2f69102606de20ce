"""An Arrow schema as the footer's schema elements.

Arrow's types say what values are, not how they are stored; where Parquet has several ways (decimals, timestamps, lists)
the options choose. The elements are made in the footer's order, parents first. Whether an annotation suits its
physical type is the reader's rule (`logical.annotation`), and asked there, not here.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from pqexplore.engine.encryption.keys import Path
from pqexplore.engine.errors import UsageError
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import ConvertedType, FieldRepetitionType, SchemaElement, Type
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions

REQUIRED, OPTIONAL, REPEATED = (int(member) for member in FieldRepetitionType)

VARIANT_VERSION = 1
"""`VariantType.specification_version` of the Variants that are written."""

FILE_FIELDS = {
    "uri": "string",
    "offset": "int64",
    "size": "int64",
    "content_type": "string",
    "checksum": "string",
    "inline": "binary",
}
"""The fields of a FILE group, and their types, as Arrow calls them."""


def elements(schema: pa.Schema, options: WriteOptions) -> list[SchemaElement]:
    """The schema elements, the root first; UsageError for a type that Parquet, or the option, does not have."""
    out = [SchemaElement(name=options.root_name, num_children=len(schema))]
    for field in schema:
        _field(out, _Place(field.name, (field.name,), field.nullable, field.metadata), field.type, options)
    return out


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Where a field stands: its name, its path, whether it may be null or repeats, and Arrow's notes about it."""

    name: str
    path: Path
    nullable: bool
    metadata: dict[bytes, bytes] | None = None
    repeated: bool = False

    @property
    def repetition(self) -> int:
        return REPEATED if self.repeated else OPTIONAL if self.nullable else REQUIRED

    def below(self, name: str, nullable: bool, metadata: Any = None) -> _Place:
        return _Place(name, (*self.path, name), nullable, metadata)


def _field(out: list[SchemaElement], place: _Place, kind: pa.DataType, options: WriteOptions) -> None:
    chosen = options.column(place.path)
    if isinstance(kind, pa.BaseExtensionType):
        kind, chosen = _extension(kind, chosen)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    element = SchemaElement(
        name=place.name, repetition_type=place.repetition, field_id=_field_id(place, chosen)
    )
    out.append(element)
    if pa.types.is_struct(kind):
        _struct(out, element, place, kind, chosen, options)
    elif pa.types.is_map(kind):
        _map(out, element, place, kind, chosen, options)
    elif _is_list(kind):
        _list(out, element, place, kind, chosen, options)
    else:
        _leaf(element, kind, chosen, ".".join(place.path))


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _extension(kind: Any, chosen: ColumnOptions) -> tuple[pa.DataType, ColumnOptions]:
    """The storage of an extension type, with the annotation that it stands for."""
    known = {"arrow.uuid": "UUID", "arrow.json": "JSON"}.get(kind.extension_name)
    if known and chosen.logical_type is None:
        chosen = dataclasses.replace(chosen, logical_type=known)
    return kind.storage_type, chosen


def _field_id(place: _Place, chosen: ColumnOptions) -> int | None:
    if chosen.field_id is not None:
        return chosen.field_id
    noted = (place.metadata or {}).get(b"PARQUET:field_id")
    return int(noted) if noted is not None else None


def _struct(
    out: list[SchemaElement],
    element: SchemaElement,
    place: _Place,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    path = ".".join(place.path)
    if not kind.num_fields:
        raise UsageError(f"{path}: a group needs at least one field, and the struct has none")
    element.num_children = kind.num_fields
    fields = list(kind)
    if chosen.logical_type is not None:
        name = logical_name(chosen.logical_type)
        if name == "VARIANT":
            fields = _variant_fields(path, kind)
        elif name == "FILE":
            fields = _file_fields(path, kind)
        else:
            raise UsageError(f"{path}: {name} does not annotate groups of this kind")
        version = VARIANT_VERSION if name == "VARIANT" else None
        element.logicalType = chosen.logical_type
        if isinstance(chosen.logical_type, str):
            value = (
                structs.VariantType(specification_version=version) if version else structs.FileType()
            )
            element.logicalType = structs.LogicalType(**{name: value})
    for field in fields:
        _field(out, place.below(field.name, field.nullable, field.metadata), field.type, options)


def _variant_fields(path: str, kind: pa.DataType) -> list[pa.Field]:
    """`metadata` is required, and so is `value` where nothing is shredded (specification, "VARIANT")."""
    names = [field.name for field in kind]
    if set(names) - {"metadata", "value", "typed_value"} or "metadata" not in names or len(names) < 2:
        raise UsageError(f"{path}: a VARIANT is a struct of metadata, value and typed_value, not {names}")
    shredded = "typed_value" in names
    return [
        field.with_nullable(field.name != "metadata" and (shredded or field.name != "value"))
        for field in kind
    ]


def _file_fields(path: str, kind: pa.DataType) -> list[pa.Field]:
    for field in kind:
        want = FILE_FIELDS.get(field.name)
        if want is None or want != str(field.type).removeprefix("large_"):
            raise UsageError(
                f"{path}: {field.name} ({field.type}) is no field of FILE; those are "
                + ", ".join(f"{name} ({type_})" for name, type_ in FILE_FIELDS.items())
            )
    return [field.with_nullable(True) for field in kind]


def _list(
    out: list[SchemaElement],
    element: SchemaElement,
    place: _Place,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    inner, shape = kind.value_field, chosen.list_shape
    if shape == "repeated":
        if place.repeated:
            raise UsageError(
                f"{'.'.join(place.path)}: a list of lists cannot be a repeated field: a field repeats once"
            )
        out.pop()
        _field(out, dataclasses.replace(place, nullable=False, repeated=True), inner.type, options)
        return
    element.num_children = 1
    _annotate(element, structs.LogicalType(LIST=structs.ListType()), chosen)
    if shape in ("two-level", "tuple"):
        name = "array" if shape == "two-level" else place.name + "_tuple"
        below = dataclasses.replace(place.below(name, False), repeated=True)
        _field(out, below, inner.type, options)
        return
    middle, name = ("list", "element") if shape == "three-level" else ("bag", "array_element")
    out.append(SchemaElement(name=middle, repetition_type=REPEATED, num_children=1))
    below = place.below(middle, False).below(name, inner.nullable, inner.metadata)
    _field(out, below, inner.type, options)


def _map(
    out: list[SchemaElement],
    element: SchemaElement,
    place: _Place,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    element.num_children = 1
    entries = SchemaElement(name="key_value", repetition_type=REPEATED, num_children=2)
    if chosen.map_shape == "key_value":
        _annotate(element, structs.LogicalType(MAP=structs.MapType()), chosen)
    else:
        element.converted_type = ConvertedType.MAP_KEY_VALUE
        entries.name = "map"
    out.append(entries)
    repeated = place.below(entries.name, False)
    _field(out, repeated.below("key", False, kind.key_field.metadata), kind.key_type, options)
    item = kind.item_field
    _field(out, repeated.below("value", item.nullable, item.metadata), kind.item_type, options)


def _annotate(element: SchemaElement, logical: structs.LogicalType, chosen: ColumnOptions) -> None:
    """Set the logical type, the converted type that means the same, or both, as the options ask."""
    converted = converted_type(logical)
    if chosen.annotations != "logical" and converted is not None:
        element.converted_type = int(converted)
        if logical.DECIMAL is not None:
            element.scale, element.precision = logical.DECIMAL.scale, logical.DECIMAL.precision
    if chosen.annotations != "converted":
        element.logicalType = logical


def _leaf(element: SchemaElement, kind: pa.DataType, chosen: ColumnOptions, path: str) -> None:
    logical, physical, length = _stored_as(kind, path)
    if chosen.logical_type is not None:
        logical = _chosen_type(chosen.logical_type, path)
    if pa.types.is_decimal(kind) or (chosen.logical_type is not None and logical and logical.DECIMAL):
        physical, length = _decimal_storage(logical, physical, length)
    element.type = int(physical if chosen.physical_type is None else chosen.physical_type)
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
        _annotate(element, logical, chosen)


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
    """The LogicalType of an option; a name stands for one without parameters, NONE and INTERVAL for none."""
    if not isinstance(logical, str):
        return logical
    name = logical.upper()
    if name in ("NONE", "INTERVAL"):
        return None
    field = next((f for f in structs.LogicalType.FIELDS if f.name == name), None)
    if field is None or field.struct is None:
        known = ", ".join(f.name for f in structs.LogicalType.FIELDS)
        raise UsageError(f"{path}: logical_type={logical!r}: there are {known}, INTERVAL and NONE")
    if any(f.required for f in field.struct.FIELDS):
        raise UsageError(f"{path}: {name} has parameters; give a structs.LogicalType")
    return structs.LogicalType(**{name: field.struct()})


def _stored_as(
    kind: pa.DataType, path: str
) -> tuple[structs.LogicalType | None, int | None, int | None]:
    """Logical type, physical type and type length of an Arrow type."""
    types = pa.types
    simple = {
        pa.bool_(): Type.BOOLEAN,
        pa.int32(): Type.INT32,
        pa.int64(): Type.INT64,
        pa.float32(): Type.FLOAT,
        pa.float64(): Type.DOUBLE,
    }.get(kind)
    if simple is not None:
        return None, int(simple), None
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
    if types.is_duration(kind):
        return None, int(Type.INT64), None
    if types.is_float16(kind):
        return structs.LogicalType(FLOAT16=structs.Float16Type()), int(Type.FIXED_LEN_BYTE_ARRAY), 2
    if types.is_null(kind):
        return structs.LogicalType(UNKNOWN=structs.NullType()), int(Type.INT32), None
    if kind == pa.month_day_nano_interval():
        return None, int(Type.FIXED_LEN_BYTE_ARRAY), 12
    if types.is_decimal(kind):
        decimal = structs.DecimalType(scale=kind.scale, precision=kind.precision)
        return structs.LogicalType(DECIMAL=decimal), None, None
    raise UsageError(f"{path}: Parquet has no type for Arrow's {kind}")


def _decimal_storage(
    logical: structs.LogicalType | None, physical: int | None, length: int | None
) -> tuple[int | None, int | None]:
    """The narrowest storage of a decimal: INT32 to 9 digits, INT64 to 18, then as many bytes as it takes."""
    if physical is not None or logical is None or logical.DECIMAL is None:
        return physical, length
    precision = logical.DECIMAL.precision
    if precision <= 18:
        return int(Type.INT32 if precision <= 9 else Type.INT64), None
    return int(Type.FIXED_LEN_BYTE_ARRAY), decimal_bytes(precision)


def decimal_bytes(precision: int) -> int:
    """Bytes of two's complement that hold every number of so many digits."""
    return (int("9" * precision).bit_length() + 8) // 8


_UNITS = {
    "ms": ("MILLIS", structs.MilliSeconds),
    "us": ("MICROS", structs.MicroSeconds),
    "ns": ("NANOS", structs.NanoSeconds),
}


def _unit(unit: str) -> structs.TimeUnit:
    name, kind = _UNITS[unit]
    return structs.TimeUnit(**{name: kind()})


_CONVERTED = {
    "STRING": ConvertedType.UTF8,
    "MAP": ConvertedType.MAP,
    "LIST": ConvertedType.LIST,
    "ENUM": ConvertedType.ENUM,
    "DECIMAL": ConvertedType.DECIMAL,
    "DATE": ConvertedType.DATE,
    "JSON": ConvertedType.JSON,
    "BSON": ConvertedType.BSON,
}


def converted_type(logical: structs.LogicalType) -> int | None:
    """The ConvertedType that means the same as a logical type; None where there is none."""
    chosen = structs.union_field(logical)
    if chosen is None:
        return None
    name, value = chosen
    if name == "INTEGER":
        return int(ConvertedType[f"{'INT' if value.isSigned else 'UINT'}_{value.bitWidth}"])
    if name in ("TIME", "TIMESTAMP"):
        unit = structs.union_field(value.unit)
        if not value.isAdjustedToUTC or unit is None or unit[0] == "NANOS":
            return None
        return int(ConvertedType[f"{name}_{unit[0]}"])
    return None if name not in _CONVERTED else int(_CONVERTED[name])
