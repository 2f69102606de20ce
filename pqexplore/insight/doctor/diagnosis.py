"""A diagnosis: what is wrong, where, what shows it, what it costs, and what to do."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from pqexplore.engine.text import printable
from pqexplore.insight.doctor.brief import MOST, brief
from pqexplore.insight.severity import Severity, Source

__all__ = ["Cost", "Diagnosis", "Severity", "Source"]


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """What a diagnosis costs. `text` says it in words; the numbers are None if they are not known.

    `bytes` are wasted in the file, or read in vain; `requests` are made in vain; `row_groups` are read in vain; `rows`
    can be wrong or lost.
    """

    text: str = ""
    bytes: int | None = None
    requests: int | None = None
    row_groups: int | None = None
    rows: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Diagnosis:
    """Something that is wrong with a file, or could be better.

    - `rule`: a stable name; `severity`; `sentence`: what it is, with its evidence.
    - `address`: the node to look at, "" for the file; `column`: the dotted path, "" if it is about no column;
      `row_groups`: those concerned; `rows`: how many rows are concerned, None if that is not known.
    - `evidence`: the values that the sentence rests on; `cost`: what it costs.
    - `fix`: what to do, in a sentence; `code`: the same by writer. `source`: where the rule comes from.
    - `message`, `how` and `place`: the parts of the sentence of a finding of `check()`: what is wrong, whether that is
      wrong, doubtful or noted, and where; else "".
    """

    rule: str
    severity: Severity
    sentence: str
    address: str = ""
    column: str = ""
    row_groups: tuple[int, ...] = ()
    rows: int | None = None
    evidence: Mapping[str, object] = dataclasses.field(default_factory=dict)
    cost: Cost = Cost()
    fix: str = ""
    code: Mapping[str, str] = dataclasses.field(default_factory=dict)
    source: Source | None = None
    message: str = ""
    how: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        for name in ("sentence", "fix", "column", "place"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    @property
    def lead(self) -> str:
        """The sentence; of a finding of `check()` about a part of a row group, with its place before what is wrong."""
        placed = self.message and self.row_groups
        return f"{self._begin}{printable(self.message).rstrip('.')}." if placed else self.sentence

    @property
    def headline(self) -> str:
        """How `lead` begins, in one line: the place, and the first clauses of what is wrong."""
        if not self.message:
            return brief(self.sentence)
        return self._begin + brief(printable(self.message), MOST - len(self._begin))

    @property
    def _begin(self) -> str:
        """What stands before the message of a finding of `check()`."""
        if not self.row_groups:
            return f"{self.how}: "
        if self.how != "Wrong":
            return f"{self.how} in {self.place}: "
        unreadable = " cannot be read" if self.rule == "unreadable" else ""
        place = self.place.removeprefix("column ")  # its name is in backquotes
        return f"{place[:1].upper()}{place[1:]}{unreadable}: "

    @property
    def with_cost(self) -> str:
        """The sentence, and what it costs, unless the sentence has that number already."""
        cost = printable(self.cost.text)
        said = self.lead
        return f"{said} Cost: {cost}." if cost and not _known(cost, said) else said

    def __str__(self) -> str:
        return f"{self.severity.value}: {self.sentence} [{self.rule}]"

    def __repr__(self) -> str:
        return f"<Diagnosis {self}>"


def _known(cost: str, said: str) -> bool:
    """Whether a cost is a size of the file that the sentence names."""
    size, of, _ = cost.partition(" of the file")
    return bool(of) and not re.search(r"[^\d.,kMGTB ]", size) and size in said
