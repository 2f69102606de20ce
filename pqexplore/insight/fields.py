"""The schema as a person reads it: fields with their levels and types, and what Arrow and Spark take them for.

The tree is Parquet's. Beside it stand the descriptions that writers leave in the key-value metadata, leaf by leaf:
readers of theirs believe those, others do not see them, so where they part the file has two contents.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pqexplore.engine import embedded, embedded_types, types
from pqexplore.engine.embedded import ARROW, SPARK, Embedded
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.logical import annotation, describe, physical_name
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.schema import LIST_RULES, Field, Leaf, Schema
from pqexplore.engine.tree import Node, Span
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import listing, name, plural

LISTED = 20_000
"""Fields in the table."""

PLACED = 5_000
"""Fields whose bytes in the footer are looked up; a larger schema is shown without."""

SHOWN_TYPE = 200
"""Characters of a type in another program's words."""

REPETITIONS = ("required", "optional", "repeated")

LEGACY = frozenset(LIST_RULES) - {"three-level", "map"}
"""Shapes that only the backward-compatibility rules explain."""

COLUMNS = (
    Column("field", "field", "text", "path from the root"),
    Column("repetition", "repetition", "text", "whether a value must, may, or may often be there"),
    Column("definition", "D", "number", "maximum definition level: here the field is there"),
    Column("repetition_level", "R", "number", "maximum repetition level: lists around it"),
    Column("logical", "type", "text", "what the values mean; of a group its shape"),
    Column("physical", "stored as", "text", "what the bytes are"),
    Column("rule", "rule", "text", "which rule of the specification makes it a list or map"),
    Column("arrow", "Arrow", "text", "what an Arrow reader makes of it"),
    Column("spark", "Spark", "text", "what Spark wrote it as"),
    Column("agrees", "agree", "flag", "whether these descriptions fit what is stored"),
)


@dataclasses.dataclass(slots=True)
class View:
    """What another program takes the fields for: texts by the index of the field, and the leaves that do not fit.

    `source` says where this comes from, `problems` what is wrong, in sentences.
    """

    source: str
    texts: dict[int, str] = dataclasses.field(default_factory=dict)
    unfit: set[int] = dataclasses.field(default_factory=set)
    problems: list[str] = dataclasses.field(default_factory=list)


def fields(file: ParquetFile, node: Node) -> Answer:
    """The schema around a node: "schema" or one of its fields. Raises ParquetError where it cannot be read."""
    schema = file.schema
    arrow, spark, others = views(file, schema)
    selected = int(node.name) if node.kind == "schema_field" else None
    problems = [*arrow.problems, *spark.problems, *others]
    picture = {
        "selected": selected,
        "total": len(schema.fields),
        "arrow": arrow.source,
        "spark": spark.source,
        "disagreements": problems,
        "rules": {
            field.list_rule: LIST_RULES[field.list_rule]
            for field in schema.fields
            if field.list_rule in LIST_RULES
        },
    }
    table = _table(file, schema, arrow, spark)
    said = (
        _of_schema(schema, arrow, spark, problems)
        if selected is None
        else _of_field(schema.fields[selected], arrow, spark)
    )
    return Answer(
        said, picture, table, code=f"pqexplore.explore(f).to_frame('schema', at={node.address!r})"
    )


def views(file: ParquetFile, schema: Schema) -> tuple[View, View, list[str]]:
    """Arrow's view, Spark's view, and where other descriptions (pandas, GeoParquet) part from the schema."""
    pairs = file.key_value_metadata
    found = {}
    for key, value in pairs.items():
        decoded = embedded.decode(key, value)
        if decoded is not None:
            found[key] = decoded
    others = [
        sentence
        for key, one in found.items()
        if key not in (ARROW, SPARK)
        for sentence in embedded.disagreements(one, schema)
    ]
    return _arrow(found.get(ARROW), schema), _spark(found.get(SPARK), schema), others


def _arrow(found: Embedded | None, schema: Schema) -> View:
    view = View("by its stored types: the file has no ARROW:schema")
    if found is not None:
        view = View(f"as {ARROW} says", problems=embedded.disagreements(found, schema))
        if found.content is not None:
            described = {field.name: field.type for field in found.content}
            _fill(
                view, schema, described, embedded_types.arrow_leaves, embedded_types.arrow_fits, str
            )
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
    _fill(
        view, schema, described, embedded_types.spark_leaves, embedded_types.spark_fits, _spark_name
    )
    return view


def _fill(
    view: View,
    schema: Schema,
    described: dict[str, Any],
    flatten: Callable[[Any], list[Any] | None],
    fits: Callable[[Any, Any], bool],
    spell: Callable[[Any], str],
) -> None:
    """Put a description's types beside the fields: the whole type at a column, the leaves' types at its leaves."""
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
    """Spark's JSON of a type in its short form: array<string>."""
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


