"""Checks that the leaves of one nested field agree on its lists and nulls, by assembling the records."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.table_reader import ReadTally, assembled
from pqexplore.engine.finding import Finding

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup

MAX_VALUES = 5_000_000
"""A field whose leaves have more values in a row group is not checked."""


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """Nested fields whose leaves can each be read, but not assembled. `sound` are the readable columns."""
    file = group.file
    for field in file.schema.root.children:
        leaves = field.leaves()
        if not field.children or not leaves or any(leaf.leaf_index not in sound for leaf in leaves):
            continue
        if len(file.schema.fields_at((field.name,))) > 1:
            continue
        chunks = [group.columns[leaf.leaf_index] for leaf in leaves]
        if sum(chunk.num_values for chunk in chunks) > MAX_VALUES:
            continue
        try:
            for _ in assembled(file, field, leaves, [group.index], ReadTally(file, "check()").spend, again=True):
                pass  # Variants stay as they are stored: they have rules of their own
        except LimitExceededError:
            continue
        except ParquetError as error:
            yield Finding(
                "records-disagree",
                error.address or Address.of("schema", field.index),
                f"the columns of {field.name!r} can each be read, but not be assembled to records: {error.message}",
                {"field": field.name, "row_group": group.index},
            )
