"""One difference between two files: what differs, where, and what follows from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum

from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff.engines import on_both


class Subject(Enum):
    """What a difference is about, the most important first; the member's value is the word for it."""

    DATA = "data"
    SCHEMA = "schema"
    ENCRYPTION = "encryption"
    LAYOUT = "layout"
    STATISTICS = "statistics"
    FILE = "file"
    SIZE = "size"

    @property
    def rank(self) -> int:
        """0 for the most important."""
        return _RANKS[self]


_RANKS = {subject: rank for rank, subject in enumerate(Subject)}


class Effect(Enum):
    """What a change of the schema does to values; the member's value says it."""

    LOST = "values are lost"
    MEANING = "values change their meaning"
    NARROWED = "values may be lost"
    WIDENED = "values are kept, in a wider type"
    LOOKS = "values only look different"
    NONE = ""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _EFFECTS[self]


_EFFECTS = {effect: rank for rank, effect in enumerate(Effect)}


TEXT = 1_000
"""Characters of each text of a difference."""


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Something in which the second file differs from the first.

    - `subject`; `what`: a stable name, such as `codec` or `column-added`.
    - `sentence`: the difference with its evidence. `clause`: the same as the reason of a larger or smaller file, as it
      follows "because"; "" if it changes no size.
    - `columns`: the dotted paths, of the second file where it has them; empty for the whole file. `row_groups`: those
      concerned, if both files have the same ones.
    - `first`, `second`: what each file has, as text; "" for nothing.
    - `effect`: for the schema, what becomes of values. `kind`: the key of `engines.ANSWERS`, "" if it is none of them.
    - `bytes`: how many bytes more the columns concerned take in the second file; None if that does not follow from it.
    - `addresses`: the node to look at in each file; "" for none.
    """

    subject: Subject
    what: str
    sentence: str
    columns: tuple[str, ...] = ()
    row_groups: tuple[int, ...] = ()
    first: str = ""
    second: str = ""
    clause: str = ""
    effect: Effect = Effect.NONE
    kind: str = ""
    bytes: int | None = None
    addresses: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        for name in ("sentence", "clause", "first", "second"):
            object.__setattr__(self, name, clip(printable(getattr(self, name)), TEXT))
        object.__setattr__(self, "columns", tuple(printable(one) for one in self.columns))

    @property
    def engines(self) -> Mapping[str, str]:
        """What engines make of both files together, in words, by engine; empty if that was not seen."""
        return on_both(self.kind)

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts differences, the most important first."""
        return self.subject.rank, self.effect.rank, -abs(self.bytes or 0)

    def __str__(self) -> str:
        return f"{self.subject.value}: {self.sentence} [{self.what}]"
