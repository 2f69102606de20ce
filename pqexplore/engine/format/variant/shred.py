"""Shreds Variants, for writers.

A plain Arrow type describes the shredding: `int64` stands for integers, a struct for objects with those fields, a list for
arrays. A value that fits goes to `typed_value`, any other to `value`. It fits if it has that type: integers of any width,
decimals of the same scale, other types exactly.

Specification: "Primitive Types", "Arrays" and "Objects" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.format.variant import primitives, variant_types
from pqexplore.engine.format.variant.encode import encode_object
from pqexplore.engine.format.variant.metadata import Metadata
from pqexplore.engine.format.variant.reconstruct import array_elements, object_fields
from pqexplore.engine.format.variant.shredding import dictionaries, primitive_type


@dataclass(slots=True)
class _Node:
    """A group that is being made: its cells, and their contents for `value` and `typed_value`."""

    type: pa.DataType | None
    cells: list[bytes | None]
    owners: list[Metadata]
    children: list[int] = field(default_factory=list)
    value: list[bytes | None] = field(default_factory=list)
    typed: list[Any] = field(default_factory=list)


def shredded_type(schema: pa.DataType) -> pa.DataType:
    """The Arrow type of a Variant group that is shredded by `schema`. Raises UsageError as `shred` does."""
    fields = [pa.field("metadata", pa.binary(), nullable=False), *_pair(schema)]
    return pa.struct(fields)


def _pair(schema: pa.DataType | None) -> list[pa.Field]:
    value = pa.field("value", pa.binary())
    if schema is None or pa.types.is_null(schema):
        return [value]
    return [value, pa.field("typed_value", _typed(schema))]


def _typed(schema: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(schema):
        return pa.struct([pa.field(f.name, pa.struct(_pair(f.type)), nullable=False) for f in schema])
    if pa.types.is_list(schema):
        return pa.list_(pa.field("element", pa.struct(_pair(schema.value_type)), nullable=False))
    if primitive_type(schema) is None:
        raise UsageError(f"a Variant cannot be shredded as {schema}")
    return schema


def shred(array: pa.StructArray, schema: pa.DataType) -> pa.StructArray:
    """Shred a column of Variants, `struct<metadata, value>`: the result has the type `shredded_type(schema)`.

    In `schema` a field of type null gets a column of its own without `typed_value`. Raises UsageError for a type that
    Variants cannot be shredded as, CorruptFileError for a damaged value.
    """
    kind = shredded_type(schema)
    valid = array.is_valid().to_pylist()
    known = dictionaries(array)
    empty = Metadata(variant_types.EMPTY_METADATA, (), False, 1)
    cells = [v if ok else None for v, ok in zip(array.field("value").to_pylist(), valid, strict=True)]
    owners = [known.of(row) if ok else empty for row, ok in enumerate(valid)]
    nodes = [_Node(None if pa.types.is_null(schema) else schema, cells, owners)]
    at = 0
    while at < len(nodes):
        _split(nodes, nodes[at])
        at += 1
    arrays: list[list[pa.Array]] = [[] for _ in nodes]
    for at in range(len(nodes) - 1, -1, -1):
        arrays[at] = _arrays(nodes[at], [arrays[child] for child in nodes[at].children])
    metadata = array.field("metadata").cast(pa.binary()).fill_null(variant_types.EMPTY_METADATA)
    return pa.StructArray.from_arrays([metadata, *arrays[0]], fields=list(kind), mask=array.is_null())


def _split(nodes: list[_Node], node: _Node) -> None:
    """Distribute the cells of a node to `value` and `typed_value`, and append the nodes below it to `nodes`."""
    kind = node.type
    below: list[_Node] = []
    if kind is None:
        node.value = node.cells
    elif pa.types.is_struct(kind):
        below = _split_objects(node, kind)
    elif pa.types.is_list(kind):
        below = _split_arrays(node, kind)
    else:
        for cell in node.cells:
            fits, stored = (False, None) if cell is None else _stored(cell, kind)
            node.typed.append(stored if fits else None)
            node.value.append(None if fits else cell)
    node.children += range(len(nodes), len(nodes) + len(below))
    nodes += below


def _split_objects(node: _Node, kind: pa.StructType) -> list[_Node]:
    """A node for each field of the type; the other fields of an object stay in `value`."""
    below = {f.name: _Node(_below(f.type), [], node.owners) for f in kind}
    for cell, known in zip(node.cells, node.owners, strict=True):
        fields = object_fields(cell, known) if cell is not None else None
        node.typed.append(fields is not None)
        shredded = {known.names[i]: v for i, v in (fields or {}).items() if known.names[i] in below}
        rest = {i: v for i, v in (fields or {}).items() if known.names[i] not in below}
        for name, child in below.items():
            child.cells.append(shredded.get(name))
        node.value.append(cell if fields is None else encode_object(rest, known) if rest else None)
    return list(below.values())


def _split_arrays(node: _Node, kind: pa.ListType) -> list[_Node]:
    """A node for the elements of all arrays."""
    child = _Node(_below(kind.value_type), [], [])
    for cell, known in zip(node.cells, node.owners, strict=True):
        elements = array_elements(cell) if cell is not None else None
        node.typed.append(None if elements is None else len(elements))
        node.value.append(cell if elements is None else None)
        child.cells.extend(elements or [])
        child.owners.extend([known] * len(elements or []))
    return [child]


def _below(type_: pa.DataType) -> pa.DataType | None:
    return None if pa.types.is_null(type_) else type_


def _arrays(node: _Node, below: list[list[pa.Array]]) -> list[pa.Array]:
    """The value and typed_value arrays of a node, from those of its children."""
    value = pa.array(node.value, pa.binary())
    if node.type is None:
        return [value]
    kind = _typed(node.type)
    if pa.types.is_struct(kind):
        structs = [
            pa.StructArray.from_arrays(arrays, fields=list(f.type)) for arrays, f in zip(below, kind, strict=True)
        ]
        mask = pa.array([not t for t in node.typed], pa.bool_())
        if not structs:
            return [value, pa.array([{} if t else None for t in node.typed], kind)]
        return [value, pa.StructArray.from_arrays(structs, fields=list(kind), mask=mask)]
    if pa.types.is_list(kind):
        offsets, total = [], 0
        for count in node.typed:
            offsets.append(total if count is not None else None)
            total += count or 0
        elements = pa.StructArray.from_arrays(below[0], fields=list(kind.value_type))
        return [value, pa.ListArray.from_arrays(pa.array([*offsets, total], pa.int32()), elements, type=kind)]
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return [value, pa.array(node.typed, pa.int64()).cast(kind)]
    if pa.types.is_date(kind):
        return [value, pa.array(node.typed, pa.int32()).cast(kind)]
    return [value, pa.array(node.typed, kind)]


def _stored(cell: bytes, kind: pa.DataType) -> tuple[bool, Any]:
    """Whether an encoded value fits a type, and its value for `pyarrow.array` (dates and times as integers)."""
    if not cell:
        raise CorruptFileError("a Variant value is empty; it needs a header byte", offset=0)
    basic, header = cell[0] & 3, cell[0] >> 2
    wanted = primitive_type(kind)
    if basic == variant_types.SHORT_STRING:
        return (True, primitives.text(cell, 1, len(cell))) if wanted == variant_types.STRING else (False, None)
    if basic != variant_types.PRIMITIVE or header >= len(variant_types.PRIMITIVES):
        return False, None
    if header == variant_types.FALSE:
        header = variant_types.TRUE
    same = header == wanted
    if wanted in variant_types.INTEGER_BYTES:
        same = header in variant_types.INTEGER_BYTES
    elif wanted in variant_types.DECIMAL_BYTES:
        same = header in variant_types.DECIMAL_BYTES
    if not same:
        return False, None
    try:
        if wanted in (variant_types.DATE, variant_types.TIME) or pa.types.is_timestamp(kind):
            return True, int.from_bytes(cell[1:], "little", signed=True)
        value = primitives.decode(cell, 0, len(cell))
    except (IndexError, struct.error, ValueError):
        raise CorruptFileError("a Variant value ends too early", offset=0) from None
    if wanted in variant_types.INTEGER_BYTES:
        return -1 <= value >> kind.bit_width - 1 <= 0, value
    if wanted in variant_types.DECIMAL_BYTES:
        digits = value.as_tuple()
        return -digits.exponent == kind.scale and len(digits.digits) <= kind.precision, value
    return True, value.bytes if wanted == variant_types.UUID else value
