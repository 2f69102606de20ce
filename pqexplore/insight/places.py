"""Finds the node or the handle of an address; an error names the nearest node if there is none."""

from __future__ import annotations

import re

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.tree.node import Node

_FIELD = re.compile(r"schema/(?:\d+/)*(\d+)$")


def is_encrypted(file: ParquetFile) -> bool:
    """Whether a part of the file may be encrypted: its footer, or columns under a plaintext footer."""
    if file.metadata is None or file.footer.magic == ENCRYPTED_MAGIC:
        return True
    return file.metadata.encryption_algorithm is not None


def leaf_at(file: ParquetFile, address: str) -> Leaf:
    """The leaf that an address in the schema names. UsageError if it names none."""
    match = _FIELD.match(address)
    index = int(match[1]) if match else -1
    for leaf in file.schema.leaves:
        if leaf.index == index:
            return leaf
    raise UsageError(f"{address or 'the file'} is not a leaf of the schema")


def is_column(node: Node) -> bool:
    """Whether a node is a column chunk, or the leaf of the schema that names its column."""
    if node.kind == "schema_field":
        return any(fact.name == "column" for fact in node.facts)
    return node.kind == "column_chunk"


def resolve(file: ParquetFile, address: str) -> Node:
    """The node at an address.

    UsageError if there is none; the message names the nearest node above and its children. ParquetError if a node on the
    way is damaged or needs a key.
    """
    address = address.strip("/")
    try:
        return file.node(address)
    except (KeyError, ValueError, IndexError):
        pass
    above = Address(address).parent
    while above:
        try:
            reached = file.node(above)
            break
        except (KeyError, ValueError, IndexError):
            above = Address(above).parent
    else:
        reached = file.root
    raise UsageError(f"there is nothing at {address!r}; {_what_is_at(reached)}") from None


def _what_is_at(node: Node) -> str:
    where = node.address or "the file"
    try:
        count = len(node.children)
        if not count:
            return f"{where} is a {node.kind.replace('_', ' ')} and has nothing below"
        first, last = node.children[0].address, node.children[count - 1].address
    except ParquetError as error:
        return f"what lies below {where} cannot be read: {error.message}"
    return f"below {where} there are {count:,}, from {first} to {last}"
