"""Parquet files made of levels and values, so that another reader can be asked what they mean."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.encode import encode, varint

PLAIN, RLE = 0, 3


def footer_only(elements):
    """A file of no rows: a schema and nothing else."""
    return _file(b"", elements, [], 0)


def read_schema(elements):
    """What pyarrow makes of a schema."""
    return pq.ParquetFile(pa.BufferReader(footer_only(elements))).schema_arrow


def read(elements, columns, rows, names=None):
    """The table that pyarrow reads from leaf columns (all of the schema's, in order)."""
    data, chunks = bytearray(b"PAR1"), []
    for column in columns:
        start = len(data)
        data += _page(column)
        leaf = column.leaf
        chunks.append(
            structs.ColumnChunk(
                file_offset=start,
                meta_data=structs.ColumnMetaData(
                    type=leaf.physical_type,
                    encodings=[PLAIN, RLE],
                    path_in_schema=list(leaf.path),
                    codec=0,
                    num_values=_entries(column),
                    total_uncompressed_size=len(data) - start,
                    total_compressed_size=len(data) - start,
                    data_page_offset=start,
                ),
            )
        )
    group = structs.RowGroup(columns=chunks, total_byte_size=len(data), num_rows=rows)
    file = _file(bytes(data), elements, [group], rows)
    return pq.ParquetFile(pa.BufferReader(file)).read(columns=names, use_threads=False)


def _file(data, elements, row_groups, rows):
    data = data or b"PAR1"
    footer = encode(
        structs.FileMetaData(version=1, schema=elements, num_rows=rows, row_groups=row_groups)
    )
    return data + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _entries(column):
    levels = column.definition_levels
    return len(column.values) if levels is None else len(levels)


def _page(column):
    body = b""
    for levels, maximum in (
        (column.repetition_levels, column.leaf.max_repetition_level),
        (column.definition_levels, column.leaf.max_definition_level),
    ):
        if maximum:
            width = (maximum.bit_length() + 7) // 8
            runs = b"".join(varint(2) + int(level).to_bytes(width, "little") for level in levels)
            body += len(runs).to_bytes(4, "little") + runs
    body += _plain(column.values)
    header = structs.PageHeader(
        type=0,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body),
        data_page_header=structs.DataPageHeader(
            num_values=_entries(column),
            encoding=PLAIN,
            definition_level_encoding=RLE,
            repetition_level_encoding=RLE,
        ),
    )
    return encode(header) + body


def _plain(values):
    if pa.types.is_integer(values.type):
        return np.asarray(values.cast(pa.int32())).astype("<i4").tobytes()
    blobs = [v.encode() if isinstance(v, str) else v for v in values.to_pylist()]
    return b"".join(len(blob).to_bytes(4, "little") + blob for blob in blobs)
