"""The schema: annotations that fit their types, lists and maps of the right shape, names and ids that tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.logical import UNRECOGNISED, annotation, describe, logical_type
from pqexplore.engine.schema import OPTIONAL, REPEATED, REQUIRED, Field, Leaf
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import ConvertedType, Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

ARROW_DIGITS = 76
"""Digits that Arrow's widest decimal holds."""

CONVERTED = (
    "Parquet writers must always write LogicalType annotations where applicable, but must also write the corresponding "
    "ConvertedType annotations (if any) to maintain compatibility with old readers"
)
FILE_FIELDS = {
    "uri": "STRING",
    "offset": "INT64",
    "size": "INT64",
    "content_type": "STRING",
    "checksum": "STRING",
    "inline": "BYTE_ARRAY",
}
"""Fields of a FILE group and their types."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Every field of the schema."""
    if file.metadata is None:
        return
    schema = file.schema
    yield from _field_ids(schema.fields)
    yield from _names(schema.fields)
    for field in schema.fields[1:]:
        address = join("schema", field.index)
        if isinstance(field, Leaf):
            yield from _leaf(field, address)
        else:
            yield from _group(field, address)
        yield from _converted(field, address)
        if field.element.repetition_type is None:
            yield Finding(
                "no-repetition",
                "warning",
                address,
                f"field {field.name!r} does not say whether it is required, optional or repeated; it is read as "
                "required",
                {},
                "SchemaElement.repetition_type: The root of the schema does not have a repetition_type. All other "
                "nodes must have one",
            )


def _field_ids(fields: list[Field]) -> Iterator[Finding]:
    known: dict[int, list[Field]] = {}
    for field in fields[1:]:
        number = field.element.field_id
        if number is not None and number >= 0:
            known.setdefault(number, []).append(field)
    for number, same in known.items():
        if len(same) > 1:
            names = ", ".join(".".join(field.path) for field in same[:5])
            more = f" and {len(same) - 5:,} more" if len(same) > 5 else ""
            yield Finding(
                "field-id-repeated",
                "warning",
                join("schema", same[1].index),
                f"{len(same):,} fields have the field id {number}: {names}{more}; it identifies none of them",
                {"field_id": number, "fields": [".".join(field.path) for field in same[:100]]},
                "SchemaElement.field_id: When the original schema supports field ids, this will save the original "
                "field id in the parquet schema",
            )


def _names(fields: list[Field]) -> Iterator[Finding]:
    for group in fields:
        names: set[str] = set()
        for field in group.children:
            if field.name in names:
                yield Finding(
                    "name-repeated",
                    "warning",
                    join("schema", field.index),
                    f"{'.'.join(field.path)!r} is the name of two fields; by name only one of them can be reached",
                    {"name": field.name},
                )
            names.add(field.name)


def _leaf(leaf: Leaf, address: str) -> Iterator[Finding]:
    if leaf.defect is not None:
        yield Finding(
            "unsupported" if isinstance(leaf.defect, UnsupportedFeatureError) else "leaf-defect",
            "error",
            address,
            leaf.defect.message,
        )
        return
    found = annotation(leaf)
    path = ".".join(leaf.path)
    if found.problem is not None:
        unknown = isinstance(found.problem, UnsupportedFeatureError)
        yield Finding(
            "unsupported" if unknown else "annotation",
            "warning" if unknown else "error",
            address,
            found.problem.message,
            {"physical_type": leaf.physical_type, "annotation": found.name},
        )
    elif found.name == UNRECOGNISED:
        yield Finding(
            "unsupported",
            "warning",
            address,
            f"column {path} is annotated with something that this version does not know; it is read as stored",
        )
    elif found.name == "DECIMAL" and found.precision > ARROW_DIGITS:
        yield Finding(
            "decimal-as-binary",
            "note",
            address,
            f"column {path} has {found.precision:,} digits; read() gives it as binary, because Arrow's decimals end at "
            f"{ARROW_DIGITS}",
            {"precision": found.precision},
        )
    if leaf.physical_type == Type.INT96:
        yield Finding(
            "int96-deprecated",
            "note",
            address,
            f"column {path} is INT96, which is deprecated; TIMESTAMP annotates INT64",
            {},
            "INT96: 96 bit signed ints (deprecated; only used by legacy implementations)",
        )


def _converted(field: Field, address: str) -> Iterator[Finding]:
    element = field.element
    if element.converted_type is None:
        return
    stated = structs.union_field(element.logicalType)
    if stated is None:
        if element.converted_type != ConvertedType.INTERVAL:
            yield Finding(
                "converted-type-only",
                "note",
                address,
                "annotations are given as converted types only, which are deprecated",
                {"field": ".".join(field.path)},
                CONVERTED,
            )
        return
    alone = logical_type(
        structs.SchemaElement(
            converted_type=element.converted_type, scale=element.scale, precision=element.precision
        )
    )
    old = structs.union_field(alone)
    if old is None or _compatible(stated, old):
        return
    yield Finding(
        "converted-type-disagrees",
        "warning",
        address,
        f"field {'.'.join(field.path)} is {stated[0]} by its logical type and "
        f"{structs.enum_name(ConvertedType, element.converted_type)} by its converted type; old readers read it otherwise",
        {"logical_type": repr(stated[1]), "converted_type": element.converted_type},
        CONVERTED,
    )


