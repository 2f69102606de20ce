"""What a rule is: one record, which `check()`, the doctor, the lake, the lenses, the terminal, JSON and docs/rules.md read.

A rule of `check()` has its record in `engine/rules.py`, and a function that yields findings in `engine/check`. A rule of
the doctor or of the lake has its record beside its function. `register` puts each of them into `RULES`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

from pqexplore.engine.deprecation import deprecated


class Severity(Enum):
    """How much harm a finding does, the worst first; the member's value is the word for it.

    Damage is what nobody can read, or what breaks the format.
    """

    DAMAGE = "damage"
    WRONG = "wrong answer possible"
    PORTABILITY = "portability"
    WASTEFUL = "wasteful"
    SLOW = "slow"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self.value]

    @property
    def level(self) -> str:
        """`error`, `warning` or `note`: the severity in the words of SARIF, and of the findings of `f.check()` in JSON."""
        if self.rank <= _RANKS["wrong answer possible"]:
            return "error"
        return "note" if self.value == "note" else "warning"

    def __eq__(self, other: object) -> bool:
        return self._is_level(other) if isinstance(other, str) else self is other

    @deprecated("finding.severity == 'error'", "finding.severity.level == 'error'", depth=2)
    def _is_level(self, level: str) -> bool:
        return level == self.level

    def __hash__(self) -> int:
        return hash(self.level)


_RANKS = {severity.value: rank for rank, severity in enumerate(Severity)}


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """Where a rule or a threshold comes from: a title and a link."""

    title: str
    url: str


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """What a finding costs. `text` says it in words; the numbers are None if they are not known.

    `bytes` are wasted in the file, or read in vain; `requests` are made in vain; `row_groups` are read in vain; `rows`
    can be wrong or lost.
    """

    text: str = ""
    bytes: int | None = None
    requests: int | None = None
    row_groups: int | None = None
    rows: int | None = None


FOOTER, PAGES, SAMPLE, DATA = "footer", "pages", "sample", "data"
LEVELS = (FOOTER, PAGES, SAMPLE, DATA)
"""How much a diagnosis reads: the footer; also page headers, indexes and Bloom filters; also a part of the pages; everything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    - `name`: stable; `severity`: that of its findings, unless one says another; `title`: what it looks for.
    - `why`: why it matters; `threshold`: the number that it compares with, and its reason, "" if there is none.
    - `cost`: what its findings cost and whom, `fix` and `code`: what to do, in words and by writer, unless a finding says it. `message`: a template of the
      sentence, whose names are those of the evidence; "" if each finding has words of its own.
    - `source`: where the rule comes from; `specification`: the words of the specification that it rests on.
    - `level`: what is read to see it. `find(subject)` yields the findings that the file's evidence supports; None for the
      rules of `check()`, whose functions yield findings of several rules, and for those of many files.
    - `instead_of`: a rule of a lower level whose findings this one replaces, because it looks closer; "" if none.
    - `explains`: rules whose findings are only symptoms where this one has a finding: they come after it.
    - `repeats`: rules about the same: where this one has a finding, theirs are not listed.
    - `locked`: whether it looks at files whose footer needs a key, too. `after_check`: whether it looks at what `check()`
      found, which it does at level `data`.
    - `violation`: whether it is a rule of `check()`. `once`: whether it holds for the whole file if it holds anywhere, so
      that only the first finding is listed. `incomplete`: whether it says that a part was not looked at, which is no fault of the file.
    - `describes`: whether the number that it finds wrong only describes the file, for planning: no value gets lost by it.
    """

    name: str
    severity: Severity
    level: str = DATA
    title: str = ""
    why: str = ""
    find: Callable[[Any], Iterator[Any]] | None = None
    source: Source | None = None
    threshold: str = ""
    instead_of: str = ""
    locked: bool = False
    after_check: bool = False
    cost: str = ""
    fix: str = ""
    code: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    message: str = ""
    specification: str = ""
    explains: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    violation: bool = False
    once: bool = False
    incomplete: bool = False
    describes: bool = False


RULES: dict[str, Rule] = {}
"""All rules by name, of the modules that were imported."""


def register(*rules: Rule) -> tuple[Rule, ...]:
    """Puts rules into `RULES`, and returns them."""
    RULES.update((one.name, one) for one in rules)
    return rules
