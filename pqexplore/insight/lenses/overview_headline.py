"""The most important property of a file in one line, and the sentence of the overview that begins with it.

What is lost comes first: a locked footer, damage, wrong answers. Then what kind of file it is (a data set's footer, no
rows, locked columns), then what else is wrong. A file without all of this says so, and what takes its bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import printable
from pqexplore.insight import summary
from pqexplore.insight.account import Piece, pieces, walk
from pqexplore.insight.doctor import diagnose, not_looked_at, verdict
from pqexplore.insight.doctor.diagnose import Report
from pqexplore.insight.doctor.one_line import one_line
from pqexplore.insight.features import CHUNKS, Feature, features
from pqexplore.insight.kind_story import story
from pqexplore.insight.lenses.overview_sentence import parts
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import listing, name, plural

LOST = (Severity.DAMAGE, Severity.WRONG)

NAMED = 3
"""Locked columns that are named."""


class Headline(NamedTuple):
    """One line, the severity of the finding that it is about ("" for none), and the sentence that begins with it."""

    line: str
    severity: str
    sentence: str


class Look(NamedTuple):
    """What the overview reads of a file, and the headline that follows from it. `problem` says why there are no columns."""

    pieces: list[Piece]
    columns: list[summary.ColumnSummary]
    problem: str
    features: list[Feature]
    report: Report
    said: Headline


def look(file: ParquetFile) -> Generator[float, None, Look]:
    """Reads what the overview needs. Yields how much of each of its parts is done; raises nothing for damage."""
    yield from walk(file)
    found = pieces(file)
    yield 1.0
    columns, problem = columns_of(file)
    yield 1.0
    known = features(file)
    yield 1.0
    report = yield from diagnose.so_far(file)  # last: the steps before note damage, too
    return Look(found, columns, problem, known, report, headline(file, found, columns, known, report))


def line(file: ParquetFile) -> str:
    """The headline's line alone, for a text that goes on with the parts of the file."""
    return printable(finish(file.budget.steps("the headline", look(file))).said.line)


def columns_of(file: ParquetFile) -> tuple[list[summary.ColumnSummary], str]:
    """The summary of each leaf; if there is none, the reason as a sentence."""
    if file.metadata is None:
        locked = file.footer.locked
        why = "it needs a key" if locked is None else locked.message
        return [], f"The columns are not known, because the footer is encrypted: {why}"
    try:
        return summary.columns(file), ""
    except ParquetError as error:
        return [], f"The columns cannot be read: {error.message}"


def headline(
    file: ParquetFile,
    found: Sequence[Piece],
    columns: list[summary.ColumnSummary],
    known: Sequence[Feature],
    report: Report | None = None,
) -> Headline:
    """What matters most of a file. Without a report nothing is said of findings, which may quote values."""
    locked = _locked(file, known)
    sizes = parts(file, found, columns, known, locked)
    fact = sizes[0] if file.metadata and file.other_files else _fact(file, locked, len(columns))
    above = [] if report is None else verdict.above_notes(report.findings)
    worst = above[0] if above else None
    if worst is not None and file.metadata is not None and (not fact or worst.severity in LOST):
        rest = [one for one in (fact, *sizes) if not _said(one, verdict.lead(worst))]
        return Headline(
            verdict.headline(worst), worst.severity.value, " ".join((verdict.with_cost(worst), _sentence(rest))).strip()
        )
    if fact:
        finding = "" if worst is None else verdict.with_cost(worst)
        said = (f"{fact}.", finding, _sentence(sizes if fact not in sizes else sizes[1:]))
        return Headline(f"{fact}.", "", " ".join(filter(None, said)))
    first = "; ".join(filter(None, (_sound(report), _opened(file, known))))
    whole = [*filter(None, (first, story(file))), *sizes]
    most = whole[: 2 if first else 1]
    return Headline(one_line(_sentence(most)), "", _sentence(whole))


def _sound(report: Report | None) -> str:
    """That there are no problems, if all that the level reads was looked at."""
    if report is None or report.unseen:
        return ""
    return verdict.sound(report.looked)


def _opened(file: ParquetFile, known: Sequence[Feature]) -> str:
    one = next((one for one in known if one.name == "encryption"), None)
    if one is None or not one.count or file.footer.cipher is None:
        return ""
    signed = one.unit == "footers" and one.state != "all"
    return "" if signed else "encrypted, and the keys given open it"


def _fact(file: ParquetFile, locked: Sequence[str], columns: int) -> str:
    """What kind of file it is, if that matters more than what its bytes are; "" for an ordinary one."""
    if file.metadata is None:
        return not_looked_at.LOCKED.rstrip(".")
    if locked:
        verb = "is" if len(locked) == 1 else "are"
        it = "it" if len(locked) == 1 else "them"
        named = listing([name(one) for one in locked], most=NAMED)
        return f"{len(locked):,} of {plural(columns, 'column')} {verb} encrypted and no key opens {it}: {named}"
    rows = file.metadata.num_rows
    groups = file.metadata.row_groups
    if rows == 0 and groups is not None and not any(one.num_rows for one in groups):
        return "The file has no rows"
    try:
        return "" if file.schema.leaves else "The file has no columns"
    except ParquetError:
        return ""


def _locked(file: ParquetFile, known: Sequence[Feature]) -> list[str]:
    """The columns with a chunk that needs a key which is not known, in the order of the schema."""
    if file.metadata is None or not any(one.name == "encryption" and one.count for one in known):
        return []
    found: dict[int, str] = {}
    try:
        for seen, chunk in enumerate(file.chunks()):
            if seen >= CHUNKS:
                break
            if _needs_key(chunk):
                found[chunk.index] = ".".join(chunk.leaf.path)
    except ParquetError:
        pass
    return [found[index] for index in sorted(found)]


def _needs_key(chunk: ColumnChunk) -> bool:
    try:
        if chunk.locked:
            return True
        _ = chunk.metadata
    except EncryptedFileError:
        return True
    except ParquetError:
        pass
    return False


def _said(part: str, lead: str) -> bool:
    """Whether the share of the file that a part begins with stands in the sentence before it."""
    share, percent, _ = part.partition(" % of ")
    return bool(percent) and f"{share} % of the file" in lead


def _sentence(said: Sequence[str]) -> str:
    """Parts as one sentence with a capital letter; "" for none."""
    whole = "; ".join(filter(None, said))
    return f"{whole[0].upper()}{whole[1:]}." if whole else ""
