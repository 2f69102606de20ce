"""How Arrow and Spark see the fields of a schema, by the descriptions that writers leave in the key-value metadata.

Readers of the same program believe such a description, others do not see it. If it differs from the schema, the file
has two contents. Beside the lens schema, which would be too long with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import embedded, embedded_types, types
from pqexplore.engine.format.embedded import ARROW, SPARK, Embedded
from pqexplore.engine.format.schema import Schema

SHOWN_TYPE = 200
"""Characters of a type as another program spells it."""


@dataclasses.dataclass(slots=True)
class View:
    """The types that another program gives the fields: texts by the index of the field, and the leaves that do not fit.

    `source` says where the types are from, `problems` what is wrong, in sentences.
    """

    source: str
    texts: dict[int, str] = dataclasses.field(default_factory=dict)
    unfit: set[int] = dataclasses.field(default_factory=set)
    problems: list[str] = dataclasses.field(default_factory=list)


def views(file: ParquetFile, schema: Schema) -> tuple[View, View, list[str]]:
    """Arrow's view, Spark's view, and how other descriptions (pandas, GeoParquet) differ from the schema."""
    descriptions = {}
    for key, value in file.key_value_metadata.items():
        decoded = embedded.decode(key, value)
        if decoded is not None:
            descriptions[key] = decoded
    others = [
        sentence
        for key, one in descriptions.items()
        if key not in (ARROW, SPARK)
        for sentence in embedded.disagreements(one, schema)
    ]
    return _arrow(descriptions.get(ARROW), schema), _spark(descriptions.get(SPARK), schema), others


def _arrow(found: Embedded | None, schema: Schema) -> View:
    view = View("by its stored types: the file has no ARROW:schema")
    if found is not None:
        view = View(f"as {ARROW} says", problems=embedded.disagreements(found, schema))
        if found.content is not None and not isinstance(found.content, dict):
            described = {field.name: field.type for field in found.content}
            _fill(view, schema, described, embedded_types.arrow_leaves, embedded_types.arrow_fits, str)
    for leaf in schema.leaves:
        if leaf.index not in view.texts:
            try:
                view.texts[leaf.index] = str(types.arrow_type(leaf))
            except ParquetError as error:
                view.texts[leaf.index] = f"not readable: {error.message}"
    return view


def _spark(found: Embedded | None, schema: Schema) -> View:
    if found is None:
        return View("not written by Spark: there is no row metadata of it")
    view = View("as its row metadata says", problems=embedded.disagreements(found, schema))
    content = found.content if isinstance(found.content, dict) else {}
    listed = content.get("fields")
    described = {
        field["name"]: field.get("type")
        for field in (listed if isinstance(listed, list) else [])
        if isinstance(field, dict) and isinstance(field.get("name"), str)
    }
    _fill(view, schema, described, embedded_types.spark_leaves, embedded_types.spark_fits, _spark_name)
    return view


def _fill(
    view: View,
    schema: Schema,
    described: dict[str, Any],
    flatten: Callable[[Any], list[Any] | None],
    fits: Callable[[Any, Any], bool],
    spell: Callable[[Any], str],
) -> None:
    """Add a description's types to the view: the whole type at a column, the leaves' types at its leaves."""
    for column in schema.root.children:
        if column.name not in described:
            continue
        kind, leaves = described[column.name], column.leaves()
        theirs = flatten(kind)
        view.texts[column.index] = _clip(spell(kind))
        if theirs is None or len(theirs) != len(leaves):
            if theirs is not None:
                view.unfit.add(column.index)
            continue
        for one, leaf in zip(theirs, leaves, strict=True):
            view.texts[leaf.index] = _clip(spell(one) if leaf is not column else spell(kind))
            if not fits(one, leaf):
                view.unfit.add(leaf.index)


def _clip(text: str) -> str:
    return text if len(text) <= SHOWN_TYPE else f"{text[: SHOWN_TYPE - 1]}…"


def _spark_name(kind: Any, depth: int = 0) -> str:
    """Spark's JSON of a type, in short: array<string>."""
    if isinstance(kind, str):
        return kind
    if not isinstance(kind, dict) or depth > 8:
        return "…"
    inner = depth + 1
    if kind.get("type") == "array":
        return f"array<{_spark_name(kind.get('elementType'), inner)}>"
    if kind.get("type") == "map":
        key, value = kind.get("keyType"), kind.get("valueType")
        return f"map<{_spark_name(key, inner)}, {_spark_name(value, inner)}>"
    if kind.get("type") == "struct":
        listed = kind.get("fields")
        parts = [
            f"{one.get('name')}: {_spark_name(one.get('type'), inner)}"
            for one in (listed[:20] if isinstance(listed, list) else [])
            if isinstance(one, dict)
        ]
        return f"struct<{', '.join(parts)}>"
    return str(kind.get("type"))[:40]
