"""Reads from an expression what a clause is about: a column, an element of a list, a value inside a Variant."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, cast

from pqexplore.insight.ask.predicate import ANY, Operand

if TYPE_CHECKING:
    from sqlglot.expressions import Column
    from sqlglot.expressions import Expr as Expression

_VARIANT_GET = ("variant_get", "try_variant_get")
LISTS = ("list_contains", "list_has", "array_has", "array_contains")
"""Functions of a list and a value that say whether the list has it."""


@dataclasses.dataclass(frozen=True)
class Names:
    """What names mean: `tables` qualify a column; `variable` is that of a lambda, and stands for `stands_for`."""

    tables: frozenset[str] = frozenset()
    variable: str = ""
    stands_for: Operand | None = None


def unwrapped(node: Expression) -> Expression:
    """The expression inside parentheses."""
    while node.key == "paren":
        node = node.this
    return node


_CAST = re.compile(r"CAST\(('[^'\\]*') AS (DATE|TIMESTAMP|TIMESTAMP_NTZ)\)")
"""How sqlglot writes a literal such as DATE '2024-01-01'."""


def sql_of(node: Expression) -> str:
    """The expression as SQL; literals of dates and timestamps as people write them."""
    return _CAST.sub(r"\2 \1", str(node.sql(dialect="spark", comments=False)))


def operand(node: Expression, names: Names) -> Operand | None:
    """What an expression reads, if it is a column, an element, or a value in a Variant as it is stored; else None."""
    node = unwrapped(node)
    below: list[str] = []
    while node.key in ("dot", "structextract"):
        name = _name(node.expression)
        if name is None:
            return None
        below.insert(0, name)
        node = unwrapped(node.this)
    found = _base(node, names)
    if found is None or not below:
        return found
    if found.variant:
        return None
    if found.element is None:
        return dataclasses.replace(found, path=(*found.path, *below))
    return dataclasses.replace(found, below=(*found.below, *below))


def _name(node: Expression) -> str | None:
    if node.key == "identifier" or (node.key == "literal" and node.is_string):
        return str(node.this)
    return None


def _base(node: Expression, names: Names) -> Operand | None:
    if node.key == "identifier":
        return names.stands_for if str(node.this) == names.variable else None
    if node.key == "column":
        return _column(node, names)
    if node.key == "bracket":
        return _bracket(node, names)
    function = function_name(node)
    if function == "get" and len(node.expressions) == 2:
        return _element(node.expressions[0], index_of(node.expressions[1]), names)
    if function in _VARIANT_GET and len(node.expressions) == 3:
        variant, path, type_ = node.expressions
        inside = operand(variant, names)
        texts = [one.this for one in (path, type_) if one.key == "literal" and one.is_string]
        if inside is None or inside.element is not None or inside.variant or len(texts) < 2:
            return None
        return Operand(inside.path, variant=texts[0], variant_type=" ".join(texts[1].lower().split()))
    return None


def function_name(node: Expression) -> str:
    """The lower-cased name of a function that the parser does not know; "" for other expressions."""
    return str(node.this).lower() if node.key == "anonymous" else ""


def path_of(node: Expression, names: Names) -> tuple[str, ...] | None:
    """The names of a column, without the table's; None if a name is an expression."""
    parts = cast("Column", node).parts
    if not all(part.key == "identifier" for part in parts):
        return None
    path = tuple(str(part.this) for part in parts)
    return path[1:] if len(path) > 1 and path[0].lower() in names.tables else path


def _column(node: Expression, names: Names) -> Operand | None:
    path = path_of(node, names)
    if path is None:
        return None
    parts = cast("Column", node).parts
    if len(path) < len(parts):
        return Operand(path, table=str(parts[0].this))
    if path[0] == names.variable and names.stands_for is not None:
        return dataclasses.replace(names.stands_for, below=(*names.stands_for.below, *path[1:]))
    return Operand(path)


def _bracket(node: Expression, names: Names) -> Operand | None:
    """`list[0]`, `element_at(list, 1)`, `struct['name']`."""
    if len(node.expressions) != 1:
        return None
    key = unwrapped(node.expressions[0])
    if key.key == "literal" and key.is_string:
        inside = operand(node.this, names)
        if inside is None or inside.variant:
            return None
        if inside.element is None:
            return dataclasses.replace(inside, path=(*inside.path, str(key.this)))
        return dataclasses.replace(inside, below=(*inside.below, str(key.this)))
    index = index_of(key)
    offset = node.args.get("offset") or 0
    if index is None or (index == 0 if offset else index < 0):
        return None
    return _element(node.this, index - offset if index > 0 else index, names)


def index_of(node: Expression) -> int | None:
    """A whole number; None for other expressions."""
    node = unwrapped(node)
    if node.key == "neg":
        inner = index_of(node.this)
        return None if inner is None else -inner
    if node.key == "literal" and not node.is_string and str(node.this).isdecimal():
        return int(node.this) if len(str(node.this)) < 10 else None
    return None


def _element(node: Expression, index: int | None, names: Names) -> Operand | None:
    inside = operand(node, names)
    if inside is None or index is None or inside.element is not None or inside.variant:
        return None
    return dataclasses.replace(inside, element=index)


def any_element(node: Expression, names: Names) -> Operand | None:
    """An operand for every element of the list that an expression names; None if it is none."""
    inside = operand(node, names)
    if inside is None or inside.element is not None or inside.variant:
        return None
    return dataclasses.replace(inside, element=ANY)


def columns(node: Expression, names: Names) -> tuple[tuple[str, ...], ...]:
    """The paths of all columns in an expression, each once; none if names may be those of a lambda or subquery."""
    from sqlglot import exp

    if node.find(exp.Lambda, exp.Select) is not None:
        return ()
    paths = []
    for column in node.find_all(exp.Column):
        outer: Expression = column
        while outer.parent is not None and outer.parent.key == "dot":
            outer = outer.parent
        found = operand(outer, names) if outer is not column else None
        path = found.path if found is not None else path_of(column, names)
        if path is not None:
            paths.append(path)
    return tuple(dict.fromkeys(paths))
