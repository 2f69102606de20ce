"""Shreds Variants as the options ask, at the top of the schema and inside of structs, lists and maps.

A nested Variant is found in the schema that the table has without shredding. Its column is split into levels and
values and assembled again first, so that no values remain below nulls.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import schema as parquet_schema
from pqexplore.engine.format.field import Field, walk
from pqexplore.engine.format.nesting import shredding as nesting
from pqexplore.engine.format.nesting.assembly import assemble
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift.structs import SchemaElement
from pqexplore.engine.format.variant import shred as variant_shred
from pqexplore.engine.format.variant.columns import exchange, variants
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.writer import schema
from pqexplore.engine.writer.options import WriteOptions, as_path


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
    return schema.elements(arrow, dataclasses.replace(options, columns=columns))


def groups(table: pa.Table, built: Schema) -> Iterator[tuple[pa.StructArray, Field, int]]:
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
