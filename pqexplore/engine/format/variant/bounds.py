"""Whether the bounds of a column inside a Variant say which values the Variant has.

A `typed_value` column has the values of its type; all others are in the `value` column beside it. So its bounds cover the
Variant's values only if that `value` is always null. `metadata` and `value` hold encoded bytes, which do not compare as
the values do. Groups without the VARIANT annotation are structs, whose columns are read as they are.

Specification: "Data Skipping" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

from pqexplore.engine.format.field import Field, Leaf

ENCODED, VALUES, UNKNOWN = "variant-encoded", "variant-value", "variant-value-unknown"
"""Reasons not to use the bounds of a column inside a Variant."""

WHY = {
    ENCODED: "the column holds encoded Variants, whose bytes do not compare as the values do",
    VALUES: "the column 'value' beside it has values, which these bounds leave out",
    UNKNOWN: "these bounds leave out the column 'value' beside it, and no null count says that it is always null",
}
"""The reasons, as a part of a sentence."""


def typed_group(leaf: Leaf) -> Field | None:
    """The `typed_value` that a leaf is or is in; None for an encoded column, and outside of Variants."""
    if not inside(leaf) or leaf.name in ("metadata", "value"):
        return None
    field: Field | None = leaf
    while field is not None and field.name != "typed_value":
        field = field.parent
    return field


def inside(leaf: Leaf) -> bool:
    """Whether the leaf is in a group that is annotated as VARIANT."""
    return group_of(leaf) is not None


def group_of(leaf: Leaf) -> Field | None:
    """The group annotated as VARIANT that a leaf is in; None outside of Variants."""
    field: Field | None = leaf
    while field is not None and field.kind != "variant":
        field = field.parent
    return field


def value_beside(leaf: Leaf) -> Leaf | None:
    """The `value` column beside a leaf's `typed_value`; None if absent."""
    typed = typed_group(leaf)
    if typed is None or typed.parent is None:
        return None
    return next((one for one in typed.parent.named("value") if isinstance(one, Leaf)), None)


def doubt(null_count: int | None, num_values: int | None) -> str:
    """The reason not to use bounds of `typed_value`, by the counts of `value` beside it; empty if it is always null."""
    if num_values == 0 or (null_count is not None and null_count == num_values):
        return ""
    known = null_count is not None and num_values is not None and 0 <= null_count < num_values
    return VALUES if known else UNKNOWN
