"""Finds the Variants anywhere in a column, and reconstructs or replaces them.

A Variant group can be at the top or inside structs, lists and maps. `exchange` follows the schema to each of them and
replaces that part of the Arrow array; other parts are not changed.

Specification: https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from pqexplore.engine.format.field import REPEATED, Field, walk
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.limits import DEFAULT, Limits


def unshred(array: pa.Array, field: Field, *, limits: Limits = DEFAULT) -> pa.Array:
    """The column with every Variant in it as `struct<metadata: binary, value: binary>`.

    `array` is the result of `nesting.assembly` for any `field`; without Variants it is returned unchanged. A group whose
    `metadata` was not read is not changed either. Raises as `reconstruct.reconstruct` does.
    """
    return exchange(array, field, lambda whole, node: reconstruct(whole, node, limits=limits))


def exchange(array: pa.Array, field: Field, change: Callable[[pa.StructArray, Field], pa.Array]) -> pa.Array:
    """The column with every Variant array replaced by `change(array, field)`, which must have the same length.

    `array` is as in `unshred`.
    """
    if not any(node.kind == "variant" for node in walk(field)):
        return array
    nodes, parts = _walk(array, field)
    replaced: list[pa.Array] = [None] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        whole, node, repeats = nodes[at]
        if not repeats and node.kind == "variant" and whole.type.get_field_index("metadata") >= 0:
            replaced[at] = change(whole, node)
        else:
            replaced[at] = _exchange(whole, {slot: replaced[index] for slot, index in parts[at]})
            for _, index in parts[at]:
                replaced[index] = None
    return replaced[0]


def variants(array: pa.Array, field: Field) -> Iterator[tuple[pa.StructArray, Field]]:
    """The array and the field of every Variant group in an assembled column, outer ones first.

    Inside lists and maps an array has one entry for each element.
    """
    for whole, node, repeats in _walk(array, field)[0]:
        if not repeats and node.kind == "variant" and whole.type.get_field_index("metadata") >= 0:
            yield whole, node


def inside(array: pa.Array, top: Field, field: Field) -> pa.Array | None:
    """The array of `field` in the assembled array of `top`, which contains it or is the same; None if it was not read.

    Like `variants`, but for a group of any kind, and with the nulls of the structs around it.
    """
    todo: list[tuple[pa.Array, Field, bool]] = [(array, top, _repeats(top))]
    while todo:
        whole, node, repeats = todo.pop()
        if node is field and not repeats:
            return whole
        below = _below(whole, node, repeats)
        if below and pa.types.is_struct(whole.type):
            flat = whole.flatten()
            below = [(flat[i], child, inner) for i, (_, child, inner) in enumerate(below)]
        todo += below
    return None


def _walk(array: pa.Array, field: Field) -> tuple[list[tuple[pa.Array, Field, bool]], list[list[tuple[int, int]]]]:
    """The arrays on the paths to all Variants, and for each its parts: (slot, index of the array in that slot).

    Parents come first, so that a backward loop has the parts before what contains them.
    """
    nodes: list[tuple[pa.Array, Field, bool]] = [(array, field, _repeats(field))]
    parts: list[list[tuple[int, int]]] = []
    at = 0
    while at < len(nodes):
        whole, node, repeats = nodes[at]
        parts.append([])
        for slot, (below, child, inner) in enumerate(_below(whole, node, repeats)):
            if any(one.kind == "variant" for one in walk(child)):
                parts[at].append((slot, len(nodes)))
                nodes.append((below, child, inner))
        at += 1
    return nodes, parts


def _repeats(field: Field) -> bool:
    """Whether the field's own array is a list of it: it is repeated outside of LIST and MAP."""
    return field.repetition == REPEATED and field.list_rule == "unannotated repeated field"


def _below(array: pa.Array, field: Field, repeats: bool) -> list[tuple[pa.Array, Field, bool]]:
    """The arrays inside an array with their fields, by slot; empty if there is nothing to replace below."""
    kind = array.type
    if repeats:
        return [(array.values, field, False)]
    if field.kind == "variant":
        return []
    if pa.types.is_map(kind) and field.list_element is not None:
        key, item = field.list_element.children[:2]
        return [(array.keys, key, _repeats(key)), (array.items, item, _repeats(item))]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = field.list_element if field.list_element is not None else field
        return [(array.values, element, _repeats(element))]
    if pa.types.is_struct(kind):
        below = []
        for slot, child in enumerate(kind):
            named = field.named(child.name)
            # Where a file repeats a name, the n-th field of that name is the n-th child of that name.
            before = sum(kind.field(i).name == child.name for i in range(slot))
            if before < len(named):
                below.append((array.field(slot), named[before], _repeats(named[before])))
        return below if len(below) == kind.num_fields else []
    return []


def _exchange(array: pa.Array, parts: dict[int, pa.Array]) -> pa.Array:
    """The array with some of the arrays inside it replaced by others of the same length."""
    if not parts:
        return array
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [f.with_type(parts[i].type) if i in parts else f for i, f in enumerate(kind)]
        arrays = [parts[i] if i in parts else array.field(i) for i in range(kind.num_fields)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)
    if pa.types.is_map(kind):
        keys, items = parts.get(0, array.keys), parts.get(1, array.items)
        entry = [pa.field(kind.key_field.name, keys.type, nullable=False), kind.item_field.with_type(items.type)]
        values = pa.StructArray.from_arrays([keys, items], fields=entry)
        new = pa.map_(entry[0], entry[1])
    else:
        values = parts[0]
        inner = kind.value_field.with_type(values.type)
        new = pa.large_list(inner) if pa.types.is_large_list(kind) else pa.list_(inner)
    return pa.Array.from_buffers(
        new, len(array), array.buffers()[:2], array.null_count, array.offset, children=[values]
    )
