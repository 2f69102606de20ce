"""How the values differ: row by row, and, where rows differ, as two bags of rows."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import clip
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.diff.hashes import hashes, of_rows
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.arrays import UInt64s
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.diff.matching import Pair

HASHED = 20_000_000
"""Rows up to which two files are compared as bags: 16 bytes of memory a row."""

NAMED = 4


@dataclasses.dataclass(slots=True)
class ColumnValues:
    """What comparing a column row by row gave: how many rows differ, the first of them, and its values as text.

    A column is a top-level field with its leaves that both files have; `paths` are theirs. `kind` is the type in which
    the values are compared. `why` says why they were not, "" if they were.
    """

    name: str
    firsts: list[Leaf]
    seconds: list[Leaf]
    kind: pa.DataType = dataclasses.field(default_factory=pa.null)
    rows: int = 0
    row: int | None = None
    first: str = ""
    second: str = ""
    why: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The dotted paths of its leaves, in the second file."""
        return tuple(".".join(leaf.path) for leaf in self.seconds)


@dataclasses.dataclass(frozen=True, slots=True)
class Values:
    """The values of both files, compared.

    `equal`: the compared columns have the same values in the same order; `other_count`: the files have not as many rows;
    `permuted`: the same rows in another order.
    `only_first`, `only_second`: rows that only one file has, None if that was not worked out.
    """

    columns: tuple[ColumnValues, ...]
    equal: bool
    other_count: bool = False
    permuted: bool = False
    only_first: int | None = None
    only_second: int | None = None

    @property
    def compared(self) -> list[ColumnValues]:
        """The columns that could be compared."""
        return [one for one in self.columns if not one.why]


Steps = Generator[float, None, Values]

_NOT_COMPARED = (ParquetError, pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)


def values(a: ParquetFile, b: ParquetFile, pairs: Sequence[Pair]) -> Steps:
    """Compares the values of columns; yields how much is done.

    Rows that are equal at the same place are in both bags of rows, so only the others are hashed.
    """
    columns = _columns(a, b, pairs)
    counts = [_rows(a), _rows(b)]
    bags: tuple[list[UInt64s], list[UInt64s]] = ([], [])
    at = hashed = 0
    for one, two in _aligned(_tables(a, columns, 0), _tables(b, columns, 1)):
        live = [column.name for column in columns if not column.why]
        differ = [name for name in live if not (one and two and one[name].equals(two[name]))]
        rows = len(next(iter((one or two).values()), ()))
        if differ:
            hashed += rows
            keys = [
                {name: hashes(piece[name]) for name in live} if piece and hashed <= HASHED else {}
                for piece in (one, two)
            ]
            for bag, key in zip(bags, keys, strict=True):
                if key:
                    bag.append(of_rows(list(key.values())))
            for column in columns if one and two else ():
                if column.name in differ:
                    name = column.name
                    _compare(column, one[name], two[name], at, [key.get(name) for key in keys])
        at += rows
        yield at / max(1, *counts)
    left = abs(counts[0] - counts[1])
    compared = [one for one in columns if not one.why]
    for column in compared:
        column.rows += left
        if left and column.row is None:
            column.row = min(counts)
    if not any(one.rows for one in compared):
        return Values(tuple(columns), equal=True)
    if hashed > HASHED or len(compared) < len(columns):
        return Values(tuple(columns), False, left > 0)
    mine, others = _differences(*(np.sort(_joined(found)) for found in bags))
    return Values(tuple(columns), False, left > 0, not mine and not others, mine, others)


def _joined(found: Sequence[UInt64s]) -> UInt64s:
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _differences(one: UInt64s, two: UInt64s) -> tuple[int, int]:
    """How many elements of sorted arrays only one of them has, equal ones counted as often as they are there."""
    if np.array_equal(one, two):
        return 0, 0
    every = np.concatenate([one, two])
    side = np.repeat(np.array([1, -1]), [len(one), len(two)])
    order = np.argsort(every, kind="stable")
    every, side = every[order], side[order]
    starts = np.flatnonzero(np.concatenate([[True], every[1:] != every[:-1]]))
    gap = np.add.reduceat(side, starts) if len(starts) else side
    return int(gap[gap > 0].sum()), int(-gap[gap < 0].sum())


