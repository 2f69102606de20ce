"""The schema: the footer's list of elements as a tree of fields, with maximum levels and the LIST and MAP rules.

The footer has the tree as a list in depth-first order, in which each element says how many children follow. `build`
makes the tree. Each field gets two maximum levels: the definition level counts the optional and repeated fields of its
path, the repetition level the repeated ones. Groups annotated LIST or MAP add fields that are not in the data; five
rules decide which (`list_rules`). `Field.kind`, `Field.list_rule` and `Field.list_element` have the result.

Nothing here recurses: a schema can be a thousand levels deep.

Specification: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, ParquetError, UndefinedNumberError
from pqexplore.engine.format.field import OPTIONAL, REPEATED, REQUIRED, Field, Leaf, Orders
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, SchemaElement, Type
from pqexplore.engine.handle import Handle
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.text import clip, name, plural, printable

# Which groups of a schema are lists and maps, in the format's way and in older ways to write them.
#
# The annotation of a group says that it is a list. Five rules then decide, by the form of the repeated field, which field
# is the element. `field.LIST_RULES` has a sentence for each outcome.
#
# Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types

_CONVERTED: dict[int | None, str] = {
    ConvertedType.LIST: "LIST",
    ConvertedType.MAP: "MAP",
    ConvertedType.MAP_KEY_VALUE: "MAP_KEY_VALUE",
}


def _annotation(element: SchemaElement) -> str | None:
    """LIST, MAP, MAP_KEY_VALUE, VARIANT or None; the logical type takes precedence over the converted type."""
    logical = structs.union_field(element.logicalType)
    if logical is not None:
        return logical[0] if logical[0] in ("LIST", "MAP", "VARIANT") else None
    return _CONVERTED.get(element.converted_type)


def classify(field: Field) -> None:
    """Set `kind`, `list_rule` and `list_element` of a field; its parent must be classified before."""
    parent = cast("Field", field.parent)
    repeats = field.repetition == REPEATED and parent.kind in ("list", "map")
    if field.kind == "leaf":
        if field.repetition == REPEATED and not repeats:
            field.list_rule = "unannotated repeated field"
        return
    annotation = _annotation(field.element)
    if repeats and parent.kind == "map":
        annotation = None  # key_value groups often carry MAP_KEY_VALUE, or MAP, too
    if annotation == "LIST":
        _classify_list(field)
    elif annotation in ("MAP", "MAP_KEY_VALUE"):
        _classify_map(field, annotation, stands_alone=not repeats)
    elif annotation == "VARIANT":
        field.kind = "variant"
    if field.repetition == REPEATED and not repeats and field.list_rule is None:
        field.list_rule = "unannotated repeated field"


def _classify_list(field: Field) -> None:
    if len(field.children) != 1 or field.children[0].repetition != REPEATED:
        field.list_rule = "LIST ignored"
        return
    repeated = field.children[0]
    if repeated.kind != "leaf" and not repeated.children:
        field.list_rule = "LIST ignored"
        return
    field.kind = "list"
    field.list_rule, field.list_element = _element(field, repeated)


def _element(group: Field, repeated: Field) -> tuple[str, Field]:
    """The rule that decides the element of a list, and the element (specification, "Lists", backward compatibility)."""
    if repeated.kind == "leaf":
        return "two-level repeated field", repeated
    if len(repeated.children) > 1:
        return "two-level group of several fields", repeated
    if repeated.children[0].repetition == REPEATED:
        return "two-level group with a repeated field", repeated
    if repeated.name == "array":
        return "two-level group named array", repeated
    if repeated.name == group.name + "_tuple":
        return "two-level group named after the list", repeated
    return "three-level", repeated.children[0]


def _classify_map(field: Field, annotation: str, *, stands_alone: bool) -> None:
    children = field.children
    if len(children) == 1 and children[0].repetition == REPEATED:
        entries = children[0]
        if len(entries.children) == 2:
            field.kind = "map"
            field.list_rule = "map" if annotation == "MAP" else "MAP_KEY_VALUE in place of MAP"
            field.list_element = entries
            return
        if len(entries.children) == 1:
            field.kind = "map"
            field.list_rule = "map without values"
            field.list_element = _element(field, entries)[1]
            return
    if (
        annotation == "MAP_KEY_VALUE"
        and stands_alone
        and field.repetition == REPEATED
        and len(children) == 2
        and children[0].repetition != REPEATED
    ):
        field.kind = "map"
        field.list_rule = "MAP_KEY_VALUE without a group around"
        field.list_element = field
        return
    field.list_rule = "MAP ignored"


class Schema(Handle):
    """The tree: `root`, `fields` in the order of the footer's elements, `leaves` in the order of the column chunks."""

    __slots__ = ("_dotted", "fields", "leaves", "root")

    INTERNAL = frozenset({"dotted", "no_column"})

    def __init__(self, root: Field, fields: list[Field], leaves: list[Leaf]) -> None:
        self.root = root
        self.fields = fields
        self.leaves = leaves
        self._dotted: list[str] | None = None

    @property
    def dotted(self) -> list[str]:
        """The path of each leaf, joined by dots."""
        if self._dotted is None:
            self._dotted = [".".join(leaf.path) for leaf in self.leaves]
        return self._dotted

    def fields_at(self, path: str | Sequence[str]) -> list[Field]:
        """Every field at a path: a tuple of names, or names joined by dots.

        Names can contain dots and can be repeated, so there can be several; empty if there is no such field.
        """
        if not isinstance(path, str):
            fields = [self.root]
            for name in path:
                fields = [child for field in fields for child in field.named(name)]
            return fields if path else []
        parts = path.split(".")
        result: list[Field] = []
        todo = [(self.root, 0)]
        while todo:
            field, start = todo.pop()
            if start == len(parts):
                result.append(field)
                continue
            if field.children:
                for stop in range(start + 1, len(parts) + 1):
                    todo += [(child, stop) for child in field.named(".".join(parts[start:stop]))]
        return sorted(result, key=lambda field: field.index)

    def leaf(self, path: str | Sequence[str]) -> Leaf:
        """The leaf at a path. Raises KeyError if there is none, and if there are several."""
        fields = self.fields_at(path)
        leaves = [field for field in fields if isinstance(field, Leaf)]
        if not leaves:
            raise KeyError(self.no_column(path, fields[0].leaves() if fields else None))
        if len(leaves) > 1:
            columns = ", ".join(f"{leaf.leaf_index} {leaf.path}" for leaf in leaves[:5])
            raise KeyError(f"{path!r} is ambiguous: columns {columns}; take one by its index")
        return leaves[0]

    def no_column(self, path: str | Sequence[str], below: Sequence[Leaf] | None = None) -> str:
        """Says that there is no column at a path, and which columns there are; `below` are those of the group there."""
        name = clip(printable(repr(path if isinstance(path, str) else tuple(path))), NAME)
        if below is not None:
            return f"no column {name}: it is a group, of columns {listed(below)}"
        return f"no column {name}; columns are {listed(self.leaves)}"

    def __repr__(self) -> str:
        return printable(
            f"<Schema {self.root.name!r}, {len(self.fields)} fields, {len(self.leaves)} columns: {listed(self.leaves)}>"
        )


