"""Nodes inside one stored value of a Variant: header bits, field ids, offsets, and the values in it.

The bytes are those of a `metadata` or `value` column. A `value` needs the names in the `metadata` of its row, which lies in
another column: entry n of the one belongs to entry n of the other, counted by the Variants that both are part of. The
parts have spans in the page's bytes where the value lies there in one piece: plain values, and entries of a dictionary.
Where an encoding took it apart (prefixes, for one) the spans lie in the space `<address of the value>:value`.

A group that has the shape of a Variant without saying so gets the same parts one level down, as an offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.thrift.structs import PageType, Type
from pqexplore.engine.tree import Fact, Node, Span, join
from pqexplore.engine.variant.json_text import to_json
from pqexplore.engine.variant.metadata_spans import read_metadata
from pqexplore.engine.variant.parts import to_node
from pqexplore.engine.variant.shape import is_variant_shape
from pqexplore.engine.variant.spans import read_value

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.page import Page
    from pqexplore.engine.sections import Section

JSON_BYTES = 4096
"""A value of more bytes than this is not shown as JSON."""


def variant_of(leaf: Leaf) -> Field | None:
    """The group whose Variants the leaf's values are bytes of: annotated, or of the shape; None where they are not."""
    if leaf.name not in ("metadata", "value") or leaf.physical_type != Type.BYTE_ARRAY:
        return None
    field = leaf.parent
    if leaf.name == "metadata":
        return field if field is not None and _is_variant(field) else None
    while field is not None and not _is_variant(field):
        field = field.parent
    return field


def variant_around(field: Field) -> Field | None:
    """The Variant group that a field is, or lies in: annotated, or of the shape; None where there is none."""
    around: Field | None = field
    while around is not None and not _is_variant(around):
        around = around.parent
    return around


def _is_variant(field: Field) -> bool:
    return field.kind == "variant" or is_variant_shape(field)


def value_children(page: Page, section: Section, index: int, place: Span) -> Sequence[Node]:
    """The parts of value `index` of a page; nothing where the column is no part of a Variant.

    `place` is where the value lies, its length before it included.
    """
    leaf = page.chunk.leaf
    field = variant_of(leaf) if section.name == "values" else None
    if field is None:
        return ()
    raw: bytes = page.physical[index].as_py()
    address = join(page.address, section.name, index)
    span = _bytes_of(page, index, place, raw) or Span(0, len(raw), f"{address}:value")
    offered = field.kind != "variant"
    below = join(address, "as_variant") if offered else address
    node, facts = _parts(page, index, field, raw, below, span)
    if not offered:
        return node.children
    return [
        Node(
            "possible_variant",
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
    """The value as JSON, and what its header says; nothing where the column is no part of an annotated Variant."""
    field = variant_of(page.chunk.leaf)
    if field is None or field.kind != "variant":
        return []
    raw: bytes = page.physical[index].as_py()
    address = join(page.address, "values", index)
    node, facts = _parts(page, index, field, raw, address, Span(0, len(raw), f"{address}:value"))
    broken = [Fact("problem", node.reason, "which rule the bytes break")] if node.reason else []
    return [*facts, *node.facts, *broken]


def _parts(
    page: Page, index: int, field: Field, raw: bytes, address: str, span: Span
) -> tuple[Node, list[Fact]]:
    """The root of the parts, and what the whole value says."""
    limits = page.chunk.file.limits
    if page.chunk.leaf.name == "metadata":
        part = read_metadata(raw)
        return to_node(part, address, start=span.start, space=span.space), []
    metadata: bytes | None = None
    facts = list[Fact]()
    try:
        found = _metadata(page, index, field)
        if found is None:
            words = (
                "an entry of a dictionary belongs to no row: its names are in the rows' metadata"
            )
            facts.append(Fact("names", "not known here", words))
        else:
            metadata, where = found
            facts.append(Fact("metadata", len(metadata), "bytes that hold the names", None, where))
    except ParquetError as error:
        facts.append(Fact("names", error.message, "why field names are not known"))
    part = read_value(metadata, raw, limits=limits)
    if metadata is not None and len(raw) <= JSON_BYTES:
        try:
            shown = to_json(metadata, raw, limits=limits)
            facts.insert(0, Fact("JSON", shown, "the Variant's value"))
        except ParquetError as error:
            facts.insert(0, Fact("JSON", error.message, "why it has none"))
    return to_node(part, address, start=span.start, space=span.space), facts


def _bytes_of(page: Page, index: int, place: Span, raw: bytes) -> Span | None:
    """Where the bytes of a value lie in one piece; None where they do not."""
    ids = page.dictionary_ids
    if ids is not None:
        dictionary = page.chunk.dictionary_page
        if dictionary is None:
            return None
        from pqexplore.engine.outline.page_nodes import place as locate

        entry = int(ids[index])
        section = dictionary.body.section("values")
        return _bytes_of(dictionary, entry, locate(dictionary, section, entry)[0], raw)
    span = Span(place.end - len(raw), place.end, place.space)
    if span.start < place.start or page.chunk.file.bytes(span) != raw:
        return None
    return span


def _metadata(page: Page, index: int, field: Field) -> tuple[bytes, str] | None:
    """The metadata that goes with value `index` of a page, and its address; None where the page is a dictionary."""
    if page.header.type == PageType.DICTIONARY_PAGE:
        return None
    leaf = next((child for child in field.named("metadata") if isinstance(child, Leaf)), None)
    if leaf is None:
        return None
    number = variant_number(page, index, field)
    chunk = page.chunk.row_group.columns[leaf.leaf_index]
    return value_at(chunk, number, field)


def variant_number(page: Page, index: int, field: Field) -> int:
    """Which Variant of the chunk (nulls and empty lists counted) a page's stored value belongs to."""
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
    """How many Variants begin in a page."""
    if not page.chunk.leaf.max_repetition_level:
        return page.num_values
    levels = page.repetition_levels
    return 0 if levels is None else int(np.count_nonzero(_begins(levels, field)))


def _begins(levels: np.ndarray, field: Field) -> np.ndarray:
    return levels <= field.max_repetition_level


def value_at(chunk: ColumnChunk, number: int, field: Field) -> tuple[bytes, str] | None:
    """The value of a chunk at entry `number`, and its address; None where there is none.

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
        value: bytes = page.physical[number].as_py()
        return value, join(page.address, "values", number)
    return None
