"""The columns of a file that is written anew: of a row group, or of the whole file."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.chunk_reader import Spend, unlimited
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.table_reader import ReadTally
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.writer.column_data import empty, joined, leaf_column, records
from pqexplore.engine.writer.retype import Change

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf

Changes = dict[int, Change]
"""The columns whose types change, by the index of their leaf."""
NO_CHANGES: Changes = {}


def group_column(group: RowGroup, chunk: ColumnChunk, leaf: Leaf, spend: Spend, change: Change | None) -> LeafColumn:
    """A chunk's levels and values; CorruptFileError if they are not those of the row group's rows."""
    column = leaf_column(chunk, leaf, spend)
    count = records(column)
    if count != group.num_rows:
        raise CorruptFileError(
            f"the row group has {group.num_rows:,} rows, the pages of the chunk have {count:,}", address=chunk.address
        )
    return column if change is None else change.column(column, chunk)


def row_ranges(file: ParquetFile, rows: int | None) -> list[tuple[int, int]]:
    """First row and end of each row group of a sorted file: of `rows` rows each, or as many as those of `file` have."""
    counts = [group.num_rows for group in file.row_groups]
    if rows is None:
        ends = list(itertools.accumulate(counts))
        return list(zip([0, *ends], ends, strict=False))
    total = sum(counts)
    return [(start, min(start + rows, total)) for start in range(0, total, rows)]


def file_column(
    file: ParquetFile, leaf: Leaf, changes: Changes = NO_CHANGES, room: Callable[[], Spend] = lambda: unlimited
) -> LeafColumn:
    """A leaf's levels and values in all row groups, in the new type if it changes. LimitExceededError if they are more than `read_bytes`."""
    tally = ReadTally(file, f"to sort, column {'.'.join(leaf.path)} is read whole, which")

    def counted() -> Spend:
        own = room()

        def spend(amount: int, page: Page) -> None:
            own(amount, page)
            tally.spend(amount, page)

        return spend

    parts = [
        group_column(group, group.columns[leaf.leaf_index], leaf, counted(), changes.get(leaf.leaf_index))
        for group in file.row_groups
    ]
    return joined(parts) if parts else empty(leaf)
