"""Checks the structure of the schema: types and repetitions, names and field ids, FILE groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check import logical_types, nested
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format import file_reference
from pqexplore.engine.format.embedded import SPARK
from pqexplore.engine.format.field import OPTIONAL, REQUIRED, Field, Leaf
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import FieldRepetitionType, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

NAMED, SAID = 100, 4
"""Fields that the evidence names, and a sentence."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Findings about every field of the schema."""
    if file.metadata is None:
        return
    schema = file.schema
    yield from _root(schema.root)
    pairs = file.key_value_metadata
    yield from _field_ids(schema.fields, _by_id(pairs))
    yield from names(file)
    if any("." in field.name for field in schema.fields):
        yield from _paths(file)
    yield from nested.mixed(schema.fields)
    with_data = _paths_with_data(file)
    for field in schema.fields[1:]:
        address = Address.of("schema", field.index)
        file.budget.charge(nodes=1, address=address)
        yield from _field(field, address, with_data, pairs)


def _field(
    field: Field, address: str, with_data: frozenset[tuple[str, ...]], pairs: dict[str, str | None]
) -> Iterator[Finding]:
    either = _leaf_or_group(field, with_data, address)
    if either is not None:
        yield either
    if field.element.repetition_type is None:
        yield Finding(
            "no-repetition", address, f"field {name(field.name)} has no repetition_type; it is read as required"
        )
    yield from _type_length(field, address)
    if isinstance(field, Leaf) and field.defect is not None:
        yield failure(field.defect, address)  # what the column chunks report, too
        return
    if either is None or either.rule != "leaf-without-type":
        yield from logical_types.findings(field, address, pairs)
        if not isinstance(field, Leaf):
            yield from _group(field, address)


def _root(root: Field) -> Iterator[Finding]:
    """REQUIRED adds no level, and some writers always write it; other repetitions would."""
    stated = root.element.repetition_type
    if stated not in (None, REQUIRED):
        yield Finding(
            "root-repetition",
            "schema/0",
            f"the root has the repetition_type {structs.enum_name(FieldRepetitionType, stated)}; expected none, because "
            "the root adds no level",
            {"repetition_type": stated},
        )
    if root.element.type is not None:
        yield _with_type(root, "schema/0", "the root")


def _type_length(field: Field, address: str) -> Iterator[Finding]:
    """Of other types than FIXED_LEN_BYTE_ARRAY, type_length is the maximum bit length of the values."""
    length = field.element.type_length
    if length is None:
        return
    path = ".".join(field.path)
    source = (
        "SchemaElement.type_length: If type is FIXED_LEN_BYTE_ARRAY, this is the byte length of the values. Otherwise, "
        "if specified, this is the maximum bit length to store any of the values"
    )
    if not isinstance(field, Leaf):
        reason = f"group {name(path)} has the type_length {length:,}, and no values of its own"
    elif field.physical_type != Type.FIXED_LEN_BYTE_ARRAY and length < 0:
        reason = f"column {name(path)} has the type_length {length:,}; a number of bits is not negative"
    elif field.physical_type == Type.FIXED_LEN_BYTE_ARRAY and length == 0:
        yield Finding(
            "type-length-zero",
            address,
            f"column {name(path)} is FIXED_LEN_BYTE_ARRAY with type_length 0: its values have no bytes, which Arrow refuses",
            specification=source,
        )
        return
    else:
        return
    yield Finding("type-length-unsuited", address, reason, {"type_length": length}, source)


def _field_ids(fields: list[Field], tabled: bool) -> Iterator[Finding]:
    """Ids that fields of the same group share; of the whole schema in a file of a table that finds its columns by id.

    Protobuf counts its ids in each message anew.
    """
    by_id: dict[tuple[int, int], list[Field]] = {}
    for field in fields[1:]:
        number = field.element.field_id
        if number is not None and number >= 0 and field.parent is not None:
            by_id.setdefault((0 if tabled else field.parent.index, number), []).append(field)
    for (_, number), same in by_id.items():
        if len(same) > 1:
            names = ", ".join(".".join(field.path) for field in same[:5])
            more = f" and {len(same) - 5:,} more" if len(same) > 5 else ""
            where, harm = "of a group", "readers cannot choose a field by it"
            if tabled:
                where, harm = "of a table's file", "the table finds its columns by id, and may take one for the other"
            yield Finding(
                "field-id-repeated",
                Address.of("schema", same[1].index),
                f"{len(same):,} fields {where} have the field id {number}: {names}{more}; {harm}",
                {"field_id": number, "fields": [".".join(field.path) for field in same[:100]]},
                severity=Severity.PORTABILITY if tabled else Severity.NOTE,
            )


def _by_id(pairs: dict[str, str | None]) -> bool:
    """Whether the file is of a table that finds columns by field id: of Iceberg, or of Delta with ids for columns."""
    return "iceberg.schema" in pairs or '"delta.columnMapping.id"' in (pairs.get(SPARK) or "")


