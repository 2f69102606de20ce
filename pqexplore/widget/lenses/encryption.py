"""The module map: what is sealed, in which parts, what its AAD is made of, and which key opens it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pqexplore.engine.tree import Node
from pqexplore.insight import encryption
from pqexplore.insight.answer import Answer
from pqexplore.widget.places import CHUNK, chunk_at

TITLE = "Encryption"
FIRST = frozenset(
    {
        *("module", "module_length", "module_nonce", "module_ciphertext", "module_tag"),
        "footer_signature",
    }
)

MAY_BE_SEALED = frozenset(
    {
        *("page_header", "body", "column_index", "offset_index"),
        *("bloom_filter_header", "bloom_filter_bitset"),
    }
)
"""Kinds of nodes that are modules where their first child is one, or a part of one."""


def applies(node: Node) -> bool:
    """An encrypted file, a column chunk of it, and its modules with their parts."""
    if node.kind in FIRST or node.address == "crypto_metadata":
        return True
    if node.kind == "file":
        return any(fact.name == "encryption" for fact in node.facts)
    if node.kind == "column_chunk":
        return node.state == "locked" or any(
            fact.name == "encryption algorithm" for fact in node.facts
        )
    if node.kind == "footer":
        return node.state == "locked"
    if node.kind in MAY_BE_SEALED and CHUNK.match(node.address):
        return node.state == "locked" or any(
            child.kind.startswith("module") for child in node.children[:2]
        )
    return node.kind == "group" and node.state == "locked"


def answer(file: Any, node: Node) -> Answer | Generator[float, None, Answer]:
    """The modules of the file, of the footer, or of the column chunk that the node lies in."""
    if node.kind == "file":
        return encryption.of_file(file)
    if CHUNK.match(node.address):
        return encryption.of_chunk(chunk_at(file, node.address), node.address)
    return encryption.of_footer(file)
