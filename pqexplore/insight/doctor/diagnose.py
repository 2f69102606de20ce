"""Diagnoses one file: runs the rules, puts the worst first, says it in a sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from pqexplore.engine.check.footer import of_footer
from pqexplore.engine.check.repeats import without_repeats
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.finding import failure
from pqexplore.engine.text import printable
from pqexplore.insight import summary
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.doctor import checked, unseen
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity
from pqexplore.insight.doctor.rules import DATA, FOOTER, LEVELS, RULES, Rule
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import plural, size
from pqexplore.insight.writers.fingerprint import identify
from pqexplore.insight.writers.writer import Writer

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits
    from pqexplore.insight.doctor.readers.readers import Opener, Readers

Steps = Generator[float, None, "Report"]


@dataclasses.dataclass(frozen=True)
class Report:
    """The diagnosis of a file.

    - `name`: the file's; `level`: what was read: `footer`, `pages` or `data`. `findings`: the worst first.
    - `partial`: whether only the first row groups were looked at. `what`: what the file is, in a sentence.
    - `writer`: who wrote the file, by `created_by`, else by its bytes; None if neither tells.
    - `unseen`: what was not looked at, in sentences.
    - `opener`: opens the file again, for `readers`; None if it cannot be opened again.
    """

    name: str
    level: str
    findings: tuple[Diagnosis, ...]
    what: str
    partial: bool = False
    writer: Writer | None = None
    unseen: tuple[str, ...] = ()
    opener: Opener | None = dataclasses.field(default=None, repr=False, compare=False)

    @functools.cached_property
    def readers(self) -> Readers:
        """Who can read the file, predicted by its features; `readers(run=True)` runs the installed readers.

        UsageError if the report does not know how to open its file.
        """
        if self.opener is None:
            raise UsageError("this report was made without its file, so it cannot say who reads it")
        from pqexplore.insight.doctor.readers.readers import Readers

        return Readers(self.opener, self.name)

    @functools.cached_property
    def sentence(self) -> str:
        """The worst finding, and how many others there are; if there is none, that nothing is to be mended.

        Then what was not looked at.
        """
        return printable(_sentence(self))

    @functools.cached_property
    def verdict(self) -> str:
        """The sentence without what the file is, for places that say that already."""
        return printable(_sentence(dataclasses.replace(self, what="")))

    def worst(self) -> Severity | None:
        """The severity of the worst finding; None without findings."""
        return self.findings[0].severity if self.findings else None

    def __repr__(self) -> str:
        return f"<Report {self.level} of {printable(self.name)}: {self.sentence}>"


def diagnose(
    source: Readable | ParquetFile,
    level: str = FOOTER,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
    progress: Callable[[float], None] | None = None,
) -> Report:
    """What is wrong with a file, what it costs, and what to do: the worst first.

    `source` is what `pqexplore.open` takes, or an open file. `level` says what is read: `footer`, `pages` (also page
    headers, indexes and Bloom filters), or `data` (everything, as `check()` does). `progress` is called with how much is
    done, from 0 to 1. The other arguments are those of `pqexplore.open`. Raises what `pqexplore.open` raises, and UsageError for an unknown level.
    """
    if isinstance(source, ParquetFile):
        return finish(steps(source, level), progress)
    again = functools.partial(
        open_file, source, decryption=decryption, limits=limits, filesystem=filesystem, storage_options=storage_options
    )
    with again() as file:
        return dataclasses.replace(finish(steps(file, level), progress), opener=again)


def steps(file: ParquetFile, level: str = FOOTER) -> Steps:
    """The steps to a report; see `pqexplore.diagnose`. UsageError for an unknown level."""
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    found: list[Diagnosis] = []
    subject = Subject(file, level)
    wanted = LEVELS[: LEVELS.index(level) + 1]
    rules = [rule for rule in RULES.values() if rule.level in wanted]
    share = 0.1 if level == DATA else 1.0
    for done, rule in enumerate(rules):
        if not rule.after_check:
            found += _found(rule, subject)
            yield share * (done + 1) / (len(rules) + 1)
    unread = unseen.unread(subject)
    if level == DATA:
        yield from _check(file, share)
    found += chain.from_iterable(_found(rule, subject) for rule in rules if rule.after_check)
    if level == DATA:
        findings = list(file.findings)
    else:
        footer = [one for one in without_repeats(of_footer(file)) if one is not None]
        findings = [*unread.findings, *file.findings, *footer]
    found = checked.without_named(found, findings)
    found += checked.diagnoses(file, checked.unsaid(findings, found))
    closer = {rule.instead_of for rule in RULES.values() if rule.level in wanted}
    found = [one for one in found if one.rule not in closer]
    writer = None if file.metadata is None else identify(file)
    report = Report(
        file.name,
        level,
        tuple(sorted(_once(found), key=order)),
        _what(file, writer),
        subject.partial,
        writer,
        unseen.sentences(subject, level, unread, findings),
    )
    _keep(file, report)
    return _of(file, report)


def _found(rule: Rule, subject: Subject) -> list[Diagnosis]:
    """What a rule finds, up to damage that stops it; nothing if the footer needs a key that the rule needs, too."""
    found: list[Diagnosis] = []
    try:
        if subject.file.metadata is not None or rule.locked:
            found.extend(rule.find(subject))
    except ParquetError as error:
        found += checked.diagnoses(subject.file, [failure(error)])
    return found


def _once(found: list[Diagnosis]) -> Iterable[Diagnosis]:
    """Each diagnosis once: several rules, and `check()`, can stop at the same damage."""
    return {(one.rule, one.address, one.sentence): one for one in found}.values()


def _check(file: ParquetFile, begun: float) -> Generator[float, None, None]:
    """Does what `file.check()` does, in steps. Yields how much is done, from `begun` to 1."""
    from pqexplore.engine.check.whole import check_steps  # imports all rules; of_footer needs few

    done = begun

    def progress(at: int, total: int) -> None:
        nonlocal done
        done = begun + (1 - begun) * at / max(1, total)

    for finding in check_steps(file, progress):
        if finding is not None:
            file.note(finding)
        yield done


_kept: Latest[ParquetFile, Report] = Latest(len(LEVELS))
"""The reports of open files, by level; without their openers, which would hold the files."""


def _keep(file: ParquetFile, report: Report) -> None:
    if file.budget.exhausted:  # that there was no time is not a fact about the file
        found = tuple(one for one in report.findings if one.rule != "limit")
        report = dataclasses.replace(report, findings=found)
    _kept.put(file, report.level, report)


def _of(file: ParquetFile, report: Report) -> Report:
    return dataclasses.replace(report, opener=lambda: contextlib.nullcontext(file))


def kept(file: ParquetFile) -> Report | None:
    """The report of the highest level that was made of an open file; None if there is none."""
    reports = (_kept.get(file, level) for level in reversed(LEVELS))
    return next((one for one in reports if one is not None), None)


def so_far(file: ParquetFile) -> Steps:
    """The steps to the report of the highest level that was made, `footer` if none was, with what was met since."""
    known = kept(file)
    if known is None:
        return (yield from steps(file))
    before = checked.without_named(list(known.findings), file.findings)
    said = {(one.rule, one.address) for one in before}
    met = checked.diagnoses(file, checked.unsaid(file.findings, before))
    new = [one for one in met if (one.rule, one.address) not in said]
    found = tuple(sorted([*before, *new], key=order))
    return _of(file, dataclasses.replace(known, findings=found))


def order(one: Diagnosis) -> tuple[int, int]:
    """Sorts diagnoses: the worst first, of equal ones the one that costs most bytes."""
    return one.severity.rank, -(one.cost.bytes or 0)


def _what(file: ParquetFile, by: Writer | None) -> str:
    known = summary.identity(file)
    if known.rows is None:
        return f"an encrypted file of {size(known.size)}"
    parts = [plural(known.rows, "row")]
    if known.columns is not None:
        parts.append(plural(known.columns, "column"))
    if known.row_groups is not None:
        parts.append(plural(known.row_groups, "row group"))
    created_by = (known.created_by or "").strip()
    probably = f", probably by {by}" if by else ""
    writer = f", by {created_by}" if created_by else probably
    return f"{', '.join(parts)} in {size(known.size)}{writer}"


LOOKED = {"footer": "By the footer", "pages": "By its headers and indexes", "data": "By all its bytes"}


def _sentence(report: Report) -> str:
    above = [one for one in report.findings if one.severity is not Severity.NOTE]
    notes = len(report.findings) - len(above)
    limits = "".join(f" {one}" for one in report.unseen)
    if not above:
        more = f" There {'is' if notes == 1 else 'are'} {plural(notes, 'note')}." if notes else ""
        what = f": {report.what}" if report.what else ""
        if unseen.LOCKED in report.unseen:
            return f"{unseen.LOCKED}{report.what and f' It is {report.what}.'}{more}"
        if report.unseen:
            return f"Nothing to mend in what was looked at{what}.{limits}{more}"
        return f"{LOOKED[report.level]}, nothing to mend{what}.{more}"
    first = above[0]
    others = len(above) - 1
    more = f" {others:,} more {'is' if others == 1 else 'are'} listed below." if others else ""
    return f"{first.with_cost}{more}{limits}"
