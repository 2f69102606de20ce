"""Chooses the pages that a first look checks: the same ones for the same file, whatever the load of the machine.

The budget counts work, not seconds. A unit is about a microsecond of CPU on a machine of 2024, as measured over files of
numbers, texts, dictionaries, lists, many row groups and tiny pages.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page_headers import PageFrame

BUDGET = 250_000
"""Units of work. A file that needs no more is looked at whole: most files of up to 8 MB."""

CHUNK, HEADER, PAGE, BYTE = 250, 15, 350, 0.002
"""Units for a column chunk, a page header, a page, and a byte of its body before compression."""

VALUE, TEXT = 0.04, 0.35
"""Units for a value of fixed width, and for one of BYTE_ARRAY."""

Plan: TypeAlias = Mapping[tuple[int, int], frozenset[int]]
"""The indexes of the pages to look at, by (row group, column) of their chunk. Other chunks are not looked at."""


class _Candidate(NamedTuple):
    """A data page, what it costs, and the page of its dictionary with what that costs; -1 if it has none."""

    place: tuple[int, int]
    page: int
    cost: float
    dictionary: int
    dictionary_cost: float


def plan(file: ParquetFile) -> Plan | None:
    """What to look at within the budget; None for all of the file."""
    try:
        shape = len(file.row_groups), len(file.schema.leaves)
    except ParquetError:
        return None
    spent = 0.0
    columns: dict[int, list[_Candidate]] = {}
    walked: set[tuple[int, int]] = set()
    for place in _order(*shape):
        if spent > BUDGET / 3:
            break
        walked.add(place)
        spent += CHUNK
        try:
            chunk = file.row_groups[place[0]].columns[place[1]]
            frames = chunk.frames.frames if not chunk.elsewhere and not chunk.locked else ()
        except ParquetError:
            continue  # the check of the chunk says why
        spent += HEADER * len(frames)
        columns.setdefault(place[1], []).extend(_candidates(chunk, place, frames))
    whole = sum(one.cost for some in columns.values() for one in some)
    if len(walked) == shape[0] * shape[1] and spent + whole <= BUDGET:
        return None
    return _chosen(columns, walked, spent)


def _order(groups: int, leaves: int) -> Iterator[tuple[int, int]]:
    """The chunks: those of the first row group, of the last, and of the others in a pseudo-random order."""
    ends = dict.fromkeys((0, groups - 1)) if groups else {}
    yield from ((group, leaf) for group in ends for leaf in range(leaves))
    inner = range(leaves, max(leaves, (groups - 1) * leaves))
    for at in random.Random(groups).sample(inner, min(len(inner), BUDGET // CHUNK)):
        yield divmod(at, leaves)


def _candidates(chunk: ColumnChunk, place: tuple[int, int], frames: Sequence[PageFrame]) -> Iterator[_Candidate]:
    per_value = TEXT if chunk.leaf.physical_type == Type.BYTE_ARRAY else VALUE
    costs = [
        PAGE + per_value * max(0, one.num_values) + BYTE * max(0, one.header.uncompressed_page_size or 0)
        for one in frames
    ]
    first = -1 if not frames or frames[0].is_data else 0
    for index, frame in enumerate(frames):
        if frame.is_data:
            yield _Candidate(place, index, costs[index], first, costs[0] if first == 0 else 0)


def _chosen(
    columns: Mapping[int, list[_Candidate]], walked: set[tuple[int, int]], spent: float
) -> dict[tuple[int, int], frozenset[int]]:
    """The first and the last page of each column, then others by the weight of their columns, as long as the budget lasts."""
    chosen: dict[tuple[int, int], set[int]] = {place: set() for place in walked}
    left = BUDGET - spent

    def take(one: _Candidate) -> float:
        nonlocal left
        pages, cost = chosen[one.place], one.cost
        if one.dictionary >= 0 and one.dictionary not in pages:
            cost += one.dictionary_cost
        if cost > left:
            return 0
        pages.update((one.page, one.dictionary) if one.dictionary >= 0 else (one.page,))
        left -= cost
        return cost

    for end in (0, -1):
        for some in columns.values():
            if some:
                take(some[end])
    weights = {leaf: sum(one.cost for one in some) for leaf, some in columns.items()}
    share = left / max(1.0, sum(weights.values()))
    for leaf, some in sorted(columns.items()):
        room = weights[leaf] * share
        for one in random.Random(leaf).sample(some, len(some)):
            if room > 0 and one.page not in chosen[one.place]:
                room -= take(one)
    return {place: frozenset(pages) for place, pages in chosen.items()}
