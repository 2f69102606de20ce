"""Nodes inside one stored value of a Variant: header bits, field ids, offsets, and the values in it.

The bytes are those of a `metadata` or `value` column. A `value` needs the names in the `metadata` of its row, which is in
another column: the n-th Variant of the one belongs to the n-th Variant of the other. The spans of the parts are in the page's
bytes if the value is stored there in one piece (plain values, entries of a dictionary), else (prefixes, for example) in the
space `<address of the value>:value`.

A group that has the fields of a Variant without the annotation gets the same nodes one level down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift.structs import PageType, Type, enum_name
from pqexplore.engine.format.variant.byte_parts import VariantPart
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.format.variant.metadata_spans import read_metadata
from pqexplore.engine.format.variant.shape import variant_of
from pqexplore.engine.format.variant.value_spans import read_value
from pqexplore.engine.kind import VARIANT_KINDS, Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.page_sections import Section

JSON_BYTES = 4096
"""Bytes up to which a value is shown as JSON."""


def value_children(page: Page, section: Section, index: int, place: Span) -> Sequence[Node]:
    """The parts of value `index` of a page; empty if the column is no part of a Variant.

    `place` is the span of the value, with the length before it.
    """
    leaf = page.chunk.leaf
    field = variant_of(leaf) if section.name == "values" else None
    if field is None:
        return ()
    raw: bytes = page.physical_part(index, index + 1)[0].as_py()
    address = Address.of(page.address, section.name, index)
    span = _bytes_of(page, index, place, raw) or Span(0, len(raw), f"{address}:value")
    offered = field.kind != "variant"
    below = Address.of(address, "as_variant") if offered else address
    node, facts = _parts(page, index, field, raw, below, span)
    if not offered:
        return node.children
    return [
        Node(
            Kind.POSSIBLE_VARIANT,
            "as a Variant, which the schema does not say it is",
            below,
            span,
            facts=lambda: [*facts, *node.facts],
            children=lambda: node.children,
            state=node.state,
            reason=node.reason,
        )
    ]


def value_facts(page: Page, index: int) -> list[Fact]:
    """The value as JSON, and its header; empty if the column is no part of an annotated Variant."""
    field = variant_of(page.chunk.leaf)
    if field is None or field.kind != "variant":
        return []
    raw: bytes = page.physical_part(index, index + 1)[0].as_py()
    address = Address.of(page.address, "values", index)
    node, facts = _parts(page, index, field, raw, address, Span(0, len(raw), f"{address}:value"))
    broken = [Fact("problem", node.reason, "which rule the bytes break")] if node.reason else []
    return [*facts, *node.facts, *broken]


def _parts(page: Page, index: int, field: Field, raw: bytes, address: Address, span: Span) -> tuple[Node, list[Fact]]:
    """The root of the parts, and facts of the whole value."""
    limits = page.chunk.file.limits
    if page.chunk.leaf.name == "metadata":
        part = read_metadata(raw)
        return to_node(part, address, start=span.start, space=span.space), []
    metadata: bytes | None = None
    facts = list[Fact]()
    try:
        names = _metadata(page, index, field)
        if names is None:
            words = "an entry of a dictionary belongs to no row: its names are in the rows' metadata"
            facts.append(Fact("names", "not known here", words))
        else:
            metadata, where = names
            facts.append(Fact("metadata", len(metadata), "bytes that hold the names", None, where))
    except ParquetError as error:
        facts.append(Fact("names", error.message, "why field names are not known"))
    part = read_value(metadata, raw, limits=limits)
    if metadata is not None and len(raw) <= JSON_BYTES:
        try:
            text = to_json(metadata, raw, limits=limits)
            facts.insert(0, Fact("JSON", text, "the Variant's value"))
        except ParquetError as error:
            facts.insert(0, Fact("JSON", error.message, "why it has none"))
    return to_node(part, address, start=span.start, space=span.space), facts


def _bytes_of(page: Page, index: int, place: Span, raw: bytes) -> Span | None:
    """The span of a value that is stored in one piece; None if it is not."""
    runs = page.id_runs
    if runs is not None:
        dictionary = page.chunk.dictionary_page
        if dictionary is None:
            return None
        entry = runs.at(index)
        section = dictionary.body.section("values")
        span, _, _ = dictionary.structure(section.name).value_span(entry, section.span)
        return _bytes_of(dictionary, entry, span, raw)
    span = Span(place.end - len(raw), place.end, place.space)
    if span.start < place.start or page.chunk.file.bytes(span) != raw:
        return None
    return span


def _metadata(page: Page, index: int, field: Field) -> tuple[bytes, str] | None:
    """The metadata of value `index` of a page, and its address; None if the page is a dictionary."""
    if page.header.type == PageType.DICTIONARY_PAGE:
        return None
    leaf = next((child for child in field.named("metadata") if isinstance(child, Leaf)), None)
    if leaf is None:
        return None
    chunk = page.chunk.row_group.columns[leaf.leaf_index]
    if leaf.physical_type != Type.BYTE_ARRAY:
        stored = enum_name(Type, leaf.physical_type)
        raise CorruptFileError(
            f"the metadata of the Variant is a column of {stored} values, not of BYTE_ARRAY", address=chunk.address
        )
    number = variant_number(page, index, field)
    return value_at(chunk, number, field)


def variant_number(page: Page, index: int, field: Field) -> int:
    """The number, in the chunk, of the Variant of a page's stored value; nulls and empty lists count."""
    entry = index
    levels = page.definition_levels
    if levels is not None:
        there = np.flatnonzero(levels == page.chunk.leaf.max_definition_level)
        entry = int(there[index])
    before = sum(_variants(one, field) for one in page.chunk.pages[: page.index] if one.is_data)
    repetition = page.repetition_levels
    if repetition is None:
        return before + entry
    return before + int(np.count_nonzero(_begins(repetition[: entry + 1], field))) - 1


