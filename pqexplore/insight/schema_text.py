"""A schema as text: Parquet's message, the descriptions of Arrow and Spark in the file, a table for DuckDB."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pyarrow as pa

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import embedded, types
from pqexplore.engine.format.field import REPEATED, Field, Leaf, logical_type
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, FieldRepetitionType, Type
from pqexplore.engine.text import listing, plural
from pqexplore.insight import spark_types
from pqexplore.insight.answer import Counts

PHYSICAL: dict[int, str] = {Type.BYTE_ARRAY: "binary", Type.FIXED_LEN_BYTE_ARRAY: "fixed_len_byte_array"}
"""Physical types whose name in a message is not their own in lower case."""


def message(schema: Schema) -> Iterator[str]:
    """Parquet's message text, as parquet-java prints it, with the maximum levels of each field after `//`."""
    rows = [(f"message {schema.root.name} {{", "")]
    open_groups: list[Field] = []
    for field in schema.fields[1:]:
        while open_groups and field.parent is not open_groups[-1]:
            rows.append((f"{'  ' * open_groups.pop().depth}}}", ""))
        levels = f"D {field.max_definition_level}, R {field.max_repetition_level}"
        rows.append((f"{'  ' * field.depth}{_declared(field)}", levels))
        if not isinstance(field, Leaf):
            open_groups.append(field)
    rows += [(f"{'  ' * field.depth}}}", "") for field in reversed(open_groups)]
    room = max(len(text) for text, _ in rows)
    for text, levels in rows:
        yield f"{text:<{room}}  // {levels}" if levels else text
    yield "}"


@dataclasses.dataclass(frozen=True, slots=True)
class SchemaCounts:
    """What a schema has: its fields by kind, its columns by type and repetition, the highest levels and who has them."""

    columns: int
    kinds: Counts
    types: Counts
    repetitions: Counts
    max_definition_level: int
    max_repetition_level: int
    deepest: str

    @classmethod
    def of(cls, schema: Schema) -> SchemaCounts:
        """The counts of a schema."""
        fields, leaves = schema.fields[1:], schema.leaves
        deepest = max(leaves, key=lambda leaf: leaf.max_definition_level, default=None)
        return cls(
            len(leaves),
            Counts.of(field.kind for field in fields if not isinstance(field, Leaf)),
            Counts.of(_type_of(leaf) for leaf in leaves),
            Counts.of(structs.enum_name(FieldRepetitionType, field.repetition).lower() for field in fields),
            max((leaf.max_definition_level for leaf in leaves), default=0),
            max((leaf.max_repetition_level for leaf in leaves), default=0),
            "" if deepest is None else ".".join(deepest.path),
        )

    @property
    def line(self) -> str:
        """The counts in words."""
        counts = [plural(self.columns, "column"), *(plural(count, kind) for kind, count in self.kinds.items())]
        said = listing(counts) + (f"; fields: {self.repetitions.each}" if self.repetitions else "")
        if self.columns:
            said += f"; types: {self.types.each}; D up to {self.max_definition_level} ({self.deepest}), R up to {self.max_repetition_level}"
        return f"{said}."


def _type_of(leaf: Leaf) -> str:
    """The physical type, and the logical one if there is one."""
    physical, annotated = structs.enum_name(Type, leaf.physical_type), _annotation(leaf.element)
    return f"{physical} ({annotated})" if annotated else physical


def _declared(field: Field) -> str:
    """One field of a message, up to its children."""
    repetition = structs.enum_name(FieldRepetitionType, field.repetition).lower()
    kind, end = "group", " {"
    if isinstance(field, Leaf):
        name = structs.enum_name(Type, field.physical_type).lower()
        kind, end = PHYSICAL.get(field.physical_type, name), ";"
        if field.type_length is not None and field.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
            kind += f"({field.type_length})"
    annotated = _annotation(field.element)
    number = field.element.field_id
    return (
        f"{repetition} {kind} {field.name}{f' ({annotated})' if annotated else ''}"
        f"{'' if number is None else f' = {number}'}{end}"
    )


