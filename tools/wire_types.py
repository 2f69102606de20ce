"""Writes js/src/wire/NAME.ts: TypeScript's interfaces of what the lens or the lake's panel NAME sends, from dataclasses.

`make build` runs it; the files are not committed.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import pathlib
import re
import types
import typing
from typing import Any, Literal, Union, get_args, get_origin

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "js" / "src" / "wire"
HEAD = "// Written by tools/wire_types.py from the dataclasses of Python; change them there.\n\n"

PLAIN: dict[Any, str] = {
    int: "number",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
    object: "unknown",
}


class Module:
    """The interfaces of one file, and what it imports from others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.interfaces: dict[str, str] = {}
        self.imports: dict[str, set[str]] = {}


def file_of(module: str) -> str:
    """The name of the file of a module's dataclasses: of a lens in several modules, the lens."""
    lens = re.search(r"\.lenses\.(\w+)", module)
    return lens[1] if lens else module.rpartition(".")[2]


class Writer:
    """Interfaces by file: a dataclass goes to the file of the Python module that defines it."""

    def __init__(self) -> None:
        self.modules: dict[str, Module] = {}
        self.sources: dict[tuple[str, str], str] = {}

    def add(self, kind: type[Any]) -> str:
        """The name of a dataclass's file, with the interface of the dataclass in it."""
        name = file_of(kind.__module__)
        module = self.modules.setdefault(name, Module(name))
        if self.sources.setdefault((name, kind.__name__), kind.__module__) != kind.__module__:
            raise TypeError(f"two modules have a {kind.__name__} in js/src/wire/{name}.ts")
        if kind.__name__ not in module.interfaces:
            module.interfaces[kind.__name__] = ""  # a type may contain itself
            hints = typing.get_type_hints(kind)
            fields = [f"  {field.name}: {self.type(hints[field.name], module)};" for field in dataclasses.fields(kind)]
            text = "\n".join([f"export interface {kind.__name__} {{", *fields, "}"])
            if not fields:
                text = f"export type {kind.__name__} = Record<string, never>;"
            first = (kind.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
            if first and not first.startswith(f"{kind.__name__}("):
                text = f"/** {first} */\n{text}"
            module.interfaces[kind.__name__] = text
        return name

    def type(self, hint: Any, within: Module) -> str:
        """A Python type as TypeScript."""
        if hint in PLAIN:
            return PLAIN[hint]
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            parts = [self.type(arg, within) for arg in args]
            return " | ".join(sorted(dict.fromkeys(parts), key=lambda one: one == "null"))
        if origin is Literal:
            return " | ".join(f'"{arg}"' if isinstance(arg, str) else str(arg).lower() for arg in args)
        if origin in (list, typing.get_origin(typing.Sequence[int])) or (
            origin is tuple and len(args) == 2 and args[1] is Ellipsis
        ):
            inner = self.type(args[0], within)
            union = " | " in re.sub(r"\([^()]*\)|<[^<>]*>", "", inner)
            return f"({inner})[]" if union else f"{inner}[]"
        if origin is dict or origin is typing.get_origin(typing.Mapping[str, int]):
            return f"Record<string, {self.type(args[1], within)}>"
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return " | ".join(f'"{member.value}"' for member in hint)
        if isinstance(hint, type) and hint.__name__ == "Columns":
            within.imports.setdefault("../columns", set()).add("Header")
            return "Header"
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            name = self.add(hint)
            if name != within.name:
                within.imports.setdefault(f"./{name}", set()).add(hint.__name__)
            return hint.__name__
        raise TypeError(f"{within.name}: {hint} does not travel to the front end")

    def texts(self) -> dict[str, str]:
        """The files' contents by name."""
        made = {}
        for name, module in sorted(self.modules.items()):
            imports = [
                f'import type {{ {", ".join(sorted(names))} }} from "{where}";'
                for where, names in sorted(module.imports.items())
            ]
            parts = ["\n".join(imports)] if imports else []
            parts += [text for _, text in sorted(module.interfaces.items())]
            made[f"{name}.ts"] = HEAD + "\n\n".join(parts) + "\n"
        return made


def written() -> dict[str, str]:
    """The files by name: the pictures of all lenses and panels, and the replies of all operations."""
    lenses = importlib.import_module("pqexplore.insight.lenses").LENSES
    panels = importlib.import_module("pqexplore.lake.panels")
    writer = Writer()
    writer.add(importlib.import_module("pqexplore.engine.span").Span)
    writer.add(importlib.import_module("pqexplore.lake.panels.header").About)
    writer.add(importlib.import_module("pqexplore.widget.look").Progress)
    records = (*lenses.values(), *panels.LAKE.values(), *panels.STORE.values())
    for record in records:
        if record.picture is not None:
            writer.add(record.picture)
    operations = importlib.import_module("pqexplore.widget.operations").OPERATIONS
    for operation in (*operations.values(), *(one for record in records for one in record.operations.values())):
        returned = typing.get_type_hints(operation).get("return")
        for kind in (returned, *get_args(returned)):
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                writer.add(kind)
    return writer.texts()


def main() -> None:
    """Write the files that differ, and remove those that nothing needs."""
    texts = written()
    OUT.mkdir(exist_ok=True)
    there = {path.name: path.read_text("utf-8") for path in OUT.glob("*.ts")}
    for name in there.keys() - texts.keys():
        (OUT / name).unlink()
    for name, text in texts.items():
        if there.get(name) != text:
            (OUT / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
