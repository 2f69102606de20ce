"""Nodes of the encrypted modules of one column chunk: page headers, pages, indexes, Bloom filter, column metadata.

A module's AAD is made of its place in the file. `decrypted` goes the other way, from an address to the bytes in its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.page_cipher import levels_in_clear
from pqexplore.engine.format.encryption.modules import Module, ModuleType
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree.modules import ciphers_of, module_fact, module_node, opened, struct_module_node, unopened
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page

INDEXES = {"column_index": ModuleType.COLUMN_INDEX, "offset_index": ModuleType.OFFSET_INDEX}
"""Module types by the names of the indexes."""


def page_header_module(page: Page) -> Module:
    """The type and ordinals of the module of a page's header."""
    _, column = ciphers_of(page.chunk)
    kind = ModuleType.DATA_PAGE_HEADER if page.is_data else ModuleType.DICTIONARY_PAGE_HEADER
    return column.module(kind, page.frame.ordinal)


def page_header_node(page: Page) -> Node:
    """The header of an encrypted page."""
    return struct_module_node(
        page.chunk,
        structs.PageHeader,
        page_header_module(page),
        Span(page.frame.start, page.frame.header_end),
        Address.of(page.address, "header"),
        "header",
        Kind.PAGE_HEADER,
    )


def page_body_node(page: Page) -> Node:
    """The body of an encrypted page as it is stored: one module."""
    cipher, column = ciphers_of(page.chunk)
    span, address = Span(page.frame.header_end, page.frame.end), Address.of(page.address, "body")
    data = page.chunk.file.source.read(span.start, len(span))
    label = f"body as stored ({len(span):,} bytes, encrypted)"
    extra = [Fact("size", len(span), "encrypted; the sections below show what is inside")]
    module, clear = _page_module(page), levels_in_clear(page.frame, data)
    if not clear:
        return module_node(cipher, column, module, data, span, address, kind=Kind.BODY, label=label, extra=extra)
    middle = span.start + clear
    levels = Fact("levels", clear, "bytes of levels that are not encrypted, as parquet-java writes")
    values = Span(middle, span.end)
    frame = module_node(cipher, column, module, data[clear:], values, Address.of(address, "module"))
    before = Span(span.start, middle)
    return Node(
        Kind.BODY,
        label,
        address,
        span,
        facts=lambda: [*extra, levels, *frame.facts],
        children=[
            Node(Kind.LEVELS, "levels, not encrypted", Address.of(address, "levels"), before, facts=[levels]),
            frame,
        ],
        state=frame.state,
        reason=frame.reason,
    )


def _page_module(page: Page) -> Module:
    _, column = ciphers_of(page.chunk)
    kind = ModuleType.DATA_PAGE if page.is_data else ModuleType.DICTIONARY_PAGE
    return column.module(kind, page.frame.ordinal)


def index_node(chunk: ColumnChunk, name: str, struct: type[structs.Struct], span: Span, address: Address) -> Node:
    """A column index or offset index that is encrypted."""
    _, column = ciphers_of(chunk)
    module = column.module(INDEXES[name])
    return struct_module_node(chunk, struct, module, span, address, name.replace("_", " "), Kind(name))


def bloom_header_node(chunk: ColumnChunk, span: Span, address: Address) -> Node:
    """The header of an encrypted Bloom filter."""
    _, column = ciphers_of(chunk)
    return struct_module_node(
        chunk,
        structs.BloomFilterHeader,
        column.module(ModuleType.BLOOM_FILTER_HEADER),
        span,
        address,
        "header",
        Kind.BLOOM_FILTER_HEADER,
    )


def bloom_bitset_node(chunk: ColumnChunk, span: Span, address: Address) -> Node:
    """The bitset of an encrypted Bloom filter."""
    cipher, column = ciphers_of(chunk)
    data = chunk.file.source.read(span.start, len(span))
    module = column.module(ModuleType.BLOOM_FILTER_BITSET)
    return module_node(cipher, column, module, data, span, address, kind=Kind.BLOOM_FILTER_BITSET, label="bitset")


def column_metadata_node(chunk: ColumnChunk, field: Node) -> Node:
    """The field `encrypted_column_metadata` of a ColumnChunk, with the ColumnMetaData inside it."""
    encrypted = chunk.struct.encrypted_column_metadata
    if encrypted is None or chunk.column_cipher is None or field.span is None:
        return field
    cipher, column = ciphers_of(chunk)
    module = column.module(ModuleType.COLUMN_METADATA)
    span = Span(field.span.end - len(encrypted), field.span.end, field.span.space)
    frame = module_node(cipher, column, module, encrypted, span, Address.of(field.address, "module"))
    label = "encrypted_column_metadata"
    try:
        plain = opened(chunk, column, module, encrypted, field.address, chunk.file.footer.start)
    except ParquetError as error:
        return unopened(field.kind, label, field.address, field.span, frame, error)
    inner = struct_node(
        structs.ColumnMetaData, plain, 0, field.address, label, chunk.file.limits, space=f"{field.address}:decrypted"
    )
    return Node(
        field.kind,
        label,
        field.address,
        field.span,
        facts=lambda: [*inner.facts, module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def decrypted(file: ParquetFile, address: str) -> memoryview | None:
    """The bytes of the space `<address>:decrypted`; None if nothing there is encrypted.

    Raises ParquetError if the module cannot be decrypted.
    """
    parts = address.split("/")
    if len(parts) < 5 or parts[0] != "row_groups" or not (parts[1] + parts[3]).isdecimal():
        return None
    chunk = file.row_groups[int(parts[1])].columns[int(parts[3])]
    if chunk.column_cipher is None:
        return None
    located = _module_at(chunk, parts[4:])
    if located is None:
        return None
    module, data, start = located
    return memoryview(opened(chunk, chunk.column_cipher, module, data, Address(address), start))


def _module_at(chunk: ColumnChunk, parts: list[str]) -> tuple[Module, bytes | memoryview, int] | None:
    """The module at an address below a chunk, its bytes and their offset; None if there is no module."""
    column, source = chunk.column_cipher, chunk.file.source
    assert column is not None
    if parts[0] == "pages" and len(parts) > 1:
        page = chunk.pages[int(parts[1])]
        frame = page.frame
        if parts[2:] == ["header"]:
            size = frame.header_end - frame.start
            return page_header_module(page), source.read(frame.start, size), frame.start
        start = frame.header_end
        data = source.read(start, frame.end - start)
        clear = levels_in_clear(frame, data)
        return _page_module(page), data[clear:], start + clear
    name = "/".join(parts)
    if name in INDEXES:
        start, size = (getattr(chunk.struct, f"{name}_{what}") for what in ("offset", "length"))
        return column.module(INDEXES[name]), source.read(start, size), start
    if name == "metadata/encrypted_column_metadata":
        encrypted = chunk.struct.encrypted_column_metadata
        if encrypted is None:
            return None
        return column.module(ModuleType.COLUMN_METADATA), encrypted, chunk.file.footer.start
    bloom = chunk.bloom_filter_parts if parts[0] == "bloom_filter" else None
    for part, kind, span in zip(
        ("header", "bitset"),
        (ModuleType.BLOOM_FILTER_HEADER, ModuleType.BLOOM_FILTER_BITSET),
        bloom or (),
        strict=False,
    ):
        if name == f"bloom_filter/{part}":
            return column.module(kind), source.read(span.start, len(span)), span.start
    return None
