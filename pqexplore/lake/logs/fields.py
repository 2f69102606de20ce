"""The schema of a table by its log, as a list of leaves with their ids."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping

DEPTH = 100
"""Max levels of nesting."""

FIELDS = 100_000
"""Max leaves of a schema."""

_ID = "delta.columnMapping.id"


@dataclasses.dataclass(frozen=True, slots=True)
class TableField:
    """A leaf of a table's schema: names from the root, the field's id (None if the table has none), type, nullability."""

    path: tuple[str, ...]
    id: int | None
    type: str
    required: bool


Json = Mapping[str, object]


def of_delta(metadata: Json) -> tuple[TableField, ...] | None:
    """The leaves of a `metaData` action; None if its schema cannot be read. Without column mapping they have no ids."""
    options = metadata.get("configuration")
    pairs = dict(options) if isinstance(options, dict | list) else {}
    mapped = pairs.get("delta.columnMapping.mode") in ("id", "name")
    return _fields(metadata.get("schemaString"), _ID if mapped else "")


def of_iceberg(text: str) -> tuple[TableField, ...] | None:
    """The leaves of an Iceberg schema in JSON; None if it cannot be read."""
    return _fields(text, "id")


def _fields(text: object, key: str) -> tuple[TableField, ...] | None:
    try:
        schema = json.loads(text) if isinstance(text, str) else None
        found = list(_leaves(schema, (), None, True, key, 0)) if isinstance(schema, dict) else None
    except (ValueError, RecursionError):
        return None
    return None if found is None else tuple(found)


def _leaves(
    kind: object, path: tuple[str, ...], number: int | None, required: bool, key: str, depth: int
) -> Iterator[TableField]:
    """The leaves below a type; ValueError if it is none."""
    if depth > DEPTH:
        raise ValueError("the schema is nested too deeply")
    if isinstance(kind, str):
        yield TableField(path, number, kind, required)
        return
    for name, type_, id_, needed in _children(kind, key):
        yield from _leaves(type_, (*path, name), id_, needed, key, depth + 1)


def _children(kind: object, key: str) -> Iterator[tuple[str, object, int | None, bool]]:
    """Name, type, id and whether it is required, of each child of a nested type."""
    if not isinstance(kind, dict):
        raise ValueError("a type is a name or an object")
    word = kind.get("type")
    if word == "struct":
        fields = kind.get("fields")
        if not isinstance(fields, list) or len(fields) > FIELDS:
            raise ValueError("a struct has fields")
        for field in fields:
            if not isinstance(field, dict) or not isinstance(field.get("name"), str):
                raise ValueError("a field has a name")
            required = field.get("required") is True or field.get("nullable") is False
            yield field["name"], field.get("type"), _id(field, key), required
    elif word in ("array", "list"):
        element = kind.get("elementType", kind.get("element"))
        required = kind.get("containsNull") is False or kind.get("element-required") is True
        yield "element", element, _number(kind.get("element-id")), required
    elif word == "map":
        yield "key", kind.get("keyType", kind.get("key")), _number(kind.get("key-id")), True
        value = kind.get("valueType", kind.get("value"))
        required = kind.get("valueContainsNull") is False or kind.get("value-required") is True
        yield "value", value, _number(kind.get("value-id")), required
    else:
        raise ValueError("an unknown type")


def _id(field: Json, key: str) -> int | None:
    if key == _ID:
        metadata = field.get("metadata")
        return _number(metadata.get(_ID)) if isinstance(metadata, dict) else None
    return _number(field.get(key))


def _number(value: object) -> int | None:
    return value if type(value) is int else None
