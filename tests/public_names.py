"""What callers may rely on, as lines of text: names and signatures of Python, verbs and options, the JSON schema.

A class is public if `__all__` of a public module has it, if a function there or a method of such a class says that it
returns one, or if it is one of `HANDLES`, which a user reaches by attributes.
"""

import argparse
import ast
import dataclasses
import functools
import importlib
import inspect
import itertools
import re
import sys
import types
import typing

MODULES = (
    *("pqexplore", "pqexplore.course", "pqexplore.format", "pqexplore.glossary", "pqexplore.samples"),
    *("pqexplore.lake", "pqexplore.lake.metadatastore"),
)
"""The modules that a user imports; each lists its names in `__all__`."""

HANDLES = {
    "pqexplore.engine.file.row_group": ("RowGroup",),
    "pqexplore.engine.file.column_chunk": ("ColumnChunk",),
    "pqexplore.engine.file.statistics": ("Statistics",),
    "pqexplore.engine.file.page": ("Page",),
    "pqexplore.engine.format.schema": ("Schema",),
    "pqexplore.engine.format.field": ("Field", "Leaf"),
    "pqexplore.insight.answer": ("Answer", "Column", "Table"),
}

GENERATED = ("pqexplore.engine.format.thrift.structs",)
"""Modules whose classes are the specification's structs, which a test compares with parquet.thrift."""

METHODS = (types.FunctionType, classmethod, staticmethod)
SPECIAL = ("__getitem__", "__iter__", "__len__", "__contains__", "__enter__", "__exit__", "__arrow_c_stream__")
"""Methods with names of Python that are part of what a class promises."""


def of_python():
    """A line for each public name, with its signature; classes with their public members."""
    lines, public = [], set()
    given_by_calls = [getattr(importlib.import_module(module), one) for module, some in HANDLES.items() for one in some]
    for module in MODULES:
        found = importlib.import_module(module)
        for name in sorted(found.__all__):
            value = getattr(found, name)
            if isinstance(value, types.ModuleType):
                lines.append(f"{module}.{name}: a module")
            elif inspect.isclass(value):
                lines.append(f"{module}.{name}: the class {value.__name__}")
                public.add(value)
            elif callable(value):
                lines.append(f"{module}.{name}{signature(value)}")
                given_by_calls += given(value)
            else:
                lines.append(f"{module}.{name}: {type(value).__name__}")
    parts = {}
    for one in itertools.chain(sorted(public, key=str), given_by_calls):
        key = f"{one.__name__} {one.__module__}"
        if key not in parts and one.__module__ not in GENERATED:
            parts[key] = list(of_class(one, given_by_calls if one in public else []))
    for _, (head, *members) in sorted(parts.items()):
        lines += ["", head, *sorted(f"  {one}" for one in members)]
    return "\n".join(lines) + "\n"


def of_class(one, given_by_calls):
    """The lines of a class, without those of the standard library and of packages that it inherits."""
    bases = [base.__name__ for base in one.__bases__ if base is not object and not base.__name__.startswith("_")]
    yield f"class {one.__name__}" + (f"({', '.join(bases)})" if bases else "")
    if issubclass(one, Exception):
        yield from (f".{name}" for name in getattr(one, "__annotations__", {}) if not name.startswith("_"))
        return
    fields = {field.name: field for field in dataclasses.fields(one)} if dataclasses.is_dataclass(one) else {}
    for name, field in fields.items():
        if not name.startswith("_"):
            default = field.default if field.default is not dataclasses.MISSING else None
            optional = default is not None or field.default_factory is not dataclasses.MISSING
            yield f".{name}: {plain(field.type)}" + (" = …" if optional or field.default is None else "")
    if not fields and "__init__" in vars(one):
        yield f"{one.__name__}{signature(one)}"
    for home in one.__mro__:
        if not home.__module__.startswith("pqexplore"):
            continue
        for name, member in vars(home).items():
            if name in fields or name.startswith("_") and name not in SPECIAL or vars_before(one, home, name):
                continue
            yield from of_member(one, home, name, member, given_by_calls)


def of_member(one, home, name, member, given_by_calls):
    if isinstance(member, METHODS):
        function = inspect.unwrap(getattr(member, "__func__", member))
        yield f".{name}{signature(function)}"
        given_by_calls += given(function)
    elif isinstance(member, property | functools.cached_property):
        getter = member.fget if isinstance(member, property) else member.func
        said = getter.__annotations__.get("return", "")
        yield f".{name}: {plain(said)}" + (" (may be set)" if getattr(member, "fset", None) else "")
    elif type(member).__module__.startswith("traitlets"):
        yield f".{name}: a trait, {type(member).__name__}"
    elif not isinstance(member, types.MemberDescriptorType) and type(one).__name__ == "EnumType":
        yield f".{name}"


def vars_before(one, home, name):
    """Whether a class nearer than `home` has the name."""
    return any(name in vars(other) for other in one.__mro__[: one.__mro__.index(home)])


def plain(annotation):
    """An annotation as it is written."""
    if isinstance(annotation, str):
        return annotation.strip("'\"")
    return getattr(annotation, "__name__", None) or str(annotation)


