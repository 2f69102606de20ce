"""Who can read a file: `report.readers`, predicted, and `report.readers(run=True)`, seen in a run."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.text import printable
from pqexplore.insight.doctor.readers.predict import predict
from pqexplore.insight.doctor.readers.reader import Reader, Verdict
from pqexplore.insight.doctor.readers.run import run
from pqexplore.insight.on_disk import on_disk

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
