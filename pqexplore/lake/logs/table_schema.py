"""The schema of a table by its log, and how its columns are found in files.

Iceberg identifies columns by field ids, and so does Delta in the column mapping mode `id`; in the mode `name`, and by
Iceberg's name mapping for files without ids, a column is identified by its name in the file. A column of a file that none
of these finds is no column of the table now: it was dropped.

Sources: https://iceberg.apache.org/spec/#column-projection, and "Column Mapping" in
https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.format.field import Field

if TYPE_CHECKING:
    import pyarrow as pa

DEPTH = 100
"""Max levels of nesting."""

FIELDS = 100_000
"""Max fields of a struct."""

Json = Mapping[str, object]
Path = tuple[str, ...]

_KEY = "delta.columnMapping."
STRUCT, LIST, MAP = "struct", "list", "map"


@dataclasses.dataclass(frozen=True)
class TableField:
    """A leaf of a table's schema: names from the root, the field's id (None if the table has none), type, nullability."""

    path: Path
    id: int | None
    type: str
    required: bool


@dataclasses.dataclass(frozen=True, eq=False)
class TableColumn:
    """A column or field: its present name, and what files call it.

    `type` is `struct`, `list` (whose one child is the element), `map` (key and value), or the log's name of a primitive
    type. `stored` are the names in files that have no field ids, or whose ids do not count. `default` is what a file
    without the column has in each row, a JSON value; None for null. `arrow` is the Arrow type of a primitive column that
    no log describes.
    """

    name: str
    type: str
    required: bool = False
    id: int | None = None
    stored: tuple[str, ...] = ()
    children: tuple[TableColumn, ...] = ()
    default: object = None
    arrow: pa.DataType | None = None

    @functools.cached_property
    def by_id(self) -> Mapping[int, TableColumn]:
        """The children that have an id."""
        return {one.id: one for one in self.children if one.id is not None}

    @functools.cached_property
    def by_stored(self) -> Mapping[str, TableColumn]:
        """The children by their names in files."""
        return {name: one for one in self.children for name in one.stored}

    @property
    def is_nested(self) -> bool:
        """Whether it is a struct, a list or a map."""
        return self.type in (STRUCT, LIST, MAP)


@dataclasses.dataclass(frozen=True)
class TableSchema:
    """The columns of a table, as the children of `root`. `by_id`: the ids of files that have any decide."""

    root: TableColumn
    by_id: bool

    def uses_ids(self, fields: Sequence[Field]) -> bool:
        """Whether columns are found by field ids in a file that has these fields."""
        return self.by_id and any(one.element.field_id is not None for one in fields)

    def child(self, parent: TableColumn, field: Field, ids: bool) -> TableColumn | None:
        """The column of a struct that a field of a file is; None if the table has no such column. `ids` as `uses_ids`."""
        if ids:
            number = field.element.field_id
            return None if number is None else parent.by_id.get(number)
        return parent.by_stored.get(field.name)

    def names(self, leaf: Field) -> Path | None:
        """The present names from below the root to a file's leaf; None if the table has no such column."""
        line: list[Field] = []
        at: Field | None = leaf
        while at is not None and at.parent is not None:
            line.append(at)
            at = at.parent
        line.reverse()
        ids = self.uses_ids(line)
        found: list[str] = []
        column: TableColumn | None = self.root
        for field in line:
            part = _part(field)
            if part is not None:
                found.append(field.name)
                if part and column is not None:
                    column = next((one for one in column.children if one.name == part), None)
                continue
            column = None if column is None else self.child(column, field, ids)
            if column is None:
                return None
            found.append(column.name)
            if field.kind == "variant" or (field.kind == "group" and column.type != STRUCT):
                return (*found, *(one.name for one in line[len(found) :]))
        return tuple(found)

    def present(self, stored: str) -> str:
        """The present name of a top-level column that files call `stored`; `stored` itself if there is none."""
        column = self.root.by_stored.get(stored)
        return stored if column is None else column.name

    @functools.cached_property
    def leaves(self) -> tuple[TableField, ...]:
        """The leaves; those of lists and maps, too."""
        return tuple(_leaves(self.root, ()))

    @functools.cached_property
    def stored_leaves(self) -> tuple[Path, ...]:
        """The paths in files of all fields that are no structs and in no list or map, in order."""
        return tuple(_stored(self.root, ()))


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


def _leaves(column: TableColumn, path: Path) -> Iterator[TableField]:
    for one in column.children:
        below = (*path, one.name)
        if one.is_nested:
            yield from _leaves(one, below)
        else:
            yield TableField(below, one.id, one.type, one.required)


