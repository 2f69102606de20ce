"""Write `pqexplore/engine/format/thrift/structs.py` from `parquet.thrift` beside it.

    python tools/thrift_classes.py            renew the file
    python tools/thrift_classes.py --check    say whether it is what the declaration gives

The declaration is Thrift with one rule more: each struct, union and enum has a `/** sentence */` before it, and each
field and member a `// sentence` after it.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "pqexplore/engine/format/thrift"
DECLARATION = FOLDER / "parquet.thrift"
CLASSES = FOLDER / "structs.py"

PYTHON = {
    "bool": "bool",
    "i8": "int",
    "i16": "int",
    "i32": "int",
    "i64": "int",
    "double": "float",
    "string": "str",
    "binary": "bytes",
}
"""The Python type of each scalar of Thrift."""

DEFAULTS = {None: "None", "true": "True", "false": "False"}

LINE = re.compile(
    r"(?P<blank>(?://.*)?)"
    r"|/\*\* (?P<sentence>.+) \*/"
    r"|(?P<kind>enum|struct|union) (?P<name>\w+) \{(?P<empty>\}?)"
    r"|  (?P<member>\w+) = (?P<number>\d+)  // (?P<member_meaning>.+)"
    r"|  (?P<id>\d+): (?:(?P<need>required|optional) )?(?P<type>[\w<>]+) (?P<field>\w+)"
    r"(?: = (?P<default>\w+))?  // (?P<field_meaning>.+)"
    r"|(?P<end>\})"
)

HEADER = '''\
"""Every struct, union and enum of the format, each field with its id, type and meaning.

Written by `tools/thrift_classes.py` from `parquet.thrift`: change that file, not this one.

A field is an attribute; absent ones are None, or have their declared default. A required field has the type that the
format declares, without None, so that code which holds a complete struct needs no test. A struct that comes from bytes
is not always complete: ask `missing(struct)` before you use the required fields. Values of enums are plain integers,
because files may hold numbers that no enum has; `enum_name` names them.

Source: the format's parquet.thrift; names are spelt as there.
"""

from __future__ import annotations

from pqexplore.engine.format.thrift.declaration import (
    ABSENT,
    ENUMS,
    STRUCTS,
    Field,
    Struct,
    Vocabulary,
    enum_member,
    enum_name,
    missing,
    union_field,
    union_of,
)
'''


@dataclass
class Member:
    """A member of an enum."""

    name: str
    number: int
    meaning: str


@dataclass
class FieldLine:
    """A field of a struct or union; `default` is Python's text of it."""

    id: int
    name: str
    type: str
    required: bool
    default: str
    meaning: str


@dataclass
class Declaration:
    """An enum, a struct or a union, with its members or fields."""

    kind: str
    name: str
    meaning: str
    members: list[Member] = field(default_factory=list)
    fields: list[FieldLine] = field(default_factory=list)


def parse(text: str) -> list[Declaration]:
    """The declarations, in their order. Raises SystemExit with the line's number for a line that is none."""
    declared: list[Declaration] = []
    sentence = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.fullmatch(line)
        if match is None:
            raise SystemExit(f"parquet.thrift, line {number}: not a declaration: {line!r}")
        part = match.groupdict()
        if part["sentence"]:
            sentence = part["sentence"]
        elif part["kind"]:
            if not sentence:
                raise SystemExit(f"parquet.thrift, line {number}: /** what it means */ is missing")
            declared.append(Declaration(part["kind"], part["name"], sentence))
            sentence = ""
        elif part["member"]:
            declared[-1].members.append(Member(part["member"], int(part["number"]), part["member_meaning"]))
        elif part["field"]:
            declared[-1].fields.append(_field(part))
    _check(declared)
    return declared


def _field(part: dict[str, str]) -> FieldLine:
    default = DEFAULTS.get(part["default"], part["default"])
    required = part["need"] == "required"
    return FieldLine(int(part["id"]), part["field"], part["type"], required, default, part["field_meaning"])


