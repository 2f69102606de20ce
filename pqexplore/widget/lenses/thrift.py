"""A Thrift struct by its fields: id, wire type, value, and the bits that say so."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.tree import Node
from pqexplore.insight import structs
from pqexplore.insight.answer import Answer

TITLE = "Thrift"
FIRST = frozenset({"struct", "field", "page_header", "bloom_filter_header", "file_crypto_metadata"})

KINDS = FIRST | frozenset(structs.NAMES)


def applies(node: Node) -> bool:
    """Structs and their fields, where their bytes can be read."""
    return node.kind in KINDS and node.span is not None and node.state != "locked"


def answer(file: Any, node: Node) -> Answer:
    """The struct, or the one that a plain field is in."""
    return structs.answer(file, node)