def _columns(a: ParquetFile, b: ParquetFile, pairs: Sequence[Pair]) -> list[ColumnValues]:
    """The top-level fields of both files with the leaves that are compared, and the type for it."""
    made: dict[tuple[str, str], ColumnValues] = {}
    for pair in pairs:
        key = pair.first.path[0], pair.second.path[0]
        one = made.setdefault(key, ColumnValues(key[1], [], []))
        one.firsts.append(pair.first)
        one.seconds.append(pair.second)
    found = list(made.values())
    twice = Counter(one.name for one in found)
    for one in found:
        try:
            kinds = [_kind(a, one.firsts), _kind(b, one.seconds)]
            if twice[one.name] > 1:
                one.why = "several columns have this name"
            elif kinds[0] == kinds[1]:
                one.kind = kinds[0]
            else:
                schemas = [pa.schema([("value", kind)]) for kind in kinds]
                one.kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
        except _NOT_COMPARED as error:
            one.why = clip(str(error), 160)
    return found


def _kind(file: ParquetFile, leaves: Sequence[Leaf]) -> pa.DataType:
    return file.read([leaf.path for leaf in leaves], row_groups=[]).schema.field(0).type


def _rows(file: ParquetFile) -> int:
    return sum(group.num_rows for group in file.row_groups)


Piece = dict[str, pa.Array]
"""Columns of equal length, by name."""


def _tables(file: ParquetFile, columns: Sequence[ColumnValues], side: int) -> Iterator[Piece]:
    """The columns a row group at a time; one that cannot be read or cast gets its `why`, and nulls."""
    for index, group in enumerate(file.row_groups):
        if not group.num_rows:
            continue
        try:
            yield _read(file, [one for one in columns if not one.why], side, index)
        except _NOT_COMPARED:
            for one in columns:
                if not one.why:
                    try:
                        _read(file, [one], side, index)
                    except _NOT_COMPARED as error:
                        one.why = clip(str(error), 160)
            yield _read(file, [one for one in columns if not one.why], side, index)


def _read(file: ParquetFile, columns: Sequence[ColumnValues], side: int, index: int) -> Piece:
    leaves = [leaf for one in columns for leaf in (one.seconds if side else one.firsts)]
    if not leaves:
        return {}
    table = file.read([leaf.path for leaf in leaves], row_groups=[index])
    made: Piece = {}
    for one in columns:
        own = (one.seconds if side else one.firsts)[0].path[0]
        found = table.column(own)
        array = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
        made[one.name] = array if array.type == one.kind else array.cast(one.kind)
    return made


def _aligned(one: Iterator[Piece], two: Iterator[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Pieces of equal length; after the end of one side, empty ones beside those of the other."""
    a, b = next(one, {}), next(two, {})
    while a or b:
        rows, others = (len(next(iter(piece.values()), ())) for piece in (a, b))
        count = min(rows, others) if a and b else max(rows, others)
        yield _slice(a, 0, count), _slice(b, 0, count)
        a = _slice(a, count, rows) if rows > count else next(one, {})
        b = _slice(b, count, others) if others > count else next(two, {})


def _slice(piece: Piece, start: int, end: int) -> Piece:
    return {key: array[start:end] for key, array in piece.items()}


def _compare(
    column: ColumnValues, one: pa.Array, two: pa.Array, at: int, known: Sequence[UInt64s | None]
) -> None:
    """Counts the rows that differ; `known` are the hashes of both sides, if they were worked out."""
    first, second = (hashes(v) if k is None else k for v, k in zip((one, two), known, strict=True))
    differ = np.flatnonzero(first != second)
    column.rows += len(differ)
    if len(differ) and column.row is None:
        row = int(differ[0])
        column.row = at + row
        column.first, column.second = _text(one[row]), _text(two[row])


def _text(value: pa.Scalar) -> str:
    return clip(repr(value.as_py()), 80)


def differences(found: Values) -> Iterator[Difference]:
    """The differences of the values, if both files have as many rows; else only the columns that were not compared."""
    skipped = [one for one in found.columns if one.why]
    if skipped:
        some = listing([name(one.name) for one in skipped], most=NAMED)
        yield Difference(
            Subject.DATA,
            "not-compared",
            f"The values of {some} were not compared: {skipped[0].why.rstrip('.')}.",
            tuple(path for one in skipped for path in one.paths),
        )
    if found.permuted:
        yield Difference(
            Subject.DATA,
            "row-order",
            "Both files have the same rows in another order, by hashes of 64 bits.",
            first="one order",
            second="another",
            clause="its rows are in another order",
        )
    elif not found.other_count:
        for one in found.compared:
            if one.rows:
                yield _of_column(one)


def _of_column(one: ColumnValues) -> Difference:
    return Difference(
        Subject.DATA,
        "values",
        f"{name(one.name)} has other values in {plural(one.rows, 'row')}; the first is row {one.row:,}: {one.second} in place "
        f"of {one.first}.",
        one.paths,
        first=one.first,
        second=one.second,
        clause=f"{name(one.name)} has other values",
        addresses=(
            Address.of("schema", one.firsts[0].index),
            Address.of("schema", one.seconds[0].index),
        ),
    )
