"""The schema: a flat list of elements read as a tree of fields, with the levels and the legacy LIST and MAP rules.

The footer has the tree as a list in depth-first order, each element saying how many children follow. `build` hangs it
up again. On the way down each field gets its two maximum levels: a definition level for every optional or repeated
field of its path, a repetition level for every repeated one. Groups annotated LIST or MAP add fields that are not in
the data; which of them are, five rules decide (`list_rules`). The outcome is told by `Field.kind`,
`Field.list_rule` and `Field.list_element`.

Nothing here recurses: a schema may be a thousand levels deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.list_rules import classify
from pqexplore.engine.logical import Annotation, logical_type
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import FieldRepetitionType, SchemaElement, Type

REQUIRED = int(FieldRepetitionType.REQUIRED)
OPTIONAL = int(FieldRepetitionType.OPTIONAL)
REPEATED = int(FieldRepetitionType.REPEATED)

Orders: TypeAlias = Callable[[], "Sequence[structs.ColumnOrder] | None"]
"""The footer's `column_orders`, when they are asked for."""

LIST_RULES = {
    "three-level": "Rule 5: the repeated group only repeats; its one field is the element.",
    "two-level repeated field": "Rule 1: the repeated field is no group; it is the element.",
    "two-level group of several fields": "Rule 2: the repeated group has several fields; it is the element.",
    "two-level group with a repeated field": "Rule 3: the one field of the repeated group is repeated; the group is the element.",
    "two-level group named array": "Rule 4: the repeated group is named array; it is the element, a struct of one field.",
    "two-level group named after the list": "Rule 4: the repeated group has the list's name and _tuple; it is the element, a struct of one field.",
    "unannotated repeated field": "Without LIST, a repeated field is a required list of required elements.",
    "map": "The repeated group has the key and the value, told by position.",
    "map without values": "The repeated group has only a key: a set of keys, read as a list.",
    "MAP_KEY_VALUE in place of MAP": "Outside a MAP, MAP_KEY_VALUE means MAP.",
    "MAP_KEY_VALUE without a group around": "The repeated group of keys and values stands without a MAP group around it.",
    "LIST ignored": "The group is annotated LIST and does not have a single repeated field; it is read as the group it is.",
    "MAP ignored": "The group is annotated MAP and does not hold one repeated group of a key and a value; it is read as the group it is.",
}
"""What each value of `Field.list_rule` means."""


class Field:
    """A node of the schema.

    - `element`, `index`: the `SchemaElement` and its position in the footer's list; `parent`, `children`, `depth` (the
      root has 0).
    - `repetition`: 0 required, 1 optional, 2 repeated. The root counts as required, and so does a field that does not say.
    - `max_definition_level`, `max_repetition_level`: how many fields from below the root to here, this one included,
      are not required, and how many are repeated.
    - `kind`: leaf, group, list, map or variant. `list_rule`: by which rule, a key of `LIST_RULES`, or None.
      `list_element`: for a list, the field that is its element; for a map, its repeated group.
    - `defect`: what makes this field unreadable while the rest of the schema stands, its ancestors' defects included.
    """

    __slots__ = (
        "_by_name",
        "children",
        "defect",
        "depth",
        "element",
        "index",
        "kind",
        "list_element",
        "list_rule",
        "max_definition_level",
        "max_repetition_level",
        "name",
        "parent",
        "repetition",
    )

    def __init__(self, element: SchemaElement, index: int, parent: Field | None) -> None:
        self.element = element
        self.index = index
        self.parent = parent
        self.children: Sequence[Field] = ()
        self.name: str = element.name
        self.kind = "group"
        self.list_rule: str | None = None
        self.list_element: Field | None = None
        self.defect: ParquetError | None = None
        self._by_name: dict[str, list[Field]] | None = None
        if parent is None:
            self.repetition = REQUIRED
            self.depth = self.max_definition_level = self.max_repetition_level = 0
            return
        stated = element.repetition_type
        self.repetition = REQUIRED if stated is None else int(stated)
        self.depth = parent.depth + 1
        self.max_definition_level = parent.max_definition_level + (self.repetition != REQUIRED)
        self.max_repetition_level = parent.max_repetition_level + (self.repetition == REPEATED)

    @property
    def path(self) -> tuple[str, ...]:
        """Names from below the root to here; the root's path is empty."""
        names = []
        field = self
        while field.parent is not None:
            names.append(field.name)
            field = field.parent
        return tuple(reversed(names))

    def leaves(self) -> list[Leaf]:
        """The leaves at or below this field, in the order of their column chunks."""
        return [field for field in walk(self) if isinstance(field, Leaf)]

    def named(self, name: str) -> list[Field]:
        """The children of that name; more than one where a file repeats a name."""
        if self._by_name is None:
            by_name: dict[str, list[Field]] = {}
            for child in self.children:
                by_name.setdefault(child.name, []).append(child)
            self._by_name = by_name
        return self._by_name.get(name, [])

    def __repr__(self) -> str:
        repetition = ("required", "optional", "repeated")[self.repetition]
        return (
            f"<{type(self).__name__} {self.index} {repetition} {'.'.join(self.path)!r} {self.kind}>"
        )


