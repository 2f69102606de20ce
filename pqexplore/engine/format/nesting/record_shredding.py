"""Shredding: an Arrow array to levels and values of its leaves, the reverse of record assembly, vectorised.

On the way down from the root each node has a table of entries: a repetition level, a definition level, and the slot of
the node's array that the entry stands for, or -1 if a parent is null or empty. A struct sets null slots to -1; a list
also repeats an entry once for each of its elements. At the leaf the table has its levels, and the slots that are not -1
have its values. Nothing below a null is read: in Arrow a null struct can have any children, a null list any length.

Specification: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s, Levels, is_nested
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.nesting.shape import LeafColumn, Shape, level_type, shape


@dataclasses.dataclass(frozen=True, slots=True)
class _Entries:
    """The table of entries at a node; `slot` is -1 for an entry that ended at a parent, None if entry i is slot i."""

    repetition: Levels
    definition: Levels
    slot: Int64s | None


def shred(array: pa.Array, field: Field) -> list[LeafColumn]:
    """The levels and values of every leaf of `field`, in the schema's order.

    `array` has the type that assembly gives for the field; its lists may also be large or of fixed size, its values
    dictionary-encoded or of an extension type (its storage is used), and it may be a slice. Struct children are matched
    by position. Values are Arrow arrays without nulls, in the array's types.

    Raises UsageError if the array does not have the field's shape, or has a null for a required field.
    """
    nodes = shape(field)
    if not nodes:
        return []
    leaves = [node.field for node in nodes if node.kind == "leaf" and isinstance(node.field, Leaf)]
    levels = level_type(max(leaf.max_definition_level for leaf in leaves))
    count = len(array)
    start = _Entries(np.zeros(count, levels), np.zeros(count, levels), None)
    columns: list[LeafColumn] = []
    todo: list[tuple[int, pa.Array, _Entries]] = [(0, array, start)]
    while todo:
        position, array, entries = todo.pop()
        node = nodes[position]
        array = _plain(array)
        entries = _nulls(node, array, entries)
        if node.kind == "leaf" and isinstance(node.field, Leaf):
            columns.append(_column(node.field, array, entries))
            continue
        if node.kind == "struct":
            below = list(_struct_children(node, array))
        else:
            values, entries = _elements(node, array, entries)
            below = [values]
        todo += [(c, a, entries) for c, a in zip(node.children[::-1], below[::-1], strict=True)]
    return columns


def _plain(array: pa.Array) -> pa.Array:
    """The array without dictionaries and extensions."""
    while True:
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        elif pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        else:
            return array


def _nulls(node: Shape, array: pa.Array, entries: _Entries) -> _Entries:
    """End the entries whose slot is null; the others reach the node's definition level."""
    slot, definition = entries.slot, entries.definition
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        if slot is None:
            null = ~valid
            slot = np.where(valid, np.arange(len(valid)), -1)
        else:
            null = slot >= 0
            null[null] = ~valid[slot[null]]
            slot = np.where(null, -1, slot)
        if not node.nullable and null.any():
            raise UsageError(f"{node.name!r} is required and the array has {int(null.sum()):,} nulls")
    if node.nullable:
        definition = definition.copy()
        definition[... if slot is None else slot >= 0] = node.definition_level
    return _Entries(entries.repetition, definition, slot)


def _struct_children(node: Shape, array: pa.Array) -> Iterator[pa.Array]:
    kind = array.type
    if not pa.types.is_struct(kind) or kind.num_fields != len(node.children):
        raise UsageError(f"{node.name!r} is a struct of {len(node.children)} fields with leaves, the array is {kind}")
    for index in range(kind.num_fields):
        yield array.field(index)


def _elements(node: Shape, array: pa.Array, entries: _Entries) -> tuple[pa.Array, _Entries]:
    """The array of all elements, and their entries: one for each element, and one for each empty or null list."""
    kind = array.type
    if pa.types.is_map(kind) and node.kind == "map":
        values = pa.StructArray.from_arrays([array.keys, array.items], names=["key", "value"])
        firsts, lengths = _ranges(array)
    elif node.kind == "list" and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        values = array.values
        firsts, lengths = _ranges(array)
    elif node.kind == "list" and pa.types.is_fixed_size_list(kind):
        values = array.values
        firsts = (np.arange(len(array)) + array.offset) * kind.list_size
        lengths = np.full(len(array), kind.list_size)
    else:
        raise UsageError(f"{node.name!r} is a {node.kind}, the array is {kind}")
    starts, counts = firsts, lengths
    if entries.slot is not None:  # one more, empty, for slot -1
        starts, counts = (np.append(each, 0)[entries.slot] for each in (firsts, lengths))
    full = counts > 0
    copies = np.maximum(counts, 1)
    total = int(copies.sum())
    begins = np.cumsum(copies) - copies  # the new position of each list's first entry
    repetition = np.full(total, node.repetition_level, entries.repetition.dtype)
    repetition[begins] = entries.repetition
    definition = np.repeat(
        np.where(full, node.element_level, entries.definition).astype(entries.definition.dtype), copies
    )
    if full.all() and (starts[1:] == starts[:-1] + counts[:-1]).all():
        return values.slice(int(starts[0]) if total else 0, total), _Entries(repetition, definition, None)
    slot = np.repeat(np.where(full, starts - begins, 0), copies) + np.arange(total)
    slot[begins[~full]] = -1
    return values, _Entries(repetition, definition, slot)


def _ranges(array: pa.Array) -> tuple[Int64s, Int64s]:
    """First element and length of each list (int64); the offsets of a slice count from the start of all elements."""
    offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    return offsets[:-1], np.diff(offsets)


def _column(leaf: Leaf, array: pa.Array, entries: _Entries) -> LeafColumn:
    if is_nested(array.type):
        raise UsageError(f"{leaf.name!r} is a leaf, the array is {array.type}")
    values = array
    if pa.types.is_null(array.type):
        values = pa.nulls(0)
    elif entries.slot is not None:
        slots = entries.slot[entries.slot >= 0]
        if not len(slots):
            values = array.slice(0, 0)
        elif int(slots[-1] - slots[0]) + 1 == len(slots):  # slots only grow, so this is a range
            values = array.slice(int(slots[0]), len(slots))
        else:
            values = array.take(pa.array(slots))
    return LeafColumn(
        leaf,
        entries.definition.astype(level_type(leaf.max_definition_level), copy=False)
        if leaf.max_definition_level
        else None,
        entries.repetition.astype(level_type(leaf.max_repetition_level), copy=False)
        if leaf.max_repetition_level
        else None,
        values,
    )
