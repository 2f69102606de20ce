"""Sorts column chunks by everything in the stored tables that an engine's rules can look at.

A signature is one number. It says where the bounds lie among the literals of a test, whether they are equal, trusted and
exact, and whether there are nulls and NaNs. Chunks of one signature, in files of one writer, get the same ruling; so an
engine is asked about one of them. The numbers are computed by Arrow or by Spark from one definition, `signature`.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.value_text import plain_length
from pqexplore.insight.ask.bound import Test
from pqexplore.lake.asking.schemas import ends


class Number(Protocol):
    """Whole numbers, one for each row: a numpy array, or Spark's Column."""

    def __add__(self, other: Any, /) -> Any:
        """The sums."""

    def __mul__(self, other: Any, /) -> Any:
        """The products."""


T = TypeVar("T", bound=Number, covariant=True)


class Rows(Protocol[T]):
    """Rows of the table `column_chunks`. Each method gives 1 where something holds, else 0."""

    def at_least(self, column: str, key: bytes) -> T:
        """A key in a column is `key` or larger; 0 for null."""
        ...

    def above(self, column: str, key: bytes) -> T:
        """A key in a column is larger than `key`; 0 for null."""
        ...

    def is_null(self, column: str) -> T:
        """A column is null."""
        ...

    def same(self, column: str, other: str) -> T:
        """Two columns are equal; 0 if one is null."""
        ...

    def equals(self, column: str, value: Any) -> T:
        """A column has a value; 0 for null."""
        ...

    def positive(self, column: str) -> T:
        """A number is above 0; 0 for null."""
        ...


STATISTICS = ("none", "counts", "min_max", "legacy")
TRUST = (
    "trusted",
    "none",
    "no-column-order",
    "unordered-type",
    "legacy",
    "nan",
    "nan-count-absent",
    "min-above-max",
    "damaged",
    "variant-encoded",
    "variant-value",
    "variant-value-unknown",
)

COLUMNS = (
    "num_values",
    "null_count",
    "nan_count",
    "statistics",
    "bounds",
    "min_raw",
    "max_raw",
    "min_key",
    "max_key",
    "min_text",
    "max_text",
    "min_exact",
    "max_exact",
    "locked",
)
"""The columns of `column_chunks` that rulings come from."""


def signature(test: Test, rows: Rows[T]) -> Any:
    """The signature of each chunk about a test: a number below 2^48, for at most `MOST_ENDS` ends."""
    code: Any = rows.is_null("num_values")

    def put(value: Any, count: int) -> None:
        nonlocal code
        code = code * count + value

    def put_flag(value: Any) -> None:
        put(value, 2)

    put_flag(rows.positive("num_values"))
    found = ends(test.accepts)
    for column in ("min_key", "max_key"):
        put_flag(rows.is_null(column))
        place: Any = None
        for end in found:
            passed = rows.at_least(column, end) + rows.above(column, end)
            place = passed if place is None else place + passed
        if place is not None:
            put(place, 2 * len(found) + 1)
    for column, names in (("statistics", STATISTICS), ("bounds", TRUST)):
        kind: Any = None
        for number, name in enumerate(names, 1):
            one = rows.equals(column, name) * number
            kind = one if kind is None else kind + one
        put(kind, len(names) + 1)
    put_flag(rows.same("min_raw", "max_raw"))
    for column in ("min_raw", "max_raw", "null_count", "nan_count"):
        put_flag(rows.is_null(column))
    put_flag(rows.same("null_count", "num_values"))
    for column in ("null_count", "nan_count"):
        put_flag(rows.positive(column))
    for column in ("min_exact", "max_exact"):
        put(rows.equals(column, False) + rows.equals(column, True) * 2, 3)
    put_flag(rows.equals("locked", True))
    if is_float(test.leaf):
        width = plain_length(test.leaf) or 0
        zeros = (bytes(width), bytes(width - 1) + b"\x80")
        for column in ("min_raw", "max_raw"):
            put(rows.equals(column, zeros[0]) + rows.equals(column, zeros[1]) * 2, 3)
    return code
