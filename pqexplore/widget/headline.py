"""The line below a file's name: its most important property, or what is worst about it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Generator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.arrays import arrow_numbers, arrow_strings, numpy_numbers
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.insight import short_text
from pqexplore.insight.doctor.findings_by_place import Places, places
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.lenses.overview import Picture

MOST = 100
"""Findings that have a mark of their own on the byte map, the worst; all others of a severity have one together."""

SENTENCE = 300
"""Characters of a finding's sentence."""


@dataclasses.dataclass(slots=True)
class Flag:
    """The worst finding at a place: its severity and its sentence, and how many others there are.

    `stands_for` is how many findings a mark of the byte map stands for.
    """

    severity: str
    sentence: str
    more: int
    stands_for: int = 1


def flag(found: Sequence[Finding]) -> Flag | None:
    """The flag for findings, the worst first; None without findings."""
    if not found:
        return None
    sentence = short_text.shorten(found[0].sentence, SENTENCE)
    return Flag(found[0].severity.value, sentence, len(found) - 1)


def of_tiles(
    file: ParquetFile, addresses: pa.Array, owners: tuple[np.ndarray[Any, Any], ...]
) -> tuple[list[Flag], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The findings that mark tiles; for each tile the position of its worst one plus 1, 0 for none; and its severities.

    The severities are bits: bit i is that of rank i. `owners` are the row group and the column of each tile, -1 for one that is in no column chunk.
    """
    known = places(file)
    above = [one for one in known.faults if one.severity is not Severity.NOTE]
    marks = np.zeros(len(addresses), "<u1")
    severities = np.zeros(len(addresses), "<u1")
    flags: list[Flag] = []
    for alike in _together(above):
        concerned = _tiles(known, alike, addresses, owners)
        if concerned.any():
            flags.append(_mark(alike))
            marks[concerned & (marks == 0)] = len(flags)
            severities[concerned] |= np.uint8(1 << alike[0].severity.rank)
    return flags, marks, severities


def _together(found: Sequence[Finding]) -> list[list[Finding]]:
    """The findings by their marks: the first `MOST` one by one, those after them by severity."""
    rest: dict[Severity, list[Finding]] = {}
    for one in found[MOST:]:
        rest.setdefault(one.severity, []).append(one)
    return [*([one] for one in found[:MOST]), *rest.values()]


def _mark(alike: Sequence[Finding]) -> Flag:
    sentence = short_text.shorten(alike[0].sentence, SENTENCE)
    if len(alike) > 1:
        sentence = f"one of {len(alike):,} more findings, such as: {sentence}"
    return Flag(alike[0].severity.value, sentence, 0, len(alike))


def _tiles(
    known: Places, alike: Sequence[Finding], addresses: pa.Array, owners: tuple[np.ndarray[Any, Any], ...]
) -> np.ndarray[Any, Any]:
    """Whether one of the findings is about each tile."""
    group, column = owners
    chunks = np.zeros((group.max(initial=-1) + 1, column.max(initial=-1) + 1), bool)
    places: set[str] = set()
    for one in itertools.chain.from_iterable(fault.each for fault in alike):
        named, groups, leaves = known.tiles(one)
        if not groups and not leaves:
            places |= named
            continue
        rows = [at for at in groups if at < len(chunks)] if groups else range(len(chunks))
        columns = [at for at in leaves if at < chunks.shape[1]] if leaves else range(chunks.shape[1])
        chunks[np.ix_(rows, columns)] = True
    found = np.zeros(len(addresses), bool)
    owned = group >= 0
    found[owned] = chunks[group[owned], column[owned]]
    if places:
        found |= inside(addresses, places)
        # A tile is a leaf of the layout: the place may be a part of it.
        above = {one[:at] for one in places for at, letter in enumerate(one) if letter == "/"}
        found |= numpy_numbers(pc.is_in(addresses, arrow_strings(sorted(above))))
    return found


def inside(addresses: pa.Array, places: Collection[str]) -> np.ndarray[Any, Any]:
    """Whether each address is one of `places` or below one of them."""
    found: np.ndarray[Any, Any] = np.zeros(len(addresses), bool)
    if not places:
        return found
    parts = pc.split_pattern(addresses, "/")
    deep = pc.list_value_length(parts)
    for depth in {one.count("/") + 1 for one in places}:
        there = np.flatnonzero(numpy_numbers(pc.greater_equal(deep, depth)))
        heads = pc.binary_join(pc.list_slice(parts.take(arrow_numbers(there)), 0, depth), "/")
        names = arrow_strings([one for one in places if one.count("/") + 1 == depth])
        found[there] |= numpy_numbers(pc.is_in(heads, names))
    return found


@dataclasses.dataclass(slots=True)
class Headline:
    """How the overview's sentence begins, and the severity of the finding that it is about; "" if it is about none.

    `cost` is what that finding costs; `lens` at `address` shows it, "" for the first lens there. A file without a finding above
    a note may have a lens to go on with: what-if.
    """

    sentence: str
    severity: str
    cost: str = ""
    address: str = ""
    lens: str = ""


def headline(file: ParquetFile) -> Generator[float, None, Headline]:
    """The file in one line; the steps to it are those of the overview."""
    made = yield from answer_of(file, file.root, LENSES["overview"])
    if not isinstance(made.picture, Picture):
        return Headline(made.line, made.severity)
    if not made.severity:
        rows = file.metadata is not None and file.metadata.num_rows > 0
        could = rows and not file.other_files and not made.picture.cards.unseen
        return Headline(made.line, "", lens="what_if" if could else "")
    worst = made.picture.cards.problems[0]  # the line is about it
    return Headline(made.line, made.severity, worst.cost, worst.address, worst.lens)
