"""Rules about the writer: the defects that its version is known for, and whether the file shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import DATA, FOOTER, PAGES, Cost, Rule, Severity
from pqexplore.engine.rule import RULES as ALL
from pqexplore.insight.wording import listing, plural
from pqexplore.insight.writers import defects, fingerprint, in_bytes
from pqexplore.insight.writers.writer import by_name

if TYPE_CHECKING:
    from pqexplore.insight.doctor.subject import Subject
    from pqexplore.insight.writers.defect import Defect

SHOWN = "known-writer-defect-shown"
SHOWN_IN_PAGES = "known-writer-defect-in-pages"
LISTED = 4
GRAVE = (Severity.DAMAGE, Severity.WRONG)
"""Severities of the defects that are mentioned of a file which does not show them."""


def _shown(subject: Subject, rule: str, pages: bool) -> Iterator[Finding]:
    writer = by_name(subject.file)
    if writer is None:
        return
    for one in defects.DEFECTS:
        if one.pages is not pages or one.test is None or not one.known_for(writer):
            continue
        seen = one.seen(subject.file)
        if seen is None:
            continue
        yield Finding(
            rule,
            seen.address,
            f"The file shows {one.name}, a known defect of {writer}: {one.what}. Here, {seen.words}.",
            {**seen.evidence, "defect": one.name, "created_by": writer.text[:200]},
            severity=one.severity,
            cost=Cost(one.hurts),
            fix=one.fix,
            source=one.source,
        )


def shown(subject: Subject) -> Iterator[Finding]:
    """Defects that the footer shows."""
    yield from _shown(subject, SHOWN, pages=False)


def shown_in_pages(subject: Subject) -> Iterator[Finding]:
    """Defects that page headers and indexes show."""
    yield from _shown(subject, SHOWN_IN_PAGES, pages=True)


def known(subject: Subject) -> Iterator[Finding]:
    """Grave defects that the writer's version is known for, each with what is known of it at the level: at level `data`
    that it is shown, that it is not, or that no test of the bytes is known. Nothing if all of them are shown.
    """
    file, writer = subject.file, by_name(subject.file)
    if writer is None or writer.version is None:
        return
    grave = [
        one for one in defects.DEFECTS if one.severity in GRAVE and one.known_for(writer) and one.about(subject.file)
    ]
    named = {finding.evidence.get("writer") for finding in file.findings}
    answers: dict[str, list[Defect]] = {}
    for one in grave:
        answers.setdefault(_answer(subject, one, one.name in named), []).append(one)
    if not answers.keys() - {SEEN}:
        return
    looked = "the footer" if subject.level == FOOTER else _looked(subject)
    parts = {
        SEEN: "it shows {}",
        UNSEEN: f"{looked} does not show {{}}",
        DEEPER: "level `data` looks for {}",
        UNTESTED: "no test of the bytes is known for {}",
    }
    most = len(grave) if subject.level == DATA else LISTED
    said = [
        words.format(listing([one.name for one in answers[answer]], "or" if answer == UNSEEN else "and", most))
        for answer, words in parts.items()
        if answer in answers
    ]
    yield Finding(
        "known-writer-defects",
        "footer/created_by",
        f"{writer} is known for {plural(len(grave), 'defect')} by which readers get wrong values or none, and which can "
        f"concern this file: {'; '.join(said)}.",
        {one.name: one.what for one in grave},
        fix="If values or counts look wrong, compare them with their source; docs/writers.md has the defects.",
        source=grave[0].source,
    )


SEEN, UNSEEN, DEEPER, UNTESTED = "shown", "not shown", "looked for at level data", "cannot be tested"


def _answer(subject: Subject, one: Defect, found: bool) -> str:
    """What is known of a defect at the level; `found`: a finding of `check()` names it."""
    tested = one.test is not None and (not one.pages or subject.level != FOOTER)
    if found or (tested and one.seen(subject.file)):
        return SEEN
    if one.checked and subject.level != DATA:
        return UNSEEN if tested else DEEPER
    if tested or one.checked:
        return UNSEEN
    return DEEPER if one.test is not None else UNTESTED


def _looked(subject: Subject) -> str:
    """What does not show a defect, above level `footer`."""
    stopped = subject.level != DATA or any(ALL[one.rule].incomplete for one in subject.file.findings if one.rule in ALL)
    return "what was looked at" if stopped or subject.partial or in_bytes.has_more(subject.file) else "the file"


def other_writer(subject: Subject) -> Iterator[Finding]:
    """A created_by that the marks of the footer contradict."""
    other, named = fingerprint.disagrees(subject.file), by_name(subject.file)
    if other is None or named is None:
        return
    yield Finding(
        "writer-disagrees",
        "footer/created_by",
        f"created_by names {named}, and the footer looks as {other.title} writes it: {listing(other.why, most=len(other.why))}.",
        {"created_by": named.text[:200], "marks": list(other.why)},
        cost=Cost("readers that work around defects by version apply those of another writer"),
        fix="Ask who made the file before you rely on its version.",
    )


RULES = (
    Rule(
        SHOWN, Severity.PORTABILITY, FOOTER,
        "A known defect of the writer, in the footer",
        "The writer's version is known for it, and this file has it. The severity is the defect's: docs/writers.md.",
        shown,
    ),
    Rule(
        SHOWN_IN_PAGES, Severity.PORTABILITY, PAGES,
        "A known defect of the writer, in page headers or indexes",
        "The writer's version is known for it, and this file has it. The severity is the defect's: docs/writers.md.",
        shown_in_pages,
    ),
    Rule(
        "known-writer-defects", Severity.NOTE, FOOTER,
        "Known defects of the writer",
        "The version is known for them, which is no proof that this file has them. Level `data` says which the bytes show.",
        known, after_check=True,
    ),
    Rule(
        "writer-disagrees", Severity.NOTE, FOOTER,
        "A created_by that the footer contradicts",
        "Writers differ in what they fill in and leave out. Here all marks of one are there, and created_by names another.",
        other_writer,
    ),
)  # fmt: skip
