"""Groups that look like Variants without saying so.

Spark 4.0 and Delta write Variants without the VARIANT annotation. Such a group is a struct like any other, and is read
as one; what has the shape is offered to the reader as a possible Variant, never assumed.

Source: "Variant Shredding" and "Logical Types", section "VARIANT".
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.thrift.structs import Type

NAMES = frozenset(("metadata", "value", "typed_value"))
"""The fields that a Variant group may have."""


def is_variant_shape(field: Any) -> bool:
    """Whether a group (`schema.Field`, `pyarrow.Field` or Arrow type) could be a Variant.

    It has a binary `metadata`, and a binary `value` or a `typed_value`, and nothing else; what is below typed_value is
    not looked at.
    """
    if isinstance(field, Field):
        if isinstance(field, Leaf) or field.kind not in ("group", "variant"):
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
