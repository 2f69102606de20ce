"""Small files for the tests of the checks: right by default, wrong where a test changes them."""

import numpy as np
import pyarrow as pa

import pqexplore
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer import assembly

TYPE_ORDER = structs.ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())
TOTAL_ORDER = structs.ColumnOrder(IEEE_754_TOTAL_ORDER=structs.IEEE754TotalOrder())

PHYSICAL = {
    Type.BOOLEAN: pa.bool_(),
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.FLOAT: pa.float32(),
    Type.DOUBLE: pa.float64(),
    Type.BYTE_ARRAY: pa.binary(),
}


def physical(values, type=Type.INT32, length=None):
    kind = pa.binary(length) if length is not None else PHYSICAL[type]
    return pa.array(values, kind)


def encoded(values, type=Type.INT32, length=None):
    """Values as PLAIN bytes."""
    return plain.encode(physical(values, type, length))


def raw(value, type=Type.INT32):
    """One value as the PLAIN bytes of a bound, without a length prefix."""
    stored = encoded([value], type)
    return stored[4:] if type == Type.BYTE_ARRAY else stored


def page(values, type=Type.INT32, length=None, **fields):
    """A V1 page of a required column."""
    return assembly.page_v1(encoded(values, type, length), len(values), **fields)


def optional_page(values, type=Type.INT32, **fields):
    """A V2 page of an optional column, in which None is null."""
    present = [value for value in values if value is not None]
    levels = assembly.levels_v2(bits(value is not None for value in values), 1)
    nulls = len(values) - len(present)
    return assembly.page_v2(encoded(present, type), len(values), len(values), nulls, definition_levels=levels, **fields)


def list_page(lists, **fields):
    """A V2 page of `optional group a (LIST) { repeated group list { optional int32 element } }`."""
    definition, repetition, values = [], [], []
    for each in lists:
        if not each:
            definition.append(0 if each is None else 1)
            repetition.append(0)
            continue
        for index, value in enumerate(each):
            definition.append(2 if value is None else 3)
            repetition.append(int(index > 0))
            if value is not None:
                values.append(value)
    return levels_page(repetition, definition, values, **fields)


def levels_page(repetition, definition, values, **fields):
    """A V2 page of the list of `list_page`, from its levels."""
    return assembly.page_v2(encoded(values), len(definition), repetition.count(0), len(definition) - len(values),
        repetition_levels=assembly.levels_v2(bits(repetition), 1),
        definition_levels=assembly.levels_v2(bits(definition), 3), **fields)  # fmt: skip


def bits(levels):
    return np.array([int(level) for level in levels], np.uint8)


LIST_ELEMENTS = (
    assembly.element("schema", None, None, num_children=1),
    assembly.element("a", None, 1, num_children=1, logicalType=structs.LogicalType(LIST=structs.ListType())),
    assembly.element("list", None, 2, num_children=1),
    assembly.element("element", Type.INT32, 1),
)


def root(children=1):
    return assembly.element("schema", None, None, num_children=children)


def one_column(pages, type=Type.INT32, *, leaf=None, rows=None, order=TYPE_ORDER, file=None, group=None, **chunk):
    """A file of one column `a` with one chunk of these pages; the other arguments override fields."""
    field = leaf or assembly.element("a", type, 0)
    pages = list(pages)
    parts = [(one.header.data_page_header, one.header.data_page_header_v2) for one in pages]
    counted = sum(v1.num_values or 0 for v1, _ in parts if v1)
    counted += sum(v2.num_rows for _, v2 in parts if v2)
    column = assembly.chunk("a", type, pages, **chunk)
    return assembly.file(
        [root(), field],
        [assembly.row_group([column], counted if rows is None else rows, **(group or {}))],
        **{"column_orders": None if order is None else [order]} | (file or {}),
    )


def list_column(pages, **chunk):
    """A file of one column, a list of INT32."""
    pages = list(pages)
    rows = sum(one.header.data_page_header_v2.num_rows for one in pages)
    column = assembly.chunk("a.list.element", Type.INT32, pages, **chunk)
    return assembly.file(LIST_ELEMENTS, [assembly.row_group([column], rows)], column_orders=[TYPE_ORDER])


def findings(data):
    """The findings of a check of the file's bytes."""
    with pqexplore.open(data) as file:
        return file.check()


def rules(data):
    """The (rule, severity) of each finding, in order."""
    return [(finding.rule, finding.severity.level) for finding in findings(data)]
