"""Nodes of a column chunk's column index, offset index and Bloom filter."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.format.bloom import BloomFilter
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree import bloom_nodes, chunk_modules
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import Ground, bytes_of_spans, span_node, struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk


def state_of(error: ParquetError) -> str:
    """The state of a node that cannot be made."""
    return "locked" if isinstance(error, EncryptedFileError) else "corrupt"


def _guarded(kind: Kind, label: str, address: Address, span: Span, make: Callable[[], Node]) -> Node:
    """The node that `make` returns, or one with the reason why it cannot be made."""
    try:
        return make()
    except ParquetError as error:
        return Node(kind, label, address, span, state=state_of(error), reason=error.message)


LARGE_INDEX = 256 << 10
"""Bytes up to which an index is read when the children of its chunk are listed."""


def index_node(chunk: ColumnChunk, name: str, kind: type[structs.Struct]) -> Node:
    """The column index or the offset index of a chunk, which has one."""
    start = getattr(chunk.struct, f"{name}_offset")
    length = getattr(chunk.struct, f"{name}_length") or 0
    address, label = Address.of(chunk.address, name), name.replace("_", " ")

    def make() -> Node:
        chunk_indexes.place(chunk, kind)  # raises if it is not in the file
        if chunk.encrypted:
            return chunk_modules.index_node(chunk, name, kind, Span(start, start + length), address)
        data = chunk.file.source.read(start, length)
        ground = Ground(data, start, FILE, chunk.file.limits)
        read = chunk.file.cache.get((address, "spans"), lambda: ground.read(kind, 0, length), bytes_of_spans)
        return span_node(read, address, label, ground, kind=Kind(name))

    span = Span(max(0, start), max(0, start) + max(0, length))
    if length <= LARGE_INDEX or chunk.encrypted:
        return _guarded(Kind(name), label, address, span, make)
    # An index of a hundred thousand pages takes a second to read, so it is read when the node is opened.
    once = functools.cache(make)
    return Node(Kind(name), label, address, span, facts=lambda: once().facts, children=lambda: once().children)


def bloom_node(chunk: ColumnChunk) -> Node:
    """The Bloom filter of a chunk, which has one; its children are the header and the bitset."""
    address = Address.of(chunk.address, "bloom_filter")
    offset = chunk.metadata.bloom_filter_offset
    assert offset is not None  # callers check that first

    def make() -> Node:
        bloom, parts = chunk.bloom_filter, chunk.bloom_filter_parts
        assert bloom is not None and parts is not None
        header, bitset = parts
        return Node(
            Kind.BLOOM_FILTER,
            "Bloom filter",
            address,
            Span(header.start, bitset.end),
            facts=lambda: [
                Fact("size", bloom.size, "bytes of the bitset"),
                Fact("blocks", bloom.num_blocks, "of 256 bits; a value sets one bit in each of a block's eight words"),
                *_occupancy_facts(bloom),
            ],
            children=lambda: [
                _bloom_header_node(chunk, header, Address.of(address, "header")),
                chunk_modules.bloom_bitset_node(chunk, bitset, Address.of(address, "bitset"))
                if chunk.encrypted
                else bloom_nodes.bitset_node(bloom, bitset, Address.of(address, "bitset")),
            ],
        )

    return _guarded(Kind.BLOOM_FILTER, "Bloom filter", address, Span(offset, offset), make)


def _occupancy_facts(bloom: BloomFilter) -> Sequence[Fact]:
    occupancy = bloom.occupancy()
    return [
        Fact(
            "bits set",
            round(occupancy.bits_set / max(1, occupancy.bits), 4),
            "share of the bits that are 1; beyond a half it hardly filters",
        ),
        Fact("estimated distinct values", round(occupancy.ndv), "from the bits that are set"),
        Fact("estimated false positives", occupancy.fpp, "how often it lets through a value that is not there"),
    ]


def _bloom_header_node(chunk: ColumnChunk, span: Span, address: Address) -> Node:
    if chunk.encrypted:
        return chunk_modules.bloom_header_node(chunk, span, address)
    data = chunk.file.source.read(span.start, len(span))
    return struct_node(
        structs.BloomFilterHeader,
        data,
        0,
        address,
        "header",
        chunk.file.limits,
        base=span.start,
        kind=Kind.BLOOM_FILTER_HEADER,
    )
