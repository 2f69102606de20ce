"""Diagnoses one file: runs the rules, puts the worst first, says it in a sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Generator
from typing import TYPE_CHECKING

from pqexplore.engine.check import check_steps
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.finding import failure
from pqexplore.engine.text import printable
from pqexplore.insight import summary
from pqexplore.insight.doctor import checked
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity
from pqexplore.insight.doctor.rules import DATA, FOOTER, LEVELS, RULES
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.kept import Latest
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.outside import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits
    from pqexplore.insight.doctor.readers.readers import Opener, Readers

Steps = Generator[float, None, "Report"]

ByRules = tuple[tuple[Diagnosis, ...], bool]
"""What rules found, and whether only the first row groups were looked at."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The diagnosis of a file.

    - `name`: the file's; `level`: what was read: `footer`, `pages` or `data`. `findings`: the worst first.
    - `partial`: whether only the first row groups were looked at. `what`: what the file is, in a sentence.
    - `opener`: opens the file again, for `readers`; None if it cannot be opened again.
    """

    name: str
    level: str
    findings: tuple[Diagnosis, ...]
    what: str
    partial: bool = False
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
        """The worst finding, and how many others there are; of a file with none, that nothing is to be mended."""
        return printable(_sentence(self))

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
) -> Report:
    """What is wrong with a file, what it costs, and what to do: the worst first.

    `source` is what `pqexplore.open` takes, or an open file. `level` says what is read: `footer`, `pages` (also page
    headers, indexes and Bloom filters), or `data` (everything, as `check()` does). The other arguments are those of
    `pqexplore.open`. Raises what `pqexplore.open` raises, and UsageError for an unknown level.
    """
    if isinstance(source, ParquetFile):
        return finish(steps(source, level))
    again = functools.partial(
        open_file,
        source,
        decryption=decryption,
        limits=limits,
        filesystem=filesystem,
        storage_options=storage_options,
    )
    with again() as file:
        return dataclasses.replace(finish(steps(file, level)), opener=again)


def steps(file: ParquetFile, level: str = FOOTER) -> Steps:
    """The steps to a report; see `pqexplore.diagnose`. UsageError for an unknown level."""
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    found: list[Diagnosis] = []
    partial = False
    for one in LEVELS[: LEVELS.index(level) + 1]:
        more, part = yield from by_rules(file, one)
        found += more
        partial = partial or part
    if level == DATA and _checked.get(file, level) is None:
        yield from _check(file)
        _checked.put(file, level, True)
    found += checked.diagnoses(file, file.findings)
    return Report(
        file.name,
        level,
        tuple(sorted(found, key=order)),
        _what(file),
        partial,
        lambda: contextlib.nullcontext(file),
    )


_checked: Latest[ParquetFile, bool] = Latest(1)
"""Files whose bytes were all checked."""


def _check(file: ParquetFile) -> Generator[float, None, None]:
    """Does what `file.check()` does. Yields how much is done."""
    done = 0.0

    def progress(at: int, total: int) -> None:
        nonlocal done
        done = at / max(1, total)

    for finding in check_steps(file, progress):
        if finding is not None:
            file.note(finding)
        yield done


def reached(file: ParquetFile) -> str:
    """The level up to which a file was diagnosed: `data` after a report of it, else `footer`."""
    return FOOTER if _checked.get(file, DATA) is None else DATA


_by_rules: Latest[ParquetFile, ByRules] = Latest(len(LEVELS))


def by_rules(file: ParquetFile, level: str) -> Generator[float, None, ByRules]:
    """What the rules of one level find, and whether only the first row groups were looked at; computed once a file."""
    known = _by_rules.get(file, level)
    if known is not None or file.metadata is None:
        return known or ((), False)
    found: list[Diagnosis] = []
    subject = Subject(file)
    rules = [rule for rule in RULES.values() if rule.level == level]
    for done, rule in enumerate(rules):
        try:
            found += rule.find(subject)
        except ParquetError as error:
            found += checked.diagnoses(file, [failure(error)])
        yield (done + 1) / (len(rules) + 1)
    if file.budget.exhausted:  # that there was no time is not a fact about the file
        found = [one for one in found if one.rule != "limit"]
    made = tuple(found), subject.partial
    _by_rules.put(file, level, made)
    return made


def found_by_rules(file: ParquetFile) -> tuple[Diagnosis, ...] | None:
    """What the rules found that ran so far; None if none did."""
    known = [made for level in LEVELS if (made := _by_rules.get(file, level)) is not None]
    return tuple(one for found, _ in known for one in found) if known else None


def order(one: Diagnosis) -> tuple[int, int]:
    """Sorts diagnoses: the worst first, of equal ones the one that costs most bytes."""
    return one.severity.rank, -(one.cost.bytes or 0)


def _what(file: ParquetFile) -> str:
    known = summary.identity(file)
    if known.rows is None:
        return f"an encrypted file of {size(known.size)}"
    parts = [plural(known.rows, "row")]
    if known.columns is not None:
        parts.append(plural(known.columns, "column"))
    if known.row_groups is not None:
        parts.append(plural(known.row_groups, "row group"))
    writer = f", by {known.created_by}" if known.created_by else ""
    return f"{', '.join(parts)} in {size(known.size)}{writer}"


def _sentence(report: Report) -> str:
    above = [one for one in report.findings if one.severity is not Severity.NOTE]
    notes = len(report.findings) - len(above)
    looked = {
        "footer": "By the footer",
        "pages": "By its headers and indexes",
        "data": "By all its bytes",
    }
    if not above:
        more = f" There {'is' if notes == 1 else 'are'} {plural(notes, 'note')}." if notes else ""
        return f"{looked[report.level]}, nothing to mend: {report.what}.{more}"
    first = above[0]
    others = len(above) - 1
    more = ""
    if others:
        more = f" {others:,} more {'is' if others == 1 else 'are'} listed below."
    cost = f" {first.cost.text[:1].upper()}{first.cost.text[1:]}." if first.cost.text else ""
    return f"{first.sentence}{cost}{more}"
