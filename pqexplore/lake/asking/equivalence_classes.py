"""Sorts column chunks by everything in the stored tables that an engine's rules can look at.

A signature is one number. It says where the bounds lie among the literals of a test, whether they are equal, trusted and
exact, and whether there are nulls and NaNs. Chunks of one signature, in files of one writer, get the same ruling; so an
engine is asked about one of them. The numbers are computed by Arrow or by Spark from one definition, `signature`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.value_text import plain_length
from pqexplore.insight.ask.bound import Test
from pqexplore.lake.asking.schemas import ends

Holds = Callable[[str, str, Any], Any]
"""Whole numbers, one for each row of `column_chunks`: 1 where something holds of a column, else 0, also for null.

The arguments are an operator, a column, and what it is compared with: `>`, `>=` or `=` with a value, `same` with another
column, `null` with None. The numbers are a numpy array, or Spark's Column.
"""

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


def signature(test: Test, holds: Holds) -> Any:
    """The signature of each chunk about a test: a number below 2^48, for at most `MOST_ENDS` ends."""
    code: Any = holds("null", "num_values", None)

    def put(value: Any, count: int = 2) -> None:
        nonlocal code
        code = code * count + value

    def put_one_of(column: str, *values: Any) -> None:
        put(sum(holds("=", column, value) * number for number, value in enumerate(values, 1)), len(values) + 1)

    put(holds(">", "num_values", 0))
    found = ends(test.accepts)
    for column in ("min_key", "max_key"):
        put(holds("null", column, None))
        if found:
            put(sum(holds(sign, column, end) for end in found for sign in (">=", ">")), 2 * len(found) + 1)
    put_one_of("statistics", *STATISTICS)
    put_one_of("bounds", *TRUST)
    put(holds("same", "min_raw", "max_raw"))
    for column in ("min_raw", "max_raw", "null_count", "nan_count"):
        put(holds("null", column, None))
    put(holds("same", "null_count", "num_values"))
    for column in ("null_count", "nan_count"):
        put(holds(">", column, 0))
    for column in ("min_exact", "max_exact"):
        put_one_of(column, False, True)
    put(holds("=", "locked", True))
    if is_float(test.leaf):
        width = plain_length(test.leaf) or 0
        for column in ("min_raw", "max_raw"):
            put_one_of(column, bytes(width), bytes(width - 1) + b"\x80")
    return code
