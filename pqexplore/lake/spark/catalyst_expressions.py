"""Reads conditions as Spark prints them in a plan: `((i#5 > 3) AND StartsWith(s#6, ab))`.

Spark prints text without quotes, so the text of a condition can be ambiguous: `(s#1 = a) AND (b = c))`. Therefore a
condition is read in every way that its parentheses allow, and the reading that gives the plan's list of pushed filters is
taken (`agreed`). A part that this module does not know is `Other`, and keeps its text.
"""

from __future__ import annotations

import dataclasses
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence

STEPS = 20_000
"""Steps after which the reading of a condition stops: text with many parentheses has many readings."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column, or a field inside a struct: its names, and its type as Spark writes it ("" if unknown)."""

    path: tuple[str, ...]
    type: str = ""

    @property
    def filter_name(self) -> str:
        """The name in Spark's filters: quoted only where it is needed."""
        return ".".join(
            name if re.fullmatch(r"[a-zA-Z0-9_]+", name) else "`" + name.replace("`", "``") + "`" for name in self.path
        )

    @property
    def sql(self) -> str:
        """The name in SQL."""
        return ".".join("`" + name.replace("`", "``") + "`" for name in self.path)


@dataclasses.dataclass(frozen=True)
class Test:
    """A condition about one column: `operator` is = < <= > >= <=> in, null, not null, starts, ends, contains, true."""

    column: Column
    operator: str
    values: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Not:
    """NOT of a condition."""

    part: Node


@dataclasses.dataclass(frozen=True)
class Joined:
    """Two conditions joined by AND or OR."""

    word: str
    left: Node
    right: Node


@dataclasses.dataclass(frozen=True)
class Other:
    """A part that is not understood."""

    text: str


Node = Test | Not | Joined | Other


def conjuncts(node: Node) -> Iterator[Node]:
    """The conditions that AND joins at the top."""
    if isinstance(node, Joined) and node.word == "AND":
        yield from conjuncts(node.left)
        yield from conjuncts(node.right)
    else:
        yield node


def columns(node: Node) -> Iterator[Column]:
    """The columns of the parts that are understood."""
    if isinstance(node, Test):
        yield node.column
    elif isinstance(node, Not):
        yield from columns(node.part)
    elif isinstance(node, Joined):
        yield from columns(node.left)
        yield from columns(node.right)


_FUNCTIONS = {
    "isnull(": "null",
    "isnotnull(": "not null",
    "StartsWith(": "starts",
    "EndsWith(": "ends",
    "Contains(": "contains",
}
_OPERATORS = (" = ", " <= ", " >= ", " < ", " > ", " <=> ")
_ATTRIBUTE = re.compile(r"#\d+L?((?:\.[A-Za-z_0-9]+)*)")


class _TooLong(Exception):
    pass


