"""A question about a file: what a query reads. The lens `query` answers it."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.errors import UsageError

LONGEST = 4_000
"""Max characters of a condition that is typed in the explorer."""

ANY = "format"
"""The engine that uses everything that the format allows."""


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A condition in SQL, and the name of the engine that runs it (`engines.ENGINES`)."""

    where: str
    engine: str = ANY

    @classmethod
    def of(cls, where: str, engine: str = "") -> Question | None:
        """The question; None without a condition. UsageError for a condition that is too long."""
        where = where.strip()
        if len(where) > LONGEST:
            raise UsageError(f"a condition of {len(where):,} characters is longer than {LONGEST:,}")
        return cls(where, engine or ANY) if where else None


@dataclasses.dataclass(slots=True)
class Slider:
    """The literals that may replace one of a condition, in order: `stops[at]` is the present one.

    `before` is the text of the condition between the literal before and this one; `column` the dotted path.
    """

    before: str
    column: str
    at: int
    stops: list[str]


@dataclasses.dataclass(slots=True)
class Sliders:
    """The literals of a condition that have sliders; `after` is the text of the condition after the last one."""

    sliders: list[Slider]
    after: str


@dataclasses.dataclass(slots=True)
class Example:
    """A condition to begin with, and what it asks for."""

    where: str
    why: str
