"""A condition as a tree of clauses about single columns; `sql` parses it.

The tree has the conditions that an index can decide: comparisons of a column with literals, under AND and OR. NOT is
pushed down to the clauses (De Morgan's laws hold in SQL's three-valued logic), so that every clause asks one question:
can it be TRUE for a row? Every other condition becomes `Opaque`, and skips nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import operator
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

INTEGRAL, DECIMAL, DOUBLE, TEXT = "whole number", "decimal number", "double", "text"
BOOLEAN, DATE, TIMESTAMP, LOCAL_TIMESTAMP = "boolean", "date", "timestamp", "local timestamp"
NULL, FLOAT, BINARY, TIME, UUID = "null", "float", "binary", "time of day", "UUID"
ZONELESS, FINE = "timestamp without a zone", "timestamp in nanoseconds"
KINDS = (
    *(INTEGRAL, DECIMAL, DOUBLE, TEXT, BOOLEAN, DATE, TIMESTAMP, LOCAL_TIMESTAMP, NULL),
    *(FLOAT, BINARY, TIME, UUID, ZONELESS, FINE),
)
"""The kinds of literals. In Spark `5` is a whole number, `5.0` a decimal, `5e0` a double.

A timestamp is `ZONELESS` if its text has no zone and the session's is not known, and `FINE` if it has more than six
digits of a second.
"""

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

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<=>": operator.eq,
    "!=": operator.ne,
    "not <=>": operator.ne,
}
"""What an operator says of two values, neither of them null, that compare as Python's do."""


@dataclasses.dataclass(frozen=True)
class Moment:
    """A date or timestamp in both readings, in nanoseconds since 1970, each as (earliest, latest).

    `clock` is for columns of local timestamps: what a clock shows. `instant` is for columns of instants. The two ends
    differ only where the session's zone changes its clocks; `chosen` is then the instant that Spark takes. `assumed` says that the session's zone is not known, and
    that one of the two readings takes it for UTC: "clock", "instant", or "" if nothing is assumed.
    """

    clock: tuple[int, int]
    instant: tuple[int, int]
    chosen: int
    assumed: str = ""


@dataclasses.dataclass(frozen=True)
class Literal:
    """A literal: its kind (of `KINDS`), its value, and its SQL.

    Values are int, Decimal, float, str, bool, bytes; days since 1970 for dates, microseconds since 1970 for timestamps
    (nanoseconds if `FINE`), nanoseconds since midnight for times; None for NULL. `moment` is set for dates, timestamps
    and text in their form.
    """

    kind: str
    value: Any
    sql: str
    moment: Moment | None = None


@dataclasses.dataclass(frozen=True)
class Operand:
    """What a clause is about: a column, an element of a list, or a value inside a Variant.

    `path` has the names as written, from the top-level column on. `element` is None, or which element of the list at
    `path`: an index from 0 (negative: from the end), or `ANY`; `below` are the names from the element on. `variant` is
    the path in a Variant (`$.a.b`), and `variant_type` the type that is asked for; both are "" for other columns.
    `table` is the query's table if its name was written before the column's; it is not in `path`.
    """

    path: tuple[str, ...]
    element: int | str | None = None
    below: tuple[str, ...] = ()
    variant: str = ""
    variant_type: str = ""
    table: str = ""

    @property
    def column(self) -> str:
        """The lower-cased, dotted name of a plain column; "" for everything else, for names with a dot or a table."""
        special = self.element is not None or self.variant or self.table
        if special or any("." in name for name in self.path):
            return ""
        return ".".join(self.path).lower()

    def __str__(self) -> str:
        name = ".".join(self.path)
        if self.variant:
            return f"{name}{self.variant.removeprefix('$')}"
        if self.element is None:
            return name
        which = "" if self.element == ANY else self.element
        return ".".join((f"{name}[{which}]", *self.below))


ANY = "any"
"""The `element` of an operand that stands for every element: the clause is TRUE if it is for one of them."""