class Reader:
    """Reads conditions about the columns with these ids: id → names, and type."""

    def __init__(self, columns: Mapping[str, Column], types: Mapping[str, str]) -> None:
        self.columns = columns
        self.types = types
        self.steps = 0

    def readings(self, text: str) -> Iterator[Node]:
        """The ways to read a condition, the likeliest first; none if it is too long to try them."""
        self.steps = 0
        try:
            for node, end in self._any(text, 0):
                if end == len(text):
                    yield node
        except (_TooLong, RecursionError):
            return

    def elements(self, text: str) -> list[Node]:
        """The conditions in a printed list, `[a, b]`; empty if it cannot be read."""
        self.steps = 0
        try:
            return next(self._elements(text, 1), []) if len(text) > 2 else []
        except (_TooLong, RecursionError):
            return []

    def _elements(self, text: str, at: int) -> Iterator[list[Node]]:
        for node, end in self._any(text, at):
            if text[end:] == "]":
                yield [node]
            elif text.startswith(", ", end):
                for rest in self._elements(text, end + 2):
                    yield [node, *rest]

    def _any(self, text: str, at: int) -> Iterator[tuple[Node, int]]:
        self.steps += 1
        if self.steps > STEPS:
            raise _TooLong
        if text.startswith("NOT ", at):
            for node, end in self._any(text, at + 4):
                yield Not(node), end
        yield from self._function(text, at)
        if text.startswith("(", at):
            yield from self._joined(text, at)
            yield from self._compared(text, at)
        yield from self._by_column(text, at)
        yield from _other(text, at)

    def _column(self, text: str, at: int) -> tuple[Column, int] | None:
        """The column whose name and id stand here."""
        for number, column in self.columns.items():
            name = column.path[0]
            if text[at : at + len(name)].lower() != name.lower():
                continue
            found = _ATTRIBUTE.match(text, at + len(name))
            if found is None or found[0][1:].split(".")[0].rstrip("L") != number:
                continue
            path = (name, *filter(None, found[1].split(".")))
            return Column(path, self.types.get(".".join(path).lower(), "")), found.end()
        return None

    def _function(self, text: str, at: int) -> Iterator[tuple[Node, int]]:
        for word, operator in _FUNCTIONS.items():
            if not text.startswith(word, at):
                continue
            column = self._column(text, at + len(word))
            if column is None:
                return
            after = column[1]
            if operator.endswith("null"):
                if text.startswith(")", after):
                    yield Test(column[0], operator), after + 1
            elif text.startswith(", ", after):
                for value, end in _values(text, after + 2, column[0]):
                    yield Test(column[0], operator, (value,)), end

    def _joined(self, text: str, at: int) -> Iterator[tuple[Node, int]]:
        for left, end in self._any(text, at + 1):
            for word in ("AND", "OR"):
                if not text.startswith(f" {word} ", end):
                    continue
                for right, last in self._any(text, end + len(word) + 2):
                    if text.startswith(")", last):
                        yield Joined(word, left, right), last + 1

    def _compared(self, text: str, at: int) -> Iterator[tuple[Node, int]]:
        column = self._column(text, at + 1)
        if column is None:
            return
        for operator in _OPERATORS:
            if text.startswith(operator, column[1]):
                for value, end in _values(text, column[1] + len(operator), column[0]):
                    if _ATTRIBUTE.search(value) is None:
                        yield Test(column[0], operator.strip(), (value,)), end

    def _by_column(self, text: str, at: int) -> Iterator[tuple[Node, int]]:
        column = self._column(text, at)
        if column is None:
            return
        after = column[1]
        if text.startswith(" IN (", after):
            for value, end in _values(text, after + 5, column[0]):
                yield Test(column[0], "in", tuple(value.split(","))), end
        elif text.startswith(" INSET ", after):
            for match in re.finditer(r"\)|$", text[after + 7 :]):
                end = after + 7 + match.start()
                values = tuple(text[after + 7 : end].split(", "))
                yield Test(column[0], "in", values), end
        elif column[0].type in ("boolean", ""):
            yield Test(column[0], "true"), after


def _values(text: str, at: int, column: Column) -> Iterator[tuple[str, int]]:
    """The literals that may begin here, each up to a closing parenthesis, and where the text goes on."""
    end = text.find(")", at)
    while end >= 0:
        yield text[at:end], end + 1
        if column.type not in ("string", "") and not column.type.startswith(("char", "varchar")):
            return
        end = text.find(")", end + 1)


def _other(text: str, at: int) -> Iterator[tuple[Node, int]]:
    """A part up to where its parentheses are closed, and AND, OR or a parenthesis follows."""
    depth, i = 0, at
    while i <= len(text):
        character = text[i] if i < len(text) else ")"
        stops = character in ")]" or text.startswith((" AND ", " OR ", ", "), i)
        if depth == 0 and i > at and stops:
            yield Other(text[at:i]), i
            if character in ")]":
                return
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return
        i += 1


def agreed(reader: Reader, conditions: Sequence[str], pushed: str) -> tuple[list[tuple[Node, bool]], bool]:
    """The conjuncts of conditions, each with whether the plan lists it in PushedFilters; and whether they agree.

    `pushed` is the list as the plan prints it. Without agreement, the conditions are `Other`.
    """
    for found in _product(reader, conditions):
        nodes = list(dict.fromkeys(part for node in found for part in conjuncts(node)))
        listed = _listed(nodes, pushed)
        if listed is not None:
            return list(zip(nodes, listed, strict=True)), True
    return [(Other(text), False) for text in conditions], False


def _product(reader: Reader, conditions: Sequence[str]) -> Iterator[list[Node]]:
    if not conditions:
        yield []
        return
    tried = 0
    for first in reader.readings(conditions[0]):
        for rest in _product(Reader(reader.columns, reader.types), conditions[1:]):
            yield [first, *rest]
            tried += 1
            if tried > 200:
                return