def _table(file: ParquetFile, schema: Schema, arrow: View, spark: View) -> Table:
    table = Table(COLUMNS, "The fields of the schema", total=len(schema.fields))
    spans = _spans(file, len(schema.fields))
    for field in schema.fields[:LISTED]:
        leaf = isinstance(field, Leaf)
        told = field.index in arrow.texts or field.index in spark.texts
        unfit = field.index in arrow.unfit or field.index in spark.unfit
        table.add(
            ".".join(field.path) or field.name,
            REPETITIONS[field.repetition] if field.parent is not None else "the root",
            field.max_definition_level,
            field.max_repetition_level,
            _type(field),
            physical_name(field) if isinstance(field, Leaf) else None,
            field.list_rule,
            arrow.texts.get(field.index),
            spark.texts.get(field.index),
            (not unfit) if (told and leaf) or unfit else None,
            address=f"schema/{field.index}",
            span=spans.get(field.index),
        )
    return table


def _spans(file: ParquetFile, count: int) -> dict[int, Span]:
    """Where the footer declares each field."""
    if count > PLACED:
        return {}
    try:
        children = file.node("footer/schema").children
        return {i: one.span for i, one in enumerate(children) if one.span is not None}
    except (ParquetError, LookupError):
        return {}


def _type(field: Field) -> str:
    if isinstance(field, Leaf):
        if field.defect is not None:
            return f"not readable: {field.defect.message}"
        return describe(field)
    return {"list": "LIST", "map": "MAP", "variant": "VARIANT"}.get(field.kind, "group")


def _of_schema(schema: Schema, arrow: View, spark: View, problems: list[str]) -> str:
    depth = max((field.depth for field in schema.fields), default=0)
    leaves = plural(len(schema.leaves), "leaf", "leaves")
    if depth <= 1:
        text = f"{leaves}, all at the top level"
    else:
        deepest = next(field for field in schema.fields if field.depth == depth)
        text = f"{leaves}, up to {depth} levels deep ({name(deepest.path)})"
    legacy = [field for field in schema.fields if field.list_rule in LEGACY]
    if legacy:
        first = legacy[0]
        text += (
            f"; {plural(len(legacy), 'group')} read by a legacy rule, such as {name(first.path)}: "
            f"{first.list_rule}"
        )
    broken = [leaf for leaf in schema.leaves if leaf.defect is not None]
    if broken:
        text += f"; {plural(len(broken), 'leaf', 'leaves')} cannot be read"
    if problems:
        more = "" if len(problems) == 1 else f" and {len(problems) - 1:,} more"
        first_one = problems[0].rstrip(".")
        return f"{text}. {plural(len(problems), 'disagreement')}: {first_one}{more}."
    told = [
        who
        for who, view in (("Arrow's", arrow), ("Spark's", spark))
        if view.source.startswith("as ")
    ]
    if not told:
        return f"{text}; no other description of the columns is in the file."
    verb = "agrees" if len(told) == 1 else "agree"
    return f"{text}; {listing(told)} own description{'s' * (len(told) > 1)} {verb} with it."


def _of_field(field: Field, arrow: View, spark: View) -> str:
    if field.parent is None:
        return f"The root {name(field.name)} of the schema, with {plural(len(field.children), 'column')}."
    what = f"{name(field.path)} is {REPETITIONS[field.repetition]}"
    if isinstance(field, Leaf):
        meaning, stored = describe(field), physical_name(field)
        what += f" {meaning}" + (f", stored as {stored}" if stored != meaning else "")
        definitions = name_levels(field)[0]
        top = field.max_definition_level
        if top:
            what += (
                f"; a value is there at definition level {top}, and level 0 says: {definitions[0]}"
            )
        else:
            what += "; a value is always there, so no definition levels are stored"
        note = _instants(field)
        if note:
            what += f"; {note}"
    else:
        what += f", a {field.kind} of {plural(len(field.children), 'field')}"
        if field.list_rule in LIST_RULES:
            what += f". {LIST_RULES[field.list_rule].rstrip('.')}"
    unfit = [
        f"{who} takes it for {view.texts.get(field.index, 'something else')}"
        for who, view in (("Arrow", arrow), ("Spark", spark))
        if field.index in view.unfit
    ]
    return f"{what}{'. ' + listing(unfit) + ', which does not fit' if unfit else ''}."


def _instants(leaf: Leaf) -> str:
    """Whether a timestamp says when, or what a clock showed."""
    try:
        found = annotation(leaf)
    except ParquetError:
        return ""
    if found.name != "TIMESTAMP":
        return ""
    return (
        "its values are instants (isAdjustedToUTC)"
        if found.utc
        else "its values are what a clock showed somewhere, not instants"
    )
