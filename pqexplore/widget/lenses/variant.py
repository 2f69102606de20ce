"""A Variant opened: names, value tree, header bits, and the reconstruction of what was shredded."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.outline.variant_nodes import variant_around, variant_number
from pqexplore.engine.schema import Field
from pqexplore.engine.tree import Node
from pqexplore.insight import variant
from pqexplore.insight.answer import Answer
from pqexplore.widget.places import CHUNK, chunk_at, in_page, page_at

TITLE = "Variant"
FIRST = frozenset(
    f"variant_{kind}"
    for kind in (
        *("value", "header", "length", "data", "scale", "unscaled", "num_elements", "values"),
        *("field_ids", "field_id", "field_offsets", "field_offset", "metadata", "unread"),
        *("dictionary_size", "offsets", "offset", "strings", "string"),
    )
) | {"possible_variant"}


def applies(node: Node) -> bool:
    """Groups of the schema that are, or look like, Variants, their columns, their values, and the parts of these."""
    if node.kind in FIRST:
        return True
    if node.kind == "schema_field":
        shapes = ("Variant", "perhaps a Variant")
        return any(fact.name == "shape" and fact.value in shapes for fact in node.facts)
    if node.kind == "column_chunk":
        return node.state == "ok" and any(fact.name == "part of Variant" for fact in node.facts)
    return node.kind == "value" and any(
        child.kind.startswith("variant_") or child.kind == "possible_variant"
        for child in node.children[:1]
    )


def answer(file: Any, node: Node) -> Answer:
    """The Variant that the node is of, or the first one of its row group."""
    field, group = _place(file, node)
    entry = None
    if in_page(node.address):
        page = page_at(file, node.address)
        name, _, index = node.address.removeprefix(page.address).strip("/").partition("/")
        index = index.partition("/")[0]
        if page.is_data and name == "values" and index.isdecimal():
            entry = variant_number(page, int(index), field)
    return variant.answer(file, field, group, entry)


def cost(file: Any, node: Node) -> int:
    """Bytes of the columns of the Variant in its row group."""
    return variant.cost(file, *_place(file, node))


def row(file: Any, address: str, row_group: int, row: int) -> dict[str, Any]:
    """One row of the Variants of the schema's field at `address`."""
    name = address.removeprefix("schema/")
    if not name.isdecimal() or int(name) >= len(file.schema.fields):
        raise UsageError(f"{address!r} is no field of the schema")
    return variant.row_payload(
        variant.load(file, _field(file.schema.fields[int(name)]), row_group), row
    )


OPS = {"variant_row": row}


def _place(file: Any, node: Node) -> tuple[Field, int]:
    """The Variant group and the row group that a node belongs to."""
    match = CHUNK.match(node.address)
    if match is None:
        return _field(file.schema.fields[int(node.name)]), variant.first_group(file)
    return _field(chunk_at(file, node.address).leaf), int(match[1])


def _field(field: Field) -> Field:
    found = variant_around(field)
    if found is None:
        raise UsageError(f"{'.'.join(field.path)} is no part of a Variant")
    return found
