"""Converts an Arrow schema to the schema elements of the footer.

If Parquet can store an Arrow type in several ways (decimals, timestamps, lists), the options choose. The elements are
in the footer's order, parents first. `logical.annotation` checks whether an annotation fits its physical type.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import file_reference
from pqexplore.engine.format.encryption.keys import Path
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, FieldRepetitionType, SchemaElement
from pqexplore.engine.format.variant.shred import shredded_type
from pqexplore.engine.writer.annotations import annotate, describe_leaf, logical_name, shredded_as
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions

REQUIRED, OPTIONAL, REPEATED = (int(member) for member in FieldRepetitionType)

VARIANT_VERSION = 1
"""`VariantType.specification_version` of the Variants that are written."""

_ARROW_NAMES = {"STRING": "string", "INT64": "int64", "BYTE_ARRAY": "binary"}
FILE_FIELDS = {name: _ARROW_NAMES[type_] for name, type_ in file_reference.FIELDS.items()}
"""The fields of a FILE group, and their types, as Arrow calls them."""


def elements(schema: pa.Schema, options: WriteOptions) -> list[SchemaElement]:
    """The schema elements, the root first. Raises UsageError for a type that Parquet does not have."""
    out = [SchemaElement(name=options.root_name, num_children=len(schema))]
    for field in schema:
        _field(out, _Position(field.name, (field.name,), field.nullable, field.metadata), field.type, options)
    return out


@dataclasses.dataclass(frozen=True, slots=True)
class _Position:
    """A field's name, path, nullability, repetition and Arrow metadata. `shredded`: it is part of a VARIANT."""

    name: str
    path: Path
    nullable: bool
    metadata: dict[bytes, bytes] | None = None
    repeated: bool = False
    shredded: bool = False

    @property
    def repetition(self) -> int:
        return REPEATED if self.repeated else OPTIONAL if self.nullable else REQUIRED

    def below(self, name: str, nullable: bool, metadata: dict[bytes, bytes] | None = None) -> _Position:
        return _Position(name, (*self.path, name), nullable, metadata, shredded=self.shredded)


def _field(out: list[SchemaElement], position: _Position, kind: pa.DataType, options: WriteOptions) -> None:
    chosen = options.column(position.path)
    if isinstance(kind, pa.BaseExtensionType):
        kind, chosen = _extension(kind, chosen)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    element = SchemaElement(
        name=position.name, repetition_type=position.repetition, field_id=_field_id(position, chosen)
    )
    out.append(element)
    if pa.types.is_struct(kind):
        _struct(out, element, position, kind, chosen, options)
    elif pa.types.is_map(kind):
        _map(out, element, position, kind, chosen, options)
    elif _is_list(kind):
        _list(out, element, position, kind, chosen, options)
    else:
        if position.shredded and chosen.logical_type is None:
            chosen = dataclasses.replace(chosen, logical_type=shredded_as(kind))
        describe_leaf(element, kind, chosen, ".".join(position.path))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _extension(kind: Any, chosen: ColumnOptions) -> tuple[pa.DataType, ColumnOptions]:
    """The storage type of an extension type, and the options with its logical type."""
    known = {"arrow.uuid": "UUID", "arrow.json": "JSON"}.get(kind.extension_name)
    if known and chosen.logical_type is None:
        chosen = dataclasses.replace(chosen, logical_type=known)
    return kind.storage_type, chosen


def _field_id(position: _Position, chosen: ColumnOptions) -> int | None:
    if chosen.field_id is not None:
        return chosen.field_id
    field_id = (position.metadata or {}).get(b"PARQUET:field_id")
    return int(field_id) if field_id is not None else None


