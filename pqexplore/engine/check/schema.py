"""Checks the schema: annotations, the shapes of lists and maps, names and field ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UnsupportedFeatureError
from pqexplore.engine.file.value_findings import as_binary
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import file_reference
from pqexplore.engine.format.field import OPTIONAL, REQUIRED, Field, Leaf, logical_type
from pqexplore.engine.format.logical import UNRECOGNISED, annotation, describe
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

CONVERTED = (
    "Parquet writers must always write LogicalType annotations where applicable, but must also write the corresponding "
    "ConvertedType annotations (if any) to maintain compatibility with old readers"
)


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Findings about every field of the schema."""
    if file.metadata is None:
        return
    schema = file.schema
    yield from _field_ids(schema.fields)
    yield from _names(schema.fields)
    with_data = _paths_with_data(file)
    for field in schema.fields[1:]:
        address = Address.of("schema", field.index)
        file.budget.charge(nodes=1, address=address)
        either = _leaf_or_group(field, with_data, address)
        if either is not None:
            yield either
        if isinstance(field, Leaf):
            yield from _leaf(field, address)
        elif either is None or either.rule != "leaf-without-type":
            yield from _group(field, address)
        yield from _converted(field, address)
        if field.element.repetition_type is None:
            yield Finding(
                "no-repetition",
                "warning",
                address,
                f"field {field.name!r} has no repetition_type; it is read as required",
                {},
                "SchemaElement.repetition_type: The root of the schema does not have a repetition_type. All other "
                "nodes must have one",
            )


def _field_ids(fields: list[Field]) -> Iterator[Finding]:
    by_id: dict[int, list[Field]] = {}
    for field in fields[1:]:
        number = field.element.field_id
        if number is not None and number >= 0:
            by_id.setdefault(number, []).append(field)
    for number, same in by_id.items():
        if len(same) > 1:
            names = ", ".join(".".join(field.path) for field in same[:5])
            more = f" and {len(same) - 5:,} more" if len(same) > 5 else ""
            yield Finding(
                "field-id-repeated",
                "warning",
                Address.of("schema", same[1].index),
                f"{len(same):,} fields have the field id {number}: {names}{more}; readers cannot choose a field by it",
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
                    Address.of("schema", field.index),
                    f"{'.'.join(field.path)!r} is the name of two fields; readers that select by name find only one of them",
                    {"name": field.name},
                )
            names.add(field.name)


def _paths_with_data(file: ParquetFile) -> frozenset[tuple[str, ...]]:
    """The paths of the first row group's chunks; empty if no field may be a column that lost its type."""
    groups = file.footer_metadata.row_groups
    if not groups or all(field.children or isinstance(field, Leaf) for field in file.schema.fields):
        return frozenset()
    try:
        inner = [chunk.meta_data for chunk in groups[0].columns or ()]
    except ParquetError:  # the checks of the row group report it
        return frozenset()
    return frozenset(tuple(one.path_in_schema or ()) for one in inner if one is not None)


def _leaf_or_group(
    field: Field, with_data: frozenset[tuple[str, ...]], address: str
) -> Finding | None:
    """A finding if an element is neither a leaf (a type, no children) nor a group (children, no type)."""
    kind, count = field.element.type, field.element.num_children
    if isinstance(field, Leaf):
        if count is None:
            return None
        rule, severity = "leaf-with-children", "warning"
        message = f"column {'.'.join(field.path)} has a type and num_children {count}; it is read as a column"
        source = (
            "SchemaElement.num_children: This field is not set when the element is a primitive type"
        )
    elif kind is not None:
        rule, severity = "group-with-type", "warning"
        message = f"group {'.'.join(field.path)} has a type and num_children {count}; it is read as a group"
        source = "SchemaElement.type: Not set if the current element is a non-leaf node"
    elif count is None or (not field.children and field.path in with_data):
        rule, severity = "leaf-without-type", "error"
        chunk = ", and the row groups have a column chunk for it" if field.path in with_data else ""
        message = (
            f"field {'.'.join(field.path)} has no type and {'no num_children' if count is None else 'num_children 0'}"
            f"{chunk}; its values cannot be read without a type, so it is read as a group without fields"
        )
        source = "SchemaElement.type: Data type for this field. Not set if the current element is a non-leaf node"
    else:
        return None
    return Finding(rule, severity, address, message, {"type": kind, "num_children": count}, source)


