"""Who can read a file: `report.readers`, predicted, and `report.readers(run=True)`, seen in a run."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.text import printable
from pqexplore.insight.doctor.readers.features import Found, features
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Reader, Verdict
from pqexplore.insight.doctor.readers.run import run
from pqexplore.insight.doctor.readers.table import SOURCES, VERSIONS, Cell
from pqexplore.insight.json_values import plain
from pqexplore.insight.on_disk import on_disk
from pqexplore.insight.terminal import wrap
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


Opener = Callable[[], AbstractContextManager["ParquetFile"]]
"""Opens the file again, or gives the one that is open."""

_ORDER = (
    (Verdict.WRONG, "reads it wrongly, without an error", "read it wrongly, without an error"),
    (Verdict.REFUSES, "refuses", "refuse"),
    (Verdict.READS, "reads it all", "read it all"),
    (Verdict.UNKNOWN, "is not known to fail", "are not known to fail"),
    (Verdict.UNCOMPARED, "reads it, not compared", "read it, not compared"),
    (Verdict.ABSENT, "is not installed", "are not installed"),
)


class Readers:
    """The readers of one file, each with its verdict.

    A prediction says what is known of each reader and the file's features; it reads the footer and some page headers
    when it is first used, and does not look for damage. Calling it with `run=True` runs the readers that are installed,
    each in a process of its own with a time and a memory limit, without keys, and compares their values with ours.

    Iterating gives `Reader`s. Raises what `pqexplore.open` raises if the file cannot be opened again.
    """

    def __init__(self, opener: Opener, name: str, *, run: bool = False) -> None:
        self._opener = opener
        self.name = name
        self.ran = run

    def __call__(self, *, run: bool = False) -> Readers:
        """The prediction, or what a run shows. UsageError if a file that is not on a disk is too large to copy."""
        made = Readers(self._opener, self.name, run=run)
        _ = made.all
        return made

    @functools.cached_property
    def all(self) -> tuple[Reader, ...]:
        """The readers, in a fixed order."""
        with self._opener() as file:
            if not self.ran:
                return tuple(predict(file))
            predicted = {one.engine: one for one in predict(file)}
            with on_disk(file) as path:
                return tuple(_against(predicted.get(one.engine), one) for one in run(file, path))

    def __iter__(self) -> Iterator[Reader]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, engine: str) -> Reader:
        """The reader of this name; KeyError if there is none."""
        for one in self.all:
            if one.engine == engine:
                return one
        raise KeyError(engine)

    @property
    def sentence(self) -> str:
        """Who does what, those that read it wrongly first."""
        parts = []
        for verdict, one, many in _ORDER:
            names = [reader.engine for reader in self.all if reader.verdict is verdict]
            if names:
                parts.append(f"{_and(names)} {one if len(names) == 1 else many}")
        start = "Run here" if self.ran else "By its features and what is known of the readers"
        differing = [reader.engine for reader in self.all if reader.predicted]
        first = f"Other than predicted: {_and(differing)}. " if differing else ""
        return printable(f"{first}{start}: {'; '.join(parts)}.")

    @property
    def table(self) -> pa.Table:
        """A row a reader: engine, version, verdict, sentence, features, columns, address, since, source.

        Of a run also column, row, ours, theirs, error: the first value that differs, and what failed.
        """
        names = ("engine", "version", "verdict", "sentence", "features", "columns", "address", "since", "source")
        run_only = ("column", "row", "ours", "theirs", "error")
        types = {"features": pa.list_(pa.string()), "columns": pa.list_(pa.string()), "row": pa.int64()}
        made = {
            name: pa.array([_cell(one, name) for one in self.all], types.get(name, pa.string()))
            for name in (*names, *(run_only if self.ran else ()))
        }
        return pa.table(made)

    def __repr__(self) -> str:
        lines = [f"<Readers of {printable(self.name)}, {'run here' if self.ran else 'predicted'}>"]
        return "\n".join((*lines, *(f"  {one}" for one in self.all)))


def _against(predicted: Reader | None, seen: Reader) -> Reader:
    """A reader that was run, with the prediction if that was another."""
    if predicted is None or predicted.verdict is seen.verdict or not {predicted.verdict, seen.verdict} <= _DECIDED:
        return seen
    what = f"{predicted.engine} {predicted.version} is predicted otherwise: {predicted.sentence}"
    return dataclasses.replace(seen, sentence=f"{seen.sentence}. {what}", predicted=predicted.verdict.value)


_DECIDED = frozenset((Verdict.WRONG, Verdict.REFUSES, Verdict.READS))


def _cell(one: Reader, name: str) -> object:
    value = getattr(one, name)
    if isinstance(value, Verdict):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def readers_lines(readers: Readers, room: int) -> Iterator[str]:
    """The sentence, then each reader with its reason and its source."""
    yield from ("  " + line for line in wrap(readers.sentence, room - 2))
    for one in readers:
        source = f"  [{one.source}]" if one.source else ""
        yield from ("    " + line for line in wrap(f"{one}{source}", room - 4, "  "))


def readers_document(readers: Readers) -> dict[str, Any]:
    """The readers as JSON values, the verdicts by their words."""
    return {"ran": readers.ran, "sentence": plain(readers.sentence), "readers": [_document(one) for one in readers]}


def _document(one: Reader) -> dict[str, Any]:
    made: dict[str, Any] = plain(one)
    return made | {"verdict": one.verdict.value}


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
