"""Nodes of a Bloom filter's bitset: its blocks of 256 bits, each with its eight words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.bloom import BLOCK_BYTES
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.format.bloom import BloomFilter


def bitset_node(bloom: BloomFilter, span: Span, address: Address) -> Node:
    """The bitset of a filter that is not encrypted; its children are the blocks."""
    return Node(
        Kind.BLOOM_FILTER_BITSET,
        "bitset",
        address,
        span,
        children=LazySequence(bloom.num_blocks, lambda index: block_node(bloom, span, address, index)),
    )


def block_node(bloom: BloomFilter, bitset: Span, address: Address, index: int) -> Node:
    """One block: the bits of every value whose hash chose it."""
    start = bitset.start + BLOCK_BYTES * index
    span = Span(start, start + BLOCK_BYTES, bitset.space)

    def facts() -> Sequence[Fact]:
        stored = bytes(bloom.bitset[BLOCK_BYTES * index : BLOCK_BYTES * (index + 1)])
        words = [int.from_bytes(stored[i : i + 4], "little") for i in range(0, BLOCK_BYTES, 4)]
        bits = sum(word.bit_count() for word in words)
        return [
            Fact("bits set", bits, "of 256; a value sets one in each of the eight words", span),
            *(
                Fact(
                    f"word {i}",
                    f"{word:032b}",
                    f"{word.bit_count()} of 32 bits set, bit 31 first; little-endian in the file",
                    Span(start + 4 * i, start + 4 * i + 4, bitset.space),
                )
                for i, word in enumerate(words)
            ),
        ]

    return Node(Kind.BLOOM_FILTER_BLOCK, f"block {index:,}", Address.of(address, index), span, facts=facts)
