"""Checks the annotations of fields: logical types, their converted types, and reference systems of geometries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.file.value_findings import as_binary
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.converted import converted_type
from pqexplore.engine.format.field import CONVERTED_NULL, Annotation, Field, Leaf, logical_type
from pqexplore.engine.format.logical import TEXT, UNRECOGNISED, annotation, describe
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, EdgeInterpolationAlgorithm, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import name as column_name

INT32_DIGITS = 9
"""Digits of a decimal that fits into an INT32."""
GROUPS = ("LIST", "MAP", "FILE", "VARIANT")
"""Logical types that annotate groups."""

CONVERTED = (
    "Parquet writers must always write LogicalType annotations where applicable, but must also write the corresponding "
    "ConvertedType annotations (if any) to maintain compatibility with old readers"
)
LOCAL_TIMES = (
    "Despite there is no exact corresponding ConvertedType for local time semantic, in order to support forward "
    "compatibility with those libraries, which annotated their local time with legacy TIME_MICROS and TIME_MILLIS "
    "annotation, Parquet writer implementation must annotate local time with legacy annotations too"
)
DECIMAL_FIELDS = (
    "To support compatibility with older readers, implementations of parquet-format should write DecimalType precision "
    "and scale into the corresponding SchemaElement field in metadata"
)
CUSTOM_CRS = (
    "custom CRS values can be specified by a string of the format type:identifier. projjson: PROJJSON, identifier is the "
    "name of a table property or a file property where the projjson string is stored"
)


def findings(field: Field, address: str, pairs: Mapping[str, str | None]) -> Iterator[Finding]:
    """Findings about the annotations of a leaf or a group. `pairs` are the file's key-value metadata."""
    logical = field.element.logicalType
    chosen = [
        one.name for one in structs.LogicalType.FIELDS if logical is not None and getattr(logical, one.name) is not None
    ]
    if len(chosen) > 1:
        yield Finding(
            "annotation",
            address,
            f"field {column_name(field.path)} has {len(chosen)} logical types: {', '.join(chosen)}; a union has one field",
            {"logical_types": chosen},
        )
        return
    wrong = list(_leaf(field, address, pairs) if isinstance(field, Leaf) else _group(field, address))
    yield from wrong
    yield from _converted(field, address, sound=all(one.severity is Severity.NOTE for one in wrong))


def _leaf(leaf: Leaf, address: str, pairs: Mapping[str, str | None]) -> Iterator[Finding]:
    logical = annotation(leaf)
    if not logical.name and leaf.physical_type != Type.INT96:
        return
    path = ".".join(leaf.path)
    if logical.problem is not None:
        unknown = isinstance(logical.problem, UnsupportedFeatureError)
        yield Finding(
            "unsupported" if unknown else "annotation",
            address,
            logical.problem.message,
            {"physical_type": leaf.physical_type, "annotation": logical.name},
        )
    elif logical.name == UNRECOGNISED:
        yield Finding(
            "unsupported",
            address,
            f"column {column_name(path)} has a logical type that is unknown to this version; its values are read as stored",
        )
    elif logical.name == "DECIMAL":
        yield from _decimal(leaf, logical, path, address)
    elif logical.name in ("GEOMETRY", "GEOGRAPHY"):
        yield from _geospatial(logical, path, address, pairs)
    if leaf.physical_type == Type.INT96:
        yield Finding(
            "int96-deprecated",
            address,
            f"column {column_name(path)} is INT96, which is deprecated; INT64 with TIMESTAMP replaces it",
        )


def _decimal(leaf: Leaf, logical: Annotation, path: str, address: str) -> Iterator[Finding]:
    wide = as_binary(leaf)
    if wide is not None:
        yield wide
    elif leaf.physical_type == Type.INT64 and logical.precision <= INT32_DIGITS:
        yield Finding(
            "decimal-in-int64",
            address,
            f"column {column_name(path)} stores {describe(leaf)} as INT64; INT32 holds {INT32_DIGITS} digits",
            {"precision": logical.precision},
        )


