"""The most important property of a file in one line, and the sentence of the overview that begins with it.

What is lost comes first: a locked footer, damage, wrong answers. Then what kind of file it is (a data set's footer, no
rows, locked columns), then what else is wrong. A file without all of this says so, and what takes its bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import NamedTuple

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import printable
from pqexplore.insight import summary
from pqexplore.insight.account import (
    BLOOM_FILTERS,
    FOOTER,
    GAP,
    KEY_VALUES,
    KINDS,
    PAGE_INDEXES,
    PAGES,
    UNKNOWN,
    Piece,
    by_kind,
    pieces,
    walk,
)
from pqexplore.insight.doctor import diagnose, not_looked_at, verdict
from pqexplore.insight.doctor.diagnose import Report
from pqexplore.insight.doctor.one_line import one_line
from pqexplore.insight.features import CHUNKS, Feature, features
from pqexplore.insight.kind_story import story
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import factor, listing, name, percent, plural, size

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


# What takes the bytes of the file, and what it lacks.

COSTLY = ("statistics", "page index")
"""Features whose absence the sentence always names."""

VERBS = {
    FOOTER: "is the footer",
    KEY_VALUES: "is key-value metadata",
    GAP: "belong to nobody",
    UNKNOWN: f"are {UNKNOWN}",
    PAGE_INDEXES: "are page indexes",
    BLOOM_FILTERS: "are Bloom filters",
    KINDS["unreadable"]: "cannot be read",
}
"""What a share of the file is."""

SMALL = 16_384
"""Bytes: in a smaller file, the footer is usually the largest part."""

SHARE_OF_KIND = 0.2
"""The share of the file from which a kind of bytes is named that is not the largest."""

SHARE_OF_GAPS = 0.02
"""The same for bytes that belong to nobody."""


def parts(
    file: ParquetFile,
    found: Sequence[Piece],
    columns: list[summary.ColumnSummary],
    known: Sequence[Feature],
    locked: Collection[str] = (),
) -> list[str]:
    """Which part is the largest and why, and which costly features are absent; the first is the most important.

    `locked` are the columns that no key opens: something else says so.
    """
    sizes = by_kind(file, found)
    if file.metadata is None:
        share = percent(sizes.get(UNKNOWN, 0) / file.size)
        return [f"{share} of {size(file.size)} are pages and indexes whose offsets only the footer has"]
    largest = next(iter(sizes), "")
    said = [_largest(file, sizes, columns, largest)]
    unread = [one for one in columns if one.unread and one.path not in locked]
    if unread:
        reason = next((one.reason for one in unread if one.reason), "").rstrip(".")
        said.append(f"{plural(len(unread), 'column')} cannot be read: {reason}")
    for kind, total in sizes.items():
        least = SHARE_OF_GAPS if kind == GAP else SHARE_OF_KIND
        if kind != largest and kind in VERBS and total > file.size * least:
            verb = VERBS[kind]
            if kind == GAP and any(one.unread and one.path in locked for one in columns):
                verb = "belong to those columns or to nobody"
            said.append(f"{percent(total / file.size)} {verb}")
    absent = _absent(known)
    return [*said, *_needs_keys(known), *([absent] if absent else [])]


def _largest(file: ParquetFile, sizes: dict[str, int], columns: list[summary.ColumnSummary], kind: str) -> str:
    """What takes most of the file: the pages, by their largest column, or another kind of bytes."""
    if file.other_files:
        total = size(sum(max(0, one.compressed_size) for one in columns))
        where = plural(len(file.other_files), "other file")
        return f"This is the footer of a data set: its column chunks, {total}, lie in {where}"
    filled = summary.by_size([one for one in columns if one.compressed_size > 0])
    if kind == PAGES and filled:
        return _of_column(filled[0], len(columns), sizes[PAGES], file.size)
    said = f"{percent(sizes.get(kind, 0) / file.size)} of {size(file.size)} {VERBS.get(kind, f'are {kind}')}"
    if not filled and kind == FOOTER:
        return f"{said}, and no column has any bytes"
    small = file.size < SMALL and kind in (FOOTER, KEY_VALUES)
    return f"the file is small: {said}" if small else said


def _of_column(one: summary.ColumnSummary, columns: int, pages: int, total: int) -> str:
    verb, pressed = _shrinks(one)
    if one.compressed_size >= total * 0.3 or columns == 1:
        which = " ".join(("which", verb, pressed)).strip().replace("  ", " ")
        share = percent(one.compressed_size / total)
        return f"{share} of {size(total)} is column {name(one.path)}, {which}"
    which = f"{verb} it {pressed}".strip() if verb else f"it {pressed}"
    return (
        f"the largest of {plural(columns, 'column')}, {name(one.path)}, has "
        f"{percent(one.compressed_size / pages)} of {size(pages)} of pages; {which}"
    )


def _shrinks(one: summary.ColumnSummary) -> tuple[str, str]:
    """What the codec does to the column: subject and verb, and how much."""
    if one.codecs in ((), ("UNCOMPRESSED",)):
        return "", "is not compressed"
    who = " with ".join(_codec(codec) for codec in one.codecs)
    if one.ratio is None:
        return "", f"is compressed by {who}, and the footer does not say from how many bytes"
    if one.ratio < 0.98:
        return f"{who} makes", f"larger ({factor(one.ratio)})"
    if one.ratio < 1.02:
        return f"{who} does not shrink", ""
    return f"{who} shrinks", ("only " if one.ratio < 1.25 else "") + factor(one.ratio)


def _codec(codec: str) -> str:
    return codec if codec.startswith("LZ") else codec.capitalize()


def _needs_keys(known: Sequence[Feature]) -> list[str]:
    """What is encrypted, whether its keys were given or not; nothing of a footer that is only signed."""
    one = next((one for one in known if one.name == "encryption"), None)
    if one is None or not one.count:
        return []
    if one.unit == "footers":
        return [one.meaning] if one.state == "all" else []
    return [f"{one.count:,} of {plural(one.of, 'column chunk')} need{'s' * (one.count == 1)} a key"]


def _absent(known: Sequence[Feature]) -> str:
    missing = [one.name for one in known if one.absent and one.name in COSTLY]
    if missing:
        return f"there {'is' if missing == ['page index'] else 'are'} no {' and no '.join(missing)}"
    for one in known:
        if one.state == "some" and one.name in COSTLY:
            verb = "has" if one.count == 1 else "have"
            return f"only {one.count:,} of {plural(one.of, 'column chunk')} {verb} {one.name}"
    return ""
