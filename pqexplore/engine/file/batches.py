"""The rows of a file in batches: one row group is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.engine.file import table_reader

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.table_reader import Names

STREAM_ROWS = 65_536
"""Rows of a batch of a stream."""


def batches(
    file: ParquetFile, size: int, columns: Names | None, row_groups: Sequence[int] | None
) -> Iterator[pa.RecordBatch]:
    """The rows in batches of at most `size`; see `ParquetFile.iter_batches`. UsageError comes before the first batch."""
    table_reader.selected(file, columns)
    groups = table_reader.chosen(file, row_groups)

    def make() -> Iterator[pa.RecordBatch]:
        for group in groups:
            table = file.read(columns, [group])
            if table.num_columns:
                yield from table.to_batches(max_chunksize=size)
            else:  # Arrow makes no batches of a table that has only a number of rows
                for start in range(0, table.num_rows, size):
                    rows = pa.nulls(min(size, table.num_rows - start))
                    yield pa.record_batch([rows], [""]).select([])

    return make()


def stream(file: ParquetFile) -> pa.RecordBatchReader:
    """All rows as a stream of batches of one schema.

    A row group whose values need a wider type than the first one's raises UnsupportedFeatureError in the stream.
    """
    rows = batches(file, STREAM_ROWS, None, None)
    first = next(rows, None)
    schema = file.read(row_groups=[]).schema if first is None else first.schema

    def make() -> Iterator[pa.RecordBatch]:
        if first is not None:
            yield first
        for batch in rows:
            yield batch if batch.schema.equals(schema) else _cast(batch, schema)

    return pa.RecordBatchReader.from_batches(schema, make())


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    try:
        return pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()[0]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnsupportedFeatureError(
            f"a row group needs wider types than the first one: {error}; read() gives all rows one type",
            address="row_groups",
        ) from None
