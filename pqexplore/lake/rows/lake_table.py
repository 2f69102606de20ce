"""Reads a table: a Delta or Iceberg table by its log, or the Parquet files of a folder without one.

By a log, the rows are those of the live files, without deleted ones, under the table's present columns, with the values of
partitions. Files come in the order of their paths.
"""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.limits import DEFAULT
from pqexplore.engine.text import plural
from pqexplore.lake.entries import Entry
from pqexplore.lake.logs.table_log import LogError, TableLog
from pqexplore.lake.opening import How, open_listed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.answer import Answer
    from pqexplore.lake.logs.table_log import Fact
    from pqexplore.lake.rows.reading import Reading

STREAM_ROWS = 65_536
"""Rows of a batch."""

OnError = Callable[[str, Exception], None]
"""Is given the name of a file that cannot be read, and the error."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A live file: its entry in the listing, its name in the log and what the log says of it, and its partition's values."""

    entry: Entry
    name: str
    fact: Fact | None
    values: Mapping[str, str | None]


class LakeTable:
    """The rows of a Delta or Iceberg table, or of the Parquet files of a folder; made by `pqexplore.lake.open_table`.

    `path` is its folder, as the user wrote it; `format` is delta, iceberg, or empty for a folder without a log; `files` are
    the paths of the live files. Files are opened as they are read. All methods that read raise ParquetError or OSError, with
    the file's name, for what cannot be read, and for a table whose live files are unknown.
    """

    def __init__(
        self, path: str, format: str, log: TableLog | None, parts: Sequence[Part], how: How, problem: Exception | None
    ) -> None:
        self.path, self.format, self.log, self.how = path, format, log, how
        self.parts = list(parts)
        self._problem = problem
        self._seen: list[tuple[Part, Schema, int]] = []  # of the first `_next` files of a folder without a log
        self._next = 0

    def __repr__(self) -> str:
        return f"<LakeTable {self.path}: {self.sentence}>"

    @property
    def files(self) -> list[str]:
        """The paths of the files that are read, sorted."""
        return [one.entry.path for one in self.parts]

    @property
    def version(self) -> int | None:
        """The version of a Delta table, or the snapshot of an Iceberg table; None for a folder, or a table without any."""
        log = self.log
        return None if log is None else log.snapshot_id if log.version is None else log.version

    @property
    def sentence(self) -> str:
        """What is read: which table, which version, and how many files."""
        if self.log is None:
            return f"{plural(len(self.parts), 'file')} of a folder, read as one table"
        word = "version" if self.log.version is not None else "snapshot"
        at = "without a snapshot" if self.version is None else f"{word} {self.version}"
        return f"{self.format.capitalize()} table, {at}: {plural(len(self.parts), 'live file')}"

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
        from pqexplore.lake.rows.table_statistics import statistics

        return statistics(self)

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
        from pqexplore.lake.rows.reading import Reading

        return Reading(self, columns, where, texts=texts, most=most, on_error=on_error)

    def require_readable(self) -> None:
        """Raise the error of a table whose live files are unknown, or must not be read."""
        if self._problem is not None:
            raise self._problem

    def first(self, most: int | None, on_error: OnError | None) -> list[tuple[Part, Schema]]:
        """The first files that have `most` stored rows, with their schemas; all for None. They are opened once.

        `on_error` is told of each that cannot be opened, and it is left out; without it, the error is raised.
        """
        rows, count = 0, 0
        while most is None or rows < most:
            if count == len(self._seen):
                if self._next == len(self.parts):
                    break
                part = self.parts[self._next]
                try:
                    with self.opened(part) as file:
                        self._seen.append((part, file.schema, len(file)))
                except (ParquetError, OSError) as error:
                    if on_error is None:
                        raise
                    on_error(part.entry.path, error)
                    self._next += 1
                    continue
                self._next += 1
            rows += self._seen[count][2]
            count += 1
        return [(part, schema) for part, schema, _ in self._seen[:count]]

    @contextmanager
    def opened(self, part: Part) -> Iterator[ParquetFile]:
        """The open file of a part. Errors from within have its name."""
        path = part.entry.path
        if part.entry.error is not None:
            raise PermissionError(errno.EPERM, f"{path}: {part.entry.error}", path)
        try:
            source = open_listed(part.entry, self.how.storage_options or {})
            try:
                yield ParquetFile(source, decryption=self.how.decryption, limits=self.how.limits or DEFAULT)
            finally:
                source.close()
        except (ParquetError, LogError) as error:
            if not error.message.startswith(path):
                error.message = f"{path}: {error.message}"
            raise
