"""How bad something is, and where that is known from."""

from __future__ import annotations

import dataclasses
from enum import Enum


class Severity(Enum):
    """How bad a diagnosis is, the worst first; the member's value is the word for it."""

    DAMAGE = "damage"
    WRONG = "wrong answer possible"
    SLOW = "slow"
    WASTEFUL = "wasteful"
    PORTABILITY = "portability"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """Where a rule or a threshold comes from: a title and a link."""

    title: str
    url: str