def _compatible(new: tuple[str, object], old: tuple[str, object]) -> bool:
    """Whether a converted type is what the specification sets beside a logical type."""
    if new[0] != old[0]:
        return new[0] == "UNKNOWN"
    if new[0] in ("TIME", "TIMESTAMP"):  # local times have the converted type of UTC ones
        units = [structs.union_field(getattr(one[1], "unit", None)) for one in (new, old)]
        return units[0] is not None and units[1] is not None and units[0][0] == units[1][0]
    return new[1] == old[1]


def _group(field: Field, address: str) -> Iterator[Finding]:
    path = ".".join(field.path)
    if field.list_rule in ("LIST ignored", "MAP ignored"):
        yield Finding(
            "shape",
            "warning",
            address,
            f"group {path} is annotated as a {field.list_rule.split()[0]} and does not have its shape; it is read as "
            "a group",
            {},
            "The outer-most level must be a group annotated with LIST that contains a single field named list",
        )
    elif field.kind == "list" and field.list_rule != "three-level":
        yield Finding(
            "legacy-list",
            "note",
            address,
            f"list {path} has the old shape {field.list_rule!r}",
            {"rule": field.list_rule},
            "The middle level, named list, must be a repeated group with a single field named element",
        )
    elif field.kind == "map":
        yield from _map(field, path, address)
    if not field.children:
        yield Finding(
            "empty-group",
            "note",
            address,
            f"group {path} has no fields; it gives no column",
            {},
        )
    chosen = structs.union_field(field.element.logicalType)
    if chosen is not None and chosen[0] == "FILE":
        yield from _file_group(field, path, address)
    elif chosen is not None and chosen[0] == "VARIANT":
        yield from _variant_group(field, path, address)
    elif chosen is not None and chosen[0] not in ("LIST", "MAP"):
        yield Finding(
            "annotation",
            "error",
            address,
            f"group {path} is annotated as {chosen[0]}, which annotates columns",
        )


def _map(field: Field, path: str, address: str) -> Iterator[Finding]:
    entries = field.list_element
    if field.list_rule != "map" or entries is None:
        return
    key = entries.children[0]
    if key.repetition != REQUIRED:
        yield Finding(
            "map-key-optional",
            "warning",
            join("schema", key.index),
            f"the key of map {path} is not required; a map with a null key has no meaning",
            {"repetition": key.repetition},
            "This field must have repetition required and must always be present",
        )


def _file_group(field: Field, path: str, address: str) -> Iterator[Finding]:
    for child in field.children:
        wanted = FILE_FIELDS.get(child.name)
        where = join("schema", child.index)
        if wanted is None:
            yield Finding(
                "file-field",
                "warning",
                where,
                f"field {child.name!r} of FILE {path} is none of {', '.join(FILE_FIELDS)}",
            )
            continue
        stored = "a group" if not isinstance(child, Leaf) else describe(child)
        if stored != wanted and not (wanted == "INT64" and stored == "INT(64, signed)"):
            yield Finding(
                "file-field",
                "error",
                where,
                f"field {child.name!r} of FILE {path} is {stored}, and has to be {wanted}",
                {"type": stored, "expected": wanted},
                "Optional fields, matched by name, case-sensitive",
            )
        if child.repetition != OPTIONAL:
            yield Finding(
                "file-field",
                "warning",
                where,
                f"field {child.name!r} of FILE {path} is not optional",
                {"repetition": child.repetition},
                "Optional fields, matched by name, case-sensitive",
            )


def _variant_group(field: Field, path: str, address: str) -> Iterator[Finding]:
    by_name = {child.name: child for child in field.children}
    for name in ("metadata", "value"):
        child = by_name.get(name)
        if child is None:
            if name == "metadata" or "typed_value" not in by_name:
                yield Finding(
                    "variant-field",
                    "error",
                    address,
                    f"VARIANT {path} has no field {name!r}",
                    {},
                    "The metadata field is required and must be a valid Variant metadata component",
                )
        elif not isinstance(child, Leaf) or child.physical_type != Type.BYTE_ARRAY:
            yield Finding(
                "variant-field",
                "error",
                join("schema", child.index),
                f"field {name!r} of VARIANT {path} is not BYTE_ARRAY",
                {},
                "Both fields value and metadata must be of type binary (called BYTE_ARRAY in the Parquet thrift "
                "definition)",
            )
    metadata = by_name.get("metadata")
    if metadata is not None and metadata.repetition != REQUIRED:
        yield Finding(
            "variant-field",
            "warning",
            join("schema", metadata.index),
            f"field 'metadata' of VARIANT {path} is {'repeated' if metadata.repetition == REPEATED else 'optional'}",
            {},
            "The metadata field is required and must be a valid Variant metadata component",
        )
