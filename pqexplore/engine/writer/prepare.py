"""Builds the schema and the options of each leaf, and makes all checks that need no encoding."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format import schema as parquet_schema
from pqexplore.engine.format.field import Field, walk
from pqexplore.engine.format.file_reference import is_checksum
from pqexplore.engine.format.nesting import record_shredding as nesting
from pqexplore.engine.format.nesting.assembly import assemble
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import SchemaElement
from pqexplore.engine.format.variant import check as variant_check
from pqexplore.engine.format.variant import shred as variant_shred
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.variants_in_columns import exchange, variants
from pqexplore.engine.writer import footer_builder, option_refusals, schema_elements
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions, as_path


def shredded(table: pa.Table, options: WriteOptions) -> pa.Table:
    """The table with each Variant shredded as `options.columns` say.

    Raises UsageError if a field with the option `shredding` is not a VARIANT. `rules` checks paths that do not exist.
    """
    wanted = {
        ".".join(as_path(path)): given["shredding"]
        for path, given in options.columns.items()
        if given.get("shredding") is not None
    }
    if not wanted:
        return table
    built = parquet_schema.build(whole_elements(table.schema, options))
    for field in built.fields:
        if ".".join(field.path) in wanted and field.kind != "variant":
            raise UsageError(
                f"{'.'.join(field.path)}: shredding is an option of VARIANT groups; set logical_type='VARIANT'"
            )

    def shred(array: Any, field: Field) -> Any:
        kind = wanted.get(".".join(field.path))
        if kind is None:
            return array
        return variant_shred.shred(reconstruct(array, field), kind)

    for position, field in enumerate(built.root.children):
        below = [node for node in walk(field) if ".".join(node.path) in wanted]
        if below:
            column = table.column(position)
            chunks = column.chunks or [pa.array([], column.type)]
            column = pa.chunked_array([exchange(_clean(c, field), field, shred) for c in chunks])
            table = table.set_column(position, pa.field(field.name, column.type), column)
    return table


def whole_elements(arrow: pa.Schema, options: WriteOptions) -> list[SchemaElement]:
    """The schema elements of the table without shredding."""
    columns = {
        path: {name: value for name, value in given.items() if name != "shredding"}
        for path, given in options.columns.items()
    }
    return schema_elements.elements(arrow, dataclasses.replace(options, columns=columns))


def shredded_groups(table: pa.Table, built: Schema) -> Iterator[tuple[pa.StructArray, Field, int]]:
    """Every VARIANT group of a table: its array, its field, and the number of its first row.

    Inside of lists and maps, elements are numbered instead of rows.
    """
    for column, field in zip(table.columns, built.root.children, strict=True):
        if not any(node.kind == "variant" for node in walk(field)):
            continue
        first: dict[int, int] = {}
        for chunk in column.chunks:
            for array, node in variants(_clean(chunk, field), field):
                yield array, node, first.get(node.index, 0)
                first[node.index] = first.get(node.index, 0) + len(array)


def _clean(array: Any, field: Field) -> Any:
    """The array without dictionaries, extension types, and values below nulls."""
    if field.kind == "variant" and pa.types.is_struct(array.type):
        return array
    return assemble(field, nesting.shred(array, field))


def check(table: pa.Table, schema: Schema, options: WriteOptions) -> None:
    """Raise UsageError for the first row that breaks a rule of its group's type."""
    for array, field, first in shredded_groups(table, schema):
        _variant(array, field, first)
    for column, field in zip(table.columns, schema.root.children, strict=True):
        chosen = structs.union_field(field.element.logicalType)
        if chosen is None or chosen[0] != "FILE" or field.kind == "leaf":
            continue
        first = 0
        for chunk in column.chunks:
            _file(chunk, field, first, options)
            first += len(chunk)


def _variant(array: pa.Array, field: Field, first: int) -> None:
    """Raise UsageError if shredded columns contradict each other (specification, "Variant Shredding")."""
    entry = "element" if field.max_repetition_level else "row"
    for problem in variant_check.check(array, field, values=False, most=1):
        rule = variant_check.RULES.get(problem.rule, problem.rule)
        where = "" if problem.row is None else f", {entry} {first + problem.row:,}"
        raise UsageError(f"{'.'.join(field.path)}{where}, {problem.path}: {problem.message} ({rule})")


def _file(chunk: pa.Array, field: Field, first: int, options: WriteOptions) -> None:
    for row, value in enumerate(chunk.to_pylist(), first):
        reason = None if value is None else file_problem(value)
        if reason is None and value is not None and is_self_reference(value) and options.encryption:
            reason = "a file that refers to itself must not be encrypted"
        if reason:
            raise UsageError(f"{field.name}, row {row:,}: {reason}")


