"""Columns that a file of a Delta or Iceberg table stores in a type that is not the table's by its log.

A reader takes the types from the log. Some differences it widens, as the formats allow (an INT32 where the table has a long);
others it refuses, and then it cannot read the table. Spark and polars go by types; deltalake converts values one by one, and
fails at one that does not fit. What they do was seen by running them (`insight.diff.engines`, and `tests/lake/logs/test_log_types`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.schema import Schema, build
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import FieldRepetitionType, SchemaElement, Type
from pqexplore.engine.text import clip
from pqexplore.insight.diff.engines import ANSWERS, Outcome
from pqexplore.insight.diff.type_changes import change
from pqexplore.insight.wording import listing
from pqexplore.lake.listing.logged_tables import Table
from pqexplore.lake.logs.table_log import TableLog
from pqexplore.lake.logs.table_schema import LIST, MAP, STRUCT, TableColumn, TableSchema
from pqexplore.lake.tables import NAME

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa

    Row: TypeAlias = "dict[str, str | int | None]"

TYPE = "type"
"""The value of `log_conflicts.statistic` for a type."""
REFUSED = {"delta": ("polars", "Spark"), "iceberg": ("pyiceberg",)}
"""The engines that were seen to refuse a table by format, for a type that it must not have."""
_POLARS_CASTS = {"float-wider", "unit-to-ns"}
"""What polars refuses of a folder and casts in a Delta table."""
_DECIMAL = re.compile(r"decimal\((\d{1,2})\s*,\s*(\d{1,2})\)")
_KINDS = {STRUCT: "group", LIST: "list", MAP: "map"}
_MICROS = structs.TimeUnit(MICROS=structs.MicroSeconds())
_NANOS = structs.TimeUnit(NANOS=structs.NanoSeconds())


def type_conflicts(
    run_id: str, tables: Sequence[Table], files: pa.Table, schemas: Mapping[str, Schema]
) -> Iterator[Row]:
    """Rows of `log_conflicts` of readable files, from their rows of `files`, for types that an engine refuses."""
    logs = {one.path: one.log for one in tables if isinstance(one.log, TableLog) and one.log.schema is not None}
    known: dict[tuple[str, str], list[Row]] = {}
    for row in files.to_pylist():
        log, schema = logs.get(row["table_path"]), schemas.get(row["schema_id"])
        if log is None or schema is None or log.schema is None:
            continue
        key = row["table_path"], row["schema_id"]
        if key not in known:
            ids = log.schema.uses_ids(schema.fields)
            fields = schema.root.children
            constants = log.constants if log.format == "delta" else frozenset()
            known[key] = [
                one
                for column, field in _pairs(log.schema, log.schema.root, fields, ids)
                if column.name not in constants
                for one in _conflicts(log.schema, column, field, ids, log.format)
            ]
        for one in known[key]:
            yield {"run_id": run_id, "path": row["path"], "table_path": row["table_path"], **one}


def _pairs(
    schema: TableSchema, parent: TableColumn, fields: Sequence[Field], ids: bool
) -> Iterator[tuple[TableColumn, Field]]:
    for field in fields:
        column = schema.child(parent, field, ids)
        if column is not None and field.leaves():
            yield column, field


def _conflicts(schema: TableSchema, column: TableColumn, field: Field, ids: bool, format: str) -> Iterator[Row]:
    """The conflicts of a column and of what is in it."""
    if column.type == "variant" or field.kind == "variant":
        return
    if (_KINDS[column.type] if column.is_nested else "leaf") != field.kind:
        yield _row(column, field, format, "shape")
    elif column.type == STRUCT:
        for inner, own in _pairs(schema, column, field.children, ids):
            yield from _conflicts(schema, inner, own, ids, format)
    elif column.type == LIST and field.list_element is not None:
        yield from _conflicts(schema, column.children[0], field.list_element, ids, format)
    elif column.type == MAP and field.list_element is not None:
        for inner, own in zip(column.children, field.list_element.children, strict=False):
            yield from _conflicts(schema, inner, own, ids, format)
    elif isinstance(field, Leaf):
        kind = _kind(column, field, format)
        if kind is not None:
            yield _row(column, field, format, kind)


def _kind(column: TableColumn, leaf: Leaf, format: str) -> str | None:
    """The kind of difference from the table's type, if an engine refuses it; None if there is none, or if that is not known."""
    own = leaf_of(column.type, format)
    if own is None or leaf.defect is not None:
        return None
    # Iceberg's rules are about the type that a column had before, Delta's readers begin with the log's.
    found = change(own, leaf) if format == "delta" else change(leaf, own)
    engine = "Spark" if format == "delta" else "Iceberg"
    if found is None or ANSWERS.get(found.kind, {}).get(engine, (None, ""))[0] is not Outcome.FAILS:
        return None
    return found.kind


