"""Guesses column chunks and a schema from pages alone.

A dictionary page begins a chunk, and so does another type of values. Otherwise a chunk ends when it has as many rows
as the other columns of its row group. Names are lost; types come from what the pages prove.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.limits import Limits
from pqexplore.engine.rule import Severity
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
from pqexplore.engine.text import plural

Kinds = frozenset[ColumnType] | None
"""The possible types of a column; None for any."""


def both(a: Kinds, b: Kinds) -> Kinds:
    """The types that are possible for both."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


@dataclasses.dataclass
class Candidate:
    """A chunk, and for each shape with which it has the required number of rows the types that it may have."""

    chunk: SalvagedChunk
    kinds: dict[Shape, Kinds]

    def like(self, other: Candidate) -> bool:
        """Whether both may belong to one column."""
        for shape in self.kinds.keys() & other.kinds.keys():
            together = both(self.kinds[shape], other.kinds[shape])
            if together is None or together:
                return True
        return False

    def encoded_like(self, other: Candidate) -> bool:
        """Whether both may belong to one column, and their pages are of the same kinds and encodings."""
        return self.like(other) and self._encodings() == other._encodings()

    def _encodings(self) -> set[tuple[str, int]]:
        return {(page.kind, page.encoding) for page in self.chunk.pages}


@dataclasses.dataclass(frozen=True)
class Division:
    """`pieces` are whole row groups of `columns` chunks; `others` have no place. `periods` would fit as well."""

    columns: int
    pieces: list[Candidate]
    others: list[Candidate]
    periods: Sequence[int] = ()


def page_count(division: Division) -> int:
    """Pages that have a place."""
    return sum(len(piece.chunk.pages) for piece in division.pieces)


def divide(series: list[list[Candidate]], cut: bool) -> Division:
    """The division of chunks; each list of `series` has chunks of equal row counts. `cut`: the last series may lack some.

    If no order of columns repeats, the longest series becomes the only row group.
    """
    pieces = [piece for part in series for piece in part]
    if not pieces:
        return Division(0, [], [])
    if len(series) == 1:
        return _alone(pieces, cut)
    if cut and len(series[-1]) == 1:  # the chunk that is cut off, whose rows are not all there
        before = divide(series[:-1], cut)
        if before.columns < len(before.pieces):
            return dataclasses.replace(before, others=[*before.others, *series[-1]])
    repeated = _by_period(series, pieces, cut)
    if repeated is not None:
        return repeated
    longest = max(series, key=len)
    others = [piece for part in series if part is not longest for piece in part]
    return Division(len(longest), longest, others)


def _by_period(series: list[list[Candidate]], pieces: list[Candidate], cut: bool) -> Division | None:
    """The division of several series by an order of columns that repeats; None if there is none."""
    *lengths, last = map(len, series)
    common = math.gcd(*lengths)
    whole = math.gcd(common, last)
    bases = [whole] * (not cut or last % common == 0) + [common] * (last < common)
    for base in bases:
        periods = [p for p in _divisors(base) if _repeats(p, pieces, Candidate.like)]
        chosen = next((p for p in periods if _varied(p, pieces, Candidate.like)), None)
        if chosen is None and base in periods and base in (common, last):
            chosen = base  # all alike: the last row group is the one that differs in its rows
        if chosen is not None:
            end = len(pieces) // chosen * chosen
            rest = tuple(p for p in periods if p != chosen)
            return Division(chosen, pieces[:end], pieces[end:], rest)
    return None


