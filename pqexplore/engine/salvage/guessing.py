"""Column chunks and a schema from pages alone.

A dictionary page begins a chunk, and so does another type of values. Where neither shows, the columns of a row group
have equally many rows. Names are lost; types are given only where the pages prove them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

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
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding


@dataclasses.dataclass
class _Run:
    """Pages in a row that could be of one column, and what that column could be."""

    pages: list[SalvagedPage]
    guesses: list[Guess]
    shapes: frozenset[Shape]
    types: dict[Shape, frozenset[ColumnType] | None]
    dictionary_types: frozenset[ColumnType] | None

    def kinds(self, shape: Shape) -> frozenset[ColumnType] | None:
        """The types that its values may have, if its levels have that shape; None for any."""
        return _both(self.types.get(shape), self.dictionary_types)

    def rows(self, shape: Shape) -> list[int]:
        """Rows of each page; 0 for a dictionary."""
        return [
            guess.rows[shape] if page.frame.is_data else 0
            for page, guess in zip(self.pages, self.guesses, strict=True)
        ]


@dataclasses.dataclass
class _Piece:
    """A chunk cut from a run, and the shapes with which it has the rows that it is said to have."""

    run: _Run
    chunk: SalvagedChunk
    shapes: frozenset[Shape]

    def like(self, other: _Piece) -> bool:
        """Whether both could be of one column."""
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
    """Chunks without a schema, the schema that they make, and what is doubtful about it."""
    runs, lost = _runs(source, pages, limits)
    series: list[list[_Piece]] = []
    at = 0
    while at < len(runs):
        at, pieces = _same_rows(runs, at)
        series.append(pieces)
    columns, placed, others = _table_of(series)
    for piece in others:
        piece.chunk.reason = (
            "its rows are not those of the columns beside it, or it is of another type"
        )
    schema = [structs.SchemaElement(name="schema", num_children=columns)]
    findings: list[Finding] = []
    for column in range(columns):
        shape, kinds = _column_type(placed[column::columns])
        kind, proven = decide(kinds)
        schema += elements(f"column_{column}", shape, kind)
        if not proven:
            findings.append(_unproven(column, kind, kinds))
    for index, piece in enumerate(placed):
        piece.chunk.row_group, piece.chunk.column = divmod(index, columns)
        piece.chunk.complete = piece.chunk.codec is not None
    return [piece.chunk for piece in [*placed, *others]] + lost, schema, findings


def _unproven(column: int, kind: ColumnType, kinds: frozenset[ColumnType] | None) -> Finding:
    names = sorted(structs.enum_name(structs.Type, one) for one, _ in kinds or ())
    length = "" if kind[1] is None else f"({kind[1]})"
    return Finding(
        "type-unproven",
        "note",
        f"row_groups/0/columns/{column}",
        f"column_{column} is read as {structs.enum_name(structs.Type, kind[0])}{length}: its pages fit "
        f"{', '.join(names) if names else 'any type'} alike; give a schema to say which",
        {"types": names},
    )


def _column_type(
    pieces: list[_Piece],
) -> tuple[Shape, frozenset[ColumnType] | None]:
    """The shape and the possible types that all chunks of a column share."""
    shapes = frozenset.intersection(*(piece.shapes for piece in pieces))
    found: list[tuple[Shape, frozenset[ColumnType] | None]] = []
    for shape in SHAPES:
        if shape not in shapes:
            continue
        kinds: frozenset[ColumnType] | None = None
        for piece in pieces:
            kinds = _both(kinds, piece.run.kinds(shape))
        if kinds is None or kinds:
            found.append((shape, kinds))
    return next((one for one in found if one[1] is not None), found[0])


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
        found = guess(source, page, None if dictionary is None else dictionary.num_values, limits)
        orphan = page.needs_dictionary and (
            dictionary is None or before is None or before.end != page.start
        )
        if not page.usable or not found.rows or orphan:
            reason = (
                "its dictionary is lost"
                if orphan
                else "its content cannot be decoded without a schema"
            )
            if not page.usable:
                reason = "its bytes are damaged"
            lost.append(SalvagedChunk([page], codec=believed_codec([page]), reason=reason))
            current = None
            continue
        if (
            current is not None
            and before is not None
            and before.end == page.start
            and _joins(current, page, found)
        ):
            continue
        types = found.types[PLAIN_SHAPE] if page.is_dictionary else None
        shapes = frozenset(SHAPES) if page.is_dictionary else frozenset(found.rows)
        current = _Run(
            [page], [found], shapes, {} if page.is_dictionary else dict(found.types), types
        )
        runs.append(current)
    for run in [run for run in runs if run.pages[-1].is_dictionary]:
        runs.remove(run)
        lost.append(SalvagedChunk(run.pages, reason="a dictionary without data pages"))
    return runs, lost


def _joins(run: _Run, page: SalvagedPage, found: Guess) -> bool:
    """Whether the page goes on with the run, and if so, it is added."""
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
    for shape in run.shapes & frozenset(found.rows):
        kinds = _both(run.types.get(shape), found.types[shape])
        together = _both(kinds, run.dictionary_types)
        if together is None or together:
            shapes.add(shape)
            types[shape] = kinds
    if not shapes:
        return False
    run.shapes, run.types = frozenset(shapes), types
    run.pages.append(page)
    run.guesses.append(found)
    return True


def _same_rows(runs: list[_Run], at: int) -> tuple[int, list[_Piece]]:
    """Chunks of equally many rows from run `at` on, as far as that goes, and the run that comes after."""
    candidates = set()
    for shape in runs[at].shapes:
        seen = 0
        for rows in runs[at].rows(shape):
            seen += rows
            candidates.add(seen)
    best = (at, list[_Piece]())
    for rows in sorted(candidates, reverse=True)[:CANDIDATES]:
        index, made = at, list[_Piece]()
        while index < len(runs):
            pieces = _split(runs[index], rows)
            if pieces is None:
                break
            made += pieces
            index += 1
        if index > best[0]:
            best = (index, made)
    return best


def _split(run: _Run, rows: int) -> list[_Piece] | None:
    """The run as chunks of exactly so many rows; None where it is not a multiple with any shape."""
    found: dict[tuple[int, ...], set[Shape]] = {}
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
            found.setdefault(tuple(ends), set()).add(shape)
    if not found:
        return None
    chosen = min(found, key=len)
    starts = (0, *chosen[:-1])
    return [
        _Piece(
            run,
            SalvagedChunk(run.pages[a:b], rows=rows, codec=believed_codec(run.pages[a:b])),
            frozenset(found[chosen]),
        )
        for a, b in zip(starts, chosen, strict=True)
    ]


def _table_of(series: list[list[_Piece]]) -> tuple[int, list[_Piece], list[_Piece]]:
    """How many columns there are, the chunks of whole row groups in their order, and the chunks left over.

    `series` are chunks of equally many rows. Row groups repeat the columns in one order; where no such order is to
    be seen, the longest series is taken for one row group.
    """
    pieces = [piece for part in series for piece in part]
    if not pieces:
        return 0, [], []

    def repeats(period: int, of: list[_Piece]) -> bool:
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
