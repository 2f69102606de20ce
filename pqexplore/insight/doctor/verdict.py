"""The verdict: the first sentence about a file or a lake, which every surface shows.

The worst finding, what it costs, and how many others there are; or "No problems found", with what was looked at. Findings
are ranked by their harm: rows lost or wrong, what cannot be read, what is large, what is slow, and notes, which never stand first.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import DATA, FOOTER, PAGES, RULES, SAMPLE, Severity
from pqexplore.engine.text import plural, printable
from pqexplore.insight.doctor.brief import MOST, brief


@dataclasses.dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at: the level, the pages whose bytes were looked at, and how many there are; None if not counted."""

    level: str
    pages: int | None = None
    of: int | None = None

    def __str__(self) -> str:
        if self.level == FOOTER:
            return "footer only"
        if self.level == PAGES:
            return "footer, page headers and indexes"
        if self.level == SAMPLE:
            return (
                f"footer, {self.pages:,} pages" if self.of is None else f"footer, {self.pages:,} of {self.of:,} pages"
            )
        if not self.of:
            return "footer; there are no pages" if self.of == 0 else "all bytes"
        return f"footer, {'all ' if self.of > 1 else ''}{plural(self.of, 'page')}"

    @property
    def whole(self) -> bool:
        """Whether all bytes were looked at."""
        return self.level == DATA


FOOTER_ONLY = Looked(FOOTER)


F = TypeVar("F", bound=Finding)


def ranked(findings: Iterable[F]) -> tuple[F, ...]:
    """Findings, the worst first: by severity, then by the bytes that their rule costs, then by rule.

    A symptom comes after its cause, and a wrong number that only describes the file after all by which values are lost.
    """
    every = list(findings)
    symptoms: dict[str, int] = {}
    for one in above_notes(every):
        for name in RULES[one.rule].explains if one.rule in RULES else ():
            symptoms[name] = max(symptoms.get(name, 0), one.severity.rank)
    bytes_: Counter[tuple[int, str]] = Counter()
    for one in every:
        bytes_[one.severity.rank, one.rule] += one.cost.bytes or 0

    def key(one: F) -> tuple[int, bool, bool, int, str, int]:
        rank, rule = one.severity.rank, one.rule
        describes = rule in RULES and RULES[rule].describes
        harm = max(rank, Severity.WRONG.rank if describes else rank, symptoms.get(rule, rank))
        return harm, describes, rule in symptoms, -bytes_[rank, rule], rule, -(one.cost.bytes or 0)

    return tuple(sorted(every, key=key))


def above_notes(findings: Iterable[F]) -> list[F]:
    """The findings that are more than notes, in their order."""
    return [one for one in findings if one.severity is not Severity.NOTE]


def sound(looked: object, unchecked: Sequence[str] = ()) -> str:
    """That no problems were found, with what was looked at."""
    what = " in what was looked at" if unchecked else ""
    return f"No problems found{what} ({looked})"


def verdict(findings: Sequence[Finding], looked: object, what: str = "", unchecked: Sequence[str] = ()) -> str:
    """The first sentence of a report: `findings` are ranked, `what` is what was looked at in words, `unchecked` sentences about what was not."""
    above = above_notes(findings)
    limits = "".join(f" {one}" for one in unchecked)
    if above:
        others = len(above) - 1
        more = f" {others:,} more {'is' if others == 1 else 'are'} listed below." if others else ""
        return printable(f"{with_cost(above[0])}{more}{limits}")
    notes = f" There {'is' if len(findings) == 1 else 'are'} {plural(len(findings), 'note')}." if findings else ""
    return printable(f"{sound(looked, unchecked)}{what and f': {what}'}.{limits}{notes}")


def lead(one: Finding) -> str:
    """The sentence; of a finding of `check()` about a part of a row group, with its place before what is wrong."""
    return f"{_begin(one)}{one.message.rstrip('.')}." if one.violation and one.row_groups else one.sentence


def listed(one: Finding) -> str:
    """The sentence as it stands after the severity: of a finding of `check()`, only its place and what is wrong."""
    if not one.violation:
        return one.sentence
    return f"{f'{_part(one)}: ' if one.row_groups else ''}{one.message.rstrip('.')}."


def headline(one: Finding) -> str:
    """How `lead` begins, in one line: the place, and the first clauses of what is wrong."""
    if not one.violation:
        return brief(one.sentence)
    return _begin(one) + brief(one.message, MOST - len(_begin(one)))


def with_cost(one: Finding) -> str:
    """The sentence, and what the finding costs."""
    cost = printable(one.cost.text)
    return f"{lead(one)} Cost: {cost}." if cost else lead(one)


def _begin(one: Finding) -> str:
    """What stands before the message of a finding of `check()`."""
    if not one.row_groups:
        return f"{one.how}: "
    return f"{_part(one)}: " if one.how == "Wrong" else f"{one.how} in {one.place}: "


def _part(one: Finding) -> str:
    """The part of a row group that a finding of `check()` is about, and whether it cannot be read."""
    unreadable = " cannot be read" if one.rule == "unreadable" else ""
    place = one.place.removeprefix("column ")  # its name is in backquotes
    return f"{place[:1].upper()}{place[1:]}{unreadable}"
