"""The nodes of a schema: fields, and leaves, which have data; and how a schema element annotates them.

There are two generations of annotations, and an element can have either or both; the logical type takes precedence.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Literal, TypeAlias, cast

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, FieldRepetitionType, SchemaElement
from pqexplore.engine.handle import Handle
from pqexplore.engine.text import plural, printable

REQUIRED = int(FieldRepetitionType.REQUIRED)
OPTIONAL = int(FieldRepetitionType.OPTIONAL)
REPEATED = int(FieldRepetitionType.REPEATED)

Orders: TypeAlias = Callable[[], "Sequence[structs.ColumnOrder] | None"]
"""A function that gives the footer's `column_orders`, or None: they come after the row groups, so they are read late."""

LIST_RULES = {
    "three-level": "Rule 5: the repeated group only repeats; its one field is the element.",
    "two-level repeated field": "Rule 1: the repeated field is no group; it is the element.",
    "two-level group of several fields": "Rule 2: the repeated group has several fields; it is the element.",
    "two-level group with a repeated field": "Rule 3: the one field of the repeated group is repeated; the group is the element.",
    "two-level group named array": "Rule 4: the repeated group is named array; it is the element, a struct of one field.",
    "two-level group named after the list": "Rule 4: the repeated group has the list's name and _tuple; it is the element, a struct of one field.",
    "unannotated repeated field": "Without LIST, a repeated field is a required list of required elements.",
    "map": "The repeated group has the key and the value, in this order.",
    "map without values": "The repeated group has only a key: a set of keys, read as a list.",
    "MAP_KEY_VALUE in place of MAP": "Outside of a MAP, MAP_KEY_VALUE means MAP.",
    "MAP_KEY_VALUE without a group around": "The repeated group of keys and values has no MAP group around it.",
    "LIST ignored": "The group is annotated LIST and does not have a single repeated field; it is read as a plain group.",
    "MAP ignored": "The group is annotated MAP and does not hold one repeated group of a key and a value; it is read as a plain group.",
}
"""What each value of `Field.list_rule` means."""


CONVERTED_NULL = 24
"""A converted type that the format does not have: old versions of parquet-cpp wrote it on columns of nulls."""

_CONVERTED_INTEGERS: dict[int | None, tuple[int, bool]] = {
    ConvertedType.UINT_8: (8, False),
    ConvertedType.UINT_16: (16, False),
    ConvertedType.UINT_32: (32, False),
    ConvertedType.UINT_64: (64, False),
    ConvertedType.INT_8: (8, True),
    ConvertedType.INT_16: (16, True),
    ConvertedType.INT_32: (32, True),
    ConvertedType.INT_64: (64, True),
}
_CONVERTED_TIMES: dict[int | None, tuple[str, str]] = {
    ConvertedType.TIME_MILLIS: ("TIME", "MILLIS"),
    ConvertedType.TIME_MICROS: ("TIME", "MICROS"),
    ConvertedType.TIMESTAMP_MILLIS: ("TIMESTAMP", "MILLIS"),
    ConvertedType.TIMESTAMP_MICROS: ("TIMESTAMP", "MICROS"),
}
_CONVERTED_SIMPLE: dict[int | None, tuple[str, type[structs.Struct]]] = {
    ConvertedType.UTF8: ("STRING", structs.StringType),
    ConvertedType.MAP: ("MAP", structs.MapType),
    ConvertedType.MAP_KEY_VALUE: ("MAP", structs.MapType),
    ConvertedType.LIST: ("LIST", structs.ListType),
    ConvertedType.ENUM: ("ENUM", structs.EnumType),
    ConvertedType.DATE: ("DATE", structs.DateType),
    ConvertedType.JSON: ("JSON", structs.JsonType),
    ConvertedType.BSON: ("BSON", structs.BsonType),
}
_TIME_UNITS = {"MILLIS": structs.MilliSeconds, "MICROS": structs.MicroSeconds, "NANOS": structs.NanoSeconds}


def logical_type(element: structs.SchemaElement) -> structs.LogicalType | None:
    """The logical type of a schema element, or else the one that its converted type stands for.

    None if there is no annotation, and for INTERVAL, which has a converted type only (`logical.annotation` handles it).
    A logical type that this version does not know is a union without a field, unless there is a converted type.
    """
    stated = element.logicalType
    if structs.union_field(stated) is not None:
        return stated
    converted = element.converted_type
    if converted in _CONVERTED_SIMPLE:
        name, struct = _CONVERTED_SIMPLE[converted]
        return structs.union_of(structs.LogicalType, name, struct())
    if converted in _CONVERTED_INTEGERS:
        width, signed = _CONVERTED_INTEGERS[converted]
        return structs.LogicalType(INTEGER=structs.IntType(bitWidth=width, isSigned=signed))
    if converted in _CONVERTED_TIMES:
        name, unit = _CONVERTED_TIMES[converted]
        kind = structs.TimeType if name == "TIME" else structs.TimestampType
        counted = structs.union_of(structs.TimeUnit, unit, _TIME_UNITS[unit]())
        time = kind(isAdjustedToUTC=True, unit=counted)
        return structs.union_of(structs.LogicalType, name, time)
    if converted == ConvertedType.DECIMAL:
        decimal = structs.DecimalType(scale=element.scale or 0, precision=element.precision or 0)
        return structs.LogicalType(DECIMAL=decimal)
    if converted == CONVERTED_NULL:
        return structs.LogicalType(UNKNOWN=structs.NullType())
    return None if converted == ConvertedType.INTERVAL else stated


