"""One schema for the files of a folder without a log: their columns by name, then those of `key=value` folders.

No log says which columns the folder has. So it has those of all files, in the order in which they come; a file that lacks
one has nulls. Where files store a column in several types, the column has the type that holds all of them, or else text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import logical, types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.text import clip
from pqexplore.insight.some_rows import AS_TEXT
from pqexplore.insight.wording import listing
from pqexplore.lake.logs.table_schema import LIST, MAP, STRUCT, TableColumn, TableSchema
from pqexplore.lake.rows.arrow_types import BINARY_VARIANT, JSON_VARIANT
from pqexplore.lake.rows.constants import inferred


@dataclasses.dataclass
class _Seen:
    """A column as the files have it: each type with the first file that has it; `count` files have the column."""

    column: TableColumn
    types: dict[str, str]
    count: int = 1


def unite(
    schemas: Iterable[tuple[str, Schema]], values: Sequence[Mapping[str, str | None]], texts: bool
) -> tuple[TableSchema, list[str]]:
    """The schema of files, each with its name, and remarks on columns that not all files have, or in several types.

    `values` are the partition values of the files by their folders. `texts` as in `arrow_types.arrow_type`.
    """
    seen: dict[str, _Seen] = {}
    total = 0
    for file, schema in schemas:
        total += 1
        for field in schema.root.children:
            if not field.leaves():
                continue
            column, word = column_of(field, texts), _word(field)
            before = seen.setdefault(field.name, _Seen(column, {word: file}, 0))
            before.count += 1
            before.types.setdefault(word, file)
            before.column = _united(before.column, column)
    keys = list(dict.fromkeys(key for one in values for key in one))
    columns = [one.column for name, one in seen.items() if name not in keys]
    for key in keys:
        kind = inferred([one.get(key) for one in values])
        columns.append(TableColumn(key, "", stored=(key,), arrow=kind))
    return TableSchema(TableColumn("", STRUCT, children=tuple(columns)), by_id=False), _remarks(seen, keys, total)


def _remarks(seen: Mapping[str, _Seen], keys: Sequence[str], total: int) -> list[str]:
    made = []
    some = [name for name, one in seen.items() if one.count < total and name not in keys]
    if some:
        made.append(f"not all files have {_listed(some)}: null where it is not")
    for name, one in seen.items():
        if len(one.types) > 1:
            stored = listing([f"{word} in {file}" for word, file in one.types.items()], most=3)
            made.append(f"{clip(name, 100)} is {stored}")
    both = [key for key in keys if key in seen]
    if both:
        made.append(f"{_listed(both)} is in the files, too: the value is that of the folder")
    return made


def _listed(names: Sequence[str]) -> str:
    return listing([clip(one, 100) for one in names], most=4)


def column_of(field: Field, texts: bool) -> TableColumn:
    """A field of a file as a column that is found by its name."""
    if field.kind == "variant":
        return _column(field.name, "variant", arrow=JSON_VARIANT if texts else BINARY_VARIANT)
    element = field.list_element
    if field.kind == "list" and element is not None:
        return _column(field.name, LIST, (_named(column_of(element, texts), "element"),))
    if field.kind == "map" and element is not None and len(element.children) == 2:
        inner = (column_of(one, texts) for one in element.children)
        return _column(field.name, MAP, tuple(map(_named, inner, ("key", "value"))))
    if isinstance(field, Leaf):
        return _column(field.name, "", arrow=_arrow(field, texts))
    return _column(field.name, STRUCT, tuple(column_of(one, texts) for one in field.children if one.leaves()))


def _column(
    name: str, kind: str, children: tuple[TableColumn, ...] = (), arrow: pa.DataType | None = None
) -> TableColumn:
    return TableColumn(name, kind, stored=(name,), children=children, arrow=arrow)


def _named(column: TableColumn, name: str) -> TableColumn:
    return dataclasses.replace(column, name=name, stored=(name,))


def _arrow(leaf: Leaf, texts: bool) -> pa.DataType:
    if texts and logical.meaning(leaf).name in AS_TEXT:
        return pa.string()
    try:
        return types.arrow_type(leaf)
    except ParquetError:  # reading the column says what is wrong
        return pa.null()


def _word(field: Field) -> str:
    """A field's type in words, to tell types apart."""
    if isinstance(field, Leaf):
        return logical.describe(field)
    words = {"list": "a list", "map": "a map", "variant": "a Variant"}
    return words.get(field.kind, "a struct")


def _united(one: TableColumn, other: TableColumn) -> TableColumn:
    """A column that holds the values of both."""
    if one.type == other.type == STRUCT:
        children = {child.name: child for child in one.children}
        for child in other.children:
            before = children.get(child.name)
            children[child.name] = child if before is None else _united(before, child)
        return dataclasses.replace(one, children=tuple(children.values()))
    if one.type == other.type and one.type in (LIST, MAP):
        pairs = zip(one.children, other.children, strict=True)
        return dataclasses.replace(one, children=tuple(_united(*pair) for pair in pairs))
    if one.arrow is not None and one.arrow == other.arrow:
        return one
    arrow = None if one.arrow is None or other.arrow is None else _wider(one.arrow, other.arrow)
    return _column(one.name, "", arrow=arrow or pa.string())


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The type that holds the values of both; None if there is none."""
    schemas = [pa.schema([pa.field("", kind)]) for kind in (one, other)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None
