"""How a struct of the format is declared: a class with a table of its fields, one line a field.

The line is written as the format's documentation writes it, with a sentence for people added:
`5 num_values: i64* — How many values there are.` is field id 5, required (`*`). The class made from it has a slot and
a keyword argument per field; an absent field is None, or its declared default.
"""

from __future__ import annotations

import dataclasses
import re
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

_LINE = re.compile(r"(\d+) (\w+): ([\w<>]+)(\*?)(?: = (\w+))? — (.+)")
_DEFAULTS: dict[str | None, Any] = {None: None, "true": True, "0": 0}

SCALARS = ("bool", "i8", "i16", "i32", "i64", "double", "string", "binary")
"""The types that are neither a list, nor an enum, nor a struct."""

StructClass: TypeAlias = "type[Struct]"
EnumClass: TypeAlias = "type[Vocabulary]"

STRUCTS: dict[str, StructClass] = {}
"""Every declared struct and union by name."""

ENUMS: dict[str, EnumClass] = {}
"""Every declared enum by name."""


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
        """Make the enum known to field types by its name."""
        super().__init_subclass__()
        ENUMS[cls.__name__] = cls


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct: its id and name, its type as the format writes it, and what it means.

    `type` is a scalar (`i64`, `string`, …), the name of a struct or an enum, or `list<…>` of one of these.
    """

    id: int
    name: str
    type: str
    required: bool
    default: Any
    meaning: str

    @property
    def is_list(self) -> bool:
        """Whether the field is a list."""
        return self.type.startswith("list<")

    @property
    def base(self) -> str:
        """The type, of a list the type of its elements."""
        return self.type[5:-1] if self.is_list else self.type

    @property
    def struct(self) -> StructClass | None:
        """The struct that the field, or each element of the list, is; None for other types."""
        return STRUCTS.get(self.base)

    @property
    def enum(self) -> EnumClass | None:
        """The enum whose number the field, or each element of the list, holds; None for other types."""
        return ENUMS.get(self.base)


class _Declared(type):
    """Makes a struct class of a class body with a `TABLE`; `UNION` comes from the class keyword `union`."""

    def __new__(
        metaclass, name: str, bases: tuple[type, ...], body: dict[str, Any], union: bool = False
    ) -> _Declared:
        if not bases:
            return super().__new__(metaclass, name, bases, body)
        fields = tuple(_field(name, line) for line in body.pop("TABLE", "").strip().splitlines())
        names = tuple(field.name for field in fields)
        body |= {"NAME": name, "FIELDS": fields, "UNION": union, "__slots__": names}
        body["REQUIRED"] = tuple(field.name for field in fields if field.required)
        body["BY_ID"] = {field.id: field for field in fields}
        body["__init__"] = _constructor(fields)
        declared = super().__new__(metaclass, name, bases, body)
        STRUCTS[name] = declared  # type: ignore[assignment]
        return declared


def _field(struct: str, line: str) -> Field:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise TypeError(f"{struct}: not the declaration of a field: {line.strip()!r}")
    id, name, type, required, default, meaning = match.groups()
    field = Field(int(id), name, type, bool(required), _DEFAULTS[default], meaning)
    if field.base not in SCALARS and field.struct is None and field.enum is None:
        raise TypeError(f"{struct}.{name}: no such type: {type}")
    return field


def _constructor(fields: tuple[Field, ...]) -> Any:
    """`__init__(self, *, a=None, b=None, …)`: spelt out, because a loop over slots is five times slower."""
    arguments = "".join(f", {field.name}={field.default!r}" for field in fields)
    stores = "".join(f"\n    self.{field.name} = {field.name}" for field in fields) or "\n    pass"
    names: dict[str, Any] = {}
    exec(f"def __init__(self{', *' if fields else ''}{arguments}):{stores}", names)
    return names["__init__"]


class Struct(metaclass=_Declared):
    """A struct or union of the format. Fields are attributes; absent ones are None, or their declared default.

    Nothing that is read from a file is trusted to be complete: a required field can be None too, and
    `structs.missing` names those. `_extension` holds the bytes of field 32767, the place the format reserves for
    extensions: `encode` writes them, `spans.to_object` reads them, `fast` drops them.
    """

    __slots__ = ("_extension",)

    NAME: ClassVar[str]
    FIELDS: ClassVar[tuple[Field, ...]]
    REQUIRED: ClassVar[tuple[str, ...]]
    BY_ID: ClassVar[dict[int, Field]]
    UNION: ClassVar[bool]

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        present = ((f.name, getattr(self, f.name)) for f in self.FIELDS)
        return f"{self.NAME}({', '.join(f'{n}={_short(v)}' for n, v in present if v is not None)})"


def _short(value: Any) -> str:
    if isinstance(value, list):
        if len(value) > 4 or any(isinstance(v, Struct) for v in value):
            return f"[{len(value)} elements]"
        return "[" + ", ".join(_short(v) for v in value) + "]"
    if isinstance(value, (bytes, str)) and len(value) > 40:
        return f"{value[:32]!r}… ({len(value):,} {'bytes' if isinstance(value, bytes) else 'characters'})"
    return repr(value)
