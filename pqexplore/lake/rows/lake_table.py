"""Reads a table: a Delta or Iceberg table by its log, or the Parquet files of a folder without one.

By a log, the rows are those of the live files, without deleted ones, under the table's present columns, with the values of
partitions. Files come in the order of their paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.lake.rows.reading import Reading
from pqexplore.lake.rows.table_files import OnError, TableFiles
from pqexplore.lake.rows.table_statistics import statistics

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from pqexplore.insight.answer import Answer

STREAM_ROWS = 65_536
"""Rows of a batch."""


class LakeTable(TableFiles):
    """The rows of a Delta or Iceberg table, or of the Parquet files of a folder; made by `pqexplore.lake.open_table`.

    `path` is its folder, as the user wrote it; `format` is delta, iceberg, or empty for a folder without a log; `files` are
    the paths of the live files. Files are opened as they are read. All methods that read raise ParquetError or OSError, with
    the file's name, for what cannot be read, and for a table whose live files are unknown.
    """

    def __repr__(self) -> str:
        return f"<LakeTable {self.path}: {self.sentence}>"

    @property
    def remarks(self) -> list[str]:
        """Of a folder without a log: columns that not all files have, or that have several types."""
        return self.reading().remarks

    @property
    def schema(self) -> pa.Schema:
        """The columns, with the Arrow types of `read`."""
        return self.reading().schema

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def num_rows(self) -> int:
        """How many rows there are, without deleted ones: the footers and deletes of all files say it."""
        return self.reading().count()

    def __len__(self) -> int:
        return self.num_rows

    def __bool__(self) -> bool:
        return True

    def head(self, n: int = 5, columns: Sequence[str] | None = None) -> pa.Table:
        """The first `n` rows as an Arrow table. UsageError for a negative `n`."""
        if n < 0:
            raise UsageError(f"head gives the first rows; {n:,} of them cannot be had")
        return self.reading(columns, most=n).table_at(0, n)

    def read(self, columns: Sequence[str] | None = None, where: str = "") -> pa.Table:
        """The rows as an Arrow table; with `where`, those for which a condition in Spark's SQL is TRUE.

        `columns` are names of columns or of fields in them, dotted. Raises UsageError for a column or a condition that does
        not fit the table.
        """
        return self.reading(columns, where).table_at(0, None)

    def iter_batches(
        self, batch_size: int = STREAM_ROWS, columns: Sequence[str] | None = None, where: str = ""
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most `batch_size`; one row group is in memory at a time. Arguments as for `read`."""
        if batch_size < 1:
            raise UsageError(f"a batch has at least 1 row, not {batch_size:,}")
        reading = self.reading(columns, where)
        return (batch for rows in reading.rows() for batch in rows.to_batches(max_chunksize=batch_size))

    def to_pandas(self, columns: Sequence[str] | None = None, where: str = "") -> pd.DataFrame:
        """The rows as a pandas DataFrame; arguments as for `read`."""
        return self.read(columns, where).to_pandas()

    def to_polars(self, columns: Sequence[str] | None = None, where: str = "") -> pl.DataFrame:
        """The rows as a polars DataFrame; arguments as for `read`. UsageError if polars is not installed."""
        try:
            import polars
        except ImportError:
            raise UsageError("polars is not installed: `pip install polars`") from None
        frame = polars.from_arrow(self.read(columns, where))
        assert isinstance(frame, polars.DataFrame)  # a Table never gives a Series
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow stream: pyarrow, polars, DuckDB and pandas read it."""
        reading = self.reading()
        batches = (batch for rows in reading.rows() for batch in rows.to_batches())
        return pa.RecordBatchReader.from_batches(reading.schema, batches).__arrow_c_stream__(requested_schema)

    def statistics(self) -> Answer:
        """What a query can skip: minimum, maximum and nulls of each column over the live files, by footers and log."""
        return statistics(self, self.reading())

    # What reading needs.

    def reading(
        self,
        columns: Sequence[str] | None = None,
        where: str = "",
        *,
        texts: bool = False,
        most: int | None = None,
        on_error: OnError | None = None,
    ) -> Reading:
        """How to read columns of rows that meet a condition; `most` rows are wanted, None for all.

        With `texts`, the types are those of `insight.some_rows`. With `on_error`, a damaged file of a folder without a log
        costs its own rows only.
        """
        return Reading(self, columns, where, texts=texts, most=most, on_error=on_error)