def _group(group: Field, address: str) -> Iterator[Finding]:
    element = group.element
    if element.logicalType is None and element.converted_type is None:
        return
    path = ".".join(group.path)
    chosen = structs.union_field(logical_type(element))
    name = None if chosen is None else chosen[0]
    if element.converted_type == ConvertedType.INTERVAL and name is None:
        name = "INTERVAL"
    if name == "UNKNOWN" and element.converted_type == ConvertedType.MAP_KEY_VALUE:
        yield Finding(
            "map-key-value-unknown",
            address,
            f"group {column_name(path)} has the logical type UNKNOWN beside MAP_KEY_VALUE, which has no logical type; readers go by "
            "the MAP around it",
        )
    elif name is not None and name not in GROUPS:
        yield Finding(
            "annotation",
            address,
            f"group {column_name(path)} is annotated as {name}, which can annotate columns only",
            {"annotation": name},
        )
    elif name is None and element.logicalType is not None:
        yield Finding(
            "unsupported",
            address,
            f"group {column_name(path)} has a logical type that is unknown to this version; it is read as a plain group",
        )


def _converted(field: Field, address: str, *, sound: bool) -> Iterator[Finding]:
    """Compares the converted type with the logical type. `sound`: whether the annotation fits the field."""
    element = field.element
    old, stated = element.converted_type, structs.union_field(element.logicalType)
    if old is None:
        if stated is not None and sound:
            yield from _converted_absent(field, stated[0], address)
        return
    path = ".".join(field.path)
    if old not in tuple(ConvertedType):
        yield Finding(
            "converted-type-unknown",
            address,
            f"field {column_name(path)} has the converted type {old}; 0 to {int(max(ConvertedType))} exist"
            + ("; 24 is read as UNKNOWN" if old == CONVERTED_NULL else ""),
            {"converted_type": old},
            severity=Severity.NOTE if old == CONVERTED_NULL else Severity.PORTABILITY,
        )
    elif stated is None:
        if old != ConvertedType.INTERVAL:
            yield Finding(
                "converted-type-only",
                address,
                "annotations are converted types only, which are deprecated; logical types replace them",
                {"field": path},
            )
    elif stated[0] == "DECIMAL" and old == ConvertedType.DECIMAL:
        yield from _decimal_fields(field, address)
    elif not _compatible(element.logicalType, old):
        alone = structs.union_field(logical_type(structs.SchemaElement(converted_type=old)))
        both_text = stated[0] in TEXT and alone is not None and alone[0] in TEXT
        yield Finding(
            "converted-type-disagrees",
            address,
            f"field {column_name(path)} is {_spelt(stated)} by its logical type and {'INTERVAL' if alone is None else _spelt(alone)} by "
            f"its converted type {structs.enum_name(ConvertedType, old)}; old readers use the converted type",
            {"logical_type": repr(stated[1]), "converted_type": old},
            severity=Severity.PORTABILITY if both_text else Severity.DAMAGE,
        )


def _converted_absent(field: Field, name: str, address: str) -> Iterator[Finding]:
    wanted = converted_type(field.element.logicalType)
    if wanted is None or wanted in (ConvertedType.INT_32, ConvertedType.INT_64):
        return  # these two are implied by the physical type
    logical = field.element.logicalType
    time = None if logical is None else logical.TIME or logical.TIMESTAMP
    if time is not None and not time.isAdjustedToUTC:
        yield Finding(
            "local-time-converted-type",
            address,
            f"field {column_name(field.path)} is a local {name} and lacks the converted type "
            f"{structs.enum_name(ConvertedType, wanted)}; old readers read a number",
            {"logical_type": name, "expected": wanted},
        )
        return
    yield Finding(
        "converted-type-absent",
        address,
        f"field {column_name(field.path)} is {name} and lacks the converted type {structs.enum_name(ConvertedType, wanted)}, by which old "
        "readers know it",
        {"logical_type": name, "expected": wanted},
    )


