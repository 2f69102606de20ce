"""Two files side by side: a line for each column, a slot for each row group, and the bytes of both files in it.

A column has the place that it has in the second file; one that only the first file has stands after the column that it
follows there. Row groups are paired by their number if both files have as many, else by the rows that they hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.insight.chunk_structs import chunk_structs
from pqexplore.insight.diff.matching import Matching, dotted

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.thrift import structs
    from pqexplore.insight.binary_columns import Array

PARTS = ("dictionary_page", "data_page", "column_index", "offset_index", "bloom_filter")
"""The kinds of bytes that are counted of a column chunk; page headers belong to their pages."""

UNKNOWN = -1
"""The bytes of a chunk whose metadata cannot be read."""


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A column: its leaf in each file, None where the file has no such column, and its dotted path."""

    path: str
    first: Leaf | None
    second: Leaf | None


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """The numbers of the row groups of both files that belong together; empty for no partner."""

    first: range
    second: range


def lines(found: Matching) -> list[Line]:
    """The columns of both files in the order of the second."""
    made = [((p.second.leaf_index, 0, 0), Line(p.path, p.first, p.second)) for p in found.pairs] + [
        ((leaf.leaf_index, 0, 0), Line(dotted(leaf), None, leaf)) for leaf in found.added
    ]
    places = {pair.first.leaf_index: pair.second.leaf_index for pair in found.pairs}
    gone = {leaf.leaf_index: leaf for leaf in found.removed}
    after = -1
    for index in sorted(places.keys() | gone.keys()):
        after = places.get(index, after)
        if index in gone:
            made.append(((after, 1, index), Line(dotted(gone[index]), gone[index], None)))
    return [line for _, line in sorted(made, key=lambda one: one[0])]


def slots(one: Sequence[int | None], two: Sequence[int | None]) -> list[Slot]:
    """Pairs row groups by the rows of each; None for a row group whose rows are not known."""
    first, second = [n or 0 for n in one], [n or 0 for n in two]
    made: list[Slot] = []
    a = b = 0
    if len(one) == len(two) or None in (*one, *two):
        a = b = min(len(one), len(two))
        made = [Slot(range(i, i + 1), range(i, i + 1)) for i in range(a)]
    while a < len(first) and b < len(second):
        begin = a, b
        rows, others = first[a], second[b]
        a, b = a + 1, b + 1
        while rows != others:
            if rows < others and a < len(first):
                rows += first[a]
                a += 1
            elif rows > others and b < len(second):
                others += second[b]
                b += 1
            else:
                break
        made.append(Slot(range(begin[0], a), range(begin[1], b)))
    made += [Slot(range(i, i + 1), range(b, b)) for i in range(a, len(first))]
    made += [Slot(range(a, a), range(i, i + 1)) for i in range(b, len(second))]
    return made


def folded(found: Sequence[Slot], most: int) -> list[Slot]:
    """At most `most` slots: as many neighbours as needed become one."""
    each = -(-len(found) // most) or 1
    return [
        Slot(
            range(found[at].first.start, found[min(at + each, len(found)) - 1].first.stop),
            range(found[at].second.start, found[min(at + each, len(found)) - 1].second.stop),
        )
        for at in range(0, len(found), each)
    ]


def chunk_bytes(file: ParquetFile) -> Generator[float, None, tuple[Array, Array]]:
    """The bytes of each chunk by leaf, row group and `PARTS`, `UNKNOWN` where not known; and where its pages begin."""
    leaves = range(len(file.schema.leaves))
    groups = len(file.row_groups)
    made = np.zeros((len(leaves), groups, len(PARTS)), np.int64)
    starts = np.zeros((len(leaves), groups), np.int64)
    for group in range(groups):
        for leaf, struct in enumerate(chunk_structs(file, group, leaves)):
            made[leaf, group], starts[leaf, group] = _parts(struct, file.size)
        yield group / groups
    return made, starts


def _parts(struct: structs.ColumnChunk | None, most: int) -> tuple[tuple[int, ...], int]:
    """The bytes of a chunk by `PARTS`, and where its pages begin; a file may claim any number, so all are bounded."""
    metadata = None if struct is None else struct.meta_data
    if struct is None or metadata is None:
        return (UNKNOWN,) * len(PARTS), UNKNOWN
    pages = _bounded(metadata.total_compressed_size, most)
    begin, data = metadata.dictionary_page_offset, metadata.data_page_offset
    dictionary = data - begin if begin and 0 < begin < data else 0
    start = begin if begin and dictionary else data
    dictionary = min(dictionary, pages)
    return (
        dictionary,
        pages - dictionary,
        _bounded(struct.column_index_length, most),
        _bounded(struct.offset_index_length, most),
        _bounded(metadata.bloom_filter_length, most),
    ), _bounded(start, most)


def _bounded(value: int | None, most: int) -> int:
    return min(max(value or 0, 0), most)


def in_slots(found: Array, ranges: Sequence[range]) -> Array:
    """The bytes by leaf, slot and `PARTS`; `UNKNOWN` in a slot with a chunk that is not known."""
    made = np.zeros((found.shape[0], len(ranges), len(PARTS)), np.int64)
    for at, groups in enumerate(ranges):
        block = found[:, groups.start : groups.stop]
        lost = (block == UNKNOWN).any(axis=(1, 2))
        made[:, at] = np.where(lost[:, None], UNKNOWN, block.sum(axis=1))
    return made
