"""Small files that stand for much: a run of 67 million values in five bytes, a footer of a million empty structs.

What repeats is encoded once and repeated as bytes, so that a footer of a million columns is made at once.
"""

import numpy as np
from engine.hostile.broken import leaf, one_column, root

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode, varint
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.assembly import dictionary_page, page_v1

RUN = 67_000_000
"""Values of a page, a little below `Limits.page_values`."""


def run(count, value=b"\0"):
    """An RLE run."""
    return varint(count << 1) + value


def dictionary_run(pages=1, count=RUN):
    """Pages of one run of dictionary ids each."""
    each = page_v1(b"\x01" + run(count), count, encoding=Encoding.RLE_DICTIONARY)
    return one_column(dictionary_page(np.array([7, 8], "<i8").tobytes(), 2), *[each] * pages, num_values=pages * count,
        num_rows=pages * count)  # fmt: skip


def packed_run(count=1 << 23):
    """A bit-packed run of ids: the values are there, and many."""
    header = varint(count // 8 << 1 | 1)
    body = b"\x01" + header + b"\x55" * (count // 8)
    return one_column(dictionary_page(np.array([7, 8], "<i8").tobytes(), 2),
        page_v1(body, count, encoding=Encoding.RLE_DICTIONARY), num_values=count, num_rows=count)  # fmt: skip


def null_runs(pages=1, count=RUN):
    """Pages of nulls."""
    levels = run(count)
    body = len(levels).to_bytes(4, "little") + levels
    return one_column(*[page_v1(body, count)] * pages, schema=root(leaf(repetition_type=1)), num_values=pages * count,
        num_rows=pages * count)  # fmt: skip


def booleans_run(count=RUN):
    """A run of BOOLEAN values."""
    values = run(count, b"\1")
    body = len(values).to_bytes(4, "little") + values
    return one_column(page_v1(body, count, encoding=Encoding.RLE), schema=root(leaf(type=Type.BOOLEAN)),
        num_values=count, num_rows=count)  # fmt: skip


def no_bytes_a_value(count=60_000_000):
    """Values of FIXED_LEN_BYTE_ARRAY(0)."""
    return one_column(page_v1(b"", count), schema=root(leaf(type=Type.FIXED_LEN_BYTE_ARRAY, type_length=0)),
        num_values=count, num_rows=count)  # fmt: skip


def _list(struct, count):
    """A list of equal structs, in the compact protocol."""
    return b"\xfc" + varint(count) + encode(struct) * count


def _footer(elements, row_groups, num_rows=0):
    """A file of a footer; `elements` and `row_groups` are encoded lists."""
    fields = [*(b"\x15\x02", b"\x19", elements), *(b"\x16", varint(num_rows << 1), b"\x19", row_groups, b"\0")]
    footer = b"".join(fields)
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _chunk():
    return structs.ColumnChunk(
        file_offset=4,
        meta_data=structs.ColumnMetaData(
            type=Type.INT64,
            encodings=[0],
            path_in_schema=["a"],
            codec=0,
            num_values=0,
            total_uncompressed_size=0,
            total_compressed_size=0,
            data_page_offset=4,
        ),
    )


def _elements(columns):
    top = structs.SchemaElement(name="schema", num_children=columns)
    return b"\xfc" + varint(columns + 1) + encode(top) + encode(leaf()) * columns


def _row_group(chunks):
    """A RowGroup without rows; `chunks` is an encoded list."""
    return b"\x19" + chunks + b"\x16\0\x16\0\0"


def columns(count):
    """A row group of so many columns."""
    return _footer(_elements(count), b"\x1c" + _row_group(_list(_chunk(), count)))


def row_groups(count):
    """So many row groups of a column."""
    group = _row_group(_list(_chunk(), 1))
    return _footer(_elements(1), b"\xfc" + varint(count) + group * count)


def empty_columns(count):
    """A row group of empty ColumnChunk structs, a byte each."""
    return _footer(_elements(count), b"\x1c" + _row_group(b"\xfc" + varint(count) + b"\0" * count))


def empty_row_groups(count):
    """Empty RowGroup structs, a byte each."""
    return _footer(_elements(1), b"\xfc" + varint(count) + b"\0" * count)


def empty_elements(count):
    """A schema of empty SchemaElement structs, a byte each."""
    return _footer(b"\xfc" + varint(count) + b"\0" * count, b"\x0c")


ATTACKS = {
    "dictionary_run": dictionary_run,
    "dictionary_runs": lambda: dictionary_run(100),
    "packed_run": packed_run,
    "null_run": null_runs,
    "null_runs": lambda: null_runs(100),
    "booleans_run": booleans_run,
    "no_bytes_a_value": no_bytes_a_value,
}
"""Few pages that stand for many values."""

MILLION = 1_000_000
FOOTERS = {
    made.__name__: lambda made=made: made(MILLION)
    for made in (columns, row_groups, empty_columns, empty_row_groups, empty_elements)
}
FOOTERS["columns"] = lambda: columns(MILLION - 1)
"""Footers of a million parts; the schema's limit counts its root."""
