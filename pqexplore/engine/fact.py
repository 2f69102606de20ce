"""Facts of a node."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.span import Span
from pqexplore.engine.text import printable


@dataclasses.dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a node: a name, a value, and a sentence with its meaning.

    `span` has the bytes of the value if they are known; `address` is that of the node to which the value refers. Name and
    meaning are printable text; the value is unchanged.
    """

    name: str
    value: Any
    meaning: str = ""
    span: Span | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", printable(self.name))
        object.__setattr__(self, "meaning", printable(self.meaning))
