"""Columns put together to records: leaves below one field tell the same lists and the same nulls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.row_group import RowGroup

MOST_VALUES = 5_000_000
"""Values of a field's leaves in one row group that are put together; larger ones are not."""


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """Nested fields whose leaves can each be read, and do not fit together. `sound` are the readable columns."""
    file = group.file
    for field in file.schema.root.children:
        leaves = field.leaves()
        if not field.children or not leaves or any(leaf.leaf_index not in sound for leaf in leaves):
            continue
        if len(file.schema.fields_at((field.name,))) > 1:
            continue
        chunks = [group.columns[leaf.leaf_index] for leaf in leaves]
        if sum(chunk.num_values for chunk in chunks) > MOST_VALUES:
            continue
        try:
            file.read([(field.name,)], [group.index])
        except LimitExceededError:
            continue
        except ParquetError as error:
            yield Finding(
                "records-disagree",
                "error",
                error.address or join("schema", field.index),
                f"the columns of {field.name!r} can each be read, and not be put together: {error.message}",
                {"field": field.name, "row_group": group.index},
            )