def _annotation(element: structs.SchemaElement) -> str:
    """The logical type with its parameters, or the converted type where no logical type stands for it."""
    chosen = structs.union_field(logical_type(element))
    if chosen is None:
        converted = element.converted_type
        return "" if converted is None else structs.enum_name(ConvertedType, converted)
    name, value = chosen
    arguments = []
    for field in value.FIELDS:
        given = getattr(value, field.name)
        if isinstance(given, structs.Struct):
            unit = structs.union_field(given)
            given = None if unit is None else unit[0]
        if field.name == "algorithm" and given is not None:
            given = structs.enum_name(structs.EdgeInterpolationAlgorithm, given)
        if given is not None:
            arguments.append(str(given).lower() if isinstance(given, bool) else str(given))
    if name in ("DECIMAL", "TIME", "TIMESTAMP"):
        arguments.reverse()  # the precision first, and the unit
    return name + (f"({','.join(arguments)})" if arguments else "")


def arrow(file: ParquetFile) -> tuple[str, pa.Schema]:
    """Where an Arrow schema is from, and the schema: as ARROW:schema describes it, else as `read()` gives it."""
    value = file.key_value_metadata.get(embedded.ARROW)
    found = None if value is None else embedded.decode(embedded.ARROW, value)
    if found is not None and isinstance(found.content, pa.Schema):
        return f"as {embedded.ARROW} says", found.content
    why = "the file has no ARROW:schema" if found is None else found.problem
    return f"by the stored types; {why}", file.read(row_groups=[]).schema


def spark(file: ParquetFile) -> tuple[str, list[tuple[str, str]]]:
    """Where Spark's schema is from, and names and types of the columns: as Spark wrote them down, else by its rules.

    A column that Spark cannot read has the reason in place of its type.
    """
    from pqexplore.insight.lenses.schema import views

    view = views(file, file.schema)[1]
    columns = [(one.name, view.texts[one.index]) for one in file.schema.root.children if one.index in view.texts]
    if columns:
        return "as Spark wrote it", columns
    made = [(one.name, spark_types.of_field(one)) for one in file.schema.root.children]
    refused = sum(kind.refused for _, kind in made)
    source = "by the rules of Spark 4.3, which did not write it"
    if refused:
        source += f"; Spark refuses the file for {plural(refused, 'column')}, unless a schema of yours leaves them out"
    return source, [(name, f"no type: {kind.text}" if kind.refused else kind.text) for name, kind in made]


SQL: dict[str, str] = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "halffloat": "FLOAT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date32[day]": "DATE",
    "time32[ms]": "TIME",
    "time64[us]": "TIME",
    "time64[ns]": "TIME_NS",
    "null": "INTEGER",
}
"""DuckDB's types by those of Arrow, where they do not depend on more."""

ANNOTATED = {"UUID": "UUID", "ENUM": "VARCHAR", "JSON": "JSON", "INTERVAL": "INTERVAL"}
"""DuckDB's types by the logical type."""


def sql(file: ParquetFile, table: str) -> Iterator[str]:
    """The table that DuckDB makes of the columns, as a statement that creates it."""
    columns = [f"  {quoted(one.name)} {sql_type(one)}" for one in file.schema.root.children]
    yield f"CREATE TABLE {quoted(table)} ("
    for i, text in enumerate(columns):
        yield text + ("," if i + 1 < len(columns) else "")
    yield ");"


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_type(field: Field) -> str:
    """The type that DuckDB gives a field. UnsupportedFeatureError for a leaf that cannot be read."""
    return _sql_of_one(field) + ("[]" if field.repetition == REPEATED else "")


def _sql_of_one(field: Field) -> str:
    """The type of one value of a field, which may be repeated."""
    if isinstance(field, Leaf):
        return _sql_of_leaf(field)
    if field.kind == "variant":
        return "VARIANT"
    element = field.list_element
    if field.kind == "list" and element is not None:
        return f"{_sql_of_one(element)}[]"
    if field.kind == "map" and element is not None and len(element.children) == 2:
        return f"MAP({', '.join(map(sql_type, element.children))})"
    parts = [f"{quoted(one.name)} {sql_type(one)}" for one in field.children]
    return f"STRUCT({', '.join(parts)})"


def _sql_of_leaf(leaf: Leaf) -> str:
    known = ANNOTATED.get(meaning(leaf).name)
    if known is not None:
        return known
    kind = types.arrow_type(leaf)
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            return "TIMESTAMP WITH TIME ZONE"
        return "TIMESTAMP_NS" if kind.unit == "ns" and leaf.physical_type != Type.INT96 else "TIMESTAMP"
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})" if kind.precision <= 38 else "DOUBLE"
    return SQL.get(str(kind), "BLOB")
