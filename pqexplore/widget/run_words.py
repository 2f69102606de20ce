"""What the card of a byte says of the parts that have no words of their own in the tree."""

from __future__ import annotations

import contextlib

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.value_text import physical_value, plain_length
from pqexplore.engine.kind import Kind
from pqexplore.engine.tree.at import page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight import short_text

SHORT = 80
"""Characters of a value in a card."""


def decoded(node: Node) -> str:
    """The label of a node, with the value of its bytes if the label does not say it."""
    if node.kind == Kind.FOOTER_LENGTH:
        return f"{node.label} = {node.facts[0].value:,}"
    if node.kind == Kind.BLOOM_FILTER_BLOCK:
        return f"{node.label}: {node.facts[0].value} of 256 bits set"
    return node.label


def ending(node: Node) -> str:
    """What the last byte of a struct is called; an element of a list has a number for a name."""
    return f"end of {node.label if node.name.isdigit() else node.name.replace('_', ' ')}"


def bound(file: ParquetFile, node: Node) -> str:
    """A space and the value that a minimum or maximum stands for; "" if the bytes are none, or are the text itself."""
    column = column_of(node.address)
    stored = node.facts[0].value
    if column is None or not isinstance(stored, bytes) or not stored:
        return ""
    with contextlib.suppress(ParquetError, LookupError, ValueError):
        leaf = file.schema.leaves[column]
        if plain_length(leaf) in (None, len(stored)):
            value = short_text.value_texts(leaf, physical_value(leaf, stored), SHORT)["logical"]
            return "" if value.encode() == stored[: len(value.encode())] else f" Here: {value}."
    return ""


def compressed(file: ParquetFile, node: Node) -> str:
    """What the bytes of a page's body are, if the codec can be named."""
    with contextlib.suppress(ParquetError, LookupError):
        codec = structs.enum_name(structs.CompressionCodec, page_at(file, node.address).chunk.codec)
        return f"Compressed with {codec}. The decompressed bytes show what is inside."
    return ""


def column_of(address: str) -> int | None:
    """The number of the column that an address, or its footer's struct, is of; None for no column."""
    parts = address.removeprefix("footer/").split("/")
    if len(parts) < 4 or (parts[0], parts[2]) != ("row_groups", "columns"):
        return None
    return int(parts[3]) if parts[3].isdigit() else None
