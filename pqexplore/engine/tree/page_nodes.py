"""Nodes of pages: header, stored body, levels, values, down to the bits of one value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.value_text import explain_value
from pqexplore.engine.format.variant.shape import variant_of
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import plural
from pqexplore.engine.tree import chunk_modules
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page_sections import Section


def page_node(page: Page) -> Node:
    """A page, with its header, body, levels and values as children."""
    wrong = page.chunk.file.checked_crc(page)
    return Node(
        page.kind,
        f"page {page.index}: {_kind_words(page)}",
        page.address,
        page.span,
        facts=lambda: _page_facts(page),
        children=lambda: _page_children(page),
        state="corrupt" if wrong is False else "ok",
        reason="the checksum is wrong" if wrong is False else "",
    )


def damaged_page_node(chunk: ColumnChunk, index: int, error: ParquetError) -> Node:
    """The bytes from a damaged page on to the end of the chunk."""
    end = chunk.span.end
    start = min(error.offset if error.offset is not None else end, end)
    return Node(
        Kind.UNREADABLE,
        f"page {index}: unreadable from here",
        Address.of(chunk.address, "pages", index),
        Span(start, end),
        facts=[Fact("problem", error.message, "why this page and those after it are lost")],
        state="corrupt",
        reason=error.message,
    )


def _kind_words(page: Page) -> str:
    words = page.kind.replace("_page", "").replace("_", " ")
    if page.encoding is None:
        return words
    return f"{words}, {structs.enum_name(Encoding, page.encoding)}, {page.num_values:,} values"


def _page_facts(page: Page) -> Sequence[Fact]:
    header = page.header
    facts = [
        Fact(
            "type",
            structs.enum_name(PageType, header.type),
            "what kind of page this is",
            address=Address.of(page.address, "header"),
        ),
        Fact("values", page.num_values, "entries of a dictionary; of a data page values with their nulls"),
    ]
    if page.encoding is not None:
        facts.append(Fact("encoding", structs.enum_name(Encoding, page.encoding), "how the values are encoded"))
    compressed, uncompressed = header.compressed_page_size, header.uncompressed_page_size
    facts += [
        Fact("header size", page.frame.header_end - page.frame.start, "bytes of the page header"),
        Fact("compressed size", compressed, "bytes of the body in the file"),
        Fact("uncompressed size", uncompressed, "bytes of the body before compression"),
        Fact("ratio", round(uncompressed / max(1, compressed), 2), "uncompressed to compressed size"),
        _crc_fact(page),
    ]
    try:
        if page.is_data:
            facts.append(
                Fact("not null", page.num_present, "values that are stored; the others are nulls or empty lists")
            )
        if page.is_data and page.encoding in DICTIONARY_ENCODINGS:
            dictionary = page.chunk.dictionary_page
            if dictionary is not None:
                facts.append(
                    Fact(
                        "dictionary",
                        dictionary.num_values,
                        "entries that the values point into",
                        address=dictionary.address,
                    )
                )
    except ParquetError as error:
        facts.append(Fact("problem", error.message, "why the page cannot be read"))
    return facts


def _crc_fact(page: Page) -> Fact:
    if page.header.crc is None:
        return Fact("checksum", None, "none: damage to this page cannot be noticed")
    stored, computed = page.header.crc & 0xFFFFFFFF, page.computed_crc
    shown = "right" if stored == computed else f"wrong: the body has {computed:08x}"
    return Fact("checksum", f"{stored:08x}, {shown}", "CRC32 of the body, as the header stores it")


def _page_children(page: Page) -> Sequence[Node]:
    frame = page.frame
    header_address = Address.of(page.address, "header")
    header_span = Span(frame.start, frame.header_end)
    if not page.chunk.encrypted:
        data = page.chunk.file.source.read(frame.start, len(header_span))
        header = struct_node(
            structs.PageHeader,
            data,
            0,
            header_address,
            "header",
            page.chunk.file.limits,
            base=frame.start,
            kind=Kind.PAGE_HEADER,
        )
    else:
        header = chunk_modules.page_header_node(page)
    children = [header, chunk_modules.page_body_node(page)] if page.chunk.encrypted else [header]
    body = Span(frame.header_end, frame.end)
    try:
        sections = page.body.sections
    except ParquetError as error:
        state = "locked" if isinstance(error, EncryptedFileError) else "corrupt"
        return [
            header,
            Node(
                Kind.BODY,
                "body",
                Address.of(page.address, "body"),
                body,
                children=children[1:] and children[1].children,
                state=state,
                reason=error.message,
            ),
        ]
    if len(children) == 1 and any(section.span.space != FILE for section in sections):
        children.append(
            Node(
                Kind.BODY,
                f"body as stored ({len(body):,} bytes)",
                Address.of(page.address, "body"),
                body,
                facts=[Fact("size", len(body), "compressed; the sections below show what is inside")],
            )
        )
    return [*children, *(_section_node(page, section) for section in sections)]


def section_node(page: Page, name: str) -> Node | None:
    """The node of a section; None if the page has none of that name. Raises ParquetError if its body cannot be opened."""
    found = next((section for section in page.body.sections if section.name == name), None)
    return None if found is None else _section_node(page, found)


def _section_node(page: Page, section: Section) -> Node:
    address = Address.of(page.address, section.name)
    values = section.name == "values"
    try:
        count = page.num_values
        if values and page.is_data:
            count = page.num_present
        elif not values and getattr(page, section.name) is None:
            count = 0  # the page has bytes of levels, its column has no levels
    except ParquetError as error:
        return Node(
            Kind(section.name),
            section.name.replace("_", " "),
            address,
            section.span,
            state="corrupt",
            reason=error.message,
        )
    return Node(
        Kind(section.name),
        f"{section.name.replace('_', ' ')} ({count:,})",
        address,
        section.span,
        facts=lambda: [
            Fact("size", len(section.span), "bytes", section.span),
            Fact("values" if values else "levels", count, "how many are stored here"),
            Fact("encoding", _section_encoding(page, section), "how they are encoded"),
        ],
        children=lambda: _section_children(page, section, count),
    )


def _section_children(page: Page, section: Section, count: int) -> Sequence[Node]:
    """The levels or values, then the bytes that none of them needs."""
    leftovers = list(page.leftovers(section.name).items())
    return LazySequence(
        count + len(leftovers),
        lambda index: (
            value_node(page, section, index) if index < count else _leftover_node(page, *leftovers[index - count])
        ),
    )


def _leftover_node(page: Page, address: Address, span: Span) -> Node:
    return Node(
        Kind.LEFTOVER,
        f"{plural(len(span), 'byte')} left over",
        address,
        span,
        facts=[Fact("size", len(span), "bytes that no level and no value of the page needs", span)],
    )


def _section_encoding(page: Page, section: Section) -> str:
    if section.name == "values":
        return structs.enum_name(Encoding, page.encoding)
    if page.header.type == PageType.DATA_PAGE_V2:
        return "RLE, without its length: the header has it"
    return structs.enum_name(Encoding, getattr(page.header.data_page_header, section.name[:-1] + "_encoding"))


def value_node(page: Page, section: Section, index: int) -> Node:
    """One level or value, and its bytes."""
    address = Address.of(page.address, section.name, index)
    kind = Kind.VALUE if section.name == "values" else Kind.LEVEL
    try:
        span, bits, path = page.structure(section.name).value_span(index, section.span)
    except ParquetError as error:
        return Node(kind, f"{index}", address, section.span, state="corrupt", reason=error.message)

    def facts() -> Sequence[Fact]:
        try:
            known = _value_facts(page, section, index)
        except ParquetError as error:
            known = [Fact("problem", error.message, "why this cannot be read")]
        return [
            *known,
            *(
                Fact(name, value, meaning)
                for name, value, meaning in (
                    ("bits", bits, "the bits of these bytes, counted from the least significant of the first"),
                    ("derivation", path, "what the encoding makes of these bytes"),
                )
                if value is not None
            ),
        ]

    def children() -> Sequence[Node]:
        if section.name != "values" or variant_of(page.chunk.leaf) is None:
            return ()
        from pqexplore.engine.tree import variant_nodes

        try:
            return variant_nodes.value_children(page, section, index, span)
        except ParquetError:
            return ()

    return Node(kind, f"{index}", address, span, facts=facts, children=children)


def _value_facts(page: Page, section: Section, index: int) -> Sequence[Fact]:
    if section.name != "values":
        levels = getattr(page, section.name)
        return [Fact("level", int(levels[index]), f"number {index} of the page's {section.name.replace('_', ' ')}")]
    raw = page.physical_part(index, index + 1)[0].as_py()
    shown = explain_value(page.chunk.leaf, raw)
    facts = [
        Fact("value", shown["logical"], f"value {index} of those stored in this page, in the column's logical type"),
        Fact("physical", shown["physical"], "as it is stored"),
        Fact("hex", shown["hex"], "the stored bytes"),
    ]
    if shown.get("note"):
        facts.append(Fact("note", shown["note"], "what is unusual about this value"))
    runs = page.id_runs
    if runs is not None:
        dictionary = page.chunk.dictionary_page
        entry = runs.at(index)
        facts.append(
            Fact(
                "dictionary index",
                entry,
                "the entry of the dictionary page that this value points at",
                address=None if dictionary is None else Address.of(dictionary.address, "values", entry),
            )
        )
    if variant_of(page.chunk.leaf) is not None:
        from pqexplore.engine.tree import variant_nodes

        facts += variant_nodes.value_facts(page, index)
    return facts
