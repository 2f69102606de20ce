"""Computes the facts of a schema's columns once: most files of a lake have the same schema as the file before.

The cache key is the bytes of the schema in the footer, so the next file with the same bytes costs only a look-up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.field import Field, Leaf, logical_type
from pqexplore.engine.format.logical import annotation, describe
from pqexplore.engine.format.ordering import Order, declared_order, type_order
from pqexplore.engine.format.schema import Schema, build
from pqexplore.engine.format.statistics import LEGACY, NEW, doubt
from pqexplore.engine.format.thrift import encode, structs
from pqexplore.engine.format.thrift.structs import ConvertedType, FieldRepetitionType, Type
from pqexplore.engine.format.variant.bounds import inside, typed_group, value_beside
from pqexplore.engine.limits import Limits
from pqexplore.engine.text import clip
from pqexplore.lake.footer_rows.bound_keys import KeyKind
from pqexplore.lake.tables import NAME

KEPT, KEPT_LEAVES = 256, 200_000
"""Max schemas in the cache, and max leaves."""

MOST_BYTES = 4 << 20
"""Max bytes of a schema that is stored whole."""


class LeafFacts:
    """Facts of a column that follow from the schema and the writer's name alone.

    `kind` and `legacy_kind` are how bounds of each generation are read. `distrust`, `legacy_distrust` and
    `legacy_distrust_equal` (if min equals max) are why they are not trustworthy; empty if they are. `encoded_variant`
    is whether values are Variant metadata or values. `value_leaf` is the index of the `value` beside a `typed_value` of a
    Variant, which must be null for bounds to be trustworthy; else None.
    """

    __slots__ = (
        "distrust",
        "encoded_variant",
        "index",
        "kind",
        "legacy_distrust",
        "legacy_distrust_equal",
        "legacy_kind",
        "logical_type",
        "name",
        "needs_nan_count",
        "physical_type",
        "value_leaf",
    )

    def __init__(self, leaf: Leaf, created_by: str | None) -> None:
        self.index = leaf.leaf_index
        self.name = clip(".".join(leaf.path), NAME)
        self.physical_type = structs.enum_name(Type, leaf.physical_type)
        self.logical_type = clip(type_name(leaf), NAME)
        declared, by_type = declared_order(leaf), type_order(leaf)
        self.kind = KeyKind.of(leaf, by_type if declared is None else declared)
        self.legacy_kind = KeyKind.of(leaf, by_type)
        self.needs_nan_count = declared is Order.TOTAL
        value = value_beside(leaf)
        self.value_leaf = None if value is None else value.leaf_index
        self.encoded_variant = inside(leaf) and typed_group(leaf) is None
        self.distrust = doubt(leaf, NEW, created_by, False, 0)[0]
        self.legacy_distrust, self.legacy_distrust_equal = (
            doubt(leaf, LEGACY, created_by, equal, None)[0] for equal in (False, True)
        )


@dataclasses.dataclass(frozen=True)
class SchemaFacts:
    """A schema, its fingerprint, its columns, and its rows of the table `schemas`."""

    schema_id: str
    leaves: tuple[LeafFacts, ...]
    rows: dict[str, list[Any]]


class Schemas:
    """A cache of schemas; the least recently used are dropped."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: OrderedDict[tuple[bytes, tuple[str | None, ...], str | None], SchemaFacts] = OrderedDict()
        self._leaves = 0

    def facts(
        self,
        stored: bytes,
        read: Callable[[], Sequence[structs.SchemaElement]],
        orders: Sequence[object],
        created_by: str | None,
    ) -> SchemaFacts:
        """The facts of a schema; `read` gives its elements if `stored`, its bytes, is not in the cache.

        Raises the errors of `schema.build`.
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


def _order_name(order: object) -> str | None:
    """The field of a ColumnOrder that is set; `footers` has classes of its own for these."""
    return next((name for name in _ORDERS if getattr(order, name, None) is not None), None)


_ORDERS = {field.name: field.struct for field in structs.ColumnOrder.FIELDS}


def _order(name: str | None) -> structs.ColumnOrder:
    kind = _ORDERS.get(name or "")
    if kind is None or name is None:
        return structs.ColumnOrder()
    return structs.union_of(structs.ColumnOrder, name, kind())


def _facts(
    elements: Sequence[structs.SchemaElement], orders: tuple[str | None, ...], created_by: str | None, limits: Limits
) -> SchemaFacts:
    declared = [_order(name) for name in orders]
    schema = build(elements, limits=limits, column_orders=declared)
    digest = hashlib.sha256(repr(orders).encode())
    for element in elements:
        digest.update(encode.encode(element))
    schema_id = digest.hexdigest()[:16]
    leaves = tuple(LeafFacts(leaf, created_by) for leaf in schema.leaves)
    rows: dict[str, list[Any]] = {
        "schema_id": [schema_id] * len(leaves),
        "footer": [_footer(elements, declared), *[None] * (len(leaves) - 1)][: len(leaves)],
    }
    features = _features(schema)
    for leaf, facts in zip(schema.leaves, leaves, strict=True):
        path = leaf.path
        order = orders[leaf.leaf_index] if leaf.leaf_index < len(orders) else None
        values = {
            "leaf": leaf.leaf_index,
            "column_name": facts.name,
            "top_level": clip(path[0], NAME) if path else "",
            "physical_type": facts.physical_type,
            "logical_type": facts.logical_type,
            "type_length": leaf.type_length,
            "field_id": leaf.element.field_id,
            "definition": definition(leaf, leaf.path),
            "max_definition_level": leaf.max_definition_level,
            "max_repetition_level": leaf.max_repetition_level,
            "column_order": order,
            "features": [name for field in _line(leaf) for name in features.get(field.index, ())],
        }
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
    return SchemaFacts(schema_id, leaves, rows)


def _features(schema: Schema) -> dict[int, list[str]]:
    """What readers may refuse or misread, by the index of the field."""
    from pqexplore.insight.doctor.readers.features import of_fields, of_names  # once for each schema

    found: dict[int, list[str]] = {}
    for of in (of_fields, of_names):
        with contextlib.suppress(ParquetError):
            for name, _, address in of(schema):
                found.setdefault(int(address.rpartition("/")[2]), []).append(name)
    return found


def _footer(elements: Sequence[structs.SchemaElement], orders: Sequence[structs.ColumnOrder]) -> bytes | None:
    """A footer with the schema alone; None if it is too large to store."""
    made = encode.encode(
        structs.FileMetaData(
            version=2, schema=list(elements), num_rows=0, row_groups=[], column_orders=list(orders) or None
        )
    )
    return made if len(made) <= MOST_BYTES else None


def _line(field: Field) -> list[Field]:
    """The fields from below the root to this one."""
    found: list[Field] = []
    at: Field | None = field
    while at is not None and at.parent is not None:
        found.append(at)
        at = at.parent
    return found[::-1]


def definition(leaf: Leaf, names: Sequence[str]) -> str:
    """Repetition, name and annotation of each field from below the root to a leaf; `names` are theirs."""
    line = zip(_line(leaf), names, strict=True)
    return clip(" / ".join(_defined(field, name) for field, name in line), 4_000)


def _defined(field: Field, name: str) -> str:
    repetition = structs.enum_name(FieldRepetitionType, field.repetition).lower()
    if isinstance(field, Leaf):
        return f"{repetition} {name} {type_name(field)}"
    return f"{repetition} group {name}{_group_meaning(field)}"


def type_name(leaf: Leaf) -> str:
    """The short name of a leaf's type; equal for all annotations of the same type.

    Converted and logical types have one name already (see `logical`). An INTEGER annotation that adds nothing to the
    physical type is left out (specification, "Signed Integers": INT(32, true) and INT(64, true) "are implied by the
    int32 and int64 primitive types if no other annotation is present").
    """
    found = annotation(leaf)
    if found.name == "INTEGER" and found.signed and found.problem is None:
        if found.bit_width == 32:
            return "INT32"
        if found.bit_width == 64:
            return "INT64"
    return describe(leaf)


def _group_meaning(group: Field) -> str:
    """The annotation of a group, in brackets; empty if absent.

    MAP_KEY_VALUE stands for MAP, and means nothing on the repeated group below a MAP, where old writers put it
    (specification, "Maps", "Backward-compatibility rules").
    """
    element, above = group.element, group.parent
    inside = above is not None and _annotated(above) == "MAP"
    if inside and element.converted_type == ConvertedType.MAP_KEY_VALUE:
        return ""
    meaning = _annotated(group)
    return f" ({meaning})" if meaning else ""


def _annotated(group: Field) -> str:
    stated = structs.union_field(logical_type(group.element))
    if stated is not None:
        return stated[0]
    converted = group.element.converted_type
    return "" if converted is None else structs.enum_name(ConvertedType, converted)
