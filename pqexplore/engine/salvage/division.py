"""Divides a series of column chunks into row groups, by what repeats.

Row groups repeat the columns in one order, and all chunks of a row group have the same number of rows. So a change of
the row count is the end of a row group, and between two such ends the types, or the ways in which pages are encoded,
may show a period. Columns that are all alike show none: then several divisions fit, and a finding says so.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.salvage.fit import ColumnType, Shape
from pqexplore.engine.salvage.grouping import SalvagedChunk
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


def pages(division: Division) -> int:
    """Pages that have a place."""
    return sum(len(piece.chunk.pages) for piece in division.pieces)


def of(series: list[list[Candidate]], cut: bool) -> Division:
    """The division of chunks; each list of `series` has chunks of equal row counts. `cut`: the last series may lack some.

    If no order of columns repeats, the longest series becomes the only row group.
    """
    pieces = [piece for part in series for piece in part]
    if not pieces:
        return Division(0, [], [])
    if len(series) == 1:
        return _alone(pieces, cut)
    if cut and len(series[-1]) == 1:  # the chunk that is cut off, whose rows are not all there
        before = of(series[:-1], cut)
        if before.columns < len(before.pieces):
            return dataclasses.replace(before, others=[*before.others, *series[-1]])
    *lengths, last = map(len, series)
    common = math.gcd(*lengths)
    whole = math.gcd(common, last)
    bases = [whole] * (not cut or last % common == 0) + [common] * (last < common)
    chosen = None
    for base in bases:
        periods = [p for p in _divisors(base) if _repeats(p, pieces, Candidate.like)]
        chosen = next((p for p in periods if _varied(p, pieces, Candidate.like)), None)
        if chosen is None and base in periods and base in (common, last):
            chosen = base  # all alike: the last row group is the one that differs in its rows
        if chosen is not None:
            end = len(pieces) // chosen * chosen
            rest = tuple(p for p in periods if p != chosen)
            return Division(chosen, pieces[:end], pieces[end:], rest)
    longest = max(series, key=len)
    others = [piece for part in series if part is not longest for piece in part]
    return Division(len(longest), longest, others)


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


def findings(division: Division) -> Iterator[Finding]:
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
