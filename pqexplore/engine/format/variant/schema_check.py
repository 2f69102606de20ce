"""Checks the schema of a VARIANT group: its fields, and the types and repetition of shredded ones.

`shredding.describe` is for reading and tolerates what readers can tolerate; here every rule counts. A column whose
annotation contradicts its physical type is not judged again: `logical.annotation` reports it.

Specification: "Variant in Parquet" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md, "Shredded
Value Types", "Arrays" and "Objects" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pqexplore.engine.format.field import OPTIONAL, REQUIRED, Field, Leaf
from pqexplore.engine.format.logical import annotation, describe
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.variant_types import MAX_SCALE

SCHEMA_RULES = {
    "field": "A Variant value in Parquet is represented by a group with 2 fields, named value and metadata. Both fields value and metadata must be of type binary (called BYTE_ARRAY in the Parquet thrift definition).",
    "value-field": "The group must contain a field named metadata and a field named value.",
    "metadata-required": "The metadata field is required and must be a valid Variant metadata component.",
    "value-required": "The value field must be annotated as required for unshredded Variant values, or optional if parts of the value are shredded as typed Parquet columns.",
    "optional-field": "Both value and typed_value are optional fields used together to encode a single value.",
    "shredded-type": "Shredded values must use the following Parquet types.",
    "required-field": "The group for each named field must use repetition level required.",
    "required-element": "The list element must be a required group.",
    "version": "VariantType.specification_version: the version of the Variant specification that the Variant was written with.",
}
"""The rules by name, in the specification's words."""

VERSION = 1
"""The only version of the Variant specification."""

MAX_DIGITS = 38
"""Digits of the widest decimal type."""

_REPETITIONS = {0: "required", 1: "optional", 2: "repeated"}
_PLAIN = (Type.BOOLEAN, Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE, Type.BYTE_ARRAY)


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """A broken rule: `rule` is a key of `SCHEMA_RULES`, `field` the schema's field, `path` the path in the Variant."""

    rule: str
    field: Field
    path: str
    message: str


def schema_problems(variant: Field) -> Iterator[SchemaProblem]:
    """The broken rules of a group that is annotated as VARIANT, from the outside inwards."""
    chosen = structs.union_field(variant.element.logicalType)
    version = getattr(chosen[1], "specification_version", None) if chosen is not None else None
    if version is not None and version != VERSION:
        message = f"the VARIANT has specification_version {version}; {VERSION} is the only one"
        yield SchemaProblem("version", variant, "$", message)
    metadata = next(iter(variant.named("metadata")), None)
    if metadata is None:
        yield SchemaProblem("field", variant, "$", "the VARIANT has no field 'metadata'")
    else:
        yield from _binary(metadata, "$")
        if metadata.repetition != REQUIRED:
            yield SchemaProblem("metadata-required", metadata, "$", _repetition(metadata, "required"))
    todo = [(variant, "$")]
    while todo:
        group, path = todo.pop()
        yield from _pair(group, path, top=group is variant)
        below = _below(group, path)
        for child, where in below:
            yield from _child(child, where)
        todo += [one for one in reversed(below) if one[0].kind == "group"]


def _pair(group: Field, path: str, *, top: bool) -> Iterator[SchemaProblem]:
    """The problems of a group's own fields."""
    known = ("metadata", "value", "typed_value") if top else ("value", "typed_value")
    value, typed = (next(iter(group.named(name)), None) for name in known[-2:])
    if value is None and typed is None:
        yield SchemaProblem("field", group, path, f"{path} has neither value nor typed_value")
        return
    for child in group.children:
        if child.name not in known:
            message = f"{path} has a field {child.name!r}; only {', '.join(known)} are possible"
            yield SchemaProblem("field", child, path, message)
    if value is None and top:
        message = "the VARIANT has typed_value and no field 'value'"
        yield SchemaProblem("value-field", group, path, message)
    if value is not None:
        yield from _binary(value, path)
        if top and typed is None and value.repetition != REQUIRED:
            yield SchemaProblem("value-required", value, path, _repetition(value, "required"))
        elif (not top or typed is not None) and value.repetition != OPTIONAL:
            yield SchemaProblem("optional-field", value, path, _repetition(value, "optional"))
    if typed is not None:
        if typed.repetition != OPTIONAL:
            yield SchemaProblem("optional-field", typed, path, _repetition(typed, "optional"))
        wrong = _type_problem(typed)
        if wrong:
            message = f"{path} is shredded as {wrong}, which is none of the shredded value types"
            yield SchemaProblem("shredded-type", typed, path, message)


