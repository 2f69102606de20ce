"""What a trial may cost: seconds, and bytes of the file."""

from __future__ import annotations

import dataclasses
import time

from pqexplore.engine.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Budget:
    """The cost that `what_if` may have.

    - `seconds`: of wall clock. What is begun is finished: a chunk in one encoding.
    - `bytes`: of column chunks that are read, each as often as it is read.
    """

    seconds: float = 20.0
    bytes: int = 256 << 20

    def __post_init__(self) -> None:
        if not self.seconds > 0 or self.bytes < 1:
            raise UsageError(f"a budget has seconds and bytes above 0, not {self.seconds} and {self.bytes}")  # fmt: skip

    def share(self, parts: int) -> Budget:
        """One of so many equal parts."""
        return Budget(self.seconds / parts, max(1, self.bytes // parts))

    def start(self) -> Clock:
        """A clock of this budget that runs from now."""
        return Clock(self)


class Clock:
    """How much of a budget is left."""

    def __init__(self, budget: Budget) -> None:
        self._begun = time.monotonic()
        self._budget = budget
        self._bytes = budget.bytes

    @property
    def left(self) -> float:
        """Seconds that are left; negative after the end."""
        return self._begun + self._budget.seconds - time.monotonic()

    @property
    def done(self) -> float:
        """The share of the seconds that have passed, at most 1."""
        return min(1.0, 1 - self.left / self._budget.seconds)

    def share(self, parts: int) -> Budget:
        """One of so many equal parts of what is left."""
        return Budget(max(SHORTEST, self.left / parts), max(1, self._bytes // parts))

    def spend(self, size: int) -> bool:
        """Spend bytes if so many are left; says whether they were."""
        if size > self._bytes:
            return False
        self._bytes -= size
        return True


SHORTEST = 0.02
"""Seconds for a part of the work when the budget allows less for each."""

DEFAULT = Budget()