def _leaf(leaf: Leaf, address: str) -> Iterator[Finding]:
    if leaf.defect is not None:
        yield Finding(
            "unsupported" if isinstance(leaf.defect, UnsupportedFeatureError) else "leaf-defect",
            "error",
            address,
            leaf.defect.message,
        )
        return
    logical = annotation(leaf)
    path = ".".join(leaf.path)
    if logical.problem is not None:
        unknown = isinstance(logical.problem, UnsupportedFeatureError)
        yield Finding(
            "unsupported" if unknown else "annotation",
            "warning" if unknown else "error",
            address,
            logical.problem.message,
            {"physical_type": leaf.physical_type, "annotation": logical.name},
        )
    elif logical.name == UNRECOGNISED:
        yield Finding(
            "unsupported",
            "warning",
            address,
            f"column {path} has a logical type that is unknown to this version; its values are read as stored",
        )
    else:
        wide = as_binary(leaf)
        if wide is not None:
            yield wide
    if leaf.physical_type == Type.INT96:
        yield Finding(
            "int96-deprecated",
            "note",
            address,
            f"column {path} is INT96, which is deprecated; INT64 with TIMESTAMP replaces it",
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
                "annotations are converted types only, which are deprecated; logical types replace them",
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
        f"{structs.enum_name(ConvertedType, element.converted_type)} by its converted type; old readers use the converted type",
        {"logical_type": repr(stated[1]), "converted_type": element.converted_type},
        CONVERTED,
    )


def _compatible(new: tuple[str, object], old: tuple[str, object]) -> bool:
    """Whether the specification pairs a converted type (`old`) with a logical type (`new`)."""
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
            f"group {path} is annotated as {field.list_rule.split()[0]}, but does not have its structure; it is read "
            "as a plain group",
            {},
            "The outer-most level must be a group annotated with LIST that contains a single field named list",
        )
    elif field.kind == "list" and field.list_rule != "three-level":
        yield Finding(
            "legacy-list",
            "note",
            address,
            f"list {path} has the legacy structure {field.list_rule!r} instead of three levels",
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
            f"group {path} has no fields, so it has no column",
            {},
        )
    chosen = structs.union_field(field.element.logicalType)
    if chosen is not None and chosen[0] == "FILE":
        yield from _file_group(field, path, address)
    elif chosen is not None and chosen[0] not in ("LIST", "MAP", "VARIANT"):
        yield Finding(
            "annotation",
            "error",
            address,
            f"group {path} is annotated as {chosen[0]}, which can annotate columns only",
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
            Address.of("schema", key.index),
            f"the key of map {path} is not required; null keys have no meaning",
            {"repetition": key.repetition},
            "This field must have repetition required and must always be present",
        )


def _file_group(field: Field, path: str, address: str) -> Iterator[Finding]:
    for child in field.children:
        wanted = file_reference.FIELDS.get(child.name)
        where = Address.of("schema", child.index)
        if wanted is None:
            yield Finding(
                "file-field",
                "warning",
                where,
                f"field {child.name!r} of FILE {path} is unknown; expected {', '.join(file_reference.FIELDS)}",
            )
            continue
        stored = "a group" if not isinstance(child, Leaf) else describe(child)
        if stored != wanted and not (wanted == "INT64" and stored == "INT(64, signed)"):
            yield Finding(
                "file-field",
                "error",
                where,
                f"field {child.name!r} of FILE {path} is {stored}; expected {wanted}",
                {"type": stored, "expected": wanted},
                "Optional fields, matched by name, case-sensitive",
            )
        if child.repetition != OPTIONAL:
            yield Finding(
                "file-field",
                "warning",
                where,
                f"field {child.name!r} of FILE {path} is not optional, as it should be",
                {"repetition": child.repetition},
                "Optional fields, matched by name, case-sensitive",
            )
