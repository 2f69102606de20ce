"""Columns that only their values pair: one file calls them otherwise, and no field id says so.

By the footers two columns can be the same one if they have the same type and place, and as many values and nulls. That
they are is said only after all values were compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.chunk_structs import chunk_structs
from pqexplore.insight.diff import data
from pqexplore.insight.diff.matching import Matching, Pair, dotted, field_id, plain_path, with_pairs
from pqexplore.insight.diff.type_changes import change

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

BY = "values"
"""What says that the columns of a pair are the same, as in `Pair.by`."""

TRIED = 64
"""Pairs of columns whose values are compared to find out."""

Steps = Generator[float, None, Matching]


def candidates(a: ParquetFile, b: ParquetFile, found: Matching) -> list[Pair]:
    """The pairs of a column that only the first file has with one that only the second has, by the footers alike."""
    ours = {leaf.leaf_index: _counts(a, leaf) for leaf in found.removed}
    theirs = {leaf.leaf_index: _counts(b, leaf) for leaf in found.added}
    return [
        Pair(one, two, BY, dotted(two))
        for one in found.removed
        for two in found.added
        if _same_place(one, two)
        and (counts := ours[one.leaf_index]) is not None
        and counts[0] > 0
        and _agree(counts, theirs[two.leaf_index])
        and change(one, two) is None
    ]


def only_ones(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose columns are in no other pair."""
    firsts = Counter(id(pair.first) for pair in pairs)
    seconds = Counter(id(pair.second) for pair in pairs)
    return [pair for pair in pairs if firsts[id(pair.first)] == seconds[id(pair.second)] == 1]


def by_values(a: ParquetFile, b: ParquetFile, found: Matching) -> Steps:
    """The matching with the pairs that have the same values in the same order, if no other column has them, too."""
    same = []
    for pair in candidates(a, b, found)[:TRIED]:
        if (yield from _equal(a, b, pair)):
            same.append(pair)
    return with_pairs(found, only_ones(same))


def _same_place(one: Leaf, two: Leaf) -> bool:
    """Whether two paths differ in one name, so that a column or a field of a struct can be renamed."""
    mine, others = plain_path(one), plain_path(two)
    ids = field_id(one), field_id(two)
    if len(mine) != len(others) or inside(one) or inside(two) or None not in ids:
        return False
    return sum(x != y for x, y in zip(mine, others, strict=True)) == 1


def _counts(file: ParquetFile, leaf: Leaf) -> tuple[int, int | None] | None:
    """The values and the nulls of a column by its footer; None if a chunk cannot be read, and for nulls that are not counted."""
    values = 0
    nulls: int | None = 0
    for group in range(len(file.row_groups)):
        [struct] = chunk_structs(file, group, [leaf.leaf_index])
        metadata = None if struct is None else struct.meta_data
        if metadata is None:
            return None
        counted = metadata.statistics.null_count if metadata.statistics else None
        values += metadata.num_values
        nulls = None if nulls is None or counted is None else nulls + counted
    return values, nulls


def _agree(one: tuple[int, int | None], two: tuple[int, int | None] | None) -> bool:
    return two is not None and one[0] == two[0] and (None in (one[1], two[1]) or one[1] == two[1])


def _equal(a: ParquetFile, b: ParquetFile, pair: Pair) -> Generator[float, None, bool]:
    """Whether the columns have the same values, row by row, and not only nulls."""
    column = data.ColumnValues(dotted(pair.second), [pair])
    try:
        data.set_kind(column, a, b)
    except (ParquetError, pa.ArrowException):
        return False
    present = 0
    for one, two in data.aligned(data.tables(a, [column], 0), data.tables(b, [column], 1)):
        mine, others = (piece.get(column.name) for piece in (one, two))
        if column.why or mine is None or others is None or not mine.equals(others):
            return False
        present += len(mine) - mine.null_count
        yield 0.0
    return present > 0
