"""Nodes of row groups and column chunks, and of a chunk's metadata and pages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, overload

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.file.chunk_pages import WalkedPages
from pqexplore.engine.finding import within
from pqexplore.engine.format import types
from pqexplore.engine.format.bloom import BLOCK_BYTES, BloomFilter
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree import chunk_facts
from pqexplore.engine.tree.key_values import key_values_node
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.page_nodes import damaged_page_node, page_node
from pqexplore.engine.tree.struct_nodes import Ground, bytes_of_spans, column_chunk_node, span_node, struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.row_group import RowGroup


def compression_ratio(uncompressed: int, compressed: int) -> float | None:
    """Uncompressed to compressed size of pages with their headers; None without bytes, and where a size is not stated.

    Headers take bytes, so pages that take bytes took some before compression, too: some writers leave this size at 0.
    """
    return uncompressed / compressed if compressed > 0 and uncompressed > 0 else None


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
            from pqexplore.engine.tree import chunk_modules

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
                _bitset_node(chunk, bloom, bitset, Address.of(address, "bitset")),
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


def _bitset_node(chunk: ColumnChunk, bloom: BloomFilter, span: Span, address: Address) -> Node:
    if chunk.encrypted:
        from pqexplore.engine.tree import chunk_modules

        return chunk_modules.bloom_bitset_node(chunk, span, address)
    return bitset_node(bloom, span, address)


def _bloom_header_node(chunk: ColumnChunk, span: Span, address: Address) -> Node:
    if chunk.encrypted:
        from pqexplore.engine.tree import chunk_modules

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


DAMAGE = frozenset(("unreadable", "unsupported", "limit", "crc-mismatch"))
"""Rules of the findings that say that a page cannot be read, or was changed after it was written."""


class Joined(Sequence[Node]):
    """Two sequences of nodes as one."""

    def __init__(self, first: Sequence[Node], rest: Sequence[Node]) -> None:
        self._first = first
        self._rest = rest

    def __len__(self) -> int:
        return len(self._first) + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> list[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | list[Node]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        first = len(self._first)
        return self._first[index] if index < first else self._rest[index - first]


def row_group_node(group: RowGroup) -> Node:
    """A row group, with its column chunks as children."""
    struct = group.metadata
    try:
        columns = group.columns
    except ParquetError as error:
        return Node(
            Kind.ROW_GROUP, f"row group {group.index}", group.address, state=state_of(error), reason=error.message
        )
    return Node(
        Kind.ROW_GROUP,
        f"row group {group.index}",
        group.address,
        group.span,
        facts=lambda: [
            Fact("rows", struct.num_rows, "rows in every column of this row group"),
            Fact("columns", len(columns), "column chunks, one for each leaf of the schema"),
            Fact("uncompressed size", struct.total_byte_size, "bytes of all pages before compression"),
            Fact("compressed size", struct.total_compressed_size, "bytes of all pages in the file"),
            _sorting_fact(group),
            Fact("file offset", struct.file_offset, "where its first page begins in the file"),
            Fact("ordinal", struct.ordinal, "its place among the row groups, used in encryption"),
            Fact("struct", "RowGroup", "what the footer says", address=Address.of("footer", group.address)),
        ],
        children=LazySequence(len(columns), lambda index: chunk_node(columns[index])),
    )


def _sorting_fact(group: RowGroup) -> Fact:
    meaning = "the order that the writer says the rows are in"
    address = Address.of("footer", group.address, "sorting_columns")
    for finding in within(group.file.findings, address):
        meaning += f". Found: {finding.message}"
    return Fact("sorting columns", _sorting(group), meaning)


def _sorting(group: RowGroup) -> str | None:
    order = group.metadata.sorting_columns
    if not order:
        return None
    leaves = group.file.schema.leaves
    words = []
    for column in order:
        index = column.column_idx
        inside = index is not None and 0 <= index < len(leaves)
        name = ".".join(leaves[index].path) if inside else f"column {index}, which is not there"
        words.append(
            f"{name} {'descending' if column.descending else 'ascending'}, nulls {'first' if column.nulls_first else 'last'}"
        )
    return "; ".join(words)


def chunk_node(chunk: ColumnChunk) -> Node:
    """A column chunk, with its metadata, indexes and pages as children."""
    label = ".".join(chunk.leaf.path)
    try:
        locked = chunk.locked
        span = None if chunk.elsewhere else chunk.span
    except ParquetError as error:
        return Node(
            Kind.COLUMN_CHUNK,
            label,
            chunk.address,
            facts=lambda: chunk_facts.key_facts(chunk),
            children=lambda: _locked_children(chunk),
            state=state_of(error),
            reason=error.message,
        )
    state, reason = ("locked", locked) if locked else _damage(chunk)
    return Node(
        Kind.COLUMN_CHUNK,
        label,
        chunk.address,
        span,
        facts=lambda: _chunk_facts(chunk),
        children=lambda: _locked_children(chunk) if locked else _chunk_children(chunk),
        state=state,
        reason=reason,
    )


def _damage(chunk: ColumnChunk) -> tuple[str, str]:
    """State and reason, by the damage that is known so far in the chunk's pages."""
    walked = chunk.walked
    if walked is not None and walked.error is not None:
        return "corrupt", walked.error.message
    return "ok", ""


