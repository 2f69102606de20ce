"""Checks the structures and names of lists and maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import REPEATED, REQUIRED, Field
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import name as column_name

LIST_SHAPE = "The outer-most level must be a group annotated with LIST that contains a single field named list"
MAP_SHAPE = (
    "The middle level, named key_value, must be a repeated group with a key field for map keys and, optionally, a value "
    "field for map values. It must not contain any other values"
)
NAMES = "these names may not be used in existing data and should not be enforced as errors when reading"
IGNORED = {"LIST ignored": LIST_SHAPE, "MAP ignored": MAP_SHAPE}


def findings(group: Field, address: str) -> Iterator[Finding]:
    """Findings about the structure of a group annotated as LIST or MAP."""
    if group.kind not in ("list", "map") and group.list_rule not in IGNORED:
        return
    path = ".".join(group.path)
    if group.list_rule in IGNORED:
        name = group.list_rule.split()[0]
        yield Finding(
            "shape",
            address,
            f"group {column_name(path)} is annotated as {name}, but {_why_ignored(group, name)}; it is read as a plain group",
            specification=IGNORED[group.list_rule],
        )
    elif group.kind == "list":
        yield from _list(group, path, address)
    else:
        yield from _map(group, path, address)


def mixed(fields: Sequence[Field]) -> Iterator[Finding]:
    """The first repeated field without LIST or MAP: a note, or a warning if the schema has annotated ones, too."""
    bare = [field for field in fields[1:] if field.list_rule == "unannotated repeated field" and not _reported(field)]
    if not bare:
        return
    annotated = next((field for field in fields if field.kind in ("list", "map")), None)
    beside = f", beside the annotated {column_name(annotated.path)}" if annotated is not None else ""
    yield Finding(
        "repeated-unannotated",
        Address.of("schema", bare[0].index),
        f"field {column_name(bare[0].path)} is repeated without LIST or MAP{beside}; it is read as a required list of "
        "required elements",
        {"fields": [".".join(field.path) for field in bare[:100]]},
        severity=Severity.NOTE if annotated is None else Severity.PORTABILITY,
    )


def _reported(field: Field) -> bool:
    """Whether a finding about the LIST or MAP around a repeated field covers it."""
    parent = field.parent
    if parent is None or parent.list_rule in IGNORED:
        return True
    above = parent.parent
    return above is not None and above.kind == "map" and above.list_element is parent


def _why_ignored(group: Field, name: str) -> str:
    if len(group.children) != 1:
        return f"has {len(group.children)} fields instead of one repeated field"
    (child,) = group.children
    if child.repetition != REPEATED:
        return f"its field {child.name!r} is not repeated"
    if name == "LIST":
        return f"its repeated group {child.name!r} has no fields"
    if child.kind == "leaf":
        return f"its repeated field {child.name!r} is not a group of a key and a value"
    return f"its repeated group {child.name!r} has {len(child.children)} fields, not a key and a value"


def _list(group: Field, path: str, address: str) -> Iterator[Finding]:
    yield from _repeated(group, path, address)
    if group.list_rule != "three-level":
        yield Finding(
            "legacy-list",
            address,
            f"list {column_name(path)} has the legacy structure {group.list_rule!r} instead of three levels",
            {"rule": group.list_rule},
        )
        return
    names = [group.children[0].name, group.children[0].children[0].name]
    if names != ["list", "element"]:
        yield Finding(
            "list-names",
            address,
            f"list {column_name(path)} names its levels {names[0]!r} and {names[1]!r}; expected 'list' and 'element'",
            {"names": names},
            "It is required that the repeated group of elements is named list and that its element field is named "
            f"element. However, {NAMES}",
        )


def _repeated(group: Field, path: str, address: str) -> Iterator[Finding]:
    """A repeated LIST or MAP may only be the element of a two-level list."""
    parent = group.parent
    if group.repetition != REPEATED or group.list_rule == "MAP_KEY_VALUE without a group around":
        return
    if parent is not None and parent.kind == "list" and parent.list_element is group:
        return
    yield Finding(
        f"{group.kind}-repeated",
        address,
        f"{group.kind} {path} is itself repeated; expected optional or required",
        {"repetition": group.repetition},
        "The repetition of this level must be either optional or required and determines whether the "
        f"{group.kind} is nullable",
    )


def _map(group: Field, path: str, address: str) -> Iterator[Finding]:
    entries = group if group.list_element is group else group.children[0]
    yield from _repeated(group, path, address)
    if group.list_rule is not None and group.list_rule.startswith("MAP_KEY_VALUE"):
        yield Finding(
            "legacy-map",
            address,
            f"map {column_name(path)} is annotated as MAP_KEY_VALUE instead of MAP",
            {"rule": group.list_rule},
        )
    key, *values = entries.children
    if key.repetition != REQUIRED:
        yield Finding(
            "map-key-optional",
            Address.of("schema", key.index),
            f"the key of map {column_name(path)} is {'repeated' if key.repetition == REPEATED else 'optional'}; expected required",
            {"repetition": key.repetition},
        )
    if values and values[0].repetition == REPEATED:
        yield Finding(
            "map-value-repeated",
            Address.of("schema", values[0].index),
            f"the value of map {column_name(path)} is repeated; expected optional or required",
        )
    names = [entries.name, *(child.name for child in entries.children)]
    if names[1:] == ["value", "key"]:
        yield Finding(
            "map-order",
            Address.of("schema", entries.index),
            f"the fields of map {column_name(path)} are 'value' and 'key', in this order; the first is the key, by its position",
            {"names": names},
        )
    elif names != ["key_value", "key", "value"][: len(names)]:
        yield Finding(
            "map-names",
            Address.of("schema", entries.index),
            f"map {column_name(path)} names its levels {', '.join(map(repr, names))}; expected 'key_value', 'key' and 'value'",
            {"names": names},
            "It is required that the repeated group of key-value pairs is named key_value and that its fields are named "
            f"key and value. However, {NAMES}",
        )
