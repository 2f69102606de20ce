"""From an address that a person wrote to its node, with an answer that helps where there is none."""

from __future__ import annotations

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.tree import Node, parent


def resolve(file: ParquetFile, address: str) -> Node:
    """The node at an address; UsageError, saying how far the address leads and what is there, where it leads nowhere.

    ParquetError where the way to it is damaged or locked.
    """
    address = address.strip("/")
    try:
        return file.node(address)
    except (KeyError, ValueError, IndexError):
        pass
    above = parent(address)
    while above:
        try:
            reached = file.node(above)
            break
        except (KeyError, ValueError, IndexError):
            above = parent(above)
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
