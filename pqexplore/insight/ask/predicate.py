"""A condition as a tree of clauses about single columns; `sql` parses it.

The tree has the conditions that an index can decide: comparisons of a column with literals, under AND and OR. NOT is
pushed down to the clauses (De Morgan's laws hold in SQL's three-valued logic), so that every clause asks one question:
can it be TRUE for a row? Every other condition becomes `Opaque`, and skips nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterator
from typing import Any

INTEGRAL, DECIMAL, DOUBLE, TEXT = "whole number", "decimal number", "double", "text"
BOOLEAN, DATE, TIMESTAMP, LOCAL_TIMESTAMP = "boolean", "date", "timestamp", "local timestamp"
NULL = "null"
KINDS = (INTEGRAL, DECIMAL, DOUBLE, TEXT, BOOLEAN, DATE, TIMESTAMP, LOCAL_TIMESTAMP, NULL)
"""The kinds of literals. In Spark `5` is a whole number, `5.0` a decimal, `5e0` a double."""

NEGATED = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "=": "!=",
    "!=": "=",
    "<=>": "not <=>",
    "not <=>": "<=>",
    "is true": "is false",
    "is false": "is true",
}
"""The negation of each operator. A column that is a condition by itself has the operator `is true`."""


@dataclasses.dataclass(frozen=True)
class Literal:
    """A literal: its kind (of `KINDS`), its value, and its SQL.

    Values are int, Decimal, float, str, bool; days since 1970 for dates, microseconds since 1970 for timestamps; None
    for NULL.
    """

    kind: str
    value: Any
    sql: str


@dataclasses.dataclass(frozen=True)
class Compare:
    """Compares a column with a literal; `operator` is a key of `NEGATED`."""

    column: str
    operator: str
    literal: Literal
    sql: str


@dataclasses.dataclass(frozen=True)
class OneOf:
    """column IN (literals), or NOT IN."""

    column: str
    literals: tuple[Literal, ...]
    negated: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class NullTest:
    """column IS NULL, or IS NOT NULL."""

    column: str
    negated: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class Constant:
    """TRUE, FALSE or NULL: `value` is whether it is TRUE."""

    value: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class Opaque:
    """A condition that no index can decide, and why."""

    why: str
    sql: str


@dataclasses.dataclass(frozen=True)
class All:
    """Clauses joined by AND."""

    parts: tuple[Clause, ...]
    sql: str


@dataclasses.dataclass(frozen=True)
class Some:
    """Clauses joined by OR."""

    parts: tuple[Clause, ...]
    sql: str


Leaf = Compare | OneOf | NullTest | Constant | Opaque
Clause = Leaf | All | Some


def leaves(clause: Clause) -> Iterator[Leaf]:
    """Yields the leaves of a clause tree, from left to right."""
    if isinstance(clause, All | Some):
        for part in clause.parts:
            yield from leaves(part)
    else:
        yield clause


def column_of(leaf: Leaf) -> str | None:
    """The column that a clause is about; None for constants and opaque clauses."""
    return None if isinstance(leaf, Constant | Opaque) else leaf.column


_EPOCH = datetime.date(1970, 1, 1)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def days(text: str) -> int | None:
    """Days since 1970 of a date in the form YYYY-MM-DD; None for other text."""
    if not _DAY.match(text):
        return None
    try:
        return (datetime.date.fromisoformat(text) - _EPOCH).days
    except ValueError:
        return None