def is_self_reference(value: dict[str, Any]) -> bool:
    """Whether a FILE value refers to a range of its own file."""
    return not value.get("inline") and not value.get("uri") and value.get("offset") is not None


def file_problem(value: dict[str, Any]) -> str | None:
    """Why a FILE value is invalid; None if it is valid. An empty string counts as not set."""
    uri, offset, size = value.get("uri") or None, value.get("offset"), value.get("size")
    for name, number in (("offset", offset), ("size", size)):
        if number is not None and number < 0:
            return f"{name} is {number}; it cannot be negative"
    checksum = value.get("checksum")
    if checksum and not is_checksum(checksum):
        return f"checksum {checksum!r} is not ETAG:…, or MD5, CRC32, CRC32C or SHA-256 and lowercase hex"
    if value.get("inline") is not None:
        return None
    if offset is not None and size is None:
        return "an offset needs a size"
    if uri is None and size is not None and offset is None:
        return "a size without uri and offset refers to nothing"
    return None


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """A table that is ready to be written. `columns` are the options of each leaf, in the schema's order.

    `table` has its Variants in their stored form; `arrow_schema` is that of the given table.
    """

    table: pa.Table
    schema: Schema
    columns: list[ColumnOptions]
    orders: list[structs.ColumnOrder] | None
    options: WriteOptions
    arrow_schema: pa.Schema


def prepare(table: pa.Table, options: WriteOptions) -> Prepared:
    """Build the schema and check the options against it. Raises UsageError, with the rule, if they do not fit."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    given = table.schema
    elements = schema_elements.elements(given, options)
    try:
        table = shredded(table, options)
        built = parquet_schema.build(elements)
    except ParquetError as error:
        raise UsageError(str(error)) from None
    _check_shapes(built)
    columns = [options.column(leaf.path) for leaf in built.leaves]
    orders = footer_builder.column_orders([chosen.column_order for chosen in columns])
    built = parquet_schema.build(elements, column_orders=orders)
    option_refusals.check_paths(built, options)
    for leaf, chosen in zip(built.leaves, columns, strict=True):
        option_refusals.check_column(leaf, chosen)
    check(table, built, options)
    prepared = Prepared(table, built, columns, orders, options, given)
    _check_sorted(prepared)
    return prepared


def _check_shapes(built: Schema) -> None:
    """Raise UsageError if readers would not read a list or map as one."""
    for field in built.fields:
        if field.list_rule in ("LIST ignored", "MAP ignored"):
            raise UsageError(
                f"{'.'.join(field.path)}: readers would not read this structure as a list: {field.list_rule}"
            )


def row_group_ranges(prepared: Prepared) -> list[tuple[int, int]]:
    """First row and end of each row group; empty for a table without rows."""
    table, options = prepared.table, prepared.options
    rows = options.row_group_rows
    if options.row_group_bytes is not None and table.num_rows:
        each = max(table.nbytes / table.num_rows, 1e-9)
        rows = max(min(rows, int(options.row_group_bytes / each)), 1)
    return [(start, min(start + rows, table.num_rows)) for start in range(0, table.num_rows, rows)]


def _check_sorted(prepared: Prepared) -> None:
    """Raise UsageError if the rows of a row group are not sorted as `sorting_columns` say.

    Columns inside of groups are not checked.
    """
    sorting = prepared.options.sorting_columns
    if any(len(path) > 1 and not isinstance(path, str) for path, _, _ in sorting):
        return
    names = prepared.table.column_names
    keys = [(path if isinstance(path, str) else path[0], *rest) for path, *rest in sorting]
    if not keys or any(name not in names for name, *_ in keys):
        return
    for start, stop in row_group_ranges(prepared):
        tied = np.ones(max(stop - start - 1, 0), bool)
        for name, descending, nulls_first in keys:
            column = prepared.table.column(name).slice(start, stop - start)
            direction = "descending" if descending else "ascending"
            ranks = pc.rank(column, sort_keys=direction, tiebreaker="dense").to_numpy().astype(int)
            if nulls_first:
                ranks[pc.is_null(column).to_numpy()] = 0
            wrong = tied & (ranks[1:] < ranks[:-1])
            if wrong.any():
                row = start + int(np.argmax(wrong)) + 1
                raise UsageError(
                    f"sorting_columns: row {row:,} should come before row {row - 1:,}, by {name}; sort the table first"
                )
            tied &= ranks[1:] == ranks[:-1]