def _chunk_facts(chunk: ColumnChunk) -> Sequence[Fact]:
    try:
        metadata = chunk.metadata
    except ParquetError as error:
        problem = Fact("problem", error.message, "why nothing more is known")
        return [problem, *chunk_facts.key_facts(chunk)]
    ratio = compression_ratio(metadata.total_uncompressed_size, metadata.total_compressed_size)
    facts = [
        Fact("type", types.describe(chunk.leaf), "the column's type", address=Address.of("schema", chunk.leaf.index)),
        Fact("values", metadata.num_values, "values with their nulls; of a list every element counts"),
        Fact("compressed size", metadata.total_compressed_size, "bytes of the pages in the file, headers included"),
        Fact("uncompressed size", metadata.total_uncompressed_size, "bytes of the pages before compression"),
        Fact("ratio", None if ratio is None else round(ratio, 2), "uncompressed to compressed size"),
        Fact("codec", structs.enum_name(CompressionCodec, metadata.codec), "how pages are compressed"),
        Fact(
            "encodings",
            ", ".join(structs.enum_name(Encoding, one) for one in metadata.encodings),
            "all encodings used in the chunk, those of the levels included",
        ),
    ]
    return [
        *facts,
        *chunk_facts.facts(chunk),
        *chunk_facts.key_facts(chunk),
        Fact(
            "file offset",
            chunk.struct.file_offset,
            "deprecated: some writers point to the ColumnMetaData, some to the first page",
        ),
    ]


def _locked_children(chunk: ColumnChunk) -> Sequence[Node]:
    """The children of a chunk that cannot be read."""
    from pqexplore.engine.tree import locked_nodes

    found = locked_nodes.locked_bloom_node(chunk), locked_nodes.locked_pages_node(chunk)
    return [*_footer_children(chunk), *(node for node in found if node is not None)]


def _footer_children(chunk: ColumnChunk) -> list[Node]:
    """The metadata, and the indexes that the ColumnChunk points at."""
    nodes = [_metadata_node(chunk)]
    if chunk.elsewhere:
        return nodes  # the indexes lie where the pages lie
    for name, kind in (("column_index", structs.ColumnIndex), ("offset_index", structs.OffsetIndex)):
        if getattr(chunk.struct, f"{name}_offset") is not None:
            nodes.append(index_node(chunk, name, kind))
    return nodes


def _chunk_children(chunk: ColumnChunk) -> Sequence[Node]:
    first = _footer_children(chunk)
    try:
        if not chunk.locked:
            pairs = chunk.metadata.key_value_metadata
            if pairs:
                address = Address.of(chunk.address, "key_value_metadata")
                at = Address.of(chunk.address, "metadata/meta_data/key_value_metadata")
                first.append(key_values_node(pairs, address, at, chunk.file))
            if chunk.elsewhere:
                return first
            if chunk.metadata.bloom_filter_offset is not None:
                first.append(bloom_node(chunk))
        pages = chunk.pages
    except ParquetError:
        walked = chunk.walked
        if walked is not None and walked.error is not None:  # the first page is damaged
            first.append(damaged_page_node(chunk, len(walked.frames), walked.error))
        return first
    damage = _page_damage(chunk)
    rest = LazySequence(len(pages), lambda index: _marked(page_node(pages[index]), damage))
    error = pages.error if isinstance(pages, WalkedPages) else None
    last = [] if error is None else [damaged_page_node(chunk, len(pages), error)]
    return Joined(first, Joined(rest, last))


def known_page_node(page: Page) -> Node:
    """A page, marked as corrupt if damage in it is known."""
    return _marked(page_node(page), _page_damage(page.chunk))


def _page_damage(chunk: ColumnChunk) -> dict[str, str]:
    """Messages about damage that is known so far, by the address of the page."""
    damage: dict[str, str] = {}
    begins = Address.of(chunk.address, "pages") + "/"
    for finding in chunk.file.findings:
        if finding.rule in DAMAGE and finding.address.startswith(begins):
            number = finding.address[len(begins) :].partition("/")[0]
            damage.setdefault(begins + number, finding.message)
    return damage


def _marked(node: Node, damage: dict[str, str]) -> Node:
    if node.state == "ok" and node.address in damage:
        node.state, node.reason = "corrupt", damage[node.address]
    return node


def _metadata_node(chunk: ColumnChunk) -> Node:
    address = Address.of(chunk.address, "metadata")
    node = column_chunk_node(chunk.file, chunk.row_group.index, chunk.index, address, "metadata")
    if chunk.struct.encrypted_column_metadata is None:
        return node

    def children() -> Sequence[Node]:
        from pqexplore.engine.tree import chunk_modules

        return [
            chunk_modules.column_metadata_node(chunk, one) if one.name == "encrypted_column_metadata" else one
            for one in node.children
        ]

    return Node(
        node.kind,
        node.label,
        node.address,
        node.span,
        facts=lambda: node.facts,
        children=children,
        state=node.state,
        reason=node.reason,
    )
