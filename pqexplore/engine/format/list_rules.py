"""Which groups of a schema are lists and maps, in the format's way and in older ways to write them.

The annotation of a group says that it is a list. Five rules then decide, by the form of the repeated field, which field
is the element. `field.LIST_RULES` has a sentence for each outcome.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
"""

from __future__ import annotations

from typing import cast

from pqexplore.engine.format.field import REPEATED, Field
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, SchemaElement

_CONVERTED: dict[int | None, str] = {
    ConvertedType.LIST: "LIST",
    ConvertedType.MAP: "MAP",
    ConvertedType.MAP_KEY_VALUE: "MAP_KEY_VALUE",
}


def _annotation(element: SchemaElement) -> str | None:
    """LIST, MAP, MAP_KEY_VALUE, VARIANT or None; the logical type takes precedence over the converted type."""
    logical = structs.union_field(element.logicalType)
    if logical is not None:
        return logical[0] if logical[0] in ("LIST", "MAP", "VARIANT") else None
    return _CONVERTED.get(element.converted_type)


def classify(field: Field) -> None:
    """Set `kind`, `list_rule` and `list_element` of a field; its parent must be classified before."""
    parent = cast("Field", field.parent)
    repeats = field.repetition == REPEATED and parent.kind in ("list", "map")
    if field.kind == "leaf":
        if field.repetition == REPEATED and not repeats:
            field.list_rule = "unannotated repeated field"
        return
    annotation = _annotation(field.element)
    if repeats and parent.kind == "map":
        annotation = None  # key_value groups often carry MAP_KEY_VALUE, or MAP, too
    if annotation == "LIST":
        _classify_list(field)
    elif annotation in ("MAP", "MAP_KEY_VALUE"):
        _classify_map(field, annotation, stands_alone=not repeats)
    elif annotation == "VARIANT":
        field.kind = "variant"
    if field.repetition == REPEATED and not repeats and field.list_rule is None:
        field.list_rule = "unannotated repeated field"


def _classify_list(field: Field) -> None:
    if len(field.children) != 1 or field.children[0].repetition != REPEATED:
        field.list_rule = "LIST ignored"
        return
    repeated = field.children[0]
    if repeated.kind != "leaf" and not repeated.children:
        field.list_rule = "LIST ignored"
        return
    field.kind = "list"
    field.list_rule, field.list_element = _element(field, repeated)


def _element(group: Field, repeated: Field) -> tuple[str, Field]:
    """The rule that decides the element of a list, and the element (specification, "Lists", backward compatibility)."""
    if repeated.kind == "leaf":
        return "two-level repeated field", repeated
    if len(repeated.children) > 1:
        return "two-level group of several fields", repeated
    if repeated.children[0].repetition == REPEATED:
        return "two-level group with a repeated field", repeated
    if repeated.name == "array":
        return "two-level group named array", repeated
    if repeated.name == group.name + "_tuple":
        return "two-level group named after the list", repeated
    return "three-level", repeated.children[0]


def _classify_map(field: Field, annotation: str, *, stands_alone: bool) -> None:
    children = field.children
    if len(children) == 1 and children[0].repetition == REPEATED:
        entries = children[0]
        if len(entries.children) == 2:
            field.kind = "map"
            field.list_rule = "map" if annotation == "MAP" else "MAP_KEY_VALUE in place of MAP"
            field.list_element = entries
            return
        if len(entries.children) == 1:
            field.kind = "map"
            field.list_rule = "map without values"
            field.list_element = _element(field, entries)[1]
            return
    if (
        annotation == "MAP_KEY_VALUE"
        and stands_alone
        and field.repetition == REPEATED
        and len(children) == 2
        and children[0].repetition != REPEATED
    ):
        field.kind = "map"
        field.list_rule = "MAP_KEY_VALUE without a group around"
        field.list_element = field
        return
    field.list_rule = "MAP ignored"
