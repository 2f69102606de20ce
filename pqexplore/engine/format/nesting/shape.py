"""The shape of a field in Arrow: the schema's tree without the groups that only repeat.

Parquet writes a list as up to three nested fields, Arrow as one. `shape` folds them: each node is a leaf, a struct, a
list or a map, with the levels at which it is present. Assembly and shredding visit the nodes forwards (parents first) or
backwards (children first), so that neither needs to recurse. Names and nullability are those that pyarrow gives: the
element of a list has its name in the file; a repeated field that is its own element keeps its name.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Levels
from pqexplore.engine.format.field import OPTIONAL, REPEATED, Field, Leaf


@dataclasses.dataclass(frozen=True, slots=True)
class LeafColumn:
    """A leaf's data over whole records.

    - `definition_levels`, `repetition_levels`: unsigned integers, one for each value, nulls included; None if the leaf's
      maximum is 0.
    - `values`: an Arrow array without nulls: the values at the maximum definition level, in order.
    """

    leaf: Leaf
    definition_levels: Levels | None
    repetition_levels: Levels | None
    values: pa.Array


def level_type(maximum: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest numpy type that holds levels up to `maximum`."""
    if maximum < 1 << 8:
        return np.uint8
    return np.uint16 if maximum < 1 << 16 else np.uint32


@dataclasses.dataclass(slots=True)
class Shape:
    """A node.

    - `kind`: leaf, struct, list or map. A list has one child, its element; a map has one child, a struct of key and
      value.
    - `definition_level`: at this level or above the node is not null (if it is `nullable`).
    - `element_level`, `repetition_level`: for a list or a map, the minimum definition level of an element, and the
      repetition level of each element but the first.
    - `children`, `parent`: positions in the list of nodes; `first`, `stop`: the range of selected leaves below.
    """

    kind: str
    field: Field
    name: str
    nullable: bool
    definition_level: int
    parent: int
    element_level: int = 0
    repetition_level: int = 0
    children: list[int] = dataclasses.field(default_factory=list)
    first: int = 0
    stop: int = 0


def shape(field: Field, selected: Container[int] | None = None) -> list[Shape]:
    """The nodes of a field, parents first; `selected` holds the leaf indexes to keep (None: all).

    Nodes without a selected leaf are left out. A map with only its keys or only its values selected is a list of
    structs. The result is empty if no leaf is selected.
    """
    nodes: list[Shape] = []
    todo: list[tuple[Field, int, bool]] = [(field, -1, False)]
    while todo:
        field, parent, is_element = todo.pop()
        node, below = _fold(field, parent, is_element)
        position = len(nodes)
        nodes.append(node)
        if parent >= 0:
            nodes[parent].children.append(position)
        if node.kind == "map":
            entries = Shape("struct", field, node.name, False, node.element_level, position)
            nodes.append(entries)
            node.children.append(position + 1)
            position += 1
        todo.extend((child, position, whole) for child, whole in reversed(below))
    return _prune(nodes, selected)


def _fold(field: Field, parent: int, is_element: bool) -> tuple[Shape, list[tuple[Field, bool]]]:
    """The node of a field, and the fields below it, each with whether it is the element of this node."""
    level = field.max_definition_level
    element = field.list_element
    alone = element is field  # a map whose repeated group has no group around it
    if field.repetition == REPEATED and not is_element and not alone:
        node = Shape("list", field, field.name, False, level - 1, parent)
        node.element_level, node.repetition_level = level, field.max_repetition_level
        return node, [(field, True)]
    nullable = field.repetition == OPTIONAL
    if isinstance(field, Leaf):
        return Shape("leaf", field, field.name, nullable, level, parent), []
    if field.kind not in ("list", "map") or element is None:
        node = Shape("struct", field, field.name, nullable, level, parent)
        return node, [(child, False) for child in field.children]
    repeated = field if alone else field.children[0]
    kind = "list" if field.list_rule == "map without values" else field.kind
    node = Shape(kind, field, field.name, nullable, level - alone, parent)
    node.element_level = repeated.max_definition_level
    node.repetition_level = repeated.max_repetition_level
    if kind == "map":
        return node, [(child, False) for child in repeated.children]
    return node, [(element, element is repeated)]


def _prune(nodes: list[Shape], selected: Container[int] | None) -> list[Shape]:
    """Drop nodes without selected leaves, and renumber the others."""
    keep = [False] * len(nodes)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if isinstance(node.field, Leaf) and node.kind == "leaf":
            keep[position] = selected is None or node.field.leaf_index in selected
        else:
            keep[position] = any(keep[child] for child in node.children)
    moved = {old: new for new, old in enumerate(i for i, kept in enumerate(keep) if kept)}
    result = [node for node, kept in zip(nodes, keep, strict=True) if kept]
    for node in result:
        node.children = [moved[child] for child in node.children if child in moved]
        node.parent = moved.get(node.parent, -1)
    leaves = 0
    for node in result:
        node.first = leaves
        leaves += node.kind == "leaf"
        if node.kind == "map" and len(result[node.children[0]].children) != 2:
            node.kind = "list"
    for position in range(len(result) - 1, -1, -1):
        node = result[position]
        node.stop = result[node.children[-1]].stop if node.children else node.first + 1
    return result


def named(node: Shape, kind: pa.DataType) -> pa.Field:
    """The Arrow field of a node; the null type is always nullable."""
    return pa.field(node.name, kind, node.nullable or pa.types.is_null(kind))


def data_type(node: Shape, children: list[pa.Field]) -> pa.DataType:
    """The Arrow type of a struct, list or map, from the Arrow fields of its children."""
    if node.kind == "struct":
        return pa.struct(children)
    if node.kind == "map":
        key, value = children[0].type
        return pa.map_(key.with_nullable(False), value)
    return pa.list_(children[0])


def arrow_field(
    field: Field, leaf_type: Callable[[Leaf], pa.DataType], selected: Container[int] | None = None
) -> pa.Field | None:
    """The Arrow field that assembling `field` gives; None if it has no (selected) leaf."""
    nodes = shape(field, selected)
    arrow_fields: list[pa.Field] = [None] * len(nodes)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if isinstance(node.field, Leaf) and node.kind == "leaf":
            kind = leaf_type(node.field)
        else:
            kind = data_type(node, [arrow_fields[child] for child in node.children])
        arrow_fields[position] = named(node, kind)
    return arrow_fields[0] if arrow_fields else None
