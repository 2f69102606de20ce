"""The verdict: the first sentence about a file or a lake, which every surface shows.

The worst finding, what it costs, and how many others there are; or "No problems found", with what was looked at. Findings
are ranked by their harm: rows lost or wrong, what cannot be read, what is large, what is slow, and notes, which never stand first.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from pqexplore.engine.finding import NAMED, PARTS, WHOLE_PAGE, Finding
from pqexplore.engine.rule import DATA, FOOTER, PAGES, RULES, SAMPLE, Severity
from pqexplore.engine.text import listing, name, plural, printable
from pqexplore.engine.tree.at import PAGE
from pqexplore.insight.doctor.one_line import MOST, one_line


@dataclasses.dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at: the level, the pages whose bytes were looked at, and how many there are; None if not counted.

    `partly`: whether a part was not looked at since it is locked, damaged or in other files; `locked`: whether the footer is.
    `checksums`: whether a page that was looked at tells when its bytes were changed, by a checksum or a tag; without, a
    changed value can look as good as the one that was written.
    """

    level: str
    pages: int | None = None
    of: int | None = None
    partly: bool = False
    locked: bool = False
    checksums: bool = True

    def __str__(self) -> str:
        return self._parts if self.checksums or not self.pages else f"{self._parts}, no checksums"

    @property
    def _parts(self) -> str:
        """The parts that were looked at."""
        if self.locked:
            return "the ends of the file"
        if self.level == FOOTER:
            return "footer only"
        if self.level == PAGES:
            return "footer, page headers and indexes"
        if self.level == SAMPLE:
            return (
                f"footer, {self.pages:,} pages" if self.of is None else f"footer, {self.pages:,} of {self.of:,} pages"
            )
        if self.partly:
            return f"footer, {plural(self.pages, 'page')}" if self.pages else "footer only"
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
    Values that cannot be read come before what else is damaged, and what current readers refuse before what they may.
    """
    every = list(findings)
    symptoms: dict[str, int] = {}
    for one in above_notes(every):
        for explained in RULES[one.rule].explains if one.rule in RULES else ():
            symptoms[explained] = max(symptoms.get(explained, 0), one.severity.rank)
    bytes_: Counter[tuple[int, str]] = Counter()
    for one in every:
        bytes_[one.severity.rank, one.rule] += one.cost.bytes or 0

    def key(one: F) -> tuple[int, bool, bool, bool, int, str, int]:
        rank, rule = one.severity.rank, one.rule
        describes = rule in RULES and RULES[rule].describes
        harm = max(rank, Severity.WRONG.rank if describes else rank, symptoms.get(rule, rank))
        return (
            harm,
            describes,
            rule in symptoms,
            not _loses_values(one),
            -bytes_[rank, rule],
            rule,
            -(one.cost.bytes or 0),
        )

    return tuple(sorted(every, key=key))


def _loses_values(one: Finding) -> bool:
    """Whether pages, chunks or the schema cannot be relied on, or current readers refuse or change what they hold.

    An index, a filter or statistics only help to find values.
    """
    if one.severity is Severity.PORTABILITY:
        return one.rule in OF_READERS
    if one.rule not in WHOLE_PAGE or one.severity is not Severity.DAMAGE:
        return False
    return not HELPERS.intersection(one.address.split("/"))


OF_READERS = ("engines-refuse", "readers-refuse", "readers-change-values")
"""Rules about what readers do, of one file and of many."""

HELPERS = frozenset((*PARTS, "statistics", "size_statistics", "geospatial_statistics", "key_value_metadata"))
"""Parts of a file that describe values, and hold none."""

_NUMBERS = re.compile(r"(?<=/)\d+")


def together(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Ranked findings, one for each fault: what `check()` found at one damaged page is one, and so is one fault at many places.

    The first of them stays where it is; its `alike` are the others. A fault is a rule, and the kind of place that it is at.
    """
    faults: dict[tuple[str, Severity, str], list[Finding]] = {}
    for one in _by_page(list(findings)):
        shape = _NUMBERS.sub("#", one.address) if one.violation else f"{len(faults)} {one.address}"
        faults.setdefault((one.rule, one.severity, shape), []).append(one)
    return tuple(
        dataclasses.replace(first, alike=tuple(others)) if others else first for first, *others in faults.values()
    )