class Order(Enum):
    """An order of values; the member's value describes it."""

    BOOLEAN = "false before true"
    SIGNED = "signed comparison of integers"
    UNSIGNED = "unsigned comparison of integers"
    BYTES = "unsigned comparison byte by byte"
    DECIMAL = "signed comparison of the decimal numbers"
    FLOAT = "signed comparison of numbers; NaN has no position, -0 and +0 are equal"
    TOTAL = "IEEE 754 total order: -NaN, -infinity, …, -0, +0, …, +infinity, +NaN"
    INT96 = "by Julian day, then by nanoseconds of the day"
    NONE = "no order is defined"


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """What the values of a leaf mean.

    `name` is the specification's (`TIMESTAMP`, `DECIMAL`, …), empty if there is no annotation. `unit` is `ms`, `us` or
    `ns`; `utc` is true for instants, false for local times. `problem` says why the annotation cannot be used to decode
    the values, None if it can.
    """

    name: str = ""
    unit: str = ""
    utc: bool = False
    precision: int = 0
    scale: int = 0
    bit_width: int = 0
    signed: bool = True
    crs: str | None = None
    algorithm: int | None = None
    problem: ParquetError | None = None


class Field(Handle):
    """A node of the schema.

    - `element`, `index`: the `SchemaElement` and its position in the footer's list; `parent`, `children`, `depth` (the
      root has 0).
    - `repetition`: 0 required, 1 optional, 2 repeated. The root counts as required, and so does a field without one.
    - `max_definition_level`, `max_repetition_level`: of the fields on the path, this one included and the root not, how
      many are not required, and how many are repeated.
    - `kind`: leaf, group, list, map or variant. `list_rule`: the rule that decided it, a key of `LIST_RULES`, or None.
      `list_element`: for a list, the field that is its element; for a map, its repeated group.
    - `defect`: the error that makes this field unreadable, its ancestors' defects included; None if it is readable.
    """

    INTERNAL = frozenset({"annotation", "declared_order", "defect", "type_order"})

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
        """Names from the root's child to this field; the root's path is empty."""
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
        """The children with this name; several if the file repeats a name."""
        if self._by_name is None:
            by_name: dict[str, list[Field]] = {}
            for child in self.children:
                by_name.setdefault(child.name, []).append(child)
            self._by_name = by_name
        return self._by_name.get(name, [])

    def __repr__(self) -> str:
        repetition = ("required", "optional", "repeated")[self.repetition]
        kind = f"<{type(self).__name__} {self.index} {repetition} {'.'.join(self.path)!r} {self.kind}"
        return printable(f"{kind}{self._more()}>")

    def _more(self) -> str:
        return f" of {plural(len(self.children), 'field')}"


class Leaf(Field):
    """A field with data: the column.

    `leaf_index` is the position of its column chunk in each row group; `physical_type` a number of `Type` (or an
    unknown number, see `defect`); `type_length` the bytes of a FIXED_LEN_BYTE_ARRAY. `annotation`, `type_order` and
    `declared_order` are caches of the functions of these names; `declared_order` is False before it is known.
    """

    __slots__ = (
        "_logical_type",
        "_orders",
        "annotation",
        "declared_order",
        "leaf_index",
        "physical_type",
        "type_length",
        "type_order",
    )

    def __init__(self, element: SchemaElement, index: int, parent: Field, leaf_index: int, orders: Orders) -> None:
        super().__init__(element, index, parent)
        self.kind = "leaf"
        self.leaf_index = leaf_index
        assert element.type is not None  # `build` makes a leaf only of an element that has a type
        self.physical_type = int(element.type)
        self.type_length: int | None = element.type_length
        self._orders = orders
        self.annotation: Annotation | None = None
        self.type_order: Order | None = None
        self.declared_order: Order | Literal[False] | None = False
        self._logical_type: structs.LogicalType | bool | None = False

    def _more(self) -> str:
        stated = structs.union_field(self.logical_type)
        kind = structs.enum_name(structs.Type, self.physical_type)
        return f" {kind}{f' ({stated[0]})' if stated else ''}"

    @property
    def column_order(self) -> structs.ColumnOrder | None:
        """The order of the column's values that the footer declares, or None. Reads what follows the row groups."""
        orders = self._orders() or ()
        return orders[self.leaf_index] if self.leaf_index < len(orders) else None

    @property
    def logical_type(self) -> structs.LogicalType | None:
        """The logical type of the values, or the one that the converted type stands for; None without annotation."""
        if self._logical_type is False:
            self._logical_type = logical_type(self.element)
        return cast("structs.LogicalType | None", self._logical_type)


def walk(field: Field) -> Iterator[Field]:
    """The field and all fields below it, parents first, in the order of the footer's elements."""
    todo = [field]
    while todo:
        field = todo.pop()
        yield field
        todo.extend(reversed(field.children))