def names(file: ParquetFile) -> Iterator[Finding]:
    """Fields without a name, and fields of one group with the same name."""
    for group in file.schema.fields if file.metadata is not None else ():
        alike: dict[str, list[Field]] = {}
        for field in group.children:
            if not field.name:
                yield Finding(
                    "name-empty",
                    Address.of("schema", field.index),
                    f"field {field.index} of the schema has an empty name; readers cannot select it by name",
                )
            alike.setdefault(field.name, []).append(field)
        for some in alike.values():
            if len(some) > 1:
                paths = [".".join(field.path) for field in some]
                evidence = {"names": paths[:NAMED], "fields": listing([name(one) for one in paths], most=SAID)}
                yield Finding(
                    "duplicate-names", Address.of("schema", some[0].index), evidence=evidence, column=paths[0]
                )


def _paths(file: ParquetFile) -> Iterator[Finding]:
    """Different paths that are the same text when their names are joined by dots."""
    seen: dict[str, tuple[str, ...]] = {}
    for leaf in file.schema.leaves:
        address = Address.of("schema", leaf.index)
        file.budget.charge(nodes=1, address=address)
        path = leaf.path
        dotted = ".".join(path)
        first = seen.setdefault(dotted, path)
        if first != path:
            yield Finding(
                "dotted-path-repeated",
                address,
                f"two columns have the dotted path {dotted!r}: {list(first)} and {list(path)}; readers that join names by "
                "dots find only one of them",
                {"paths": [list(first), list(path)]},
            )


def leaves_with_lost(file: ParquetFile) -> int:
    """The number of leaves if each field without a type and without fields is one that lost its type."""
    fields = file.schema.fields[1:]
    return sum(not field.children for field in fields)


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


def _leaf_or_group(field: Field, with_data: frozenset[tuple[str, ...]], address: str) -> Finding | None:
    """A finding if an element is neither a leaf (a type, no children) nor a group (children, no type)."""
    kind, count = field.element.type, field.element.num_children
    if isinstance(field, Leaf):
        if count is None:
            return None
        rule = "leaf-with-children"
        message = f"column {name(field.path)} has a type and num_children {count}; it is read as a column"
        source = "SchemaElement.num_children: This field is not set when the element is a primitive type"
    elif kind is not None:
        return _with_type(field, address, f"group {name(field.path)}")
    elif count is None or (not field.children and field.path in with_data):
        rule = "leaf-without-type"
        chunk = ", and the row groups have a column chunk for it" if field.path in with_data else ""
        message = (
            f"field {name(field.path)} has no type and {'no num_children' if count is None else 'num_children 0'}"
            f"{chunk}; its values cannot be read without a type, so it is read as a group without fields"
        )
        source = "SchemaElement.type: Data type for this field. Not set if the current element is a non-leaf node"
    else:
        return None
    return Finding(rule, address, message, {"type": kind, "num_children": count}, source)


def _with_type(group: Field, address: str, what: str) -> Finding:
    kind, count = group.element.type, group.element.num_children
    return Finding(
        "group-with-type",
        address,
        f"{what} has a type and num_children {count}; it is read as a group, and some readers may take it for a column",
        {"type": kind, "num_children": count},
    )


def _group(field: Field, address: str) -> Iterator[Finding]:
    yield from nested.findings(field, address)
    if not field.children:
        yield Finding("empty-group", address, f"group {name(field.path)} has no fields, so it has no column")
    chosen = structs.union_field(field.element.logicalType)
    if chosen is not None and chosen[0] == "FILE":
        yield from _file_group(field, ".".join(field.path), address)


def _file_group(field: Field, path: str, address: str) -> Iterator[Finding]:
    for child in field.children:
        wanted = file_reference.FIELDS.get(child.name)
        where = Address.of("schema", child.index)
        if wanted is None:
            yield Finding(
                "file-field",
                where,
                f"field {name(child.name)} of FILE {name(path)} is unknown; expected {', '.join(file_reference.FIELDS)}",
                severity=Severity.PORTABILITY,
            )
            continue
        stored = "a group" if not isinstance(child, Leaf) else describe(child)
        if stored != wanted and not (wanted == "INT64" and stored == "INT(64, signed)"):
            yield Finding(
                "file-field",
                where,
                f"field {name(child.name)} of FILE {name(path)} is {stored}; expected {wanted}",
                {"type": stored, "expected": wanted},
                "Optional fields, matched by name, case-sensitive",
            )
        if child.repetition != OPTIONAL:
            yield Finding(
                "file-field",
                where,
                f"field {name(child.name)} of FILE {name(path)} is not optional, as it should be",
                {"repetition": child.repetition},
                "Optional fields, matched by name, case-sensitive",
                severity=Severity.PORTABILITY,
            )
