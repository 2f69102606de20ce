"""What a schema says of its columns, worked out once: most files of a lake have the schema of the file before.

`facts` is asked with the bytes of a schema as they lie in the footer. What it gives is kept under these bytes, so that
the next file with the same ones costs a look-up.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.limits import Limits
from pqexplore.engine.logical import describe
from pqexplore.engine.ordering import Order, declared_order, type_order
from pqexplore.engine.schema import Field, Leaf, build
from pqexplore.engine.statistics import legacy_distrust
from pqexplore.engine.thrift import encode, structs
from pqexplore.engine.thrift.structs import ConvertedType, FieldRepetitionType, Type
from pqexplore.lake.keys import Kind
from pqexplore.lake.tables import clip

KEPT, KEPT_LEAVES = 256, 200_000
"""Schemas, and leaves of schemas, that are kept at once."""


class LeafFacts:
    """What the schema and the writer's name say of a column, whatever its chunks hold.

    `kind` and `legacy_kind` say how bounds of either generation are read; `distrust`, `legacy_distrust` and
    `legacy_distrust_equal` (where min equals max) why they are not to be believed, empty where they are.
    """

    __slots__ = (
        "distrust",
        "index",
        "kind",
        "legacy_distrust",
        "legacy_distrust_equal",
        "legacy_kind",
        "logical_type",
        "name",
        "needs_nan_count",
        "physical_type",
    )

    def __init__(self, leaf: Leaf, created_by: str | None) -> None:
        self.index = leaf.leaf_index
        self.name = clip(".".join(leaf.path)) or ""
        self.physical_type = structs.enum_name(Type, leaf.physical_type)
        self.logical_type = clip(describe(leaf)) or ""
        declared, by_type = declared_order(leaf), type_order(leaf)
        self.kind = Kind.of(leaf, by_type if declared is None else declared)
        self.legacy_kind = Kind.of(leaf, by_type)
        self.needs_nan_count = declared is Order.TOTAL
        if declared is None:
            self.distrust = "no-column-order"
        else:
            self.distrust = "unordered-type" if declared is Order.NONE else ""
        if by_type is Order.NONE:
            self.legacy_distrust = self.legacy_distrust_equal = "unordered-type"
        else:
            self.legacy_distrust = "legacy" if legacy_distrust(leaf, created_by) else ""
            equal = legacy_distrust(leaf, created_by, equal=True)
            self.legacy_distrust_equal = "legacy" if equal else ""


@dataclasses.dataclass(frozen=True)
class SchemaFacts:
    """A schema, its fingerprint, its columns, and its rows of the table `schemas`."""

    schema_id: str
    leaves: tuple[LeafFacts, ...]
    rows: dict[str, list[Any]]


class Schemas:
    """The schemas met so far; those not met for long are forgotten."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: OrderedDict[Any, SchemaFacts] = OrderedDict()
        self._leaves = 0

    def facts(
        self, stored: Any, read: Any, orders: Sequence[Any], created_by: str | None
    ) -> SchemaFacts:
        """The facts of a schema; `read` gives its elements, where those of `stored`, its bytes, are not known yet.

        Raises as `schema.build` does.
        """
        names = tuple(_order_name(order) for order in orders)
        key = (stored, names, created_by)
        found = self._known.get(key)
        if found is None:
            found = _facts(read(), names, created_by, self._limits)
            self._known[key] = found
            self._leaves += len(found.leaves)
            while len(self._known) > 1 and (len(self._known) > KEPT or self._leaves > KEPT_LEAVES):
                _, gone = self._known.popitem(last=False)
                self._leaves -= len(gone.leaves)
        return found


_ORDERS = {field.name: field.struct for field in structs.ColumnOrder.FIELDS}


def _order_name(order: Any) -> str | None:
    for name in _ORDERS:
        if getattr(order, name, None) is not None:
            return name
    return None


def _facts(
    elements: Sequence[Any], orders: tuple[str | None, ...], created_by: str | None, limits: Limits
) -> SchemaFacts:
    declared = [structs.ColumnOrder(**({name: _made(name)} if name else {})) for name in orders]
    schema = build(elements, limits=limits, column_orders=declared)
    digest = hashlib.sha256(repr(orders).encode())
    for element in elements:
        digest.update(encode.encode(element))
    schema_id = digest.hexdigest()[:16]
    leaves = tuple(LeafFacts(leaf, created_by) for leaf in schema.leaves)
    rows: dict[str, list[Any]] = {"schema_id": [schema_id] * len(leaves)}
    for leaf, facts in zip(schema.leaves, leaves, strict=True):
        path = leaf.path
        order = orders[leaf.leaf_index] if leaf.leaf_index < len(orders) else None
        values = {
            "leaf": leaf.leaf_index,
            "column_name": facts.name,
            "top_level": clip(path[0]) if path else "",
            "physical_type": facts.physical_type,
            "logical_type": facts.logical_type,
            "type_length": leaf.type_length,
            "field_id": leaf.element.field_id,
            "definition": clip(" / ".join(_defined(field) for field in _line(leaf)), 4_000),
            "max_definition_level": leaf.max_definition_level,
            "max_repetition_level": leaf.max_repetition_level,
            "column_order": order,
        }
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
    return SchemaFacts(schema_id, leaves, rows)


def _made(name: str) -> Any:
    made = _ORDERS[name]
    assert made is not None
    return made()


def _line(field: Field) -> list[Field]:
    """The fields from below the root to this one."""
    found: list[Field] = []
    at: Field | None = field
    while at is not None and at.parent is not None:
        found.append(at)
        at = at.parent
    return found[::-1]


def _defined(field: Field) -> str:
    repetition = structs.enum_name(FieldRepetitionType, field.repetition).lower()
    if isinstance(field, Leaf):
        return f"{repetition} {field.name} {describe(field)}"
    stated = structs.union_field(field.element.logicalType)
    converted = field.element.converted_type
    if stated is not None:
        meaning = f" ({stated[0]})"
    else:
        meaning = "" if converted is None else f" ({structs.enum_name(ConvertedType, converted)})"
    return f"{repetition} group {field.name}{meaning}"
