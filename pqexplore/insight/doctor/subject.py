"""What the rules look at: an open file, with what several rules need computed once."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight import summary
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Field, Leaf

CHUNKS = 200_000
"""Column chunks that are looked at. A larger file is looked at in its first row groups, and the report says so."""


LISTED = 4
"""Fields that a sentence names."""

EVIDENCE = 100
"""Fields that the evidence names."""


class Concerned(NamedTuple):
    """The fields that a diagnosis is about.

    How many; their `names` for the sentence; the `address` of the first; `column`: the path of the only one, else "";
    the `paths` of the first hundred.
    """

    total: int
    names: str
    address: str
    column: str
    paths: list[str]


def concerned(fields: Sequence[Field]) -> Concerned:
    """What a diagnosis says about its fields; there is at least one."""
    return Concerned(
        len(fields),
        listing([name(field.path) for field in fields], most=LISTED),
        Address.of("schema", fields[0].index),
        "" if len(fields) > 1 else ".".join(fields[0].path),
        [".".join(field.path) for field in fields[:EVIDENCE]],
    )


class Subject:
    """A file under diagnosis. `file` is open; `partial` says that not all row groups were looked at."""

    def __init__(self, file: ParquetFile) -> None:
        self.file = file
        self.partial = False
        self._nulls: dict[int, int | None] = {}

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

    def nulls(self, leaf: Leaf) -> int | None:
        """The nulls of a column, by the statistics of its chunks.

        None for a column in a list or of a Variant, if a chunk does not say it, and if its counts disagree with each other or the rows.
        """
        if leaf.leaf_index not in self._nulls:
            self._nulls[leaf.leaf_index] = self._count_nulls(leaf)
        return self._nulls[leaf.leaf_index]

    def _count_nulls(self, leaf: Leaf) -> int | None:
        if leaf.max_repetition_level or inside(leaf):
            return None
        total = values = chunks = 0
        for chunk in self.chunks(leaf):
            chunks += 1
            found, count = chunk.statistics, chunk.metadata.num_values
            if found is None or found.null_count is None or not 0 <= found.null_count <= count:
                return None
            if found.null_count == count and (found.min_value, found.max_value) != (None, None):
                return None
            total, values = total + found.null_count, values + count
        known = 0 < chunks == self.groups and values == sum(self.rows) and not self.partial
        return total if known else None

    @functools.cached_property
    def footer_size(self) -> int:
        """Bytes of the footer, with its length and magic."""
        return self.file.size - self.file.footer.start