def _by_page(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with one for each page that cannot be relied on: a wrong checksum, then what does not decode, then the rest."""
    damaged: dict[str, list[Finding]] = {}
    for one in findings:
        if one.rule in WHOLE_PAGE and one.violation and (page := PAGE.match(one.address)):
            damaged.setdefault(page[0].rstrip("/"), [])
    if not damaged:
        return list(findings)
    rest: list[Finding | str] = []
    for one in findings:
        page = PAGE.match(one.address)
        place = page[0].rstrip("/") if page else ""
        if place not in damaged or not one.violation:
            rest.append(one)
            continue
        if not damaged[place]:
            rest.append(place)
        damaged[place].append(one)
    return [one if isinstance(one, Finding) else _of_page(damaged[one]) for one in rest]


def _of_page(found: Sequence[Finding]) -> Finding:
    """The findings about one page as one: the first says what was changed or does not decode, and quotes the others."""
    first, *others = sorted(found, key=lambda one: (one.rule not in WHOLE_PAGE, one.rule))
    if not others:
        return first
    said = "; ".join(dict.fromkeys(one.message.rstrip(".") for one in others[:QUOTED]))
    more = f"; and {plural(len(others) - QUOTED, 'more finding')}" if len(others) > QUOTED else ""
    return dataclasses.replace(
        first,
        message=f"{first.message.rstrip('.')}; {said}{more}",
        evidence={**first.evidence, "also": [f"{one.rule}: {one.message}" for one in others]},
    )


QUOTED = 2
"""Other findings about a damaged page that its sentence quotes."""


def columns(findings: Iterable[Finding]) -> str:
    """The columns that findings are about, by name: the first ones, and how many more; "" for none."""
    named = dict.fromkeys(one.column for each in findings for one in each.each if one.column)
    return listing(list(map(name, named)), most=NAMED)


def above_notes(findings: Iterable[F]) -> list[F]:
    """The findings that are more than notes, in their order."""
    return [one for one in findings if one.severity is not Severity.NOTE]


def sound(looked: object, unchecked: Sequence[str] = (), others: bool = False) -> str:
    """That no problems were found, with what was looked at; no other ones if some are not listed (`others`)."""
    what = " in what was looked at" if unchecked else ""
    return f"No {'other ' if others else ''}problems found{what} ({looked})"


def verdict(
    findings: Sequence[Finding], looked: object, what: str = "", unchecked: Sequence[str] = (), others: bool = False
) -> str:
    """The first sentence of a report: `findings` are ranked, `what` is what was looked at in words, `unchecked` sentences about what was not.

    `others` says whether there are findings that are not listed.
    """
    above = above_notes(findings)
    limits = "".join(f" {one}" for one in unchecked)
    if above:
        below = len(above) - 1
        more = f" {below:,} more {'is' if below == 1 else 'are'} listed below." if below else ""
        return printable(f"{with_cost(above[0])}{more}{limits}")
    notes = f" There {'is' if len(findings) == 1 else 'are'} {plural(len(findings), 'note')}." if findings else ""
    return printable(f"{sound(looked, unchecked, others)}{what and f': {what}'}.{limits}{notes}")


def lead(one: Finding) -> str:
    """The sentence; of a finding of `check()` about a part of a row group, with its place before what is wrong."""
    return f"{_begin(one)}{one.message.rstrip('.')}.{one.also}" if one.violation and one.row_groups else one.sentence


def listed(one: Finding) -> str:
    """The sentence as it stands after the severity: of a finding of `check()`, only its place and what is wrong."""
    if not one.violation:
        return one.sentence
    return f"{f'{_part(one)}: ' if one.row_groups else ''}{one.message.rstrip('.')}.{one.also}"


def headline(one: Finding) -> str:
    """How `lead` begins, in one line: the place, and the first clauses of what is wrong; then in how many columns it is, too."""
    if not one.violation:
        return one_line(one.sentence)
    return _brief(one, _begin(one), MOST)


def in_a_list(one: Finding, most: int) -> str:
    """As much of `listed` as fits on a line of `most` characters; whole clauses, the first in any case."""
    if not one.violation:
        return one_line(one.sentence, most)
    return _brief(one, f"{_part(one)}: " if one.row_groups else "", most)


def _brief(one: Finding, begin: str, most: int) -> str:
    """The first clauses of what `check()` found, after its place; then in how many columns it is, too."""
    more = len({each.column for each in one.alike} - {"", one.column})
    also = f" And {plural(more, 'more column')}." if more else ""
    return begin + one_line(one.message, most - len(begin) - len(also)) + also


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
