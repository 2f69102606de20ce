"""Nodes of the footer's FileMetaData, of any size.

A footer with a million column chunks has hundreds of megabytes. Its top level is read once and kept; a column chunk is
read at the offset that the index of the footer knows, without anything before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.outline.struct_nodes import Ground, span_node, struct_node
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import FILE, Node

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

BYTES_A_SPAN = 400
"""What an element of the top level takes in memory, about."""


def ground(file: ParquetFile) -> Ground:
    """The footer's bytes, decrypted where need be. The footer must not be locked."""
    footer = file.footer
    assert footer.raw is not None
    base = footer.raw_start if footer.space == FILE else 0
    return Ground(footer.raw, base, footer.space, file.limits)


def metadata_node(file: ParquetFile) -> Node:
    """The FileMetaData: every field with its bytes."""
    bytes_of = ground(file)
    read = file.cache.get(
        ("footer", "spans"),
        lambda: bytes_of.read(structs.FileMetaData, 0, len(bytes_of.data)),
        lambda made: BYTES_A_SPAN * sum(1 + len(field.children) for field in made.fields),
    )
    return span_node(read, "footer", "footer", bytes_of, kind="footer")


def column_chunk_node(file: ParquetFile, group: int, index: int, address: str, label: str) -> Node:
    """The ColumnChunk struct of a column chunk. IndexError where the footer has none of that number."""
    bytes_of = ground(file)
    offsets = file.footer.chunk_offsets[group]
    start = offsets[index]
    # Where it ends is not known, only where the next begins: enough to tell large from small.
    end = offsets[index + 1] if index + 1 < len(offsets) else start
    return struct_node(
        structs.ColumnChunk,
        bytes_of.data,
        start,
        address,
        label,
        bytes_of.limits,
        base=bytes_of.base,
        space=bytes_of.space,
        size=end - start,
    )