def _alone(pieces: list[Candidate], cut: bool) -> Division:
    """The division of chunks that all have the same number of rows.

    If the file is `cut`, the last row group lacks chunks: a period that has no place for all of them is tried, too.
    """
    count = len(pieces)
    lengths = range(1, count + 1) if cut else _divisors(count)
    periods = [p for p in lengths if _repeats(p, pieces, Candidate.like)]
    if cut:
        chosen = next((p for p in periods if 1 < p <= count // 2 and _varied(p, pieces, Candidate.like)), None)
        if chosen is not None:
            end = count // chosen * chosen
            return Division(chosen, pieces[:end], pieces[end:], tuple(p for p in periods if p % chosen and p < count))
    alike: tuple[Callable[[Candidate, Candidate], bool], ...]
    alike = (Candidate.like, Candidate.encoded_like)
    chosen = next(
        (
            p
            for same in alike
            for p in periods
            if 1 < p < count and count % p == 0 and _repeats(p, pieces, same) and _varied(p, pieces, same)
        ),
        count,
    )
    return Division(chosen, pieces, [], tuple(p for p in periods if p != chosen))


def division_findings(division: Division) -> Iterator[Finding]:
    """A finding if other divisions fit as well; a note if columns of different types repeat in the chosen one."""
    if not division.periods:
        return
    count = len(division.pieces)
    others = " or ".join(_groups(count, p) for p in reversed(division.periods[-3:]))
    repeated = division.columns < count and _varied(division.columns, division.pieces, Candidate.like)
    yield Finding(
        "ambiguous",
        "",
        f"chosen: {_groups(count, division.columns)}; {others} would fit as well: give a schema to choose",
        {"columns": [division.columns, *division.periods]},
        severity=Severity.NOTE if repeated else Severity.PORTABILITY,
    )


def _groups(count: int, columns: int) -> str:
    return f"{plural(-(-count // columns), 'row group')} of {plural(columns, 'column')}"


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def _repeats(period: int, pieces: list[Candidate], same: Callable[[Candidate, Candidate], bool]) -> bool:
    return all(same(a, b) for a, b in zip(pieces, pieces[period:], strict=False))


def _varied(period: int, pieces: list[Candidate], same: Callable[[Candidate, Candidate], bool]) -> bool:
    return not all(same(a, b) for a, b in itertools.pairwise(pieces[:period]))


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
        return both(self.types.get(shape), self.dictionary_types)

    def rows(self, shape: Shape) -> list[int]:
        """Rows of each page; 0 for a dictionary."""
        return [
            guess.rows[shape] if page.frame.is_data else 0 for page, guess in zip(self.pages, self.guesses, strict=True)
        ]


def by_guess(
    source: Source, pages: list[SalvagedPage], limits: Limits, cut: bool
) -> tuple[list[SalvagedChunk], list[structs.SchemaElement], list[Finding]]:
    """Chunks, a schema for them, and findings for what is not proven. `cut`: the file ends inside a page."""
    runs, lost = _runs(source, pages, limits)
    divided = divide(_series(runs, parts=False), cut)
    if divided.others:  # a run may go on into the next row group
        divided = max(divided, divide(_series(runs, parts=True), cut), key=page_count)
    columns, assigned, others = divided.columns, divided.pieces, divided.others
    for piece in others:
        piece.chunk.reason = "its row count or its type does not match the other chunks"
    schema = [structs.SchemaElement(name="schema", num_children=columns)]
    findings = [*division_findings(divided), *_of_one_run(runs)]
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


def _of_one_run(runs: list[_Run]) -> Iterator[Finding]:
    """A finding if all pages are alike and may be those of several columns."""
    if len(runs) != 1:
        return
    ends = {sum(runs[0].rows(shape)[: i + 1]) for shape in runs[0].shapes for i in range(CANDIDATES)}
    cuts = [_split(runs[0], rows) for rows in sorted(ends)]
    most = max((len(cut) for cut in cuts if cut), default=1)
    if most > 1:
        yield Finding(
            "ambiguous",
            "",
            f"chosen: one column, because all pages are alike; up to {most:,} column chunks would fit as well: give a "
            "schema to choose",
            {"chunks": most},
        )


def _unproven(column: int, kind: ColumnType, kinds: frozenset[ColumnType] | None) -> Finding:
    names = sorted(structs.enum_name(structs.Type, one) for one, _ in kinds or ())
    length = "" if kind[1] is None else f"({kind[1]})"
    return Finding(
        "type-unproven",
        Address.of("row_groups", 0, "columns", column),
        f"column_{column} is read as {structs.enum_name(structs.Type, kind[0])}{length}: its pages fit "
        f"{', '.join(names) if names else 'any type'} equally well; give a schema to choose",
        {"types": names},
    )


def _column_type(pieces: list[Candidate]) -> tuple[Shape, frozenset[ColumnType] | None]:
    """The shape and the possible types that all chunks of a column share."""
    shapes = frozenset.intersection(*(frozenset(piece.kinds) for piece in pieces))
    possible: list[tuple[Shape, frozenset[ColumnType] | None]] = []
    for shape in SHAPES:
        if shape not in shapes:
            continue
        kinds: frozenset[ColumnType] | None = None
        for piece in pieces:
            kinds = both(kinds, piece.kinds[shape])
        if kinds is None or kinds:
            possible.append((shape, kinds))
    return next((one for one in possible if one[1] is not None), possible[0])


def _runs(source: Source, pages: list[SalvagedPage], limits: Limits) -> tuple[list[_Run], list[SalvagedChunk]]:
    runs: list[_Run] = []
    lost: list[SalvagedChunk] = []
    current: _Run | None = None
    for page in pages:
        before = current.pages[-1] if current is not None else None
        dictionary = current.pages[0] if current is not None and current.pages[0].is_dictionary else None
        guessed = guess(source, page, None if dictionary is None else dictionary.num_values, limits)
        follows = before is not None and before.end == page.start
        reason = _why_lost(page, guessed, dictionary is not None and follows)
        if reason:
            lost.append(SalvagedChunk([page], codec=believed_codec([page]), reason=reason))
            current = None
            continue
        if current is not None and follows and _joins(current, page, guessed):
            continue
        if page.is_dictionary:
            current = _Run([page], [guessed], frozenset(SHAPES), {}, guessed.types[PLAIN_SHAPE])
        else:
            current = _Run([page], [guessed], frozenset(guessed.rows), dict(guessed.types), None)
        runs.append(current)
    for run in [run for run in runs if run.pages[-1].is_dictionary]:
        runs.remove(run)
        lost.append(SalvagedChunk(run.pages, reason="a dictionary without data pages"))
    return runs, lost


def _why_lost(page: SalvagedPage, guessed: Guess, after_dictionary: bool) -> str:
    """Why a page can be in no chunk; "" if it can. `after_dictionary`: it follows the pages of a dictionary without a gap."""
    if not page.usable:
        return "its bytes are damaged"
    if page.needs_dictionary and not after_dictionary:
        return "its dictionary is lost"
    return "" if guessed.rows else "it cannot be decoded without a schema"


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
        kinds = both(run.types.get(shape), guessed.types[shape])
        together = both(kinds, run.dictionary_types)
        if together is None or together:
            shapes.add(shape)
            types[shape] = kinds
    if not shapes:
        return False
    run.shapes, run.types = frozenset(shapes), types
    run.pages.append(page)
    run.guesses.append(guessed)
    return True


def _series(runs: list[_Run], parts: bool) -> list[list[Candidate]]:
    """All chunks as series of equal row counts. With `parts`, a series may end inside a run."""
    runs, series, at = list(runs), list[list[Candidate]](), 0
    while at < len(runs):
        at, pieces, rest = _same_rows(runs, at, parts)
        series.append(pieces)
        if rest is not None:
            runs[at] = rest
    return series


def _same_rows(runs: list[_Run], at: int, parts: bool) -> tuple[int, list[Candidate], _Run | None]:
    """The longest series of chunks with equal row counts from run `at` on, after the index of the next run.

    With `parts`, the series may take the first chunks of a run; then the rest of this run is last.
    """
    candidates = set()
    for shape in runs[at].shapes:
        seen = 0
        for rows in runs[at].rows(shape):
            seen += rows
            candidates.add(seen)
    best = (at, list[Candidate](), 0)
    for rows in sorted(candidates, reverse=True)[:CANDIDATES]:
        index, cut, taken = at, list[Candidate](), 0
        while index < len(runs):
            pieces = _split(runs[index], rows)
            if not pieces and parts and index > at:
                pieces = _split(runs[index], rows, whole=False)
            if not pieces:
                break
            cut += pieces
            taken = sum(len(piece.chunk.pages) for piece in pieces)
            if taken < len(runs[index].pages):
                break
            index, taken = index + 1, 0
        if (index, taken) > (best[0], best[2]):
            best = (index, cut, taken)
    index, cut, taken = best
    return index, cut, _after(runs[index], taken) if taken else None


def _after(run: _Run, taken: int) -> _Run:
    """The run without its first pages, which are those of whole chunks without a dictionary."""
    return dataclasses.replace(run, pages=run.pages[taken:], guesses=run.guesses[taken:])


def _split(run: _Run, rows: int, whole: bool = True) -> list[Candidate] | None:
    """The run cut to chunks of exactly `rows` rows; None if no shape allows that.

    Without `whole`, pages may be left at its end, if the run has no dictionary.
    """
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
        complete = seen == 0 and ends and ends[-1] == len(counts)
        if not whole:
            complete = bool(ends) and run.dictionary_types is None
        if complete and not any(run.pages[end].needs_dictionary for end in ends[:-1]):
            cuts.setdefault(tuple(ends), set()).add(shape)
    if not cuts:
        return None
    chosen = min(cuts, key=len) if whole else max(cuts, key=lambda ends: ends[-1])
    starts = (0, *chosen[:-1])
    return [
        Candidate(
            SalvagedChunk(run.pages[a:b], rows=rows, codec=believed_codec(run.pages[a:b])),
            {shape: run.kinds(shape) for shape in cuts[chosen]},
        )
        for a, b in zip(starts, chosen, strict=True)
    ]
