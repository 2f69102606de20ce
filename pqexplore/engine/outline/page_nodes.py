"""Nodes of pages: header, stored body, levels, values, down to one value and the bits that say it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.outline import chunk_modules, variant_nodes
from pqexplore.engine.outline.struct_nodes import struct_node
from pqexplore.engine.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.sections import Section
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding, PageType
from pqexplore.engine.tree import FILE, Fact, LazySequence, Node, Span, join
from pqexplore.engine.values import explain_value

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk


STEPS = 20_000
"""Steps of a trace that are looked through for one value; a value beyond has the bytes of its section."""


def page_node(page: Page) -> Node:
    """A page; its children are header, body, levels and values."""
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
    """The place where walking through a chunk's pages ended in damage."""
    end = chunk.span.end
    start = min(error.offset if error.offset is not None else end, end)
    return Node(
        "unreadable",
        f"page {index}: unreadable from here",
        join(chunk.address, "pages", index),
        Span(start, end),
        facts=[Fact("problem", error.message, "why this and the pages behind it are lost")],
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
            address=join(page.address, "header"),
        ),
        Fact(
            "values",
            page.num_values,
            "entries of a dictionary; of a data page values with their nulls",
        ),
    ]
    if page.encoding is not None:
        facts.append(
            Fact(
                "encoding", structs.enum_name(Encoding, page.encoding), "how the values are encoded"
            )
        )
    compressed, uncompressed = header.compressed_page_size, header.uncompressed_page_size
    facts += [
        Fact("header size", page.frame.header_end - page.frame.start, "bytes of the page header"),
        Fact("compressed size", compressed, "bytes of the body in the file"),
        Fact("uncompressed size", uncompressed, "bytes of the body before compression"),
        Fact(
            "ratio", round(uncompressed / max(1, compressed), 2), "uncompressed to compressed size"
        ),
        _crc_fact(page),
    ]
    try:
        if page.is_data:
            facts.append(
                Fact(
                    "not null",
                    page.num_present,
                    "values that are stored; the others are nulls or empty lists",
                )
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
    verdict = "right" if page.crc_ok else "wrong"
    return Fact(
        "checksum",
        f"{page.header.crc & 0xFFFFFFFF:08x}, {verdict}",
        "CRC32 of the body as stored, compared with the one in the header",
    )


def _page_children(page: Page) -> Sequence[Node]:
    frame = page.frame
    header_address = join(page.address, "header")
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
            kind="page_header",
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
                "body",
                "body",
                join(page.address, "body"),
                body,
                children=children[1:] and children[1].children,
                state=state,
                reason=error.message,
            ),
        ]
    if len(children) == 1 and any(section.span.space != FILE for section in sections):
        children.append(
            Node(
                "body",
                f"body as stored ({len(body):,} bytes)",
                join(page.address, "body"),
                body,
                facts=[
                    Fact(
                        "size",
                        len(body),
                        "compressed; the sections below show what is inside",
                    )
                ],
            )
        )
    return [*children, *(_section_node(page, section) for section in sections)]


def _section_node(page: Page, section: Section) -> Node:
    address = join(page.address, section.name)
    values = section.name == "values"
    try:
        count = page.num_values
        if values and page.is_data:
            count = page.num_present
        elif not values and getattr(page, section.name) is None:
            count = 0  # bytes of levels in a column that has none
    except ParquetError as error:
        return Node(
            section.name,
            section.name.replace("_", " "),
            address,
            section.span,
            state="corrupt",
            reason=error.message,
        )
    return Node(
        section.name,
        f"{section.name.replace('_', ' ')} ({count:,})",
        address,
        section.span,
        facts=lambda: [
            Fact("size", len(section.span), "bytes", section.span),
            Fact("values" if values else "levels", count, "how many are stored here"),
            Fact("encoding", _section_encoding(page, section), "how they are encoded"),
        ],
        children=LazySequence(count, lambda index: value_node(page, section, index)),
    )


def _section_encoding(page: Page, section: Section) -> str:
    if section.name == "values":
        return structs.enum_name(Encoding, page.encoding)
    if page.header.type == PageType.DATA_PAGE_V2:
        return "RLE, without its length: the header has it"
    return structs.enum_name(
        Encoding, getattr(page.header.data_page_header, section.name[:-1] + "_encoding")
    )


def value_node(page: Page, section: Section, index: int) -> Node:
    """One level or value: what it is, and the bytes that say so."""
    address = join(page.address, section.name, index)
    kind = "value" if section.name == "values" else "level"
    try:
        span, bits, path = place(page, section, index)
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
                    (
                        "bits",
                        bits,
                        "the bits of these bytes, counted from the least significant of the first",
                    ),
                    ("derivation", path, "what the encoding makes of these bytes"),
                )
                if value is not None
            ),
        ]

    def children() -> Sequence[Node]:
        try:
            return variant_nodes.value_children(page, section, index, span)
        except ParquetError:
            return ()

    return Node(kind, f"{index}", address, span, facts=facts, children=children)


def _value_facts(page: Page, section: Section, index: int) -> Sequence[Fact]:
    if section.name != "values":
        levels = getattr(page, section.name)
        return [
            Fact(
                "level",
                int(levels[index]),
                f"number {index} of the page's {section.name.replace('_', ' ')}",
            )
        ]
    raw = page.physical[index].as_py()
    shown = explain_value(page.chunk.leaf, raw)
    facts = [
        Fact(
            "value",
            shown["logical"],
            f"value {index} of those stored in this page, in the column's logical type",
        ),
        Fact("physical", shown["physical"], "as it is stored"),
        Fact("hex", shown["hex"], "the stored bytes"),
    ]
    if shown.get("note"):
        facts.append(Fact("note", shown["note"], "what is odd about this value"))
    ids = page.dictionary_ids
    if ids is not None:
        dictionary = page.chunk.dictionary_page
        entry = int(ids[index])
        facts.append(
            Fact(
                "dictionary index",
                entry,
                "the entry of the dictionary page that this value points at",
                address=None if dictionary is None else join(dictionary.address, "values", entry),
            )
        )
    return [*facts, *variant_nodes.value_facts(page, index)]


def place(page: Page, section: Section, index: int) -> tuple[Span, str | None, str | None]:
    """The bytes of one level or value in its section's space, its bits where it is smaller, and its derivation."""
    path = []
    found: Step | None = None
    steps = itertools.islice(page.trace(section.name, first=index), STEPS)
    while True:
        step = next((s for s in steps if s.first <= index < s.first + s.count), None)
        if step is None:
            break
        found = step
        path.append(step.label)
        steps = itertools.islice(step.parts, STEPS)
    if found is None:
        return section.span, None, None
    base, space = section.span.start, section.span.space
    width = found.facts.get("bit_width")
    start_bit = found.facts.get("bit_start")
    if width is not None and start_bit is not None and found.count > 1:
        first = start_bit + (index - found.first) * width
        last = first + max(1, width)
        span = Span(base + first // 8, base + (last + 7) // 8, space)
        return span, f"{first % 8} to {first % 8 + width - 1}", " › ".join(path)
    return Span(base + found.start, base + found.end, space), None, " › ".join(path)
