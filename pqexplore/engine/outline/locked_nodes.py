"""What can be told of a column chunk without its key: the algorithm, the key it asks for, and its modules.

Lengths and nonces of modules lie open. So the pages of a locked chunk can be counted and weighed, and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.encryption.column_cipher import ColumnCipher
from pqexplore.engine.encryption.modules import LENGTH_BYTES, NONCE_BYTES, hop
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.outline.modules import MEANINGS, cipher_facts, ciphers_of, parts_of
from pqexplore.engine.pages import Window
from pqexplore.engine.tree import Fact, Node, Span, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk

LISTED = 10_000
"""Modules of a locked chunk that are listed one by one."""


def key_facts(chunk: ColumnChunk) -> Sequence[Fact]:
    """With which algorithm and key the chunk is encrypted; nothing where it is not."""
    try:
        column, cipher = chunk.column_cipher, chunk.file.footer.cipher
    except ParquetError:
        return []
    if column is None or cipher is None:
        return []
    words = "how the modules of this column are encrypted"
    return [Fact("encryption algorithm", cipher.algorithm.name, words), *column.facts]


def locked_pages_node(chunk: ColumnChunk) -> Node | None:
    """The modules of a chunk that is locked, as far as their lengths tell; None where its place is hidden, too.

    Lengths are not encrypted: modules can be counted and weighed without a key, a header and a page in turn.
    """
    try:
        if chunk.column_cipher is None:
            return None
        span = chunk.span
    except ParquetError:
        return None
    return Node(
        "group",
        "modules (page headers and pages, locked)",
        join(chunk.address, "modules"),
        span,
        facts=lambda: key_facts(chunk),
        children=lambda: _hop(chunk, span),
        state="locked",
        reason=chunk.locked,
    )


def _hop(chunk: ColumnChunk, span: Span) -> list[Node]:
    cipher, column = ciphers_of(chunk)
    window = Window(chunk.file.source, span.start, span.end, span.end)
    found, at = list[Node](), span.start
    for start, at in hop(lambda place: window.at(place, LENGTH_BYTES), span.start, span.end):
        address, page = join(chunk.address, "modules", len(found)), len(found) % 2 == 1
        ctr = page and cipher.algorithm.ctr
        head = bytes(window.at(start, LENGTH_BYTES + NONCE_BYTES))
        found.append(_locked_module(chunk, column, address, Span(start, at), page, ctr, head))
        if len(found) == LISTED:
            break
    if at < span.end:
        words = "modules that are not listed" if len(found) == LISTED else "no module begins here"
        state = "locked" if len(found) == LISTED else "corrupt"
        address = join(chunk.address, "modules", len(found))
        found.append(Node("group", words, address, Span(at, span.end), state=state, reason=words))
    return found


def _locked_module(
    chunk: ColumnChunk,
    column: ColumnCipher,
    address: str,
    span: Span,
    page: bool,
    ctr: bool,
    head: bytes,
) -> Node:
    def children() -> Sequence[Node]:
        try:
            return parts_of(chunk.file.source.read(span.start, len(span)), span, address, ctr)
        except ParquetError:
            return ()

    return Node(
        "module",
        "page" if page else "page header",
        address,
        span,
        facts=lambda: [
            Fact("length", int.from_bytes(head[:LENGTH_BYTES], "little"), MEANINGS["length"]),
            Fact("nonce", head[LENGTH_BYTES:], MEANINGS["nonce"]),
            *cipher_facts(ctr),
            *column.facts,
        ],
        children=children,
        state="locked",
        reason=column.reason,
    )
