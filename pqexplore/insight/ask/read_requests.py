"""Which bytes an engine reads for the rows that are left, and in which requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import Span
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Bound, tests
from pqexplore.insight.ask.claims import page_places
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.piece import Piece
from pqexplore.insight.ask.pruning import Group
from pqexplore.insight.ask.pruning_result import BLOOM, DICTIONARY, PAGE_INDEX

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """What a query reads: the pieces, the requests, and the bytes of both.

    `all_bytes` are those of the file. `least` and `most` are the bytes between which the engine reads: they differ if it
    decides by what it measures while it reads, and the requests are then those with which it begins.
    """

    pieces: tuple[Piece, ...]
    requests: tuple[Span, ...]
    all_bytes: int
    least: int
    most: int

    @property
    def bytes(self) -> int:
        """Bytes of the requests."""
        return sum(len(span) for span in self.requests)


def reading(
    file: ParquetFile, bound: Bound, groups: Sequence[Group], leaves: Sequence[Leaf], engine: Engine
) -> Reading:
    """What an engine reads of `leaves`, in the order of its stages: footer, filters and indexes, then pages."""
    pieces = [Piece("footer", None, None, Span(file.footer.start, file.size))]
    requests = engine.footer_requests(file.size, file.footer.start)
    wanted = {leaf.leaf_index for leaf in leaves}
    planning = [
        piece
        for group in groups
        for piece in _planning(file, bound, group)
        if engine.dictionary_twice or not (_is_dictionary(piece, wanted) and group.kept)
    ]
    requests += engine.planning_requests(piece.span for piece in planning)
    pieces += planning
    least = most = sum(map(len, requests))
    read = [list(_data(file, group, leaves)) for group in groups if group.kept and not group.error]
    asked = {test.leaf.leaf_index for test in tests(bound)}
    for data in [list(chain.from_iterable(read))] if engine.across_groups else read:
        made = engine.requests(piece.span for piece in data)
        less, more = engine.least_and_most(file, data, asked, sum(map(len, made)))
        least, most = least + less, most + more
        requests += made
        pieces += data
    return Reading(tuple(pieces), tuple(requests), file.size, least, most)


def _is_dictionary(piece: Piece, leaves: Set[int]) -> bool:
    """Whether a piece is a dictionary that is read again with the pages of its chunk."""
    return piece.what == "dictionary page" and piece.leaf in leaves


def _planning(file: ParquetFile, bound: Bound, group: Group) -> Iterable[Piece]:
    """The filters, dictionaries and indexes that were asked about a row group."""
    for leaf in {test.leaf.leaf_index: test.leaf for test in tests(bound)}.values():
        try:
            chunk = file.row_groups[group.index].columns[leaf.leaf_index]
            used = {r.by for t, rs in group.rulings.items() if t.leaf is leaf for r in rs}
            if BLOOM in used:
                span = chunk.bloom_filter_span
                assert span is not None
                at = Address.of(chunk.address, "bloom_filter")
                yield Piece("Bloom filter", group.index, leaf.leaf_index, span, at)
            if DICTIONARY in used:
                page = chunk.dictionary_page
                if page is not None:
                    yield Piece("dictionary page", group.index, leaf.leaf_index, page.span, page.address)
            if PAGE_INDEX in group.asked:
                for kind, what in ((structs.ColumnIndex, "column index"), (structs.OffsetIndex, "offset index")):
                    where = chunk_indexes.place(chunk, kind)
                    if where is not None:
                        span = Span(where[0], sum(where), chunk.space)
                        yield Piece(
                            what, group.index, leaf.leaf_index, span, f"{chunk.address}/{what.replace(' ', '_')}"
                        )
        except ParquetError:
            continue


def _data(file: ParquetFile, group: Group, leaves: Sequence[Leaf]) -> Iterable[Piece]:
    """The pages, or whole chunks, of a kept row group."""
    some = row_ranges.count(group.ranges) < group.num_rows
    for leaf in leaves:
        try:
            chunk = file.row_groups[group.index].columns[leaf.leaf_index]
            pages = page_places(chunk) if some else None
            if pages is None:
                yield Piece("column chunk", group.index, leaf.leaf_index, chunk.span, chunk.address)
                continue
            for page in pages:
                if page.rows is None or row_ranges.overlaps(group.ranges, *page.rows):
                    what = "dictionary page" if page.rows is None else "data page"
                    yield Piece(what, group.index, leaf.leaf_index, page.span, page.address, page.index, page.rows)
        except ParquetError:
            continue
