"""The findings of the doctor as cards of the overview: the worst first, each with a figure, and where to look."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import printable
from pqexplore.engine.tree.at import PAGE
from pqexplore.insight.doctor.could_be import saved
from pqexplore.insight.doctor.diagnose import Report
from pqexplore.insight.doctor.verdict import columns, listed
from pqexplore.insight.wording import percent, plural, size

MOST = 6
"""Max cards, and max notes that are listed."""

LENSES = {
    "bounds-too-short": "statistics",
    "codec-enlarges": "compare",
    "constant-column": "statistics",
    "no-statistics": "statistics",
    "order-not-declared": "statistics",
    "statistics-distrusted": "statistics",
}
"""The lens that shows a finding of a rule at its place; without an entry what-if, if it is an estimate, or the place's first lens."""


@dataclasses.dataclass(slots=True)
class Remedy:
    """The code that fixes a finding, for one writer."""

    writer: str
    code: str


@dataclasses.dataclass(slots=True)
class Card:
    """A finding: how bad it is, the number that matters ("" if none), what it is, what it costs, what to do, where to look.

    `lens` is the one to open at `address`, "" for the first one there. `alike` counts the other findings of its rule;
    `columns` are theirs, in words.
    """

    rule: str
    severity: str
    figure: str
    sentence: str
    cost: str
    fix: str
    address: str
    lens: str
    alike: int
    columns: str
    remedies: list[Remedy]


@dataclasses.dataclass(slots=True)
class Cards:
    """The findings above a note, and the notes, a card for each rule; `more` and `more_notes` count those without one.

    `checked` says whether all bytes were checked, `looked` what was looked at. `unseen` says what could not be looked at, ""
    if nothing.
    """

    problems: list[Card]
    more: int
    notes: list[Card]
    more_notes: int
    checked: bool
    looked: str
    unseen: str


def cards(file: ParquetFile, report: Report) -> Cards:
    """The findings of a report as cards."""
    above = [one for one in report.findings if one.severity is not Severity.NOTE]
    notes = [one for one in report.findings if one.severity is Severity.NOTE]
    return Cards(
        *_first(above, file.size),
        *_first(notes, file.size),
        report.level == "data",
        str(report.looked),
        printable(" ".join(report.unseen)),
    )


def _first(found: Sequence[Finding], whole: int) -> tuple[list[Card], int]:
    """The first cards, one for each rule and severity, and how many findings have none."""
    alike: dict[tuple[str, Severity], list[Finding]] = {}
    for one in found:
        alike.setdefault((one.rule, one.severity), []).append(one)
    shown = list(alike.values())[:MOST]
    cards = [card(each[0], whole, len(each) - 1, columns(each[1:])) for each in shown]
    return cards, len(found) - sum(map(len, shown))


def card(one: Finding, whole: int, alike: int = 0, others: str = "") -> Card:
    """The card of a finding about something of `whole` bytes, and of as many others of its rule, about these columns."""
    return Card(
        one.rule,
        one.severity.value,
        _figure(one, whole),
        listed(one),
        printable(one.cost.text),
        one.fix,
        one.address,
        _lens(one),
        alike,
        printable(others),
        [Remedy(writer, printable(code)) for writer, code in one.code.items()],
    )


def _lens(one: Finding) -> str:
    """The lens that shows a finding at its place: what-if tells an estimate for a column anew, and none for a page."""
    estimate = "what_if" if saved([one]) and not PAGE.match(one.address) else ""
    return LENSES.get(one.rule, estimate)


def _figure(one: Finding, whole: int) -> str:
    """The number that matters: what is wasted of the file, or how much is read in vain."""
    cost = one.cost
    if cost.rows is not None:
        return plural(cost.rows, "row")
    if cost.bytes is not None:
        share = cost.bytes / whole if whole else 2
        return f"{size(cost.bytes)}, {percent(share)} of the file" if share <= 1 else size(cost.bytes)
    if cost.row_groups is not None:
        return plural(cost.row_groups, "row group")
    if cost.requests is not None:
        return plural(cost.requests, "request")
    if one.rows is not None:
        return plural(one.rows, "row")
    return plural(len(one.row_groups), "row group") if one.row_groups else ""