def _struct(
    out: list[SchemaElement],
    element: SchemaElement,
    position: _Position,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    path = ".".join(position.path)
    if not kind.num_fields:
        raise UsageError(f"{path}: a group needs at least one field; the struct has none")
    fields = list(kind)
    if chosen.logical_type is not None:
        name = logical_name(chosen.logical_type)
        if name == "VARIANT":
            fields = _variant_fields(path, kind)
            if chosen.shredding is not None:
                fields = _variant_fields(path, shredded_type(chosen.shredding))
            position = dataclasses.replace(position, shredded=True)
        elif name == "FILE":
            fields = _file_fields(path, kind)
        else:
            raise UsageError(f"{path}: {name} cannot annotate a struct; expected VARIANT or FILE")
        version = VARIANT_VERSION if name == "VARIANT" else None
        if not isinstance(chosen.logical_type, str):
            element.logicalType = chosen.logical_type
        else:
            value = structs.VariantType(specification_version=version) if version else structs.FileType()
            element.logicalType = structs.union_of(structs.LogicalType, name, value)
    element.num_children = len(fields)
    for field in fields:
        _field(out, position.below(field.name, field.nullable, field.metadata), field.type, options)


def _variant_fields(path: str, kind: pa.DataType) -> list[pa.Field]:
    """The fields: `metadata` is required, `value` too if nothing is shredded (specification, "VARIANT")."""
    names = [field.name for field in kind]
    if set(names) - {"metadata", "value", "typed_value"} or "metadata" not in names or len(names) < 2:
        raise UsageError(f"{path}: a VARIANT is a struct of metadata, value and typed_value, not {names}")
    shredded = "typed_value" in names
    return [field.with_nullable(field.name != "metadata" and (shredded or field.name != "value")) for field in kind]


def _file_fields(path: str, kind: pa.DataType) -> list[pa.Field]:
    for field in kind:
        want = FILE_FIELDS.get(field.name)
        if want is None or want != str(field.type).removeprefix("large_"):
            raise UsageError(
                f"{path}: {field.name} ({field.type}) is not a field of FILE; expected "
                + ", ".join(f"{name} ({type_})" for name, type_ in FILE_FIELDS.items())
            )
    return [field.with_nullable(True) for field in kind]


def _list(
    out: list[SchemaElement],
    element: SchemaElement,
    position: _Position,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    inner, shape = kind.value_field, chosen.list_shape
    if shape == "repeated":
        if position.repeated:
            raise UsageError(
                f"{'.'.join(position.path)}: list_shape='repeated' cannot store a list of lists, because a field repeats only once"
            )
        out.pop()
        _field(out, dataclasses.replace(position, nullable=False, repeated=True), inner.type, options)
        return
    element.num_children = 1
    annotate(element, structs.LogicalType(LIST=structs.ListType()), chosen)
    if shape in ("two-level", "tuple"):
        name = "array" if shape == "two-level" else position.name + "_tuple"
        below = dataclasses.replace(position.below(name, False), repeated=True)
        _field(out, below, inner.type, options)
        return
    middle, name = ("list", "element") if shape == "three-level" else ("bag", "array_element")
    out.append(SchemaElement(name=middle, repetition_type=REPEATED, num_children=1))
    below = position.below(middle, False).below(name, inner.nullable, inner.metadata)
    _field(out, below, inner.type, options)


def _map(
    out: list[SchemaElement],
    element: SchemaElement,
    position: _Position,
    kind: pa.DataType,
    chosen: ColumnOptions,
    options: WriteOptions,
) -> None:
    if position.repeated:
        raise UsageError(
            f"{'.'.join(position.path)}: list_shape={chosen.list_shape!r} would repeat a MAP group, which must be optional or "
            "required"
        )
    element.num_children = 1
    entries = SchemaElement(name="key_value", repetition_type=REPEATED, num_children=2)
    if chosen.map_shape == "key_value":
        annotate(element, structs.LogicalType(MAP=structs.MapType()), chosen)
    else:
        element.converted_type = ConvertedType.MAP_KEY_VALUE
        entries.name = "map"
    out.append(entries)
    repeated = position.below(entries.name, False)
    _field(out, repeated.below("key", False, kind.key_field.metadata), kind.key_type, options)
    item = kind.item_field
    _field(out, repeated.below("value", item.nullable, item.metadata), kind.item_type, options)