def _check(declared: list[Declaration]) -> None:
    """Types are known, and ids ascend."""
    known = {*PYTHON, *(one.name for one in declared)}
    for one in declared:
        ids = [f.id for f in one.fields]
        if ids != sorted(set(ids)):
            raise SystemExit(f"{one.name}: ids do not ascend")
        for f in one.fields:
            if base(f.type) not in known:
                raise SystemExit(f"{one.name}.{f.name}: there is no type {f.type}")


def base(type: str) -> str:
    """The type of a list's elements; of another type itself."""
    return type.removeprefix("list<").removesuffix(">")


def annotation(one: FieldLine, enums: set[str]) -> str:
    """The field's type in Python."""
    inner = base(one.type)
    python = "int" if inner in enums else PYTHON.get(inner, inner)
    if one.type.startswith("list<"):
        python = f"list[{python}]"
    return python if one.required or one.default != "None" else f"{python} | None"


def classes(declared: list[Declaration]) -> str:
    """The text of the module."""
    enums = {one.name for one in declared if one.kind == "enum"}
    names = ["ENUMS", "STRUCTS", "Field", "Struct", "enum_member", "enum_name", "missing", "union_field", "union_of"]
    exported = sorted([*names, *(one.name for one in declared)], key=_isort)
    listed = ", ".join(f'"{name}"' for name in exported)
    parts = [HEADER, f"__all__ = [\n{_wrapped(listed)},\n]\n"]
    for one in declared:
        lines = _enum(one) if one.kind == "enum" else _struct(one, enums)
        parts.append("\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts).replace("\n\n\n\n", "\n\n\n")


def _wrapped(text: str, indent: str = "    ") -> str:
    """The text in lines of 120 columns, broken after commas; a pair such as `a: int = 1` stays in one line."""
    lines, line = [], indent
    for part in text.split(", "):
        piece = part if line == indent else f", {part}"
        if len(line) + len(piece) > 119:
            lines.append(f"{line},")
            line, piece = indent, part
        line += piece
    return "\n".join([*lines, line])


def _isort(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order that ruff wants in `__all__`."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _enum(one: Declaration) -> Iterator[str]:
    yield f"class {one.name}(Vocabulary):"
    yield f'    """{one.meaning}"""'
    yield ""
    for member in one.members:
        yield f'    {member.name} = {member.number}, "{member.meaning}"'


def _struct(one: Declaration, enums: set[str]) -> Iterator[str]:
    yield f"class {one.name}(Struct{', union=True' if one.kind == 'union' else ''}):"
    yield f'    """{one.meaning}"""'
    yield ""
    if not one.fields:
        yield "    __slots__ = ()"
        return
    slots = ", ".join(f'"{f.name}"' for f in one.fields)
    yield f"    __slots__ = ({slots}{',' if len(one.fields) == 1 else ''})"
    yield "    FIELDS = ("
    for f in one.fields:
        more = ", required=True" if f.required else ""
        if f.default != "None":
            more += f", default={f.default}"
        yield f'        Field({f.id}, "{f.name}", "{f.type}", "{f.meaning}"{more}),'
    yield "    )"
    yield ""
    yield "    def __init__("
    defaults = ["ABSENT" if f.required and f.default == "None" else f.default for f in one.fields]
    given = (f"{f.name}: {annotation(f, enums)} = {default}" for f, default in zip(one.fields, defaults, strict=True))
    yield _wrapped(f"self, *, {', '.join(given)}", "        ") + ","
    yield "    ) -> None:"
    for f in one.fields:
        yield f"        self.{f.name} = {f.name}"


def main() -> None:
    """Write the module, or compare it with `--check`."""
    text = classes(parse(DECLARATION.read_text("utf-8")))
    if sys.argv[1:] == ["--check"]:
        if CLASSES.read_text("utf-8") != text:
            raise SystemExit(f"{CLASSES.name} is not what parquet.thrift gives: run {__file__}")
    else:
        CLASSES.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