def _variants(page: Page, field: Field) -> int:
    """The number of Variants that begin in a page."""
    if not page.chunk.leaf.max_repetition_level:
        return page.num_values
    levels = page.repetition_levels
    return 0 if levels is None else int(np.count_nonzero(_begins(levels, field)))


def _begins(levels: np.ndarray, field: Field) -> np.ndarray:
    return levels <= field.max_repetition_level


def value_at(chunk: ColumnChunk, number: int, field: Field) -> tuple[bytes, str] | None:
    """The value of a chunk at entry `number`, and its address; None if it is null or absent.

    The `metadata` leaf repeats as its group does, so its entries are the Variants.
    """
    for page in chunk.pages:
        if not page.is_data:
            continue
        if number >= page.num_values:
            number -= page.num_values
            continue
        levels = page.definition_levels
        if levels is not None:
            there = levels == chunk.leaf.max_definition_level
            if not there[number]:
                return None
            number = int(np.count_nonzero(there[:number]))
        value: bytes = page.physical_part(number, number + 1)[0].as_py()
        return value, Address.of(page.address, "values", number)
    return None


def to_node(part: VariantPart, address: str, *, start: int = 0, space: str = "file") -> Node:
    """The part as a node of the file's tree, its children lazily.

    `start` is where the buffer that was read begins in `space`. Children are addressed by their kind (`…/field_ids`)
    and, inside of ids, offsets, strings and values, by their position (`…/values/3`).
    """

    def facts() -> list[Fact]:
        known = []
        if part.type_name:
            known.append(Fact("type", part.type_name, part.meaning))
        if part.name is not None:
            known.append(Fact("name", part.name, "The field's name, looked up in the metadata."))
        if not part.keys and not part.children and part.value is not None:
            known.append(Fact("value", part.value, part.meaning))
        elif part.kind == "value" and part.value is not None:
            known.append(Fact("elements" if part.items else "value", part.value))
        known += [Fact(bit.name, bit.value, f"{bit.meaning} Bits {bit.first} to {bit.last}.") for bit in part.bits]
        return known

    def child(i: int) -> Node:
        below = part.children[i]
        numbered = below.kind in ("field_id", "field_offset", "offset", "string")
        name: str | int = i if numbered or part.kind == "values" else below.kind
        return to_node(below, Address.of(address, name), start=start, space=space)

    return Node(
        VARIANT_KINDS[part.kind],
        part.label,
        address,
        Span(part.start + start, part.end + start, space),
        facts=facts,
        children=LazySequence(len(part.children), child),
        state="ok" if part.error is None else "corrupt",
        reason="" if part.error is None else part.error.message,
    )
