"""The column chunks that lie below a node, in the order of the schema's leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.kind import Kind
from pqexplore.engine.tree.at import CHUNK
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Column
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.wording import plural

CHUNKS = 50_000
"""Max column chunks that one table is about."""

PLACE = (Column("row_group", "row group", "number"), Column("column", "column", meaning="the dotted path of the leaf"))
"""The columns that say which column chunk a row is about."""


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """The column chunks of `leaves` in `groups` (numbers of row groups)."""

    file: ParquetFile
    groups: Sequence[int]
    leaves: Sequence[Leaf]

    @property
    def size(self) -> int:
        """How many column chunks there are."""
        return len(self.groups) * len(self.leaves)

    @property
    def named(self) -> str:
        """`12 column chunks`, or `the first 50,000 of 80,000 column chunks` if there are too many for a table."""
        every = plural(self.size, "column chunk")
        return every if self.size <= CHUNKS else f"the first {CHUNKS:,} of {every}"

    def places(self) -> Iterator[tuple[int, Leaf]]:
        """Row group and leaf of each column chunk, at most `CHUNKS`, column by column."""
        left = CHUNKS
        for leaf in self.leaves:
            for group in self.groups[:left]:
                yield group, leaf
            left -= len(self.groups)
            if left <= 0:
                return

    def chunk(self, group: int, leaf: Leaf) -> ColumnChunk:
        """The handle of one column chunk. ParquetError if the row group is damaged."""
        return self.file.row_groups[group].columns[leaf.leaf_index]

    def chunks(self) -> Iterator[tuple[int, Leaf, ColumnChunk | ParquetError]]:
        """Each of `places` with its handle, or the error in its place."""
        for group, leaf in self.places():
            try:
                yield group, leaf, self.chunk(group, leaf)
            except ParquetError as error:
                yield group, leaf, error


def address_of(group: int, leaf: Leaf) -> Address:
    """The address of a column chunk."""
    return Address.of("row_groups", group, "columns", leaf.leaf_index)


def scope_of(file: ParquetFile, node: Node) -> Scope | None:
    """The column chunks below a node; None if a node of this kind has none below. ParquetError for a damaged schema."""
    every = range(len(file.row_groups))
    if node.kind == Kind.FILE or node.address in ("row_groups", "schema"):
        return Scope(file, every, file.schema.leaves)
    if node.kind == Kind.ROW_GROUP:
        return Scope(file, [int(node.name)], file.schema.leaves)
    match = CHUNK.match(node.address)
    if node.kind == Kind.COLUMN_CHUNK and match is not None:
        return Scope(file, [int(match[1])], [file.schema.leaves[int(match[2])]])
    if node.kind != Kind.SCHEMA_FIELD:
        return None
    if is_column(node):
        return Scope(file, every, [leaf_at(file, node.address)])
    return Scope(file, every, file.schema.fields[int(node.name)].leaves())
