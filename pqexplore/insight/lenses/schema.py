"""The schema as a tree of fields: levels, types and rules, and the types that Arrow and Spark give each field.

The tree is Parquet's. `schema_views` beside this has the views of Arrow and Spark.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import embedded, embedded_types, types
from pqexplore.engine.format.embedded import ARROW, SPARK, Embedded
from pqexplore.engine.format.field import LIST_RULES, Field, Leaf
from pqexplore.engine.format.logical import describe, meaning, physical_name
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.wording import listing, name, plural

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


FIRST = frozenset({"schema", "schema_field"})

COUNT = 500
"""Fields in one reply."""

PROBLEMS = 20
"""Disagreements in the picture."""

LISTED = 20_000
"""Fields in the table."""

PLACED = 5_000
"""Fields of a schema whose bytes in the footer are found; a larger schema is shown without."""

REPETITIONS: tuple[Literal["required", "optional", "repeated"], ...] = ("required", "optional", "repeated")

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
class SchemaField:
    """A field of the tree. `last` if no sibling follows it.

    `type` is what the values mean, or the shape of a group; `physical` the stored type of a leaf. `rule` is the rule of
    the specification that makes it a list or map. `arrow` and `spark` are the types there, `agrees` whether they fit
    what is stored; each is null if absent. `span` is the field's declaration in the footer.
    """

    name: str
    depth: int
    last: bool
    kind: str
    repetition: Literal["required", "optional", "repeated", "the root"]
    definition_level: int
    repetition_level: int
    type: str
    physical: str | None
    rule: str | None
    arrow: str | None
    spark: str | None
    agrees: bool | None
    span: Span | None


@dataclasses.dataclass(slots=True)
class Picture:
    """The first of `total` fields, the sources of Arrow's and Spark's types, and the meaning of each rule.

    `selected` is the index of the selected field, null if it is the whole schema.
    """

    selected: int | None
    total: int
    arrow: str
    spark: str
    disagreements: list[str]
    rules: dict[str, str]
    fields: list[SchemaField]


@dataclasses.dataclass(slots=True)
class SchemaFields:
    """Fields from the requested one on."""

    fields: list[SchemaField]


def answer(file: ParquetFile, node: Node) -> Answer:
    """The tree, and the node's field in it. Raises ParquetError if the schema cannot be read."""
    schema = file.schema
    arrow, spark, others = views(file, schema)
    spans = _spans(file, schema)
    selected = int(node.name) if node.kind == "schema_field" else None
    problems = [*arrow.problems, *spark.problems, *others]
    picture = Picture(
        selected=selected,
        total=len(schema.fields),
        arrow=arrow.source,
        spark=spark.source,
        disagreements=[short_text.shorten(problem, 300) for problem in problems[:PROBLEMS]],
        rules={
            field.list_rule: LIST_RULES[field.list_rule] for field in schema.fields if field.list_rule in LIST_RULES
        },
        fields=[_shown(field, arrow, spark, spans) for field in schema.fields[:COUNT]],
    )
    sentence = (
        _of_schema(schema, arrow, spark, problems)
        if selected is None
        else _of_field(schema.fields[selected], arrow, spark)
    )
    code = f"pqexplore.explore(f).to_frame('schema', at={node.address!r})"
    return Answer(sentence, picture, _table(schema, arrow, spark, spans), code=code)


def fields_from(file: ParquetFile, start: int) -> SchemaFields:
    """`COUNT` fields from the one at `start`, a multiple of `COUNT`. Raises UsageError for another `start`."""
    schema = file.schema
    listed = schema.fields[:LISTED]
    if start % COUNT or not 0 <= start <= len(listed):
        raise UsageError(f"field {start:,} is not where {COUNT} fields begin")
    arrow, spark, _ = views(file, schema)
    spans = _spans(file, schema)
    part = listed[start : start + COUNT]
    return SchemaFields([_shown(field, arrow, spark, spans) for field in part])