LISTED, NAME = 10, 60
"""Columns that an error lists, and characters of a name."""


def listed(leaves: Sequence[Leaf]) -> str:
    """The dotted paths of the first leaves, and how many there are."""
    names = [clip(printable(".".join(leaf.path)), NAME) for leaf in leaves[:LISTED]]
    more = f", … ({len(leaves):,} in all)" if len(leaves) > LISTED else ""
    return (", ".join(names) or "none") + more


LAST_TYPE = int(max(Type))
"""The highest number of a physical type."""


def build(
    elements: Sequence[SchemaElement] | None,
    *,
    limits: Limits = DEFAULT,
    column_orders: Sequence[structs.ColumnOrder] | Orders | None = None,
) -> Schema:
    """Make the tree of a footer's schema elements.

    `column_orders` are the footer's, one for each leaf, or a function that gives them.

    Raises CorruptFileError, with the address `schema/INDEX` of the element, if the elements do not make one tree, or if
    levels cannot be computed (no root, counts of children that do not add up, a missing name, an unknown repetition);
    LimitExceededError for too many elements and for nesting that is too deep. Damage of a single leaf is its `defect`.
    """
    if not elements:
        raise CorruptFileError("the schema has no elements; it needs at least the root", address="schema")
    limits.check("schema_elements", len(elements), "the schema", address="schema")
    orders = column_orders if callable(column_orders) else lambda: column_orders
    fields: list[Field] = []
    leaves: list[Leaf] = []
    unfinished: list[tuple[Field, list[Field], int]] = []  # a group, its children so far, and how many it has in all
    for index, element in enumerate(elements):
        while unfinished and len(unfinished[-1][1]) == unfinished[-1][2]:
            unfinished.pop()
        if index and not unfinished:
            raise CorruptFileError(
                f"element {index:,} of the schema has no parent: by num_children, the tree is complete after {index:,} of {len(elements):,} elements",
                address=Address.of("schema", index),
            )
        children = _checked(element, index, len(elements) - index - 1)
        parent = unfinished[-1][0] if index else None
        field: Field
        below: list[Field] = []
        if parent is None or children or element.type is None:
            field = Field(element, index, parent)
            field.children = below
        else:
            field = Leaf(element, index, parent, len(leaves), orders)
            leaves.append(field)
        if field.depth > limits.schema_depth:
            limits.check("schema_depth", field.depth, "the schema's depth", address=Address.of("schema", index))
        if parent is not None:
            unfinished[-1][1].append(field)
            field.defect = parent.defect or _defect(field)
        if not isinstance(field, Leaf):
            unfinished.append((field, below, children))
        fields.append(field)
    while unfinished and len(unfinished[-1][1]) == unfinished[-1][2]:
        unfinished.pop()
    if unfinished:
        group, below, children = unfinished[-1]
        raise CorruptFileError(
            f"the schema ends early: group {name(group.name)} has {children:,} children, {len(below):,} are there",
            address=Address.of("schema", group.index),
        )
    for field in fields[1:]:
        classify(field)
    return Schema(fields[0], fields, leaves)


