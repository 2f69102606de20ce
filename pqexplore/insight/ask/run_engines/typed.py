"""The literals of a condition among the values of their columns, for engines that are asked in the columns' types."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import meaning
from pqexplore.insight.ask.binding.thresholds import CannotCompare, threshold

if TYPE_CHECKING:
    from pqexplore.insight.ask.bound import Test
    from pqexplore.insight.ask.predicate import Literal


@dataclasses.dataclass(frozen=True, slots=True)
class Typed:
    """A literal in a column's units, as Spark reads it.

    `raw` are text or bytes. Otherwise `number` is exact, in units of the column (days, microseconds, last digits), and
    a float for infinities and NaN.
    """

    number: Fraction | float = 0.0
    raw: bytes | None = None

    @property
    def whole(self) -> int | None:
        """The number as an int; None if it is not whole."""
        number = self.number
        return int(number) if isinstance(number, Fraction) and number.denominator == 1 else None


def typed(test: Test, literal: Literal) -> Typed:
    """A literal of a test in the units of its column. UsageError if engines would cast the column."""
    try:
        found = threshold(test.leaf, literal)
    except CannotCompare as error:
        raise UsageError(f"{test.sql}: {error}") from None
    if found.nan:
        return Typed(float("nan"))
    return Typed(found.one, found.raw)


_UNITS = {"DATE": 86_400_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def nanoseconds(test: Test, found: Typed) -> int | None:
    """A date or timestamp in nanoseconds since 1970; None for other types, and for parts of a nanosecond."""
    logical = meaning(test.leaf)
    unit = _UNITS.get(logical.unit if logical.name == "TIMESTAMP" else logical.name)
    if unit is None or not isinstance(found.number, Fraction):
        return None
    number = found.number * unit
    return int(number) if number.denominator == 1 and abs(number) < 1 << 63 else None