def _listed(nodes: Sequence[Node], pushed: str) -> list[bool] | None:
    """Which conjuncts are in the printed list of pushed filters; None if it has others."""
    at, found = 1, []
    for node in nodes:
        pattern = _filter(node)
        match = None if pattern is None else re.compile(pattern + r"(?:, |(?=\]$))").match(pushed, at)
        found.append(match is not None)
        at = at if match is None else match.end()
    return found if pushed[at:] in ("]", "") else None


_FILTERS = {
    "=": "EqualTo", "<": "LessThan", "<=": "LessThanOrEqual", ">": "GreaterThan", ">=": "GreaterThanOrEqual",
    "<=>": "EqualNullSafe", "starts": "StringStartsWith", "ends": "StringEndsWith", "contains": "StringContains",
}  # fmt: skip


def _filter(node: Node) -> str | None:
    """A regular expression for a condition in the list of pushed filters; None if it has no filter."""
    if isinstance(node, Not):
        inner = _filter(node.part)
        return None if inner is None else rf"Not\({inner}\)"
    if isinstance(node, Joined):
        parts = [_filter(node.left), _filter(node.right)]
        if None in parts:
            return None
        return rf"{node.word.capitalize()}\({parts[0]},{parts[1]}\)"
    if isinstance(node, Other):
        return None
    name = f"(?i:{re.escape(node.column.filter_name)})"
    if node.operator in ("null", "not null"):
        return rf"{'IsNull' if node.operator == 'null' else 'IsNotNull'}\({name}\)"
    if node.operator == "true":
        return rf"EqualTo\({name},true\)"
    values = [_value_pattern(value, node.column.type) for value in node.values]
    if node.operator == "in":
        return rf"In\({name}, \[{','.join(values)}\]\)"
    return rf"{_FILTERS[node.operator]}\({name},{values[0]}\)"


def _value_pattern(value: str, kind: str) -> str:
    """Filters print timestamps and binary values in their own form."""
    return r"[^,()\[\]]*(?:\[B@\w+)?" if kind.startswith(("timestamp", "binary")) else re.escape(value)


def sql(node: Node) -> str | None:
    """The condition in SQL; None if a part is not understood."""
    if isinstance(node, Other):
        return None
    if isinstance(node, Not):
        inner = sql(node.part)
        return None if inner is None else f"NOT ({inner})"
    if isinstance(node, Joined):
        left, right = sql(node.left), sql(node.right)
        return None if left is None or right is None else f"({left} {node.word} {right})"
    name, operator = node.column.sql, node.operator
    if operator in ("null", "not null"):
        return f"{name} IS {operator.upper()}"
    if operator == "true":
        return name
    if operator in ("starts", "ends", "contains"):
        return _like(name, operator, node.values[0])
    if operator == "in" and any(value != value.strip() or not value for value in node.values):
        return None  # a comma may be inside of a text
    literals = [_literal(value, node.column.type) for value in node.values]
    known = [one for one in literals if one is not None]
    if len(known) < len(literals):
        return None
    if operator == "in":
        return f"{name} IN ({', '.join(known)})"
    return f"{name} {operator} {known[0]}"


def _like(name: str, operator: str, text: str) -> str | None:
    if re.search(r"[%_\\]", text):
        return None
    before, after = {"starts": ("", "%"), "ends": ("%", ""), "contains": ("%", "%")}[operator]
    return f"{name} LIKE {_quoted(before + text + after)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _floating(text: str, kind: str) -> str | None:
    """A printed float or double in SQL; None if it is no number."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return f"double('{text}')"
    if kind == "float":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    plain = repr(number)
    return plain if "e" in plain else f"{plain}e0"


def _literal(text: str, kind: str) -> str | None:
    """A printed literal of a column's type in SQL; None if the type is not known."""
    if kind in ("tinyint", "smallint", "int", "bigint"):
        return text if re.fullmatch(r"-?\d+", text) else None
    if kind.startswith("decimal"):
        return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else None
    if kind in ("float", "double"):
        return _floating(text, kind)
    if kind == "boolean":
        return text if text in ("true", "false") else None
    if kind == "date":
        return f"DATE {_quoted(text)}" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    if kind in ("timestamp", "timestamp_ntz"):
        return f"{kind.upper()} {_quoted(text)}"
    if kind == "binary":
        return f"X'{text[2:]}'" if re.fullmatch(r"0x[0-9A-F]*", text) else None
    if not kind:  # a partition column, whose type the plan does not name
        return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else _quoted(text)
    return _quoted(text) if kind == "string" or kind.startswith(("char", "varchar")) else None
