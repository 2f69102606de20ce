"""Diagnoses one file: runs the rules, puts the worst first, says it in a sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.check.footer import of_footer
from pqexplore.engine.check.repeats import without_repeats
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import printable
from pqexplore.insight import summary
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.doctor import check_findings, could_be, not_looked_at, verdict
from pqexplore.insight.doctor.first_look import first_look
from pqexplore.insight.doctor.rules import DATA, FOOTER, LEVELS, RULES, SAMPLE, Rule
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.doctor.verdict import FOOTER_ONLY, Looked, ranked, together
from pqexplore.insight.kind_story import story
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import plural, size
from pqexplore.insight.writers.fingerprint import identify
from pqexplore.insight.writers.writer import Writer

if TYPE_CHECKING:
    from pqexplore.engine.check.sample import Plan
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits
    from pqexplore.insight.doctor.readers.file_readers import Opener, Readers

Steps = Generator[float, None, "Report"]

CHECKED = 0.9
"""How much of a diagnosis is done when what the check looks at was looked at; the rules are the rest."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The diagnosis of a file.

    - `name`: the file's; `level`: what was read: `footer`, `pages`, `sample` or `data`. `findings`: the worst first, one for each fault;
      `every`: those that they were made of.
    - `looked`: what was looked at. `partial`: whether only the first row groups were looked at. `what`: what the file is, in a sentence.
    - `writer`: who wrote the file, by `created_by`, else by its bytes; None if neither tells.
    - `unseen`: what was not looked at, in sentences.
    - `others`: how many findings are not listed, by rule, since their rules do not count.
    - `opener`: opens the file again, for `readers`; None if it cannot be opened again.
    """

    name: str
    level: str
    findings: tuple[Finding, ...]
    what: str
    partial: bool = False
    writer: Writer | None = None
    unseen: tuple[str, ...] = ()
    looked: Looked = FOOTER_ONLY
    others: Mapping[str, int] = dataclasses.field(default_factory=dict)
    every: tuple[Finding, ...] = dataclasses.field(default=(), repr=False, compare=False)
    opener: Opener | None = dataclasses.field(default=None, repr=False, compare=False)

    @functools.cached_property
    def readers(self) -> Readers:
        """Who can read the file, predicted by its features; `readers(run=True)` runs the installed readers.

        UsageError if the report does not know how to open its file.
        """
        if self.opener is None:
            raise UsageError("this report was made without its file, so it cannot say who reads it")
        from pqexplore.insight.doctor.readers.file_readers import Readers

        return Readers(self.opener, self.name)

    @functools.cached_property
    def sentence(self) -> str:
        """The verdict: the worst finding, and how many others there are, or that there are no problems; then what was not looked at."""
        return self._sentence(self.what)

    @functools.cached_property
    def verdict(self) -> str:
        """The sentence without what the file is, for places that say that already."""
        return self._sentence("")

    def _sentence(self, what: str) -> str:
        if not verdict.above_notes(self.findings) and not_looked_at.LOCKED in self.unseen:
            notes = f" There {'is' if len(self.findings) == 1 else 'are'} {plural(len(self.findings), 'note')}."
            return printable(f"{not_looked_at.LOCKED}{what and f' It is {what}.'}{notes if self.findings else ''}")
        return verdict.verdict(self.findings, self.looked, what, self.unseen, bool(self.others))

    def worst(self) -> Severity | None:
        """The severity of the worst finding; None without findings."""
        return min((one.severity for one in self.findings), key=lambda one: one.rank, default=None)

    def __repr__(self) -> str:
        return f"<Report {self.level} of {printable(self.name)}: {self.sentence}>"


def diagnose(
    source: Readable | ParquetFile,
    level: str | None = None,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
    progress: Callable[[float], None] | None = None,
) -> Report:
    """What is wrong with a file, what it costs, and what to do: the worst first.

    `source` is what `pqexplore.open` takes, or an open file. `level` says what is read: `footer`, `pages` (also page
    headers, indexes and Bloom filters), `sample` (also a part of the pages, in about 0.3 s; all of a file that takes no
    longer), or `data` (everything, as `check()` does); None is `sample`, or `footer` of a remote file. `progress` is called with how much is
    done, from 0 to 1. The other arguments are those of `pqexplore.open`. Raises what `pqexplore.open` raises, and UsageError for an unknown level.
    """
    if isinstance(source, ParquetFile):
        return finish(steps(source, level), progress)
    again = functools.partial(
        open_file, source, decryption=decryption, limits=limits, filesystem=filesystem, storage_options=storage_options
    )
    with again() as file:
        return dataclasses.replace(finish(steps(file, level), progress), opener=again)


def steps(file: ParquetFile, level: str | None = None) -> Steps:
    """The steps to a report; see `pqexplore.diagnose`. UsageError for an unknown level."""
    level = DATA if level == "all" else level or default_level(file)
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    plan: Plan | None = None
    if level == SAMPLE:
        from pqexplore.engine.check import sample  # the footer needs none of it

        plan = sample.plan(file)
        if plan is None:
            level = DATA
        else:
            yield from first_look(file)
    found: list[Finding] = []
    subject = Subject(file, level)
    wanted = LEVELS[: LEVELS.index(level) + 1]
    rules = [rule for rule in RULES.values() if rule.level in wanted]
    looked, begun = Looked(level), 0.0
    if level in (SAMPLE, DATA):  # first, so that no rule relies on statistics that the values contradict
        looked = yield from _check(file, CHECKED, plan)
        begun = CHECKED
        yield from _sampled(subject, begun)
    for done, rule in enumerate(sorted(rules, key=lambda one: one.after_check), 1):
        found += _found(rule, subject)
        yield begun + (1 - begun) * done / len(rules)
    unread = not_looked_at.unread(subject)
    if level == DATA:
        findings = list(file.findings)
    else:
        footer = [one for one in without_repeats(of_footer(file)) if one is not None]
        findings = [*unread.findings, *file.findings, *footer]
    found = check_findings.without_named(found, findings)
    found += check_findings.unsaid(map(file.located, findings), found)
    closer = {rule.instead_of for rule in rules}
    closer.update(name for one in found if one.rule in RULES for name in RULES[one.rule].repeats)
    found = [one for one in found if one.rule not in closer]
    writer = None if file.metadata is None else identify(file)
    every = could_be.stated(ranked(could_be.once(_once(found))), file.size)
    unchecked = not_looked_at.sentences(subject, level, unread, findings)
    report = Report(
        file.name,
        level,
        together(every),
        _what(file, writer),
        subject.partial,
        writer,
        unchecked,
        dataclasses.replace(looked, partly=bool(unchecked), locked=not_looked_at.LOCKED in unchecked),
        every=every,
    )
    _keep(file, report)
    return _of(file, report)


def default_level(file: ParquetFile) -> str:
    """The level without a wish: a sample of the pages, or the footer alone of a file whose bytes come over a network."""
    return SAMPLE if file.source.local else FOOTER


def _found(rule: Rule, subject: Subject) -> list[Finding]:
    """What a rule finds, up to damage that stops it; nothing if the footer needs a key that the rule needs, too."""
    found: list[Finding] = []
    try:
        if subject.file.metadata is not None or rule.locked:
            assert rule.find is not None
            found.extend(rule.find(subject))
    except ParquetError as error:
        found.append(subject.file.located(failure(error)))
    return found


def _sampled(subject: Subject, done: float) -> Iterator[float]:
    """Takes the samples of the columns, up to damage: the rules that use them say it. Yields `done` after each step."""
    from pqexplore.insight.doctor.rules import trials  # the footer needs none of it

    if subject.file.metadata is not None:
        with contextlib.suppress(ParquetError):
            for _ in trials.take(subject):
                yield done


def _once(found: list[Finding]) -> Iterable[Finding]:
    """Each diagnosis once: several rules, and `check()`, can stop at the same damage."""
    return {(one.rule, one.address, one.sentence): one for one in found}.values()


def _check(file: ParquetFile, share: float, plan: Plan | None) -> Generator[float, None, Looked]:
    """Does what `file.check()` does, in steps, or a part of it by a plan. Yields how much is done, from 0 to `share`."""
    from pqexplore.engine.check.file_check import Counted, check_steps  # imports all rules; of_footer needs few

    done, counted = 0.0, Counted()

    def progress(at: int, total: int) -> None:
        nonlocal done
        done = share * at / max(1, total)

    whole = plan is None
    for finding in check_steps(file, progress, counted, plan):
        if finding is not None:
            file.note(finding)
            whole = whole and finding.rule != "not-everything-checked"
        yield done
    return Looked(
        DATA if whole else SAMPLE, counted.pages, counted.pages if whole else _pages(file), checksums=counted.checksums
    )


def _pages(file: ParquetFile) -> int | None:
    """The pages of a file, by what the footer or the page headers that were read say; None if they do not."""
    total = 0
    with contextlib.suppress(ParquetError):
        for chunk in file.chunks():
            stats = chunk.metadata.encoding_stats
            if not stats:
                return None
            total += sum(max(0, one.count or 0) for one in stats)
        return total
    return None


_kept: Latest[ParquetFile, Report] = Latest(len(LEVELS))
"""The reports of open files, by level; without their openers, which would hold the files."""


def _keep(file: ParquetFile, report: Report) -> None:
    if file.budget.exhausted:  # that there was no time is not a fact about the file
        every = tuple(one for one in report.every if one.rule != "limit")
        report = dataclasses.replace(report, findings=together(every), every=every)
    _kept.put(file, report.level, report)


def _of(file: ParquetFile, report: Report) -> Report:
    return dataclasses.replace(report, opener=lambda: contextlib.nullcontext(file))


def kept(file: ParquetFile) -> Report | None:
    """The report of the highest level that was made of an open file; None if there is none."""
    reports = (_kept.get(file, level) for level in reversed(LEVELS))
    return next((one for one in reports if one is not None), None)


def so_far(file: ParquetFile, level: str | None = None) -> Steps:
    """The steps to a report of at least a level (see `steps`), with what was met since: the highest that was made, if one was."""
    known, level = kept(file), level or default_level(file)
    if known is None or LEVELS.index(known.level) < LEVELS.index(level):
        return (yield from steps(file, level))
    before = check_findings.without_named(list(known.every), file.findings)
    said = {(one.rule, one.address) for one in before}
    met = check_findings.unsaid(file.findings, before)
    new = [one for one in met if (one.rule, one.address) not in said]
    every = ranked([*before, *new])
    return _of(file, dataclasses.replace(known, findings=together(every), every=every))


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
    kind = story(file)
    return f"{kind and f'{kind}; '}{', '.join(parts)} in {size(known.size)}{writer}"
