"""Guesses column chunks and a schema from pages alone.

A dictionary page begins a chunk, and so does another type of values. Otherwise a chunk ends when it has as many rows
as the other columns of its row group. Names are lost; types come from what the pages prove.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

from pqexplore.engine.address import Address
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.fit import (
    PLAIN_SHAPE,
    SHAPES,
    ColumnType,
    Guess,
    Shape,
    believed_codec,
    decide,
    elements,
    guess,
)
from pqexplore.engine.salvage.grouping import CANDIDATES, SalvagedChunk
from pqexplore.engine.salvage.prove import SalvagedPage


@dataclasses.dataclass
class _Run:
    """Consecutive pages that may belong to one column, and the shapes and types that it may have."""

    pages: list[SalvagedPage]
    guesses: list[Guess]
    shapes: frozenset[Shape]
    types: dict[Shape, frozenset[ColumnType] | None]
    dictionary_types: frozenset[ColumnType] | None

    def kinds(self, shape: Shape) -> frozenset[ColumnType] | None:
        """The possible types of its values with levels of that shape; None for any."""
        return _both(self.types.get(shape), self.dictionary_types)

    def rows(self, shape: Shape) -> list[int]:
        """Rows of each page; 0 for a dictionary."""
        return [
            guess.rows[shape] if page.frame.is_data else 0
            for page, guess in zip(self.pages, self.guesses, strict=True)
        ]


@dataclasses.dataclass
class _Candidate:
    """A chunk cut from a run, and the shapes with which it has the required number of rows."""

    run: _Run
    chunk: SalvagedChunk
    shapes: frozenset[Shape]

    def like(self, other: _Candidate) -> bool:
        """Whether both may belong to one column."""
        for shape in self.shapes & other.shapes:
            kinds = _both(self.run.kinds(shape), other.run.kinds(shape))
            if kinds is None or kinds:
                return True
        return False


def _both(
    a: frozenset[ColumnType] | None, b: frozenset[ColumnType] | None
) -> frozenset[ColumnType] | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def by_guess(
    source: Source, pages: list[SalvagedPage], limits: Limits
) -> tuple[list[SalvagedChunk], list[structs.SchemaElement], list[Finding]]:
    """Chunks, a schema for them, and a finding for each type that is not proven."""
    runs, lost = _runs(source, pages, limits)
    series: list[list[_Candidate]] = []
    at = 0
    while at < len(runs):
        at, pieces = _same_rows(runs, at)
        series.append(pieces)
    columns, assigned, others = _table_of(series)
    for piece in others:
        piece.chunk.reason = "its row count or its type does not match the other chunks"
    schema = [structs.SchemaElement(name="schema", num_children=columns)]
    findings: list[Finding] = []
    for column in range(columns):
        shape, kinds = _column_type(assigned[column::columns])
        kind, proven = decide(kinds)
        schema += elements(f"column_{column}", shape, kind)
        if not proven:
            findings.append(_unproven(column, kind, kinds))
    for index, piece in enumerate(assigned):
        piece.chunk.row_group, piece.chunk.column = divmod(index, columns)
        piece.chunk.complete = piece.chunk.codec is not None
    return [piece.chunk for piece in [*assigned, *others]] + lost, schema, findings


def _unproven(column: int, kind: ColumnType, kinds: frozenset[ColumnType] | None) -> Finding:
    names = sorted(structs.enum_name(structs.Type, one) for one, _ in kinds or ())
    length = "" if kind[1] is None else f"({kind[1]})"
    return Finding(
        "type-unproven",
        "note",
        Address.of("row_groups", 0, "columns", column),
        f"column_{column} is read as {structs.enum_name(structs.Type, kind[0])}{length}: its pages fit "
        f"{', '.join(names) if names else 'any type'} equally well; give a schema to choose",
        {"types": names},
    )


def _column_type(
    pieces: list[_Candidate],
) -> tuple[Shape, frozenset[ColumnType] | None]:
    """The shape and the possible types that all chunks of a column share."""
    shapes = frozenset.intersection(*(piece.shapes for piece in pieces))
    possible: list[tuple[Shape, frozenset[ColumnType] | None]] = []
    for shape in SHAPES:
        if shape not in shapes:
            continue
        kinds: frozenset[ColumnType] | None = None
        for piece in pieces:
            kinds = _both(kinds, piece.run.kinds(shape))
        if kinds is None or kinds:
            possible.append((shape, kinds))
    return next((one for one in possible if one[1] is not None), possible[0])


def _runs(
    source: Source, pages: list[SalvagedPage], limits: Limits
) -> tuple[list[_Run], list[SalvagedChunk]]:
    runs: list[_Run] = []
    lost: list[SalvagedChunk] = []
    current: _Run | None = None
    for page in pages:
        before = current.pages[-1] if current is not None else None
        dictionary = (
            current.pages[0] if current is not None and current.pages[0].is_dictionary else None
        )
        guessed = guess(source, page, None if dictionary is None else dictionary.num_values, limits)
        orphan = page.needs_dictionary and (
            dictionary is None or before is None or before.end != page.start
        )
        if not page.usable or not guessed.rows or orphan:
            reason = "its dictionary is lost" if orphan else "it cannot be decoded without a schema"
            if not page.usable:
                reason = "its bytes are damaged"
            lost.append(SalvagedChunk([page], codec=believed_codec([page]), reason=reason))
            current = None
            continue
        if (
            current is not None
            and before is not None
            and before.end == page.start
            and _joins(current, page, guessed)
        ):
            continue
        types = guessed.types[PLAIN_SHAPE] if page.is_dictionary else None
        shapes = frozenset(SHAPES) if page.is_dictionary else frozenset(guessed.rows)
        current = _Run(
            [page], [guessed], shapes, {} if page.is_dictionary else dict(guessed.types), types
        )
        runs.append(current)
    for run in [run for run in runs if run.pages[-1].is_dictionary]:
        runs.remove(run)
        lost.append(SalvagedChunk(run.pages, reason="a dictionary without data pages"))
    return runs, lost


def _joins(run: _Run, page: SalvagedPage, guessed: Guess) -> bool:
    """Add the page to the run if it may belong to the same column; returns whether it was added."""
    before = run.pages[-1]
    if page.is_dictionary or (before.frame.is_data and before.header.type != page.header.type):
        return False
    if page.needs_dictionary and before.frame.is_data and not before.needs_dictionary:
        return False
    if believed_codec([*run.pages[:1], page]) is None:
        return False
    if before.frame.is_data and page.encoding != before.encoding and not before.needs_dictionary:
        return False
    shapes, types = set(), {}
    for shape in run.shapes & frozenset(guessed.rows):
        kinds = _both(run.types.get(shape), guessed.types[shape])
        together = _both(kinds, run.dictionary_types)
        if together is None or together:
            shapes.add(shape)
            types[shape] = kinds
    if not shapes:
        return False
    run.shapes, run.types = frozenset(shapes), types
    run.pages.append(page)
    run.guesses.append(guessed)
    return True


def _same_rows(runs: list[_Run], at: int) -> tuple[int, list[_Candidate]]:
    """The longest series of chunks with equal row counts from run `at` on, after the index of the next run."""
    candidates = set()
    for shape in runs[at].shapes:
        seen = 0
        for rows in runs[at].rows(shape):
            seen += rows
            candidates.add(seen)
    best = (at, list[_Candidate]())
    for rows in sorted(candidates, reverse=True)[:CANDIDATES]:
        index, cut = at, list[_Candidate]()
        while index < len(runs):
            pieces = _split(runs[index], rows)
            if pieces is None:
                break
            cut += pieces
            index += 1
        if index > best[0]:
            best = (index, cut)
    return best


def _split(run: _Run, rows: int) -> list[_Candidate] | None:
    """The run cut to chunks of exactly `rows` rows; None if no shape allows that."""
    cuts: dict[tuple[int, ...], set[Shape]] = {}
    for shape in run.shapes:
        ends: list[int] = []
        seen, counts = 0, run.rows(shape)
        for index, count in enumerate(counts):
            seen += count
            if seen == rows and run.pages[index].frame.is_data:
                ends.append(index + 1)
                seen = 0
            elif seen > rows:
                break
        whole = seen == 0 and ends and ends[-1] == len(counts)
        if whole and not any(run.pages[end].needs_dictionary for end in ends[:-1]):
            cuts.setdefault(tuple(ends), set()).add(shape)
    if not cuts:
        return None
    chosen = min(cuts, key=len)
    starts = (0, *chosen[:-1])
    return [
        _Candidate(
            run,
            SalvagedChunk(run.pages[a:b], rows=rows, codec=believed_codec(run.pages[a:b])),
            frozenset(cuts[chosen]),
        )
        for a, b in zip(starts, chosen, strict=True)
    ]


def _table_of(series: list[list[_Candidate]]) -> tuple[int, list[_Candidate], list[_Candidate]]:
    """The number of columns, the chunks of whole row groups in order, and the other chunks.

    Each list of `series` has chunks of equal row counts. Row groups repeat the columns in one order; if no such order
    exists, the longest series becomes the only row group.
    """
    pieces = [piece for part in series for piece in part]
    if not pieces:
        return 0, [], []

    def repeats(period: int, of: list[_Candidate]) -> bool:
        return all(a.like(b) for a, b in zip(of, of[period:], strict=False))

    lengths = [len(part) for part in series]
    if len(series) > 1:
        common = math.gcd(*lengths[:-1])
        if lengths[-1] % common == 0 or lengths[-1] < common:
            for period in [p for p in range(1, common + 1) if common % p == 0]:
                varied = period == common or not all(
                    a.like(b) for a, b in itertools.pairwise(pieces[:period])
                )
                if varied and repeats(period, pieces):
                    whole = len(pieces) // period * period
                    return period, pieces[:whole], pieces[whole:]
        longest = max(series, key=len)
        return (
            len(longest),
            longest,
            [piece for part in series if part is not longest for piece in part],
        )
    count = len(pieces)
    for period in range(2, count // 2 + 1):
        varied = not all(a.like(b) for a, b in itertools.pairwise(pieces[:period]))
        if count % period == 0 and varied and repeats(period, pieces):
            return period, pieces, []
    return count, pieces, []
