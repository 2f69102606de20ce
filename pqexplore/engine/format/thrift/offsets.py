"""Row groups as `fast.index` reads them: `columns` has the offsets of the column chunks in place of the chunks.

The type of `RowGroup.columns` does not show this, because only the footer's reader gets row groups in this state:
`footer` sets the column chunks before it returns a row group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pqexplore.engine.format.thrift.structs import ColumnChunk, RowGroup


def chunk_offsets(group: RowGroup) -> Sequence[int]:
    """Offsets of the column chunks in the footer's bytes; empty if the row group has none."""
    return cast("Sequence[int]", group.columns or ())


def set_chunk_offsets(group: RowGroup, offsets: Sequence[int]) -> None:
    """Put offsets in place of the column chunks."""
    group.columns = cast("list[ColumnChunk]", offsets)
