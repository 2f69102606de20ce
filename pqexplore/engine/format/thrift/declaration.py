"""Base classes of `structs`: a struct with declared fields, and an enum whose members have a meaning.

A struct's class has a slot and a keyword argument for each field, and `FIELDS`, which declares them: id, name, type as
the format writes it, whether required, default, and a sentence for people. An absent field is None, or its default.
"""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from pqexplore.engine.text import plural, printable

ABSENT: Any = None
"""The value of a required field that is absent: None, although its type does not include it; see `missing`."""

SCALARS = ("bool", "i8", "i16", "i32", "i64", "double", "string", "binary")
"""The types that are neither a list, nor an enum, nor a struct."""

StructClass: TypeAlias = "type[Struct]"
EnumClass: TypeAlias = "type[Vocabulary]"

STRUCTS: dict[str, StructClass] = {}
"""Every declared struct and union by name."""

ENUMS: dict[str, EnumClass] = {}
"""Every declared enum by name."""


S = TypeVar("S", bound="Struct")
V = TypeVar("V", bound="Vocabulary")


class Vocabulary(IntEnum):
    """An enum of the format; each member has a `meaning`, a sentence for people exploring a file."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Vocabulary:
        """A member is declared as its number and its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    def __init_subclass__(cls) -> None:
        """Register the enum by its name, for the types of fields."""
        super().__init_subclass__()
        ENUMS[cls.__name__] = cls

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct: its id and name, its type as the format writes it, and what it means.

    `type` is a scalar (`i64`, `string`, …), the name of a struct or an enum, or `list<…>` of one of these.
    """

    id: int
    name: str
    type: str
    meaning: str
    required: bool = False
    default: bool | int | None = None

    @property
    def is_list(self) -> bool:
        """Whether the field is a list."""
        return self.type.startswith("list<")

    @property
    def base(self) -> str:
        """The type; for a list, the type of its elements."""
        return self.type[5:-1] if self.is_list else self.type

    @property
    def struct(self) -> StructClass | None:
        """The struct that the field, or each element of the list, is; None for other types."""
        return STRUCTS.get(self.base)

    @property
    def enum(self) -> EnumClass | None:
        """The enum whose number the field, or each element of the list, holds; None for other types."""
        return ENUMS.get(self.base)


class Struct:
    """A struct or union of the format. Fields are attributes; absent ones are None, or their declared default.

    A struct from a file may be incomplete: a required field can be None too, and `missing` names those. `_extension`
    has the bytes of field 32767, which the format reserves for extensions: `encode` writes them, `spans.to_object` reads
    them, `fast` drops them.
    """

    __slots__ = ("_extension",)

    _extension: bytes
    NAME: ClassVar[str]
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    REQUIRED: ClassVar[tuple[str, ...]]
    BY_ID: ClassVar[dict[int, Field]]
    UNION: ClassVar[bool]

    def __init_subclass__(cls, union: bool = False) -> None:
        """Register the struct by its name, for the types of fields, and index its fields."""
        super().__init_subclass__()
        cls.NAME = cls.__name__
        cls.UNION = union
        cls.REQUIRED = tuple(field.name for field in cls.FIELDS if field.required)
        cls.BY_ID = {field.id: field for field in cls.FIELDS}
        STRUCTS[cls.__name__] = cls

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        present = ((field, getattr(self, field.name)) for field in self.FIELDS)
        shown = ", ".join(f"{f.name}={_shown(f, v)}" for f, v in present if v is not None)
        return printable(f"{self.NAME}({shown})")

    def __dir__(self) -> list[str]:
        own = {"BY_ID", "FIELDS", "NAME", "REQUIRED", "UNION"}  # of the class, not of a file
        return [name for name in super().__dir__() if name not in own]

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            fields = ", ".join(field.name for field in self.FIELDS) or "none"
            raise AttributeError(f"{self.NAME} has no field {name!r}; its fields are {fields}")


def enum_name(enum: type[IntEnum], value: Any) -> str:
    """The specification's name of a number, or `UNKNOWN(number)`."""
    try:
        return enum(value).name
    except ValueError:
        return f"UNKNOWN({value})"


def enum_member(enum: type[V], value: int) -> V:
    """The member of a number, which is an int with a name; a number that the enum does not have is UNKNOWN(number)."""
    member = enum._value2member_map_.get(value)
    if isinstance(member, enum):
        return member
    unknown = int.__new__(enum, value)
    unknown._value_, unknown._name_ = value, f"UNKNOWN({value})"
    unknown.meaning = "not in the specification that this version knows"
    return unknown


def missing(obj: Struct) -> list[str]:
    """Names of the required fields that are absent in the struct itself; structs inside are not checked."""
    return [name for name in obj.REQUIRED if getattr(obj, name) is None]


def union_of(union: type[S], name: str, value: Struct) -> S:
    """A union whose field `name` is set. Raises AttributeError if it has no such field."""
    result = union()
    setattr(result, name, value)
    return result


def union_field(obj: Struct | None) -> tuple[str, Any] | None:
    """Name and value of the field that is set in a union; None if no field is set, or `obj` is None.

    A damaged file can set several: then this is the first by id.
    """
    if obj is not None:
        for field in obj.FIELDS:
            value = getattr(obj, field.name)
            if value is not None:
                return field.name, value
    return None


BOUNDS = frozenset({"min", "max", "min_value", "max_value", "min_values", "max_values", "bbox"})
"""Fields with values of the column: a repr has only their number, because they may have been encrypted."""

LISTED = 8
"""Elements of a list of enum members up to which a repr names them."""


def _shown(field: Field, value: Any) -> str:
    if field.is_list and isinstance(value, list):
        if field.enum is None or len(value) > LISTED:
            return plural(len(value), "element") if field.name in BOUNDS else _short(value)
        return f"[{', '.join(enum_name(field.enum, one) for one in value)}]"
    if field.enum is not None:
        return enum_name(field.enum, value)
    if field.name in BOUNDS:
        return plural(len(value), "byte") if isinstance(value, bytes) else "…"
    return _short(value)


def _short(value: object) -> str:
    if isinstance(value, list):
        if len(value) > 4 or any(isinstance(v, Struct) for v in value):
            return f"[{len(value)} elements]"
        return "[" + ", ".join(_short(v) for v in value) + "]"
    if isinstance(value, (bytes, str)) and len(value) > 40:
        return f"{value[:32]!r}… ({len(value):,} {'bytes' if isinstance(value, bytes) else 'characters'})"
    return repr(value)