def _shown(field: Field, arrow: View, spark: View, spans: dict[int, Span]) -> SchemaField:
    parent = field.parent
    return SchemaField(
        name=short_text.shorten(field.name, 120),
        depth=field.depth,
        last=parent is None or parent.children[-1] is field,
        kind=field.kind,
        repetition="the root" if parent is None else REPETITIONS[field.repetition],
        definition_level=field.max_definition_level,
        repetition_level=field.max_repetition_level,
        type=short_text.shorten(_type(field), 120),
        physical=physical_name(field) if isinstance(field, Leaf) else None,
        rule=field.list_rule,
        arrow=arrow.texts.get(field.index),
        spark=spark.texts.get(field.index),
        agrees=_agrees(field, arrow, spark),
        span=spans.get(field.index),
    )


def _agrees(field: Field, arrow: View, spark: View) -> bool | None:
    """Whether Arrow's and Spark's types fit what is stored; None for a group without a misfit, or without types."""
    if field.index in arrow.unfit or field.index in spark.unfit:
        return False
    described = field.index in arrow.texts or field.index in spark.texts
    return True if described and isinstance(field, Leaf) else None


def _table(schema: Schema, arrow: View, spark: View, spans: dict[int, Span]) -> Table:
    table = Table(COLUMNS, "The fields of the schema", total=len(schema.fields))
    for field in schema.fields[:LISTED]:
        shown = _shown(field, arrow, spark, spans)
        table.add(
            ".".join(field.path) or field.name,
            shown.repetition,
            shown.definition_level,
            shown.repetition_level,
            _type(field),
            shown.physical,
            shown.rule,
            shown.arrow,
            shown.spark,
            shown.agrees,
            address=Address.of("schema", field.index),
            span=shown.span,
        )
    return table


def _spans(file: ParquetFile, schema: Schema) -> dict[int, Span]:
    """The bytes of each field's declaration in the footer, by its index; empty for a schema that is too large."""
    if len(schema.fields) > PLACED:
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
        sentence = f"{leaves}, all at the top level"
    else:
        deepest = next(field for field in schema.fields if field.depth == depth)
        sentence = f"{leaves}, up to {depth} levels deep ({name(deepest.path)})"
    legacy = [field for field in schema.fields if field.list_rule in LEGACY]
    if legacy:
        first = legacy[0]
        sentence += (
            f"; {plural(len(legacy), 'group')} read by a legacy rule, such as {name(first.path)}: {first.list_rule}"
        )
    broken = [leaf for leaf in schema.leaves if leaf.defect is not None]
    if broken:
        sentence += f"; {plural(len(broken), 'leaf', 'leaves')} cannot be read"
    if problems:
        more = "" if len(problems) == 1 else f" and {len(problems) - 1:,} more"
        first_one = problems[0].rstrip(".")
        return f"{sentence}. {plural(len(problems), 'disagreement')}: {first_one}{more}."
    described = [whose for whose, view in (("Arrow's", arrow), ("Spark's", spark)) if view.source.startswith("as ")]
    if not described:
        return f"{sentence}; no other description of the columns is in the file."
    verb = "agrees" if len(described) == 1 else "agree"
    return f"{sentence}; {listing(described)} own description{'s' * (len(described) > 1)} {verb} with it."


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
            what += f"; a value is there at definition level {top}, and level 0 says: {definitions[0]}"
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
    """Whether a timestamp is an instant or local; empty for another type."""
    try:
        logical = meaning(leaf)
    except ParquetError:
        return ""
    if logical.name != "TIMESTAMP":
        return ""
    return (
        "its values are instants (isAdjustedToUTC)"
        if logical.utc
        else "its values are what a clock showed somewhere, not instants"
    )


LENS = Lens(
    "schema",
    title="Schema",
    answer=answer,
    kinds=FIRST,
    first=FIRST,
    picture=Picture,
    operations={"schema_fields": fields_from},
    no_figure="it shows names and types, not numbers",
    value_free=("field", "repetition", "definition", "repetition_level", "logical", "physical"),
    value_free_sentence=True,
)
