"""Groups that have the fields of a Variant, but no VARIANT annotation.

Spark 4.0 and Delta write Variants without the annotation. Such a group is read as a struct; the explorer can offer to
read it as a Variant.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#variant
"""

from __future__ import annotations

import pyarrow as pa

from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift.structs import Type

NAMES = frozenset(("metadata", "value", "typed_value"))
"""The fields that a Variant group may have."""


def is_variant_shape(field: Field | pa.Field | pa.DataType) -> bool:
    """Whether a group (`schema.Field`, `pyarrow.Field` or Arrow type) could be a Variant.

    It has a binary `metadata`, a binary `value` or a `typed_value`, and no other field; the fields below `typed_value`
    are not checked.
    """
    if isinstance(field, Field):
        if isinstance(field, Leaf) or field.kind not in ("group", "variant") or len(field.children) > len(NAMES):
            return False
        kinds = {child.name: _is_binary_leaf(child) for child in field.children}
        count = len(field.children)
    else:
        type_ = field.type if isinstance(field, pa.Field) else field
        if not pa.types.is_struct(type_):
            return False
        kinds = {f.name: f.type in (pa.binary(), pa.large_binary()) for f in type_}
        count = type_.num_fields
    if len(kinds) != count or not kinds.keys() <= NAMES or len(kinds) < 2:
        return False
    return kinds.get("metadata", False) and kinds.get("value", True)


def _is_binary_leaf(field: Field) -> bool:
    return (
        isinstance(field, Leaf)
        and field.repetition != 2
        and field.physical_type == int(Type.BYTE_ARRAY)
        and field.logical_type is None
    )


def variant_around(field: Field) -> Field | None:
    """The Variant group, annotated or not, that a field is or is in; None if there is none."""
    around: Field | None = field
    while around is not None and not is_variant(around):
        around = around.parent
    return around


def is_variant(field: Field) -> bool:
    """Whether a field is a Variant group, annotated or not."""
    return field.kind == "variant" or is_variant_shape(field)


def variant_of(leaf: Leaf) -> Field | None:
    """The Variant group, annotated or not, whose bytes the leaf has; None if there is none."""
    if leaf.name not in ("metadata", "value") or leaf.physical_type != Type.BYTE_ARRAY:
        return None
    field = leaf.parent
    if leaf.name == "metadata":
        return field if field is not None and is_variant(field) else None
    while field is not None and not is_variant(field):
        field = field.parent
    return field
