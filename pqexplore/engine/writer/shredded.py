"""Variants become what they are stored as, wherever they stand: at the top, or inside structs, lists and maps.

A Variant inside of something is found by the schema that the table would have without any shredding. On the way its
column is taken apart into levels and values and put together again, so that nothing hides below a null.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from pqexplore.engine import schema as parquet_schema
from pqexplore.engine.errors import UsageError
from pqexplore.engine.nesting import shredding as nesting
from pqexplore.engine.nesting.assembly import assemble
from pqexplore.engine.schema import Field, Schema, walk
from pqexplore.engine.thrift.structs import SchemaElement
from pqexplore.engine.variant import shred as variant_shred
from pqexplore.engine.variant.columns import exchange, variants
from pqexplore.engine.variant.reconstruct import reconstruct
from pqexplore.engine.writer import schema
from pqexplore.engine.writer.options import WriteOptions, as_path


def shredded(table: pa.Table, options: WriteOptions) -> pa.Table:
    """The table with each Variant that has a shredding in that form.

    UsageError where a shredding is asked for what is no VARIANT; a path that does not exist is left to `rules`.
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
                f"{'.'.join(field.path)}: shredding is for VARIANT groups; logical_type says which are"
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
            made = pa.chunked_array([exchange(_clean(c, field), field, shred) for c in chunks])
            table = table.set_column(position, pa.field(field.name, made.type), made)
    return table


def whole_elements(arrow: pa.Schema, options: WriteOptions) -> list[SchemaElement]:
    """The schema elements that there would be without any shredding."""
    columns = {
        path: {name: value for name, value in given.items() if name != "shredding"}
        for path, given in options.columns.items()
    }
    return schema.elements(arrow, dataclasses.replace(options, columns=columns))


def groups(table: pa.Table, built: Schema) -> Iterator[tuple[pa.StructArray, Field, int]]:
    """Every VARIANT group of a table: its array, its field, and the number of the first row; inside of lists and maps
    elements take the place of rows.
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
    """The array without dictionaries, extensions, and whatever there is below nulls."""
    if field.kind == "variant" and pa.types.is_struct(array.type):
        return array
    return assemble(field, nesting.shred(array, field))
