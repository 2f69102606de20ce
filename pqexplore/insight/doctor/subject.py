"""What the rules look at: an open file, with what several rules need computed once."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.insight import summary

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

CHUNKS = 200_000
"""Column chunks that are looked at. A larger file is looked at in its first row groups, and the report says so."""


class Subject:
    """A file under diagnosis. `file` is open; `partial` says that not all row groups were looked at."""

    def __init__(self, file: ParquetFile) -> None:
        self.file = file
        self.partial = False

    @functools.cached_property
    def groups(self) -> int:
        """Row groups that are looked at."""
        try:
            count, leaves = len(self.file.row_groups), max(1, len(self.file.schema.leaves))
        except ParquetError:
            return 0
        most = max(1, CHUNKS // leaves)
        self.partial = count > most
        return min(count, most)

    @functools.cached_property
    def leaves(self) -> list[Leaf]:
        """The leaves; empty if the schema cannot be read."""
        try:
            return list(self.file.schema.leaves)
        except ParquetError:
            return []

    @functools.cached_property
    def rows(self) -> list[int]:
        """The rows of each row group; row groups that do not say it are left out."""
        found = []
        for index in range(self.groups):
            try:
                found.append(self.file.row_groups[index].num_rows)
            except ParquetError:
                continue
        return found

    def chunks(self, leaf: Leaf) -> Iterator[ColumnChunk]:
        """The chunks of a leaf whose metadata can be read."""
        for index in range(self.groups):
            try:
                chunk = self.file.row_groups[index].columns[leaf.leaf_index]
                _ = chunk.metadata
            except ParquetError:
                continue
            yield chunk

    @functools.cached_property
    def columns(self) -> list[summary.ColumnSummary]:
        """The columns with their sizes; empty if they cannot be read."""
        try:
            return summary.columns(self.file)
        except ParquetError:
            return []

    @functools.cached_property
    def footer_size(self) -> int:
        """Bytes of the footer, with its length and magic."""
        return self.file.size - self.file.footer.start
