"""Predicts who can read a file, by its features and what is known of the readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.doctor.readers.features import Found, features
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Reader, Verdict
from pqexplore.insight.doctor.readers.table import SOURCES, VERSIONS, Cell
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

_WORST = (Verdict.REFUSES, Verdict.WRONG)


def predict(file: ParquetFile) -> list[Reader]:
    """What each known reader does with a file, as far as its features decide it; damage is not looked for."""
    found = features(file)
    # No version, no claim.
    return [_of_engine(engine, found) for engine, version in VERSIONS.items() if version]


def _of_engine(engine: str, found: list[Found]) -> Reader:
    cells = [(one, KNOWN[one.name].cells.get(engine)) for one in found]
    for verdict in _WORST:
        deciding = [(one, cell) for one, cell in cells if cell is not None and cell.verdict is verdict]
        if deciding:
            return _decided(engine, verdict, deciding)
    unknown = [one for one, cell in cells if cell is None]
    if unknown:
        titles = listing([KNOWN[one.name].title for one in unknown])
        sentence = f"not known to fail: it is not known how it reads {titles}"
        return _reader(engine, Verdict.UNKNOWN, sentence, unknown, [])
    known = [cell for _, cell in cells if cell is not None]
    newest = max(cells, key=lambda one: _numbers(one[1].since if one[1] else ""))
    since = newest[1].since if newest[1] else ""
    what = ", ".join(KNOWN[one.name].title for one in found if one.name != "ordinary")
    sentence = f"reads it all{f', also {what}' if what else ''}"
    if since:
        sentence += f" ({KNOWN[newest[0].name].title} since {since})"
    return _reader(engine, Verdict.READS, sentence, found, known, since)


def _decided(engine: str, verdict: Verdict, deciding: list[tuple[Found, Cell]]) -> Reader:
    """A reader that refuses or misreads; the feature that stops the whole file comes first."""
    deciding = sorted(deciding, key=lambda one: not one[1].whole)
    reasons = []
    for one, cell in deciding:
        where = f" ({listing([name(column) for column in one.columns], most=3)})" if one.columns else ""
        reasons.append(f"{KNOWN[one.name].title}{where}: {cell.what}{_for_example(engine, verdict, one)}")
    scope = "the whole file" if deciding[0][1].whole else "these columns"
    word = f"refuses {scope}" if verdict is Verdict.REFUSES else "reads it wrongly, without an error"
    sentence = f"{word}: {'; '.join(reasons)}"
    return _reader(engine, verdict, sentence, [one for one, _ in deciding], [cell for _, cell in deciding])


def _for_example(engine: str, verdict: Verdict, found: Found) -> str:
    """What a reader makes of the first value with a feature, and how many there are, in parentheses; "" if that is not known."""
    said = example(engine, found) if verdict is Verdict.WRONG else ""
    return f" ({said})" if said else ""


def example(engine: str, found: Found) -> str:
    """What a reader makes of the first value with a feature, its row, and how many such values there are; "" if that is not known."""
    seen = found.seen
    if seen is None or seen.example is None or engine not in seen.example.read:
        return ""
    row = "" if seen.example.row is None else f" in row {seen.example.row:,}"
    many = f"; {seen.count:,} of {plural(seen.looked, 'value')} are such" if seen.looked > 1 else ""
    return f"it reads {seen.example.value} as {seen.example.read[engine]}{row}{many}"


def _reader(
    engine: str, verdict: Verdict, sentence: str, found: list[Found], cells: list[Cell], since: str = ""
) -> Reader:
    columns = dict.fromkeys(column for one in found for column in one.columns)
    sources = dict.fromkeys(SOURCES[cell.source] for cell in cells)
    return Reader(
        engine,
        VERSIONS[engine],
        verdict,
        False,
        sentence,
        tuple(one.name for one in found),
        tuple(columns),
        found[0].address if found else "",
        since,
        "; ".join(f"{one.title}, {one.url}" if one.url else one.title for one in sources),
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
