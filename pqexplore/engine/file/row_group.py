"""The handle of one row group, and the sequence of its column chunks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.handle import Handle, listing
from pqexplore.engine.span import FILE, Span

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


FEW_COLUMNS = 1_000
"""Columns up to which sizes are added up if the row group does not give their sum."""


def row_starts(file: ParquetFile) -> list[int]:
    """The first row of each row group, and at the end the number of rows. ParquetError if a row group does not say its rows."""

    def make() -> list[int]:
        return [0, *itertools.accumulate(group.num_rows for group in file.row_groups)]

    starts: list[int] = file.cache.get(("rows", "starts"), make, lambda found: 64 * len(found))
    return starts


class RowGroup(Handle):
    """A horizontal slice of the file: `num_rows` rows, one column chunk for each leaf of the schema."""

    def __init__(self, file: ParquetFile, index: int) -> None:
        self.file = file
        self.index = index
        self.address = Address.of("row_groups", index)
        self._columns: Columns | None = None

    @property
    def metadata(self) -> structs.RowGroup:
        """The row group's struct in the footer."""
        return self.file.open_footer.row_group(self.index)

    @property
    def num_rows(self) -> int:
        """Rows of this row group. CorruptFileError if the number is missing or negative."""
        rows: int | None = self.metadata.num_rows
        if rows is None or rows < 0:
            raise CorruptFileError(
                f"the row group's num_rows is {'missing' if rows is None else format(rows, ',')}",
                offset=self.file.footer.start,
                address=self.address,
            )
        return rows

    @property
    def first_row(self) -> int | None:
        """The rows of the file before this row group; None if one before it does not say how many it has."""
        try:
            return row_starts(self.file)[self.index]
        except ParquetError:
            return None

    @property
    def columns(self) -> Columns:
        """The column chunks, by position, dotted path or path as a tuple.

        Raises CorruptFileError if their number is not that of the schema's leaves.
        """
        if self._columns is None:
            self._columns = Columns(self)
        return self._columns

    @property
    def span(self) -> Span | None:
        """The bytes from its first page to its last; None if its chunks do not lie side by side in this file."""
        size = self.metadata.total_compressed_size
        try:
            columns = self.columns
            if not len(columns):
                return None
            if size is None and len(columns) <= FEW_COLUMNS:
                size = sum(chunk.metadata.total_compressed_size for chunk in columns)
            first, last = columns[0].span, columns[-1].span
        except ParquetError:
            return None
        if {first.space, last.space} != {FILE}:
            return None
        start, end = first.start, last.end
        return Span(start, end) if size is not None and end - start == size else None

    def __repr__(self) -> str:
        try:
            cells = self._cells()
        except ParquetError as error:
            return f"<RowGroup {self.index}: {error}>"
        size = f", {cells['bytes']} bytes" if cells["bytes"] else ""
        return f"<RowGroup {self.index}: {cells['rows']} rows, {cells['columns']} columns{size}>"

    def _cells(self) -> dict[str, str]:
        metadata = self.metadata
        rows, size = metadata.num_rows, metadata.total_compressed_size
        return {
            "row group": f"{self.index:,}",
            "rows": "?" if rows is None else f"{rows:,}",
            "columns": f"{len(metadata.columns or ()):,}",
            "bytes": "" if size is None else f"{size:,}",
        }


class Columns(Handle, Sequence["ColumnChunk"]):
    """The column chunks of a row group, in the order of the schema's leaves."""

    def __init__(self, row_group: RowGroup) -> None:
        self._row_group = row_group
        self._structs = row_group.metadata.columns
        leaves = len(row_group.file.schema.leaves)
        if "columns" in structs.missing(row_group.metadata):
            self._structs = []
            if leaves:
                raise CorruptFileError(
                    "the row group lists no column chunks",
                    offset=row_group.file.footer.start,
                    address=row_group.address,
                )
        if len(self._structs) != leaves:
            raise CorruptFileError(
                f"the row group lists {len(self._structs):,} column chunks, the schema has {leaves:,} leaves; they "
                "are bound by position, so no one knows which is which",
                offset=row_group.file.footer.start,
                address=row_group.address,
            )
        self._length = leaves

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int | str | tuple[str, ...]) -> ColumnChunk: ...
    @overload
    def __getitem__(self, key: slice) -> list[ColumnChunk]: ...
    def __getitem__(self, key: int | str | tuple[str, ...] | slice) -> ColumnChunk | list[ColumnChunk]:
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        if isinstance(key, (str, tuple)):
            key = self._row_group.file.schema.leaf(key).leaf_index
        if not -len(self) <= key < len(self):
            raise IndexError(f"column {key} of {len(self)}")
        return self._row_group.file.chunk(self._row_group, key % len(self))

    def __iter__(self) -> Iterator[ColumnChunk]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return listing(self, "column")
