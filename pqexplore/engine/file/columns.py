"""The columns of a file: each leaf of the schema, over all row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.schema import listed
from pqexplore.engine.handle import Handle
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.text import plural, printable

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.statistics import ColumnStatistics


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
