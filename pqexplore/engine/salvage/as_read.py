"""Chunks as a reader finds them, by a footer that was found: also where a count in a page's header is wrong.

The search knows a page by its header alone. A reader knows more: how many rows the row group has, and where the chunk
ends. So it reads a page whose bytes contradict its header's count (see `file.counts`), and salvage keeps the same page.
"""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import MAGIC
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.value_findings import num_rows
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.lost_footer import LostFooter
from pqexplore.engine.salvage.prove import SalvagedPage, SearchBudget, SearchEnded, prove


def as_read(
    source: Source, footer: LostFooter, pages: list[SalvagedPage], chunks: list[SalvagedChunk], limits: Limits
) -> tuple[list[SalvagedPage], list[SalvagedChunk]]:
    """The pages and chunks, with those that a reader can read in the place of those that are not complete."""
    whole = {(chunk.row_group, chunk.column) for chunk in chunks if chunk.complete}
    budget = SearchBudget(source.size)
    read: list[SalvagedChunk] = []
    try:
        file = ParquetFile(_closed(source, footer), limits=limits)
        for group in file.row_groups:
            for column in group.columns:
                if (group.index, column.leaf.leaf_index) not in whole:
                    made = _read(source, column, limits, budget)
                    read += [] if made is None else [made]
    except (ParquetError, SearchEnded):  # what was found before stays
        pass
    fresh = [page for chunk in read for page in chunk.pages]
    here = {(chunk.row_group, chunk.column) for chunk in read}
    kept = [chunk for chunk in chunks if (chunk.row_group, chunk.column) not in here]
    return _merged(pages, fresh), [*kept, *read]


def _closed(source: Source, footer: LostFooter) -> Source:
    """The file up to its footer, with that footer at its end."""
    body = encode(footer.metadata)
    tail = body + len(body).to_bytes(4, "little") + MAGIC

    def fetch(start: int, length: int) -> bytes:
        stop = start + length
        before = bytes(source.read(start, min(stop, footer.start) - start)) if start < footer.start else b""
        return before + tail[max(0, start - footer.start) : max(0, stop - footer.start)]

    return Source(source.name, footer.start + len(tail), fetch, local=source.local)


def _read(source: Source, chunk: ColumnChunk, limits: Limits, budget: SearchBudget) -> SalvagedChunk | None:
    """A chunk whose pages are all found and can be decompressed, with as many rows as its row group; else None."""
    rows, codec = chunk.row_group.metadata.num_rows, chunk.metadata.codec
    try:
        walk = chunk.frames
        if walk.error is not None or not walk.frames:
            return None
        pages = [prove(source, frame, codec, limits, budget) for frame in walk.frames]
        held = sum(num_rows(page) for page in chunk.pages if page.frame.is_data)
    except ParquetError:
        return None
    if held != rows or not all(page.usable and codec in page.codecs for page in pages):
        return None
    return SalvagedChunk(pages, chunk.row_group.index, chunk.leaf.leaf_index, rows, codec, complete=True)


def _merged(pages: Sequence[SalvagedPage], fresh: Sequence[SalvagedPage]) -> list[SalvagedPage]:
    """The pages in file order; one of `fresh` takes the place of those in its bytes."""
    taken = sorted((page.start, page.end) for page in fresh)
    kept, at = list(fresh), 0
    for page in pages:  # in file order
        while at < len(taken) and taken[at][1] <= page.start:
            at += 1
        if at == len(taken) or page.end <= taken[at][0]:
            kept.append(page)
    return sorted(kept, key=lambda page: page.start)
