"""What pyarrow, another reader, makes of schemas, levels and values."""

import io

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.format.encodings import plain
from pqexplore.engine.writer.assembly import chunk, file, levels_v1, page_v1, row_group


def schema_of(elements):
    """The Arrow schema of some schema elements."""
    return pq.read_schema(io.BytesIO(file(elements, [])))


def table_of(elements, columns, rows, names=None):
    """The table of leaf columns (all of the schema's, in order); `names` are the columns to read."""
    group = row_group([_chunk(column) for column in columns], rows)
    opened = pq.ParquetFile(io.BytesIO(file(elements, [group])))
    return opened.read(columns=names, use_threads=False)


def _chunk(column):
    leaf, definition, repetition = column.leaf, column.definition_levels, column.repetition_levels
    values = column.values
    if pa.types.is_string(values.type):
        values = values.cast(pa.binary())
    page = page_v1(
        plain.encode(values),
        len(values) if definition is None else len(definition),
        repetition_levels=levels_v1(repetition, leaf.max_repetition_level),
        definition_levels=levels_v1(definition, leaf.max_definition_level),
    )
    return chunk(leaf.path, leaf.physical_type, [page])
