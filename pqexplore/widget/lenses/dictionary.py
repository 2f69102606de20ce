"""A column chunk's dictionary: its entries by use, the pages that do without it, and what it saves."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pqexplore.engine.tree import Node
from pqexplore.insight import dictionaries
from pqexplore.insight.answer import Answer
from pqexplore.widget.places import chunk_at

TITLE = "Dictionary"
FIRST: frozenset[str] = frozenset()


def applies(node: Node) -> bool:
    """Column chunks and dictionary pages."""
    return node.kind in ("column_chunk", "dictionary_page")


def cost(file: Any, node: Node) -> int:
    """All pages of the chunk, once decompressed."""
    return int(chunk_at(file, node.address).metadata.total_uncompressed_size or 0)


def answer(file: Any, node: Node) -> Generator[float, None, Answer]:
    """Uses counted over all data pages."""
    return (yield from dictionaries.answer(chunk_at(file, node.address)))
