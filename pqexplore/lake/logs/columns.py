"""The present names of a table's columns by its log, for the columns of its files.

Iceberg identifies columns by field ids, and so does Delta in the column mapping mode `id`; in the mode `name`, and by
Iceberg's name mapping for files without ids, a column is identified by its name in the file. A column that none of these
finds is no column of the table now: it was dropped.

Sources: https://iceberg.apache.org/spec/#column-projection, and "Column Mapping" in
https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping

from pqexplore.engine.format.field import Field
from pqexplore.lake.logs.fields import DEPTH, Json

Path = tuple[str, ...]

_KEY = "delta.columnMapping."
_WRAPPED = {("array", "list"): ("element",), ("map",): ("key", "value")}


@dataclasses.dataclass(frozen=True)
class Columns:
    """The fields of structs: present names by id, or by the path of names in files (lists and maps have `element`, `key`,
    `value`). `leaves` are the paths in files of the fields that are no structs, in order.
    """

    by_id: Mapping[int, str]
    by_path: Mapping[Path, str]
    leaves: tuple[Path, ...]

    def names(self, leaf: Field) -> tuple[str, ...] | None:
        """The present names from below the root to a file's leaf; None if the table has no such column."""
        line: list[Field] = []
        at: Field | None = leaf
        while at is not None and at.parent is not None:
            line.append(at)
            at = at.parent
        line.reverse()
        ids = bool(self.by_id) and any(one.element.field_id is not None for one in line)
        found: list[str] = []
        path: list[str] = []
        for field in line:
            word = _part(field)
            if word is not None:
                path += [word] if word else []
                found.append(field.name)
                continue
            path.append(field.name)
            number = field.element.field_id
            own = self.by_path.get(tuple(path))
            if ids:
                own = None if number is None else self.by_id.get(number)
            if own is None:
                return None
            found.append(own)
            if field.kind == "variant" or (field.kind == "group" and tuple(path) in self.leaves):
                return (*found, *(one.name for one in line[len(found) :]))
        return tuple(found)


def _part(field: Field) -> str | None:
    """Which part of a list or map a field is: `element`, `key` or `value`, empty for a group that only repeats; else None."""
    above = field.parent
    over = None if above is None else above.parent
    if above is not None and above.kind in ("list", "map"):
        return "element" if above.kind == "list" and field is above.list_element else ""
    if above is not None and over is not None:
        if over.kind == "list" and field is over.list_element:
            return "element"
        if over.kind == "map" and above is over.list_element:
            return "key" if field is above.children[0] else "value"
    return None


def of_delta(metadata: Json) -> Columns | None:
    """Those of a `metaData` action; None if its schema cannot be read."""
    options = metadata.get("configuration")
    pairs = dict(options) if isinstance(options, dict | list) else {}
    mode = pairs.get(f"{_KEY}mode")
    found = _read(metadata.get("schemaString"), mode in ("id", "name"))
    if found is None or mode == "id":
        return found
    return dataclasses.replace(found, by_id={})


def of_iceberg(schema: str, mapping: str | None) -> Columns | None:
    """Those of a schema in JSON, and of the table's property `schema.name-mapping.default`."""
    found = _read(schema, False)
    if found is None:
        return None
    by_path: dict[Path, str] = {}
    try:
        entries = json.loads(mapping) if mapping else []
        for path, number in _mapped(entries, (), 0):
            if number in found.by_id:
                by_path[path] = found.by_id[number]
    except (ValueError, RecursionError):
        by_path = {}
    return dataclasses.replace(found, by_path=by_path)


def _read(text: object, mapped: bool) -> Columns | None:
    by_id: dict[int, str] = {}
    by_path: dict[Path, str] = {}
    leaves: list[Path] = []
    try:
        schema = json.loads(text) if isinstance(text, str) else None
        for path, name, number, leaf in _fields(schema, (), mapped, 0):
            by_path[path] = name
            if number is not None:
                by_id[number] = name
            if leaf:
                leaves.append(path)
    except (ValueError, RecursionError):
        return None
    return Columns(by_id, by_path, tuple(leaves)) if leaves else None


def _fields(kind: object, path: Path, mapped: bool, depth: int) -> Iterator[tuple[Path, str, int | None, bool]]:
    """Path in files, name, id, and whether it is a leaf, of each struct's field below a type."""
    if depth > DEPTH:
        raise ValueError("the schema is nested too deeply")
    if not isinstance(kind, dict):
        return
    fields = kind.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise ValueError("a field has a name")
        own, number = field["name"], field.get("id")
        physical = own
        if mapped and isinstance(more := field.get("metadata"), dict):
            physical, number = more.get(f"{_KEY}physicalName", own), more.get(f"{_KEY}id")
        below = (*path, str(physical))
        type_ = field.get("type")
        struct = isinstance(type_, dict) and type_.get("type") == "struct"
        yield below, own, number if type(number) is int else None, not struct
        yield from _fields(type_, below, mapped, depth + 1)
    for words, parts in _WRAPPED.items():
        if kind.get("type") in words:
            for part in parts:
                inner = kind.get(f"{part}Type", kind.get(part))
                for found in _fields(inner, (*path, part), mapped, depth + 1):
                    yield (*found[:3], False)


def _mapped(entries: object, path: Path, depth: int) -> Iterator[tuple[Path, int]]:
    """Paths of names and ids, of Iceberg's name mapping."""
    if depth > DEPTH or not isinstance(entries, list):
        raise ValueError("no name mapping")
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("names"), list):
            raise ValueError("no name mapping")
        for name in entry["names"]:
            if type(entry.get("field-id")) is int:
                yield (*path, str(name)), entry["field-id"]
            if entry.get("fields"):
                yield from _mapped(entry["fields"], (*path, str(name)), depth + 1)