def _checked(element: SchemaElement, index: int, rest: int) -> int:
    """The number of children. Raises CorruptFileError if name, number of children or repetition is wrong."""
    if element.name is None:
        raise CorruptFileError("a schema element has no name, a required field", address=Address.of("schema", index))
    children = element.num_children or 0
    if not 0 <= children <= rest:
        raise CorruptFileError(
            f"group {name(element.name)} has {children:,} children by its num_children, and {plural(rest, 'element')} {'follows' if rest == 1 else 'follow'}",
            address=Address.of("schema", index),
        )
    if index and element.repetition_type not in (None, REQUIRED, OPTIONAL, REPEATED):
        raise CorruptFileError(
            f"field {name(element.name)} has repetition {element.repetition_type}; "
            "0 (required), 1 (optional) and 2 (repeated) exist, and levels depend on it",
            address=Address.of("schema", index),
        )
    return int(children)


def _defect(field: Field) -> ParquetError | None:
    """The error that makes a leaf unreadable, None if there is none."""
    if not isinstance(field, Leaf):
        return None
    address = Address.of("schema", field.index)
    if not 0 <= field.physical_type <= LAST_TYPE:
        return UndefinedNumberError(
            f"column {name(field.path)} has the physical type {field.physical_type}, and the format has 0 to {LAST_TYPE}",
            address=address,
        )
    if field.physical_type == Type.FIXED_LEN_BYTE_ARRAY and (field.type_length is None or field.type_length < 0):
        length = "no type_length" if field.type_length is None else f"type_length {field.type_length}"
        return CorruptFileError(f"column {name(field.path)} is FIXED_LEN_BYTE_ARRAY and has {length}", address=address)
    return None