def _decimal_fields(field: Field, address: str) -> Iterator[Finding]:
    """The scale and precision of the SchemaElement must be those of the logical type."""
    element, path = field.element, ".".join(field.path)
    decimal = element.logicalType.DECIMAL if element.logicalType is not None else None
    if decimal is None or structs.missing(decimal):
        return
    scale, precision = element.scale or 0, element.precision  # an absent scale is 0
    if (scale, precision) == (decimal.scale, decimal.precision):
        return
    elsewhere = (
        "the SchemaElement has no precision; old readers need it"
        if precision is None
        else f"DECIMAL(scale {scale}, precision {precision}) by its converted type DECIMAL; old readers use the "
        "converted type"
    )
    yield Finding(
        "decimal-fields-disagree",
        address,
        f"field {column_name(path)} is {_spelt(('DECIMAL', decimal))} by its logical type and {elsewhere}",
        {"precision": element.precision, "scale": element.scale},
        severity=Severity.PORTABILITY if precision is None else Severity.DAMAGE,
    )


def _spelt(annotation: tuple[str, structs.Struct]) -> str:
    """A logical type with its parameters: `INTEGER(bitWidth 8, isSigned true)`."""
    name, struct = annotation
    parts = []
    for field in struct.FIELDS:
        value = getattr(struct, field.name)
        if value is not None:
            unit = structs.union_field(value) if isinstance(value, structs.TimeUnit) else None
            parts.append(f"{field.name} {unit[0] if unit else str(value).lower()}")
    return f"{name}({', '.join(parts)})" if parts else name


def _compatible(new: structs.LogicalType | None, old: int) -> bool:
    """Whether the specification pairs a converted type (`old`) with a logical type (`new`)."""
    chosen = structs.union_field(new)
    name = None if chosen is None else chosen[0]
    if name == "UNKNOWN" or (name == "MAP" and old == ConvertedType.MAP_KEY_VALUE):
        return True
    return converted_type(new) == old


def _geospatial(logical: Annotation, path: str, address: str, pairs: Mapping[str, str | None]) -> Iterator[Finding]:
    if logical.algorithm is not None and logical.algorithm not in tuple(EdgeInterpolationAlgorithm):
        yield Finding(
            "edge-algorithm-unknown",
            address,
            f"column {column_name(path)} has the edge interpolation algorithm {logical.algorithm}; 0 to "
            f"{int(max(EdgeInterpolationAlgorithm))} exist",
            {"algorithm": logical.algorithm},
        )
    if logical.crs is None:
        return
    problem, definition = _crs(logical.crs, pairs)
    if problem:
        yield Finding("crs", address, f"column {column_name(path)}: {problem}")
    elif logical.name == "GEOGRAPHY" and definition.get("type") == "ProjectedCRS":
        yield Finding(
            "crs-not-geographic",
            address,
            f"column {column_name(path)} is GEOGRAPHY and its CRS is a ProjectedCRS; its coordinates are not longitudes and latitudes",
            {"name": definition.get("name")},
        )


def _crs(crs: str, pairs: Mapping[str, str | None]) -> tuple[str, dict[str, object]]:
    """What is wrong with a CRS ("" if nothing), and its PROJJSON if it has one."""
    kind, _, identifier = crs.partition(":")
    if not crs:
        return "the crs is empty; if it is left out, it is OGC:CRS84", {}
    if kind == "srid" and not identifier.isdecimal():
        return f"the crs srid: names the SRID {identifier[:80]!r}, which is no number", {}
    if kind == "projjson":
        if identifier not in pairs:
            return (
                f"the crs names the property {identifier[:80]!r}, which the file's key-value metadata lacks; without "
                "that property of a table, the coordinates have no known reference system"
            ), {}
        where, text = f"the property {identifier[:80]!r}", pairs[identifier] or ""
    elif crs.startswith("{"):
        where, text = "the crs", crs
    else:
        return "", {}
    try:
        definition = json.loads(text)
    except (ValueError, RecursionError):
        definition = None
    return ("", definition) if isinstance(definition, dict) else (f"{where} is not PROJJSON", {})