def _row(column: TableColumn, field: Field, format: str, kind: str) -> Row:
    stored = describe(field) if isinstance(field, Leaf) else {"group": "a struct"}.get(field.kind, f"a {field.kind}")
    table = f"a {column.type}" if column.is_nested else clip(column.type, 60)
    engines = [one for one in REFUSED[format] if one != "polars" or kind not in _POLARS_CASTS]
    name = clip(".".join(field.path), 60)
    refuse = "refuses it" if len(engines) == 1 else "refuse it"
    return {
        "leaf": field.leaves()[0].leaf_index,
        "column_name": clip(".".join(field.leaves()[0].path), NAME),
        "statistic": TYPE,
        "log_value": table,
        "footer_value": stored,
        "message": f"{name} is {stored} in the file, and {table} in the table: {listing(engines)} {refuse}",
    }


def leaf_of(type: str, format: str) -> Leaf | None:
    """A column of a type of the log, as a file of the table has it; None for a type that is not known."""
    physical: int | None = None
    length: int | None = None
    logical: structs.LogicalType | None = None
    decimal = _DECIMAL.fullmatch(type)
    if decimal is not None:
        physical, length = Type.FIXED_LEN_BYTE_ARRAY, 16
        logical = structs.LogicalType(DECIMAL=structs.DecimalType(precision=int(decimal[1]), scale=int(decimal[2])))
    elif type in _PLAIN:
        physical = _PLAIN[type]
    elif type in ("byte", "short"):
        physical = Type.INT32
        logical = structs.LogicalType(INTEGER=structs.IntType(bitWidth=8 if type == "byte" else 16, isSigned=True))
    elif type == "string":
        physical, logical = Type.BYTE_ARRAY, structs.LogicalType(STRING=structs.StringType())
    elif type == "date":
        physical, logical = Type.INT32, structs.LogicalType(DATE=structs.DateType())
    elif type in ("timestamp", "timestamptz", "timestamp_ntz", "timestamp_ns", "timestamptz_ns"):
        utc = type.startswith("timestamptz") or (type == "timestamp" and format == "delta")
        physical, unit = Type.INT64, _NANOS if type.endswith("ns") else _MICROS
        logical = structs.LogicalType(TIMESTAMP=structs.TimestampType(isAdjustedToUTC=utc, unit=unit))
    if physical is None:
        return None
    root = SchemaElement(name="table", num_children=1)
    element = SchemaElement(
        type=physical,
        type_length=length,
        repetition_type=FieldRepetitionType.OPTIONAL,
        name="column",
        logicalType=logical,
    )
    return build([root, element]).leaves[0]


_PLAIN: dict[str, int] = {
    "boolean": Type.BOOLEAN,
    "integer": Type.INT32,
    "int": Type.INT32,
    "long": Type.INT64,
    "float": Type.FLOAT,
    "double": Type.DOUBLE,
    "binary": Type.BYTE_ARRAY,
}
