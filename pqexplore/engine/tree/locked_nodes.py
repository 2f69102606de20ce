"""Nodes of a column chunk without its key: the algorithm, which key it needs, and its modules.

The lengths and nonces of modules are not encrypted. So the pages of such a chunk can be counted, and their sizes are known.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.window import Window
from pqexplore.engine.format.encryption.column_cipher import ColumnCipher
from pqexplore.engine.format.encryption.modules import LENGTH_BYTES, NONCE_BYTES, hop
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree import chunk_facts, chunk_modules
from pqexplore.engine.tree.modules import MEANINGS, cipher_facts, ciphers_of, parts_of
from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

LISTED = 10_000
"""Modules of a chunk that are listed one by one."""


def locked_pages_node(chunk: ColumnChunk) -> Node | None:
    """The modules of a chunk whose key is missing; None if its place is encrypted, too.

    By their lengths, which are not encrypted: a page header and a page in turn.
    """
    try:
        if chunk.column_cipher is None:
            return None
        span = chunk.span
    except ParquetError:
        return None
    return Node(
        Kind.GROUP,
        "modules (page headers and pages, encrypted)",
        Address.of(chunk.address, "modules"),
        span,
        facts=lambda: chunk_facts.key_facts(chunk),
        children=lambda: _hop(chunk, span),
        state="locked",
        reason=chunk.locked,
    )


def locked_bloom(chunk: ColumnChunk) -> tuple[Span, Span] | None:
    """Where the header and the bitset of a Bloom filter lie whose key is missing; None if that is not known.

    A footer that is not encrypted has the place of the filter; of its two modules, the lengths are not encrypted.
    """
    metadata = chunk.struct.meta_data
    if metadata is None or chunk.column_cipher is None:
        return None
    start, length = metadata.bloom_filter_offset, metadata.bloom_filter_length
    if start is None:
        return None
    stated = length is not None and length > 0
    end = start + (length or 0) if stated else chunk.file.footer.start
    if not 0 <= start < end <= chunk.file.size:
        return None
    window = Window(chunk.file.source, start, end, end)
    modules = hop(lambda place: window.at(place, LENGTH_BYTES), start, end)
    found = [Span(*one) for one in itertools.islice(modules, 2)]
    return (found[0], found[1]) if len(found) == 2 and (not stated or found[1].end == end) else None


def locked_bloom_node(chunk: ColumnChunk) -> Node | None:
    """A Bloom filter whose key is missing; None if its place is not known."""
    try:
        spans = locked_bloom(chunk)
    except ParquetError:
        return None
    if spans is None:
        return None
    header, bitset = spans
    address = Address.of(chunk.address, "bloom_filter")
    return Node(
        Kind.BLOOM_FILTER,
        "Bloom filter",
        address,
        Span(header.start, bitset.end),
        facts=lambda: chunk_facts.key_facts(chunk),
        children=lambda: [
            chunk_modules.bloom_header_node(chunk, header, Address.of(address, "header")),
            chunk_modules.bloom_bitset_node(chunk, bitset, Address.of(address, "bitset")),
        ],
        state="locked",
        reason=chunk.locked,
    )


def _hop(chunk: ColumnChunk, span: Span) -> list[Node]:
    cipher, column = ciphers_of(chunk)
    window = Window(chunk.file.source, span.start, span.end, span.end)
    nodes, at = list[Node](), span.start
    for start, at in hop(lambda place: window.at(place, LENGTH_BYTES), span.start, span.end):
        address, page = Address.of(chunk.address, "modules", len(nodes)), len(nodes) % 2 == 1
        ctr = page and cipher.algorithm.ctr
        head = bytes(window.at(start, LENGTH_BYTES + NONCE_BYTES))
        nodes.append(_locked_module(chunk, column, address, Span(start, at), page, ctr, head))
        if len(nodes) == LISTED:
            break
    if at < span.end:
        words = "modules that are not listed" if len(nodes) == LISTED else "no module begins here"
        state = "locked" if len(nodes) == LISTED else "corrupt"
        address = Address.of(chunk.address, "modules", len(nodes))
        nodes.append(Node(Kind.GROUP, words, address, Span(at, span.end), state=state, reason=words))
    return nodes


def _locked_module(
    chunk: ColumnChunk, column: ColumnCipher, address: Address, span: Span, page: bool, ctr: bool, head: bytes
) -> Node:
    def children() -> Sequence[Node]:
        try:
            return parts_of(chunk.file.source.read(span.start, len(span)), span, address, ctr)
        except ParquetError:
            return ()

    return Node(
        Kind.MODULE,
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
