"""Nodes of the footer's FileMetaData.

A footer with a million column chunks has hundreds of megabytes. Its top level is read once and kept. A ColumnChunk is read
at its offset, which is known, without what comes before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import Ground, bytes_of_spans, span_node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def ground(file: ParquetFile) -> Ground:
    """The footer's bytes, decrypted if necessary. The footer must not be locked."""
    footer = file.footer
    assert footer.raw is not None
    base = footer.raw_start if footer.space == FILE else 0
    return Ground(footer.raw, base, footer.space, file.limits)


def metadata_node(file: ParquetFile) -> Node:
    """The FileMetaData: every field with its bytes."""
    bytes_of = ground(file)
    read = file.cache.get(
        ("footer", "spans"), lambda: bytes_of.read(structs.FileMetaData, 0, len(bytes_of.data)), bytes_of_spans
    )
    return span_node(read, Address("footer"), "footer", bytes_of, kind=Kind.FOOTER)


def column_chunk_node(file: ParquetFile, group: int, index: int, address: Address, label: str) -> Node:
    """The ColumnChunk struct of a column chunk. IndexError if the footer has none of that number."""
    bytes_of = ground(file)
    offsets = file.footer.chunk_offsets[group]
    start = offsets[index]
    # Its end is not known, only where the next one begins: enough to see whether it is large.
    end = offsets[index + 1] if index + 1 < len(offsets) else start
    read = file.cache.get(
        ("footer", "spans", start), lambda: bytes_of.read(structs.ColumnChunk, start, end - start), bytes_of_spans
    )
    return span_node(read, address, label, bytes_of)
