"""Files of one column chunk, right but for what is asked to be wrong: `writer.assembly`, with short names."""

import numpy as np

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer.assembly import chunk, element, file, levels_v1, page_v1, row_group


def integers(*values):
    """PLAIN INT64 values."""
    return np.array(values, "<i8").tobytes()


def levels(*values):
    """Levels up to 1 as a V1 page has them."""
    return levels_v1(np.array(values, np.uint8), 1)


def leaf(name="a", type=Type.INT64, repetition_type=0, **fields):
    """An element of the schema: a column."""
    return element(name, type, repetition_type, **fields)


def root(*children, num_children=None):
    """A schema: the root, and what is below it."""
    count = len(children) if num_children is None else num_children
    return [element("schema", repetition_type=None, num_children=count), *children]


THREE = integers(1, 2, 3)


def one_column(
    *pages, schema=None, num_values=3, num_rows=3, codec=0, metadata=None, group=None, footer=None, **fields
):
    """A file of these pages, or of a good one: a required INT64 column `a`, unless `schema` says otherwise.

    `metadata`, `fields`, `group` and `footer` override fields of the ColumnMetaData, the ColumnChunk, the RowGroup and the
    FileMetaData. `fields` may also be arguments of `assembly.chunk`.
    """
    schema = root(leaf()) if schema is None else schema
    kind = next((each.type for each in schema if each.type is not None), Type.INT64)
    made = chunk("a", kind, pages or (page_v1(THREE, 3),), codec=codec,
        metadata={"num_values": num_values} | (metadata or {}), **fields)  # fmt: skip
    return file(schema, [row_group([made], num_rows, **(group or {}))], **(footer or {}))


def variant(metadata, values):
    """A file with a VARIANT whose `metadata` is this leaf, with one value, which is the Variant null."""
    group = element("v", num_children=2, logicalType=structs.LogicalType(VARIANT=structs.VariantType()))
    schema = root(group, metadata, leaf("value", Type.BYTE_ARRAY), num_children=1)
    chunks = [
        chunk("v.metadata", metadata.type, [page_v1(values, 1)]),
        chunk("v.value", Type.BYTE_ARRAY, [page_v1(b"\1\0\0\0\0", 1)]),
    ]
    return file(schema, [row_group(chunks, 1)])