def _child(child: Field, path: str) -> Iterator[SchemaProblem]:
    """The problems of the group of a field or of an element, seen from outside."""
    element = path.endswith("[*]")
    if isinstance(child, Leaf) or child.kind != "group":
        what = describe(child) if isinstance(child, Leaf) else child.kind.upper()
        message = f"{path} is {what}; a field or element is a group of value and typed_value"
        yield SchemaProblem("shredded-type", child, path, message)
    elif child.repetition != REQUIRED:
        rule = "required-element" if element else "required-field"
        yield SchemaProblem(rule, child, path, _repetition(child, "required"))


def _below(group: Field, path: str) -> list[tuple[Field, str]]:
    """The groups of a shredded object's fields, or of an array's element, each with its path."""
    typed = next(iter(group.named("typed_value")), None)
    if typed is None or isinstance(typed, Leaf) or _type_problem(typed):
        return []
    if typed.kind == "list":
        return [] if typed.list_element is None else [(typed.list_element, f"{path}[*]")]
    return [(child, f"{path}.{child.name}") for child in typed.children]


def _binary(field: Field, path: str) -> Iterator[SchemaProblem]:
    stored = describe(field) if isinstance(field, Leaf) else "a group"
    if not isinstance(field, Leaf) or field.physical_type != Type.BYTE_ARRAY or _named(field):
        message = f"field {field.name!r} of {path} is {stored}; expected BYTE_ARRAY"
        yield SchemaProblem("field", field, path, message)


def _repetition(field: Field, expected: str) -> str:
    return f"field {field.name!r} is {_REPETITIONS.get(field.repetition)}; expected {expected}"


def _named(leaf: Leaf) -> str:
    """The name of a leaf's annotation; empty if absent."""
    return annotation(leaf).name


def _type_problem(typed: Field) -> str:
    """The type of a `typed_value` if the specification has no such shredding; empty if it has.

    Source: the table of "Shredded Value Types". INT(32, true) and INT(64, true) "are implied by the int32 and int64
    primitive types if no other annotation is present".
    """
    if not isinstance(typed, Leaf):
        return _group_problem(typed)
    logical = annotation(typed)
    if logical.problem is not None or typed.defect is not None:
        return ""
    name, physical = logical.name, typed.physical_type
    allowed = (
        name in ("DATE", "STRING", "UUID")
        or (name == "" and physical in _PLAIN)
        or (name == "INTEGER" and logical.signed)
        or (name == "DECIMAL" and logical.precision <= MAX_DIGITS and logical.scale <= MAX_SCALE)
        or (name == "TIME" and logical.unit == "us" and not logical.utc)
        or (name == "TIMESTAMP" and logical.unit in ("us", "ns"))
    )
    return "" if allowed else describe(typed)


def _group_problem(typed: Field) -> str:
    """The type of a `typed_value` that is a group, if it is neither an object nor a list; empty if it is."""
    if typed.kind == "list":
        three = typed.list_rule == "three-level"
        return "" if three else f"a LIST of the structure {typed.list_rule!r}"
    chosen = structs.union_field(typed.element.logicalType)
    if typed.kind != "group" or chosen is not None or not typed.children:
        return typed.kind.upper() if chosen is None else chosen[0]
    return ""