class Leaf(Field):
    """A field with data: the column.

    `leaf_index` is the position of its column chunk in each row group; `physical_type` a number of `Type` (or one
    that the format does not know, see `defect`); `type_length` the bytes of a FIXED_LEN_BYTE_ARRAY.
    `annotation` is kept there by `logical.annotation`.
    """

    __slots__ = (
        "_logical_type",
        "_orders",
        "annotation",
        "leaf_index",
        "physical_type",
        "type_length",
    )

    def __init__(
        self, element: SchemaElement, index: int, parent: Field, leaf_index: int, orders: Orders
    ) -> None:
        super().__init__(element, index, parent)
        self.kind = "leaf"
        self.leaf_index = leaf_index
        self.physical_type = int(element.type)
        self.type_length: int | None = element.type_length
        self._orders = orders
        self.annotation: Annotation | None = None
        self._logical_type: structs.LogicalType | bool | None = False

    @property
    def column_order(self) -> structs.ColumnOrder | None:
        """What the footer says of the order of the column's values, or None. It lies behind the row groups."""
        orders = self._orders() or ()
        return orders[self.leaf_index] if self.leaf_index < len(orders) else None

    @property
    def logical_type(self) -> structs.LogicalType | None:
        """What the values mean; a converted type is told as the logical type that it stands for."""
        if self._logical_type is False:
            self._logical_type = logical_type(self.element)
        return cast("structs.LogicalType | None", self._logical_type)


class Schema:
    """The tree: `root`, `fields` in the order of the footer's elements, `leaves` in the order of the column chunks."""

    __slots__ = ("_dotted", "fields", "leaves", "root")

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

        Names may hold dots and may be repeated, so there may be several; none where there is no such field.
        """
        if not isinstance(path, str):
            found = [self.root]
            for name in path:
                found = [child for field in found for child in field.named(name)]
            return found if path else []
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
        """The leaf at a path; KeyError where there is none, or where several answer to it."""
        found = [field for field in self.fields_at(path) if isinstance(field, Leaf)]
        if not found:
            raise KeyError(f"no column {path!r}")
        if len(found) > 1:
            columns = ", ".join(f"{leaf.leaf_index} {leaf.path}" for leaf in found[:5])
            raise KeyError(f"{path!r} is ambiguous: columns {columns}; take one by its index")
        return found[0]

    def __repr__(self) -> str:
        return f"<Schema {self.root.name!r}, {len(self.fields)} fields, {len(self.leaves)} columns>"


def walk(field: Field) -> Iterator[Field]:
    """The field and all below it, parents first, in the order of the footer's elements."""
    todo = [field]
    while todo:
        field = todo.pop()
        yield field
        todo.extend(reversed(field.children))


def build(
    elements: Sequence[SchemaElement] | None,
    *,
    limits: Limits = DEFAULT,
    column_orders: Sequence[structs.ColumnOrder] | Orders | None = None,
) -> Schema:
    """Make the tree of a footer's schema elements.

    `column_orders` are the footer's, one for each leaf, or what gives them.

    Raises CorruptFileError, with the address `schema/INDEX` of the element, where the elements do not make one tree
    or where levels cannot be told (no root, counts of children that do not add up, a missing name, an unknown
    repetition); LimitExceededError for too many elements or too deep a nesting. What spoils only one leaf is its
    `defect`.
    """
    if not elements:
        raise CorruptFileError(
            "the schema has no elements; it needs at least the root", address="schema"
        )
    limits.check("schema_elements", len(elements), "the schema", address="schema")
    orders = column_orders if callable(column_orders) else lambda: column_orders
    fields: list[Field] = []
    leaves: list[Leaf] = []
    unfinished: list[
        tuple[Field, list[Field], int]
    ] = []  # with its children so far, and how many there are to be
    for index, element in enumerate(elements):
        while unfinished and len(unfinished[-1][1]) == unfinished[-1][2]:
            unfinished.pop()
        if index and not unfinished:
            raise CorruptFileError(
                f"the schema's tree is complete after {index:,} of {len(elements):,} elements; this one has no parent",
                address=f"schema/{index}",
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
        limits.check("schema_depth", field.depth, "the schema's depth", address=f"schema/{index}")
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
            f"the schema ends early: group {group.name!r} has {children:,} children, {len(below):,} are there",
            address=f"schema/{group.index}",
        )
    for field in fields[1:]:
        classify(field)
    return Schema(fields[0], fields, leaves)


def _checked(element: SchemaElement, index: int, rest: int) -> int:
    """The number of children, when name, number of children and repetition make sense."""
    address = f"schema/{index}"
    if element.name is None:
        raise CorruptFileError("a schema element has no name, a required field", address=address)
    children = element.num_children or 0
    if not 0 <= children <= rest:
        raise CorruptFileError(
            f"group {element.name!r} claims {children:,} children, {rest:,} elements follow",
            address=address,
        )
    if index and element.repetition_type not in (None, REQUIRED, OPTIONAL, REPEATED):
        raise CorruptFileError(
            f"field {element.name!r} has repetition {element.repetition_type}; "
            "0 (required), 1 (optional) and 2 (repeated) exist, and levels depend on it",
            address=address,
        )
    return int(children)


def _defect(field: Field) -> ParquetError | None:
    """What makes a leaf unreadable by itself."""
    if not isinstance(field, Leaf):
        return None
    address = f"schema/{field.index}"
    if not 0 <= field.physical_type <= max(Type):
        return UnsupportedFeatureError(
            f"column {field.name!r} has physical type {field.physical_type}; 0 to {max(Type)} are known",
            address=address,
        )
    if field.physical_type == Type.FIXED_LEN_BYTE_ARRAY and (
        field.type_length is None or field.type_length < 0
    ):
        said = "no type_length" if field.type_length is None else f"type_length {field.type_length}"
        return CorruptFileError(
            f"column {field.name!r} is FIXED_LEN_BYTE_ARRAY and has {said}", address=address
        )
    return None
