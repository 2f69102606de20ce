"""Variant columns in a table: each shredded group becomes `struct<metadata, value>`, wherever it is nested."""

from __future__ import annotations

import pyarrow as pa

from pqexplore.engine.errors import LimitExceededError
from pqexplore.engine.schema import Field, walk

DEPTH = 200
"""A Variant nested deeper than this in lists and structs is refused."""


def unshred(array: pa.Array, field: Field) -> pa.Array:
    """`array`, the records of `field`, with every Variant in it reconstructed.

    Raises CorruptFileError where a shredding is invalid and the specification says that readers fail.
    """
    variants = [one for one in walk(field) if one.kind == "variant"]
    if not variants:
        return array
    deepest = max(one.depth for one in variants)
    if deepest > DEPTH:
        raise LimitExceededError(
            f"a Variant is nested {deepest} deep in the schema, at most {DEPTH} are followed",
            address=f"schema/{field.index}",
        )
    above = {id(field)}
    for one in variants:
        node: Field | None = one
        while node is not None and node is not field:
            above.add(id(node))
            node = node.parent
    return _replace(array, field, above)


def _replace(array: pa.Array, field: Field, above: set[int]) -> pa.Array:
    from pqexplore.engine.variant.reconstruct import reconstruct

    kind = array.type
    if pa.types.is_list(kind) and (field.kind == "list" or field.repetition == 2):
        element = field.list_element if field.list_element is not None else field
        if field.kind != "list":  # a repeated field is a list of itself
            values = _below(array.values, field, above)
        else:
            values = _replace(array.values, element, above)
        made = pa.list_(kind.value_field.with_type(values.type))
        return pa.Array.from_buffers(
            made, len(array), array.buffers()[:2], array.null_count, array.offset, [values]
        )
    if pa.types.is_map(kind):
        return _replace_map(array, field, above)
    if field.kind == "variant":
        return reconstruct(array, field)
    return _below(array, field, above)


def _replace_map(array: pa.Array, field: Field, above: set[int]) -> pa.Array:
    group = field.list_element
    if group is None or len(group.children) < 2 or id(group.children[1]) not in above:
        return array
    items = _replace(array.items, group.children[1], above)
    kind = array.type
    made = pa.map_(kind.key_field, kind.item_field.with_type(items.type))
    entries = pa.StructArray.from_arrays(
        [array.keys, items], fields=[made.key_field, made.item_field]
    )
    return pa.Array.from_buffers(
        made, len(array), array.buffers()[:2], array.null_count, array.offset, [entries]
    )


def _below(array: pa.Array, field: Field, above: set[int]) -> pa.Array:
    """A struct with those of its fields replaced that hold a Variant."""
    from pqexplore.engine.variant.reconstruct import reconstruct

    if field.kind == "variant":
        return reconstruct(array, field)
    if not pa.types.is_struct(array.type):
        return array
    by_name = {child.name: child for child in field.children if id(child) in above}
    arrays, fields = [], []
    for position, described in enumerate(array.type):
        child = array.field(position)
        if described.name in by_name:
            child = _replace(child, by_name[described.name], above)
        arrays.append(child)
        fields.append(described.with_type(child.type))
    return pa.Array.from_buffers(
        pa.struct(fields), len(array), array.buffers()[:1], array.null_count, 0, arrays
    )
