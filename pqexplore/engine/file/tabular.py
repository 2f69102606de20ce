"""An open file as a table: its columns, its first rows, and how other libraries read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pqexplore.engine.errors import UsageError
from pqexplore.engine.handle import Handle

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from pqexplore.engine.file.columns import Column, FileColumns
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.table_reader import Names

BATCH_ROWS = 65_536
"""Rows of a batch, as pyarrow's `ParquetFile.iter_batches` has them."""


class Tabular(Handle):
    """What `ParquetFile` has in common with a table."""

    __slots__ = ()

    def __len__(self) -> int:
        """Rows of the row groups, which are the rows of `read`; `num_rows` is the footer's number, which can be wrong.

        CorruptFileError if the number of a row group is missing or negative.
        """
        return sum(group.num_rows for group in _file(self).row_groups)

    def __bool__(self) -> bool:
        return True  # a file without rows is a file, too

    @property
    def columns(self) -> FileColumns:
        """The columns, which are the schema's leaves: by position, dotted path, or path as a tuple.

        Each is a handle with `name`, `type`, `chunks`, `statistics` and `read()`, as the columns of a pyarrow Table are
        objects. `column_names` has the names.
        """
        from pqexplore.engine.file.columns import FileColumns

        return FileColumns(_file(self))

    @property
    def column_names(self) -> list[str]:
        """The dotted path of each column."""
        return list(_file(self).schema.dotted)

    @property
    def num_columns(self) -> int:
        """How many columns there are: the schema's leaves."""
        return len(_file(self).schema.leaves)

    @property
    def num_row_groups(self) -> int:
        """How many row groups there are."""
        return len(_file(self).row_groups)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; the columns are the schema's leaves."""
        return len(self), self.num_columns

    def __getitem__(self, name: str | tuple[str, ...] | int | Column) -> Column:
        """The column of a dotted path, of a path as a tuple, or of a position; a list is its one leaf.

        KeyError if there is none, or several, and says which columns there are.
        """
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the columns, as a DataFrame has them."""
        return iter(self.column_names)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def head(self, n: int = 5, columns: Names | None = None) -> pa.Table:
        """The first `n` rows as an Arrow table, with the Arrow types that `ARROW:schema` declares where they fit.

        Decodes the pages that hold these rows, and no others. A chunk without an offset index costs all of its page
        headers, too. Raises as `read`, UsageError for a negative `n`.
        """
        from pqexplore.engine.file import table_reader
        from pqexplore.engine.file.declared_types import as_declared

        if n < 0:
            raise UsageError(f"head gives the first rows; {n:,} of them cannot be had")
        file = _file(self)
        with file.budget.asking("head()", counted=False):
            return as_declared(file, table_reader.head(file, n, columns), ())

    def iter_batches(
        self, batch_size: int = BATCH_ROWS, columns: Names | None = None, row_groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most `batch_size`; no batch has rows of two row groups.

        One row group is in memory at a time. A row group has the types that `read` gives it alone: see there when they
        are wider than declared. Raises as `read`, when the row group is reached; UsageError at once.
        """
        from pqexplore.engine.file import batches

        if batch_size < 1:
            raise UsageError(f"a batch has at least 1 row, not {batch_size:,}")
        return batches.batches(_file(self), batch_size, columns, row_groups)

    def to_pandas(self, columns: Names | None = None, row_groups: Sequence[int] | None = None) -> pd.DataFrame:
        """The rows as a pandas DataFrame, with the Arrow types that `ARROW:schema` declares where they fit.

        So durations, UUIDs, time zones and categories are what the writer had; `read(columns, row_groups).to_pandas()`
        has storage types. Raises as `read`.
        """
        import pyarrow as pa

        from pqexplore.engine.file.declared_types import as_declared

        table = _file(self).read(columns, row_groups)
        declared = as_declared(_file(self), table, row_groups)
        try:
            return declared.to_pandas()
        except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
            if declared is table:
                raise
            return table.to_pandas()  # such as a duration inside a list beyond Python's longest

    def to_polars(self, columns: Names | None = None, row_groups: Sequence[int] | None = None) -> pl.DataFrame:
        """The rows as a polars DataFrame, with types as `to_pandas`, but UUIDs are bytes.

        UsageError if polars is not installed.
        """
        try:
            import polars
        except ImportError:
            raise UsageError("polars is not installed: `pip install polars`") from None
        from pqexplore.engine.file.declared_types import as_declared

        table = _file(self).read(columns, row_groups)
        frame = polars.from_arrow(as_declared(_file(self), table, row_groups, extensions=False))
        assert isinstance(frame, polars.DataFrame)  # a Table never gives a Series
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow stream, row group by row group: pyarrow, polars, DuckDB and pandas read it.

        See https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
        """
        from pqexplore.engine.file import batches

        stream: object = batches.stream(_file(self)).__arrow_c_stream__(requested_schema)
        return stream


def _file(table: Tabular) -> ParquetFile:
    return cast("ParquetFile", table)
