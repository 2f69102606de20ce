"""A condition as a small tree of clauses about single columns.

What remains of SQL here is what an index can speak about: a column beside literals, under AND and OR. NOT is gone: it
is pushed down to the clauses, which is allowed in SQL's three-valued logic (Kleene's; De Morgan's laws hold), so that one
question remains for every clause: can it be TRUE for some row? All else becomes `Opaque`, of which nothing is claimed.
`sql` makes the tree.
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
"""What a literal may be. Spark's type of `5` is a whole number, of `5.0` a decimal, of `5e0` a double."""

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
"""What an operator becomes under NOT. A column that is a condition by itself has the operator `is true`."""


@dataclasses.dataclass(frozen=True)
class Literal:
    """A literal: its kind (of `KINDS`), its value, and the SQL it was written as.

    Values are int, Decimal, float, str, bool; days since 1970 for dates and microseconds for timestamps; None for NULL.
    """

    kind: str
    value: Any
    sql: str


@dataclasses.dataclass(frozen=True)
class Compare:
    """A column beside a literal; `operator` is a key of `NEGATED`."""

    column: str
    operator: str
    literal: Literal
    sql: str


@dataclasses.dataclass(frozen=True)
class OneOf:
    """A column that is, or is not, IN a list of literals."""

    column: str
    literals: tuple[Literal, ...]
    negated: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class NullTest:
    """A column that IS NULL, or IS NOT NULL."""

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
    """A condition that no index can speak about, and why."""

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
    """The clauses that are not joined, from left to right."""
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
    """Days since 1970 of a date that is written YYYY-MM-DD; None for anything else."""
    if not _DAY.match(text):
        return None
    try:
        return (datetime.date.fromisoformat(text) - _EPOCH).days
    except ValueError:
        return None