class _About:
    """A clause about an operand."""

    operand: Operand

    @property
    def column(self) -> str:
        """The lower-cased, dotted name of the column; "" if the operand is not a plain column."""
        return self.operand.column


@dataclasses.dataclass(frozen=True)
class Compare(_About):
    """Compares an operand with a literal; `operator` is a key of `NEGATED`.

    `listed` says that it was written as IN or NOT IN with one value.
    """

    operand: Operand
    operator: str
    literal: Literal
    sql: str
    listed: bool = False

    @property
    def not_in(self) -> bool:
        """Whether it was written as NOT IN."""
        return self.listed and self.operator == "!="


@dataclasses.dataclass(frozen=True)
class OneOf(_About):
    """operand IN (literals), or NOT IN."""

    operand: Operand
    literals: tuple[Literal, ...]
    negated: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class NullTest(_About):
    """operand IS NULL, or IS NOT NULL."""

    operand: Operand
    negated: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class NanTest(_About):
    """isnan(operand), or NOT isnan(operand)."""

    operand: Operand
    negated: bool
    sql: str


class Wildcard(Enum):
    """A wildcard of LIKE: any text, or one character."""

    TEXT = "%"
    CHARACTER = "_"


@dataclasses.dataclass(frozen=True)
class Like(_About):
    """operand LIKE a pattern, or NOT LIKE.

    `pattern` has texts and wildcards.
    """

    operand: Operand
    pattern: tuple[str | Wildcard, ...]
    negated: bool
    sql: str

    @property
    def prefix(self) -> str:
        """The text with which every match begins."""
        first = self.pattern[0] if self.pattern else ""
        return first if isinstance(first, str) else ""

    @property
    def text(self) -> str:
        """The pattern as SQL and Arrow write it; a backslash escapes."""
        return "".join(
            part.value
            if isinstance(part, Wildcard)
            else part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            for part in self.pattern
        )

    @property
    def whole(self) -> bool:
        """Whether the pattern has no wildcards."""
        return all(isinstance(part, str) for part in self.pattern)

    @property
    def only_prefix(self) -> bool:
        """Whether every text with the prefix matches."""
        rest = self.pattern[1:] if self.prefix else self.pattern
        return rest == (Wildcard.TEXT,)


@dataclasses.dataclass(frozen=True)
class Within(_About):
    """ST_Intersects(operand, shape): whether the geometry meets the shape.

    `box` is (xmin, ymin, xmax, ymax) around the shape; `whole` says that the shape is this box.
    """

    operand: Operand
    box: tuple[float, float, float, float]
    whole: bool
    sql: str


@dataclasses.dataclass(frozen=True)
class Constant:
    """TRUE, FALSE or NULL: `value` is whether it is TRUE."""

    value: bool
    sql: str


class AsWritten:
    """A condition's expression as the parser read it; see `parsed.Parsed`."""


@dataclasses.dataclass(frozen=True)
class Opaque:
    """A condition that no index can decide, and why.

    `columns` are the paths of the columns that it reads, as written. `error` says what is wrong with a literal that
    has no value at all, such as DATE '2020-02-30'; "" if nothing is. `parsed` is the condition's expression, for those
    that can compute it.
    """

    why: str
    sql: str
    columns: tuple[tuple[str, ...], ...] = ()
    error: str = ""
    parsed: AsWritten | None = dataclasses.field(default=None, compare=False, repr=False)


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


About = Compare | OneOf | NullTest | NanTest | Like | Within
"""A clause about one operand."""

Leaf = About | Constant | Opaque
Clause = Leaf | All | Some


def leaves(clause: Clause) -> Iterator[Leaf]:
    """Yields the leaves of a clause tree, from left to right."""
    if isinstance(clause, All | Some):
        for part in clause.parts:
            yield from leaves(part)
    else:
        yield clause


def column_of(leaf: Leaf) -> str | None:
    """The plain column that a comparison, IN or IS NULL is about, lower-cased and dotted; None for other clauses."""
    if isinstance(leaf, Compare | OneOf | NullTest):
        return leaf.column or None
    return None


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
