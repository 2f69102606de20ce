"""An open file as a table: its columns, its first rows, and how other libraries read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast, overload

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.schema import listed
from pqexplore.engine.handle import Handle
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.text import plural, printable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.statistics import ColumnStatistics
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
        from pqexplore.engine.file import table_reader

        if batch_size < 1:
            raise UsageError(f"a batch has at least 1 row, not {batch_size:,}")
        return table_reader.batches(_file(self), batch_size, columns, row_groups)

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
        from pqexplore.engine.file import table_reader

        stream: object = table_reader.stream(_file(self)).__arrow_c_stream__(requested_schema)
        return stream


def _file(table: Tabular) -> ParquetFile:
    return cast("ParquetFile", table)


class Column(Handle):
    """A column of the file: a leaf of the schema, with a column chunk in each row group. Its text is its dotted path."""

    __slots__ = ("file", "leaf")

    def __init__(self, file: ParquetFile, leaf: Leaf) -> None:
        self.file = file
        self.leaf = leaf

    @property
    def name(self) -> str:
        """The path, joined by dots."""
        return ".".join(self.leaf.path)

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the top-level column to the leaf."""
        return self.leaf.path

    @property
    def index(self) -> int:
        """The position of its chunk in each row group."""
        return self.leaf.leaf_index

    @property
    def type(self) -> str:
        """The logical type in words, or else the physical type: `STRING`, `DECIMAL(9, 2)`, `INT64`."""
        return types.describe(self.leaf)

    @property
    def chunks(self) -> Sequence[ColumnChunk]:
        """Its column chunks, one for each row group."""
        groups, index = self.file.row_groups, self.leaf.leaf_index
        return LazySequence(len(groups), lambda i: groups[i].columns[index], "column chunk")

    @property
    def statistics(self) -> ColumnStatistics:
        """Minimum, maximum and nulls over all row groups, from the chunks' statistics. Raises ParquetError for damage."""
        from pqexplore.engine.file.statistics import ColumnStatistics

        return ColumnStatistics(self.chunks)

    def read(self, row_groups: Sequence[int] | None = None) -> pa.ChunkedArray:
        """The rows, nulls included: the top-level column, with this leaf alone if it is nested. Raises as `file.read`."""
        return self.file.read([self.leaf.path], row_groups).column(0)

    def _cells(self) -> dict[str, str]:
        repetition = ("required", "optional", "repeated")[self.leaf.repetition]
        return {
            "column": printable(self.name),
            "type": self.type,
            "repetition": repetition,
            "chunks": f"{len(self.chunks):,}",
        }

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        kind = f"{self.type}, {self._cells()['repetition']}, {plural(len(self.chunks), 'chunk')}"
        return printable(f"<Column {self.name}: {kind}>")


class FileColumns(Handle, Sequence[Column]):
    """The columns of a file in the order of the schema's leaves: by position, dotted path, or path as a tuple.

    Its items are handles, as a pyarrow Table's `columns` are arrays; `column_names` of the file has the names. `in` takes
    names, too. A group with one leaf, such as a list, is that leaf.
    """

    def __init__(self, file: ParquetFile) -> None:
        self._file = file

    def __len__(self) -> int:
        return len(self._file.schema.leaves)

    @overload
    def __getitem__(self, key: int | str | tuple[str, ...] | Column) -> Column: ...
    @overload
    def __getitem__(self, key: slice) -> list[Column]: ...
    def __getitem__(self, key: int | str | tuple[str, ...] | Column | slice) -> Column | list[Column]:
        leaves = self._file.schema.leaves
        if isinstance(key, slice):
            return [Column(self._file, leaf) for leaf in leaves[key]]
        if isinstance(key, int):
            if not -len(leaves) <= key < len(leaves):
                raise IndexError(f"column {key:,} of {len(leaves):,}")
            return Column(self._file, leaves[key])
        if isinstance(key, Column):
            key = key.path
        if not isinstance(key, (str, tuple)):
            raise UsageError(
                f"one column has a name, a path as a tuple, or a position, not {key!r}; f.read([…]) reads several"
            )
        return Column(self._file, self._leaf(key))

    def _leaf(self, key: str | tuple[str, ...]) -> Leaf:
        schema = self._file.schema
        fields = schema.fields_at(key)
        if len(fields) == 1:
            below = fields[0].leaves()
            if len(below) == 1:
                return below[0]
        return schema.leaf(key)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Column):
            return key.file is self._file
        if not isinstance(key, (str, tuple)):
            return False
        try:
            self._leaf(key)
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[Column]:
        return (Column(self._file, leaf) for leaf in self._file.schema.leaves)

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'column')}: {listed(self._file.schema.leaves)}>"
