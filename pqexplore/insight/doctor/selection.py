"""Which rules count, and which findings are a failure, as linters let their users say it."""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from pqexplore.engine.deprecation import RENAMED_RULES, renamed_rule
from pqexplore.engine.errors import UsageError
from pqexplore.engine.rule import Severity

LEVELS = {"error": "wrong", "warning": "slow"}
"""Names of severities in other tools, and the severity up to which findings count."""
SEVERITIES = (*(one.name.lower() for one in Severity), *LEVELS)
"""Names of severities for pipelines, the worst first."""
WILD = "*?["
"""A name with one of these stands for all rules that it matches: `geo*`."""


class Judged(Protocol):
    """As much of a finding as is asked for."""

    @property
    def rule(self) -> str:
        """The rule's name."""

    @property
    def severity(self) -> Severity:
        """How much harm it does."""


T = TypeVar("T", bound=Judged)


def rule_names() -> frozenset[str]:
    """The names of all rules."""
    from pqexplore.insight.doctor.rules import ALL, RULES

    return frozenset((*ALL, *RULES))


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """Which rules count: those of `select`, all of them without any, and none of `ignore`. Names may have `*`.

    A finding is a failure from the severities of `fail_on` on, or if its rule is named there.
    """

    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    fail_on: Sequence[str] = ("wrong",)

    def checked(self, known: Callable[[], Iterable[str]] = rule_names) -> Selection:
        """The selection with the present names of rules. UsageError for a name that no rule has, or no severity.

        `known` names the rules.
        """
        if not RENAMED_RULES.keys().isdisjoint((*self.select, *self.ignore, *self.fail_on)):
            some = (self.select, self.ignore, self.fail_on)
            return Selection(*([renamed_rule(name) for name in names] for names in some)).checked(known)
        if self.select or self.ignore or any(one not in SEVERITIES for one in self.fail_on):
            rules = sorted(known())
            for name in (*self.select, *self.ignore):
                _check(name, rules, "rule")
            for name in self.fail_on:
                _check(name, [*SEVERITIES, *rules], "severity and no rule")
        return self

    def wants(self, rule: str) -> bool:
        """Whether a rule counts."""
        return (not self.select or _matches(rule, self.select)) and not _matches(rule, self.ignore)

    def split(self, findings: Iterable[T]) -> tuple[list[T], Mapping[str, int]]:
        """The findings whose rules count, and how many there are of each other rule, the worst first."""
        wanted: list[T] = []
        others: Counter[str] = Counter()
        for one in findings:
            if self.wants(one.rule):
                wanted.append(one)
            else:
                others[one.rule] += 1
        return wanted, others

    def failures(self, findings: Iterable[Judged]) -> tuple[str, ...]:
        """The rules of the findings that are a failure."""
        ranks = [Severity[LEVELS.get(one, one).upper()].rank for one in self.fail_on if one in SEVERITIES]
        limit = max(ranks, default=-1)
        failed = (one for one in findings if one.severity.rank <= limit or _matches(one.rule, self.fail_on))
        return tuple(dict.fromkeys(one.rule for one in failed))


def _matches(rule: str, names: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(rule, name) for name in names)


def _check(name: str, known: Sequence[str], kind: str) -> None:
    """UsageError for a name that is not known, with the one that is meant."""
    if name in known or (any(one in name for one in WILD) and fnmatch.filter(known, name)):
        return
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]}?" if close else "; docs/rules.md has all rules"
    raise UsageError(f"{name!r} is no {kind}{hint}")