def signature(found):
    """The parameters and what is returned, with the types as they are written; defaults that are objects are `…`."""
    try:
        made = inspect.signature(found)
    except ValueError:
        return "(…)"
    texts, before = [], None
    for one in made.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and before not in (one.KEYWORD_ONLY, one.VAR_POSITIONAL):
            texts.append("*")
        before = one.kind
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        text = f"{star}{one.name}"
        if one.annotation is not one.empty:
            text += f": {plain(one.annotation)}"
        if one.default is not one.empty:
            simple = one.default is None or isinstance(one.default, bool | int | float | str | tuple)
            text += f" = {one.default!r}" if simple else " = …"
        texts.append(text)
    gives = "" if made.return_annotation is made.empty else f" -> {plain(made.return_annotation)}"
    return f"({', '.join(texts)}){gives}"


def given(function):
    """The classes of the package that the function says it returns."""
    function = inspect.unwrap(function)
    said = getattr(function, "__annotations__", {}).get("return", "")
    return named(sys.modules[function.__module__], said)


def named(home, annotation):
    """The classes of the package whose names stand in an annotation of a module or class."""
    module = home if isinstance(home, types.ModuleType) else sys.modules[home.__module__]
    text = annotation if isinstance(annotation, str) else str(annotation)
    found = [resolved(module.__name__, name) for name in dict.fromkeys(re.findall(r"\b[A-Za-z]\w*", text))]
    classes = [one for one in found if inspect.isclass(one) and one.__module__.startswith("pqexplore")]
    inner = [one for one in found if isinstance(one, str)]
    return classes + [one for text in inner for one in named(module, text)]


@functools.cache
def resolved(module, name):
    """What a name means in a module: also one that is imported for type checkers only. An alias is its text."""
    found = vars(sys.modules[module]).get(name)
    if found is None and name in imports(module):
        home, original = imports(module)[name]
        found = getattr(importlib.import_module(home), original, None)
    if isinstance(found, types.UnionType) or typing.get_origin(found) is not None:
        return None
    return found


@functools.cache
def imports(module):
    """The names that a module imports of the package anywhere, each with the module and the name there."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        (alias.asname or alias.name): (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pqexplore")
        for alias in node.names
    }


def of_commands():
    """The verbs with their arguments: options, their choices, and how many values they take."""
    from pqexplore.cli.explore import parser
    from pqexplore.cli.verbs import VERBS

    lines = []
    for name, made in [("", parser()), *((verb.name, verb.parser()) for verb in VERBS.values())]:
        lines.append(f"pqexplore {name}".rstrip())
        options = []
        for action in made._actions:
            if action.help is argparse.SUPPRESS and not action.option_strings:
                continue
            words = ", ".join(action.option_strings) or action.dest.upper()
            value = "" if action.nargs == 0 else f" {action.nargs or 'one'}"
            choices = f" of {', '.join(map(str, action.choices))}" if action.choices else ""
            options.append(f"  {words}{value}{choices}")
        lines += sorted(options)
    return "\n".join(lines) + "\n"


def of_json(schema):
    """The schema in lines: a line for each member, with its type and whether it is required."""
    lines = [f"documents: {', '.join(sorted(one['$ref'].rpartition('/')[2] for one in schema['oneOf']))}"]
    for name, one in sorted(schema["$defs"].items()):
        lines += ["", *members(name, one, "")]
    return "\n".join(lines) + "\n"


def members(at, schema, mark):
    """The lines of a schema: its own, then those of what is in it."""
    said = kind(schema)
    yield f"{at}: {said}{mark}"
    for name, one in sorted(schema.get("properties", {}).items()):
        yield from members(f"{at}.{name}", one, "" if name in schema.get("required", ()) else " (optional)")
    for one in schema.get("anyOf", ()):
        if "properties" in one or "items" in one:
            yield from list(members(at, one, ""))[1:]
    for name, end in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(name), dict):
            yield from members(f"{at}{end}", schema[name], "")


def kind(schema):
    """The type of a schema in words."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(kind, schema["anyOf"]))
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        return f"one of {', '.join(map(repr, schema['enum']))}"
    found = schema.get("type", "anything")
    text = found if isinstance(found, str) else " or ".join(found)
    return f"{text}, and other members" if schema.get("additionalProperties") is True else text


def of_names():
    """Names that callers write as texts: rules, lenses, samples, engines, tables and views of a lake."""
    importlib.import_module("pqexplore.lake.metadatastore.findings")  # registers the rules of a Metadatastore
    from pqexplore.cli.linting import rules
    from pqexplore.insight.ask.engines import ENGINES
    from pqexplore.insight.lenses import LENSES
    from pqexplore.lake.tables import TABLES
    from pqexplore.lake.views import VIEWS
    from pqexplore.samples import names

    groups = {
        "engines": ENGINES,
        "lenses": LENSES,
        "rules": rules(),
        "samples": names(),
        "tables of a lake": [f"{table.name}.{column.name}" for table in TABLES.values() for column in table.columns],
        "views of a lake": VIEWS,
    }
    lines = []
    for group, found in groups.items():
        lines += [group, *(f"  {one}" for one in sorted(found)), ""]
    return "\n".join(lines[:-1]) + "\n"