def _stored(column: TableColumn, path: Path) -> Iterator[Path]:
    for one in column.children:
        below = (*path, one.stored[0] if one.stored else one.name)
        if one.type == STRUCT:
            yield from _stored(one, below)
        else:
            yield below


def of_delta(metadata: Json) -> TableSchema | None:
    """That of a `metaData` action; None if it cannot be read. Without column mapping the columns have no ids."""
    options = metadata.get("configuration")
    pairs = dict(options) if isinstance(options, dict | list) else {}
    mode = pairs.get(f"{_KEY}mode")
    return _schema(metadata.get("schemaString"), _Reader(mapped=mode in ("id", "name")), mode == "id")


def of_iceberg(text: str, mapping: str | None) -> TableSchema | None:
    """That of a schema in JSON, and of the table's property `schema.name-mapping.default`; None if it cannot be read."""
    names: dict[int, list[str]] = {}
    try:
        _mapped(json.loads(mapping) if mapping else [], names, 0)
    except (ValueError, RecursionError):
        names = {}
    return _schema(text, _Reader(names={number: tuple(some) for number, some in names.items()}), True)


def _schema(text: object, reader: _Reader, by_id: bool) -> TableSchema | None:
    try:
        schema = json.loads(text) if isinstance(text, str) else None
        if not isinstance(schema, dict):
            return None
        root = reader.column("", schema, {}, True, 0)
    except (ValueError, RecursionError):
        return None
    return TableSchema(root, by_id) if root.type == STRUCT and root.children else None


@dataclasses.dataclass
class _Reader:
    """Reads types as both formats write them. `names` are those of Iceberg's name mapping, by id; None for Delta."""

    mapped: bool = False
    names: Mapping[int, tuple[str, ...]] | None = None

    def column(self, name: str, kind: object, field: Json, required: bool, depth: int) -> TableColumn:
        """A column of a type. ValueError if it is none."""
        if depth > DEPTH:
            raise ValueError("the schema is nested too deeply")
        number, stored = self._found_by(name, field)
        word, children = self._type(kind, depth)
        default = field.get("initial-default") if self.names is not None else None
        return TableColumn(name, word, required, number, stored, children, default)

    def _found_by(self, name: str, field: Json) -> tuple[int | None, tuple[str, ...]]:
        if self.names is not None:
            number = _number(field.get("id"))
            return number, self.names.get(number, ()) if number is not None else ()
        metadata = field.get("metadata")
        if not self.mapped or not isinstance(metadata, dict):
            return None, (name,)
        return _number(metadata.get(f"{_KEY}id")), (str(metadata.get(f"{_KEY}physicalName", name)),)

    def _type(self, kind: object, depth: int) -> tuple[str, tuple[TableColumn, ...]]:
        if isinstance(kind, str):
            return kind, ()
        if not isinstance(kind, dict):
            raise ValueError("a type is a name or an object")
        word = kind.get("type")
        if word == STRUCT:
            fields = kind.get("fields")
            if not isinstance(fields, list) or len(fields) > FIELDS:
                raise ValueError("a struct has fields")
            return STRUCT, tuple(self._field(one, depth) for one in fields)
        if word in ("array", LIST):
            required = kind.get("containsNull") is False or kind.get("element-required") is True
            return LIST, (self._part(kind, "element", required, depth),)
        if word == MAP:
            required = kind.get("valueContainsNull") is False or kind.get("value-required") is True
            return MAP, (self._part(kind, "key", True, depth), self._part(kind, "value", required, depth))
        raise ValueError("an unknown type")

    def _field(self, field: object, depth: int) -> TableColumn:
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise ValueError("a field has a name")
        required = field.get("required") is True or field.get("nullable") is False
        return self.column(field["name"], field.get("type"), field, required, depth + 1)

    def _part(self, kind: Json, part: str, required: bool, depth: int) -> TableColumn:
        inner = kind.get(f"{part}Type", kind.get(part))
        made = self.column(part, inner, {}, required, depth + 1)
        return dataclasses.replace(made, id=_number(kind.get(f"{part}-id")), stored=(part,))


def _mapped(entries: object, names: dict[int, list[str]], depth: int) -> None:
    """Adds the names of Iceberg's name mapping to those of each id."""
    if depth > DEPTH or not isinstance(entries, list):
        raise ValueError("no name mapping")
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("names"), list):
            raise ValueError("no name mapping")
        number = _number(entry.get("field-id"))
        if number is not None:
            names.setdefault(number, []).extend(map(str, entry["names"]))
        if entry.get("fields"):
            _mapped(entry["fields"], names, depth + 1)


def _number(value: object) -> int | None:
    return value if type(value) is int else None
